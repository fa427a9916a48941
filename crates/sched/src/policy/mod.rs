//! Scheduling policies.
//!
//! A policy decides where an execution context starts, which others an idle virtual processor asks for work, which
//! virtual processors drive the network, and what comes of the purposes that execution contexts have at the moment. A
//! policy is chosen for each run (`--policy`, `SIMURGH_POLICY`); it may be one of those here, whose names are those of
//! Phoenix where it has them, or one that a user has written.

mod affine;
mod anticipate;
mod balance;
mod by_purpose;
mod dedicated;
mod machine;
mod work_queue;

use std::sync::Arc;
use std::time::Duration;

pub use affine::Affine;
pub use anticipate::Anticipate;
pub use balance::Balance;
pub use by_purpose::ByPurpose;
pub use dedicated::Dedicated;
pub use machine::Machine;
pub use work_queue::WorkQueue;

use simurgh_settings::{Id, Values};

use crate::domain::DomainKind;
use crate::error::SchedError;

/// Which virtual processors drive the network of a runtime that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Driving {
    /// The number of virtual processors that do nothing else, besides those that run ranks.
    pub dedicated: usize,
    /// Whether those that run ranks drive it, too: for an execution context that waits or tests, now and then while
    /// they are busy, and, if none is dedicated, while they are idle.
    pub by_others: bool,
    /// Whether the dedicated ones have cores of their own, on which they may poll all the time.
    pub has_cores: bool,
}

/// The rule by which execution contexts move from virtual processors with much to do to those with little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rebalancing {
    /// For how long a virtual processor has to have run before what is measured can count.
    pub period: Duration,
    /// The share of the largest load of a virtual processor, 0 to 1, by which moves have to lower it; otherwise
    /// nothing moves.
    pub least_gain: f64,
}

/// A scheduling policy for a set of virtual processors.
///
/// What a policy does not decide, the work queue decides in its place.
pub trait Policy: Send + Sync {
    /// Its name in options and reports.
    fn name(&self) -> &str;

    /// The virtual processor on which member `index` of a group of `count` execution contexts starts, modulo their
    /// number.
    fn place(&self, index: usize, count: usize, machine: &Machine<'_>) -> usize {
        // In blocks, so that neighbours by number, which often communicate most, share a processor.
        index * machine.vps() / count.max(1)
    }

    /// The virtual processors that `vp` asks for work, in order of preference, when it has had none for a while. If it
    /// asks nobody, execution contexts stay where they start, until they move by themselves. Numbers that are no other
    /// virtual processor are ignored.
    fn victims(&self, vp: usize, machine: &Machine<'_>) -> Vec<usize> {
        machine.nearest_first(vp)
    }

    /// Whether an idle virtual processor asks the nearest of its victims as soon as it is idle, and the others only
    /// before it sleeps. Otherwise it asks all of them before it sleeps.
    fn asks_nearest_first(&self) -> bool {
        false
    }

    /// The rule by which execution contexts move for good as their measured load demands; none if they do not.
    fn rebalancing(&self) -> Option<Rebalancing> {
        None
    }

    /// Whether a busy virtual processor that drives the network looks after it when something is to be expected, by
    /// what has come so far; otherwise it does so after a fixed number of switches.
    fn anticipates(&self) -> bool {
        false
    }

    /// Whether an execution context that is about the network ([`Purpose::Network`](crate::Purpose)) runs before the
    /// others of its virtual processor as soon as what it waits for has happened.
    fn network_first(&self) -> bool {
        false
    }

    /// The number of virtual processors, besides those that run ranks, on which execution contexts go on that say that
    /// they are about I/O ([`Purpose::Io`](crate::Purpose)). They have no cores of their own. Contexts that are bound
    /// to a part of the machine stay where they are.
    fn io_processors(&self) -> usize {
        0
    }

    /// Which virtual processors drive the network.
    fn driving(&self) -> Driving {
        Driving {
            dedicated: 0,
            by_others: true,
            has_cores: false,
        }
    }
}

impl<P: Policy + ?Sized> Policy for Arc<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn place(&self, index: usize, count: usize, machine: &Machine<'_>) -> usize {
        (**self).place(index, count, machine)
    }

    fn victims(&self, vp: usize, machine: &Machine<'_>) -> Vec<usize> {
        (**self).victims(vp, machine)
    }

    fn asks_nearest_first(&self) -> bool {
        (**self).asks_nearest_first()
    }

    fn rebalancing(&self) -> Option<Rebalancing> {
        (**self).rebalancing()
    }

    fn anticipates(&self) -> bool {
        (**self).anticipates()
    }

    fn network_first(&self) -> bool {
        (**self).network_first()
    }

    fn io_processors(&self) -> usize {
        (**self).io_processors()
    }

    fn driving(&self) -> Driving {
        (**self).driving()
    }
}

/// The policy that the settings name.
///
/// # Errors
///
/// When there is no such policy here.
pub fn of_settings(settings: &Values) -> Result<Arc<dyn Policy>, SchedError> {
    let network_vps = settings.amount(Id::NetworkVps);
    let name = settings.show(Id::Policy);
    Ok(match name.as_str() {
        "wq" => Arc::new(WorkQueue),
        "nd" => Arc::new(Dedicated::alone(network_vps)),
        "nd+wq" => Arc::new(Dedicated::with_work_queue(network_vps)),
        "sleep" => Arc::new(Dedicated::asleep(network_vps)),
        "affine" => Arc::new(Affine::within(steal_domain(settings))),
        "balance" => Arc::new(Balance::by(Rebalancing {
            period: settings.time(Id::BalancePeriod).unwrap_or_default(),
            least_gain: settings.amount(Id::BalanceGain) as f64 / 100.0,
        })),
        "anticipate" => Arc::new(Anticipate),
        "purpose" => Arc::new(ByPurpose::with_io_processors(settings.amount(Id::IoVps))),
        _ => return Err(SchedError::UnknownPolicy { name }),
    })
}

/// The kind of domain that the setting `steal_within` names.
fn steal_domain(settings: &Values) -> DomainKind {
    const KINDS: [DomainKind; 5] = [
        DomainKind::L2,
        DomainKind::L3,
        DomainKind::Numa,
        DomainKind::Package,
        DomainKind::Machine,
    ];
    // The setting is one of five words.
    KINDS[settings.amount(Id::StealWithin) % KINDS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_settings::Kind;

    fn named(name: &str) -> Result<Arc<dyn Policy>, SchedError> {
        let mut settings = Values::default();
        let read = settings.read(Id::Policy, "--policy", name.as_ref());
        read.expect("a word or a path");
        of_settings(&settings)
    }

    #[test]
    fn every_name_is_a_policy_of_that_name() {
        let Kind::WordOrPath(names, _) = Id::Policy.setting().kind else {
            panic!("a policy is a name or a path");
        };
        for item in names {
            let policy = named(item.name).expect("it is in the list");
            assert_eq!(policy.name(), item.name);
        }
        assert!(named("./mine.so").is_err());
    }

    #[test]
    fn every_word_for_a_domain_is_a_domain_of_that_kind() {
        let mut settings = Values::default();
        assert_eq!(steal_domain(&settings), DomainKind::L3);
        for (word, kind) in [
            ("l2cache", DomainKind::L2),
            ("l3cache", DomainKind::L3),
            ("numa", DomainKind::Numa),
            ("package", DomainKind::Package),
            ("machine", DomainKind::Machine),
        ] {
            let read = settings.read(Id::StealWithin, "--steal-within", word.as_ref());
            read.expect("a word of the setting");
            assert_eq!(steal_domain(&settings), kind);
        }
    }
}
