//! The effects of PMI requests.

use simurgh_net::pmi::Message;

/// A word with which the PMIx server ends a job: `yes` if the process waits to be ended.
pub(crate) const WAITS: &str = "waits";

/// A process that makes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asker {
    /// Its host.
    pub(crate) host: usize,
    pub(crate) rank: u32,
    pub(crate) node: u32,
    /// The number of its program in the job.
    pub(crate) program: usize,
}

/// A change of a process's state that its request causes, besides the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It begins to use MPI.
    Began,
    /// It ceases to use MPI.
    Finished,
    /// It ends the job.
    Aborted {
        /// The status of the job.
        status: u8,
        /// Whether it waits to be ended. A client of PMI goes on if that takes long.
        waits: bool,
    },
}

/// The effect of a request: the answers, each with the host that gets it, and the event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) answers: Vec<(usize, Message)>,
    pub(crate) event: Option<Event>,
}
