//! Anticipate: the communication that a virtual processor has seen decides when it looks after the network.

use super::Policy;

/// As the work queue, but a busy virtual processor looks after the network when something is to be expected: often
/// while much comes, and hardly ever while nothing does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anticipate;

impl Policy for Anticipate {
    fn name(&self) -> &str {
        "anticipate"
    }

    fn anticipates(&self) -> bool {
        true
    }
}
