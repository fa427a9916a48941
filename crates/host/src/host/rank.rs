//! The life of one rank.

use super::end::{end_job, exit_status};
use super::heap_use::Moment;
use super::state::{Host, Rank, RankPlace};
use super::{heaps, hooks, rank_memory, signals};
use simurgh_image::{Instance, MainThread, Prepared, ProcessorSet, RankContext};
use simurgh_mpi::{Phase, Process};
use std::ffi::CString;
use std::sync::Arc;

/// A program of the job, ready to be instantiated once per rank.
pub(super) struct Program {
    pub(super) prepared: Prepared,
    pub(super) argv: Vec<CString>,
    pub(super) environment: Vec<CString>,
}

/// Runs a rank from its beginning to its end, on its own execution context.
pub(super) fn run(host: &'static Host, rank: &'static Rank, program: &Program, processors: ProcessorSet) {
    Process::bind(Arc::clone(rank.process()));
    let context = RankContext {
        rank: rank.id(),
        ignored_signals: signals::ignored(),
        hooks: &hooks::HOOKS,
        user: hooks::user(rank),
        main: main_thread(processors),
        range: rank.range(),
    };
    match program.prepared.instantiate(context) {
        Ok(instance) => {
            rank.heaps().enter();
            rank.set_image(instance.flusher(), instance.signals());
            rank.set_place(place_of(&instance));
            let status = instance.run(&program.argv, &program.environment);
            rank.heap_use().note(Moment::Ended);
            heaps::check_at_end(rank);
            finished(host, rank, exit_status(status));
            rank_memory::main_has_ended(host, rank);
        }
        Err(error) => {
            let hint = mappings_hint();
            end_job(
                host,
                1,
                &format!("rank {} cannot be started: {error}{hint}", rank.id()),
            )
        }
    }
}

/// The stack and the processors of the rank's main thread, the calling execution context.
fn main_thread(processors: ProcessorSet) -> MainThread {
    let bounds = simurgh_core::current().stack_bounds();
    MainThread {
        stack: bounds.map_or(0, |bounds| bounds.low),
        stack_size: bounds.map_or(0, |bounds| bounds.high - bounds.low),
        processors,
    }
}

/// Where the rank is whose main context calls this.
fn place_of(instance: &Instance) -> RankPlace {
    let ec = simurgh_core::current();
    let bounds = ec.stack_bounds();
    RankPlace {
        ec,
        stack: bounds.map_or(0..0, |bounds| bounds.low..bounds.high),
        image: instance.addresses(),
        images: instance.state(),
    }
}

/// A hint for the user if the kernel's limit on mappings may be the reason why a program could not be loaded; or
/// nothing.
fn mappings_hint() -> String {
    let used =
        std::fs::read("/proc/self/maps").map_or(0, |maps| maps.iter().filter(|&&b| b == b'\n').count());
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    match limit.trim().parse::<usize>() {
        // Loading a program takes a few dozen mappings.
        Ok(limit) if used + 100 > limit => {
            format!(
                "; this process has used up its {limit} mappings: raise them with sysctl vm.max_map_count={}",
                limit * 4
            )
        }
        _ => String::new(),
    }
}

/// Handles the end of a rank's program. MPI obliges a rank to finalize what it has initialised, since others may be
/// waiting for it: if it has not, the job ends.
pub(super) fn finished(host: &Host, rank: &Rank, status: u8) {
    let process = rank.process();
    if process.check_active().is_ok() && !rank.has_ended() {
        let (id, program) = (rank.id(), rank.program());
        let missed = match process.phase() {
            Phase::Active => "MPI_Finalize",
            Phase::Before | Phase::After => "MPI_Session_finalize",
        };
        let message = format!("rank {id} ({program}) ended with status {status} without calling {missed}");
        end_job(host, status.max(1), &message);
    }
    host.rank_ended(rank, status);
}
