//! Ranks that can be relocated (`--relocatable`): all memory of a rank lies in a range of addresses of its own
//! (`layout`). So it can be dumped and put back (`dump`), and later into another process, where the range is at the
//! same place.
//!
//! What the engine keeps for a rank is not in its range: its control block, its endpoint, requests, the objects behind
//! handles. Others reach these while the rank is away, and the host that a rank moves to makes its own.

mod dump;
mod layout;

use super::error::HostError;
use super::state::Host;
use simurgh_heap::RankHeaps;
use simurgh_mpi::Process;
use simurgh_net::job::JobSpec;
use simurgh_settings::{Id, Values};
use std::sync::{PoisonError, RwLock};

pub use dump::NotNow;
pub(super) use layout::Ranges;

/// Held by threads of the host that call functions of ranks, and changed while a rank is away.
static PRESENCE: RwLock<()> = RwLock::new(());

/// Calls functions of ranks, on a thread that belongs to none. No rank goes away meanwhile.
pub(super) fn while_present<R>(call: impl FnOnce() -> R) -> R {
    let _present = PRESENCE.read().unwrap_or_else(PoisonError::into_inner);
    call()
}

/// Reserves the ranges of all ranks of the job, those on other hosts included, if its ranks are to be relocatable. It
/// is called before any of them begins, once.
pub(super) fn reserve(spec: &JobSpec) -> Result<(), HostError> {
    let Some(ranges) = Ranges::of_job(&spec.settings) else {
        return Ok(());
    };
    if !RankHeaps::are_possible() {
        return Err(HostError::NoRanges);
    }
    let local = spec.origin.realm.local(spec.origin.first_process);
    let first = local.unwrap_or(spec.origin.first_process) as usize;
    let end = first + spec.total_ranks()? as usize;
    if end > ranges.count() {
        return Err(HostError::TooManyRanges {
            ranks: end,
            ranges: ranges.count(),
        });
    }
    let stack = super::job::stack_size(&spec.settings);
    if !ranges.has_room_for_stack(stack) {
        return Err(HostError::StackTooLarge { stack });
    }
    simurgh_alloc::reserve(ranges.all(first..end)).map_err(HostError::RangesTaken)?;
    ranges.divide_heaps();
    Ok(())
}

/// How often the rank of the calling process has been dumped.
pub fn dumps(process: &Process) -> u64 {
    rank_of(process).map_or(0, |rank| rank.dumps())
}

/// Dumps the calling rank, wipes its range, and restores it from the dump; so many times. `pending` gives the number of
/// operations under way that may use its memory. It is called when the rank has no other thread.
///
/// # Errors
///
/// When the rank cannot be away now. Nothing has been done then.
pub fn dump_and_restore(process: &Process, pending: impl Fn() -> usize, times: u64) -> Result<(), NotNow> {
    let ranges = Ranges::of_job(process.job().settings()).ok_or(NotNow::NotRelocatable)?;
    let rank = rank_of(process).ok_or(NotNow::NotRelocatable)?;
    for _ in 0..times {
        dump::dump_and_restore(rank, &ranges, &pending)?;
    }
    Ok(())
}

/// Whether memory that the job's ranks allocate has to lie in their ranges.
pub fn is_wanted(settings: &Values) -> bool {
    settings.is_on(Id::Relocatable)
}

fn rank_of(process: &Process) -> Option<&'static super::state::Rank> {
    Host::running()?.rank_of(process)
}
