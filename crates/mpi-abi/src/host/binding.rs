//! Which cores the threads of a host run on.

use super::error::HostError;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};
use simurgh_net::job::JobSpec;
use simurgh_sched::Topology;
use simurgh_settings::Id;

/// What there is for virtual processors: this host's share of the node.
pub(super) fn topology(spec: &JobSpec) -> Result<Topology, HostError> {
    let (place, hosts) = spec.place_on_node();
    let share = Topology::detect()?.share(place, hosts);
    Ok(match spec.settings.show(Id::BindTo).as_str() {
        "none" => share.unbound(),
        _ => share,
    })
}

/// Binds all threads of a rank's own process to its share of the node, if the user wants that. Those that come later
/// are bound as those that begin them.
pub(super) fn bind_process(spec: &JobSpec) -> Result<(), HostError> {
    if spec.settings.show(Id::BindTo) != "core" {
        return Ok(());
    }
    let mut cpus = CpuSet::new();
    let share = topology(spec)?;
    let all = share.cores().iter().flat_map(|core| &core.cpus);
    all.for_each(|&cpu| cpus.set(cpu));
    let threads = std::fs::read_dir("/proc/self/task").map_err(HostError::system("listing threads"))?;
    let number = |name: std::ffi::OsString| name.to_str()?.parse().ok();
    for thread in threads.flatten().filter_map(|entry| number(entry.file_name())) {
        // A thread that has ended meanwhile, or a kernel that refuses: free to move, which is slower but right.
        let _ = sched_setaffinity(Pid::from_raw(thread), &cpus);
    }
    Ok(())
}
