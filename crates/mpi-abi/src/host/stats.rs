//! Statistics of a job, printed at its end if the user asks.

use simurgh_sched::Runtime;
use std::fmt::Write;

/// The text: virtual processors, then memory. `host` is the host's name, if there are several.
pub(super) fn text(runtime: &Runtime, host: &str, ranks: usize) -> String {
    let mut text = format!(
        "statistics of {host}{ranks} ranks on {} virtual processors:",
        runtime.vps()
    );
    for (index, vp) in runtime.stats().iter().enumerate() {
        let name = if index < runtime.vps() { "vp" } else { "network vp" };
        let _ = write!(
            text,
            "\n  {name} {index}: {} context switches, {:.1} % busy, slept {} times",
            vp.switches,
            vp.utilisation() * 100.0,
            vp.sleeps
        );
        if vp.polls > 0 {
            let ms = vp.network_ns as f64 / 1e6;
            let _ = write!(text, ", network {} times, about {ms:.1} ms", vp.polls);
        }
    }
    match proportional_memory() {
        Some(kib) => {
            let per_rank = kib / ranks.max(1) as u64;
            let _ = write!(
                text,
                "\n  memory: {kib} KiB in all (PSS), {per_rank} KiB per rank"
            );
        }
        None => text.push_str("\n  memory: unknown (/proc/self/smaps_rollup cannot be read)"),
    }
    text
}

/// Memory of the process in KiB; pages that it shares with other processes count in part.
fn proportional_memory() -> Option<u64> {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_kernel_tells_our_memory() {
        assert!(super::proportional_memory().unwrap() > 0);
    }
}
