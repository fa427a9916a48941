//! The experiments that are measured.

use std::time::Duration;

/// The experiments for one section of the documentation, which are measured together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Group {
    /// Messages between two ranks, and memory.
    Messages,
    /// The time that jobs take from their start to their end.
    Start,
    /// Collectives.
    Collectives,
    /// Messages between processes.
    Network,
    /// Messages from Fortran and from C.
    Fortran,
    /// Blocks of memory.
    Heap,
    /// One-sided communication.
    Windows,
    /// Files.
    Files,
    /// Native Rust programs, beside rsmpi.
    Rust,
    /// Collectives between hosts, with every algorithm forced in turn. The table of algorithms is made from them.
    Hosts,
    /// The figures of papers, which have a document and numbers of rounds of their own.
    Papers,
}

impl Group {
    /// The groups of docs/performance.md, in its order.
    pub(crate) const ALL: [Group; 10] = [
        Group::Messages,
        Group::Start,
        Group::Collectives,
        Group::Network,
        Group::Fortran,
        Group::Heap,
        Group::Windows,
        Group::Files,
        Group::Rust,
        Group::Hosts,
    ];

    /// The name of the group in the marks of the documentation.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Group::Messages => "messages",
            Group::Start => "start",
            Group::Collectives => "collectives",
            Group::Network => "network",
            Group::Fortran => "fortran",
            Group::Heap => "heap",
            Group::Windows => "windows",
            Group::Files => "files",
            Group::Rust => "rust",
            Group::Hosts => "hosts",
            Group::Papers => "papers",
        }
    }
}

/// The placement of the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Placement {
    /// All on one core: for us, on one virtual processor.
    OneCore,
    /// On two cores.
    TwoCores,
    /// Wherever the MPI puts them.
    AllCores,
    /// Wherever the MPI puts them, each in a process of its own.
    OwnProcesses,
    /// On two cores, each in a process of its own.
    TwoProcesses,
    /// As above, and the processes talk over TCP. This is compared with libfabric without an MPI.
    Tcp,
    /// As for two processes, and a virtual processor on the second core drives the network of each.
    Dedicated,
    /// As above, and ranks that wait drive the network, too.
    Asleep,
    /// As `Dedicated`, between two nodes, which this machine stands for: rank 0 has the first core, and the virtual
    /// processors that drive the network share the second one with rank 1.
    DedicatedTcp,
    /// The same as `Asleep`.
    AsleepTcp,
}

impl Placement {
    /// The title for headings.
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
            Placement::DedicatedTcp => "two nodes over TCP, policy nd",
            Placement::AsleepTcp => "two nodes over TCP, policy sleep",
        }
    }

    /// The name for files.
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
            Placement::DedicatedTcp => "dedicated-tcp",
            Placement::AsleepTcp => "asleep-tcp",
        }
    }
}

/// An experiment: one program, run in one way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Experiment {
    /// The group that it belongs to.
    pub(crate) group: Group,
    /// The program, one of `benches/c` or `benches/fortran`.
    pub(crate) program: &'static str,
    /// The number of ranks.
    pub(crate) ranks: usize,
    /// The placement of the ranks.
    pub(crate) placement: Placement,
    /// The kinds of work of the program that are measured; all if there are none.
    pub(crate) kinds: &'static [&'static str],
    /// Whether the peers take part. From some number of ranks on, a process per rank is too much for this machine.
    pub(crate) peers: bool,
    /// The time that one run may take. The lines that it has printed until then count.
    pub(crate) limit: Duration,
}

const fn pair(program: &'static str, placement: Placement) -> Experiment {
    Experiment {
        group: Group::Messages,
        program,
        ranks: 2,
        placement,
        kinds: &[],
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

/// The target of puts and gets; messages over TCP are left out.
const fn target(placement: Placement) -> Experiment {
    Experiment {
        kinds: &["put", "get"],
        ..driven(placement)
    }
}

const fn fortran(placement: Placement) -> Experiment {
    Experiment {
        group: Group::Fortran,
        peers: false,
        ..pair("binding", placement)
    }
}

const fn crowd(program: &'static str, ranks: usize) -> Experiment {
    // A process of a peer takes 4 to 36 MiB and up to 70 ms to start. Beyond 64 ranks the peers take minutes or fail.
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

const fn heap(ranks: usize, placement: Placement) -> Experiment {
    // The other allocators take part, each in a process for every rank.
    Experiment {
        group: Group::Heap,
        ranks,
        peers: false,
        limit: Duration::from_secs(120),
        ..pair("heap", placement)
    }
}

const fn windows(ranks: usize, placement: Placement) -> Experiment {
    Experiment {
        group: Group::Windows,
        ranks,
        limit: Duration::from_secs(120),
        ..pair("windows", placement)
    }
}

/// The work on memory of the program, as processes share the library's.
const fn windows_over_tcp() -> Experiment {
    Experiment {
        kinds: &[
            "put_created",
            "get_created",
            "locked_created",
            "started_created",
            "put_rate_created",
            "accumulated_created",
            "fetched_created",
            "swapped_created",
        ],
        ..windows(2, Placement::Tcp)
    }
}

const fn files(ranks: usize) -> Experiment {
    Experiment {
        group: Group::Files,
        ranks,
        limit: Duration::from_secs(180),
        ..pair("files", Placement::AllCores)
    }
}

const fn rust(ranks: usize, placement: Placement) -> Experiment {
    Experiment {
        group: Group::Rust,
        ranks,
        ..pair(super::rust::PROGRAM, placement)
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

/// All experiments, in the order of a round.
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
    processes("transfers", Placement::TwoProcesses),
    processes("bandwidth", Placement::TwoProcesses),
    processes("latency", Placement::Tcp),
    processes("overlap", Placement::TwoProcesses),
    driven(Placement::Dedicated),
    driven(Placement::Asleep),
    target(Placement::DedicatedTcp),
    target(Placement::AsleepTcp),
    fortran(Placement::OneCore),
    fortran(Placement::TwoCores),
    heap(1, Placement::AllCores),
    heap(2, Placement::AllCores),
    heap(64, Placement::AllCores),
    windows(2, Placement::OneCore),
    windows(2, Placement::TwoCores),
    windows(2, Placement::TwoProcesses),
    windows_over_tcp(),
    windows(16, Placement::AllCores),
    windows(64, Placement::AllCores),
    files(2),
    files(16),
    files(64),
    rust(2, Placement::OneCore),
    rust(2, Placement::TwoCores),
    rust(16, Placement::AllCores),
];
