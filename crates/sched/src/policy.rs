//! Scheduling strategies.
//!
//! A policy decides where an execution context starts and whom an idle virtual processor asks for work. The names are
//! Phoenix's. Policies are chosen per run (`--policy`, `SIMURGH_POLICY`).

mod work_queue;

use std::sync::Arc;

pub use work_queue::WorkQueue;

use crate::error::SchedError;
use crate::topology::Topology;

/// Names [`by_name`] knows.
pub const NAMES: &[&str] = &["wq"];

/// A strategy for a set of virtual processors.
pub trait Policy: Send + Sync {
    /// Its name in options and reports.
    fn name(&self) -> &'static str;

    /// The virtual processor on which member `index` of a group of `count` execution contexts starts.
    fn place(&self, index: usize, count: usize, vps: usize) -> usize;

    /// The virtual processors that `vp` asks for work when it has had none for a while, in order of preference.
    fn victims(&self, vp: usize, vps: usize, topology: &Topology) -> Vec<usize>;
}

/// The policy called `name`.
///
/// # Errors
///
/// When there is no such policy.
pub fn by_name(name: &str) -> Result<Arc<dyn Policy>, SchedError> {
    match name {
        "wq" => Ok(Arc::new(WorkQueue)),
        other => Err(SchedError::UnknownPolicy(other.to_owned())),
    }
}
