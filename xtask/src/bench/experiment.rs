//! What is measured.

use std::time::Duration;

/// Where the ranks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Placement {
    /// All on one core: for us, on one virtual processor.
    OneCore,
    /// On two cores.
    TwoCores,
    /// Wherever the MPI puts them.
    AllCores,
}

impl Placement {
    /// For headings.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Placement::OneCore => "both ranks on one core",
            Placement::TwoCores => "a core for each rank",
            Placement::AllCores => "all cores",
        }
    }

    /// For file names.
    pub(crate) fn slug(self) -> &'static str {
        match self {
            Placement::OneCore => "one-core",
            Placement::TwoCores => "two-cores",
            Placement::AllCores => "all-cores",
        }
    }
}

/// A quantity that the programs print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Metric {
    /// One way, by message size.
    Latency,
    /// One way, by bytes of data: blocks at equal distances.
    Face,
    /// One way, by bytes of data: an array of structs with gaps.
    Gaps,
    /// One way, by bytes of data: blocks of several lengths at several distances.
    Indexed,
    /// By message size, 64 messages under way.
    Bandwidth,
    /// By message size, 64 messages under way.
    Rate,
    /// From the start of mpiexec to its end, by number of ranks.
    Start,
    /// Proportional set size per rank, by number of ranks.
    Memory,
}

impl Metric {
    /// The metric that a program's line begins with.
    pub(crate) fn of_keyword(keyword: &str) -> Option<Self> {
        match keyword {
            "latency" => Some(Metric::Latency),
            "face" => Some(Metric::Face),
            "gaps" => Some(Metric::Gaps),
            "indexed" => Some(Metric::Indexed),
            "bandwidth" => Some(Metric::Bandwidth),
            "rate" => Some(Metric::Rate),
            "memory" => Some(Metric::Memory),
            _ => None,
        }
    }

    /// For headings, with the unit.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Metric::Latency => "Latency, ns one way",
            Metric::Face => "Face of an array, ns one way",
            Metric::Gaps => "Structs with gaps, ns one way",
            Metric::Indexed => "Indexed blocks, ns one way",
            Metric::Bandwidth => "Bandwidth, MB/s",
            Metric::Rate => "Message rate, thousand/s",
            Metric::Start => "Start to end of a hello program, s",
            Metric::Memory => "Memory, KiB (PSS) per rank",
        }
    }

    /// For file names.
    pub(crate) fn slug(self) -> &'static str {
        match self {
            Metric::Latency => "latency",
            Metric::Face => "face",
            Metric::Gaps => "gaps",
            Metric::Indexed => "indexed",
            Metric::Bandwidth => "bandwidth",
            Metric::Rate => "rate",
            Metric::Start => "start",
            Metric::Memory => "memory",
        }
    }

    /// What its parameter is.
    pub(crate) fn parameter(self) -> &'static str {
        match self {
            Metric::Latency
            | Metric::Face
            | Metric::Gaps
            | Metric::Indexed
            | Metric::Bandwidth
            | Metric::Rate => "bytes",
            Metric::Start | Metric::Memory => "ranks",
        }
    }

    /// The better of two values.
    pub(crate) fn better(self, a: f64, b: f64) -> f64 {
        if self.lower_is_better() {
            a.min(b)
        } else {
            a.max(b)
        }
    }

    /// How many times better `ours` is than `theirs`.
    pub(crate) fn advantage(self, ours: f64, theirs: f64) -> f64 {
        if self.lower_is_better() {
            theirs / ours
        } else {
            ours / theirs
        }
    }

    fn lower_is_better(self) -> bool {
        !matches!(self, Metric::Bandwidth | Metric::Rate)
    }
}

/// One program run in one way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Experiment {
    /// A program of `benches/c`.
    pub(crate) program: &'static str,
    /// How many ranks.
    pub(crate) ranks: usize,
    /// Where they run.
    pub(crate) placement: Placement,
    /// Whether the peers take part: a process per rank is too much for this machine from some number on.
    pub(crate) peers: bool,
}

impl Experiment {
    /// How long one run may take.
    pub(crate) const LIMIT: Duration = Duration::from_secs(60);
}

const fn pair(program: &'static str, placement: Placement) -> Experiment {
    Experiment {
        program,
        ranks: 2,
        placement,
        peers: true,
    }
}

const fn crowd(program: &'static str, ranks: usize) -> Experiment {
    // A process of a peer takes 4 to 36 MiB and up to 70 ms to start: beyond 64 they take minutes or fail.
    Experiment {
        program,
        ranks,
        placement: Placement::AllCores,
        peers: ranks <= 64,
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
    crowd("hello", 64),
    crowd("hello", 256),
    crowd("hello", 1024),
    crowd("memory", 64),
    crowd("memory", 1024),
];
