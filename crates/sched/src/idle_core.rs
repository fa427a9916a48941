//! The cores of idle virtual processors, for threads that are not of the runtime and would take time from a busy one.
//!
//! The kernel leaves a thread that wakes up on the core of a busy virtual processor even where another core is idle, if
//! it takes the latter for one that the machine below has lost, as it does in virtual machines.

use std::sync::Arc;

use rustix::thread::sched_getcpu;

use crate::affinity::Affinity;
use crate::topology::Core;
use crate::worker_status::WorkerStatus;

/// Cores, and who runs there.
pub(crate) struct IdleCores(Vec<(Core, Vec<Arc<WorkerStatus>>)>);

impl IdleCores {
    /// These cores, with virtual processors that have them in turn.
    pub(crate) fn new(cores: &[Core], vps: impl Iterator<Item = Arc<WorkerStatus>>) -> Self {
        let mut all: Vec<_> = cores.iter().map(|core| (core.clone(), Vec::new())).collect();
        for (index, status) in vps.enumerate() {
            all[index % cores.len()].1.push(status);
        }
        Self(all)
    }

    /// An idle core, if the one on which the calling thread runs is busy.
    pub(crate) fn get(&self) -> Option<Affinity> {
        let here = sched_getcpu();
        let own = self.0.iter().find(|(core, _)| core.cpus.contains(&here))?;
        if !is_busy(own) {
            return None;
        }
        let idle = self.0.iter().find(|core| !is_busy(core));
        idle.map(|(core, _)| Affinity::of(&core.cpus))
    }
}

fn is_busy((_, vps): &(Core, Vec<Arc<WorkerStatus>>)) -> bool {
    vps.iter().any(|status| status.idle.is_busy())
}
