//! What processes that speak PMI want, besides answers.

use simurgh_net::pmi::Message;

/// What a client of PMIx says besides as it ends the job: `yes`.
pub(crate) const WAITS: &str = "waits";

/// Who asks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asker {
    /// Its host.
    pub(crate) host: usize,
    pub(crate) rank: u32,
    pub(crate) node: u32,
    /// Which of the job's programs it runs.
    pub(crate) program: usize,
}

/// What a process does besides asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It uses MPI from now on.
    Began,
    /// It uses it no more.
    Finished,
    /// It ends the job.
    Aborted {
        /// With this status.
        status: u8,
        /// It waits to be ended. A client of PMI goes on if that takes long.
        waits: bool,
    },
}

/// What follows from a request: who is told what, and what has happened.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) answers: Vec<(usize, Message)>,
    pub(crate) event: Option<Event>,
}
