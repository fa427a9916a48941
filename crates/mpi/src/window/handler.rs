//! The handler of other hosts' requests: operations on the memory of this host's ranks, and their locks.
//!
//! It believes nothing: a request for a window, a rank or memory that is not there changes nothing.

use super::access::Access;
use super::access_log::Ends;
use super::batch::{Entry, entries};
use super::error::not_free;
use super::lock::Lock;
use super::packet::{Incoming, Kind, Label};
use super::shared::{Part, WindowShared};
use super::signals::Signal;
use super::sleepers::Bed;
use super::table::WindowTable;
use super::waiters::RemoteWaiter;
use crate::datatype::{Basic, Datatype};
use crate::error::{Error, ErrorClass};
use crate::memory::{self, Target, Update};
use crate::network::{ActiveMessageHandler, ActiveRequest};
use crate::op::unit_of_numbers;
use simurgh_core::sync::Arc;
use simurgh_core::{LockKind, LockRequest};
use smallvec::SmallVec;

/// Handles the requests for the windows of a host.
pub(super) struct Handler(Arc<WindowTable>);

impl Handler {
    pub(super) fn new(table: Arc<WindowTable>) -> Self {
        Self(table)
    }
}

impl ActiveMessageHandler for Handler {
    fn handle(&self, request: &ActiveRequest<'_>) -> Option<()> {
        let label = Label::read(request.numbers)?;
        if label.kind == Kind::Batch {
            return self.handle_batch(request);
        }
        self.handle_one(label, request)
    }
}

impl Handler {
    /// Handles all requests of a batch, also those after one that makes no sense.
    fn handle_batch(&self, batch: &ActiveRequest<'_>) -> Option<()> {
        let handle = |entry: Entry<'_>| {
            let request = batch.inner(entry.numbers, entry.data, entry.replies);
            self.handle_one(Label::read(entry.numbers)?, &request)
        };
        let mut outcome = Some(());
        for handled in entries(batch.data).map(handle) {
            outcome = outcome.and(handled);
        }
        outcome
    }

    fn handle_one(&self, label: Label, request: &ActiveRequest<'_>) -> Option<()> {
        let window = self.0.find(label.window)?;
        let served = Served {
            window: &window,
            label,
            request,
        };
        match label.kind {
            Kind::Put => served.put(),
            Kind::Get => served.get(),
            Kind::Accumulate | Kind::GetAccumulate => served.accumulate(),
            Kind::CompareAndSwap => served.compare_and_swap(),
            Kind::Lock => served.lock(),
            Kind::Unlock => served.unlock(),
            Kind::LockAll => served.lock_all(),
            Kind::UnlockAll => served.unlock_all(),
            Kind::Flush => served.flush(),
            Kind::Access => served.access(),
            Kind::Untold => served.tell(),
            Kind::Expose => served.expose(),
            Kind::Post => served.signal(Signal::Post),
            Kind::Complete => served.signal(Signal::Complete),
            Kind::Granted => window.grant(label.target, label.origin, Some(request.network)),
            Kind::Batch => None,
            Kind::Wake => window
                .local(label.target as usize)
                .and_then(|_| window.wake(label.target, Bed::of_number(label.detail)?, None)),
        }
    }
}

/// The elements of the runs of a request; most requests have one run.
type Targets = SmallVec<[Target; 1]>;

/// A request that is being served.
struct Served<'a> {
    window: &'a WindowShared,
    label: Label,
    request: &'a ActiveRequest<'a>,
}

impl Served<'_> {
    /// The elements of all runs. The origin is told later if some are not there.
    fn targets(&self, incoming: &Incoming<'_>, unit: &Datatype) -> Option<Targets> {
        let seat = self.label.target as usize;
        self.window.local(seat)?;
        let mut targets = Targets::new();
        for (offset, count) in incoming.runs() {
            match self.window.target(seat, offset, count, unit)? {
                Ok(target) => targets.push(target),
                Err(error) => {
                    self.request.refuse(error.class().into());
                    self.tell_later(error);
                    return None;
                }
            }
        }
        Some(targets)
    }

    fn put(&self) -> Option<()> {
        let incoming = Incoming::read(self.request.data)?;
        let mut elements = incoming.elements;
        for target in &self.targets(&incoming, &Datatype::Basic(Basic::Byte))? {
            let (these, rest) = elements.split_at_checked(target.bytes())?;
            memory::unpack(these, target);
            elements = rest;
        }
        self.conclude();
        Some(())
    }

    /// The most bytes of a reply.
    fn capacity(&self) -> usize {
        self.request.network.request_capacity(self.request.from)
    }

    fn get(&self) -> Option<()> {
        let incoming = Incoming::read(self.request.data)?;
        let bytes = incoming.bytes(1, self.capacity())?;
        let targets = self.targets(&incoming, &Datatype::Basic(Basic::Byte))?;
        self.request.reply(incoming.position, bytes, &mut |room| {
            let mut rest = room;
            for target in &targets {
                let (these, others) = rest.split_at_mut(target.bytes());
                memory::pack(&target.as_source(), these);
                rest = others;
            }
        });
        Some(())
    }

    fn accumulate(&self) -> Option<()> {
        let incoming = Incoming::read(self.request.data)?;
        let [first, second] = incoming.unit;
        let update = Update::of_numbers([self.label.detail, first, second])?;
        let size = update.size();
        let bytes = incoming.bytes(size, self.capacity())?;
        let carried = incoming.elements.len() == bytes || update.ignores_input();
        let targets = carried.then(|| self.targets(&incoming, update.unit()))??;
        let stripes = self.window.stripes();
        let input = |position: usize| incoming.elements.get(position..).unwrap_or_default();
        let mut position = 0;
        if self.label.kind == Kind::Accumulate {
            for target in &targets {
                update.apply_packed(stripes, input(position), target, None);
                position += target.count() * size;
            }
            self.conclude();
            return Some(());
        }
        self.request.reply(incoming.position, bytes, &mut |room| {
            for target in &targets {
                let end = position + target.count() * size;
                update.apply_packed(stripes, input(position), target, Some(&mut room[position..end]));
                position = end;
            }
        });
        Some(())
    }

    fn compare_and_swap(&self) -> Option<()> {
        let incoming = Incoming::read(self.request.data)?;
        let unit = unit_of_numbers(incoming.unit)?;
        let size = unit.size();
        let targets = self.targets(&incoming, &unit)?;
        let [target] = targets.as_slice() else { return None };
        (incoming.elements.len() == 2 * size && target.count() == 1).then_some(())?;
        let values = incoming.elements.split_at(size);
        self.request.reply(incoming.position, size, &mut |room| {
            memory::compare_and_swap_packed(self.window.stripes(), values, target, room);
        });
        Some(())
    }

    /// The lock of the target, which is taken here for ranks that do not reach it.
    fn lock_of_target(&self) -> Option<Lock<'_>> {
        self.window.lock_of(self.label.target as usize)
    }

    /// The origin, which waits for one lock or all.
    fn waiter(&self, wants_all: bool) -> Option<RemoteWaiter> {
        self.window.find_part(self.label.origin)?;
        let reply_to = self.request.reply_to?;
        Some(RemoteWaiter { reply_to, wants_all })
    }

    fn lock(&self) -> Option<()> {
        let lock = (self.label.target, self.lock_of_target()?);
        let (kind, origin) = (self.label.lock_kind(), self.label.origin);
        let (wanted, waiter) = (LockRequest { kind, origin }, self.waiter(false)?);
        if self.label.is_asserted() && !lock.1.try_acquire(wanted) {
            self.tell_later(not_free(self.label.target));
            self.conclude();
        } else if self.label.is_asserted() || self.window.take_for(lock, wanted, waiter)? {
            self.request.reply(0, 0, &mut |_| ());
        }
        Some(())
    }

    fn unlock(&self) -> Option<()> {
        let lock = (self.label.target, self.lock_of_target()?);
        let target = Some(self.label.target);
        self.window.end_accesses(Ends::All, self.label.origin, target);
        self.window
            .release(lock, self.label.lock_kind(), Some(self.request.network));
        self.conclude();
        Some(())
    }

    fn lock_all(&self) -> Option<()> {
        self.lock_of_target()?;
        self.window
            .take_all(0, self.label.origin, self.waiter(true)?, self.request.network)
    }

    fn unlock_all(&self) -> Option<()> {
        self.lock_of_target()?;
        for lock in self.window.locks_within_reach() {
            self.window
                .release(lock, LockKind::Shared, Some(self.request.network));
        }
        self.conclude();
        Some(())
    }

    fn flush(&self) -> Option<()> {
        let target = (self.label.target != u32::MAX).then_some(self.label.target);
        let ends = Ends::of_number(self.label.detail)?;
        self.window.end_accesses(ends, self.label.origin, target);
        self.conclude();
        Some(())
    }

    /// Notes an access. The origin is told later if it conflicts with another one.
    fn access(&self) -> Option<()> {
        let incoming = Incoming::read(self.request.data)?;
        let access = Access::read(&self.label, incoming.elements)?;
        let place = |(start, count): (i64, usize)| start..start.saturating_add_unsigned(count as u64);
        let ranges: Vec<_> = incoming.runs().map(place).collect();
        if let Err(conflict) = self.window.admit(self.label.target, access, &ranges) {
            self.tell_later(conflict);
        }
        Some(())
    }

    /// Notes an error of the origin.
    fn tell_later(&self, error: Error) {
        let origin = self.label.origin;
        if self.window.find_part(origin).is_some() {
            self.window.untold.add(origin, error);
        }
    }

    fn tell(&self) -> Option<()> {
        let description = self.window.untold.take(self.label.origin);
        self.request.reply(0, description.len(), &mut |room| {
            room.copy_from_slice(description.as_bytes());
        });
        Some(())
    }

    /// Replies with the description of the target's memory.
    fn expose(&self) -> Option<()> {
        let seat = self.label.target as usize;
        let memory = self.window.find_part(self.label.target).and_then(Part::region);
        let own = self.window.local(seat);
        let described = own.zip(memory).and_then(|(own, memory)| {
            own.exposures
                .describe(self.request.network, self.request.from, memory)
        });
        match described {
            Some(described) => self.request.reply(0, described.len(), &mut |room| {
                room.copy_from_slice(&described);
            }),
            None => self.request.refuse(ErrorClass::RmaShared.into()),
        }
        Some(())
    }

    /// Replies that all requests of the origin up to this one have been handled, if a reply is expected.
    fn conclude(&self) {
        match self.window.untold.code(self.label.origin) {
            Some(code) => self.request.refuse(code),
            None => self.request.reply(0, 0, &mut |_| ()),
        }
    }

    fn signal(&self, signal: Signal) -> Option<()> {
        let local = self.window.local(self.label.target as usize)?;
        local.signals.signal(signal, self.label.origin);
        Some(())
    }
}
