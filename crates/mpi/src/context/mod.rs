//! Context ids: what keeps the messages of one communicator apart from those of another.
//!
//! Each host gives out ids of its own ([`IdRange`]), so that no two communicators of a universe have the
//! same one, whoever makes them. A world has number 0: no host belongs to two.
//!
//! An id of a communicator on one host alone is free again when the communicator goes. One of several hosts is *held*
//! by each of them: who gave it out counts them, and is told when one lets go. All hosts learn the id in the exchange
//! that makes the communicator; for a duplicate, for which nobody waits, each asks the host of the first rank
//! ([`ContextPool::request_id`]).
//!
//! Costs: a lock and a few lines to take an id or give it back; one packet to let go of another host's; two to ask.

mod duplicate_ids;
mod id_range;
mod message;
mod pending_requests;
mod pool;

pub(crate) use id_range::IdRange;
pub(crate) use message::{ContextMessage, IdReply, IdRequest};
pub(crate) use pool::ContextPool;

use simurgh_core::sync::Arc;
use simurgh_net::HostId;

/// An id in use by a communicator of this host; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Context {
    id: u32,
    /// The world's is nobody's to give out again.
    pool: Option<Arc<ContextPool>>,
    /// If other hosts use it too, the one that has given it out.
    owner: Option<HostId>,
}

/// The world's id.
const WORLD: u32 = 0;

impl Context {
    /// The world's.
    pub(crate) fn world() -> Self {
        Self {
            id: WORLD,
            pool: None,
            owner: None,
        }
    }

    /// An id that this host has taken for a communicator of its own, or that it has become a holder of, of those that
    /// the giver gives out.
    pub(crate) fn new(pool: &Arc<ContextPool>, id: u32, owner: Option<HostId>) -> Self {
        let pool = Some(Arc::clone(pool));
        Self { id, pool, owner }
    }

    /// The id, which labels the messages of the communicator.
    #[inline]
    pub(crate) fn id(&self) -> u32 {
        self.id
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let Some(pool) = &self.pool else { return };
        match self.owner {
            Some(owner) => pool.release(owner, self.id),
            None => pool.give_back(self.id),
        }
    }
}
