//! The buffer that a rank attaches for buffered sends.
//!
//! The copies of buffered messages lie in memory of the engine; the attached buffer is what they are charged
//! against, so that a program that fits in its buffer here fits everywhere, and one that does not is told. A copy
//! is charged until its receiver has taken it. Detaching does not wait: nothing lies in the user's memory.

use crate::error::{Error, ErrorClass, Result};
use crate::limits::BSEND_OVERHEAD;
use crate::process::Process;
use simurgh_core::sync::{Arc, AtomicUsize, Ordering, SpinLock};

/// What the user attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferSpace {
    /// Memory of the user, by address and size.
    Fixed {
        /// Where it begins.
        address: usize,
        /// Its size in bytes.
        size: usize,
    },
    /// As much as is needed (`MPI_BUFFER_AUTOMATIC`).
    Automatic,
}

/// The attached buffer of a rank, if any.
#[derive(Debug, Default)]
pub(crate) struct AttachedBuffer(SpinLock<Option<Attached>>);

#[derive(Debug)]
struct Attached {
    space: BufferSpace,
    used: Arc<AtomicUsize>,
}

/// The part of an attached buffer that a message occupies; dropping it frees the part.
#[derive(Debug)]
pub(crate) struct Charge {
    used: Arc<AtomicUsize>,
    amount: usize,
}

impl Drop for Charge {
    fn drop(&mut self) {
        // Relaxed: the counter guards no memory.
        self.used.fetch_sub(self.amount, Ordering::Relaxed);
    }
}

impl AttachedBuffer {
    /// Occupies space for a message of `bytes`.
    pub(crate) fn charge(&self, bytes: usize) -> Result<Charge> {
        let amount = bytes.saturating_add(BSEND_OVERHEAD);
        let attached = self.0.lock();
        let Some(Attached { space, used }) = attached.as_ref() else {
            return Err(Error::new(
                ErrorClass::Buffer,
                "a buffered send needs a buffer: attach one with MPI_Buffer_attach first",
            ));
        };
        let in_use = used.load(Ordering::Relaxed);
        match *space {
            BufferSpace::Fixed { size, .. } if amount > size.saturating_sub(in_use) => Err(Error::new(
                ErrorClass::Buffer,
                format!(
                    "a buffered message of {bytes} bytes (and {BSEND_OVERHEAD} of overhead) does not fit: {in_use} of \
                     the attached {size} bytes are in use; attach a larger buffer"
                ),
            )),
            _ => {
                used.fetch_add(amount, Ordering::Relaxed);
                Ok(Charge {
                    used: Arc::clone(used),
                    amount,
                })
            }
        }
    }

    fn attach(&self, space: BufferSpace) -> Result<()> {
        let mut attached = self.0.lock();
        if attached.is_some() {
            return Err(Error::new(
                ErrorClass::Buffer,
                "a buffer is attached already; detach it before attaching another",
            ));
        }
        *attached = Some(Attached {
            space,
            used: Arc::new(AtomicUsize::new(0)),
        });
        Ok(())
    }

    fn detach(&self) -> Option<BufferSpace> {
        self.0.lock().take().map(|attached| attached.space)
    }
}

impl Process {
    /// Attaches a buffer for buffered sends.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Buffer`] if one is attached.
    pub fn attach_buffer(&self, space: BufferSpace) -> Result<()> {
        self.buffer().attach(space)
    }

    /// Detaches the buffer and gives it back.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Buffer`] if none is attached.
    pub fn detach_buffer(&self) -> Result<BufferSpace> {
        self.buffer()
            .detach()
            .ok_or_else(|| Error::new(ErrorClass::Buffer, "no buffer is attached"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: BufferSpace = BufferSpace::Fixed {
        address: 64,
        size: 1000 + 2 * BSEND_OVERHEAD,
    };

    #[test]
    fn messages_are_charged_until_they_are_received() {
        let buffer = AttachedBuffer::default();
        assert_eq!(buffer.charge(1).unwrap_err().class(), ErrorClass::Buffer);
        buffer.attach(SPACE).unwrap();
        assert_eq!(
            buffer.attach(BufferSpace::Automatic).unwrap_err().class(),
            ErrorClass::Buffer
        );
        let first = buffer.charge(600).unwrap();
        let second = buffer.charge(400).unwrap();
        assert_eq!(buffer.charge(0).unwrap_err().class(), ErrorClass::Buffer);
        drop(first);
        let third = buffer.charge(500).unwrap();
        assert_eq!(buffer.detach(), Some(SPACE));
        drop((second, third));
        assert_eq!(buffer.detach(), None);
    }

    #[test]
    fn an_automatic_buffer_takes_everything() {
        let buffer = AttachedBuffer::default();
        buffer.attach(BufferSpace::Automatic).unwrap();
        let _charges = [buffer.charge(1 << 40).unwrap(), buffer.charge(1 << 50).unwrap()];
    }
}
