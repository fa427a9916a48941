//! A description of the measured machine, in one line, and of the state that it was in.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use simurgh_testing::Compile;

use super::report;
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

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

/// The time that a cache line takes from core to core, which varies from time to time on shared machines.
pub(crate) struct LineTransfer {
    program: PathBuf,
    /// The times so far, in nanoseconds.
    times: Vec<f64>,
}

impl LineTransfer {
    /// Compiles the program that measures it.
    pub(crate) fn new(workspace: &Workspace) -> Result<Self> {
        let program = workspace.target("bench/line");
        let source = Compile::c("benches/c/line.c").flags(["-O2", "-pthread"]);
        source.output(&program).try_build().map_err(Failure::Faults)?;
        Ok(Self {
            program,
            times: Vec::new(),
        })
    }

    /// Measures it once more. Nothing is added on a machine with one core.
    pub(crate) fn measure(&mut self) {
        let printed = Command::new(&self.program).output();
        let time = |text: &str| text.trim().parse::<f64>().ok();
        let output = printed.ok();
        self.times
            .extend(output.and_then(|output| time(&String::from_utf8_lossy(&output.stdout))));
    }

    /// A sentence about the times; empty if there are none.
    pub(crate) fn sentence(&self) -> String {
        let times: Vec<_> = self.times.iter().map(|time| report::number(*time)).collect();
        match times.is_empty() {
            true => String::new(),
            false => format!(
                " When each round began, a cache line took so many ns from core to core: {}.",
                times.join(", ")
            ),
        }
    }
}
