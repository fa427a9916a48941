//! A run of mpiexec.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Input, LIMIT, Outcome, run};

/// Options that make hosts which talk over libfabric use TCP and stay on this machine.
pub const TCP: [&str; 4] = ["--provider", "tcp", "--interface", "lo"];

/// The builder of an mpiexec command.
#[derive(Debug, Clone)]
pub struct Mpiexec {
    mpiexec: PathBuf,
    options: Vec<OsString>,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    input: Vec<u8>,
    limit: Duration,
}

impl Mpiexec {
    /// `mpiexec -n ranks` of this mpiexec.
    pub fn new(mpiexec: &Path, ranks: usize) -> Self {
        Mpiexec {
            mpiexec: mpiexec.to_owned(),
            options: vec!["-n".into(), ranks.to_string().into()],
            arguments: Vec::new(),
            // Tests are about this library, whatever MPI their programs are linked with.
            environment: vec![("SIMURGH_MODE".into(), "threads".into())],
            input: Vec::new(),
            limit: LIMIT,
        }
    }

    /// Adds options of mpiexec.
    pub fn options<S: AsRef<OsStr>>(mut self, options: impl IntoIterator<Item = S>) -> Self {
        self.options
            .extend(options.into_iter().map(|o| o.as_ref().to_owned()));
        self
    }

    /// `--vps count`
    pub fn vps(self, count: usize) -> Self {
        self.options(["--vps".to_owned(), count.to_string()])
    }

    /// Adds arguments of the program.
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments
            .extend(arguments.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    /// `--mode mode`; threads unless set.
    pub fn mode(self, mode: &str) -> Self {
        self.options(["--mode", mode])
    }

    /// Sets an environment variable of mpiexec.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Sets the standard input of mpiexec.
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = bytes.into();
        self
    }

    /// Sets the time limit of the run ([`LIMIT`] unless set).
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs the program to its end or to the time limit.
    #[track_caller]
    pub fn run<P: AsRef<OsStr> + ?Sized>(&self, program: &P) -> Outcome {
        let mut command = self.command(program);
        run(&mut command, Input::Bytes(&self.input), self.limit)
            .unwrap_or_else(|e| panic!("cannot run {command:?}: {e}"))
    }

    /// The command itself, for tests that start it and act on it.
    pub fn command<P: AsRef<OsStr> + ?Sized>(&self, program: &P) -> Command {
        let mut command = Command::new(&self.mpiexec);
        command.args(&self.options).arg(program).args(&self.arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}
