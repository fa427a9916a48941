//! Windows: the memory of ranks, to which others have access, as values of a Rust type.
//!
//! No program that uses them has accesses that conflict:
//!
//! * Outside of epochs a part belongs to its rank, which borrows it as a slice. An epoch begins with a barrier of all
//!   ranks, while nothing is borrowed, and ends with one, after which no operation is under way. So the slices of a
//!   rank and the operations of the others never meet.
//! * The epochs of fences and those of locks have barriers on communicators of their own, on which nothing else is
//!   done. So all ranks are in epochs of the same kind: ranks that disagree wait for each other.
//! * A rank that posts exposes its part to the ranks that it names, and has no slice until they have completed. They
//!   access it only after that. Since it is in no collective meanwhile, nobody is in an epoch of another kind.
//! * In an epoch of fences or of posts, and under a shared lock, each element is read and written by an atomic update.
//!   Under an exclusive lock nobody else has access, so data is simply copied.
//! * All ranks have values of the same layout, which is compared when the window is allocated: an update is atomic to
//!   those of other ranks since they agree on the elements, and no padding is read.
//! * Memory that the program gives to a window belongs to it, until the window gives it back outside of epochs. If a
//!   window goes away in an epoch, its memory is leaked.
//! * To a dynamic window only values without padding are attached, all of one type. So what begins at an aligned
//!   address, and lies in attached memory, is a value.
//! * If an epoch has not been ended as it should, by a panic or since a lock has been leaked, its rank gets no slice
//!   any more.

mod attached;
mod general;
mod layout;
mod operations;
mod requests;

pub use attached::Attached;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use super::owned::Owned;
use super::{Equivalence, barrier};
use layout::agree;
use simurgh_core::sync::Arc;
use simurgh_datatype::Datatype;
use simurgh_datatype::memory::Region;
use simurgh_mpi::assertion::{NOPRECEDE, NOSUCCEED};
use simurgh_mpi::{Comm, Error, ErrorClass, Flavor, Info, LockKind, Place, Result, WindowTraffic};

/// The strictest alignment that values may need: that of the memory which processes share.
const ALIGNMENT_MAX: usize = 4096;

/// A window with values of `T` in the memory of each rank.
pub struct Window<T> {
    window: Arc<simurgh_mpi::Window>,
    /// For the barriers of epochs of locks, and nothing else.
    comm: Arc<Comm>,
    phase: Cell<Phase>,
    /// Whether positions are addresses, of memory that ranks attach.
    is_dynamic: bool,
    memory: Memory<T>,
    /// Neither `Send` nor `Sync`: a window belongs to its rank.
    values: PhantomData<*mut T>,
}

/// What belongs to the window of the memory that other ranks access.
enum Memory<T> {
    /// Nothing: the library has it.
    OfLibrary,
    /// All values of this rank.
    Own(Owned<T>),
    /// Values that this rank has attached, by their addresses.
    Attached(BTreeMap<usize, Owned<T>>),
}

/// What may be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The rank may use its part.
    Outside,
    /// An epoch between fences.
    Fences,
    /// An epoch of locks.
    Locks,
    /// Epochs of this rank and those that it has named: it exposes its part, or accesses parts that are exposed.
    General { is_exposed: bool, is_accessing: bool },
    /// Nothing: the other ranks may be in an epoch or not.
    Unknown,
}

impl<T: Equivalence> Window<T> {
    /// Allocates a window with `len` values, all of whose bytes are zero, for this rank ([`Comm::win_allocate`]).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Type`] for values without bytes or with an alignment of more than 4096, [`ErrorClass::Size`] for
    /// more values than addresses reach, [`ErrorClass::NotSame`] if the values of other ranks have another layout; as
    /// the call of the communicator.
    pub fn allocate(comm: &Comm, len: usize) -> Result<Self> {
        Self::allocate_as(Flavor::Allocate, comm, len)
    }

    /// Makes a window with these values for this rank, which the window owns ([`Comm::win_create`]).
    ///
    /// # Errors
    ///
    /// As [`Window::allocate`].
    pub fn create(comm: &Comm, values: Vec<T>) -> Result<Self> {
        check_layout::<T>()?;
        let values = Owned::new(values);
        let bytes = values.len() * size_of::<T>();
        let comm_of_locks = comm.dup()?;
        agree::<T>(&comm_of_locks)?;
        // SAFETY:
        // - the values are there as long as the window is used: it leaks them when it goes away in an epoch.
        let region = unsafe { Region::new(values.address().cast(), bytes) };
        let window = comm.win_create(region, size_of::<T>(), &Info::new())?;
        Ok(Self::new(window, comm_of_locks, Memory::Own(values)))
    }

    fn new(window: Arc<simurgh_mpi::Window>, comm: Arc<Comm>, memory: Memory<T>) -> Self {
        Self {
            is_dynamic: window.flavor() == Flavor::Dynamic,
            window,
            comm,
            phase: Cell::new(Phase::Outside),
            memory,
            values: PhantomData,
        }
    }

    /// [`Window::allocate`], with memory that the ranks share if the flavour says so ([`Comm::win_allocate_shared`]).
    pub(super) fn allocate_as(flavor: Flavor, comm: &Comm, len: usize) -> Result<Self> {
        let (size, alignment) = check_layout::<T>()?;
        let bytes = len
            .checked_mul(size)
            .filter(|bytes| isize::try_from(*bytes).is_ok());
        let bytes = bytes.ok_or_else(|| {
            let message = format!("{len} values of {size} bytes are more than addresses reach");
            Error::new(ErrorClass::Size, message)
        })?;
        let comm_of_locks = comm.dup()?;
        agree::<T>(&comm_of_locks)?;
        let mut info = Info::new();
        info.set("mpi_minimum_memory_alignment", alignment.to_string())?;
        let window = match flavor {
            Flavor::Shared => comm.win_allocate_shared(bytes, size, &info)?,
            _ => comm.win_allocate(bytes, size, &info)?,
        };
        Ok(Self::new(window, comm_of_locks, Memory::OfLibrary))
    }

    /// The name ([`simurgh_mpi::Window::name`]).
    #[must_use]
    pub fn name(&self) -> String {
        self.window.name()
    }

    /// Sets the name ([`simurgh_mpi::Window::set_name`]).
    pub fn set_name(&self, name: &str) {
        self.window.set_name(name);
    }

    /// The hints in use ([`simurgh_mpi::Window::info`]).
    #[must_use]
    pub fn info(&self) -> Info {
        self.window.info()
    }

    /// What has been counted of the rank's use of the window ([`simurgh_mpi::Window::traffic`]).
    #[must_use]
    pub fn traffic(&self) -> &Arc<WindowTraffic> {
        self.window.traffic()
    }

    /// The values of this rank.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] in an epoch, or after one that has not been ended.
    pub fn local(&self) -> Result<&[T]> {
        let (address, len) = self.own_part()?;
        // SAFETY:
        // - the memory is as long, aligned, initialised, and exists as long as the window;
        // - nobody else accesses it, since the rank is in no epoch, and cannot begin one while `self` is borrowed.
        Ok(unsafe { std::slice::from_raw_parts(address, len) })
    }

    /// The values of this rank, to be changed.
    ///
    /// # Errors
    ///
    /// As [`Window::local`].
    pub fn local_mut(&mut self) -> Result<&mut [T]> {
        let (address, len) = self.own_part()?;
        // SAFETY:
        // - as for `local`; `self` is borrowed mutably, so there is no other slice.
        Ok(unsafe { std::slice::from_raw_parts_mut(address, len) })
    }

    /// The values of this rank, and the end of the window for it. Those in memory of the library are copied.
    ///
    /// # Errors
    ///
    /// As [`Window::local`].
    pub fn into_values(mut self) -> Result<Vec<T>> {
        self.check(Phase::Outside)?;
        match std::mem::replace(&mut self.memory, Memory::OfLibrary) {
            // SAFETY:
            // - outside of epochs nobody else uses them, and no epoch begins without this rank, which has no window any
            //   more when this returns.
            Memory::Own(values) => Ok(unsafe { values.into_vec() }),
            Memory::OfLibrary | Memory::Attached(_) => self.local().map(<[T]>::to_vec),
        }
    }

    /// Where the values of this rank are, and their number.
    fn own_part(&self) -> Result<(*mut T, usize)> {
        self.check(Phase::Outside)?;
        let region = self.window.region();
        Ok(region.map_or_else(empty, |region| values_in(region.address(), region.bytes())))
    }

    /// Where the values of a rank are whose memory this one shares, and their number.
    pub(super) fn shared_part(&self, rank: i32) -> Result<(*mut T, usize)> {
        let (bytes, _, address) = self.window.shared_query(Some(rank))?;
        Ok(values_in(address, bytes))
    }

    /// Begins an epoch of fences, when all ranks do so ([`simurgh_mpi::Window::fence`]).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] in another epoch; as the call of the window.
    pub fn begin_fences(&mut self) -> Result<()> {
        self.pass(Phase::Outside, Phase::Fences, |this| this.window.fence(NOPRECEDE))
    }

    /// Ends an epoch of fences, when all ranks do so: all operations are complete.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] outside of such an epoch; as the call of the window.
    pub fn end_fences(&self) -> Result<()> {
        self.pass(Phase::Fences, Phase::Outside, |this| this.window.fence(NOSUCCEED))
    }

    /// Begins an epoch of locks, when all ranks do so.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] in another epoch.
    pub fn begin_locks(&mut self) -> Result<()> {
        self.pass(Phase::Outside, Phase::Locks, |this| barrier(&this.comm)?.run())
    }

    /// Ends an epoch of locks, when all ranks do so.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] outside of such an epoch, or if this rank still holds a lock.
    pub fn end_locks(&self) -> Result<()> {
        self.pass(Phase::Locks, Phase::Outside, |this| {
            this.window.check_free().map_err(|_| leaked())?;
            barrier(&this.comm)?.run()
        })
    }

    /// Goes from one phase to another one. Whether the others have come, too, is not known after an error or a panic.
    fn pass(&self, from: Phase, to: Phase, synchronise: impl FnOnce(&Self) -> Result<()>) -> Result<()> {
        self.check(from)?;
        self.phase.set(Phase::Unknown);
        synchronise(self)?;
        self.phase.set(to);
        Ok(())
    }

    /// Locks a rank ([`simurgh_mpi::Window::lock`]).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] outside of an epoch of locks; as the call of the window.
    #[inline]
    pub fn lock(&self, kind: LockKind, rank: i32) -> Result<()> {
        self.check(Phase::Locks)?;
        self.window.lock(kind, rank, 0)
    }

    /// Completes all operations on a rank, and releases its lock ([`simurgh_mpi::Window::unlock`]).
    ///
    /// # Errors
    ///
    /// As the call of the window.
    #[inline]
    pub fn unlock(&self, rank: i32) -> Result<()> {
        self.window.unlock(rank)
    }

    /// Takes shared locks of all ranks ([`simurgh_mpi::Window::lock_all`]).
    ///
    /// # Errors
    ///
    /// As [`Window::lock`].
    pub fn lock_all(&self) -> Result<()> {
        self.check(Phase::Locks)?;
        self.window.lock_all(0)
    }

    /// Completes all operations, and releases the locks of all ranks ([`simurgh_mpi::Window::unlock_all`]).
    ///
    /// # Errors
    ///
    /// As the call of the window.
    pub fn unlock_all(&self) -> Result<()> {
        self.window.unlock_all()
    }

    /// Completes all operations on a rank that is locked ([`simurgh_mpi::Window::flush`]).
    ///
    /// # Errors
    ///
    /// As the call of the window.
    #[inline]
    pub fn flush(&self, rank: i32) -> Result<()> {
        self.window.flush(rank)
    }

    /// Completes all operations on a rank that is locked for this one: data that it has given may be changed
    /// ([`simurgh_mpi::Window::flush_local`]).
    ///
    /// # Errors
    ///
    /// As the call of the window.
    pub fn flush_local(&self, rank: i32) -> Result<()> {
        self.window.flush_local(rank)
    }

    /// [`Window::flush`] of all ranks ([`simurgh_mpi::Window::flush_all`]).
    ///
    /// # Errors
    ///
    /// As the call of the window.
    pub fn flush_all(&self) -> Result<()> {
        self.window.flush_all()
    }

    /// [`Window::flush_local`] of all ranks ([`simurgh_mpi::Window::flush_local_all`]).
    ///
    /// # Errors
    ///
    /// As the call of the window.
    pub fn flush_local_all(&self) -> Result<()> {
        self.window.flush_local_all()
    }

    /// The place of some values in the memory of a rank. A position that is too large for the engine stays outside of
    /// every window. In a dynamic window it is an address.
    #[inline]
    fn place<'a>(&self, rank: i32, position: usize, len: usize, datatype: &'a Datatype) -> Result<Place<'a>> {
        if self.is_dynamic {
            check_address::<T>(position)?;
        }
        Ok(Place {
            rank,
            displacement: isize::try_from(position).unwrap_or(isize::MAX),
            count: len * T::COUNT,
            datatype,
        })
    }

    /// Whether the rank has a part of the window to itself. Refuses accesses outside of epochs.
    #[inline]
    fn is_alone(&self, rank: i32) -> Result<bool> {
        self.check_epoch()?;
        Ok(self.phase.get() == Phase::Locks && self.window.holds_exclusively(rank))
    }

    #[inline]
    fn check_epoch(&self) -> Result<()> {
        match self.phase.get() {
            Phase::Fences
            | Phase::Locks
            | Phase::General {
                is_accessing: true, ..
            } => Ok(()),
            _ => Err(self.wrong_phase()),
        }
    }

    /// Refuses a call outside of an epoch of fences.
    pub(super) fn check_fences(&self) -> Result<()> {
        self.check(Phase::Fences)
    }

    #[inline]
    fn check(&self, phase: Phase) -> Result<()> {
        match self.phase.get() == phase {
            true => Ok(()),
            false => Err(self.wrong_phase()),
        }
    }

    #[cold]
    fn wrong_phase(&self) -> Error {
        let message = match self.phase.get() {
            Phase::Outside => "the call is made outside of an epoch of the window",
            Phase::Fences => "the call is made in an epoch of fences",
            Phase::Locks => "the call is made in an epoch of locks",
            Phase::General {
                is_accessing: true, ..
            } => "the call is made while the rank accesses parts that others have posted",
            Phase::General { .. } => "the call is made while the part is posted to others",
            Phase::Unknown => {
                "an epoch of the window has failed to begin or to end: it cannot be used any more"
            }
        };
        Error::new(ErrorClass::RmaSync, message)
    }
}

impl<T> Drop for Window<T> {
    fn drop(&mut self) {
        // Nobody accesses the rank's memory: it is outside of epochs, or has failed. Its host keeps memory of the
        // library as long as a rank has the window.
        self.window.leave();
        if self.phase.get() != Phase::Outside {
            // Other ranks may be in an epoch.
            std::mem::forget(std::mem::replace(&mut self.memory, Memory::OfLibrary));
        }
    }
}

impl<T> fmt::Debug for Window<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Window")
            .field("window", &self.window)
            .field("phase", &self.phase.get())
            .finish_non_exhaustive()
    }
}

/// The size and the alignment of values that can be in a window.
fn check_layout<T>() -> Result<(usize, usize)> {
    let (size, alignment) = (size_of::<T>(), align_of::<T>());
    if size > 0 && alignment <= ALIGNMENT_MAX {
        return Ok((size, alignment));
    }
    let name = std::any::type_name::<T>();
    let message = format!("{name} has {size} bytes, aligned to {alignment}: that cannot be in a window");
    Err(Error::new(ErrorClass::Type, message))
}

/// Refuses an address at which there can be no value.
#[inline]
fn check_address<T>(address: usize) -> Result<()> {
    if address.is_multiple_of(align_of::<T>()) {
        return Ok(());
    }
    let message = format!("{address:#x} is not the address of a value that is attached to the window");
    Err(Error::new(ErrorClass::RmaRange, message))
}

/// The values in some memory of a window, and their number.
fn values_in<T>(address: *mut u8, bytes: usize) -> (*mut T, usize) {
    if bytes == 0 {
        return empty();
    }
    let address: *mut T = address.cast();
    assert!(
        address.is_aligned(),
        "the memory was allocated with this alignment"
    );
    (address, bytes / size_of::<T>())
}

/// No values.
fn empty<T>() -> (*mut T, usize) {
    (std::ptr::NonNull::dangling().as_ptr(), 0)
}

#[cold]
fn leaked() -> Error {
    let message = "the epoch ends, but a lock is held: its guard has been leaked";
    Error::new(ErrorClass::RmaSync, message)
}
