//! Affine: execution contexts stay near the memory and the caches that they have used.

use super::{Machine, Policy};
use crate::domain::DomainKind;

/// As the work queue, but an idle virtual processor asks only those within its domain, and those nearest to it before
/// all others. So a context leaves a domain only if the user has asked for a wider one.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    within: DomainKind,
}

impl Affine {
    /// Contexts do not leave their domain of this kind, or of a wider one where the machine has none of this kind.
    #[must_use]
    pub fn within(within: DomainKind) -> Self {
        Self { within }
    }
}

impl Policy for Affine {
    fn name(&self) -> &str {
        "affine"
    }

    fn victims(&self, vp: usize, machine: &Machine<'_>) -> Vec<usize> {
        let mut victims = machine.nearest_first(vp);
        victims.retain(|&other| machine.shares(self.within, vp, other));
        victims
    }

    fn asks_nearest_first(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Topology;

    fn topology() -> Topology {
        Topology::synthetic("package:2 l3:2 l2:2 core:2 pu:1").expect("a valid description")
    }

    #[test]
    fn nobody_outside_of_the_domain_is_asked_and_the_nearest_before_others() {
        let topology = topology();
        let machine = Machine::new(16, &topology);
        assert_eq!(Affine::within(DomainKind::L3).victims(5, &machine), [4, 6, 7]);
        assert_eq!(Affine::within(DomainKind::L2).victims(5, &machine), [4]);
        assert_eq!(
            Affine::within(DomainKind::Package).victims(5, &machine),
            [4, 6, 7, 0, 1, 2, 3]
        );
    }

    #[test]
    fn the_whole_machine_is_asked_if_the_user_says_so() {
        let topology = topology();
        let machine = Machine::new(16, &topology);
        let victims = Affine::within(DomainKind::Machine).victims(9, &machine);
        assert_eq!((victims.len(), &victims[..3]), (15, &[8, 10, 11][..]));
    }
}
