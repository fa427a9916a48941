//! Epochs of locks.

use std::ops::Deref;

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed::LockKind;

use super::{Part, Window};
use crate::Equivalence;
use crate::activity::Call;
use crate::peer::raw_rank;

/// An epoch in which ranks lock the parts that they access; made by [`Window::lock_epoch`].
#[derive(Debug)]
pub struct LockEpoch<'a, T: Equivalence>(pub(super) &'a Window<T>);

impl<T: Equivalence> LockEpoch<'_, T> {
    /// Locks the part of a rank (`MPI_Win_lock`), which may be the calling one. Ranks get the lock in the order in
    /// which they ask for it. It is released when the guard is dropped.
    ///
    /// A rank may hold the locks of several parts. As with all locks, ranks that take them in different orders may wait
    /// for each other.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) if there is no such rank,
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if the calling rank holds the lock already.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(6).run(|world| {
    /// use simurgh::LockKind;
    ///
    /// // The balance, and the number of transactions.
    /// let mut account = world.allocate_window::<i64>(2)?;
    /// account.lock_epoch(|epoch| {
    ///     let account = epoch.lock(0, LockKind::Exclusive)?;
    ///     let mut state = [0; 2];
    ///     account.get(0, &mut state[..])?;
    ///     account.put(0, &[state[0] + 10, state[1] + 1][..])
    /// })?;
    /// assert!(world.rank() > 0 || account.local() == [60, 6]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// A guard does not leave the epoch:
    ///
    /// ```compile_fail,E0521
    /// # simurgh::run(|world| {
    /// # let mut window = world.allocate_window::<u32>(1)?;
    /// let mut kept = None;
    /// window.lock_epoch(|epoch| {
    ///     kept = Some(epoch.lock(0, simurgh::LockKind::Shared)?);
    ///     Ok(())
    /// })
    /// # });
    /// ```
    pub fn lock(&self, rank: usize, kind: LockKind) -> Result<RankLock<'_, T>> {
        let number = raw_rank(rank);
        let _inside = self.0.communicator.enter(Call::LockWindow, number, UNDEFINED);
        self.0.window.lock(kind, number)?;
        Ok(RankLock {
            part: self.0.part(rank),
            is_held: true,
        })
    }

    /// Takes shared locks of the parts of all ranks (`MPI_Win_lock_all`), which are released when the guard is dropped.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if the calling rank holds a lock.
    pub fn lock_all(&self) -> Result<AllLocks<'_, T>> {
        let _inside = self.0.communicator.enter(Call::LockWindow, UNDEFINED, UNDEFINED);
        self.0.window.lock_all()?;
        Ok(AllLocks {
            window: self.0,
            is_held: true,
        })
    }
}

/// The lock of the part of a rank, through which the part is accessed; made by [`LockEpoch::lock`].
///
/// When it is dropped, all operations are complete, and the lock is released.
#[derive(Debug)]
#[must_use = "a lock is released when its guard is dropped"]
pub struct RankLock<'a, T: Equivalence> {
    part: Part<'a, T>,
    is_held: bool,
}

impl<T: Equivalence> RankLock<'_, T> {
    /// Completes all operations so far: others that have access see what was written (`MPI_Win_flush`).
    ///
    /// # Errors
    ///
    /// None on a window that was allocated.
    #[inline]
    pub fn flush(&self) -> Result<()> {
        let (window, rank) = self.part.access();
        window.flush(rank)
    }

    /// Completes all operations so far for this rank: the requests of its scopes are complete (`MPI_Win_flush_local`).
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush).
    pub fn flush_local(&self) -> Result<()> {
        let (window, rank) = self.part.access();
        window.flush_local(rank)
    }

    /// Completes all operations, and releases the lock (`MPI_Win_unlock`), as the drop does.
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush).
    ///
    /// The part cannot be accessed afterwards:
    ///
    /// ```compile_fail,E0382
    /// # simurgh::run(|world| {
    /// # let mut window = world.allocate_window::<u32>(1)?;
    /// window.lock_epoch(|epoch| {
    ///     let lock = epoch.lock(0, simurgh::LockKind::Shared)?;
    ///     lock.unlock()?;
    ///     lock.put(0, &1)
    /// })
    /// # });
    /// ```
    pub fn unlock(mut self) -> Result<()> {
        self.is_held = false;
        let (window, rank) = self.part.access();
        window.unlock(rank)
    }
}

impl<'a, T: Equivalence> Deref for RankLock<'a, T> {
    type Target = Part<'a, T>;

    #[inline]
    fn deref(&self) -> &Part<'a, T> {
        &self.part
    }
}

impl<T: Equivalence> Drop for RankLock<'_, T> {
    fn drop(&mut self) {
        if self.is_held {
            // An allocated window refuses nothing that could fail only now.
            let _ = self.part.window.unlock(self.part.rank);
        }
    }
}

/// Shared locks of the parts of all ranks; made by [`LockEpoch::lock_all`].
///
/// When it is dropped, all operations are complete, and the locks are released.
#[derive(Debug)]
#[must_use = "the locks are released when their guard is dropped"]
pub struct AllLocks<'a, T: Equivalence> {
    window: &'a Window<T>,
    is_held: bool,
}

impl<T: Equivalence> AllLocks<'_, T> {
    /// The part of a rank of the window. That there is such a rank is checked by the accesses.
    ///
    /// It cannot be accessed when the locks are released:
    ///
    /// ```compile_fail,E0505
    /// # simurgh::run(|world| {
    /// # let mut window = world.allocate_window::<u32>(1)?;
    /// window.lock_epoch(|epoch| {
    ///     let locks = epoch.lock_all()?;
    ///     let part = locks.part(0);
    ///     locks.unlock_all()?;
    ///     part.put(0, &1)
    /// })
    /// # });
    /// ```
    #[inline]
    #[must_use]
    pub fn part(&self, rank: usize) -> Part<'_, T> {
        self.window.part(rank)
    }

    /// Completes all operations on the part of a rank so far (`MPI_Win_flush`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) if there is no such rank.
    #[inline]
    pub fn flush(&self, rank: usize) -> Result<()> {
        let (window, rank) = self.part(rank).access();
        window.flush(rank)
    }

    /// Completes all operations on the part of a rank so far for the calling rank (`MPI_Win_flush_local`).
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush).
    pub fn flush_local(&self, rank: usize) -> Result<()> {
        let (window, rank) = self.part(rank).access();
        window.flush_local(rank)
    }

    /// Completes all operations so far (`MPI_Win_flush_all`).
    ///
    /// # Errors
    ///
    /// None on a window that was allocated.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// let mut window = world.allocate_window::<usize>(4)?;
    /// window.lock_epoch(|epoch| {
    ///     let locks = epoch.lock_all()?;
    ///     (0..4).try_for_each(|rank| locks.part(rank).put(world.rank(), &world.rank()))?;
    ///     locks.flush_all()?;
    ///     world.barrier()?;
    ///     let mut all = [0; 4];
    ///     locks.part(world.rank()).get(0, &mut all[..])?;
    ///     assert_eq!(all, [0, 1, 2, 3]);
    ///     Ok(())
    /// })
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn flush_all(&self) -> Result<()> {
        self.window.communicator.check();
        self.window.window.flush_all()
    }

    /// Completes all operations so far for the calling rank (`MPI_Win_flush_local_all`).
    ///
    /// # Errors
    ///
    /// As [`flush_all`](Self::flush_all).
    pub fn flush_local_all(&self) -> Result<()> {
        self.window.communicator.check();
        self.window.window.flush_local_all()
    }

    /// Completes all operations, and releases the locks (`MPI_Win_unlock_all`), as the drop does.
    ///
    /// # Errors
    ///
    /// None on a window that was allocated.
    pub fn unlock_all(mut self) -> Result<()> {
        self.is_held = false;
        self.window.window.unlock_all()
    }
}

impl<T: Equivalence> Drop for AllLocks<'_, T> {
    fn drop(&mut self) {
        if self.is_held {
            // As for the lock of one rank.
            let _ = self.window.window.unlock_all();
        }
    }
}
