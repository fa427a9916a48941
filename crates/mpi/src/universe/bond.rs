//! Which other worlds this host is connected with: those of whose processes some are in a communicator of its own.

use super::Universe;
use crate::job::Job;
use crate::members::Span;
use simurgh_core::sync::{Arc, Ordering};
use std::collections::HashMap;

/// What a communicator with processes of other worlds holds.
#[derive(Default)]
pub(crate) struct Bond {
    /// None if all are of one world.
    universe: Option<Arc<Universe>>,
    worlds: Vec<u32>,
}

/// Communicators with processes of each other world.
pub(super) type Connections = HashMap<u32, usize>;

impl Bond {
    /// That of a communicator of some hosts.
    pub(crate) fn of(job: &Job, span: Option<&Span>) -> Self {
        let layout = job.layout();
        let (first, last) = (layout.hosts().start, layout.hosts().end);
        let mut worlds: Vec<u32> = span
            .map_or(&[][..], Span::all)
            .iter()
            .filter(|host| !(first..last).contains(*host))
            .filter_map(|&host| layout.world_of(host))
            .collect();
        if worlds.is_empty() {
            return Self::default();
        }
        worlds.sort_unstable();
        worlds.dedup();
        let universe = Arc::clone(job.universe());
        worlds.iter().for_each(|&world| universe.connect(world));
        Self {
            universe: Some(universe),
            worlds,
        }
    }
}

impl Drop for Bond {
    fn drop(&mut self) {
        if let Some(universe) = &self.universe {
            self.worlds.iter().for_each(|&world| universe.disconnect(world));
        }
    }
}

impl Universe {
    /// One of so many processes here finalizes. When all have, what is still connected stays so; until then those who
    /// have not may give up communicators that others have given up before.
    pub(crate) fn stay_connected(&self, processes: usize) {
        // AcqRel: who is the last has seen what the others gave up.
        let before = self.finalized.fetch_add(1, Ordering::AcqRel);
        if before + 1 == processes {
            self.is_ending.store(true, Ordering::Relaxed);
        }
    }

    // Told under the lock, so that the launcher hears it in the order in which it happens.

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
        if let Some(launcher) = self.launcher.get() {
            launcher.connected(world, so);
        }
    }
}
