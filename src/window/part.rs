//! The operations on the part of a rank.

use simurgh_mpi::Result;
use simurgh_typed as typed;

use crate::{Communicator, Equivalence, Integer, Op, View, ViewMut};

/// The part that a rank has in a window, as long as the calling rank has access to it.
///
/// Positions count values from the beginning of the part. Each operation has done its work for this rank when it
/// returns: data to be written may be changed, and what was asked for is there. Whether others see what it has written
/// is another question: they do after a [`flush`](crate::RankLock::flush), or when the lock is released or the epoch
/// ends. Operations of one rank on the same values are done in their order.
///
/// Under an exclusive lock data is copied. Otherwise each element of a value (a number) is read, written or updated
/// atomically, and several of them are not read or written together.
///
/// # Errors
///
/// All operations fail with [`ErrorClass::Rank`](crate::ErrorClass::Rank) if there is no such rank, with
/// [`ErrorClass::RmaRange`](crate::ErrorClass::RmaRange) if they would go beyond its part, and with
/// [`ErrorClass::Type`](crate::ErrorClass::Type) for structs with elements of several types, unless the lock is
/// exclusive. Nothing is written then.
#[derive(Debug)]
pub struct Part<'a, T: Equivalence> {
    pub(super) window: &'a typed::Window<T>,
    communicator: &'a Communicator,
    pub(super) rank: i32,
}

impl<'a, T: Equivalence> Part<'a, T> {
    #[inline]
    pub(super) fn new(window: &'a typed::Window<T>, communicator: &'a Communicator, rank: i32) -> Self {
        Self {
            window,
            communicator,
            rank,
        }
    }

    /// The window, and the number of the rank. Unwinds the calling rank if the run has failed.
    #[inline]
    pub(super) fn access(&self) -> (&'a typed::Window<T>, i32) {
        self.communicator.check();
        (self.window, self.rank)
    }

    /// Writes values (`MPI_Put`).
    ///
    /// # Errors
    ///
    /// As [above](Part#errors).
    #[inline]
    pub fn put<B: View<Item = T> + ?Sized>(&self, position: usize, values: &B) -> Result<()> {
        let (window, rank) = self.access();
        window.put(rank, position, values)
    }

    /// Reads values (`MPI_Get`).
    ///
    /// # Errors
    ///
    /// As [above](Part#errors).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let mut window = world.allocate_window::<f64>(10)?;
    /// window.local_mut().fill(world.rank() as f64);
    /// let mut values = [0.0; 4];
    /// window.fence_epoch(|epoch| epoch.part(2).get(6, &mut values[..]))?;
    /// assert_eq!(values, [2.0; 4]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[inline]
    pub fn get<B: ViewMut<Item = T> + ?Sized>(&self, position: usize, values: &mut B) -> Result<()> {
        let (window, rank) = self.access();
        window.get(rank, position, values)
    }

    /// Combines the values there with these (`MPI_Accumulate`).
    ///
    /// # Errors
    ///
    /// As [above](Part#errors); [`ErrorClass::Op`](crate::ErrorClass::Op) for a user-defined operation.
    #[inline]
    pub fn accumulate<B: View<Item = T> + ?Sized>(
        &self,
        position: usize,
        values: &B,
        op: &Op<T>,
    ) -> Result<()> {
        let (window, rank) = self.access();
        window.accumulate(rank, position, values, &op.0)
    }

    /// Combines the value there with another one, and returns the value from before (`MPI_Fetch_and_op`).
    ///
    /// # Errors
    ///
    /// As [`accumulate`](Self::accumulate).
    #[inline]
    pub fn fetch_and_op(&self, position: usize, value: T, op: &Op<T>) -> Result<T> {
        let (window, rank) = self.access();
        window.fetch_and_op(rank, position, value, &op.0)
    }

    /// Replaces the value there, and returns the one from before (`MPI_Fetch_and_op` with `MPI_REPLACE`).
    ///
    /// # Errors
    ///
    /// As [above](Part#errors).
    #[inline]
    pub fn swap(&self, position: usize, value: T) -> Result<T> {
        let (window, rank) = self.access();
        window.swap(rank, position, value)
    }
}

impl<T: Integer> Part<'_, T> {
    /// Replaces the value there by `new` if it is `expected`, and returns the value from before
    /// (`MPI_Compare_and_swap`).
    ///
    /// # Errors
    ///
    /// As [above](Part#errors).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// let mut window = world.allocate_window::<u32>(1)?;
    /// let mine = world.rank() as u32 + 1;
    /// let before = window.fence_epoch(|epoch| epoch.part(0).compare_and_swap(0, 0, mine))?;
    /// let mut winners = 0;
    /// world.all_reduce(&u32::from(before == 0), &mut winners, &simurgh::Op::sum())?;
    /// assert_eq!(winners, 1);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// Only integers are compared:
    ///
    /// ```compile_fail,E0599
    /// # simurgh::run(|world| {
    /// # let mut window = world.allocate_window::<f64>(1)?;
    /// window.fence_epoch(|epoch| epoch.part(0).compare_and_swap(0, 0.0, 1.0))
    /// # });
    /// ```
    #[inline]
    pub fn compare_and_swap(&self, position: usize, expected: T, new: T) -> Result<T> {
        let (window, rank) = self.access();
        window.compare_and_swap(rank, position, expected, new)
    }
}
