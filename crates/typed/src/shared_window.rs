//! Windows whose ranks share memory: they read and write each other's values as slices.
//!
//! No program that uses them has accesses that conflict, as with [`Window`], whose epochs these are:
//!
//! * In an epoch of reading, which is one between fences, all ranks read all parts, and nobody writes.
//! * In an epoch of locks a part is borrowed to read under its shared lock, and to write under its exclusive lock. A
//!   guard that is leaked keeps the lock, so that no other slice meets its one.
//! * The ends of epochs borrow the window mutably, so no slice of an epoch is left then.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::{Equivalence, Window};
use simurgh_mpi::{Comm, Flavor, LockKind, Result};

/// A window with values of `T` in memory that the ranks share.
pub struct SharedWindow<T>(Window<T>);

impl<T: Equivalence> SharedWindow<T> {
    /// Allocates a window with `len` values, all of whose bytes are zero, for this rank
    /// ([`Comm::win_allocate_shared`]).
    ///
    /// # Errors
    ///
    /// As [`Window::allocate`], and the call of the communicator.
    pub fn allocate(comm: &Comm, len: usize) -> Result<Self> {
        Window::allocate_as(Flavor::Shared, comm, len).map(Self)
    }

    /// The values of this rank.
    ///
    /// # Errors
    ///
    /// As [`Window::local`].
    pub fn local(&self) -> Result<&[T]> {
        self.0.local()
    }

    /// The values of this rank, to be changed.
    ///
    /// # Errors
    ///
    /// As [`Window::local`].
    pub fn local_mut(&mut self) -> Result<&mut [T]> {
        self.0.local_mut()
    }

    /// Begins an epoch in which all ranks read, when all do so.
    ///
    /// # Errors
    ///
    /// As [`Window::begin_fences`].
    pub fn begin_reading(&mut self) -> Result<()> {
        self.0.begin_fences()
    }

    /// Ends an epoch of [`SharedWindow::begin_reading`], when all ranks do so.
    ///
    /// # Errors
    ///
    /// As [`Window::end_fences`].
    pub fn end_reading(&mut self) -> Result<()> {
        self.0.end_fences()
    }

    /// Begins an epoch of locks, when all ranks do so.
    ///
    /// # Errors
    ///
    /// As [`Window::begin_locks`].
    pub fn begin_locks(&mut self) -> Result<()> {
        self.0.begin_locks()
    }

    /// Ends an epoch of locks, when all ranks do so.
    ///
    /// # Errors
    ///
    /// As [`Window::end_locks`].
    pub fn end_locks(&mut self) -> Result<()> {
        self.0.end_locks()
    }

    /// The values of a rank, in an epoch of reading.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`](simurgh_mpi::ErrorClass::RmaSync) outside of such an epoch,
    /// [`ErrorClass::Rank`](simurgh_mpi::ErrorClass::Rank) if there is no such rank.
    pub fn part(&self, rank: i32) -> Result<&[T]> {
        self.0.check_fences()?;
        let (address, len) = self.0.shared_part(rank)?;
        // SAFETY:
        // - the memory is as long, aligned, initialised, and exists as long as the window;
        // - nobody writes to it, since all ranks are in an epoch of reading, which does not end while `self` is
        //   borrowed.
        Ok(unsafe { std::slice::from_raw_parts(address, len) })
    }

    /// Takes the shared lock of a rank's values, in an epoch of locks.
    ///
    /// # Errors
    ///
    /// As [`Window::lock`].
    pub fn read(&self, rank: i32) -> Result<ReadGuard<'_, T>> {
        self.lock(LockKind::Shared, rank).map(ReadGuard)
    }

    /// Takes the exclusive lock of a rank's values, in an epoch of locks.
    ///
    /// # Errors
    ///
    /// As [`Window::lock`].
    pub fn write(&self, rank: i32) -> Result<WriteGuard<'_, T>> {
        self.lock(LockKind::Exclusive, rank).map(WriteGuard)
    }

    fn lock(&self, kind: LockKind, rank: i32) -> Result<Held<'_, T>> {
        self.0.lock(kind, rank)?;
        let mut held = Held {
            window: &self.0,
            rank,
            address: std::ptr::null_mut(),
            len: 0,
        };
        (held.address, held.len) = self.0.shared_part(rank)?;
        Ok(held)
    }
}

impl<T> fmt::Debug for SharedWindow<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The lock of a rank's values.
#[derive(Debug)]
struct Held<'a, T: Equivalence> {
    window: &'a Window<T>,
    rank: i32,
    address: *mut T,
    len: usize,
}

impl<T: Equivalence> Drop for Held<'_, T> {
    fn drop(&mut self) {
        // An allocated window refuses nothing that could fail only now.
        let _ = self.window.unlock(self.rank);
    }
}

/// The values of a rank, to be read: the shared lock is held until this is dropped.
#[derive(Debug)]
#[must_use = "the lock is released when its guard is dropped"]
#[clippy::has_significant_drop]
pub struct ReadGuard<'a, T: Equivalence>(Held<'a, T>);

impl<T: Equivalence> Deref for ReadGuard<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY:
        // - the memory is as long, aligned, initialised, and exists as long as the window;
        // - the shared lock is held, so nobody has the exclusive one, which those need who write.
        unsafe { std::slice::from_raw_parts(self.0.address, self.0.len) }
    }
}

/// The values of a rank, to be read and written: the exclusive lock is held until this is dropped.
#[derive(Debug)]
#[must_use = "the lock is released when its guard is dropped"]
#[clippy::has_significant_drop]
pub struct WriteGuard<'a, T: Equivalence>(Held<'a, T>);

impl<T: Equivalence> Deref for WriteGuard<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY:
        // - as for `deref_mut`.
        unsafe { std::slice::from_raw_parts(self.0.address, self.0.len) }
    }
}

impl<T: Equivalence> DerefMut for WriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY:
        // - the memory is as long, aligned, initialised, and exists as long as the window;
        // - the exclusive lock is held, so nobody else has a lock, which all need who access it.
        unsafe { std::slice::from_raw_parts_mut(self.0.address, self.0.len) }
    }
}
