//! Which cores the threads of a host run on.

use super::error::HostError;
use super::output::say;
use rustix::process::Pid;
use simurgh_image::ProcessorSet;
use simurgh_net::job::JobSpec;
use simurgh_sched::{Affinity, Placement, Seat, Topology};
use simurgh_settings::Id;
use simurgh_settings::placement::{Binding, Plan, show_processors};

/// What there is for virtual processors, and on which of the cores ranks begin, if that is not the policy's to say.
pub(super) struct Place {
    pub(super) topology: Topology,
    pub(super) homes: Vec<usize>,
    /// Where each rank may compute: what it is bound to by the user, or its share of the node. Whatever virtual
    /// processor it is on, its threads begin there.
    pub(super) processors: Vec<ProcessorSet>,
    /// What is to be told of each rank, if the user wants to know.
    pub(super) report: Vec<String>,
}

/// The place of this host on its node: that of its ranks, if the user has a say in it, or its share of the cores.
pub(super) fn place(spec: &JobSpec) -> Result<Place, HostError> {
    let machine = Topology::detect()?;
    let (ranks, on_node) = spec.ranks_on_node();
    let every = |cpus: Vec<usize>| vec![cpus.into_iter().collect(); ranks.len()];
    let (topology, homes, processors, words) = match Plan::of(&spec.settings) {
        Some(plan) => {
            let placement = Placement::new(&machine, &plan, on_node)?;
            let own = &placement.seats()[ranks.clone()];
            let words: Vec<_> = own.iter().map(|seat| seat.bound.clone()).collect();
            let set = |seat: &Seat| seat.cpus.iter().copied().collect();
            let processors = own.iter().map(set).collect();
            let (topology, homes) = placement.of_process(ranks, machine);
            (topology, homes, processors, words)
        }
        None => {
            let (place, hosts) = spec.place_on_node();
            let words = vec![None; ranks.len()];
            if spec.settings.binding() == Binding::None {
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
    let report = report(spec, &topology, words);
    Ok(Place {
        topology,
        homes,
        processors,
        report,
    })
}

/// The share of a rank in the cores of its node.
fn share_of(machine: &Topology, rank: usize, ranks: usize) -> ProcessorSet {
    let cores = machine.cores_of(rank, ranks).iter();
    cores.flat_map(|core| core.cpus.iter().copied()).collect()
}

/// A line for each rank, if the user wants to know; `words` are what each is bound to.
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

/// Binds all threads of a rank's own process, which another launcher has started, as the user wants that. Those that
/// come later are bound as those that begin them.
pub(super) fn bind_process(spec: &JobSpec) -> Result<(), HostError> {
    let plan = Plan::of(&spec.settings);
    if plan.is_none() && !spec.settings.is_on(Id::ReportBindings) {
        return Ok(());
    }
    let machine = Topology::detect()?.unbound();
    let (ranks, on_node) = spec.ranks_on_node();
    let placement = plan.map(|plan| Placement::new(&machine, &plan, on_node));
    let seat = placement
        .transpose()?
        .map(|placement| placement.seats()[ranks.start].clone());
    if let Some(seat) = seat.as_ref().filter(|seat| seat.bound.is_some()) {
        bind_threads(&seat.cpus)?;
    }
    let words = seat.and_then(|seat| seat.bound);
    report(spec, &machine, vec![words])
        .iter()
        .for_each(|line| say(line));
    Ok(())
}

/// Binds all threads of this process.
fn bind_threads(allowed: &[usize]) -> Result<(), HostError> {
    let affinity = Affinity::of(allowed);
    let threads = std::fs::read_dir("/proc/self/task").map_err(HostError::system("listing threads"))?;
    let number = |name: std::ffi::OsString| name.to_str()?.parse().ok();
    for thread in threads.flatten().filter_map(|entry| number(entry.file_name())) {
        // A thread that has ended meanwhile, or a kernel that refuses: free to move, which is slower but right.
        let _ = affinity.bind(Pid::from_raw(thread));
    }
    Ok(())
}
