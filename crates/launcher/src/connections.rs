//! Which worlds are connected, and so end together.
//!
//! MPI calls processes *connected* if there is a communication path between them (MPI 5.0, section 11.10.4). Here
//! worlds are connected that have a communicator in common. `MPI_Finalize` is collective over connected processes.

use std::collections::BTreeSet;

/// The connections between worlds.
#[derive(Default)]
pub(crate) struct Connections {
    /// Pairs of worlds, the first of which has a communicator with ranks of the second, each with the host or realm
    /// that reports it.
    told: BTreeSet<(u32, u32, u32)>,
    /// Pairs of a world and its parent, as long as no host has reported anything about them.
    assumed: BTreeSet<(u32, u32)>,
}

impl Connections {
    /// Whether two worlds are directly connected.
    pub(crate) fn are_connected(&self, a: u32, b: u32) -> bool {
        let told = |a, b| self.told.range((a, b, 0)..=(a, b, u32::MAX)).next().is_some();
        told(a, b) || told(b, a) || self.assumed.contains(&(a, b)) || self.assumed.contains(&(b, a))
    }

    /// A world has been spawned by another one: they are connected until a host reports.
    pub(crate) fn assume(&mut self, parent: u32, child: u32) {
        self.assumed.insert((parent, child));
    }

    /// A report that two worlds are connected, or are not any more. `by` is a host, or the realm that speaks for all
    /// hosts of a world.
    pub(crate) fn report(&mut self, by: u32, own: u32, other: u32, so: bool) {
        if so {
            self.told.insert((own, other, by));
            self.assumed.remove(&(own, other));
            self.assumed.remove(&(other, own));
        } else {
            self.told.remove(&(own, other, by));
        }
    }

    /// Divides `worlds` into groups that are connected, directly or by chains.
    pub(crate) fn groups(&self, worlds: &[u32]) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for &world in worlds {
            let is_near = |other: &u32| self.are_connected(world, *other);
            let (near, mut far): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(is_near));
            let mut group = near.concat();
            group.push(world);
            far.push(group);
            groups = far;
        }
        groups
    }

    /// All worlds that are connected with others.
    pub(crate) fn worlds(&self) -> BTreeSet<u32> {
        let told = self.told.iter().map(|&(own, other, _)| [own, other]);
        let assumed = self.assumed.iter().map(|&(parent, child)| [parent, child]);
        told.chain(assumed).flatten().collect()
    }

    /// Forgets a world.
    pub(crate) fn forget(&mut self, world: u32) {
        self.forget_all(|other| other == world);
    }

    /// Forgets worlds.
    pub(crate) fn forget_all(&mut self, are_gone: impl Fn(u32) -> bool) {
        self.told
            .retain(|&(own, other, _)| !are_gone(own) && !are_gone(other));
        self.assumed
            .retain(|&(own, other)| !are_gone(own) && !are_gone(other));
    }
}
