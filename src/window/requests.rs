//! Accesses that are waited for in a scope (section 12.3.5 of the standard).

use simurgh_mpi::Result;

use super::Part;
use crate::{BufferMut, Equivalence, Op, ReceiveRequest, Scope, SendRequest, View};

/// # Accesses with requests
///
/// They are made in epochs of locks, and complete when their requests are waited for or their scope ends. A part, and
/// the lock by which it is accessed, outlives the scope.
impl<T: Equivalence> Part<'_, T> {
    /// Starts to write values (`MPI_Rput`). The request is complete when the data may be changed.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) in an epoch without locks; as [`put`](Self::put).
    ///
    /// The data is not changed meanwhile:
    ///
    /// ```compile_fail,E0506
    /// # simurgh::run(|world| {
    /// # let mut window = world.allocate_window::<u32>(1)?;
    /// window.lock_epoch(|epoch| {
    ///     let lock = epoch.lock(0, simurgh::LockKind::Shared)?;
    ///     let mut value = 1;
    ///     world.scope(|scope| {
    ///         let request = lock.rput(scope, 0, &value)?;
    ///         value = 2;
    ///         request.wait()
    ///     })
    /// })
    /// # });
    /// ```
    pub fn rput<'scope, 'env, B: View<Item = T> + ?Sized>(
        &'scope self,
        scope: &Scope<'scope, 'env>,
        position: usize,
        values: &'scope B,
    ) -> Result<SendRequest<'scope, 'env>> {
        let (window, rank) = self.access();
        let position = self.position(position, values.number())?;
        Ok(scope.outgoing(window.rput(scope.flights(), rank, position, values)?))
    }

    /// Starts to read values (`MPI_Rget`). The request gives the data.
    ///
    /// # Errors
    ///
    /// As [`rput`](Self::rput).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// use simurgh::LockKind;
    ///
    /// let mut window = world.allocate_window::<usize>(2)?;
    /// window.local_mut().fill(world.rank());
    /// let (mut first, mut second) = (0, 0);
    /// window.lock_epoch(|epoch| {
    ///     let last = epoch.lock(world.size() - 1, LockKind::Shared)?;
    ///     world.scope(|scope| {
    ///         let request = last.rget(scope, 0, &mut first)?;
    ///         last.rget(scope, 1, &mut second)?;
    ///         // Other work goes here.
    ///         assert_eq!(request.wait()?.0, [3]);
    ///         Ok(())
    ///     })
    /// })?;
    /// assert_eq!(second, 3);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// The lock outlives the scope:
    ///
    /// ```compile_fail,E0597
    /// # simurgh::run(|world| {
    /// # let mut window = world.allocate_window::<u32>(1)?;
    /// window.lock_epoch(|epoch| {
    ///     let mut value = 1;
    ///     world.scope(|scope| {
    ///         let lock = epoch.lock(0, simurgh::LockKind::Shared)?;
    ///         lock.rget(scope, 0, &mut value)?;
    ///         Ok(())
    ///     })
    /// })
    /// # });
    /// ```
    pub fn rget<'scope, 'env, B: BufferMut<Item = T> + ?Sized>(
        &'scope self,
        scope: &Scope<'scope, 'env>,
        position: usize,
        values: &'scope mut B,
    ) -> Result<ReceiveRequest<'scope, 'env, T>> {
        let (window, rank) = self.access();
        let values = values.values_mut();
        let position = self.position(position, values.len())?;
        Ok(scope.incoming(window.rget(scope.flights(), rank, position, values)?))
    }

    /// Starts to combine the values there with these (`MPI_Raccumulate`). The request is complete when the data may be
    /// changed.
    ///
    /// # Errors
    ///
    /// As [`rput`](Self::rput), and [`accumulate`](Self::accumulate).
    pub fn raccumulate<'scope, 'env, B: View<Item = T> + ?Sized>(
        &'scope self,
        scope: &Scope<'scope, 'env>,
        position: usize,
        values: &'scope B,
        op: &Op<T>,
    ) -> Result<SendRequest<'scope, 'env>> {
        let (window, rank) = self.access();
        let position = self.position(position, values.number())?;
        let flight = window.raccumulate(scope.flights(), rank, position, values, &op.0)?;
        Ok(scope.outgoing(flight))
    }

    /// Starts to combine the values there with these, and to read the values from before (`MPI_Rget_accumulate`). The
    /// request gives them.
    ///
    /// # Errors
    ///
    /// As [`rput`](Self::rput), and [`get_accumulate`](Self::get_accumulate).
    pub fn rget_accumulate<'scope, 'env, B, C>(
        &'scope self,
        scope: &Scope<'scope, 'env>,
        position: usize,
        values: &'scope B,
        before: &'scope mut C,
        op: &Op<T>,
    ) -> Result<ReceiveRequest<'scope, 'env, T>>
    where
        B: View<Item = T> + ?Sized,
        C: BufferMut<Item = T> + ?Sized,
    {
        let (window, rank) = self.access();
        let place = (rank, self.position(position, values.number())?);
        let before = before.values_mut();
        let flight = window.rget_accumulate(scope.flights(), place, values, before, &op.0)?;
        Ok(scope.incoming(flight))
    }
}
