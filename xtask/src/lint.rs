//! `./x lint`: all checks that do not run the product.

use std::path::Path;
use std::process::Command;

use crate::command::{build, capture, minutes, succeed};
use crate::conformance;
use crate::failure::{Failure, Result};
use crate::tidy;
use crate::workspace::Workspace;

/// The scripts of the project.
const SCRIPTS: &[&str] = &[
    "x",
    ".ci/run",
    "tests/namespaces.sh",
    "tests/numa/init",
    "tests/slurm.sh",
];

/// The variable with the program by which cargo compiles the packages of a workspace. If that is clippy's compiler, as
/// in `.ci/run`, cargo checks what it builds, and the tests need not be built again.
pub(crate) const COMPILER: &str = "RUSTC_WORKSPACE_WRAPPER";

/// Runs all checks: the project's own rules, tests for each function of the library, formatting, clippy, documentation,
/// scripts.
pub(crate) fn all(workspace: &Workspace) -> Result<()> {
    components(workspace)?;
    tidy::check(workspace)?;
    conformance::check(workspace)?;
    succeed(&mut workspace.cargo(&["fmt", "--all", "--check"]), minutes(2))?;
    let clippy: &[&str] = match std::env::var_os(COMPILER).is_some() {
        true => &["build", "--workspace", "--all-targets"],
        false => &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    };
    build(&mut workspace.cargo(clippy))?;
    documentation(workspace)?;
    scripts(workspace)
}

/// Fails with a hint if rustfmt or clippy is missing.
fn components(workspace: &Workspace) -> Result<()> {
    for component in ["fmt", "clippy"] {
        let there = capture(&mut workspace.cargo(&[component, "--version"]), minutes(1))?.success();
        if !there {
            let advice = format!("cargo {component} is missing: run `rustup component add rustfmt clippy`");
            return Err(Failure::Faults(advice));
        }
    }
    Ok(())
}

/// Builds the documentation. Cargo checks the crates for it first. With the compiler and the variable that `cargo
/// clippy -- -D warnings` sets, cargo finds that clippy has checked them already.
fn documentation(workspace: &Workspace) -> Result<()> {
    let sysroot = capture(Command::new("rustc").args(["--print", "sysroot"]), minutes(1))?.stdout;
    let mut documentation = workspace.cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    documentation
        .env("RUSTDOCFLAGS", "-D warnings")
        .env(COMPILER, Path::new(sysroot.trim()).join("bin/clippy-driver"))
        .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    build(&mut documentation)
}

fn scripts(workspace: &Workspace) -> Result<()> {
    let there = Command::new("shellcheck").arg("--version").output().is_ok();
    if !there {
        eprintln!("x: shellcheck is not installed, the scripts are not checked");
        return Ok(());
    }
    succeed(
        Command::new("shellcheck")
            .args(SCRIPTS)
            .current_dir(workspace.root()),
        minutes(1),
    )
}
