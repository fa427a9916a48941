//! The operations on the part of a rank.

use simurgh_mpi::Result;
use simurgh_typed as typed;

use crate::{Attached, Communicator, Equivalence, Integer, Op, View, ViewMut};

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
    /// Values that the rank has attached, which the part is.
    place: Option<Attached>,
}

impl<'a, T: Equivalence> Part<'a, T> {
    #[inline]
    pub(super) fn new(window: &'a typed::Window<T>, communicator: &'a Communicator, rank: i32) -> Self {
        Self {
            window,
            communicator,
            rank,
            place: None,
        }
    }

    /// The values that the rank has attached to a dynamic window: positions count from their beginning. That they are
    /// attached is checked by the accesses, which fail with [`ErrorClass::RmaRange`](crate::ErrorClass::RmaRange)
    /// otherwise.
    #[must_use]
    pub fn at(&self, values: Attached) -> Self {
        Self {
            place: Some(values),
            ..Self::new(self.window, self.communicator, self.rank)
        }
    }

    /// The position for the engine, from which on there are so many values.
    #[inline]
    pub(super) fn position(&self, position: usize, count: usize) -> Result<usize> {
        match self.place {
            None => Ok(position),
            Some(place) => place.address_of::<T>(position, count),
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
        window.put(rank, self.position(position, values.number())?, values)
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
        window.get(rank, self.position(position, values.number())?, values)
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
        let position = self.position(position, values.number())?;
        window.accumulate(rank, position, values, &op.0)
    }

    /// Combines the values there with these, and reads the values from before (`MPI_Get_accumulate`).
    ///
    /// # Errors
    ///
    /// As [`accumulate`](Self::accumulate); [`ErrorClass::Count`](crate::ErrorClass::Count) if there is not room for as
    /// many values.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// # use simurgh::Op;
    /// let mut window = world.allocate_window::<u64>(2)?;
    /// let mut before = [0; 2];
    /// window.fence_epoch(|epoch| epoch.part(0).get_accumulate(0, &[1, 10][..], &mut before[..], &Op::sum()))?;
    /// assert!(before[0] < 3);
    /// assert!(world.rank() > 0 || window.local() == [3, 30]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn get_accumulate<B, C>(&self, position: usize, values: &B, before: &mut C, op: &Op<T>) -> Result<()>
    where
        B: View<Item = T> + ?Sized,
        C: ViewMut<Item = T> + ?Sized,
    {
        let (window, rank) = self.access();
        let position = self.position(position, values.number())?;
        window.get_accumulate(rank, position, values, before, &op.0)
    }

    /// Combines the value there with another one, and returns the value from before (`MPI_Fetch_and_op`).
    ///
    /// # Errors
    ///
    /// As [`accumulate`](Self::accumulate).
    #[inline]
    pub fn fetch_and_op(&self, position: usize, value: T, op: &Op<T>) -> Result<T> {
        let (window, rank) = self.access();
        window.fetch_and_op(rank, self.position(position, 1)?, value, &op.0)
    }

    /// Replaces the value there, and returns the one from before (`MPI_Fetch_and_op` with `MPI_REPLACE`).
    ///
    /// # Errors
    ///
    /// As [above](Part#errors).
    #[inline]
    pub fn swap(&self, position: usize, value: T) -> Result<T> {
        let (window, rank) = self.access();
        window.swap(rank, self.position(position, 1)?, value)
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
        window.compare_and_swap(rank, self.position(position, 1)?, expected, new)
    }
}
