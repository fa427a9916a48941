//! Statistics of a job, printed at its end if the user asks.

use super::memory;
use super::state::Rank;
use super::{file_use, heap_profile, heap_use, window_use};
use simurgh_mpi::{Job, NetworkStats};
use simurgh_profile::Profile;
use simurgh_sched::policy::Machine;
use simurgh_sched::{DomainKind, DomainStats, Runtime, VpStats};
use std::fmt::Write;

/// The statistics of a host: virtual processors, network, windows, files, memory. `host` is the host's name, if there
/// are several.
pub(super) fn text(runtime: &Runtime, host: &str, ranks: &[Rank], job: &Job, profile: &Profile) -> String {
    let count = ranks.len();
    let mut text = format!(
        "statistics of {host}{count} ranks on {} virtual processors:",
        runtime.vps()
    );
    let stats = runtime.stats();
    for (index, vp) in stats.iter().enumerate() {
        let name = match index.checked_sub(runtime.vps()) {
            None => "vp",
            Some(behind) if behind < runtime.network_vps() => "network vp",
            Some(_) => "I/O vp",
        };
        let _ = write!(text, "\n  {name} {index}: {}", of_processors(vp));
    }
    let machine = Machine::new(runtime.vps(), runtime.topology());
    text.push_str(&of_domains(&stats[..runtime.vps()], &machine));
    if let Some(moves) = runtime.balancing_moves() {
        let _ = write!(text, "\n  ranks were moved to even out the load {moves} times");
    }
    add_traffic(&mut text, job);
    if let Some(moved) = memory::report() {
        let _ = write!(text, "\n  {moved}");
    }
    memory::add_huge_pages(&mut text);
    text.push_str(&of_memory());
    if let Some(kib) = proportional_memory() {
        let _ = write!(text, ", {} KiB per rank", kib / count.max(1) as u64);
    }
    text.push_str(&heap_use::text(ranks));
    text.push_str(&heap_profile::text(profile));
    text
}

/// The counters of one virtual processor, or of several together.
fn of_processors(vp: &VpStats) -> String {
    let mut text = format!(
        "{} context switches, {:.1} % busy, slept {} times",
        vp.switches,
        vp.utilisation() * 100.0,
        vp.sleeps
    );
    if vp.polls > 0 {
        let ms = vp.network_ns as f64 / 1e6;
        let _ = write!(
            text,
            ", looked at the network {} times, about {ms:.1} ms",
            vp.polls
        );
    }
    let seconds = |ns: u64| ns as f64 / 1e9;
    let (ran, idle) = (seconds(vp.compute_ns), seconds(vp.idle_ns));
    let _ = write!(text, ", ran for {ran:.3} s, idle for {idle:.3} s");
    text
}

/// A line for each piece of hardware that several virtual processors share, if there are several pieces of its kind.
fn of_domains(stats: &[VpStats], machine: &Machine<'_>) -> String {
    let mut text = String::new();
    for kind in [
        DomainKind::Package,
        DomainKind::Numa,
        DomainKind::L3,
        DomainKind::L2,
    ] {
        let mut domains = DomainStats::of(stats, machine, kind);
        domains.retain(|domain| domain.kind == kind);
        if domains.len() < 2 || domains.len() == stats.len() {
            continue;
        }
        for DomainStats {
            number, vps, stats, ..
        } in domains
        {
            let _ = write!(text, "\n  {kind} {number}, {vps} vps: {}", of_processors(&stats));
        }
    }
    text
}

/// The statistics of a rank with a process of its own, which has no virtual processors.
pub(super) fn of_process(rank: &Rank, job: &Job) -> String {
    let mut text = format!("statistics of rank {} ({}):", rank.id(), rank.program());
    let Usage {
        program,
        system,
        sleeps,
    } = Usage::of_this_process();
    let _ = write!(
        text,
        "\n  processor: {program:.2} s in the program, {system:.2} s in the system, slept {sleeps} times"
    );
    add_traffic(&mut text, job);
    text.push_str(&of_memory());
    text
}

/// The kernel's counters for all threads of this process.
struct Usage {
    /// Processor time in the program, in seconds.
    program: f64,
    /// Processor time in the kernel, in seconds.
    system: f64,
    /// The number of times that a thread had to wait.
    sleeps: i64,
}

impl Usage {
    fn of_this_process() -> Self {
        // SAFETY:
        // - all zeros is a value of the structure.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY:
        // - the structure may be written. It fails for no reason that there is here; then all is zero.
        unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        Self {
            program: seconds(usage.ru_utime),
            system: seconds(usage.ru_stime),
            sleeps: usage.ru_nvcsw,
        }
    }
}

fn of_memory() -> String {
    proportional_memory().map_or_else(
        || "\n  memory: unknown (/proc/self/smaps_rollup cannot be read)".to_owned(),
        |kib| format!("\n  memory: {kib} KiB in all (PSS)"),
    )
}

/// The traffic between the host and others, and the use of windows and files.
fn add_traffic(text: &mut String, job: &Job) {
    if let Some(network) = job.network() {
        text.push_str(&of_network(&network.stats()));
    }
    text.push_str(&window_use::text(job));
    text.push_str(&file_use::text(job));
}

/// The traffic between the host and others.
fn of_network(stats: &NetworkStats) -> String {
    let NetworkStats {
        packets_sent,
        packets_received,
        bytes_sent,
        bytes_received,
        dropped,
        stalls,
    } = *stats;
    format!(
        "\n  network: sent {packets_sent} packets with {} of data, received {packets_received} with {}, \
         dropped {dropped}; {stalls} sends found their window used up",
        amount(bytes_sent),
        amount(bytes_received)
    )
}

/// A number of bytes, in the unit in which it has few digits.
pub(super) fn amount(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(shift, _)| bytes >> shift >= 10);
    unit.map_or_else(
        || format!("{bytes} B"),
        |(shift, unit)| format!("{} {unit}", bytes >> shift),
    )
}

/// The memory of the process in KiB. Pages that it shares with other processes count in part (PSS).
fn proportional_memory() -> Option<u64> {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_sched::Topology;

    #[test]
    fn amounts_are_short() {
        let shown = [0, 10_000, 10_240, 5 << 20, 12 << 20, 900 << 30].map(amount);
        assert_eq!(
            shown,
            ["0 B", "10000 B", "10 KiB", "5120 KiB", "12 MiB", "900 GiB"]
        );
    }

    #[test]
    fn virtual_processors_are_summed_up_for_the_hardware_that_they_share() {
        let topology = Topology::synthetic("package:2 l3:1 core:2 pu:1").expect("a valid description");
        let vp = |switches| VpStats {
            switches,
            idle_ns: 500_000_000,
            compute_ns: 1_500_000_000,
            ..VpStats::default()
        };
        let text = of_domains(&[1, 2, 30, 40].map(vp), &Machine::new(4, &topology));
        let lines: Vec<_> = text.trim().split("\n  ").collect();
        let told =
            ", 2 vps: 3 context switches, 75.0 % busy, slept 0 times, ran for 3.000 s, idle for 1.000 s";
        assert_eq!(lines[0], format!("package 0{told}"));
        assert_eq!(
            (lines.len(), lines[1].contains("70 context switches")),
            (4, true),
            "{text}"
        );
        assert_eq!(of_domains(&[vp(1)], &Machine::new(1, &topology)), "");
    }

    #[test]
    fn the_kernel_tells_our_memory() {
        assert!(proportional_memory().unwrap() > 0);
    }
}
