//! The quantities that are measured.

use super::work::{Quantity, Work};

/// A quantity that the programs print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Metric {
    /// Time one way, by message size.
    Latency,
    /// Time one way, by bytes of data: blocks at equal distances.
    Face,
    /// Time one way, by bytes of data: an array of structs with gaps.
    Gaps,
    /// Time one way, by bytes of data: blocks of several lengths at several distances.
    Indexed,
    /// Time one way, by message size, of messages from the same buffer into the same other one.
    Cached,
    /// Time one way, by message size, of messages in buffers that no cache holds.
    Uncached,
    /// Bytes per time, by message size, with 64 messages under way.
    Bandwidth,
    /// Messages per time, by message size, with 64 messages under way.
    Rate,
    /// Time from the start of mpiexec to its end, by number of ranks.
    Start,
    /// Proportional set size per rank, by number of ranks.
    Memory,
    /// Time one way, by message size, of native Rust programs.
    Message,
    /// Time of an exchange with two neighbours, by bytes that go to each.
    Halo,
    /// Time per call.
    Barrier,
    /// Time per call, by bytes that each rank gets.
    Bcast,
    /// Time per call, by bytes that each rank gives.
    Allreduce,
    /// Time per call, by bytes that each rank gives each other rank.
    Alltoall,
    /// Time one way, by message size, from C and from Fortran.
    Messages,
    /// Time one way, by bytes of data, of a face of an array with contiguous rows, from C and from Fortran.
    Rows,
    /// Time one way, by bytes of data, of a face of an array without two neighbours, from C and from Fortran.
    Columns,
    /// What is measured of blocks of memory, of windows and of files, by bytes.
    Work(Work),
    /// Time of barriers on one core, and of as many switches as there are ranks, by number of ranks.
    Growth,
    /// The share of its processor that a rank keeps while a message of this size is being sent.
    SendAvailability,
    /// The share of its processor that a rank keeps while a message of this size is being received.
    ReceiveAvailability,
    /// The share of its processor that a rank keeps while another one puts so many bytes to its window.
    PutAvailability,
    /// The share of its processor that a rank keeps while another one gets so many bytes of its window.
    GetAvailability,
}

impl Metric {
    /// The metric of a line that begins with this keyword. The name of a series may follow it after a colon.
    pub(crate) fn of_keyword(keyword: &str) -> Option<Self> {
        match keyword.split(':').next().unwrap_or_default() {
            "latency" => Some(Metric::Latency),
            "face" => Some(Metric::Face),
            "gaps" => Some(Metric::Gaps),
            "indexed" => Some(Metric::Indexed),
            "cached" => Some(Metric::Cached),
            "uncached" => Some(Metric::Uncached),
            "bandwidth" => Some(Metric::Bandwidth),
            "rate" => Some(Metric::Rate),
            "memory" => Some(Metric::Memory),
            "message" => Some(Metric::Message),
            "halo" => Some(Metric::Halo),
            "barrier" => Some(Metric::Barrier),
            "bcast" => Some(Metric::Bcast),
            "allreduce" => Some(Metric::Allreduce),
            "alltoall" => Some(Metric::Alltoall),
            "availability_send" => Some(Metric::SendAvailability),
            "availability_receive" => Some(Metric::ReceiveAvailability),
            "availability_put" => Some(Metric::PutAvailability),
            "availability_get" => Some(Metric::GetAvailability),
            "barriers" | "switches" => Some(Metric::Growth),
            "messages" => Some(Metric::Messages),
            "rows" => Some(Metric::Rows),
            "columns" => Some(Metric::Columns),
            keyword => Work::of_keyword(keyword).map(Metric::Work),
        }
    }

    /// The title for headings, with the unit.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Metric::Latency => "Latency, ns one way",
            Metric::Face => "Face of an array, ns one way",
            Metric::Gaps => "Structs with gaps, ns one way",
            Metric::Indexed => "Indexed blocks, ns one way",
            Metric::Cached => "Buffers in the caches, ns one way",
            Metric::Uncached => "Buffers outside the caches, ns one way",
            Metric::Bandwidth => "Bandwidth, MB/s",
            Metric::Rate => "Message rate, thousand/s",
            Metric::Start => "Start to end of a hello program, s",
            Metric::Memory => "Memory, KiB (PSS) per rank",
            Metric::Message => "Message, ns one way",
            Metric::Halo => "Exchange with both neighbours, µs",
            Metric::Barrier => "Barrier, µs per call",
            Metric::Bcast => "Bcast, µs per call",
            Metric::Allreduce => "Allreduce of doubles, µs per call",
            Metric::Alltoall => "Alltoall, µs per call",
            Metric::Growth => "Barrier and as many switches of ranks, µs",
            Metric::Messages => "Messages from C and from mpi_f08, ns one way",
            Metric::Rows => "Face with contiguous rows: datatype in C, section in mpi_f08, ns one way",
            Metric::Columns => "Face of single numbers: datatype in C, section in mpi_f08, ns one way",
            Metric::Work(work) => work.title(),
            Metric::SendAvailability => "Kept for computing while sending, %",
            Metric::ReceiveAvailability => "Kept for computing while receiving, %",
            Metric::PutAvailability => "Kept for computing by the target of a put, %",
            Metric::GetAvailability => "Kept for computing by the target of a get, %",
        }
    }

    /// The name for files.
    pub(crate) fn slug(self) -> &'static str {
        match self {
            Metric::Latency => "latency",
            Metric::Face => "face",
            Metric::Gaps => "gaps",
            Metric::Indexed => "indexed",
            Metric::Cached => "cached",
            Metric::Uncached => "uncached",
            Metric::Bandwidth => "bandwidth",
            Metric::Rate => "rate",
            Metric::Start => "start",
            Metric::Memory => "memory",
            Metric::Message => "message",
            Metric::Halo => "halo",
            Metric::Barrier => "barrier",
            Metric::Bcast => "bcast",
            Metric::Allreduce => "allreduce",
            Metric::Alltoall => "alltoall",
            Metric::Growth => "growth",
            Metric::Messages => "fortran-messages",
            Metric::Rows => "fortran-rows",
            Metric::Columns => "fortran-columns",
            Metric::Work(work) => work.keyword(),
            Metric::SendAvailability => "availability-send",
            Metric::ReceiveAvailability => "availability-receive",
            Metric::PutAvailability => "availability-put",
            Metric::GetAvailability => "availability-get",
        }
    }

    /// The name of its parameter.
    pub(crate) fn parameter(self) -> &'static str {
        match self {
            Metric::Start | Metric::Memory | Metric::Growth => "ranks",
            _ => "bytes",
        }
    }

    /// Whether it is measured with several numbers of ranks as well as several parameters.
    pub(crate) fn varies_ranks(self) -> bool {
        matches!(
            self,
            Metric::Halo
                | Metric::Barrier
                | Metric::Bcast
                | Metric::Allreduce
                | Metric::Alltoall
                | Metric::Work(_)
        )
    }

    /// The series that are compared: the contenders, or others that this quantity compares in their place.
    pub(crate) fn series<'a>(self, contenders: &'a [&'static str]) -> &'a [&'static str] {
        match self {
            Metric::Growth => &["barriers", "switches"],
            Metric::Messages | Metric::Rows | Metric::Columns => &["Fortran", "C"],
            _ => contenders,
        }
    }

    /// The series for the values of a keyword, if it is not that of the contender.
    pub(crate) fn series_of(self, keyword: &str) -> Option<&'static str> {
        let series = keyword.rsplit(':').next();
        self.series(&[])
            .iter()
            .copied()
            .find(|name| Some(*name) == series)
    }

    /// The heading of the column that compares the first series with the best of the others.
    pub(crate) fn comparison(self) -> &'static str {
        match self {
            Metric::Growth => "times cheaper than the switches",
            Metric::Messages | Metric::Rows | Metric::Columns => "times as fast as C",
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

    /// How many times better `ours` is than `theirs`; for shares, the difference in points.
    pub(crate) fn advantage(self, ours: f64, theirs: f64) -> f64 {
        if self.is_share() {
            ours - theirs
        } else if self.lower_is_better() {
            theirs / ours
        } else {
            ours / theirs
        }
    }

    /// The one that ours is compared with.
    pub(crate) fn rival(self) -> &'static str {
        match self {
            Metric::Messages | Metric::Rows | Metric::Columns => "C",
            _ => "the best peer",
        }
    }

    /// Whether an advantage over the best peer means that ours is behind by more than noise.
    pub(crate) fn is_behind(self, advantage: f64) -> bool {
        match self {
            Metric::Growth => false,
            _ if self.is_share() => advantage < -5.0,
            _ => advantage < 0.95,
        }
    }

    /// Whether it is a percentage. Differences of percentages may be negative.
    fn is_share(self) -> bool {
        match self {
            Metric::Work(work) => work.quantity() == Quantity::Share,
            _ => matches!(
                self,
                Metric::SendAvailability
                    | Metric::ReceiveAvailability
                    | Metric::PutAvailability
                    | Metric::GetAvailability
            ),
        }
    }

    fn lower_is_better(self) -> bool {
        match self {
            Metric::Work(work) => matches!(work.quantity(), Quantity::Time | Quantity::Memory),
            _ => !matches!(self, Metric::Bandwidth | Metric::Rate) && !self.is_share(),
        }
    }
}
