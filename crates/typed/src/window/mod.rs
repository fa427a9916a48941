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
//! * If an epoch has not been ended as it should, by a panic or since a lock has been leaked, its rank gets no slice
//!   any more.

mod general;

use std::cell::Cell;
use std::fmt;
use std::hash::Hasher;
use std::marker::PhantomData;

use super::{Equivalence, Operator, View, ViewMut, all_reduce, barrier, source, target};
use simurgh_core::sync::Arc;
use simurgh_datatype::memory::Runs;
use simurgh_datatype::op::BuiltinOp;
use simurgh_datatype::{Basic, Datatype};
use simurgh_mpi::assertion::{NOPRECEDE, NOSUCCEED};
use simurgh_mpi::{Comm, Error, ErrorClass, Flavor, Info, LockKind, Place, Result, WindowTraffic};
use siphasher::sip::SipHasher24;

/// The strictest alignment that values may need: that of the memory which processes share.
const ALIGNMENT_MAX: usize = 4096;

/// A window with values of `T` in the memory of each rank.
pub struct Window<T> {
    window: Arc<simurgh_mpi::Window>,
    /// For the barriers of epochs of locks, and nothing else.
    comm: Arc<Comm>,
    phase: Cell<Phase>,
    /// Neither `Send` nor `Sync`: a window belongs to its rank.
    values: PhantomData<*mut T>,
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

    /// [`Window::allocate`], with memory that the ranks share if the flavour says so ([`Comm::win_allocate_shared`]).
    pub(super) fn allocate_as(flavor: Flavor, comm: &Comm, len: usize) -> Result<Self> {
        let (size, alignment) = (size_of::<T>(), align_of::<T>());
        if size == 0 || alignment > ALIGNMENT_MAX {
            let name = std::any::type_name::<T>();
            let message =
                format!("{name} has {size} bytes, aligned to {alignment}: that cannot be in a window");
            return Err(Error::new(ErrorClass::Type, message));
        }
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
        Ok(Self {
            window,
            comm: comm_of_locks,
            phase: Cell::new(Phase::Outside),
            values: PhantomData,
        })
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

    /// Writes values to a rank, from a position on: by a copy under an exclusive lock, and otherwise each element
    /// atomically. They may be changed when this returns.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] outside of an epoch; [`ErrorClass::Type`] for values with elements of several datatypes,
    /// unless the lock is exclusive; as [`simurgh_mpi::Window::put`].
    #[inline]
    pub fn put<V: View<Item = T> + ?Sized>(&self, rank: i32, position: usize, values: &V) -> Result<()> {
        let is_alone = self.is_alone(rank)?;
        let datatype = T::datatype();
        let place = place::<T>(rank, position, values.number(), &datatype);
        // SAFETY:
        // - the operations have read the values when they return.
        let values = unsafe { values.source() };
        match is_alone {
            true => self.window.put(&values, &place),
            false => self.window.accumulate(&values, &place, BuiltinOp::Replace),
        }
    }

    /// Reads values of a rank, from a position on, as [`Window::put`] writes them.
    ///
    /// # Errors
    ///
    /// As [`Window::put`].
    #[inline]
    pub fn get<V: ViewMut<Item = T> + ?Sized>(
        &self,
        rank: i32,
        position: usize,
        values: &mut V,
    ) -> Result<()> {
        let is_alone = self.is_alone(rank)?;
        let datatype = T::datatype();
        let place = place::<T>(rank, position, values.number(), &datatype);
        // SAFETY:
        // - the operations are complete when they return.
        let values = unsafe { values.target() };
        match is_alone {
            true => self.window.get_now(&values, &place),
            false => {
                let nothing = values.as_source();
                self.window
                    .get_accumulate_now(&nothing, &values, &place, BuiltinOp::NoOp)
            }
        }
    }

    /// Combines values of a rank, from a position on, with these, each element atomically. They may be changed when
    /// this returns.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] outside of an epoch, [`ErrorClass::Op`] for an operation of the user; as
    /// [`simurgh_mpi::Window::accumulate`].
    #[inline]
    pub fn accumulate<V: View<Item = T> + ?Sized>(
        &self,
        rank: i32,
        position: usize,
        values: &V,
        op: &Operator<T>,
    ) -> Result<()> {
        self.check_epoch()?;
        let op = predefined(op)?;
        let datatype = T::datatype();
        let place = place::<T>(rank, position, values.number(), &datatype);
        // SAFETY:
        // - the operation has read the values when it returns.
        let values = unsafe { values.source() };
        self.window.accumulate(&values, &place, op)
    }

    /// [`Window::accumulate`] to one value, which gives the value from before.
    ///
    /// # Errors
    ///
    /// As [`Window::accumulate`].
    #[inline]
    pub fn fetch_and_op(&self, rank: i32, position: usize, value: T, op: &Operator<T>) -> Result<T> {
        self.fetch_and(rank, position, value, predefined(op)?)
    }

    /// Replaces a value, each element atomically, and gives the one from before.
    ///
    /// # Errors
    ///
    /// As [`Window::accumulate`].
    #[inline]
    pub fn swap(&self, rank: i32, position: usize, value: T) -> Result<T> {
        self.fetch_and(rank, position, value, BuiltinOp::Replace)
    }

    #[inline]
    fn fetch_and(&self, rank: i32, position: usize, value: T, op: BuiltinOp) -> Result<T> {
        self.check_epoch()?;
        let datatype = T::datatype();
        let place = place::<T>(rank, position, 1, &datatype);
        let mut before = value;
        // SAFETY:
        // - both live until the operation is complete, which it is when it returns.
        let (value, result) = unsafe {
            (
                source(std::slice::from_ref(&value)),
                target(std::slice::from_mut(&mut before)),
            )
        };
        self.window.get_accumulate_now(&value, &result, &place, op)?;
        Ok(before)
    }

    /// Replaces a value of one element by `new` if it is `expected`, and gives the value from before, atomically.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] outside of an epoch, [`ErrorClass::Type`] for values that are no single element; as
    /// [`simurgh_mpi::Window::compare_and_swap`].
    #[inline]
    pub fn compare_and_swap(&self, rank: i32, position: usize, expected: T, new: T) -> Result<T> {
        self.check_epoch()?;
        if T::COUNT != 1 {
            let message = "values of several elements are not compared and swapped";
            return Err(Error::new(ErrorClass::Type, message));
        }
        let datatype = T::datatype();
        let place = place::<T>(rank, position, 1, &datatype);
        let mut before = expected;
        // SAFETY:
        // - all three live until the operation is complete, which it is when it returns.
        let (new, compare, result) = unsafe {
            (
                source(std::slice::from_ref(&new)),
                source(std::slice::from_ref(&expected)),
                target(std::slice::from_mut(&mut before)),
            )
        };
        self.window
            .compare_and_swap_now(&new, &compare, &result, &place)?;
        Ok(before)
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
        // Nobody accesses the rank's memory: it is outside of epochs, or has failed. Its host keeps the memory as long
        // as a rank has the window.
        self.window.leave();
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

/// The place of some values in the memory of a rank. A position that is too large for the engine stays outside of every
/// window.
#[inline]
fn place<T: Equivalence>(rank: i32, position: usize, len: usize, datatype: &Datatype) -> Place<'_> {
    Place {
        rank,
        displacement: isize::try_from(position).unwrap_or(isize::MAX),
        count: len * T::COUNT,
        datatype,
    }
}

/// The operation of the standard, which all that one-sided communication takes are.
#[inline]
fn predefined<T: Equivalence>(op: &Operator<T>) -> Result<BuiltinOp> {
    op.predefined().ok_or_else(|| {
        let message = "one-sided communication takes no operations of the user";
        Error::new(ErrorClass::Op, message)
    })
}

#[cold]
fn leaked() -> Error {
    let message = "the epoch ends, but a lock is held: its guard has been leaked";
    Error::new(ErrorClass::RmaSync, message)
}

/// Makes sure that all ranks have values of the same layout.
fn agree<T: Equivalence>(comm: &Comm) -> Result<()> {
    let layout = layout::<T>();
    let mut extremes = [0; 2];
    let sent = [layout, !layout];
    all_reduce(
        comm,
        Some(sent[..].into()),
        &mut extremes[..],
        &Operator::builtin(BuiltinOp::Max),
    )?
    .run()?;
    if extremes == sent {
        return Ok(());
    }
    let name = std::any::type_name::<T>();
    let message = format!("this rank allocates a window of {name}, others one with values of another layout");
    Err(Error::new(ErrorClass::NotSame, message))
}

/// A number for where the values of a type have what data. It is the same in all programs.
fn layout<T: Equivalence>() -> u64 {
    let datatype = T::datatype();
    let mut hasher = SipHasher24::new();
    hasher.write_usize(size_of::<T>());
    hasher.write_usize(align_of::<T>());
    for run in Runs::new(&datatype, T::COUNT, &Datatype::Basic(Basic::Byte)) {
        hasher.write_isize(run.offset);
        hasher.write_usize(run.count);
    }
    datatype.signature().for_each(&mut |basic, count| {
        hasher.write_u16(basic as u16);
        hasher.write_usize(count);
    });
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_differ_by_size_and_by_elements() {
        let layouts = [
            layout::<u64>(),
            layout::<f64>(),
            layout::<[u64; 2]>(),
            layout::<[u32; 2]>(),
        ];
        for (index, first) in layouts.iter().enumerate() {
            assert!(layouts[..index].iter().all(|second| second != first));
        }
        assert_eq!(layout::<[u64; 1]>(), layout::<u64>());
    }
}
