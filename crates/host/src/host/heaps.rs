//! The memory that ranks allocate.

use super::end::end_job;
use super::error::HostError;
use super::malloc_info;
use super::output::say;
use super::relocation::Ranges;
use super::state::{Host, Rank};
use super::{calls, crash};
use simurgh_core::enter_runtime;
use simurgh_heap::{Calls, Fault, RankHeaps, Report, Reporter, checked};
use simurgh_image::AllocatorFunctions;
use simurgh_mpi::Process;
use simurgh_net::job::JobSpec;
use simurgh_settings::{Id, Values};
use std::fmt::Write;
use std::thread::JoinHandle;

/// Checks whether there are heaps for ranks, if the settings want something of them.
pub(super) fn check(settings: &Values) -> Result<(), HostError> {
    if settings.is_given(Id::MemoryLimit) && !RankHeaps::are_possible() {
        return Err(HostError::NoHeaps);
    }
    Ok(())
}

/// Gives ranks heaps of their own, if there are addresses for them.
pub(super) fn connect(settings: &Values) {
    if !RankHeaps::are_possible() {
        return;
    }
    calls::prepare();
    simurgh_heap::set_reporter(Reporter {
        tell,
        calls: led_here,
    });
    let functions = match are_checked(settings) {
        false => AllocatorFunctions {
            replaced: with_texts(&simurgh_heap::functions()),
            free: simurgh_heap::free,
            realloc: simurgh_heap::realloc,
            usable_size: simurgh_heap::usable_size,
        },
        true => AllocatorFunctions {
            replaced: with_texts(&checked::functions()),
            free: checked::free,
            realloc: checked::realloc,
            usable_size: checked::usable_size,
        },
    };
    functions.connect();
}

/// These functions of C, and those that print.
fn with_texts(functions: &[(&'static str, usize)]) -> Vec<(&'static str, usize)> {
    [functions, &malloc_info::functions()].concat()
}

/// Whether the blocks of ranks are checked.
pub(super) fn are_checked(settings: &Values) -> bool {
    /// The word `all`.
    const ALL: usize = 2;
    settings.amount(Id::Check) == ALL
}

/// Checks the blocks of the calling context's rank, whose program has ended, if blocks are checked.
pub(super) fn check_at_end(rank: &Rank) {
    if are_checked(rank.process().job().settings()) && RankHeaps::are_possible() {
        checked::check_all(rank.heaps());
    }
}

/// The ranks of a process from which on their long blocks lie side by side: those of fewer need few huge pages.
const MANY: usize = 8;

/// The heaps of a rank. `range` is the number of its range of addresses, if it has one.
pub(super) fn of_rank(spec: &JobSpec, rank: u32, range: usize) -> RankHeaps {
    let settings = &spec.settings;
    let heaps = match settings.get(Id::MemoryLimit) {
        Some(bytes) => RankHeaps::limited(bytes as usize),
        None => RankHeaps::new(),
    };
    let heaps = heaps.of(rank);
    match Ranges::of_job(settings) {
        Some(_) => heaps.in_share(range),
        None if spec.ranks().iter().len() >= MANY => heaps.among_others(),
        None => heaps,
    }
}

/// Tells the user what has happened in the heap of the calling rank. After a fault, the job ends.
fn tell(report: &Report) {
    let _inside = enter_runtime();
    let Some(host) = Host::running() else { return };
    let id = Process::with_current(|process| process.map(|process| process.rank()));
    let who = match host.ranks().iter().find(|rank| Some(rank.id()) == id) {
        Some(rank) => format!("rank {} ({})", rank.id(), rank.program()),
        None => "a thread that belongs to no rank".to_owned(),
    };
    match *report {
        Report::Fault(fault) => {
            let text = format!("{who} {fault}");
            end_job(
                host,
                crash::status_of(libc::SIGABRT),
                &with_places(text, fault, id),
            );
        }
        _ => say(&format!("{who} {report}")),
    }
}

/// Adds what has led to a fault. The stack of a rank may be too short for reading debug information, so another thread
/// does that.
fn with_places(text: String, fault: Fault, own: Option<u32>) -> String {
    let here = led_here();
    let places = move || places(fault, own, here);
    let thread = simurgh_core::with_signals_blocked(|| std::thread::Builder::new().spawn(places));
    let places = thread.map(JoinHandle::join);
    text + places.ok().and_then(Result::ok).as_deref().unwrap_or_default()
}

fn places(fault: Fault, own: Option<u32>, here: Calls) -> String {
    let mut text = String::new();
    if !fault.call.is_empty() {
        add_calls(&mut text, "in", here);
    }
    let Some(block) = fault.block else { return text };
    let ranks = Host::running().map_or(&[][..], Host::ranks);
    let owner = ranks
        .iter()
        .find(|rank| std::ptr::from_ref(rank.heaps()).addr() == block.owner)
        .map(Rank::id);
    if let Some(owner) = owner.filter(|owner| Some(*owner) != own) {
        let _ = write!(text, "\n the block is one of rank {owner}");
    }
    add_calls(&mut text, "allocated in", block.allocated);
    if let Some(freed) = block.freed {
        add_calls(&mut text, "freed in", freed);
    }
    text
}

/// Adds a line for each call.
fn add_calls(text: &mut String, word: &str, calls: Calls) {
    let mut lead = word;
    for address in calls.into_iter().take_while(|address| *address != 0) {
        let functions = crash::functions(address - 1);
        let _ = write!(text, "\n {lead} {}", functions.text);
        if functions.is_beginning {
            break;
        }
        lead = "  called by";
    }
}

/// The calls that led from the program to a function of the heap.
fn led_here() -> Calls {
    let mut found = Calls::default();
    calls::stack(&mut found);
    found
}
