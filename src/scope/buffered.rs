//! Nonblocking buffered sends.

use simurgh_mpi::Result;

use super::{Scope, SendRequest};
use crate::{Destination, SendBuffer, View};

impl SendBuffer<'_> {
    /// Starts to send `data`, as [`bsend`](Self::bsend): if nobody receives it yet, it waits in the buffer, so the send
    /// is complete soon (`MPI_Ibsend`).
    ///
    /// # Errors
    ///
    /// As [`bsend`](Self::bsend).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// let (mine, mut theirs) = ([world.rank(); 100], [0; 100]);
    /// let buffer = world.attach_automatic_buffer()?;
    /// world.scope(|scope| buffer.ibsend(scope, &mine[..], 1 - world.rank(), 0)?.wait())?;
    /// world.recv(&mut theirs[..], 1 - world.rank(), 0)?;
    /// assert_eq!(theirs, [1 - world.rank(); 100]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn ibsend<'scope, 'env, B>(
        &self,
        scope: &Scope<'scope, 'env>,
        data: &'scope B,
        dest: impl Into<Destination>,
        tag: i32,
    ) -> Result<SendRequest<'scope, 'env>>
    where
        B: View + ?Sized,
    {
        let communicator = self.communicator();
        communicator.check();
        let flight = scope
            .flights()
            .send_buffered(communicator.engine(), data, dest.into().raw(), tag)?;
        Ok(scope.outgoing(flight))
    }
}
