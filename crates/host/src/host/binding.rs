//! The cores that the threads of a host run on.

use super::error::HostError;
use super::output::say;
use super::{interrupts, pmi, threads};
use rustix::process::Pid;
use simurgh_image::ProcessorSet;
use simurgh_net::job::JobSpec;
use simurgh_sched::{Affinity, Core, Placement, RankPlace, Topology};
use simurgh_settings::Id;
use simurgh_settings::placement::{Binding, show_processors};
use std::ops::Range;

/// The cores of a host, and the place of each of its ranks.
///
/// `homes` has the core on which each rank begins; it is empty where that is left to the policy.
pub(super) struct Place {
    pub(super) topology: Topology,
    pub(super) homes: Vec<usize>,
    /// The processors of each rank: those that the user binds it to, or its share of the node. The rank's threads begin
    /// there, whatever virtual processor runs the rank.
    pub(super) processors: Vec<ProcessorSet>,
    /// A line about the binding of each rank, if the user asks for it (`--report-bindings`).
    pub(super) report: Vec<String>,
}

/// The place of this host on its node: that of its ranks if the user chooses where ranks run, and otherwise the host's
/// share of the cores.
pub(super) fn place(spec: &JobSpec) -> Result<Place, HostError> {
    let machine = Topology::for_ranks(&spec.settings)?;
    let (ranks, on_node) = spec.ranks_on_node();
    let every = |cpus: Vec<usize>| vec![cpus.into_iter().collect(); ranks.len()];
    let (topology, homes, processors, words) = match spec.settings.plan() {
        Some(plan) => {
            let placement = Placement::new(&machine, &plan, on_node)?;
            let own = &placement.ranks()[ranks.clone()];
            let words: Vec<_> = own.iter().map(|seat| seat.bound.clone()).collect();
            let set = |seat: &RankPlace| seat.cpus.iter().copied().collect();
            let processors = own.iter().map(set).collect();
            let (place, hosts) = spec.place_on_node();
            let (topology, homes) = placement.of_process(ranks, machine.sharing_reserved(place, hosts));
            (topology, homes, processors, words)
        }
        None => {
            let (place, hosts) = spec.place_on_node();
            let words = vec![None; ranks.len()];
            if pmi::is_serving() && is_bound(&machine) {
                // Another launcher has given each process its processors.
                let processors = every(machine.processors());
                (machine.unbound(), Vec::new(), processors, words)
            } else if spec.settings.binding() == Binding::None {
                let processors = every(machine.processors());
                (
                    machine.share(place, hosts).unbound(),
                    Vec::new(),
                    processors,
                    words,
                )
            } else {
                let processors = ranks.map(|rank| share_of(&machine, rank, on_node)).collect();
                (machine.share(place, hosts), Vec::new(), processors, words)
            }
        }
    };
    let mut report = report(spec, &topology, words);
    if !report.is_empty() && spec.place_on_node().0 == 0 {
        report.extend(interrupts::report(topology.reserved()));
    }
    Ok(Place {
        topology,
        homes,
        processors,
        report,
    })
}

/// Has the threads of this process leave the reserved cores, if there are any. Threads that start later inherit that.
pub(super) fn leave_reserved(topology: &Topology) {
    let kept = |core: &&Core| !topology.reserved().contains(core);
    let cpus = topology
        .machine()
        .iter()
        .filter(kept)
        .flat_map(|core| core.cpus.iter().copied());
    if !topology.reserved().is_empty() {
        bind_threads(&cpus.collect::<Vec<_>>(), |_| true);
    }
}

/// Has the threads that listen to the launcher, watch other hosts and belong to transports use the reserved cores, if
/// there are any.
pub(super) fn use_reserved(topology: &Topology) {
    if !topology.reserved().is_empty() {
        bind_threads(&topology.processors_of_library(), threads::listens_or_watches);
    }
}

/// Whether this process may use only a part of the machine.
fn is_bound(machine: &Topology) -> bool {
    // SAFETY:
    // - it may be called at any time.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    let allowed: usize = machine.machine().iter().map(|core| core.cpus.len()).sum();
    usize::try_from(online).is_ok_and(|online| allowed < online)
}

/// The share of a rank in the cores of its node.
fn share_of(machine: &Topology, rank: usize, ranks: usize) -> ProcessorSet {
    let cores = machine.cores_of(rank, ranks).iter();
    cores.flat_map(|core| core.cpus.iter().copied()).collect()
}

/// A line for each rank, if the user asks for it; `words` says what each is bound to.
fn report(spec: &JobSpec, topology: &Topology, words: Vec<Option<String>>) -> Vec<String> {
    if !spec.settings.is_on(Id::ReportBindings) {
        return Vec::new();
    }
    let all = show_processors(&topology.processors());
    let anywhere = match topology.binds() {
        true => format!("moves between virtual processors, which are bound to cores (processors {all})"),
        false => format!("is not bound (processors {all})"),
    };
    let of_rank = |(rank, words): (u32, Option<String>)| {
        let place = words.map_or_else(|| anywhere.clone(), |words| format!("is bound to {words}"));
        format!("rank {} {place}", spec.name_of(rank))
    };
    spec.ranks().iter().zip(words).map(of_rank).collect()
}

/// Binds all threads of a rank's own process, which another launcher has started, as the user wants. Threads that start
/// later inherit the binding of the thread that starts them.
pub(super) fn bind_process(spec: &JobSpec) -> Result<(), HostError> {
    let plan = spec.settings.plan();
    let reserves = spec.settings.amount(Id::ReserveCores) > 0;
    if plan.is_none() && !reserves && !spec.settings.is_on(Id::ReportBindings) {
        return Ok(());
    }
    let machine = Topology::for_ranks(&spec.settings)?.unbound();
    let (ranks, on_node) = spec.ranks_on_node();
    let placement = plan.map(|plan| Placement::new(&machine, &plan, on_node));
    let seat = placement
        .transpose()?
        .map(|placement| placement.ranks()[ranks.start].clone());
    match seat.as_ref().filter(|seat| seat.bound.is_some()) {
        Some(seat) => bind_threads(&seat.cpus, |_| true),
        None => leave_reserved(&machine),
    }
    let words = seat.and_then(|seat| seat.bound);
    report(spec, &machine, vec![words])
        .iter()
        .for_each(|line| say(line));
    Ok(())
}

/// Moves the calling thread to its rank's share of the processors that it may use. The kernel may move it again at any
/// time.
pub(super) fn use_own_share(spec: &JobSpec) {
    let Ok(all) = Affinity::current() else {
        return;
    };
    let (ranks, on_node) = spec.ranks_on_node();
    let processors = all.processors();
    let share = &processors[part_of(processors.len(), ranks.start, on_node)];
    // A kernel that refuses leaves it where it is.
    let _ = Affinity::of(share).bind(None).and_then(|()| all.bind(None));
}

/// The part of so many processors that is for one of `ranks`. Ranks that outnumber the processors share one each.
fn part_of(processors: usize, rank: usize, ranks: usize) -> Range<usize> {
    let begin = |rank: usize| processors * rank / ranks;
    begin(rank)..begin(rank + 1).max(begin(rank) + 1)
}

/// Binds those threads of this process that are `meant`, by their numbers.
fn bind_threads(allowed: &[usize], meant: impl Fn(u32) -> bool) {
    let affinity = Affinity::of(allowed);
    for thread in threads::all().filter(|thread| meant(*thread)) {
        // The thread may have ended meanwhile, or the kernel may refuse. An unbound thread is slower, but correct.
        let _ = affinity.bind(Pid::from_raw(thread.cast_signed()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_a_part_of_the_processors() {
        let parts = |processors, ranks| (0..ranks).map(move |rank| part_of(processors, rank, ranks));
        assert!(parts(2, 2).eq([0..1, 1..2]));
        assert!(parts(5, 2).eq([0..2, 2..5]));
        assert!(parts(2, 5).eq([0..1, 0..1, 0..1, 1..2, 1..2]));
        assert_eq!(part_of(1, 0, 1), 0..1);
    }
}
