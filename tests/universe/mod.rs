//! Jobs of several mpiexecs that meet in a universe: C programs in both modes, and how such jobs end.

mod ends;
mod meet;
mod names;
mod other_users;

use simurgh_testing::{
    Binary, Compile, LIMIT, Mpiexec, Outcome, Scratch, Signal, Stage, Started, TCP, signal,
};
use std::path::PathBuf;
use std::process::Command;

const MODES: [&str; 2] = ["threads", "processes"];

/// This machine stands for two nodes, whose hosts are started by agents.
const NODES: [&str; 4] = ["--launcher", "fork", "-hosts", "a,b"];

fn build(program: &str) -> Binary {
    Compile::c(format!("tests/c/{program}.c"))
        .flags(["-O1", "-Wall", "-Werror", "-pthread"])
        .against(&Stage::locate())
        .build()
}

/// A universe; ended when dropped.
struct Universe {
    server: Option<Started>,
    file: PathBuf,
    _scratch: Scratch,
}

impl Universe {
    fn new(name: &str) -> Self {
        Self::listening(name, &[])
    }

    /// Starts a universe with options about where it listens.
    fn listening(name: &str, options: &[&str]) -> Self {
        let scratch = Scratch::new(name);
        let file = scratch.path().join("universe");
        let mut command = Command::new(Stage::locate().tool("simurgh"));
        command.arg("universe").args(options).arg(&file);
        Self {
            server: Some(Started::new(&command)),
            file,
            _scratch: scratch,
        }
    }

    /// An mpiexec in this universe.
    fn mpiexec(&self, ranks: usize) -> Mpiexec {
        let file = self.file.as_os_str();
        let mpiexec = Stage::locate().mpiexec(ranks);
        mpiexec.options(["--universe".as_ref(), file]).options(TCP)
    }

    /// Ends it by a signal; returns its outcome.
    fn hit(&mut self, how: Signal) -> Option<Outcome> {
        let server = self.server.take()?;
        signal(server.id(), how);
        Some(server.ends(LIMIT))
    }

    /// Ends it in order.
    fn end(&mut self) {
        if let Some(outcome) = self.hit(Signal::TERM) {
            outcome.expect_success().expect_no_complaints();
            assert!(!self.file.exists(), "{outcome}");
        }
    }
}

impl Drop for Universe {
    fn drop(&mut self) {
        self.hit(Signal::TERM);
    }
}

/// Runs jobs at the same time to their ends; returns their outcomes.
fn together<const N: usize>(commands: [Command; N]) -> [Outcome; N] {
    let started = commands.map(|command| Started::new(&command));
    started.map(|job| job.ends(LIMIT))
}
