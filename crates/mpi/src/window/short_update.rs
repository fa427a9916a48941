//! The short way of updates of memory of other processes of the node: elements of one predefined datatype without gaps,
//! as many at the target as at the origin, for which the rank is going to wait soon (`pace`). Each is a request by
//! itself, the reply to which says as much as one to a flush. It does nothing where it cannot tell that all is right:
//! then the general way tells what is wrong, or does it (`remote`).
//!
//! Costs: what the packet and its reply take, an entry in the table of replies, and a few loads.

use super::Window;
use super::across::start_within;
use super::batch::{Replies, SHORT};
use super::packet::{Kind, SHORTEST_HEADER, write_header};
use crate::datatype::Datatype;
use crate::instrument;
use crate::memory::{self, Run, Source, Target, Update};
use crate::op::{BuiltinOp, numbers_of};
use simurgh_net::HostId;

/// An update of elements that follow each other.
struct ShortUpdate<'a> {
    kind: Kind,
    /// The number of the operation, if the kind has one.
    detail: u16,
    unit: &'a Datatype,
    count: usize,
    /// Bytes of data that go there.
    carried: usize,
    /// The place of the data of the reply, if it has some.
    result: Option<&'a Target>,
}

impl ShortUpdate<'_> {
    /// Bytes of the elements.
    fn bytes(&self) -> usize {
        self.count.saturating_mul(self.unit.size())
    }
}

impl Window {
    /// [`Window::accumulate_plain`] in memory of another process.
    #[cold]
    #[inline(never)]
    pub(super) fn accumulate_across(
        &self,
        (origin, op): (&Source, BuiltinOp),
        rank: i32,
        displacement: isize,
    ) -> bool {
        let update = ShortUpdate {
            kind: Kind::Accumulate,
            detail: op as u16,
            unit: origin.datatype(),
            count: origin.count(),
            carried: origin.bytes(),
            result: None,
        };
        origin.is_contiguous()
            && self.update_across(&update, rank, displacement, &mut |room| {
                memory::pack(origin, room);
            })
    }

    /// [`Window::fetch_plain`] in memory of another process.
    #[cold]
    #[inline(never)]
    pub(super) fn fetch_across(
        &self,
        (origin, op, known): (&Source, BuiltinOp, &Update),
        result: &Target,
        rank: i32,
        displacement: isize,
    ) -> bool {
        let update = ShortUpdate {
            kind: Kind::GetAccumulate,
            detail: op as u16,
            unit: origin.datatype(),
            count: 1,
            carried: origin.bytes(),
            result: Some(result),
        };
        let are_alike = origin.count() == 1 && is_one(result, origin) && !known.ignores_input();
        are_alike
            && self.update_across(&update, rank, displacement, &mut |room| {
                memory::pack(origin, room);
            })
    }

    /// [`Window::swap_plain`] in memory of another process.
    #[cold]
    #[inline(never)]
    pub(super) fn swap_across(
        &self,
        (origin, compare): (&Source, &Source),
        result: &Target,
        rank: i32,
        displacement: isize,
    ) -> bool {
        let size = origin.bytes();
        let update = ShortUpdate {
            kind: Kind::CompareAndSwap,
            detail: 0,
            unit: origin.datatype(),
            count: 1,
            carried: 2 * size,
            result: Some(result),
        };
        let are_alike = origin.count() == 1
            && compare.count() == 1
            && compare.datatype() == origin.datatype()
            && is_one(result, origin);
        are_alike
            && self.update_across(&update, rank, displacement, &mut |room| {
                memory::pack(compare, &mut room[..size]);
                memory::pack(origin, &mut room[size..]);
            })
    }

    /// Sends an update with the data that `fill` writes. False if that has not been done.
    fn update_across(
        &self,
        update: &ShortUpdate<'_>,
        rank: i32,
        displacement: isize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> bool {
        // A negative rank is a number that is too large.
        let seat = rank.cast_unsigned();
        let Some((host, start)) = self.place_across(seat, displacement, update.bytes()) else {
            return false;
        };
        self.pace.note();
        let user = self.process().id() as usize;
        let replies = self.network().expect(user, host, update.result.cloned(), 1, None);
        let run = Run {
            offset: start,
            count: update.count,
        };
        let unit = numbers_of(update.unit);
        self.send_request(
            host,
            self.label(update.kind, update.detail, seat),
            Replies::Soon(replies),
            SHORTEST_HEADER + update.carried,
            &mut |room| fill(write_header((unit, 0), &[run], 0, room)),
        );
        self.epochs().note_sent(host);
        true
    }

    /// The process of a rank, and where so many bytes at a displacement begin in its part, if updates of them go the
    /// short way now.
    fn place_across(&self, seat: u32, displacement: isize, bytes: usize) -> Option<(HostId, isize)> {
        let part = self.shared.find_part(seat)?;
        let start = start_within((displacement, part.unit()), bytes, part.bytes() as u64)?;
        let is_short = bytes > 0 && bytes <= SHORT;
        let is_plain = !instrument::on() && !self.meter.is_always_on() && self.is_told_by_replies();
        let may_be = is_short && is_plain && part.node_index().is_some();
        (may_be && self.pace.is_slow() && self.open.allows(seat)).then_some((part.host(), start as isize))
    }
}

/// Whether a result is one element like those of an origin.
fn is_one(result: &Target, origin: &Source) -> bool {
    result.count() == 1 && result.datatype() == origin.datatype()
}
