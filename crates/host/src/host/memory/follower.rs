//! The thread by which the memory of ranks follows them, on a machine with several nodes.
//!
//! Now and then it looks on which virtual processor each rank is. That costs the ranks nothing. Once a rank has moved
//! for good ([`Home`]), its pages are moved in batches: first its stack, then its heaps, then the data of its program.
//! The thread works for a fifth of its time at most, also when a move is long.

use super::home::Home;
use crate::host::state::{Host, Rank};
use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_core::{PassiveThread, with_signals_blocked};
use simurgh_heap::PageMove;
use simurgh_sched::Topology;
use std::fmt;
use std::io;
use std::slice::from_ref;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The time between two looks.
const PERIOD: Duration = Duration::from_millis(100);
/// The time of a period that may be spent on moves.
const SHARE: Duration = Duration::from_millis(20);

/// The pages that have been moved, if there is a follower.
static MOVED: OnceLock<Counters> = OnceLock::new();

#[derive(Default)]
struct Counters {
    ranks: AtomicU64,
    pages: AtomicU64,
    refused: AtomicU64,
    micros: AtomicU64,
}

/// The node of each core, if there is something to follow: the virtual processors are on several nodes, and each is
/// bound to one.
static NODES_OF_CORES: OnceLock<Vec<usize>> = OnceLock::new();

/// Notes on which nodes the cores of the host are.
pub(super) fn prepare(machine: &Topology) {
    let cores = 0..machine.cores().len();
    let nodes: Option<Vec<usize>> = cores.map(|core| machine.node_of(core)).collect();
    if let Some(nodes) = nodes.filter(|nodes| machine.binds() && nodes.iter().any(|node| *node != nodes[0])) {
        let _ = NODES_OF_CORES.set(nodes);
    }
}

/// Starts the thread, if there is something to follow and it is not there yet.
pub(super) fn start(host: &'static Host) -> io::Result<()> {
    let Some(nodes) = NODES_OF_CORES.get() else {
        return Ok(());
    };
    if MOVED.set(Counters::default()).is_err() {
        return Ok(());
    }
    let ranks = host.ranks().iter().map(Follower::new).collect();
    with_signals_blocked(|| std::thread::Builder::new().spawn(move || follow(ranks, nodes)))?;
    // The thread ends with the process.
    std::mem::forget(PassiveThread::new());
    Ok(())
}

/// The follower of one rank.
struct Follower {
    rank: &'static Rank,
    home: Home,
    pages: Option<PageMove>,
}

fn follow(mut ranks: Vec<Follower>, nodes: &[usize]) -> ! {
    loop {
        std::thread::sleep(PERIOD);
        ranks.iter_mut().for_each(|rank| rank.look(nodes));
        let start = Instant::now();
        for rank in &mut ranks {
            rank.move_pages(|| start.elapsed() < SHARE);
        }
    }
}

impl Follower {
    fn new(rank: &'static Rank) -> Self {
        Self {
            rank,
            home: Home::default(),
            pages: None,
        }
    }

    /// Looks where the rank is; `nodes` are those of the cores.
    fn look(&mut self, nodes: &[usize]) {
        let rank = self.rank;
        let Some(place) = rank.place().filter(|_| !rank.has_ended()) else {
            self.pages = None;
            return;
        };
        let Some(vp) = place.ec.vp() else { return };
        if let Some(node) = self.home.see(nodes[vp % nodes.len()]) {
            self.pages = rank
                .heaps()
                .follow(node, from_ref(&place.stack), from_ref(&place.image));
            if self.pages.is_some() {
                count(|counters| &counters.ranks, 1);
            }
        }
    }

    /// Moves pages as long as there is time.
    fn move_pages(&mut self, has_time: impl Fn() -> bool) {
        while has_time()
            && let Some(pages) = &mut self.pages
        {
            let start = Instant::now();
            match pages.step() {
                None => self.pages = None,
                Some(batch) => {
                    count(|counters| &counters.pages, batch.moved);
                    count(|counters| &counters.refused, batch.refused);
                    let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(0);
                    count(|counters| &counters.micros, micros);
                }
            }
        }
    }
}

// Relaxed throughout: independent counters.
fn count(which: impl Fn(&Counters) -> &AtomicU64, more: u64) {
    if let Some(counters) = MOVED.get() {
        which(counters).fetch_add(more, Ordering::Relaxed);
    }
}

/// The moves so far, in words; `None` if there is no follower.
pub(in crate::host) fn report() -> Option<impl fmt::Display> {
    MOVED.get().map(Report::of)
}

struct Report {
    ranks: u64,
    pages: u64,
    refused: u64,
    micros: u64,
}

impl Report {
    fn of(counters: &Counters) -> Self {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Self {
            ranks: read(&counters.ranks),
            pages: read(&counters.pages),
            refused: read(&counters.refused),
            micros: read(&counters.micros),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kib = self.pages * rustix::param::page_size() as u64 / 1024;
        write!(
            f,
            "memory followed {} moves of ranks to other nodes: {} pages ({kib} KiB) in {} us; {} pages stayed",
            self.ranks, self.pages, self.micros, self.refused
        )
    }
}
