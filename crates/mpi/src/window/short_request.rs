//! The short way of operations on memory of other processes of the node, as a request to the other process: elements
//! of one predefined datatype without gaps, as many at the target as at the origin. So go updates, and puts and gets
//! if the other process answers sooner than the kernel copies: it looks for packets just then, and system calls take
//! long on this machine. An operation for which the rank is going to wait soon (`pace`) is a packet by itself; others
//! wait to be sent together (`batch`). To what brings nothing, nothing is replied: the other process tells how much
//! it has handled (`Network::await_handled`), or the epoch ends there, too (`tallies`). Nothing is done here where it
//! cannot be told that all is right: then the general way tells what is wrong, or does it (`remote`).
//!
//! What brings up to eight bytes for which the rank is going to wait soon is answered by a word, and done when the call
//! returns (`network/answer`).
//!
//! Costs: a few loads, and what a packet takes, or a copy to others that wait for one; and with a reply what that
//! takes, and an entry in the table of replies; or with an answer a line from the other process.

use super::Window;
use super::batch::{Replies, SHORT};
use super::packet::{Kind, SHORTEST_HEADER, write_header};
use super::plain::OtherPlace;
use super::transfer::LEAST;
use crate::datatype::Basic;
use crate::memory::{self, Dense, Operands, Run, Update};
use crate::network::{ANSWER, Answer};
use crate::op::{BuiltinOp, numbers_of};
use simurgh_net::HostId;

/// An operation on elements that follow each other.
struct ShortRequest {
    kind: Kind,
    /// The number of the operation, if the kind has one.
    detail: u16,
    unit: Basic,
    count: usize,
    /// Bytes of the elements.
    bytes: usize,
    /// Bytes of data that go there.
    carried: usize,
    /// The place of the data of the reply, if it has some.
    result: Option<Dense<*mut u8>>,
}

impl Window {
    /// [`Window::accumulate_plain`] in memory of another process.
    #[cold]
    #[inline(never)]
    pub(super) fn accumulate_across(
        &self,
        (origin, op): (Dense<*const u8>, BuiltinOp),
        rank: i32,
        displacement: isize,
    ) -> bool {
        let request = ShortRequest {
            kind: Kind::Accumulate,
            detail: op as u16,
            unit: origin.basic(),
            count: origin.bytes() / origin.basic().size(),
            bytes: origin.bytes(),
            carried: origin.bytes(),
            result: None,
        };
        self.near_place(rank, displacement, origin.bytes())
            .is_some_and(|place| self.request_across(&request, place, &mut |room| origin.copy_to(room)))
    }

    /// [`Window::fetch_plain`] in memory of another process.
    #[cold]
    #[inline(never)]
    pub(super) fn fetch_across(
        &self,
        operands: Operands,
        (op, known): (BuiltinOp, &Update),
        rank: i32,
        displacement: isize,
    ) -> bool {
        let origin = operands.input();
        let request = ShortRequest {
            kind: Kind::GetAccumulate,
            detail: op as u16,
            unit: origin.basic(),
            count: 1,
            bytes: origin.bytes(),
            carried: origin.bytes(),
            result: Some(operands.result()),
        };
        if known.ignores_input() {
            return false;
        }
        self.near_place(rank, displacement, origin.bytes())
            .is_some_and(|place| self.request_across(&request, place, &mut |room| origin.copy_to(room)))
    }

    /// [`Window::swap_plain`] in memory of another process.
    #[cold]
    #[inline(never)]
    pub(super) fn swap_across(&self, operands: Operands, rank: i32, displacement: isize) -> bool {
        let origin = operands.input();
        let size = origin.bytes();
        let Some(compare) = operands.compare() else {
            return false;
        };
        let request = ShortRequest {
            kind: Kind::CompareAndSwap,
            detail: 0,
            unit: operands.basic(),
            count: 1,
            bytes: size,
            carried: 2 * size,
            result: Some(operands.result()),
        };
        let mut fill = |room: &mut [u8]| {
            compare.copy_to(&mut room[..size]);
            origin.copy_to(&mut room[size..]);
        };
        self.near_place(rank, displacement, size)
            .is_some_and(|place| self.request_across(&request, place, &mut fill))
    }

    /// [`Window::put_plain`] to memory of another process, if that answers soon.
    pub(super) fn put_in_request(&self, origin: Dense<*const u8>, place: OtherPlace) -> bool {
        let request = ShortRequest {
            kind: Kind::Put,
            detail: 0,
            unit: Basic::Byte,
            count: origin.bytes(),
            bytes: origin.bytes(),
            carried: origin.bytes(),
            result: None,
        };
        self.request_across(&request, place, &mut |room| origin.copy_to(room))
    }

    /// [`Window::get_plain`] of memory of another process, if that answers soon.
    pub(super) fn get_in_request(&self, origin: Dense<*mut u8>, place: OtherPlace) -> bool {
        let request = ShortRequest {
            kind: Kind::Get,
            detail: 0,
            unit: Basic::Byte,
            count: origin.bytes(),
            bytes: origin.bytes(),
            carried: 0,
            result: Some(origin),
        };
        self.request_across(&request, place, &mut |_| ())
    }

    /// Does an operation by a request with the data that `fill` writes. False if that has not been done.
    fn request_across(
        &self,
        request: &ShortRequest,
        place: OtherPlace,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> bool {
        let host = place.host;
        if request.bytes > SHORT || !self.is_sooner_asked(request, host) {
            return false;
        }
        if let Some(answer) = self.expect_answer(request, host) {
            self.send_short(request, place, Replies::Awaited(answer.handle()), fill);
            return self.take_answer(&answer, request, host);
        }
        let Some(replies) = self.replies_across(request, host) else {
            return false;
        };
        self.send_short(request, place, replies, fill);
        self.note_sent(host, replies);
        true
    }

    /// Sends a request.
    #[inline]
    fn send_short(
        &self,
        request: &ShortRequest,
        OtherPlace {
            seat, host, start, ..
        }: OtherPlace,
        replies: Replies,
        fill: &mut dyn FnMut(&mut [u8]),
    ) {
        self.pace.note();
        let run = Run {
            offset: start as isize,
            count: request.count,
        };
        let unit = numbers_of(&request.unit.into());
        self.send_request(
            host,
            self.label(request.kind, request.detail, seat),
            replies,
            SHORTEST_HEADER + request.carried,
            &mut |room| fill(write_header((unit, 0), &[run], 0, room)),
        );
    }

    /// Whether a request is done sooner than what else could be.
    fn is_sooner_asked(&self, request: &ShortRequest, host: HostId) -> bool {
        let bytes = request.bytes;
        let (network, is_short) = (self.network(), bytes < LEAST);
        match request.kind {
            Kind::Put if self.ends_at_targets() => is_short || network.is_slow_to_access(host, bytes),
            Kind::Put if !self.pace.is_slow() && is_short => true,
            Kind::Put | Kind::Get => network.answers_sooner(host, bytes),
            _ => true,
        }
    }

    /// What is replied to a request; none if it had better go another way.
    fn replies_across(&self, request: &ShortRequest, host: HostId) -> Option<Replies> {
        match (self.pace.is_slow(), &request.result) {
            (true, result) => Some(self.replies_soon(host, result.as_ref().map(Dense::target))),
            (false, None) => Some(Replies::Nothing),
            (false, Some(_)) => None,
        }
    }

    /// Awaits an answer by a word to the next request, if that is possible, and the rank is going to wait for it soon.
    fn expect_answer(&self, request: &ShortRequest, host: HostId) -> Option<Answer<'_>> {
        let fits = request
            .result
            .as_ref()
            .is_some_and(|result| result.bytes() <= ANSWER);
        let may_be = fits && self.pace.is_slow() && self.batches.are_empty();
        may_be.then(|| self.network().expect_answer(host)).flatten()
    }

    /// Waits for the answer to a request. False if the request has been refused.
    fn take_answer(&self, answer: &Answer<'_>, request: &ShortRequest, host: HostId) -> bool {
        let word = answer.wait().or_else(|| {
            let asked = self.ask_host(host, &[self.label(Kind::Flush, 0, 0)]);
            self.await_host(host, asked).ok()?;
            answer.get()
        });
        let (Some(word), Some(result)) = (word, &request.result) else {
            return false;
        };
        memory::unpack(&word[..result.bytes()], &result.target());
        true
    }
}
