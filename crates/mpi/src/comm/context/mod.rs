//! Context ids: what keeps the messages of one communicator apart from those of another.
//!
//! Each host gives out ids of its own, those that leave its number when divided by the number of hosts, so that no two
//! communicators of a job have the same one, whoever makes them. The world has number 0, which is the first of host 0.
//!
//! An id of a communicator on one host alone is free again when the communicator goes. One of several hosts is *held*
//! by each of them: who gave it out counts them, and is told when one lets go. All hosts learn the id in the exchange
//! that makes the communicator; for a duplicate, for which nobody waits, each asks the host of the first rank
//! ([`ContextPool::number`]).
//!
//! Costs: a lock and a few lines to take an id or give it back; one packet to let go of another host's; two to ask.

mod inquiries;
mod notice;
mod pool;
mod promises;

pub(crate) use notice::{Answer, Notice, Question};
pub(crate) use pool::ContextPool;

use simurgh_core::sync::Arc;

/// An id in use by a communicator of this host; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Context {
    id: u32,
    /// The world's is nobody's to give out again.
    pool: Option<Arc<ContextPool>>,
    /// Whether other hosts use it too.
    held: bool,
}

/// The world's id.
const WORLD: u32 = 0;

impl Context {
    /// The world's.
    pub(crate) fn world() -> Self {
        Self {
            id: WORLD,
            pool: None,
            held: true,
        }
    }

    /// An id that this host has taken for a communicator of its own, or that it has become a holder of.
    pub(super) fn new(pool: &Arc<ContextPool>, id: u32, held: bool) -> Self {
        let pool = Some(Arc::clone(pool));
        Self { id, pool, held }
    }

    /// The id, which labels the messages of the communicator.
    #[inline]
    pub(crate) fn id(&self) -> u32 {
        self.id
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        match &self.pool {
            Some(pool) if self.held => pool.let_go(self.id),
            Some(pool) => pool.give_back(self.id),
            None => {}
        }
    }
}
