//! What is to become true of all hosts.

use crate::hosts::Member;
use std::cell::Cell;

/// Something that is to become true of all members of a list, one after the other in any order, and then stays true.
///
/// Cost: asking after each of N events takes 2 N looks at members altogether.
#[derive(Default)]
pub(super) struct Milestone {
    /// So many members from the first on are known to have reached it.
    reached: Cell<usize>,
}

impl Milestone {
    /// Whether it is true of all `members`, which are always the same, or the same and more behind them.
    pub(super) fn is_reached(&self, members: &[Member], has_reached: impl Fn(&Member) -> bool) -> bool {
        let rest = members.get(self.reached.get()..).unwrap_or_default();
        let more = rest.iter().take_while(|member| has_reached(member)).count();
        self.reached.set(self.reached.get() + more);
        more == rest.len()
    }
}
