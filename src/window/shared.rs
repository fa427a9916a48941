//! Windows whose ranks share memory (section 12.2.3 of the standard).

use std::cell::Cell;
use std::fmt;

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed as typed;
use simurgh_typed::{ReadGuard, WriteGuard};

use super::enter;
use crate::activity::Call;
use crate::peer::raw_rank;
use crate::{Communicator, Equivalence};

impl Communicator {
    /// A window with `len` values of this rank in memory that all ranks share, all of whose bytes are zero; other ranks
    /// may ask for another number (`MPI_Win_allocate_shared`). Collective.
    ///
    /// The ranks have to live on one node; [`split_shared`](Self::split_shared) makes communicators of such ranks.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaShared`](crate::ErrorClass::RmaShared) if ranks live on several nodes; as
    /// [`allocate_window`](Self::allocate_window).
    pub fn allocate_shared_window<T: Equivalence>(&self, len: usize) -> Result<SharedWindow<T>> {
        let _inside = enter(self, Call::AllocateWindow);
        Ok(SharedWindow {
            window: typed::SharedWindow::allocate(self.engine(), len)?,
            communicator: self.twin(),
        })
    }
}

/// Memory that the ranks of a node share, which they read and write as slices; made by
/// [`Communicator::allocate_shared_window`].
///
/// Each rank has a part. Outside of epochs it belongs to the rank alone ([`local`], [`local_mut`]). In an epoch, which
/// all ranks begin and end together, ranks use the parts of others in place, without a copy:
///
/// * [`read_epoch`] is for phases in which everybody reads, and nobody writes;
/// * [`lock_epoch`] is for accesses at any time: a part is borrowed to be read or to be written, as behind a
///   [`RwLock`](std::sync::RwLock).
///
/// ```
/// # simurgh::Builder::new().ranks(4).run(|world| {
/// let node = world.split_shared(0)?;
/// let (rank, size) = (node.rank(), node.size());
/// let mut field = node.allocate_shared_window::<f64>(100)?;
/// field.local_mut().fill(rank as f64);
/// let edge = field.read_epoch(|epoch| Ok(epoch.part((rank + 1) % size)?[0]))?;
/// assert_eq!(edge, ((rank + 1) % size) as f64);
/// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
///
/// A slice does not leave its epoch:
///
/// ```compile_fail,E0521
/// # simurgh::run(|world| {
/// # let mut window = world.allocate_shared_window::<u32>(1)?;
/// let mut kept = None;
/// window.read_epoch(|epoch| {
///     kept = Some(epoch.part(0)?);
///     Ok(())
/// })
/// # });
/// ```
///
/// and a rank cannot use the slice of its own part in one:
///
/// ```compile_fail,E0502
/// # simurgh::run(|world| {
/// # let mut window = world.allocate_shared_window::<u32>(1)?;
/// let mine = window.local();
/// window.lock_epoch(|epoch| { epoch.write(0)?[0] = 1; Ok(()) })?;
/// assert_eq!(mine, [0]);
/// # Ok::<(), simurgh::Error>(())
/// # });
/// ```
///
/// If an epoch is left by a panic, or a guard in it is leaked, the window cannot be used any more, as a
/// [`Window`](crate::Window).
///
/// [`local`]: SharedWindow::local
/// [`local_mut`]: SharedWindow::local_mut
/// [`read_epoch`]: SharedWindow::read_epoch
/// [`lock_epoch`]: SharedWindow::lock_epoch
pub struct SharedWindow<T: Equivalence> {
    window: typed::SharedWindow<T>,
    communicator: Communicator,
}

impl<T: Equivalence> SharedWindow<T> {
    /// The part of the calling rank.
    ///
    /// # Panics
    ///
    /// If an epoch of the window has not been ended: it was left by a panic, or its end has failed.
    #[must_use]
    pub fn local(&self) -> &[T] {
        self.window.local().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The part of the calling rank, to be changed.
    ///
    /// # Panics
    ///
    /// As [`local`](Self::local).
    #[must_use]
    pub fn local_mut(&mut self) -> &mut [T] {
        self.window.local_mut().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs `f` in an epoch in which all ranks read the parts of all. Collective: it begins when all ranks have come,
    /// so that all see what has been written before, and ends when all have read.
    ///
    /// # Errors
    ///
    /// The error of `f`; the epoch ends nevertheless. [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if an earlier
    /// epoch has not been ended.
    pub fn read_epoch<R>(&mut self, f: impl FnOnce(&ReadEpoch<'_, T>) -> Result<R>) -> Result<R> {
        {
            let _inside = enter(&self.communicator, Call::ReadEpoch);
            self.window.begin_reading()?;
        }
        let leaving = Cell::default();
        let result = self
            .communicator
            .attempt(&leaving, || f(&ReadEpoch(&self.window)));
        let _inside = enter(&self.communicator, Call::ReadEpoch);
        self.window.end_reading()?;
        result
    }

    /// Runs `f` in an epoch in which ranks lock the parts that they use. Collective, as
    /// [`read_epoch`](Self::read_epoch).
    ///
    /// # Errors
    ///
    /// As [`read_epoch`](Self::read_epoch); [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if a guard has been
    /// leaked.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(6).run(|world| {
    /// let mut queue = world.allocate_shared_window::<u64>(if world.rank() == 0 { 7 } else { 0 })?;
    /// queue.lock_epoch(|epoch| {
    ///     let mut queue = epoch.write(0)?;
    ///     let len = queue[0] as usize;
    ///     queue[1 + len] = world.rank() as u64;
    ///     queue[0] += 1;
    ///     Ok(())
    /// })?;
    /// let sum = queue.lock_epoch(|epoch| Ok(epoch.read(0)?.iter().sum::<u64>()))?;
    /// assert_eq!(sum, 6 + 15);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn lock_epoch<R>(&mut self, f: impl FnOnce(&SharedLockEpoch<'_, T>) -> Result<R>) -> Result<R> {
        {
            let _inside = enter(&self.communicator, Call::LockEpoch);
            self.window.begin_locks()?;
        }
        let epoch = SharedLockEpoch {
            window: &self.window,
            communicator: &self.communicator,
        };
        let leaving = Cell::default();
        let result = self.communicator.attempt(&leaving, || f(&epoch));
        let _inside = enter(&self.communicator, Call::LockEpoch);
        self.window.end_locks()?;
        result
    }
}

impl<T: Equivalence> fmt::Debug for SharedWindow<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.window.fmt(f)
    }
}

/// An epoch in which nobody writes; made by [`SharedWindow::read_epoch`].
#[derive(Debug)]
pub struct ReadEpoch<'a, T: Equivalence>(&'a typed::SharedWindow<T>);

impl<T: Equivalence> ReadEpoch<'_, T> {
    /// The values of a rank of the window, in place (`MPI_Win_shared_query`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) if there is no such rank.
    pub fn part(&self, rank: usize) -> Result<&[T]> {
        self.0.part(raw_rank(rank))
    }
}

/// An epoch in which ranks lock the parts that they use; made by [`SharedWindow::lock_epoch`].
#[derive(Debug)]
pub struct SharedLockEpoch<'a, T: Equivalence> {
    window: &'a typed::SharedWindow<T>,
    communicator: &'a Communicator,
}

impl<T: Equivalence> SharedLockEpoch<'_, T> {
    /// The values of a rank, to be read (`MPI_Win_lock`, shared). Ranks get locks in the order in which they ask for
    /// them.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) if there is no such rank,
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if the calling rank holds the lock of this part already.
    pub fn read(&self, rank: usize) -> Result<ReadGuard<'_, T>> {
        let rank = raw_rank(rank);
        let _inside = self.communicator.enter(Call::LockWindow, rank, UNDEFINED);
        self.window.read(rank)
    }

    /// The values of a rank, to be read and written (`MPI_Win_lock`, exclusive).
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    ///
    /// The values cannot be used when the lock is released:
    ///
    /// ```compile_fail,E0505
    /// # simurgh::run(|world| {
    /// # let mut window = world.allocate_shared_window::<u32>(1)?;
    /// window.lock_epoch(|epoch| {
    ///     let mut part = epoch.write(0)?;
    ///     let value = &mut part[0];
    ///     drop(part);
    ///     *value = 1;
    ///     Ok(())
    /// })
    /// # });
    /// ```
    pub fn write(&self, rank: usize) -> Result<WriteGuard<'_, T>> {
        let rank = raw_rank(rank);
        let _inside = self.communicator.enter(Call::LockWindow, rank, UNDEFINED);
        self.window.write(rank)
    }
}
