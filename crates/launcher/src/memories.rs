//! The memory that hosts of a node share, as who starts them has it.

use crate::error::LaunchError;
use simurgh_net::control::{Letter, ToHost};
use simurgh_net::job::JobSpec;
use simurgh_net::transport::{HostId, shared_memory};
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// That of each world on each node whose hosts this process starts.
#[derive(Default)]
pub(crate) struct Memories(Vec<Memory>);

/// What hosts share.
struct Memory {
    hosts: Vec<HostId>,
    descriptor: Arc<OwnedFd>,
}

impl Memories {
    /// That of a host which is alone, if it has some.
    pub(crate) fn of_one(host: HostId, memory: Option<OwnedFd>) -> Self {
        let memory = memory.map(|descriptor| Memory {
            hosts: vec![host],
            descriptor: Arc::new(descriptor),
        });
        Self(memory.into_iter().collect())
    }

    /// That of the hosts of a job on the node of the one that it is written for; none if they share none.
    pub(crate) fn of_node(&mut self, spec: &JobSpec) -> Result<Option<Arc<OwnedFd>>, LaunchError> {
        if !spec.shares_memory() {
            return Ok(None);
        }
        let hosts = spec.hosts_on(spec.hosts[spec.host as usize].node);
        if let Some(known) = self.of(&hosts) {
            return Ok(Some(known));
        }
        let descriptor = Arc::new(shared_memory(hosts.len()).map_err(LaunchError::Memory)?);
        self.0.push(Memory {
            hosts,
            descriptor: Arc::clone(&descriptor),
        });
        Ok(Some(descriptor))
    }

    fn of(&self, hosts: &[HostId]) -> Option<Arc<OwnedFd>> {
        let known = self.0.iter().find(|memory| memory.hosts == hosts)?;
        Some(Arc::clone(&known.descriptor))
    }

    /// A message, with the memory that it speaks of.
    pub(crate) fn letter(&self, message: &ToHost) -> Letter {
        match message {
            ToHost::Memory { hosts } => Letter::with(message.clone(), self.of(hosts)),
            _ => message.clone().into(),
        }
    }

    /// Keeps that of worlds of which there are hosts left.
    pub(crate) fn retain(&mut self, is_there: impl Fn(HostId) -> bool) {
        self.0
            .retain(|memory| memory.hosts.iter().any(|host| is_there(*host)));
    }
}
