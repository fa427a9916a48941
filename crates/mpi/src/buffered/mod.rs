//! Attached buffers of buffered sends: of a process, a session or a communicator.
//!
//! The copies of buffered messages are in memory of the engine. The attached buffer limits their size, so that a
//! program that fits in its buffer here fits everywhere, and one that does not gets an error. Space is reserved for a
//! copy until its receiver has taken it; flushing and detaching wait for that.

mod usage;

pub(crate) use usage::Reservation;

use crate::error::{Error, ErrorClass, Result};
use crate::limits::BSEND_OVERHEAD;
use crate::request::Request;
use simurgh_core::sync::{Arc, SpinLock};
use usage::Usage;

/// The buffer that the user has attached.
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

/// A place where a buffer for buffered sends can be attached.
#[derive(Debug, Default)]
pub struct SendBuffer(SpinLock<Option<Attached>>);

#[derive(Debug)]
struct Attached {
    space: BufferSpace,
    usage: Arc<Usage>,
}

impl SendBuffer {
    /// Attaches a buffer.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Buffer`] if one is attached.
    pub fn attach(&self, space: BufferSpace) -> Result<()> {
        let mut attached = self.0.lock();
        if attached.is_some() {
            return Err(Error::new(
                ErrorClass::Buffer,
                "a buffer is attached already; detach it before attaching another",
            ));
        }
        *attached = Some(Attached {
            space,
            usage: Arc::default(),
        });
        Ok(())
    }

    /// Detaches the buffer, waits until its messages have been received, and gives it back.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Buffer`] if none is attached.
    pub fn detach(&self) -> Result<BufferSpace> {
        let attached = self.0.lock().take();
        let Attached { space, usage } =
            attached.ok_or_else(|| Error::new(ErrorClass::Buffer, "no buffer is attached"))?;
        usage.drained().wait();
        Ok(space)
    }

    /// Waits until the messages that are in the buffer have been received; there are none if no buffer is attached.
    pub fn flush(&self) {
        self.iflush().wait();
    }

    /// A request that is complete once the messages that are in the buffer have been received.
    #[must_use]
    pub fn iflush(&self) -> Arc<Request> {
        let usage = self.0.lock().as_ref().map(|attached| Arc::clone(&attached.usage));
        usage.unwrap_or_default().drained()
    }

    /// Occupies space for a message of `bytes`; `None` if no buffer is attached.
    pub(crate) fn reserve(&self, bytes: usize) -> Option<Result<Reservation>> {
        let attached = self.0.lock();
        let Attached { space, usage } = attached.as_ref()?;
        let size = match *space {
            BufferSpace::Fixed { size, .. } => size,
            BufferSpace::Automatic => usize::MAX,
        };
        let reserved = Usage::reserve(usage, bytes.saturating_add(BSEND_OVERHEAD), size);
        Some(reserved.map_err(|in_use| too_small(bytes, in_use, size)))
    }
}

#[cold]
fn too_small(bytes: usize, in_use: usize, size: usize) -> Error {
    Error::new(
        ErrorClass::Buffer,
        format!(
            "a buffered message of {bytes} bytes (and {BSEND_OVERHEAD} of overhead) does not fit: {in_use} of the \
             attached {size} bytes are in use; attach a larger buffer"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: BufferSpace = BufferSpace::Fixed {
        address: 64,
        size: 1000 + 2 * BSEND_OVERHEAD,
    };

    fn reserve(buffer: &SendBuffer, bytes: usize) -> Option<Reservation> {
        let reserved = buffer.reserve(bytes).expect("a buffer is attached");
        reserved
            .map_err(|error| assert_eq!(error.class(), ErrorClass::Buffer))
            .ok()
    }

    #[test]
    fn messages_are_charged_until_they_are_received() {
        let buffer = SendBuffer::default();
        assert!(buffer.reserve(1).is_none() && buffer.iflush().is_done());
        buffer.attach(SPACE).unwrap();
        assert_eq!(
            buffer.attach(BufferSpace::Automatic).unwrap_err().class(),
            ErrorClass::Buffer
        );
        let first = reserve(&buffer, 600).unwrap();
        let second = reserve(&buffer, 400).unwrap();
        assert!(reserve(&buffer, 0).is_none());
        drop(first);
        let third = reserve(&buffer, 500).unwrap();
        drop((second, third));
        assert_eq!(buffer.detach().unwrap(), SPACE);
        assert_eq!(buffer.detach().unwrap_err().class(), ErrorClass::Buffer);
    }

    #[test]
    fn a_flush_waits_for_the_messages_before_it_only() {
        let buffer = SendBuffer::default();
        buffer.attach(BufferSpace::Automatic).unwrap();
        assert!(buffer.iflush().is_done());
        let (first, second) = (reserve(&buffer, 1).unwrap(), reserve(&buffer, 1 << 50).unwrap());
        let flush = buffer.iflush();
        let third = reserve(&buffer, 2).unwrap();
        let last = buffer.iflush();
        drop(second);
        assert!(!flush.is_done() && !last.is_done());
        drop(first);
        assert!(flush.is_done() && !last.is_done());
        drop(third);
        assert!(last.is_done());
    }
}
