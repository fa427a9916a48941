//! The test programs of the workspace. Cargo builds them, and they are run from here, one after the other.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use serde::Deserialize;
use simurgh_testing::{PROGRAMS, Stage};

use crate::command::{build, build_output, captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::peers::{MPICH, OPEN_MPI};
use crate::workspace::Workspace;

/// The limit for one program. The longest take little more than a minute; many of their tests have limits of their own.
const LIMIT_MINUTES: u64 = 10;

/// The environment variables of test programs.
#[derive(Clone)]
pub(super) struct Environment(Vec<(&'static str, OsString)>);

impl Environment {
    /// The environment for a staged installation, and for other MPIs where they can be installed.
    pub(super) fn new(workspace: &Workspace, stage: &Stage) -> Result<Self> {
        let mut variables: Vec<(_, OsString)> = vec![
            ("SIMURGH_STAGE", stage.prefix().into()),
            (PROGRAMS, empty(&workspace.target("test-programs"))?.into()),
        ];
        match MPICH.install(workspace) {
            Ok(mpich) => {
                variables.push(("SIMURGH_REFERENCE_HEADER", mpich.join("include/mpi_abi.h").into()));
                variables.push(("SIMURGH_REFERENCE_PREFIX", mpich.into()));
            }
            Err(failure) => {
                eprintln!("x: no comparison with MPICH, which cannot be installed here: {failure}");
            }
        }
        match OPEN_MPI.install(workspace) {
            Ok(open_mpi) => variables.push(("SIMURGH_OPEN_MPI_PREFIX", open_mpi.into())),
            Err(failure) => {
                eprintln!("x: no test of Open MPI's launcher, which cannot be installed here: {failure}");
            }
        }
        Ok(Self(variables))
    }

    /// The same environment, with a seed for tests that use random data.
    pub(super) fn with_seed(&self, seed: u32) -> Self {
        let mut variables = self.0.clone();
        variables.push(("SIMURGH_TEST_SEED", seed.to_string().into()));
        Self(variables)
    }

    fn give<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.envs(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Makes a folder, or empties it.
fn empty(folder: &Path) -> Result<PathBuf> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Failure::file(folder)(error)),
        _ => fs::create_dir_all(folder).map_err(Failure::file(folder))?,
    }
    Ok(folder.to_owned())
}

/// The name of the test programs that hold the tests of many files. Each file is a module, and is run as if it were a
/// program of its own.
const OF_MANY_FILES: &str = "all";

/// A program with tests, or those of one of its modules.
#[derive(Clone, Debug)]
pub(super) struct Program {
    name: String,
    /// The folder of its package, in which cargo runs tests.
    folder: PathBuf,
    file: PathBuf,
    /// The names of the tests; none for all of the program.
    tests: Vec<String>,
}

impl Program {
    /// Builds all test programs, and the examples, which tests run. Of an example that has tests, cargo would build
    /// only those.
    pub(super) fn build_all(workspace: &Workspace) -> Result<Vec<Self>> {
        build(&mut workspace.cargo(&["build", "--workspace", "--examples"]))?;
        let words = ["test", "--workspace", "--no-run"];
        let mut cargo = workspace.cargo(&words);
        cargo
            .arg("--message-format=json-render-diagnostics")
            .stderr(Stdio::inherit());
        let messages = build_output(&mut cargo)?;
        let artifacts = messages
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let mut programs = Vec::new();
        for program in artifacts.filter_map(|artifact| Self::of(workspace, artifact)) {
            programs.extend(program.modules()?);
        }
        match programs.is_empty() {
            false => Ok(programs),
            true => Err(Failure::Faults("cargo has built no test programs".to_owned())),
        }
    }

    /// The modules of a program that holds the tests of many files; of others the program as a whole.
    fn modules(self) -> Result<Vec<Self>> {
        let Some(folder) = self.name.strip_suffix(&format!("/{OF_MANY_FILES}")) else {
            return Ok(vec![self]);
        };
        let list = captured_success(
            Command::new(&self.file)
                .args(["--list", "--format", "terse"])
                .current_dir(&self.folder),
            minutes(1),
        )?;
        let module = |(name, tests): (String, Vec<String>)| Self {
            name: format!("{folder}/{name}"),
            tests,
            ..self.clone()
        };
        Ok(by_module(&list.stdout).into_iter().map(module).collect())
    }

    fn of(workspace: &Workspace, artifact: Artifact) -> Option<Self> {
        let folder = artifact.manifest_path.parent()?.to_owned();
        let place = folder.strip_prefix(workspace.root()).unwrap_or(&folder).display();
        let file = artifact.executable.filter(|_| artifact.profile.test)?;
        let (kind, name) = (artifact.target.kind.first()?, artifact.target.name);
        let name = match kind.as_str() {
            "test" => format!("{place}/tests/{name}"),
            kind => format!("{place} ({kind} {name})"),
        };
        let name = name.trim_start_matches(['/', ' ']).to_owned();
        Some(Self {
            name,
            folder,
            file,
            tests: Vec::new(),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Runs its tests, and returns their number. Their output is shown only if a test fails.
    pub(super) fn run(&self, environment: &Environment, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.file);
        if !self.tests.is_empty() {
            command.arg("--exact").args(&self.tests);
        }
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("CARGO_MANIFEST_DIR", &self.folder);
        let outcome = captured_success(environment.give(&mut command), minutes(LIMIT_MINUTES))?;
        Ok(counted(&outcome.stdout))
    }
}

/// The tests of each module, from the list that a test program prints.
fn by_module(list: &str) -> BTreeMap<String, Vec<String>> {
    let mut modules = BTreeMap::<_, Vec<_>>::new();
    let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
    for name in names {
        let module = name.split("::").next().unwrap_or(name);
        modules
            .entry(module.to_owned())
            .or_default()
            .push(name.to_owned());
    }
    modules
}

/// Runs the examples in the documentation.
pub(super) fn documentation(workspace: &Workspace, environment: &Environment) -> Result<String> {
    let mut cargo = workspace.cargo(&["test", "--workspace", "--doc"]);
    let outcome = captured_success(environment.give(&mut cargo), minutes(LIMIT_MINUTES))?;
    Ok(counted(&outcome.stdout))
}

/// The number of tests that have passed, according to the output of test programs.
pub(super) fn counted(output: &str) -> String {
    let results = output
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ok. "));
    let passed = results.filter_map(|result| result.split(' ').next()?.parse::<usize>().ok());
    format!("{} tests", passed.sum::<usize>())
}

/// A message of cargo about an artefact that it has built.
#[derive(Deserialize)]
struct Artifact {
    manifest_path: PathBuf,
    executable: Option<PathBuf>,
    profile: Profile,
    target: Target,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_has_built_is_told_apart() {
        let workspace = Workspace::locate();
        let named = |kind: &str, name: &str, test: bool, executable: &str| {
            let folder = workspace.source("crates/mpi");
            let text = format!(
                "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"{}/Cargo.toml\",\"executable\":{executable},\
                 \"profile\":{{\"test\":{test}}},\"target\":{{\"kind\":[\"{kind}\"],\"name\":\"{name}\"}}}}",
                folder.display()
            );
            Program::of(&workspace, serde_json::from_str(&text).unwrap()).map(|program| program.name)
        };
        assert_eq!(
            named("test", "intra_host", true, "\"/x\"").unwrap(),
            "crates/mpi/tests/intra_host"
        );
        assert_eq!(
            named("lib", "mpi", true, "\"/x\"").unwrap(),
            "crates/mpi (lib mpi)"
        );
        assert_eq!(named("example", "host", false, "\"/x\""), None);
        assert_eq!(named("lib", "mpi", true, "null"), None);
        assert!(serde_json::from_str::<Artifact>("{\"reason\":\"build-finished\"}").is_err());
    }

    #[test]
    fn the_tests_of_each_module_are_told_apart() {
        let list = "hosts::one: test\nhosts::inner::two: test\nwaits::three: test\nwaits::four: benchmark\n";
        let modules: Vec<_> = by_module(list).into_iter().collect();
        let expected = [
            ("hosts", &["hosts::one", "hosts::inner::two"][..]),
            ("waits", &["waits::three"]),
        ];
        let expected =
            expected.map(|(module, tests)| (module.into(), tests.iter().map(|&test| test.into()).collect()));
        assert_eq!(modules, expected);
    }

    #[test]
    fn tests_of_several_programs_are_counted() {
        let output =
            "running 2 tests\ntest result: ok. 2 passed; 0 failed\n\ntest result: ok. 1 passed; 0 failed\n";
        assert_eq!(counted(output), "3 tests");
    }
}
