//! Context ids: what keeps the messages of one communicator apart from those of another.

use crate::error::{Error, ErrorClass, Result};
use crate::limits::{MAX_COMMUNICATORS, RESTING_CONTEXTS};
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::VecDeque;

/// The ids of a host.
#[derive(Debug, Default)]
pub(crate) struct ContextPool(SpinLock<Ids>);

#[derive(Debug, Default)]
struct Ids {
    /// All ids below were given out.
    next: u32,
    /// Ids given back, the longest rested first: a late message of a careless program does not meet a new communicator.
    resting: VecDeque<u32>,
}

/// An id in use; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Context {
    id: u32,
    pool: Arc<ContextPool>,
}

impl Context {
    /// Takes a free id.
    pub(crate) fn take(pool: &Arc<ContextPool>) -> Result<Self> {
        let mut ids = pool.0.lock();
        let rested = ids.resting.len() > RESTING_CONTEXTS || ids.next == MAX_COMMUNICATORS;
        let id = match rested.then(|| ids.resting.pop_front()).flatten() {
            Some(id) => id,
            None if ids.next == MAX_COMMUNICATORS => {
                return Err(Error::new(
                    ErrorClass::Other,
                    format!(
                        "{MAX_COMMUNICATORS} communicators exist already; free some that are not used any more"
                    ),
                ));
            }
            None => {
                ids.next += 1;
                ids.next - 1
            }
        };
        drop(ids);
        Ok(Self {
            id,
            pool: Arc::clone(pool),
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
        self.pool.0.lock().resting.push_back(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_contexts_in_a_row_use_few_ids() {
        let pool = Arc::new(ContextPool::default());
        let highest = (0..1_000_000).map(|_| Context::take(&pool).unwrap().id()).max();
        assert!(highest < Some(2 * RESTING_CONTEXTS as u32));
    }

    #[test]
    fn contexts_in_use_differ() {
        let pool = Arc::new(ContextPool::default());
        let contexts: Vec<_> = (0..3000).map(|_| Context::take(&pool).unwrap()).collect();
        let mut ids: Vec<_> = contexts.iter().map(Context::id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 3000);
    }
}
