//! Buffered sends (section 3.6 of the standard).

use std::thread::panicking;

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{BufferSpace, Result};
use simurgh_typed::{self as typed, Mode};

use super::Communicator;
use crate::activity::Call;
use crate::{Destination, View};

/// Bytes that a buffered message needs beside its data (`MPI_BSEND_OVERHEAD`).
pub const BSEND_OVERHEAD: usize = simurgh_mpi::limits::BSEND_OVERHEAD;

impl Communicator {
    /// Attaches a buffer for buffered sends on this communicator, with room for so many bytes: those of all messages
    /// that are under way at one time, and [`BSEND_OVERHEAD`] for each of them (`MPI_Comm_attach_buffer`).
    ///
    /// The memory is the library's. It is taken when there is need for it, up to this size.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Buffer`](crate::ErrorClass::Buffer) if the communicator has a buffer.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// let (other, mut theirs) = (1 - world.rank(), [0.0; 1000]);
    /// let buffer = world.attach_buffer(8000 + simurgh::BSEND_OVERHEAD)?;
    /// // Nobody receives yet, and no send waits for that.
    /// buffer.bsend(&[1.5; 1000][..], other, 0)?;
    /// world.recv(&mut theirs[..], other, 0)?;
    /// assert_eq!(theirs, [1.5; 1000]);
    /// buffer.detach()
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// There is no buffered send without a buffer:
    ///
    /// ```compile_fail,E0382
    /// # simurgh::run(|world| {
    /// let buffer = world.attach_buffer(1000)?;
    /// buffer.detach()?;
    /// buffer.bsend(&1, 0, 0)
    /// # });
    /// ```
    pub fn attach_buffer(&self, bytes: usize) -> Result<SendBuffer<'_>> {
        // The engine keeps copies in memory of its own. The address tells C programs what they have attached.
        self.attach(BufferSpace::Fixed {
            address: 0,
            size: bytes,
        })
    }

    /// Attaches a buffer that has room for all messages (`MPI_Comm_attach_buffer` with `MPI_BUFFER_AUTOMATIC`).
    ///
    /// # Errors
    ///
    /// As [`attach_buffer`](Self::attach_buffer).
    pub fn attach_automatic_buffer(&self) -> Result<SendBuffer<'_>> {
        self.attach(BufferSpace::Automatic)
    }

    fn attach(&self, space: BufferSpace) -> Result<SendBuffer<'_>> {
        self.check();
        self.comm.buffer().attach(space)?;
        Ok(SendBuffer {
            communicator: self,
            is_attached: true,
        })
    }
}

/// The buffer of a communicator for buffered sends; made by [`Communicator::attach_buffer`].
///
/// When it is dropped, it is detached as [`detach`](Self::detach) does, except while the rank unwinds. One that is
/// leaked stays attached.
#[derive(Debug)]
#[must_use = "the drop detaches the buffer"]
pub struct SendBuffer<'a> {
    communicator: &'a Communicator,
    is_attached: bool,
}

impl SendBuffer<'_> {
    /// Sends `data` and returns at once: if nobody receives it yet, it waits in the buffer (`MPI_Bsend`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Buffer`](crate::ErrorClass::Buffer) if the buffer has no room for it; as [`Communicator::send`].
    pub fn bsend<B>(&self, data: &B, dest: impl Into<Destination>, tag: i32) -> Result<()>
    where
        B: View + ?Sized,
    {
        let dest = dest.into().raw();
        let _inside = self.communicator.enter(Call::BufferedSend, dest, tag);
        typed::send(&self.communicator.comm, data, dest, tag, Mode::Buffered)
    }

    /// Waits until the messages that are in the buffer have been received (`MPI_Comm_flush_buffer`).
    pub fn flush(&self) {
        let _inside = self.communicator.enter(Call::FlushBuffer, UNDEFINED, UNDEFINED);
        self.communicator.comm.buffer().flush();
    }

    /// Detaches the buffer once its messages have been received (`MPI_Comm_detach_buffer`), as the drop does.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Buffer`](crate::ErrorClass::Buffer) if a library of the rank has detached it.
    pub fn detach(mut self) -> Result<()> {
        self.end()
    }

    /// The communicator whose messages it takes.
    pub(crate) fn communicator(&self) -> &Communicator {
        self.communicator
    }

    fn end(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_attached) {
            return Ok(());
        }
        let _inside = self.communicator.enter(Call::FlushBuffer, UNDEFINED, UNDEFINED);
        self.communicator.comm.buffer().detach().map(drop)
    }
}

impl Drop for SendBuffer<'_> {
    fn drop(&mut self) {
        // A rank that unwinds waits for nobody.
        if !panicking() {
            // It is attached, so nothing fails.
            let _ = self.end();
        }
    }
}
