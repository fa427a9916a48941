//! Operations on memory that this host cannot access: active messages to the target's host.

use super::access_log::Ends;
use super::batch::{Replies, SHORT};
use super::conflict::flush_label;
use super::epoch::Dirty;
use super::operation::Located;
use super::packet::{Chunk, Kind, Label, chunks};
use super::transfer::Outcome;
use super::{Flavor, Window};
use crate::datatype::{Basic, Datatype};
use crate::error::{Result, Status};
use crate::memory::{self, Runs, Source, Target, Update};
use crate::network::{Data, Network};
use crate::op::{BuiltinOp, numbers_of};
use crate::request::{Request, Waiter};
use simurgh_core::sync::Arc;
use simurgh_net::HostId;

/// The elements of a copy.
pub(super) const BYTE: Datatype = Datatype::Basic(Basic::Byte);

impl Window {
    pub(super) fn network(&self) -> &Network {
        self.process().job().connected()
    }

    /// The label of a request of this rank.
    #[inline]
    pub(super) fn label(&self, kind: Kind, detail: u16, target: u32) -> Label {
        Label {
            window: self.shared.id(),
            kind,
            detail,
            target,
            origin: self.comm.seat() as u32,
        }
    }

    /// The packets of an operation on elements of `unit`.
    fn chunks_of(&self, located: &Located<'_>, unit: &Datatype, carried: bool) -> Vec<Chunk> {
        let capacity = self.network().request_capacity(located.part.host());
        let runs = Runs::new(located.datatype, located.count, unit);
        chunks(runs, (unit.size(), unit.extent()), carried, capacity)
    }

    /// Sends an operation on some runs, with elements that `fill` writes from their position on.
    pub(super) fn send_chunk(
        &self,
        located: &Located<'_>,
        label: Label,
        (unit, chunk): (&Datatype, &Chunk),
        replies: Replies,
        carried: usize,
        fill: &mut dyn FnMut(usize, &mut [u8]),
    ) {
        let length = chunk.header_bytes() + carried;
        let unit = numbers_of(unit);
        self.send_request(located.part.host(), label, replies, length, &mut |room| {
            let rest = chunk.write(unit, located.displacement, room);
            fill(chunk.position, rest);
        });
    }

    /// The packets of an operation with the data of the origin, as far as it goes.
    pub(super) fn data_chunks(&self, origin: &Source, located: &Located<'_>, unit: &Datatype) -> Vec<Chunk> {
        let mut left = origin.bytes();
        let mut chunks = self.chunks_of(located, unit, true);
        for chunk in &mut chunks {
            chunk.cut(left, unit.size());
            left -= chunk.bytes;
        }
        chunks
    }

    /// Sends one of [these](Window::data_chunks).
    pub(super) fn send_data_chunk(
        &self,
        origin: &Source,
        located: &Located<'_>,
        label: Label,
        (unit, chunk): (&Datatype, &Chunk),
        replies: Replies,
    ) {
        self.send_chunk(
            located,
            label,
            (unit, chunk),
            replies,
            chunk.bytes,
            &mut |position, room| {
                memory::pack_from(origin, position, room);
            },
        );
    }

    /// Sends an operation on elements of a unit, with the data of the origin. Something may be replied to the last
    /// request.
    fn send_data(
        &self,
        origin: &Source,
        located: &Located<'_>,
        label: Label,
        (unit, replies): (&Datatype, Replies),
    ) {
        let chunks = self.data_chunks(origin, located, unit);
        let last = chunks.len().saturating_sub(1);
        for (index, chunk) in chunks.iter().enumerate() {
            let replies = if index == last { replies } else { Replies::Nothing };
            self.send_data_chunk(origin, located, label, (unit, chunk), replies);
        }
        self.note_sent(located.part.host(), replies);
    }

    /// Notes an update. Whether the rank is going to wait for it soon, so that it had better be sent at once, and the
    /// reply to it says as much as one to a flush.
    fn begin_update(&self, located: &Located<'_>) -> bool {
        located.part.node_index().is_some() && self.is_told_by_replies() && self.pace.begin()
    }

    /// Whether a reply to the last request to a host says as much as one to a flush: no error can be untold then, and
    /// no access is noted.
    pub(super) fn is_told_by_replies(&self) -> bool {
        self.flavor() != Flavor::Dynamic && self.shared.access_logs().is_none()
    }

    /// What is replied to a request that is to be handled soon, and brings this: nothing, if it brings nothing and the
    /// host tells how many it has handled.
    pub(super) fn replies_soon(&self, host: HostId, result: Option<Target>) -> Replies {
        if result.is_none() && self.network().tells_handled(host) {
            return Replies::NothingSoon;
        }
        let user = self.process().id() as usize;
        Replies::Soon(self.network().expect(user, host, result, 1, None))
    }

    /// Expects so many replies of a host, with data for a target. If that is long, it had better come soon, too.
    fn replies_to(
        &self,
        (host, is_soon): (HostId, bool),
        target: &Target,
        count: u32,
        waiter: Option<Waiter>,
    ) -> Replies {
        let user = self.process().id() as usize;
        let kind = match waiter {
            None if is_soon => Replies::Soon,
            None if target.bytes() <= SHORT => Replies::Later,
            _ => Replies::Awaited,
        };
        let target = Some(target.clone());
        kind(self.network().expect(user, host, target, count, waiter))
    }

    /// Whether the data is read later, so that the waiter is completed when that is over.
    pub(super) fn put_remote(
        &self,
        origin: &Source,
        located: &Located<'_>,
        waiter: impl FnOnce() -> Option<Waiter>,
    ) -> bool {
        let data = (Data::Put(origin.clone()), origin.bytes());
        let outcome = self.transfer(located, data, waiter);
        if outcome != Outcome::Left {
            return outcome == Outcome::Begun;
        }
        let label = self.label(Kind::Put, 0, located.seat);
        self.send_data(origin, located, label, (&BYTE, Replies::Nothing));
        false
    }

    /// Whether replies are expected, the last of which completes the waiter.
    pub(super) fn get_remote(
        &self,
        origin: &Target,
        located: &Located<'_>,
        waiter: impl FnOnce() -> Option<Waiter>,
    ) -> bool {
        let waiter = waiter();
        let data = (Data::Get(origin.clone()), located.bytes());
        let outcome = self.transfer(located, data, || waiter.clone());
        if outcome != Outcome::Left {
            return outcome == Outcome::Begun;
        }
        let label = self.label(Kind::Get, 0, located.seat);
        let chunks = self.chunks_of(located, &BYTE, false);
        if chunks.is_empty() {
            return false;
        }
        let host = located.part.host();
        let count = chunks.len() as u32;
        let replies = self.replies_to((host, false), origin, count, waiter);
        for chunk in &chunks {
            self.send_chunk(located, label, (&BYTE, chunk), replies, 0, &mut |_, _| ());
        }
        self.note_sent(host, replies);
        true
    }

    pub(super) fn accumulate_remote(
        &self,
        origin: &Source,
        located: &Located<'_>,
        (update, op): (&Update, BuiltinOp),
    ) {
        let label = self.label(Kind::Accumulate, op as u16, located.seat);
        let replies = match self.begin_update(located) {
            true => self.replies_soon(located.part.host(), None),
            false => Replies::Nothing,
        };
        self.send_data(origin, located, label, (update.unit(), replies));
    }

    /// As [`Window::get_remote`]. The origin has no data if the operation ignores it.
    pub(super) fn get_accumulate_remote(
        &self,
        origin: &Source,
        result: &Target,
        located: &Located<'_>,
        (update, op): (&Update, BuiltinOp),
        waiter: impl FnOnce() -> Option<Waiter>,
    ) -> bool {
        let unit = update.unit();
        let label = self.label(Kind::GetAccumulate, op as u16, located.seat);
        let carried = !update.ignores_input();
        let chunks = self.chunks_of(located, unit, carried);
        if chunks.is_empty() {
            return false;
        }
        let host = located.part.host();
        let count = chunks.len() as u32;
        let is_soon = self.begin_update(located);
        let replies = self.replies_to((host, is_soon), result, count, waiter());
        for chunk in &chunks {
            let bytes = if carried { chunk.bytes } else { 0 };
            self.send_chunk(
                located,
                label,
                (unit, chunk),
                replies,
                bytes,
                &mut |position, room| {
                    memory::pack_from(origin, position, room);
                },
            );
        }
        self.note_sent(host, replies);
        true
    }

    /// As [`Window::get_remote`].
    pub(super) fn compare_and_swap_remote(
        &self,
        (origin, compare): (&Source, &Source),
        result: &Target,
        located: &Located<'_>,
        waiter: impl FnOnce() -> Option<Waiter>,
    ) -> bool {
        let unit = located.datatype;
        let label = self.label(Kind::CompareAndSwap, 0, located.seat);
        let chunks = self.chunks_of(located, unit, false);
        let host = located.part.host();
        let is_soon = self.begin_update(located);
        let replies = self.replies_to((host, is_soon), result, 1, waiter());
        let size = unit.size();
        for chunk in &chunks {
            self.send_chunk(
                located,
                label,
                (unit, chunk),
                replies,
                2 * size,
                &mut |_, room| {
                    memory::pack(compare, &mut room[..size]);
                    memory::pack(origin, &mut room[size..]);
                },
            );
        }
        self.note_sent(host, replies);
        true
    }

    /// Sends requests without data to a host, to each of these targets, and returns what is complete when it has
    /// replied to all. There is one at least.
    pub(super) fn ask_host(&self, host: HostId, labels: &[Label]) -> Arc<Request> {
        let process = self.process();
        let request = process.requests().take_receive();
        let waiter = Waiter::Request(Arc::clone(&request));
        let (network, user) = (self.network(), process.id() as usize);
        let replies = network.expect(user, host, None, labels.len() as u32, Some(waiter));
        for label in labels {
            self.send_request(host, *label, Replies::Awaited(replies), 0, &mut |_| ());
        }
        request
    }

    /// Waits for the replies of a host to [`Window::ask_host`].
    pub(super) fn await_host(&self, host: HostId, request: Arc<Request>) -> Result<()> {
        let status = request.wait();
        self.process().requests().give_back(request);
        if status.error.is_success() {
            Ok(())
        } else {
            Err(self.told(host, status.error))
        }
    }

    /// Waits for the replies of hosts to [`Window::ask_host`].
    pub(super) fn await_hosts(&self, asked: Vec<(HostId, Arc<Request>)>) -> Result<()> {
        let mut outcome = Ok(());
        for (host, request) in asked {
            outcome = outcome.and(self.await_host(host, request));
        }
        outcome
    }

    /// Sends a request to which nothing is replied.
    pub(super) fn tell_host(&self, host: HostId, label: Label) {
        self.send_request(host, label, Replies::Nothing, 0, &mut |_| ());
    }

    /// Waits until all operations sent to a host have been done, which ends those on a target.
    pub(super) fn flush_host(&self, host: HostId, ends: Ends, target: u32) -> Result<()> {
        let _turn = self.take_turn();
        let transferred = self.await_transfers(Some(host));
        let Some(dirty) = self.epochs().take_dirty(host) else {
            return transferred;
        };
        if self.await_soon(&dirty) {
            self.packets_arrived();
            return transferred;
        }
        let label = flush_label(self.label(Kind::Flush, 0, 0), ends, Some(target));
        let request = self.ask_flush(&dirty, label);
        let flushed = self.await_host(host, request);
        self.packets_arrived();
        self.keep_dirty(&[dirty]);
        transferred.and(flushed)
    }

    /// Whether a host says that it has handled all requests without being asked. If not, what waits had better go with
    /// the question.
    fn tells_unasked(&self, dirty: &Dirty) -> bool {
        let tells = match dirty.replies {
            true => dirty.last.is_some(),
            false => self.network().tells_handled(dirty.host),
        };
        tells && self.is_told_by_replies()
    }

    /// Sends what waits for a host that tells unasked, and waits until it has handled all requests, for as long as
    /// nobody else could use the processor. False if it has to be asked, or is late.
    fn await_soon(&self, dirty: &Dirty) -> bool {
        if !self.tells_unasked(dirty) {
            return false;
        }
        self.send_waiting(dirty.host);
        match dirty.last {
            Some(last) => self.network().await_replies(last, dirty.host),
            None => self.network().await_handled(dirty.host),
        }
    }

    /// Sends what waits for a host, and returns what is complete when it has handled all requests: its reply to the
    /// last one, or to a question.
    fn ask_flush(&self, dirty: &Dirty, label: Label) -> Arc<Request> {
        let last = dirty.last.filter(|_| self.is_told_by_replies());
        let Some(last) = last else {
            return self.ask_host(dirty.host, &[label]);
        };
        let request = self.process().requests().take_receive();
        let waiter = Waiter::Request(Arc::clone(&request));
        if !self.network().complete_with(last, dirty.host, waiter) {
            request.settle(&Status::EMPTY);
        }
        self.send_waiting(dirty.host);
        request
    }

    /// Has the next flush ask these hosts again where accesses are checked: they have noted accesses that are not over
    /// yet, to other targets or with effects at the target.
    fn keep_dirty(&self, hosts: &[Dirty]) {
        if self.shared.access_logs().is_some() {
            let mut epochs = self.epochs();
            hosts.iter().for_each(|dirty| epochs.note_dirty(*dirty, false));
        }
    }

    /// Waits until all operations sent to other hosts have been done.
    #[inline]
    pub(super) fn flush_hosts(&self, ends: Ends) -> Result<()> {
        self.end_accesses(ends, None);
        self.pace.end();
        if self.epochs().is_clean() {
            return Ok(());
        }
        self.flush_all_dirty(ends)
    }

    #[cold]
    fn flush_all_dirty(&self, ends: Ends) -> Result<()> {
        let _turn = self.take_turn();
        let transferred = self.await_transfers(None);
        let dirty = std::mem::take(&mut self.epochs().dirty);
        let label = flush_label(self.label(Kind::Flush, 0, 0), ends, None);
        let unasked = dirty.iter().filter(|dirty| self.tells_unasked(dirty));
        unasked.for_each(|dirty| self.send_waiting(dirty.host));
        // After the first one that is late, nobody is waited for one by one.
        let in_time = dirty.iter().take_while(|dirty| self.await_soon(dirty)).count();
        let ask = |dirty: &Dirty| (dirty.host, self.ask_flush(dirty, label));
        let flushed = self.await_hosts(dirty[in_time..].iter().map(ask).collect());
        self.packets_arrived();
        if ends == Ends::AtOrigin {
            self.keep_dirty(&dirty);
        }
        transferred.and(flushed)
    }
}

impl Chunk {
    /// Cuts the chunk to at most so many bytes of elements of a size.
    fn cut(&mut self, bytes: usize, size: usize) {
        let mut left = bytes / size;
        if left * size >= self.bytes {
            return;
        }
        self.runs.retain_mut(|run| {
            run.count = run.count.min(left);
            left -= run.count;
            run.count > 0
        });
        self.bytes = self.runs.iter().map(|run| run.count * size).sum();
    }
}
