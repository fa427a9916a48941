//! Which worlds have to do with each other, and so end with each other.

use std::collections::BTreeSet;

/// Which worlds have to do with each other.
#[derive(Default)]
pub(crate) struct Connections {
    /// Pairs of worlds of which the one has a communicator with ranks of the other; and who says so.
    told: BTreeSet<(u32, u32, u32)>,
    /// Worlds that have been started for another one, and have not been told of.
    assumed: BTreeSet<(u32, u32)>,
}

impl Connections {
    /// Whether two worlds have to do with each other.
    pub(crate) fn are_connected(&self, a: u32, b: u32) -> bool {
        let told = |a, b| self.told.range((a, b, 0)..=(a, b, u32::MAX)).next().is_some();
        told(a, b) || told(b, a) || self.assumed.contains(&(a, b)) || self.assumed.contains(&(b, a))
    }

    /// A world has been started for another one.
    pub(crate) fn assume(&mut self, parent: u32, child: u32) {
        self.assumed.insert((parent, child));
    }

    /// What somebody tells, by number: a host, or who speaks for all hosts of a world.
    pub(crate) fn tell(&mut self, by: u32, own: u32, other: u32, so: bool) {
        if so {
            self.told.insert((own, other, by));
            self.assumed.remove(&(own, other));
            self.assumed.remove(&(other, own));
        } else {
            self.told.remove(&(own, other, by));
        }
    }

    /// Those of `worlds` that are tied to each other, directly or by chains.
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

    /// All worlds that have to do with others.
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
