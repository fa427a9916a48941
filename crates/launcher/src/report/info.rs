//! The output of `simurgh info`: version, machine, settings and limits.

use crate::VERSION;
use crate::args::stack_limit;
use crate::error::LaunchError;
use crate::process::GRACE;
use simurgh_mpi::limits::LIMITS;
use simurgh_net::job;
use simurgh_sched::Topology;
use simurgh_settings::{Category, Id, Origin, SETTINGS, Values};
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write};

/// The whole text, with the settings that `environment` makes.
///
/// # Errors
///
/// When one of the settings is wrong.
pub fn info(environment: impl Fn(&OsStr) -> Option<OsString>) -> Result<String, LaunchError> {
    let topology = Topology::detect()?;
    let mut text = format!(
        "Simurgh {VERSION}, MPI 5.0 with the standard ABI\n\nMachine ({} usable cores):\n",
        topology.cores().len()
    );
    for line in topology.to_string().lines() {
        text.push_str("  ");
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&settings(environment)?);
    limits(&mut text).expect("a String can always be written to");
    Ok(text)
}

/// The settings in effect, each with its origin.
///
/// # Errors
///
/// When one of the settings is wrong.
pub fn settings(environment: impl Fn(&OsStr) -> Option<OsString>) -> Result<String, LaunchError> {
    let mut values = Values::from_environment(environment)?;
    if !values.is_given(Id::StackSize) {
        values.set(Id::StackSize, stack_limit(), Origin::Preset)?;
    }
    let mut text = String::new();
    for category in Category::ALL {
        let mut title = format!("Settings of {}:\n", category.name().replace('_', " "));
        for setting in SETTINGS.iter().filter(|setting| setting.category == category) {
            let origin = match values.origin(setting.id) {
                Origin::Preset => "",
                Origin::Given(origin) => origin,
            };
            let value = values.show(setting.id);
            text.push_str(&std::mem::take(&mut title));
            writeln!(
                text,
                "  {:<14} {value:<18} {origin:<22} {}",
                setting.name, setting.doc
            )
            .expect("a String can always be written to");
        }
    }
    Ok(text)
}

/// All limits that a user may meet and that are not settings.
fn limits(text: &mut String) -> fmt::Result {
    writeln!(text, "\nLimits:")?;
    for limit in LIMITS {
        writeln!(text, "  {:<20} {:<12} {}", limit.name(), limit.value, limit.doc())?;
    }
    let others = [
        ("max_ranks", job::MAX_RANKS.to_string(), "Ranks of a job"),
        (
            "max_description",
            job::MAX_BYTES.to_string(),
            "Length of a job description in bytes",
        ),
        (
            "grace",
            GRACE.as_millis().to_string(),
            "Milliseconds to end after a signal",
        ),
        (
            "vm.max_map_count",
            kernel_limit("/proc/sys/vm/max_map_count"),
            "Mappings of a process (of the kernel)",
        ),
        ("nofile", open_files(), "Open files of a process (of the kernel)"),
    ];
    for (name, value, doc) in others {
        writeln!(text, "  {name:<20} {value:<12} {doc}")?;
    }
    Ok(())
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
    fn names_settings_with_their_origins_and_limits() {
        let set = |name: &OsStr| (name == "SIMURGH_VPS").then(|| OsString::from("3"));
        let text = info(set).unwrap();
        assert!(text.contains(VERSION) && text.contains("usable cores"));
        let line = text.lines().find(|line| line.contains(" vps ")).unwrap();
        assert!(line.contains("  3  ") && line.contains("SIMURGH_VPS"), "{line}");
        assert!(text.contains("max_ranks") && text.contains("pooled_requests"));
        let line = text.lines().find(|line| line.contains(" eager_limit ")).unwrap();
        assert!(line.contains(" 8K ") && !line.contains("SIMURGH"), "{line}");
    }

    #[test]
    fn a_wrong_value_is_an_error_that_names_the_variable() {
        let set = |name: &OsStr| (name == "SIMURGH_EAGER_LIMIT").then(|| OsString::from("big"));
        let error = settings(set).unwrap_err().to_string();
        assert!(
            error.starts_with("SIMURGH_EAGER_LIMIT: \"big\" is not a size"),
            "{error}"
        );
    }
}
