//! Windows: one-sided communication (chapter 12 of the standard).

mod attached;
mod attribute;
mod general;
mod lock;
mod part;
mod requests;
mod shared;

pub use general::{Access, Exposure};
pub use lock::{AllLocks, LockEpoch, RankLock};
pub use part::Part;
pub use shared::{ReadEpoch, SharedLockEpoch, SharedWindow};

use std::cell::Cell;
use std::fmt;

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed as typed;

use crate::activity::{Call, Inside};
use crate::communicator::Attributes;
use crate::peer::raw_rank;
use crate::{Communicator, Equivalence};

impl Communicator {
    /// A window with `len` values in the memory of this rank, all of whose bytes are zero; other ranks may ask for
    /// another number (`MPI_Win_allocate`). Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::NotSame`](crate::ErrorClass::NotSame) if the values of the ranks have different layouts;
    /// [`ErrorClass::NoMem`](crate::ErrorClass::NoMem) and [`ErrorClass::Size`](crate::ErrorClass::Size) if there is
    /// not so much memory; [`ErrorClass::Type`](crate::ErrorClass::Type) for values without bytes.
    pub fn allocate_window<T: Equivalence>(&self, len: usize) -> Result<Window<T>> {
        let _inside = enter(self, Call::AllocateWindow);
        Ok(self.window(typed::Window::allocate(self.engine(), len)?))
    }
}

impl Communicator {
    /// A window with these values for this rank; other ranks may give another number (`MPI_Win_create`). Collective.
    ///
    /// They belong to the window, which gives them back in the end ([`Window::into_values`]).
    ///
    /// # Errors
    ///
    /// As [`allocate_window`](Self::allocate_window).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// let mut window = world.create_window(vec![world.rank() as u32; 10])?;
    /// let next = (world.rank() + 1) % world.size();
    /// window.fence_epoch(|epoch| epoch.part(next).put(9, &7))?;
    /// let values = window.into_values()?;
    /// assert_eq!((values[0], values[9]), (world.rank() as u32, 7));
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn create_window<T: Equivalence>(&self, values: Vec<T>) -> Result<Window<T>> {
        let _inside = enter(self, Call::AllocateWindow);
        Ok(self.window(typed::Window::create(self.engine(), values)?))
    }

    fn window<T: Equivalence>(&self, window: typed::Window<T>) -> Window<T> {
        Window {
            window,
            communicator: self.twin(),
            attributes: Attributes::default(),
        }
    }
}

/// Memory of all ranks of a communicator, which they read and write without the help of the rank that it belongs to;
/// made by [`Communicator::allocate_window`], [`Communicator::create_window`] and
/// [`Communicator::create_dynamic_window`].
///
/// Each rank has a part. Outside of epochs it belongs to the rank alone, which uses it as a slice ([`local`],
/// [`local_mut`]). In an epoch, which all ranks begin and end together, it is open to all of them:
///
/// * [`fence_epoch`] is for phases in which everybody reads and writes, as in a halo exchange;
/// * [`lock_epoch`] is for accesses at any time, in which the target has no part: a rank locks the parts that it
///   accesses.
///
/// Ranks that name each other have epochs without the rest: one exposes its part ([`post`]), and the others access it
/// ([`start`]).
///
/// ```
/// # simurgh::Builder::new().ranks(4).run(|world| {
/// let mut window = world.allocate_window::<u32>(world.size())?;
/// window.local_mut().fill(7);
/// window.fence_epoch(|epoch| {
///     // Each rank writes its number to all of them.
///     (0..world.size()).try_for_each(|rank| epoch.part(rank).put(world.rank(), &(world.rank() as u32)))
/// })?;
/// assert_eq!(window.local(), [0, 1, 2, 3]);
/// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
///
/// A window goes away when it is dropped; its rank waits for nobody then.
///
/// # No data races
///
/// A rank cannot look at its slice while others write to it:
///
/// ```compile_fail,E0502
/// # simurgh::run(|world| {
/// # let mut window = world.allocate_window::<u32>(1)?;
/// let mine = window.local();
/// window.fence_epoch(|epoch| epoch.part(0).put(0, &1))?;
/// assert_eq!(mine, [0]);
/// # Ok::<(), simurgh::Error>(())
/// # });
/// ```
///
/// nor in an epoch:
///
/// ```compile_fail,E0502
/// # simurgh::run(|world| {
/// # let mut window = world.allocate_window::<u32>(1)?;
/// window.lock_epoch(|epoch| {
///     println!("{}", window.local()[0]);
///     Ok(())
/// })
/// # });
/// ```
///
/// and nobody has access when an epoch is over:
///
/// ```compile_fail,E0521
/// # simurgh::run(|world| {
/// # let mut window = world.allocate_window::<u32>(1)?;
/// let mut kept = None;
/// window.fence_epoch(|epoch| {
///     kept = Some(epoch.part(0));
///     Ok(())
/// })
/// # });
/// ```
///
/// A window stays in its rank's thread of execution:
///
/// ```compile_fail,E0277
/// # simurgh::run(|world| {
/// # let window = world.allocate_window::<u32>(1)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| window.local()[0]);
/// });
/// # Ok::<(), simurgh::Error>(())
/// # });
/// ```
///
/// and its values are such that any bytes are one:
///
/// ```compile_fail,E0277
/// # simurgh::run(|world| world.allocate_window::<bool>(1).map(drop));
/// ```
///
/// If an epoch is left by a panic, or a lock in it is leaked, the window cannot be used any more: the slices of its
/// part are refused by a panic, and everything else by [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync).
///
/// [`local`]: Window::local
/// [`local_mut`]: Window::local_mut
/// [`fence_epoch`]: Window::fence_epoch
/// [`lock_epoch`]: Window::lock_epoch
/// [`post`]: Window::post
/// [`start`]: Window::start
pub struct Window<T: Equivalence> {
    pub(crate) window: typed::Window<T>,
    pub(crate) communicator: Communicator,
    attributes: Attributes,
}

impl<T: Equivalence> Window<T> {
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

    /// The part of the calling rank, and the end of the window for it. What the library has allocated is copied.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) where [`local`](Self::local) panics.
    pub fn into_values(self) -> Result<Vec<T>> {
        self.window.into_values()
    }

    /// Runs `f` in an epoch between two fences, in which all ranks access the parts of all (`MPI_Win_fence`).
    /// Collective: the epoch begins when all ranks have come, and when it has ended, all accesses of it are complete.
    ///
    /// Accesses of several ranks to the same values do not wait for each other: each element of a value is read or
    /// written as a whole, and everything else is up to the program. So values must consist of elements of one type.
    ///
    /// # Errors
    ///
    /// The error of `f`; the epoch ends nevertheless. [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if an earlier
    /// epoch has not been ended.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// use simurgh::Op;
    ///
    /// let mut histogram = world.allocate_window::<u64>(2)?;
    /// histogram.fence_epoch(|epoch| {
    ///     for sample in 0..12 {
    ///         let bucket = (sample * 7 + world.rank()) % (2 * world.size());
    ///         epoch.part(bucket / 2).accumulate(bucket % 2, &1, &Op::sum())?;
    ///     }
    ///     Ok(())
    /// })?;
    /// assert_eq!(histogram.local(), [6, 6]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn fence_epoch<R>(&mut self, f: impl FnOnce(&FenceEpoch<'_, T>) -> Result<R>) -> Result<R> {
        {
            let _inside = enter(&self.communicator, Call::FenceEpoch);
            self.window.begin_fences()?;
        }
        let leaving = Cell::default();
        let result = self.communicator.attempt(&leaving, || f(&FenceEpoch(self)));
        let _inside = enter(&self.communicator, Call::FenceEpoch);
        self.window.end_fences()?;
        result
    }

    /// Runs `f` in an epoch in which ranks lock the parts that they access (`MPI_Win_lock`, `MPI_Win_lock_all`).
    /// Collective, as [`fence_epoch`](Self::fence_epoch).
    ///
    /// # Errors
    ///
    /// As [`fence_epoch`](Self::fence_epoch); [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if the guard of a
    /// lock has been leaked.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(5).run(|world| {
    /// use simurgh::{LockKind, Op};
    ///
    /// let mut window = world.allocate_window::<i64>(1)?;
    /// let ticket = window.lock_epoch(|epoch| {
    ///     let counter = epoch.lock(0, LockKind::Shared)?;
    ///     counter.fetch_and_op(0, 1, &Op::sum())
    /// })?;
    /// assert!(ticket < 5);
    /// assert_eq!(window.local(), [if world.rank() == 0 { 5 } else { 0 }]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn lock_epoch<R>(&mut self, f: impl FnOnce(&LockEpoch<'_, T>) -> Result<R>) -> Result<R> {
        {
            let _inside = enter(&self.communicator, Call::LockEpoch);
            self.window.begin_locks()?;
        }
        let leaving = Cell::default();
        let result = self.communicator.attempt(&leaving, || f(&LockEpoch(self)));
        let _inside = enter(&self.communicator, Call::LockEpoch);
        self.window.end_locks()?;
        result
    }

    /// The part of a rank.
    #[inline]
    fn part(&self, rank: usize) -> Part<'_, T> {
        Part::new(&self.window, &self.communicator, raw_rank(rank))
    }
}

impl<T: Equivalence> fmt::Debug for Window<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.window.fmt(f)
    }
}

/// Enters a call in which all ranks take part.
fn enter(communicator: &Communicator, call: Call) -> Inside<'_> {
    communicator.enter(call, UNDEFINED, UNDEFINED)
}

/// An epoch between two fences; made by [`Window::fence_epoch`].
#[derive(Debug)]
pub struct FenceEpoch<'a, T: Equivalence>(&'a Window<T>);

impl<T: Equivalence> FenceEpoch<'_, T> {
    /// The part of a rank of the window. That there is such a rank is checked by the accesses.
    #[inline]
    #[must_use]
    pub fn part(&self, rank: usize) -> Part<'_, T> {
        self.0.part(rank)
    }
}
