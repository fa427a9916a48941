//! A description of the measured machine, in one line.

use std::fs;
use std::process::Command;

/// The processor, cores, kernel and load, as far as the system reports them.
pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!(
        "{}, {cores} cores, Linux {}, load average {} at the start",
        processor(),
        kernel.trim(),
        load.split(' ').next().unwrap_or("unknown")
    )
}

fn processor() -> String {
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(
        || "unknown processor".to_owned(),
        |(_, name)| name.trim().to_owned(),
    )
}

/// Today's date, as `date` writes it.
pub(crate) fn date() -> String {
    let printed = Command::new("date").arg("+%Y-%m-%d").output();
    printed
        .map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned())
        .unwrap_or_default()
}
