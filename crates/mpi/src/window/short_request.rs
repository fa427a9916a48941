//! The short way of operations on memory of other processes of the node, as a request to the other process: elements
//! of one predefined datatype without gaps, as many at the target as at the origin. So go updates, and puts and gets
//! if the other process answers sooner than the kernel copies: it looks for packets just then, and system calls take
//! long on this machine. An operation for which the rank is going to wait soon (`pace`) is a packet by itself; others
//! wait to be sent together (`batch`). To what brings nothing, nothing is replied: the other process tells how much
//! it has handled (`Network::await_handled`), or the epoch ends there, too (`tallies`). Nothing is done here where it
//! cannot be told that all is right: then the general way tells what is wrong, or does it (`remote`).
//!
//! Costs: a few loads, and what a packet takes, or a copy to others that wait for one; and with a reply what that
//! takes, and an entry in the table of replies.

use super::Window;
use super::across::start_within;
use super::batch::{Replies, SHORT};
use super::packet::{Kind, SHORTEST_HEADER, write_header};
use super::remote::BYTE;
use super::transfer::LEAST;
use crate::datatype::Datatype;
use crate::instrument;
use crate::memory::{self, Dense, Run, Source, Target, Update};
use crate::op::{BuiltinOp, numbers_of};
use simurgh_net::HostId;

/// An operation on elements that follow each other.
struct ShortRequest<'a> {
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

impl ShortRequest<'_> {
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
        let request = ShortRequest {
            kind: Kind::Accumulate,
            detail: op as u16,
            unit: origin.datatype(),
            count: origin.count(),
            carried: origin.bytes(),
            result: None,
        };
        origin.is_contiguous()
            && self.request_across(&request, rank, displacement, &mut |room| {
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
        let request = ShortRequest {
            kind: Kind::GetAccumulate,
            detail: op as u16,
            unit: origin.datatype(),
            count: 1,
            carried: origin.bytes(),
            result: Some(result),
        };
        let are_alike = origin.count() == 1 && is_one(result, origin) && !known.ignores_input();
        are_alike
            && self.request_across(&request, rank, displacement, &mut |room| {
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
        let request = ShortRequest {
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
            && self.request_across(&request, rank, displacement, &mut |room| {
                memory::pack(compare, &mut room[..size]);
                memory::pack(origin, &mut room[size..]);
            })
    }

    /// [`Window::put_plain`] to memory of another process, if that answers soon.
    pub(super) fn put_in_request(&self, origin: Dense<*const u8>, rank: i32, displacement: isize) -> bool {
        let request = ShortRequest {
            kind: Kind::Put,
            detail: 0,
            unit: &BYTE,
            count: origin.bytes(),
            carried: origin.bytes(),
            result: None,
        };
        self.request_across(&request, rank, displacement, &mut |room| origin.copy_to(room))
    }

    /// [`Window::get_plain`] of memory of another process, if that answers soon.
    pub(super) fn get_in_request(&self, origin: Dense<*mut u8>, rank: i32, displacement: isize) -> bool {
        let request = ShortRequest {
            kind: Kind::Get,
            detail: 0,
            unit: &BYTE,
            count: origin.bytes(),
            carried: 0,
            result: Some(&origin.target()),
        };
        self.request_across(&request, rank, displacement, &mut |_| ())
    }

    /// Sends a request with the data that `fill` writes. False if that has not been done.
    fn request_across(
        &self,
        request: &ShortRequest<'_>,
        rank: i32,
        displacement: isize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> bool {
        // A negative rank is a number that is too large.
        let seat = rank.cast_unsigned();
        let Some((host, start)) = self.place_across(request, seat, displacement) else {
            return false;
        };
        let Some(replies) = self.replies_across(request, host) else {
            return false;
        };
        self.pace.note();
        let run = Run {
            offset: start,
            count: request.count,
        };
        let unit = numbers_of(request.unit);
        self.send_request(
            host,
            self.label(request.kind, request.detail, seat),
            replies,
            SHORTEST_HEADER + request.carried,
            &mut |room| fill(write_header((unit, 0), &[run], 0, room)),
        );
        self.epochs().note_sent(host, replies);
        true
    }

    /// The process of a rank, and where the elements at a displacement begin in its part, if the request may go the
    /// short way.
    fn place_across(
        &self,
        request: &ShortRequest<'_>,
        seat: u32,
        displacement: isize,
    ) -> Option<(HostId, isize)> {
        let part = self.shared.find_part(seat)?;
        let bytes = request.bytes();
        let start = start_within((displacement, part.unit()), bytes, part.bytes() as u64)?;
        let is_short = bytes > 0 && bytes <= SHORT;
        let is_plain = !instrument::on() && !self.meter.is_always_on() && self.is_told_by_replies();
        let is_elsewhere = part.host() != self.process().job().layout().own();
        let is_near = is_elsewhere && part.node_index().is_some();
        let may_go = is_short && is_plain && is_near && self.open.allows(seat);
        may_go.then_some((part.host(), start as isize))
    }

    /// What is replied to a request; none if it had better go another way.
    fn replies_across(&self, request: &ShortRequest<'_>, host: HostId) -> Option<Replies> {
        let (bytes, is_slow) = (request.bytes(), self.pace.is_slow());
        let (network, is_short) = (self.network(), bytes < LEAST);
        let is_sooner = match request.kind {
            Kind::Put if self.ends_at_targets() => is_short || network.is_slow_to_access(host, bytes),
            Kind::Put if !is_slow && is_short => true,
            Kind::Put | Kind::Get => network.answers_sooner(host, bytes),
            _ => true,
        };
        match (is_slow, request.result) {
            _ if !is_sooner => None,
            (true, result) => Some(self.replies_soon(host, result.cloned())),
            (false, None) => Some(Replies::Nothing),
            (false, Some(_)) => None,
        }
    }
}

/// Whether a result is one element like those of an origin.
fn is_one(result: &Target, origin: &Source) -> bool {
    result.count() == 1 && result.datatype() == origin.datatype()
}
