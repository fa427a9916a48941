//! Files that the system does not let grow, or be written at all: a full device, a limit, a file system that is read
//! only, no permission, system calls that a filter forbids. `tests/c/mpi_file_refusals.c` is the program. Every rank
//! gets an error, and nobody hangs. Devices and permissions are those of a user namespace. Where there are none,
//! a test reports that it is skipped.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use simurgh_testing::{Binary, Compile, Input, LIMIT, Outcome, Scratch, Stage, behind, passed, run};

/// The ways in which ranks run: their number, and options of mpiexec.
const WAYS: &[(usize, &[&str])] = &[
    (1, &[]),
    (5, &[]),
    (3, &["--mode", "processes"]),
    (4, &["--hosts-per-node", "2"]),
];

/// Words of `unshare` for a script that mounts a file system where nobody else sees it.
const DEVICE: &[&str] = &["--user", "--map-root-user", "--mount", "sh", "-c"];

struct Case {
    stage: Stage,
    binary: Binary,
    folder: Scratch,
}

impl Case {
    fn new() -> Self {
        let stage = Stage::locate();
        let compile = Compile::c("tests/c/mpi_file_refusals.c").flags(["-O1", "-Wall", "-Werror"]);
        let binary = compile.against(&stage).build();
        let folder = Scratch::new("refusals");
        Self {
            stage,
            binary,
            folder,
        }
    }

    /// A run of the program in a namespace that `words` make.
    fn run(&self, ranks: usize, options: &[&str], what: &str, words: &[&str]) -> Outcome {
        let [file, known] = ["file", "known"].map(|name| self.folder.path().join(name));
        let mpiexec = self.stage.mpiexec(ranks).options(options);
        let command = mpiexec
            .args([Path::new(what), &file, &known])
            .command(self.binary.path());
        let mut command = match words.is_empty() {
            true => command,
            false => behind([&["unshare"], words].concat(), &command),
        };
        run(&mut command, Input::Empty, LIMIT).unwrap()
    }

    /// The same on a device, which `script` prepares.
    fn run_on_device(&self, ranks: usize, options: &[&str], what: &str, script: &str) -> Outcome {
        let place = self.folder.path().to_str().unwrap();
        let script = format!("mount -t tmpfs -o size=1M none '{place}' && {script} && exec \"$@\"");
        self.run(ranks, options, what, &[DEVICE, &[&script, "sh"]].concat())
    }

    fn passes(&self, outcome: &Outcome, ranks: usize) {
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
    }
}

/// Whether there are user namespaces; says why a test is skipped if not.
fn has_namespaces(test: &str) -> bool {
    let mut command = Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--mount",
        "mount",
        "-t",
        "tmpfs",
        "none",
        "/mnt",
    ]);
    let made = run(&mut command, Input::Empty, LIMIT);
    let is_made = made.is_ok_and(|outcome| outcome.success());
    if !is_made {
        eprintln!("skipped: {test}: there are no user namespaces here in which a file system can be mounted");
    }
    is_made
}

#[test]
fn a_full_device_is_an_error_at_every_rank() {
    if !has_namespaces("a_full_device_is_an_error_at_every_rank") {
        return;
    }
    let case = Case::new();
    for (ranks, options) in WAYS {
        let outcome = case.run_on_device(*ranks, options, "full", "true");
        case.passes(&outcome, *ranks);
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_at_every_rank() {
    let case = Case::new();
    for (ranks, options) in WAYS {
        let outcome = case.run(*ranks, options, "limited", &[]);
        case.passes(&outcome, *ranks);
    }
}

#[test]
fn a_file_system_that_is_read_only_is_read() {
    if !has_namespaces("a_file_system_that_is_read_only_is_read") {
        return;
    }
    let case = Case::new();
    let place = case.folder.path().display();
    let script = format!("printf known > '{place}/known' && mount -o remount,ro '{place}'");
    for (ranks, options) in WAYS {
        let outcome = case.run_on_device(*ranks, options, "read-only", &script);
        case.passes(&outcome, *ranks);
    }
}

/// Root has no rights to the files of users that its namespace does not know, so it is refused what others are.
#[test]
fn without_permission_files_are_read() {
    if !has_namespaces("without_permission_files_are_read") {
        return;
    }
    let case = Case::new();
    let allow = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let known = case.folder.path().join("known");
    fs::write(&known, "known").unwrap();
    allow(&known, 0o444);
    allow(case.folder.path(), 0o555);
    let outcomes: Vec<_> = WAYS
        .iter()
        .map(|(ranks, options)| case.run(*ranks, options, "denied", &["--user"]))
        .collect();
    allow(case.folder.path(), 0o755);
    for (outcome, (ranks, _)) in outcomes.iter().zip(WAYS) {
        case.passes(outcome, *ranks);
    }
}

#[test]
fn system_calls_that_a_filter_forbids_are_replaced_or_are_errors_and_nothing_is_lost() {
    let case = Case::new();
    for (ranks, options) in WAYS {
        for error in ["EPERM", "ENOSYS"] {
            let outcome = case.run(*ranks, options, error, &[]);
            if outcome.stdout.starts_with("no filters\n") {
                eprintln!("skipped: system calls that a filter forbids: filters are not allowed here");
                return;
            }
            case.passes(&outcome, *ranks);
        }
    }
}

#[test]
fn a_fatal_error_names_the_file_and_the_reason() {
    if !has_namespaces("a_fatal_error_names_the_file_and_the_reason") {
        return;
    }
    let case = Case::new();
    let file = case.folder.path().join("file");
    let expected = format!("writing \"{}\": No space left on device", file.display());
    for (ranks, options) in WAYS {
        let outcome = case.run_on_device(*ranks, options, "fatal", "true");
        assert!(!outcome.success(), "{outcome}");
        outcome.expect_stderr(&expected);
    }
}
