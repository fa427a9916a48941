//! The quantities that are measured.

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
    /// Per call.
    Barrier,
    /// Per call, by bytes that each rank gets.
    Bcast,
    /// Per call, by bytes that each rank gives.
    Allreduce,
    /// Per call, by bytes that each rank gives each other.
    Alltoall,
    /// Of barriers on one core, and of as many switches as there are ranks, by number of ranks.
    Growth,
    /// While a message of this size is being sent: how much of its processor a rank keeps.
    SendAvailability,
    /// The same while one is being received.
    ReceiveAvailability,
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
            "barrier" => Some(Metric::Barrier),
            "bcast" => Some(Metric::Bcast),
            "allreduce" => Some(Metric::Allreduce),
            "alltoall" => Some(Metric::Alltoall),
            "availability_send" => Some(Metric::SendAvailability),
            "availability_receive" => Some(Metric::ReceiveAvailability),
            "barriers" | "switches" => Some(Metric::Growth),
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
            Metric::Barrier => "Barrier, µs per call",
            Metric::Bcast => "Bcast, µs per call",
            Metric::Allreduce => "Allreduce of doubles, µs per call",
            Metric::Alltoall => "Alltoall, µs per call",
            Metric::Growth => "Barrier and as many switches of ranks, µs",
            Metric::SendAvailability => "Kept for computing while sending, %",
            Metric::ReceiveAvailability => "Kept for computing while receiving, %",
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
            Metric::Barrier => "barrier",
            Metric::Bcast => "bcast",
            Metric::Allreduce => "allreduce",
            Metric::Alltoall => "alltoall",
            Metric::Growth => "growth",
            Metric::SendAvailability => "availability-send",
            Metric::ReceiveAvailability => "availability-receive",
        }
    }

    /// What its parameter is.
    pub(crate) fn parameter(self) -> &'static str {
        match self {
            Metric::Start | Metric::Memory | Metric::Growth => "ranks",
            _ => "bytes",
        }
    }

    /// Whether it is measured with several numbers of ranks beside its parameter.
    pub(crate) fn varies_ranks(self) -> bool {
        matches!(
            self,
            Metric::Barrier | Metric::Bcast | Metric::Allreduce | Metric::Alltoall
        )
    }

    /// What is shown beside each other: the contenders, or what this quantity compares in their place.
    pub(crate) fn series<'a>(self, contenders: &'a [&'static str]) -> &'a [&'static str] {
        match self {
            Metric::Growth => &["barriers", "switches"],
            _ => contenders,
        }
    }

    /// The series that the values of a keyword belong to, if not to their contender's.
    pub(crate) fn series_of(self, keyword: &str) -> Option<&'static str> {
        self.series(&[]).iter().copied().find(|name| *name == keyword)
    }

    /// Heading of the column that compares the first series with the best of the others.
    pub(crate) fn comparison(self) -> &'static str {
        match self {
            Metric::Growth => "times cheaper than the switches",
            _ if self.is_share() => "points more than the best peer",
            _ => "times better than the best peer",
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

    /// How many times better `ours` is than `theirs`; by how many points, of shares.
    pub(crate) fn advantage(self, ours: f64, theirs: f64) -> f64 {
        if self.is_share() {
            ours - theirs
        } else if self.lower_is_better() {
            theirs / ours
        } else {
            ours / theirs
        }
    }

    /// Whether such an advantage over the best peer is none, by more than what is noise.
    pub(crate) fn is_behind(self, advantage: f64) -> bool {
        match self {
            Metric::Growth => false,
            _ if self.is_share() => advantage < -5.0,
            _ => advantage < 0.95,
        }
    }

    /// Whether it is a percentage, which may be negative.
    fn is_share(self) -> bool {
        matches!(self, Metric::SendAvailability | Metric::ReceiveAvailability)
    }

    fn lower_is_better(self) -> bool {
        !matches!(self, Metric::Bandwidth | Metric::Rate) && !self.is_share()
    }
}
