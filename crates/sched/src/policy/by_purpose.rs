//! By purpose: what the phases of execution contexts are about decides when and where these run.

use super::Policy;

/// As the work queue. Besides, an execution context that is about the network runs before the others as soon as what it
/// waits for has happened, and one that says that it is about I/O goes on where it keeps no core from those that
/// compute.
#[derive(Clone, Copy, Debug)]
pub struct ByPurpose {
    io_processors: usize,
}

impl ByPurpose {
    /// With so many virtual processors for I/O, without cores of their own; with 0, contexts that are about I/O stay
    /// where they are.
    #[must_use]
    pub fn with_io_processors(io_processors: usize) -> Self {
        Self { io_processors }
    }
}

impl Policy for ByPurpose {
    fn name(&self) -> &str {
        "purpose"
    }

    fn network_first(&self) -> bool {
        true
    }

    fn io_processors(&self) -> usize {
        self.io_processors
    }
}
