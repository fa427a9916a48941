//! Those that wait for locks of a window, as far as this process has queued their requests.

use super::lock::Lock;
use super::packet::{Kind, Label};
use super::shared::WindowShared;
use crate::error::Status;
use crate::network::{Network, ReplyTo, Service};
use crate::request::Request;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_core::{LockKind, LockRequest};
use simurgh_net::HostId;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The locks for which a rank of this process waits: the rank of each lock, and what is completed when it is granted.
/// Mostly it is one.
#[derive(Default)]
pub(super) struct AwaitedLocks(SpinLock<Vec<(u32, Arc<Request>)>>);

/// The ranks that do not reach the locks for which they wait, by lock and rank.
#[derive(Default)]
pub(super) struct RemoteWaiters(SpinLock<HashMap<(u32, u32), RemoteWaiter>>);

/// What a rank waits for that does not reach the lock.
#[derive(Clone, Copy)]
pub(super) struct RemoteWaiter {
    /// Where it expects the reply.
    pub(super) reply_to: ReplyTo,
    /// Whether it wants shared locks of all ranks that this process reaches, and this is the first that it has not.
    pub(super) wants_all: bool,
}

impl AwaitedLocks {
    pub(super) fn add(&self, lock: u32, request: Arc<Request>) {
        self.0.lock().push((lock, request));
    }

    /// What waits for a lock, which is forgotten.
    pub(super) fn take(&self, lock: u32) -> Option<Arc<Request>> {
        let mut all = self.0.lock();
        let place = all.iter().position(|(awaited, _)| *awaited == lock)?;
        Some(all.swap_remove(place).1)
    }
}

impl RemoteWaiters {
    /// Notes that a rank waits for a lock; none if it does so already.
    pub(super) fn add(&self, lock: u32, origin: u32, waiter: RemoteWaiter) -> Option<()> {
        match self.0.lock().entry((lock, origin)) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => {
                place.insert(waiter);
                Some(())
            }
        }
    }

    /// The rank that waits for a lock, which is forgotten.
    pub(super) fn take(&self, lock: u32, origin: u32) -> Option<RemoteWaiter> {
        self.0.lock().remove(&(lock, origin))
    }
}

impl WindowShared {
    /// Tells a rank that it has a lock, for which it has waited, if this process has queued its request. None if it has
    /// not.
    pub(super) fn grant(&self, lock: u32, origin: u32, network: Option<&Network>) -> Option<()> {
        if let Some(local) = self.local(origin as usize) {
            local.awaited.take(lock)?.finish(&Status::EMPTY);
            return Some(());
        }
        let waiter = self.remote_waiters.take(lock, origin)?;
        let network = network?;
        if waiter.wants_all {
            return self.take_all(lock + 1, origin, waiter, network);
        }
        network.reply(waiter.reply_to, 0, Ok(()), 0, &mut |_| ());
        Some(())
    }

    /// Takes shared locks, from that of a rank on, in the name of a rank that does not reach them. It does so in the
    /// order of the ranks, as all do, so that nobody waits in a circle.
    pub(super) fn take_all(
        &self,
        first: u32,
        origin: u32,
        waiter: RemoteWaiter,
        network: &Network,
    ) -> Option<()> {
        let kind = LockKind::Shared;
        let rest = self.locks_within_reach().filter(|(seat, _)| *seat >= first);
        for (seat, lock) in rest {
            if !self.take_for((seat, lock), LockRequest { kind, origin }, waiter)? {
                return Some(());
            }
        }
        network.reply(waiter.reply_to, 0, Ok(()), 0, &mut |_| ());
        Some(())
    }

    /// Takes the lock of a rank in the name of another one that does not reach it, or queues the request. Whether it is
    /// taken; none if the rank waits for this lock already.
    pub(super) fn take_for(
        &self,
        (seat, lock): (u32, Lock<'_>),
        wanted: LockRequest,
        waiter: RemoteWaiter,
    ) -> Option<bool> {
        if lock.try_acquire(wanted) {
            return Some(true);
        }
        self.remote_waiters.add(seat, wanted.origin, waiter)?;
        let taken = lock.acquire(wanted);
        if taken {
            self.remote_waiters.take(seat, wanted.origin);
        }
        Some(taken)
    }

    /// Releases the lock of a rank, and tells those that have it then.
    #[inline]
    pub(super) fn release(&self, (seat, lock): (u32, Lock<'_>), kind: LockKind, network: Option<&Network>) {
        if !lock.try_release(kind) {
            self.grant_all(seat, lock.hand_on(kind), network);
        }
    }

    /// Tells these ranks that they have a lock.
    #[cold]
    fn grant_all(&self, lock: u32, granted: Vec<u32>, network: Option<&Network>) {
        for origin in granted {
            let told = self.grant(lock, origin, network);
            if let (None, Some(host), Some(network)) = (told, self.queued_by(origin), network) {
                let label = Label {
                    window: self.id(),
                    kind: Kind::Granted,
                    detail: 0,
                    target: lock,
                    origin,
                };
                network.notify(Service::Windows, host, label.numbers());
            }
        }
    }

    /// The other process that has queued the request of a rank: its own one if that reaches the lock, and otherwise the
    /// one that takes locks here in the names of others.
    fn queued_by(&self, origin: u32) -> Option<HostId> {
        let origin = self.find_part(origin)?;
        let host = match origin.node_index() {
            Some(_) => origin.host(),
            None => self.own_agent(),
        };
        (host != self.own_host()).then_some(host)
    }
}
