//! What `simurgh info` prints: version, machine, settings and limits.

use crate::VERSION;
use crate::args::{OPTIONS, option_names};
use crate::error::LaunchError;
use crate::supervise::GRACE;
use simurgh_mpi::limits;
use simurgh_net::job::{self, Settings};
use simurgh_sched::Topology;
use std::fmt::{self, Display, Write};

/// The text, with the settings that `environment` makes.
pub fn info(environment: impl Fn(&str) -> Option<String>) -> Result<String, LaunchError> {
    let topology = Topology::detect()?;
    let mut text = String::new();
    write_all(&mut text, &topology, environment).expect("a String can always be written to");
    Ok(text)
}

fn write_all(
    text: &mut String,
    topology: &Topology,
    environment: impl Fn(&str) -> Option<String>,
) -> fmt::Result {
    writeln!(text, "Simurgh {VERSION}, MPI 5.0 with the standard ABI")?;
    writeln!(text, "\nMachine ({} usable cores):", topology.cores().len())?;
    for line in topology.to_string().lines() {
        writeln!(text, "  {line}")?;
    }
    writeln!(text, "\nSettings (option, variable, what it does):")?;
    for option in OPTIONS.iter().filter(|option| !option.variables.is_empty()) {
        let variables = option.variables.join(", ");
        writeln!(
            text,
            "  {:<18} {:<34} {}",
            option_names(option),
            variables,
            option.help
        )?;
        for variable in option.variables {
            if let Some(value) = environment(variable) {
                writeln!(text, "  {:<18} {variable} is set to {value}", "")?;
            }
        }
    }
    writeln!(text, "\nLimits:")?;
    for (name, value) in all_limits() {
        writeln!(text, "  {name:<44} {value}")?;
    }
    Ok(())
}

/// Every limit that a user may meet.
fn all_limits() -> Vec<(&'static str, String)> {
    let show = |value: &dyn Display| value.to_string();
    vec![
        ("ranks of a job", show(&job::MAX_RANKS)),
        ("virtual processors of a host", show(&simurgh_sched::VPS_MAX)),
        ("least stack of a rank, bytes", show(&Settings::MIN_STACK)),
        ("largest stack of a rank, bytes", show(&Settings::MAX_STACK)),
        ("length of a job description, bytes", show(&job::MAX_BYTES)),
        (
            "message kept inside its queue entry, bytes",
            show(&limits::INLINE_LIMIT),
        ),
        (
            "message sent before its receive, bytes",
            show(&limits::EAGER_LIMIT),
        ),
        (
            "such messages waiting at a rank, bytes",
            show(&limits::BACKLOG_LIMIT),
        ),
        (
            "communicators of a host at one time",
            show(&limits::MAX_COMMUNICATORS),
        ),
        (
            "collective done by one rank alone, bytes",
            show(&limits::ALONE_LIMIT),
        ),
        (
            "time to end after a signal, milliseconds",
            show(&GRACE.as_millis()),
        ),
        (
            "mappings of a process (vm.max_map_count)",
            kernel_limit("/proc/sys/vm/max_map_count"),
        ),
        ("open files of a process", open_files()),
    ]
}

fn kernel_limit(path: &str) -> String {
    std::fs::read_to_string(path).map_or_else(|_| "unknown".to_owned(), |value| value.trim().to_owned())
}

fn open_files() -> String {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_settings_and_limits() {
        let set = |name: &str| (name == "SIMURGH_VPS").then(|| "3".to_owned());
        let text = info(set).unwrap();
        assert!(text.contains(VERSION) && text.contains("usable cores"));
        assert!(text.contains("SIMURGH_VPS is set to 3"));
        assert!(text.contains("ranks of a job") && text.contains("--stack-size"));
    }
}
