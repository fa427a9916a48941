//! Virtual environments of Python.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{captured_success, minutes};
use crate::failure::Result;

/// A virtual environment.
pub(crate) struct Venv(PathBuf);

impl Venv {
    /// Makes a fresh environment, and removes whatever was in its place.
    pub(crate) fn fresh(place: &Path) -> Result<Self> {
        let mut python = Command::new("python3");
        captured_success(python.args(["-m", "venv", "--clear"]).arg(place), minutes(2))?;
        Ok(Self(place.to_owned()))
    }

    /// The folder of the environment.
    pub(crate) fn place(&self) -> &Path {
        &self.0
    }

    /// The path of a program of the environment.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    /// A command that runs the environment's pip for this task.
    pub(crate) fn pip(&self, task: &str) -> Command {
        let mut pip = Command::new(self.tool("pip"));
        pip.args([task, "--quiet", "--disable-pip-version-check"]);
        pip
    }

    /// Installs these packages, given by name or file, with their dependencies.
    pub(crate) fn install<S: AsRef<std::ffi::OsStr>>(&self, what: impl IntoIterator<Item = S>) -> Result<()> {
        captured_success(self.pip("install").args(what), minutes(5)).map(drop)
    }

    /// A command for a program, with the variables that activating the environment sets.
    pub(crate) fn activated(&self, program: &str) -> Command {
        let mut path = OsString::from(self.0.join("bin"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        // `env` finds the program in the environment's own PATH, as the shell of a user would.
        let mut command = Command::new("env");
        command.arg(program).env("PATH", path).env("VIRTUAL_ENV", &self.0);
        command
    }
}
