//! The memory that the processes of a node share for a window's locks.
//!
//! The first rank of a node with several processes makes it before the ranks tell each other about themselves, and its
//! name is among what it tells. Then each process maps it, and all say whether they have. If one has not, no
//! process of the window uses it: then the locks are in the processes of their ranks.

use super::Window;
use super::shared::WindowShared;
use crate::comm::{Comm, IdDemand};
use crate::error::Result;
use crate::memory::{ControlSize, FileName, NodeControl};
use crate::portable::portable;
use simurgh_core::sync::SpinLock;

/// Whether a rank's process has the memory for locks.
struct Reached {
    is_reached: bool,
}

portable! { Reached { is_reached } }

/// A process's mapping, which waits for the others; none if the process has no other beside it.
pub(super) struct Mapped(SpinLock<Option<NodeControl>>, bool);

impl Comm {
    /// Whether some of the members' processes live on one node.
    pub(super) fn has_nodes(&self) -> bool {
        let Some(host_map) = self.shared().host_map() else {
            return false;
        };
        let layout = self.process().job().layout();
        let hosts = 0..host_map.hosts();
        let mut nodes: Vec<u32> = hosts
            .map(|position| layout.node_of(host_map.host(position)))
            .collect();
        nodes.sort_unstable();
        nodes.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Makes the memory for the locks of a window, if this rank is the one of its node that does so.
    pub(super) fn make_control(&self) -> Option<NodeControl> {
        let layout = self.process().job().layout();
        let hosts = self
            .shared()
            .members
            .processes()
            .map(|process| layout.host_of(process));
        let node = layout.node_of(layout.own());
        let near = hosts
            .enumerate()
            .filter(|(_, host)| layout.node_of(*host) == node);
        let near: Vec<(usize, u32)> = near.collect();
        let is_alone = near.iter().all(|(_, host)| *host == layout.own());
        if is_alone || near[0].0 != self.seat() {
            return None;
        }
        let size = ControlSize {
            locks: near.len(),
            origins: self.size(),
        };
        NodeControl::create(size).ok()
    }
}

impl WindowShared {
    /// Maps the memory for locks that the first rank of this node has made; `names` are those of all ranks.
    pub(super) fn map_control(&self, names: &[Option<(u32, u32)>]) -> Mapped {
        let near = |seat: &usize| self.part(*seat).node_index().is_some();
        let is_alone = (0..names.len())
            .filter(near)
            .all(|seat| self.local(seat).is_some());
        let name = (0..names.len()).find(near).and_then(|first| names[first]);
        let control = name.and_then(|(process, descriptor)| {
            let name = FileName { process, descriptor };
            NodeControl::open(name, self.control_size()).ok()
        });
        let is_reached = is_alone || control.is_some();
        Mapped(SpinLock::new(control), is_reached)
    }
}

impl Window {
    /// Waits until all processes have mapped the memory for locks, and uses it if they have.
    pub(super) fn agree_on_control(&self, mapped: &Mapped) -> Result<()> {
        let Mapped(control, is_reached) = mapped;
        let reached = Reached {
            is_reached: *is_reached,
        };
        let call = self.flavor().call();
        self.comm
            .exchange_in(call, reached, IdDemand::Nothing, |ranks, _| {
                let control = control.lock().take();
                if ranks.iter().all(|rank| rank.is_reached) {
                    self.shared.share(control);
                }
            })?;
        Ok(())
    }
}
