//! The operations on a target's memory.

use super::access::Call;
use super::conflict::Buffer;
use super::error::fault;
use super::shared::Part;
use super::{Flavor, Window};
use crate::constants::PROC_NULL;
use crate::datatype::{Basic, Class, Datatype};
use crate::error::{ErrorClass, Result};
use crate::instrument::OneSided;
use crate::memory::{self, Source, Target, Update, transfer};
use crate::op::BuiltinOp;
use crate::request::{Request, Waiter};
use simurgh_core::sync::Arc;

/// Elements in the memory of a rank.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The rank, or [`PROC_NULL`], with which nothing happens.
    pub rank: i32,
    /// The displacement in units of the rank's; in a dynamic window an address.
    pub displacement: isize,
    /// Number of elements.
    pub count: usize,
    /// Their datatype.
    pub datatype: &'a Datatype,
}

/// Elements of a target, once they have been checked.
pub(super) struct Located<'a> {
    pub(super) seat: u32,
    pub(super) part: &'a Part,
    /// The displacement in bytes.
    pub(super) displacement: i64,
    pub(super) count: usize,
    pub(super) datatype: &'a Datatype,
    /// The memory, where this host can access it.
    pub(super) target: Option<Target>,
}

impl Located<'_> {
    /// Bytes of data of the elements.
    pub(super) fn bytes(&self) -> usize {
        self.count.saturating_mul(self.datatype.size())
    }
}

impl Window {
    /// Writes data to a target (`MPI_Put`). The data may be changed after a flush, or when the epoch ends.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] for a rank that there is not, [`ErrorClass::RmaSync`] without an access epoch for it,
    /// [`ErrorClass::RmaRange`] for memory outside of the window, [`ErrorClass::Truncate`] for more data than the place
    /// has room for.
    #[inline]
    pub fn put(&self, origin: &Source, place: &Place<'_>) -> Result<()> {
        self.put_with(Call::Put, origin, place, || None).map(drop)
    }

    /// [`Window::put`]; if the data is read later, the waiter is completed when that is over. Whether it is.
    #[inline]
    pub(super) fn put_with(
        &self,
        call: Call,
        origin: &Source,
        place: &Place<'_>,
        waiter: impl FnOnce() -> Option<Waiter>,
    ) -> Result<bool> {
        let Some(located) = self.locate(place)? else {
            return Ok(false);
        };
        check_room(origin.bytes(), place)?;
        self.admit(call, &located, None, &[Buffer::Loads(origin)])?;
        self.count(OneSided::Put, &located);
        match &located.target {
            Some(target) => {
                transfer(origin, target);
                Ok(false)
            }
            None => Ok(self.put_remote(origin, &located, waiter)),
        }
    }

    /// Reads data of a target (`MPI_Get`), which is there when the epoch ends, or after a flush.
    ///
    /// # Errors
    ///
    /// As [`Window::put`].
    #[inline]
    pub fn get(&self, origin: &Target, place: &Place<'_>) -> Result<()> {
        self.get_with(Call::Get, origin, place, || None).map(drop)
    }

    /// Updates elements of a target, each atomically (`MPI_Accumulate`).
    ///
    /// # Errors
    ///
    /// As [`Window::put`]; [`ErrorClass::Op`] or [`ErrorClass::Type`] if the operation is not defined on the elements.
    #[inline]
    pub fn accumulate(&self, origin: &Source, place: &Place<'_>, op: BuiltinOp) -> Result<()> {
        self.accumulate_by(Call::Accumulate, origin, place, op)
    }

    #[inline]
    fn accumulate_by(&self, call: Call, origin: &Source, place: &Place<'_>, op: BuiltinOp) -> Result<()> {
        let Some(located) = self.locate(place)? else {
            return Ok(());
        };
        if origin.bytes() == 0 {
            return Ok(());
        }
        let update = op.update(place.datatype)?;
        check_elements(origin.datatype(), &update, op)?;
        check_room(origin.bytes(), place)?;
        let operation = Some((Some(op), update.unit()));
        self.admit(call, &located, operation, &[Buffer::Loads(origin)])?;
        self.count(OneSided::Accumulate, &located);
        match &located.target {
            Some(target) => update.apply(self.shared.stripes(), Some(origin), target, None),
            None => self.accumulate_remote(origin, &located, (&update, op)),
        }
        Ok(())
    }

    /// Updates elements of a target, each atomically, and reads their values from before (`MPI_Get_accumulate`).
    ///
    /// # Errors
    ///
    /// As [`Window::accumulate`].
    #[inline]
    pub fn get_accumulate(
        &self,
        origin: &Source,
        result: &Target,
        place: &Place<'_>,
        op: BuiltinOp,
    ) -> Result<()> {
        self.get_accumulate_with(Call::GetAccumulate, (origin, result), place, op, || None)
            .map(drop)
    }

    /// [`Window::get_accumulate`] for one element of a predefined datatype (`MPI_Fetch_and_op`).
    ///
    /// # Errors
    ///
    /// As [`Window::accumulate`]; [`ErrorClass::Type`] for a derived datatype.
    #[inline]
    pub fn fetch_and_op(
        &self,
        origin: &Source,
        result: &Target,
        place: &Place<'_>,
        op: BuiltinOp,
    ) -> Result<()> {
        check_predefined(place.datatype, "MPI_Fetch_and_op")?;
        self.get_accumulate_with(Call::FetchAndOp, (origin, result), place, op, || None)
            .map(drop)
    }

    /// Replaces an element of a target if it is equal to another one, and reads its value from before
    /// (`MPI_Compare_and_swap`).
    ///
    /// # Errors
    ///
    /// As [`Window::put`]; [`ErrorClass::Type`] for a datatype of which elements are not compared.
    #[inline]
    pub fn compare_and_swap(
        &self,
        origin: &Source,
        compare: &Source,
        result: &Target,
        place: &Place<'_>,
    ) -> Result<()> {
        self.compare_and_swap_with((origin, compare), result, place, || None)
            .map(drop)
    }

    /// [`Window::put`] with a request (`MPI_Rput`), which is complete when the data may be changed.
    ///
    /// # Errors
    ///
    /// As [`Window::put`]; [`ErrorClass::RmaSync`] outside of an epoch of locks.
    pub fn rput(&self, origin: &Source, place: &Place<'_>) -> Result<Arc<Request>> {
        self.check_requestable("MPI_Rput", place.rank)?;
        let mut request = None;
        let expected = self.put_with(Call::Rput, origin, place, || Some(new_request(&mut request)))?;
        Ok(request.filter(|_| expected).unwrap_or_else(|| self.done()))
    }

    /// [`Window::get`] with a request (`MPI_Rget`), which is complete when the data is there.
    ///
    /// # Errors
    ///
    /// As [`Window::rput`].
    pub fn rget(&self, origin: &Target, place: &Place<'_>) -> Result<Arc<Request>> {
        self.check_requestable("MPI_Rget", place.rank)?;
        let mut request = None;
        let expected = self.get_with(Call::Rget, origin, place, || Some(new_request(&mut request)))?;
        Ok(request.filter(|_| expected).unwrap_or_else(|| self.done()))
    }

    /// [`Window::accumulate`] with a request (`MPI_Raccumulate`), which is complete when the data may be changed.
    ///
    /// # Errors
    ///
    /// As [`Window::accumulate`]; [`ErrorClass::RmaSync`] outside of an epoch of locks.
    pub fn raccumulate(&self, origin: &Source, place: &Place<'_>, op: BuiltinOp) -> Result<Arc<Request>> {
        self.check_requestable("MPI_Raccumulate", place.rank)?;
        self.accumulate_by(Call::Raccumulate, origin, place, op)?;
        Ok(self.done())
    }

    /// [`Window::get_accumulate`] with a request (`MPI_Rget_accumulate`), which is complete when the result is there.
    ///
    /// # Errors
    ///
    /// As [`Window::raccumulate`].
    pub fn rget_accumulate(
        &self,
        origin: &Source,
        result: &Target,
        place: &Place<'_>,
        op: BuiltinOp,
    ) -> Result<Arc<Request>> {
        self.check_requestable("MPI_Rget_accumulate", place.rank)?;
        let mut request = None;
        let waiter = || Some(new_request(&mut request));
        let expected = self.get_accumulate_with(Call::RgetAccumulate, (origin, result), place, op, waiter)?;
        Ok(request.filter(|_| expected).unwrap_or_else(|| self.done()))
    }

    /// The request of an operation that is complete.
    fn done(&self) -> Arc<Request> {
        self.process().requests().done_send()
    }

    fn check_requestable(&self, call: &str, rank: i32) -> Result<()> {
        if rank == PROC_NULL {
            return Ok(());
        }
        let seat = self.check_rank(rank)?;
        self.epochs().check_passive(call, Some(seat))
    }

    /// [`Window::get`]; if replies are expected, the waiter is completed with the last. Whether they are.
    #[inline]
    pub(super) fn get_with(
        &self,
        call: Call,
        origin: &Target,
        place: &Place<'_>,
        waiter: impl FnOnce() -> Option<Waiter>,
    ) -> Result<bool> {
        let Some(located) = self.locate(place)? else {
            return Ok(false);
        };
        if place.count.saturating_mul(place.datatype.size()) > origin.bytes() {
            return Err(too_long(
                place.count.saturating_mul(place.datatype.size()),
                origin.bytes(),
            ));
        }
        self.admit(call, &located, None, &[Buffer::Stores(origin)])?;
        self.count(OneSided::Get, &located);
        match &located.target {
            Some(target) => {
                transfer(&target.as_source(), origin);
                Ok(false)
            }
            None => Ok(self.get_remote(origin, &located, waiter)),
        }
    }

    /// As [`Window::get_with`].
    #[inline]
    pub(super) fn get_accumulate_with(
        &self,
        call: Call,
        (origin, result): (&Source, &Target),
        place: &Place<'_>,
        op: BuiltinOp,
        waiter: impl FnOnce() -> Option<Waiter>,
    ) -> Result<bool> {
        let Some(located) = self.locate(place)? else {
            return Ok(false);
        };
        let bytes = place.count.saturating_mul(place.datatype.size());
        if bytes == 0 {
            return Ok(false);
        }
        let update = op.update(place.datatype)?;
        let input = (!update.ignores_input()).then_some(origin);
        if let Some(input) = input {
            check_elements(input.datatype(), &update, op)?;
            check_room(input.bytes(), place)?;
        }
        if bytes > result.bytes() {
            return Err(too_long(bytes, result.bytes()));
        }
        let operation = Some((Some(op), update.unit()));
        let buffers = [Buffer::Stores(result), Buffer::Loads(origin)];
        let used = if input.is_some() { 2 } else { 1 };
        self.admit(call, &located, operation, &buffers[..used])?;
        self.count(OneSided::GetAccumulate, &located);
        match &located.target {
            Some(target) => {
                update.apply(self.shared.stripes(), input, target, Some(result));
                Ok(false)
            }
            None => {
                let all = Source::row(origin, usize::from(input.is_some()));
                Ok(self.get_accumulate_remote(&all, result, &located, (&update, op), waiter))
            }
        }
    }

    /// As [`Window::get_with`]. The origin has the new value and the one to compare with.
    #[inline]
    pub(super) fn compare_and_swap_with(
        &self,
        (origin, compare): (&Source, &Source),
        result: &Target,
        place: &Place<'_>,
        waiter: impl FnOnce() -> Option<Waiter>,
    ) -> Result<bool> {
        check_comparable(place.datatype)?;
        let Some(located) = self.locate(place)? else {
            return Ok(false);
        };
        let buffers = [
            Buffer::Loads(origin),
            Buffer::Loads(compare),
            Buffer::Stores(result),
        ];
        self.admit(
            Call::CompareAndSwap,
            &located,
            Some((None, place.datatype)),
            &buffers,
        )?;
        self.count(OneSided::CompareAndSwap, &located);
        match &located.target {
            Some(target) => {
                memory::compare_and_swap(self.shared.stripes(), compare, origin, target, result);
                Ok(false)
            }
            None => Ok(self.compare_and_swap_remote((origin, compare), result, &located, waiter)),
        }
    }

    /// Checks a rank of the window, which is not [`PROC_NULL`].
    #[inline]
    pub(super) fn check_rank(&self, rank: i32) -> Result<u32> {
        match u32::try_from(rank) {
            Ok(seat) if (seat as usize) < self.reach.len() => Ok(seat),
            _ => Err(no_rank(rank, self.reach.len())),
        }
    }

    /// Checks the place of an operation; none for [`PROC_NULL`]. Inlined into each operation, so that what it finds
    /// stays in registers.
    #[inline(always)]
    fn locate<'a>(&'a self, place: &Place<'a>) -> Result<Option<Located<'a>>> {
        let Place {
            rank,
            displacement,
            count,
            datatype,
        } = *place;
        if rank == PROC_NULL {
            return Ok(None);
        }
        let seat = self.check_rank(rank)?;
        self.epochs().check_access(seat)?;
        let part = self.shared.part(seat as usize);
        let displacement = (displacement as i64).checked_mul(part.unit() as i64);
        let displacement = displacement.ok_or_else(|| too_far(place.displacement))?;
        let target = self.shared.target(seat as usize, displacement, count, datatype);
        let target = target.transpose()?;
        if target.is_none() && self.flavor() != Flavor::Dynamic {
            part.check(seat as usize, displacement, count, datatype)?;
        }
        Ok(Some(Located {
            seat,
            part,
            displacement,
            count,
            datatype,
            target,
        }))
    }
}

/// Makes a request, and the waiter for the side that completes it.
pub(super) fn new_request(place: &mut Option<Arc<Request>>) -> Waiter {
    let request = Request::task();
    *place = Some(Arc::clone(&request));
    Waiter::Request(request)
}

/// Refuses more data than the target's elements have room for.
#[inline(always)]
fn check_room(bytes: usize, place: &Place<'_>) -> Result<()> {
    let room = place.count.saturating_mul(place.datatype.size());
    if bytes <= room {
        Ok(())
    } else {
        Err(too_long(bytes, room))
    }
}

#[cold]
fn too_long(bytes: usize, room: usize) -> crate::error::Error {
    fault(
        ErrorClass::Truncate,
        format!("there are {bytes} bytes of data, but the other side has room for {room}"),
    )
}

/// Refuses data of other elements than the target has.
#[inline(always)]
fn check_elements(origin: &Datatype, update: &Update, op: BuiltinOp) -> Result<()> {
    if origin == update.unit() {
        return Ok(());
    }
    check_units(origin, update, op)
}

#[inline(never)]
fn check_units(origin: &Datatype, update: &Update, op: BuiltinOp) -> Result<()> {
    let same = origin.unit().is_some_and(|unit| unit.size() == update.size());
    if same || origin.size() == 0 {
        return Ok(());
    }
    let message = format!(
        "{} needs elements of one predefined datatype, the same at the origin and at the target",
        op.name()
    );
    Err(fault(ErrorClass::Type, message))
}

#[inline]
fn check_predefined(datatype: &Datatype, call: &str) -> Result<()> {
    if datatype.is_predefined() || datatype.basic().is_some() {
        return Ok(());
    }
    let message = format!("{call} takes predefined datatypes only");
    Err(fault(ErrorClass::Type, message))
}

/// Refuses elements that are not compared: those are that the standard counts among integers, logicals, multi-language
/// types and bytes.
#[inline]
fn check_comparable(datatype: &Datatype) -> Result<()> {
    match datatype.basic() {
        Some(basic) if is_comparable(basic) => Ok(()),
        _ => Err(fault(
            ErrorClass::Type,
            "MPI_Compare_and_swap compares integers, logicals, multi-language types and bytes only",
        )),
    }
}

/// Whether `MPI_Compare_and_swap` takes elements of a datatype.
#[inline]
pub(super) fn is_comparable(basic: Basic) -> bool {
    use Class::{Byte, CInteger, Char, FortranInteger, Logical, MultiLanguage};
    matches!(
        basic.class(),
        CInteger | FortranInteger | Logical | MultiLanguage | Byte | Char
    )
}

#[cold]
fn no_rank(rank: i32, size: usize) -> crate::error::Error {
    fault(
        ErrorClass::Rank,
        format!("rank {rank} is not one of the window's ranks 0 to {}", size - 1),
    )
}

#[cold]
fn too_far(displacement: isize) -> crate::error::Error {
    fault(
        ErrorClass::RmaRange,
        format!("displacement {displacement} is beyond all addresses"),
    )
}
