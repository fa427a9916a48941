//! The allocation of context ids on one host.

use super::duplicate_ids::DuplicateIds;
use super::id_range::IdRange;
use super::pending_requests::PendingRequests;
use super::{ContextMessage, IdReply, IdRequest};
use crate::error::{Error, ErrorClass, Result};
use crate::limits::FREED_CONTEXTS;
use simurgh_core::sync::SpinLock;
use simurgh_net::HostId;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::OnceLock;

/// The context ids of a job, as one of its hosts sees them.
pub(crate) struct ContextPool {
    own: HostId,
    range: IdRange,
    ids: SpinLock<Ids>,
    duplicate_ids: DuplicateIds,
    pending_requests: PendingRequests,
    sender: OnceLock<Sender>,
}

/// Sends a message to another host.
type Sender = Box<dyn Fn(HostId, ContextMessage) + Send + Sync>;

struct Ids {
    /// Number of the host's ids that have been given out at least once.
    taken: u32,
    /// Ids that have been given back, the oldest first. They are used again as late as possible, so that a late message
    /// of an erroneous program does not meet a new communicator.
    freed: VecDeque<u32>,
    /// Number of hosts that hold an id, for ids that several hosts use. It is negative as long as some hosts have
    /// released the id before this host has learnt how many there are.
    held: HashMap<u32, i64>,
}

impl ContextPool {
    /// The pool of host `own`.
    pub(crate) fn new(own: HostId, range: IdRange) -> Self {
        let ids = Ids {
            taken: 0,
            freed: VecDeque::new(),
            held: HashMap::new(),
        };
        Self {
            own,
            range,
            ids: SpinLock::new(ids),
            duplicate_ids: DuplicateIds::default(),
            pending_requests: PendingRequests::default(),
            sender: OnceLock::new(),
        }
    }

    /// Sets how messages are sent to other hosts; the first setting counts.
    pub(crate) fn connect(&self, sender: impl Fn(HostId, ContextMessage) + Send + Sync + 'static) {
        let _first = self.sender.set(Box::new(sender)).is_ok();
    }

    /// Takes a free id.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if there is none.
    pub(crate) fn take(&self) -> Result<u32> {
        self.ids
            .lock()
            .take(self.range)
            .ok_or_else(|| self.exhausted(self.own))
    }

    /// Gives back an id that this host has taken and nobody uses.
    pub(crate) fn give_back(&self, id: u32) {
        self.ids.lock().freed.push_back(id);
    }

    /// Notes how many hosts hold an id that this host has taken.
    pub(crate) fn hold(&self, id: u32, holders: u32) {
        self.ids.lock().count(id, i64::from(holders));
    }

    /// This host stops holding an id of `giver`.
    pub(super) fn release(&self, owner: HostId, id: u32) {
        if owner == self.own {
            self.ids.lock().count(id, -1);
        } else {
            self.send(owner, ContextMessage::Release(id));
        }
    }

    /// The id of a duplicate of a communicator whose first rank lives on `host`. This host becomes one of its holders.
    ///
    /// Waits for that host's reply, for which somebody only has to poll the network there.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if there is none.
    pub(crate) fn request_id(&self, host: HostId, request: IdRequest) -> Result<u32> {
        let reply = if host == self.own {
            self.reply(request)
        } else {
            let (number, pending) = self.pending_requests.open();
            self.send(host, ContextMessage::Request(number, request));
            pending.wait()
        };
        reply.ok_or_else(|| self.exhausted(host))
    }

    /// Handles a message of another host; false if it makes no sense.
    pub(crate) fn handle(&self, from: HostId, message: ContextMessage) -> bool {
        match message {
            ContextMessage::Request(number, request) => {
                let valid = request.holders > 0;
                if valid {
                    self.send(from, ContextMessage::Reply(number, self.reply(request)));
                }
                valid
            }
            ContextMessage::Reply(number, reply) => self.pending_requests.close(number, reply),
            ContextMessage::Release(id) => self.ids.lock().release_by_other(id, self.range),
        }
    }

    fn reply(&self, request: IdRequest) -> IdReply {
        self.duplicate_ids.reply(request, || {
            let mut ids = self.ids.lock();
            let id = ids.take(self.range)?;
            ids.count(id, i64::from(request.holders));
            Some(id)
        })
    }

    /// Sends a message to another host. Before this host is connected there are no communicators with others.
    fn send(&self, host: HostId, message: ContextMessage) {
        if let Some(sender) = self.sender.get() {
            sender(host, message);
        }
    }

    #[cold]
    fn exhausted(&self, host: HostId) -> Error {
        let number = match host == self.own {
            true => format!("{} ", self.range.size()),
            false => String::new(),
        };
        let message = format!(
            "all {number}communicators that host {host} can make exist already; free some that are not used any more"
        );
        Error::new(ErrorClass::Other, message)
    }
}

impl Ids {
    fn take(&mut self, range: IdRange) -> Option<u32> {
        let fresh = range.nth(self.taken);
        if fresh.is_none() || self.freed.len() > FREED_CONTEXTS {
            return self.freed.pop_front();
        }
        self.taken += 1;
        fresh
    }

    /// Changes the number of hosts that hold an id, which is free when none does.
    fn count(&mut self, id: u32, more: i64) {
        let holders = self.held.entry(id).or_default();
        *holders += more;
        if *holders == 0 {
            self.held.remove(&id);
            self.freed.push_back(id);
        }
    }

    /// Another host releases an id; false if that id has not been given out.
    fn release_by_other(&mut self, id: u32, range: IdRange) -> bool {
        let given = range.has(id, self.taken);
        if given {
            self.count(id, -1);
        }
        given
    }
}

impl fmt::Debug for ContextPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextPool")
            .field("own", &self.own)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Context;
    use super::*;
    use simurgh_core::sync::Arc;

    fn take(pool: &Arc<ContextPool>) -> Context {
        Context::new(pool, pool.take().unwrap(), None)
    }

    /// The pools of so many hosts, which deliver each other's messages at once.
    fn pools(hosts: u32) -> Vec<Arc<ContextPool>> {
        let pools: Vec<_> = (0..hosts)
            .map(|own| Arc::new(ContextPool::new(own, IdRange::of_first_world(own, hosts))))
            .collect();
        for pool in &pools {
            let (all, own): (Vec<_>, _) = (pools.iter().map(Arc::downgrade).collect(), pool.own);
            pool.connect(move |host, message| {
                let told = all[host as usize].upgrade().expect("the pool is there");
                assert!(told.handle(own, message), "{message:?}");
            });
        }
        pools
    }

    #[test]
    fn a_million_contexts_in_a_row_use_few_ids() {
        let pool = Arc::new(ContextPool::new(0, IdRange::of_first_world(0, 1)));
        let highest = (0..1_000_000).map(|_| take(&pool).id()).max();
        assert!(highest < Some(2 * FREED_CONTEXTS as u32));
    }

    #[test]
    fn contexts_in_use_differ() {
        let pools = pools(3);
        let contexts: Vec<_> = (0..3000).map(|index| take(&pools[index % 3])).collect();
        let mut ids: Vec<_> = contexts.iter().map(Context::id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 3000);
        assert!(!ids.contains(&super::super::WORLD));
    }

    #[test]
    fn all_hosts_learn_the_same_id_and_it_is_free_when_all_have_let_go() {
        let pools = pools(3);
        let ids_of = |number| -> Vec<u32> {
            let request = IdRequest {
                context: 0,
                number,
                holders: 3,
            };
            let query = [2, 0, 1].map(|own: usize| (own, pools[own].request_id(1, request).unwrap()));
            let contexts: Vec<_> = query
                .map(|(own, id)| Context::new(&pools[own], id, Some(1)))
                .into();
            assert!(pools[1].ids.lock().held[&contexts[0].id()] == 3);
            contexts.iter().map(Context::id).collect()
        };
        for number in 0..10_000 {
            let ids = ids_of(number);
            assert!(ids.iter().all(|id| *id == ids[0] && id % 3 == 1));
        }
        let ids = pools[1].ids.lock();
        assert!(ids.held.is_empty() && ids.taken < 4 * FREED_CONTEXTS as u32);
    }

    #[test]
    fn early_releases_are_counted() {
        let pools = pools(2);
        let id = pools[0].take().unwrap();
        drop(Context::new(&pools[1], id, Some(0)));
        assert_eq!(pools[0].ids.lock().held[&id], -1);
        pools[0].hold(id, 2);
        drop(Context::new(&pools[0], id, Some(0)));
        assert_eq!(pools[0].ids.lock().freed, [id]);
    }

    #[test]
    fn nonsense_is_refused() {
        let pool = ContextPool::new(1, IdRange::of_first_world(1, 3));
        let request = |holders| IdRequest {
            context: 0,
            number: 0,
            holders,
        };
        assert!(!pool.handle(0, ContextMessage::Reply(4, Some(1))));
        assert!(
            ![0, 1, 2, 4]
                .into_iter()
                .any(|id| pool.handle(0, ContextMessage::Release(id)))
        );
        assert!(!pool.handle(0, ContextMessage::Request(1, request(0))));
    }
}
