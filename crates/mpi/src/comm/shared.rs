//! What the ranks of a communicator share.

use super::context::Context;
use super::duplicate::Duplicates;
use super::{ContextPool, Sides};
use crate::collective::{Board, Lectern, Shelf};
use crate::error::Result;
use crate::topology::Origins;
use simurgh_core::sync::Arc;
use simurgh_sched::DomainKind;
use std::fmt;
use std::sync::OnceLock;

/// The part of a communicator that its ranks on a host share.
pub struct CommShared {
    pub(super) context: Context,
    pub(super) sides: Sides,
    /// Made at the first collective call: most duplicates are for messages alone.
    pub(super) board: OnceLock<Arc<Board>>,
    /// Made at the first nonblocking collective call.
    pub(super) shelf: OnceLock<Arc<Shelf>>,
    /// Made at the first broadcast in which the root leads.
    pub(super) lectern: OnceLock<Arc<Lectern>>,
    /// Made when the first rank duplicates the communicator.
    pub(super) duplicates: OnceLock<Box<Duplicates>>,
    /// The largest kind of hardware of which its processes use several instances, once somebody has asked.
    pub(super) dividing_kind: OnceLock<Option<DomainKind>>,
    /// Made at the first collective of neighbours.
    origins: OnceLock<Box<Result<Arc<Origins>>>>,
}

impl CommShared {
    /// A new communicator of these processes.
    pub(crate) fn new(contexts: &Arc<ContextPool>, sides: Sides) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            context: Context::take(contexts)?,
            sides,
            board: OnceLock::new(),
            shelf: OnceLock::new(),
            lectern: OnceLock::new(),
            duplicates: OnceLock::new(),
            dividing_kind: OnceLock::new(),
            origins: OnceLock::new(),
        }))
    }

    /// Where what neighbours get comes from; `find` says it the first time, from the topology that all ranks share.
    pub(crate) fn origins(&self, find: impl FnOnce() -> Result<Arc<Origins>>) -> Result<Arc<Origins>> {
        self.origins.get_or_init(|| Box::new(find())).as_ref().clone()
    }
}

impl fmt::Debug for CommShared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommShared")
            .field("context", &self.context)
            .field("sides", &self.sides)
            .finish_non_exhaustive()
    }
}
