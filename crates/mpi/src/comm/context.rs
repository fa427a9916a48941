//! Context ids: what keeps the messages of one communicator apart from those of another.
//!
//! Each host gives out ids of its own, those that leave its number when divided by the number of hosts, so that no two
//! communicators of a job have the same one, whoever makes them. The world has number 0, which is the first of host 0.

use crate::error::{Error, ErrorClass, Result};
use crate::limits::{MAX_COMMUNICATORS, RESTING_CONTEXTS};
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::VecDeque;

/// The ids that a host gives out.
#[derive(Debug)]
pub(crate) struct ContextPool {
    /// The number of the host.
    own: u32,
    /// Number of hosts.
    hosts: u32,
    ids: SpinLock<Ids>,
}

#[derive(Debug)]
struct Ids {
    /// All of the host's ids below were given out.
    next: u32,
    /// Ids given back, the longest rested first: a late message of a careless program does not meet a new communicator.
    resting: VecDeque<u32>,
}

/// An id in use; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Context {
    id: u32,
    /// The world's is nobody's to give out again.
    pool: Option<Arc<ContextPool>>,
}

/// The world's id.
const WORLD: u32 = 0;

impl ContextPool {
    /// The ids of host `own` of so many.
    pub(crate) fn new(own: u32, hosts: u32) -> Self {
        // The world's is taken.
        let next = if own == WORLD { hosts } else { own };
        let ids = Ids {
            next,
            resting: VecDeque::new(),
        };
        Self {
            own,
            hosts,
            ids: SpinLock::new(ids),
        }
    }

    fn take(&self) -> Result<u32> {
        let mut ids = self.ids.lock();
        let exhausted = ids.next >= MAX_COMMUNICATORS;
        if (exhausted || ids.resting.len() > RESTING_CONTEXTS)
            && let Some(id) = ids.resting.pop_front()
        {
            return Ok(id);
        }
        if exhausted {
            return Err(Error::new(
                ErrorClass::Other,
                format!(
                    "the {} communicators that host {} can make exist already; free some that are not used any more",
                    MAX_COMMUNICATORS / self.hosts,
                    self.own
                ),
            ));
        }
        let id = ids.next;
        ids.next += self.hosts;
        Ok(id)
    }
}

impl Context {
    /// The world's.
    pub(crate) fn world() -> Self {
        Self {
            id: WORLD,
            pool: None,
        }
    }

    /// Takes a free id.
    pub(crate) fn take(pool: &Arc<ContextPool>) -> Result<Self> {
        Ok(Self {
            id: pool.take()?,
            pool: Some(Arc::clone(pool)),
        })
    }

    /// The id, which labels the messages of the communicator.
    #[inline]
    pub(crate) fn id(&self) -> u32 {
        self.id
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            pool.ids.lock().resting.push_back(self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_contexts_in_a_row_use_few_ids() {
        let pool = Arc::new(ContextPool::new(0, 1));
        let highest = (0..1_000_000).map(|_| Context::take(&pool).unwrap().id()).max();
        assert!(highest < Some(2 * RESTING_CONTEXTS as u32));
    }

    #[test]
    fn contexts_in_use_differ() {
        let pool = Arc::new(ContextPool::new(0, 1));
        let contexts: Vec<_> = (0..3000).map(|_| Context::take(&pool).unwrap()).collect();
        let mut ids: Vec<_> = contexts.iter().map(Context::id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 3000);
    }

    #[test]
    fn hosts_give_out_ids_of_their_own() {
        let take = |own| {
            let pool = Arc::new(ContextPool::new(own, 3));
            let contexts: Vec<_> = (0..3).map(|_| Context::take(&pool).unwrap()).collect();
            contexts.iter().map(Context::id).collect::<Vec<_>>()
        };
        assert_eq!([take(0), take(1), take(2)], [[3, 6, 9], [1, 4, 7], [2, 5, 8]]);
    }
}
