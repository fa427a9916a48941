//! The ids that a host gives out, and what it knows of those of others.

use super::inquiries::Inquiries;
use super::promises::Promises;
use super::share::Share;
use super::{Answer, Notice, Question};
use crate::error::{Error, ErrorClass, Result};
use crate::limits::RESTING_CONTEXTS;
use simurgh_core::sync::SpinLock;
use simurgh_net::HostId;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::OnceLock;

/// The context ids of a job, as one of its hosts sees them.
pub(crate) struct ContextPool {
    own: HostId,
    share: Share,
    ids: SpinLock<Ids>,
    promises: Promises,
    inquiries: Inquiries,
    courier: OnceLock<Courier>,
}

/// Tells another host something.
type Courier = Box<dyn Fn(HostId, Notice) + Send + Sync>;

struct Ids {
    /// How many of the host's ids have been given out at all.
    taken: u32,
    /// Ids given back, the longest rested first: a late message of a careless program does not meet a new communicator.
    resting: VecDeque<u32>,
    /// How many hosts hold an id that several use. Below zero as long as some have let go before this host has learnt
    /// how many there are.
    held: HashMap<u32, i64>,
}

impl ContextPool {
    /// The ids of host `own`.
    pub(crate) fn new(own: HostId, share: Share) -> Self {
        let ids = Ids {
            taken: 0,
            resting: VecDeque::new(),
            held: HashMap::new(),
        };
        Self {
            own,
            share,
            ids: SpinLock::new(ids),
            promises: Promises::default(),
            inquiries: Inquiries::default(),
            courier: OnceLock::new(),
        }
    }

    /// Says how other hosts are told something; the first saying counts.
    pub(crate) fn connect(&self, courier: impl Fn(HostId, Notice) + Send + Sync + 'static) {
        let _first = self.courier.set(Box::new(courier)).is_ok();
    }

    /// Takes a free id.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if there is none.
    pub(crate) fn take(&self) -> Result<u32> {
        self.ids
            .lock()
            .take(self.share)
            .ok_or_else(|| self.exhausted(self.own))
    }

    /// Gives back an id that this host has taken and nobody uses.
    pub(crate) fn give_back(&self, id: u32) {
        self.ids.lock().resting.push_back(id);
    }

    /// Says how many hosts hold an id that this host has taken.
    pub(crate) fn hold(&self, id: u32, holders: u32) {
        self.ids.lock().count(id, i64::from(holders));
    }

    /// One of the holders of an id that `giver` has given out lets go: this host.
    pub(super) fn let_go(&self, giver: HostId, id: u32) {
        if giver == self.own {
            self.ids.lock().count(id, -1);
        } else {
            self.tell(giver, Notice::LetGo(id));
        }
    }

    /// The id of a duplicate of a communicator whose first rank lives on `host`. The caller becomes one of its holders.
    ///
    /// Waits for that host's answer, which takes no more than that somebody looks at its network.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if there is none.
    pub(crate) fn number(&self, host: HostId, question: Question) -> Result<u32> {
        let answer = if host == self.own {
            self.answer(question)
        } else {
            let (number, inquiry) = self.inquiries.open();
            self.tell(host, Notice::Ask(number, question));
            inquiry.wait()
        };
        answer.ok_or_else(|| self.exhausted(host))
    }

    /// Acts on what another host tells; false if it makes no sense.
    pub(crate) fn hear(&self, from: HostId, notice: Notice) -> bool {
        match notice {
            Notice::Ask(number, question) => {
                let sensible = question.holders > 0;
                if sensible {
                    self.tell(from, Notice::Answer(number, self.answer(question)));
                }
                sensible
            }
            Notice::Answer(number, answer) => self.inquiries.close(number, answer),
            Notice::LetGo(id) => self.ids.lock().released(id, self.share),
        }
    }

    fn answer(&self, question: Question) -> Answer {
        self.promises.answer(question, || {
            let mut ids = self.ids.lock();
            let id = ids.take(self.share)?;
            ids.count(id, i64::from(question.holders));
            Some(id)
        })
    }

    /// Tells another host something. Before this host is connected there are no communicators with others.
    fn tell(&self, host: HostId, notice: Notice) {
        if let Some(courier) = self.courier.get() {
            courier(host, notice);
        }
    }

    #[cold]
    fn exhausted(&self, host: HostId) -> Error {
        let number = match host == self.own {
            true => format!("{} ", self.share.size()),
            false => String::new(),
        };
        let message = format!(
            "all {number}communicators that host {host} can make exist already; free some that are not used any more"
        );
        Error::new(ErrorClass::Other, message)
    }
}

impl Ids {
    fn take(&mut self, share: Share) -> Option<u32> {
        let fresh = share.nth(self.taken);
        if fresh.is_none() || self.resting.len() > RESTING_CONTEXTS {
            return self.resting.pop_front();
        }
        self.taken += 1;
        fresh
    }

    /// More or fewer hosts hold an id; it is free when none does.
    fn count(&mut self, id: u32, more: i64) {
        let holders = self.held.entry(id).or_default();
        *holders += more;
        if *holders == 0 {
            self.held.remove(&id);
            self.resting.push_back(id);
        }
    }

    /// Another host lets go of an id; false if that cannot be.
    fn released(&mut self, id: u32, share: Share) -> bool {
        let given = share.has(id, self.taken);
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
            .field("share", &self.share)
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

    /// The pools of so many hosts, which tell each other everything at once.
    fn pools(hosts: u32) -> Vec<Arc<ContextPool>> {
        let pools: Vec<_> = (0..hosts)
            .map(|own| Arc::new(ContextPool::new(own, Share::of_first_world(own, hosts))))
            .collect();
        for pool in &pools {
            let (all, own): (Vec<_>, _) = (pools.iter().map(Arc::downgrade).collect(), pool.own);
            pool.connect(move |host, notice| {
                let told = all[host as usize].upgrade().expect("the pool is there");
                assert!(told.hear(own, notice), "{notice:?}");
            });
        }
        pools
    }

    #[test]
    fn a_million_contexts_in_a_row_use_few_ids() {
        let pool = Arc::new(ContextPool::new(0, Share::of_first_world(0, 1)));
        let highest = (0..1_000_000).map(|_| take(&pool).id()).max();
        assert!(highest < Some(2 * RESTING_CONTEXTS as u32));
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
            let question = Question {
                context: 0,
                number,
                holders: 3,
            };
            let asked = [2, 0, 1].map(|own: usize| (own, pools[own].number(1, question).unwrap()));
            let contexts: Vec<_> = asked
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
        assert!(ids.held.is_empty() && ids.taken < 4 * RESTING_CONTEXTS as u32);
    }

    #[test]
    fn who_lets_go_early_is_counted() {
        let pools = pools(2);
        let id = pools[0].take().unwrap();
        drop(Context::new(&pools[1], id, Some(0)));
        assert_eq!(pools[0].ids.lock().held[&id], -1);
        pools[0].hold(id, 2);
        drop(Context::new(&pools[0], id, Some(0)));
        assert_eq!(pools[0].ids.lock().resting, [id]);
    }

    #[test]
    fn nonsense_is_refused() {
        let pool = ContextPool::new(1, Share::of_first_world(1, 3));
        let question = |holders| Question {
            context: 0,
            number: 0,
            holders,
        };
        assert!(!pool.hear(0, Notice::Answer(4, Some(1))));
        assert!(![0, 1, 2, 4].into_iter().any(|id| pool.hear(0, Notice::LetGo(id))));
        assert!(!pool.hear(0, Notice::Ask(1, question(0))));
    }
}
