//! The short way of the most frequent operations: elements of one predefined datatype without gaps, as many at the
//! target as at the origin, in memory that this host can access, or the kernel or a network for it (`across`), or
//! another process of the node (`short_request`). It checks everything once, and does nothing where it cannot tell that
//! all is right: then the general way tells what is wrong, or does it (`operation`).

use super::Window;
use super::operation::is_comparable;
use super::shared::Part;
use crate::instrument;
use crate::memory::{Dense, Operands, Region};
use crate::op::BuiltinOp;
use simurgh_net::HostId;

/// The memory of a rank, for the short way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    way: Way,
    unit: usize,
}

/// How operations come to the memory of a rank.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// This host can access it.
    AtHand(Region),
    /// Another process, of this node if it is near, has so many bytes.
    Other { host: HostId, bytes: u64, is_near: bool },
    /// The general way: memory in dynamic windows, and where accesses are checked or all are counted.
    General,
}

/// Where elements begin in the part of a rank that another process has.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherPlace {
    pub(super) seat: u32,
    pub(super) host: HostId,
    /// In bytes.
    pub(super) start: u64,
    /// Whether it is a process of the node.
    pub(super) is_near: bool,
}

impl Reach {
    /// Of a rank with this part, whose memory goes the short way or never does, for the process with this number.
    pub(super) fn of(part: &Part, is_short: bool, own: HostId) -> Self {
        let way = match part.region() {
            Some(region) if is_short => Way::AtHand(*region),
            None if is_short && part.host() != own => Way::Other {
                host: part.host(),
                bytes: part.bytes() as u64,
                is_near: part.node_index().is_some(),
            },
            _ => Way::General,
        };
        let unit = part.unit();
        Self { way, unit }
    }

    /// Whether this host can access it.
    pub(super) fn is_at_hand(&self) -> bool {
        matches!(self.way, Way::AtHand(_))
    }
}

impl Window {
    /// The memory of a rank to which this one has access now, and a displacement in bytes; none if there is none, or if
    /// it takes longer to find out, or a tool counts operations.
    #[inline(always)]
    fn reach(&self, rank: i32, displacement: isize) -> Option<(&Region, isize)> {
        // A negative rank is a number that is too large.
        let seat = rank.cast_unsigned();
        let Reach { way, unit } = self.reach.get(seat as usize)?;
        let displacement = displacement.checked_mul(unit.cast_signed())?;
        let Way::AtHand(region) = way else { return None };
        let is_open = !instrument::on() && self.open.allows(seat);
        is_open.then_some((region, displacement))
    }

    /// Where so many bytes begin at a displacement in memory that another process of the node has, if this rank has
    /// access to it now; none if it takes longer to find out, or a tool counts operations.
    #[inline]
    pub(super) fn near_place(&self, rank: i32, displacement: isize, bytes: usize) -> Option<OtherPlace> {
        self.other_place(rank, displacement, bytes)
            .filter(|place| place.is_near)
    }

    /// [`Window::near_place`] in memory of any other process.
    #[inline]
    pub(super) fn other_place(&self, rank: i32, displacement: isize, bytes: usize) -> Option<OtherPlace> {
        let seat = rank.cast_unsigned();
        let Reach { way, unit } = self.reach.get(seat as usize)?;
        let Way::Other {
            host,
            bytes: length,
            is_near,
        } = *way
        else {
            return None;
        };
        let start = start_within((displacement, *unit), bytes, length)?;
        let is_open = bytes > 0 && !instrument::on() && self.open.allows(seat);
        is_open.then_some(OtherPlace {
            seat,
            host,
            start,
            is_near,
        })
    }

    /// [`Window::put`] to elements of the same datatype, as many. False, with nothing done, if that takes the general
    /// way.
    #[inline(always)]
    #[must_use]
    pub fn put_plain(&self, origin: Dense<*const u8>, rank: i32, displacement: isize) -> bool {
        match self.reach(rank, displacement) {
            Some((region, displacement)) => region.write(displacement, origin),
            None => self.put_across(origin, rank, displacement),
        }
    }

    /// [`Window::get`] of elements of the same datatype, as many. False, with nothing done, if that takes the general
    /// way.
    #[inline(always)]
    #[must_use]
    pub fn get_plain(&self, origin: Dense<*mut u8>, rank: i32, displacement: isize) -> bool {
        match self.reach(rank, displacement) {
            Some((region, displacement)) => region.read(displacement, origin),
            None => self.get_across(origin, rank, displacement),
        }
    }

    /// [`Window::put_plain`] to memory that this host can access, which calls nothing that suspends or locks. False,
    /// with nothing done, if that takes a longer way.
    #[inline(always)]
    #[must_use]
    pub fn put_at_once(&self, origin: Dense<*const u8>, rank: i32, displacement: isize) -> bool {
        let reach = self.reach(rank, displacement);
        reach.is_some_and(|(region, displacement)| region.write_alone(displacement, origin))
    }

    /// [`Window::get_plain`], as [`Window::put_at_once`].
    #[inline(always)]
    #[must_use]
    pub fn get_at_once(&self, origin: Dense<*mut u8>, rank: i32, displacement: isize) -> bool {
        let reach = self.reach(rank, displacement);
        reach.is_some_and(|(region, displacement)| region.read_alone(displacement, origin))
    }

    /// [`Window::fetch_and_op`] on an element of the same datatype. False, with nothing done, if that takes the general
    /// way. It has registers of its own, as the other atomic operations have.
    #[inline(never)]
    #[must_use]
    pub fn fetch_plain(&self, operands: Operands, op: BuiltinOp, rank: i32, displacement: isize) -> bool {
        let Some(known) = op.known_update(operands.basic()) else {
            return false;
        };
        match self.reach(rank, displacement) {
            Some((region, displacement)) => {
                region.update(self.shared.stripes(), displacement, known, operands)
            }
            None => self.fetch_across(operands, (op, known), rank, displacement),
        }
    }

    /// [`Window::accumulate`] of elements of the same datatype, as many. False, with nothing done, if that takes the
    /// general way.
    #[inline(never)]
    #[must_use]
    pub fn accumulate_plain(
        &self,
        (origin, op): (Dense<*const u8>, BuiltinOp),
        rank: i32,
        displacement: isize,
    ) -> bool {
        let Some(known) = op.known_update(origin.basic()) else {
            return false;
        };
        match self.reach(rank, displacement) {
            Some((region, displacement)) => {
                region.accumulate(self.shared.stripes(), displacement, known, origin)
            }
            None => self.accumulate_across((origin, op), rank, displacement),
        }
    }

    /// [`Window::compare_and_swap`] of elements of the same datatype. False, with nothing done, if that takes the
    /// general way.
    #[inline(never)]
    #[must_use]
    pub fn swap_plain(&self, operands: Operands, rank: i32, displacement: isize) -> bool {
        if !is_comparable(operands.basic()) {
            return false;
        }
        match self.reach(rank, displacement) {
            Some((region, displacement)) => region.swap(self.shared.stripes(), displacement, operands),
            None => self.swap_across(operands, rank, displacement),
        }
    }

    /// Whether a flush of a rank has nothing to do but to let others run. False if it takes the general way.
    #[inline(always)]
    pub(super) fn is_flushed(&self, rank: i32) -> bool {
        let seat = rank.cast_unsigned();
        let is_rank = (seat as usize) < self.reach.len();
        let is_open = is_rank && self.open.is_locked(seat) && !instrument::on();
        is_open && (self.is_direct || self.is_unchecked && self.open.is_clean())
    }

    /// [`Window::flush`] where there is nothing to do, not even to let others run. False, with nothing done, if that
    /// takes a longer way.
    #[inline(always)]
    #[must_use]
    pub fn flush_at_once(&self, rank: i32) -> bool {
        let is_over = self.is_flushed(rank) && self.goes_on();
        // Operations at hand are done at any pace.
        if is_over && !self.is_direct {
            self.pace.end();
        }
        is_over
    }
}

/// Where so many bytes at a displacement, in units of so many bytes, begin in memory of this length; none if they are
/// not all inside.
#[inline(always)]
fn start_within((displacement, unit): (isize, usize), bytes: usize, length: u64) -> Option<u64> {
    let start = displacement.checked_mul(unit.cast_signed())?;
    // A negative one is a number that is too large.
    let start = start.cast_unsigned() as u64;
    (start <= length && bytes as u64 <= length - start).then_some(start)
}
