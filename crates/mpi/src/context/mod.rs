//! Context ids, which keep the messages of one communicator apart from those of another.
//!
//! Each host allocates ids from a range of its own ([`IdRange`]), so that no two communicators of a universe have the
//! same one, whoever makes them. A world has id 0; no host belongs to two worlds.
//!
//! The id of a communicator on one host alone is free again when the communicator goes. If a communicator spans several
//! hosts, each of them *holds* the id; the host that owns the id counts the holders and is told when one releases it.
//! All hosts learn the id in the exchange that makes the communicator. Nobody waits for a duplicate, so there each host
//! asks the host of the first rank ([`ContextPool::request_id`]).
//!
//! Costs: a lock and a few lines of code to take an id or give it back; one packet to release another host's id; two to
//! ask.

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
    /// `None` for the world, whose id is never given out again.
    pool: Option<Arc<ContextPool>>,
    /// If other hosts use it too, the host that owns it.
    owner: Option<HostId>,
}

/// The world's id.
const WORLD: u32 = 0;

impl Context {
    /// The world's id in use.
    pub(crate) fn world() -> Self {
        Self {
            id: WORLD,
            pool: None,
            owner: None,
        }
    }

    /// An id that this host has taken for a communicator of its own, or of which it has become a holder if there is an
    /// `owner`.
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
