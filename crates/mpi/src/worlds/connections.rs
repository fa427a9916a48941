//! The other worlds with which this host is connected: those that have processes in a communicator of this host.

use super::Worlds;
use crate::layout::Layout;
use simurgh_core::sync::{Arc, Ordering};
use simurgh_net::HostId;
use std::collections::HashMap;

/// Keeps the worlds of a communicator connected as long as the communicator exists.
#[derive(Default)]
pub(crate) struct ConnectedWorlds {
    /// The other worlds; `None` if all processes are of one world.
    with: Option<Arc<Worlds>>,
    numbers: Vec<u32>,
}

/// The number of communicators of this host that have processes of each other world.
pub(super) type Connections = HashMap<u32, usize>;

impl ConnectedWorlds {
    /// The connection that a communicator of these hosts needs.
    pub(crate) fn of(with: &Arc<Worlds>, layout: &Layout, hosts: &[HostId]) -> Self {
        let (first, last) = (layout.hosts().start, layout.hosts().end);
        let mut numbers: Vec<u32> = hosts
            .iter()
            .filter(|host| !(first..last).contains(*host))
            .filter_map(|&host| layout.world_of(host))
            .collect();
        if numbers.is_empty() {
            return Self::default();
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.iter().for_each(|&world| with.connect(world));
        Self {
            with: Some(Arc::clone(with)),
            numbers,
        }
    }
}

impl Drop for ConnectedWorlds {
    fn drop(&mut self) {
        if let Some(with) = &self.with {
            self.numbers.iter().for_each(|&world| with.disconnect(world));
        }
    }
}

impl Worlds {
    // The launcher is told under the lock, so that it learns of connections in their order.

    fn connect(&self, world: u32) {
        let mut connections = self.connections.lock();
        let communicators = connections.entry(world).or_default();
        *communicators += 1;
        if *communicators == 1 {
            self.tell(world, true);
        }
    }

    fn disconnect(&self, world: u32) {
        let mut connections = self.connections.lock();
        let Some(communicators) = connections.get_mut(&world) else {
            return;
        };
        if *communicators == 1 && self.is_ending.load(Ordering::Relaxed) {
            return;
        }
        *communicators -= 1;
        if *communicators == 0 {
            connections.remove(&world);
            self.tell(world, false);
        }
    }

    fn tell(&self, world: u32, so: bool) {
        if let Some(launcher) = self.launcher() {
            launcher.connected(world, so);
        }
    }
}
