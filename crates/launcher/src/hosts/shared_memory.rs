//! The memory that the hosts of a node share, in the process that starts them.

use crate::error::LaunchError;
use simurgh_net::HostId;
use simurgh_net::control::{EncodedMessage, ToHost};
use simurgh_net::job::JobSpec;
use simurgh_net::transport::shared_memory;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// The shared memory of each world on each node whose hosts this process starts.
#[derive(Default)]
pub(crate) struct SharedMemories(Vec<Memory>);

/// Memory that some hosts share.
struct Memory {
    hosts: Vec<HostId>,
    descriptor: Arc<OwnedFd>,
}

impl SharedMemories {
    /// The memory of a host that is alone, if it has some.
    pub(crate) fn of_one(host: HostId, memory: Option<OwnedFd>) -> Self {
        let memory = memory.map(|descriptor| Memory {
            hosts: vec![host],
            descriptor: Arc::new(descriptor),
        });
        Self(memory.into_iter().collect())
    }

    /// The memory that hosts of a job share on the node of host `spec.host`; none if they share none.
    ///
    /// # Errors
    ///
    /// When the kernel gives none.
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

    /// A message with the descriptor of the memory that it is about; none if the hosts of that memory have ended.
    pub(crate) fn encode(&self, message: &ToHost) -> Option<EncodedMessage> {
        match message {
            ToHost::Memory { hosts } => Some(EncodedMessage::with_descriptor(
                message.clone(),
                Some(self.of(hosts)?),
            )),
            _ => Some(message.clone().into()),
        }
    }

    /// Forgets memory whose hosts are all gone.
    pub(crate) fn retain(&mut self, is_there: impl Fn(HostId) -> bool) {
        self.0
            .retain(|memory| memory.hosts.iter().any(|host| is_there(*host)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_handed_out_as_long_as_some_of_its_hosts_are_there() {
        let memory = shared_memory(1).expect("memory");
        let mut memories = SharedMemories::of_one(3, Some(memory));
        let of = |hosts: &[HostId]| ToHost::Memory {
            hosts: hosts.to_vec(),
        };
        assert!(memories.encode(&of(&[3])).is_some());
        assert!(memories.encode(&of(&[3, 4])).is_none());
        memories.retain(|host| host == 3);
        assert!(memories.encode(&of(&[3])).is_some());
        memories.retain(|host| host == 4);
        assert!(memories.encode(&of(&[3])).is_none());
        assert!(memories.encode(&ToHost::Go).is_some());
    }
}
