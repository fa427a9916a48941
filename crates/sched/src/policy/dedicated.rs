//! Network dedicated (ND), alone or with the work queue, and its sleeping form.
//!
//! This is core specialisation: some virtual processors do nothing but drive the network, so that those that run ranks
//! go on computing while messages are on their way. They run what belongs to the network
//! ([`Purpose::Network`](crate::Purpose)).

use super::{Driving, Policy};

/// Dedicates virtual processors to the network.
#[derive(Clone, Copy, Debug)]
pub struct Dedicated {
    name: &'static str,
    driving: Driving,
}

impl Dedicated {
    /// ND: only these processors drive the network; each takes a core from the ranks.
    #[must_use]
    pub fn alone(processors: usize) -> Self {
        Self::new("nd", processors, false, true)
    }

    /// ND+WQ: ranks that wait or test drive the network, too.
    #[must_use]
    pub fn with_work_queue(processors: usize) -> Self {
        Self::new("nd+wq", processors, true, true)
    }

    /// As ND+WQ, but the processors take no cores. They sleep in the kernel until the network wakes them, which it does
    /// only while nobody else polls it, and then run on any core.
    #[must_use]
    pub fn asleep(processors: usize) -> Self {
        Self::new("sleep", processors, true, false)
    }

    fn new(name: &'static str, dedicated: usize, by_others: bool, has_cores: bool) -> Self {
        let driving = Driving {
            dedicated,
            by_others,
            has_cores,
        };
        Self { name, driving }
    }
}

impl Policy for Dedicated {
    fn name(&self) -> &str {
        self.name
    }

    fn driving(&self) -> Driving {
        self.driving
    }
}
