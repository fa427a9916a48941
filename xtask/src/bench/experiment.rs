//! What is measured.

use std::time::Duration;

/// What is measured together, for one section of the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Group {
    /// Messages between two ranks, and memory.
    Messages,
    /// How long jobs take from their start to their end.
    Start,
    /// Collectives.
    Collectives,
    /// Messages between processes.
    Network,
    /// Collectives between hosts, every way by force: what the table of algorithms is made from.
    Hosts,
}

impl Group {
    /// All, in the order of the documentation.
    pub(crate) const ALL: [Group; 5] = [
        Group::Messages,
        Group::Start,
        Group::Collectives,
        Group::Network,
        Group::Hosts,
    ];

    /// Its name in the marks of the documentation.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Group::Messages => "messages",
            Group::Start => "start",
            Group::Collectives => "collectives",
            Group::Network => "network",
            Group::Hosts => "hosts",
        }
    }
}

/// Where the ranks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Placement {
    /// All on one core: for us, on one virtual processor.
    OneCore,
    /// On two cores.
    TwoCores,
    /// Wherever the MPI puts them.
    AllCores,
    /// The same, each in a process of its own.
    OwnProcesses,
    /// On two cores, each in a process of its own.
    TwoProcesses,
    /// As that, and the processes talk over TCP: beside what libfabric does without an MPI.
    Tcp,
    /// As in two processes, and a virtual processor on the second core drives the network of each.
    Dedicated,
    /// As that, and those who wait drive it too.
    Asleep,
}

impl Placement {
    /// For headings.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Placement::OneCore => "all ranks on one core",
            Placement::TwoCores => "a core for each rank",
            Placement::AllCores => "all cores",
            Placement::OwnProcesses => "all cores, a process for each rank",
            Placement::TwoProcesses => "a process and a core for each rank",
            Placement::Tcp => "a process for each rank, over TCP",
            Placement::Dedicated => "a process for each rank, policy nd",
            Placement::Asleep => "a process for each rank, policy sleep",
        }
    }

    /// For file names.
    pub(crate) fn slug(self) -> &'static str {
        match self {
            Placement::OneCore => "one-core",
            Placement::TwoCores => "two-cores",
            Placement::AllCores => "all-cores",
            Placement::OwnProcesses => "own-processes",
            Placement::TwoProcesses => "two-processes",
            Placement::Tcp => "tcp",
            Placement::Dedicated => "dedicated",
            Placement::Asleep => "asleep",
        }
    }
}

/// One program run in one way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Experiment {
    /// What it belongs to.
    pub(crate) group: Group,
    /// A program of `benches/c`.
    pub(crate) program: &'static str,
    /// How many ranks.
    pub(crate) ranks: usize,
    /// Where they run.
    pub(crate) placement: Placement,
    /// Whether the peers take part: a process per rank is too much for this machine from some number on.
    pub(crate) peers: bool,
    /// How long one run may take; what it has printed until then counts.
    pub(crate) limit: Duration,
}

const fn pair(program: &'static str, placement: Placement) -> Experiment {
    Experiment {
        group: Group::Messages,
        program,
        ranks: 2,
        placement,
        peers: true,
        limit: Duration::from_secs(60),
    }
}

const fn processes(program: &'static str, placement: Placement) -> Experiment {
    Experiment {
        group: Group::Network,
        ..pair(program, placement)
    }
}

const fn driven(placement: Placement) -> Experiment {
    Experiment {
        peers: false,
        ..processes("overlap", placement)
    }
}

const fn crowd(program: &'static str, ranks: usize) -> Experiment {
    // A process of a peer takes 4 to 36 MiB and up to 70 ms to start: beyond 64 they take minutes or fail.
    Experiment {
        ranks,
        peers: ranks <= 64,
        ..pair(program, Placement::AllCores)
    }
}

const fn start(ranks: usize, placement: Placement) -> Experiment {
    Experiment {
        group: Group::Start,
        ranks,
        peers: ranks <= 64,
        ..pair("hello", placement)
    }
}

const fn collectives(ranks: usize, placement: Placement) -> Experiment {
    // Starting 256 processes takes the peers up to half a minute by itself.
    Experiment {
        group: Group::Collectives,
        ranks,
        limit: Duration::from_secs(120),
        ..pair("collectives", placement)
    }
}

const fn growth(ranks: usize) -> Experiment {
    Experiment {
        group: Group::Collectives,
        ranks,
        peers: false,
        ..pair("barriers", Placement::OneCore)
    }
}

/// All of them, in the order of a round.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    pair("latency", Placement::OneCore),
    pair("latency", Placement::TwoCores),
    pair("layouts", Placement::OneCore),
    pair("layouts", Placement::TwoCores),
    pair("bandwidth", Placement::OneCore),
    pair("bandwidth", Placement::TwoCores),
    crowd("memory", 64),
    crowd("memory", 1024),
    start(1, Placement::AllCores),
    start(16, Placement::AllCores),
    start(64, Placement::AllCores),
    start(256, Placement::AllCores),
    start(1024, Placement::AllCores),
    start(1, Placement::OwnProcesses),
    start(16, Placement::OwnProcesses),
    start(64, Placement::OwnProcesses),
    start(256, Placement::OwnProcesses),
    collectives(2, Placement::TwoCores),
    collectives(16, Placement::AllCores),
    collectives(64, Placement::AllCores),
    collectives(256, Placement::AllCores),
    growth(2),
    growth(8),
    growth(32),
    growth(128),
    growth(512),
    growth(1024),
    growth(2048),
    processes("latency", Placement::TwoProcesses),
    processes("bandwidth", Placement::TwoProcesses),
    processes("latency", Placement::Tcp),
    processes("overlap", Placement::TwoProcesses),
    driven(Placement::Dedicated),
    driven(Placement::Asleep),
];
