//! The use of memory by ranks, as it is noted for the statistics at the end of a job.

use super::state::{Host, Rank};
use super::stats::amount;
use simurgh_heap::{Blocks, NodeShare, RankHeaps, Statistics};
use simurgh_mpi::Process;
use std::fmt::Write;
use std::sync::OnceLock;

/// The number of size classes that are shown.
const SHOWN: usize = 6;

/// When statistics are noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The rank has initialised MPI.
    Initialised,
    /// The rank is about to finalize MPI.
    Finalizing,
    /// The program of the rank has ended.
    Ended,
}

/// All moments, and what they are called.
const MOMENTS: [(Moment, &str); 3] = [
    (Moment::Initialised, "after MPI_Init"),
    (Moment::Finalizing, "before MPI_Finalize"),
    (Moment::Ended, "at the end"),
];

/// The statistics of a rank's heaps, by moment. A rank may initialise MPI more than once; the first time counts.
#[derive(Debug, Default)]
pub(super) struct HeapUse {
    is_wanted: bool,
    noted: [OnceLock<Box<Noted>>; MOMENTS.len()],
}

/// What is noted at a moment.
#[derive(Debug)]
struct Noted {
    statistics: Statistics,
    /// None on a machine with one node.
    nodes: Option<NodeShare>,
}

impl HeapUse {
    /// Nothing is noted yet, and never will be unless it is wanted.
    pub(super) fn new(is_wanted: bool) -> Self {
        Self {
            is_wanted,
            ..Self::default()
        }
    }

    /// Notes the statistics of the calling rank.
    pub(super) fn note(&self, moment: Moment) {
        if self.is_wanted
            && let Some(statistics) = RankHeaps::statistics_of_caller()
        {
            let nodes = RankHeaps::node_share_of_caller();
            let _ = self.noted[moment as usize].set(Box::new(Noted { statistics, nodes }));
        }
    }

    fn noted(&self, moment: Moment) -> Option<&Noted> {
        self.noted[moment as usize].get().map(Box::as_ref)
    }

    fn at(&self, moment: Moment) -> Option<&Statistics> {
        self.noted(moment).map(|noted| &noted.statistics)
    }
}

/// Notes the statistics of the calling rank.
pub fn note(moment: Moment) {
    if let Some(rank) = Host::running().and_then(caller_in) {
        rank.heap_use().note(moment);
    }
}

/// The rank that calls, if it is of a program that this host has loaded.
pub(super) fn caller() -> Option<&'static Rank> {
    Host::running()
        .filter(|host| !host.is_program())
        .and_then(caller_in)
}

fn caller_in(host: &'static Host) -> Option<&'static Rank> {
    let id = Process::with_current(|process| process.map(|process| process.rank()))?;
    host.ranks().iter().find(|rank| rank.id() == id)
}

/// The lines for the statistics of a host; none if ranks have no heaps, or have allocated nothing from them.
pub(super) fn text(ranks: &[Rank]) -> String {
    let mut text = String::new();
    let ended = |rank: &Rank| {
        let statistics = rank
            .heap_use()
            .at(Moment::Ended)
            .filter(|found| found.heaps > 0)?;
        Some((rank.id(), statistics.most_held))
    };
    let most: Vec<(u32, u64)> = ranks.iter().filter_map(ended).collect();
    let Some((rank, bytes)) = most.iter().max_by_key(|(_, bytes)| *bytes) else {
        return text;
    };
    let all: u64 = most.iter().map(|(_, bytes)| bytes).sum();
    let (most, all) = (amount(*bytes), amount(all));
    let _ = write!(
        text,
        "\n  heaps: at most {most} held (by rank {rank}), {all} by all ranks"
    );
    let found: Vec<_> = MOMENTS
        .iter()
        .map(|(moment, name)| {
            (
                name,
                ranks
                    .iter()
                    .filter_map(|rank| rank.heap_use().at(*moment))
                    .collect(),
            )
        })
        .filter(|(_, all): &(_, Vec<&Statistics>)| !all.is_empty())
        .collect();
    for (name, all) in &found {
        text.push_str(&at_moment(name, all));
    }
    let largest = found
        .iter()
        .max_by_key(|(_, all)| sum(all, Statistics::in_use).bytes);
    if let Some((name, all)) = largest {
        text.push_str(&by_size(name, all));
    }
    for (moment, name) in MOMENTS {
        let noted = ranks
            .iter()
            .filter_map(|rank| rank.heap_use().noted(moment)?.nodes);
        text.push_str(&by_nodes(name, noted));
    }
    text
}

/// What lies on other nodes than its rank at a moment; nothing if that is not known of any rank.
fn by_nodes(name: &str, shares: impl Iterator<Item = NodeShare>) -> String {
    let sum = shares.reduce(|sum, share| NodeShare {
        here: sum.here + share.here,
        elsewhere: sum.elsewhere + share.elsewhere,
    });
    sum.map_or_else(String::new, |sum| {
        format!(
            "\n    on other NUMA nodes than their ranks {name}: {} of {} ({:.0} %)",
            amount(sum.elsewhere),
            amount(sum.here + sum.elsewhere),
            sum.remote() * 100.0
        )
    })
}

fn at_moment(name: &str, all: &[&Statistics]) -> String {
    let Blocks { count, bytes } = sum(all, Statistics::in_use);
    let held: u64 = all.iter().map(|statistics| statistics.held).sum();
    let unused = held.saturating_sub(bytes) as f64 / held.max(1) as f64 * 100.0;
    format!(
        "\n    {name}: {} in {count} blocks, {} held, {unused:.0} % of it unused",
        amount(bytes),
        amount(held)
    )
}

/// The size classes with the most bytes at a moment.
fn by_size(name: &str, all: &[&Statistics]) -> String {
    let classes = Statistics::sizes().into_iter().enumerate();
    let mut blocks: Vec<(String, Blocks)> = classes
        .map(|(class, size)| {
            (
                format!("of {}", amount(size as u64)),
                sum(all, |s| s.classes[class]),
            )
        })
        .collect();
    blocks.push(("longer".to_owned(), sum(all, |statistics| statistics.long)));
    blocks.push((
        "the first of each size".to_owned(),
        sum(all, |statistics| statistics.first),
    ));
    blocks.retain(|(_, blocks)| blocks.count > 0);
    blocks.sort_by_key(|(_, blocks)| std::cmp::Reverse(blocks.bytes));
    let shown = blocks.iter().take(SHOWN);
    let shown: Vec<String> = shown
        .map(|(size, blocks)| format!("{size}: {} ({})", blocks.count, amount(blocks.bytes)))
        .collect();
    match shown.is_empty() {
        true => String::new(),
        false => format!("\n    blocks {name}, by size: {}", shown.join(", ")),
    }
}

fn sum(all: &[&Statistics], blocks: impl Fn(&Statistics) -> Blocks) -> Blocks {
    all.iter().fold(Blocks::default(), |sum, statistics| {
        let Blocks { count, bytes } = blocks(statistics);
        Blocks {
            count: sum.count + count,
            bytes: sum.bytes + bytes,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_on_other_nodes_is_that_of_all_ranks() {
        let share = |here, elsewhere| NodeShare { here, elsewhere };
        assert_eq!(by_nodes("at the end", std::iter::empty()), "");
        assert_eq!(
            by_nodes("at the end", [share(30 << 20, 0), share(0, 10 << 20)].into_iter()),
            "\n    on other NUMA nodes than their ranks at the end: 10 MiB of 40 MiB (25 %)"
        );
    }

    #[test]
    fn sizes_are_shown_by_their_bytes() {
        let blocks = |count, bytes| Blocks { count, bytes };
        let mut one = Statistics {
            long: blocks(1, 1 << 20),
            held: 4 << 20,
            ..Statistics::default()
        };
        one.classes[3] = blocks(40_000, 2_560_000);
        let all = [&one, &one];
        assert_eq!(
            by_size("at the end", &all),
            "\n    blocks at the end, by size: of 64 B: 80000 (5000 KiB), longer: 2 (2048 KiB)"
        );
        assert_eq!(
            at_moment("at the end", &all),
            "\n    at the end: 7048 KiB in 80002 blocks, 8192 KiB held, 14 % of it unused"
        );
    }
}
