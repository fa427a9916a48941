//! The range of context ids that a host gives out.
//!
//! One half of all ids belongs to the hosts of the first world, in turns. The other half is cut into blocks, one for
//! each host that has come later and is still there; the launcher makes sure that no two hosts have the same block. In
//! a universe of several realms all hosts have such blocks.

use super::WORLD;
use crate::layout::Layout;
use crate::limits::{MAX_COMMUNICATORS, MAX_LATER_HOSTS};

/// Ids of the first world's hosts are below this one.
const HALF: u32 = MAX_COMMUNICATORS / 2;
/// Ids in a block.
const BLOCK: u32 = HALF / MAX_LATER_HOSTS;

/// The ids of a host: each `step`th from `first` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdRange {
    first: u32,
    end: u32,
    step: u32,
}

impl IdRange {
    /// The range of the host of a layout.
    ///
    /// # Panics
    ///
    /// When the host has a block and there are too many such hosts.
    pub(crate) fn of(layout: &Layout) -> Self {
        if layout.realm().is_alone() && layout.world() == 0 {
            return Self::of_first_world(layout.share(), layout.hosts().len() as u32);
        }
        assert!(
            layout.share() < MAX_LATER_HOSTS,
            "the launcher starts no more hosts"
        );
        let first = HALF + layout.share() * BLOCK;
        Self {
            first,
            end: first + BLOCK,
            step: 1,
        }
    }

    /// The range of one of so many hosts of the first world.
    pub(super) fn of_first_world(own: u32, hosts: u32) -> Self {
        Self {
            // The world's id is taken.
            first: if own == WORLD { hosts } else { own },
            end: HALF,
            step: hosts,
        }
    }

    /// The id behind the first `taken` ones; `None` if there are no more.
    pub(super) fn nth(self, taken: u32) -> Option<u32> {
        let id = taken.checked_mul(self.step)?.checked_add(self.first)?;
        (id < self.end).then_some(id)
    }

    /// Whether an id is one of the first `taken` ones.
    pub(super) fn has(self, id: u32, taken: u32) -> bool {
        let further = id.checked_sub(self.first);
        further.is_some_and(|further| further.is_multiple_of(self.step) && further / self.step < taken)
    }

    /// Number of ids.
    pub(super) fn size(self) -> u32 {
        (self.end - self.first).div_ceil(self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_net::job::Realm;

    /// The range of the only host of a world.
    fn of_host(host: u32, world: u32, share: u32) -> IdRange {
        IdRange::of(&Layout::among(
            host,
            &[crate::HostRecord {
                host,
                node: 0,
                world,
                processes: host..host + 1,
                share,
            }],
        ))
    }

    #[test]
    fn shares_are_disjoint() {
        let early = (0..3).map(|own| IdRange::of_first_world(own, 3));
        let late = (0..3).map(|share| of_host(9, 4, share));
        // The first worlds of two realms.
        let first = [(1, 3), (2, MAX_LATER_HOSTS - 1)]
            .map(|(realm, share)| of_host(Realm(realm).number(0), Realm(realm).number(0), share));
        let shares: Vec<_> = early.chain(late).chain(first).collect();
        let mut ids = vec![WORLD];
        for share in &shares {
            let last = share.size() - 1;
            assert_eq!(share.nth(share.size()), None);
            assert!(
                share.has(share.nth(last).unwrap(), share.size())
                    && !share.has(share.nth(last).unwrap(), last)
            );
            ids.extend([0, 1, 2, last].map(|taken| share.nth(taken).unwrap()));
        }
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
        assert!(ids.iter().all(|id| *id < MAX_COMMUNICATORS));
    }
}
