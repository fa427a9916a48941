//! Inter-communicators that one of their groups has made on this host, and the other has not yet.
//!
//! The groups learn of their communicator in separate exchanges. Their ranks on one host use the same shared part all
//! the same.

use super::CommShared;
use super::builder::CommSpec;
use crate::error::Result;
use crate::group::Group;
use crate::job::Job;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::HashMap;

/// The shared parts that wait for the other group, by context id.
#[derive(Debug, Default)]
pub(super) struct PendingInters(SpinLock<HashMap<u32, Arc<CommShared>>>);

impl PendingInters {
    /// The shared part of an inter-communicator, for one of its groups, some ranks of which live here.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`](crate::ErrorClass::Intern) if the specification names processes that the job does not
    /// have.
    pub(super) fn shared_part(&self, job: &Job, spec: CommSpec) -> Result<Arc<CommShared>> {
        spec.check(job.layout())?;
        let (left, right) = spec.members.groups();
        let lives_here = |group: &Group| group.processes().any(|process| job.layout().is_here(process));
        let both = lives_here(left) && right.is_some_and(lives_here);
        if !both {
            return Ok(CommShared::from_spec(job, spec));
        }
        let mut waiting = self.0.lock();
        if let Some(shared) = waiting.remove(&spec.id) {
            return Ok(shared);
        }
        let id = spec.id;
        let shared = CommShared::from_spec(job, spec);
        waiting.insert(id, Arc::clone(&shared));
        Ok(shared)
    }
}
