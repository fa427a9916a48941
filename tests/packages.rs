//! The crates as packages, and programs that depend on them.

use simurgh_testing::{Input, LIMIT, Mpiexec, Outcome, Scratch, Stage, example, run};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Crates that are not for others.
const OWN: [&str; 5] = [
    "simurgh-fuzz",
    "simurgh-mpifort",
    "simurgh-mpifort-generator",
    "simurgh-testing",
    "xtask",
];

/// A command of cargo, without what the tests' own cargo has told its children.
fn cargo(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    for (name, _) in
        env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR")
    {
        command.env_remove(name);
    }
    command.args(words).current_dir(folder);
    command
}

fn outcome(command: &mut Command) -> Outcome {
    run(command, Input::Bytes(b""), LIMIT).expect("the command can be started")
}

#[test]
fn all_crates_that_others_may_depend_on_are_packages() {
    let scratch = Scratch::new("packages");
    let mut command = cargo(
        Stage::workspace(),
        &["package", "--workspace", "--offline", "--allow-dirty"],
    );
    command.args(["--no-verify", "--target-dir"]).arg(scratch.path());
    outcome(command.args(OWN.iter().flat_map(|own| ["--exclude", own]))).expect_success();
    let packages = fs::read_dir(scratch.path().join("package")).expect("there are packages");
    let names: Vec<_> = packages
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    for name in [
        "simurgh-0.1.0.crate",
        "simurgh-derive-0.1.0.crate",
        "simurgh-mpi-abi-0.1.0.crate",
    ] {
        assert!(
            names.iter().any(|found| found == name),
            "{name} is not among {names:?}"
        );
    }
}

/// Copies a file of the template, with the names that its user has chosen.
fn fill_in(name: &str, folder: &Path) {
    let workspace = Stage::workspace().canonicalize().expect("the sources are there");
    let text = fs::read_to_string(workspace.join("template").join(name)).expect("the template has the file");
    let text = text.replace("{{project-name}}", "app");
    let text = text.replace("{{simurgh}}", workspace.to_str().expect("a path that is text"));
    let file = folder.join(name);
    fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("the folder can be made");
    fs::write(file, text).expect("the file can be written");
}

/// To build with the feature would take the network: hwloc is downloaded. What cargo has resolved says what it does.
#[test]
fn the_feature_vendored_hwloc_has_hwloc_built() {
    let manifests = outcome(&mut cargo(
        Stage::workspace(),
        &["metadata", "--no-deps", "--offline", "--format-version", "1"],
    ));
    let features = &manifests.expect_success().stdout;
    for passed_on in ["simurgh-sched/vendored-hwloc", "hwlocality/vendored"] {
        assert!(
            features.contains(&format!(r#""vendored-hwloc":["{passed_on}"]"#)),
            "{manifests}"
        );
    }
    let lock = fs::read_to_string(Stage::workspace().join("Cargo.lock")).expect("the lock file can be read");
    let bindings = lock
        .split("[[package]]")
        .find(|package| package.contains(r#"name = "hwlocality-sys""#));
    // The crate that runs hwloc's `configure`, which hwlocality-sys depends on only if it builds hwloc.
    assert!(
        bindings.expect("the bindings are locked").contains("autotools"),
        "{lock}"
    );
}

/// The manifest is resolved as cargo does before it builds. To build the program there would compile this workspace and
/// all that it depends on anew, since features are chosen for each workspace. So the program is an example of this one.
#[test]
fn a_project_made_of_the_template_finds_its_dependencies() {
    let scratch = Scratch::new("template");
    for name in ["Cargo.toml", "src/main.rs"] {
        fill_in(name, scratch.path());
    }
    // The versions of the dependencies that are here.
    let lock = "Cargo.lock";
    fs::copy(Stage::workspace().join(lock), scratch.path().join(lock)).expect("the lock file can be copied");
    let tree = outcome(&mut cargo(
        scratch.path(),
        &["tree", "--offline", "--depth", "1", "--prefix", "depth"],
    ));
    let lines: Vec<_> = tree.expect_success().stdout.lines().map(str::to_owned).collect();
    assert!(lines[0].starts_with("0app v0.1.0"), "{tree}");
    assert!(lines[1].starts_with("1simurgh v"), "{tree}");
}

#[test]
fn the_program_of_the_template_runs_alone_and_on_two_hosts() {
    let program = example("template");
    let alone = outcome(Command::new(&program).env("SIMURGH_RANKS", "5"));
    assert_eq!(alone.expect_success().stdout, "pi is 3.141593, say 5 ranks\n");
    let mpiexec = Mpiexec::new(&Stage::locate().tool("mpiexec"), 6).env("SIMURGH_MODE", "auto");
    let job = mpiexec
        .options(["--launcher", "fork", "-hosts", "a,b"])
        .run(&program);
    assert_eq!(job.expect_success().stdout, "pi is 3.141593, say 6 ranks\n");
}
