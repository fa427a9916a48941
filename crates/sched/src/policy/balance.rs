//! Balance: execution contexts stay where they are until the measured load says otherwise.

use super::{Machine, Policy, Rebalancing};

/// Idle virtual processors take nothing over. Instead contexts are moved for good, so that each virtual processor has
/// as much to do as the others, by what contexts have been measured to take.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    rule: Rebalancing,
}

impl Balance {
    /// Evens out the load by this rule.
    #[must_use]
    pub fn by(rule: Rebalancing) -> Self {
        Self { rule }
    }
}

impl Policy for Balance {
    fn name(&self) -> &str {
        "balance"
    }

    fn victims(&self, _vp: usize, _machine: &Machine<'_>) -> Vec<usize> {
        Vec::new()
    }

    fn rebalancing(&self) -> Option<Rebalancing> {
        Some(self.rule)
    }
}
