//! The contenders of native Rust programs: ours, and rsmpi (the crate `mpi`) on MPICH.
//!
//! rsmpi is built by a project of its own below the target folder, so that no crate of ours depends on it.

use std::fs;
use std::path::{Path, PathBuf};

use simurgh_testing::Stage;

use super::contender::Contender;
use crate::command::{build, build_output};
use crate::failure::{Failure, Result};
use crate::peers::MPICH;
use crate::workspace::Workspace;

/// The program, for both.
pub(super) const PROGRAM: &str = "messages";

/// The version of rsmpi.
const RSMPI: &str = "0.8.2";

/// Both contenders, ours first.
pub(super) fn contenders(workspace: &Workspace, stage: &Stage) -> Result<Vec<Contender>> {
    let folder = workspace.target("bench/rust");
    let ours = folder.join("simurgh");
    fs::create_dir_all(&ours).map_err(Failure::file(&ours))?;
    let program = ours.join(PROGRAM);
    fs::copy(our_program(workspace)?, &program).map_err(Failure::file(&program))?;
    let mpich = MPICH.install(workspace)?;
    let theirs = rsmpi(workspace, &folder.join("rsmpi"), &mpich)?;
    Ok(vec![
        Contender::native(stage.prefix(), ours),
        Contender::rsmpi(&mpich, theirs),
    ])
}

/// Compiles the bench, and returns its path.
fn our_program(workspace: &Workspace) -> Result<PathBuf> {
    let format = ["--message-format", "json-render-diagnostics"];
    let messages = build_output(
        workspace
            .cargo(&["bench", "--no-run", "--package", "simurgh", "--bench", PROGRAM])
            .args(format),
    )?;
    let executable = |line: &str| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message.get("executable")?.as_str()?))
    };
    let missing = || Failure::Faults("cargo names no program of the bench".to_owned());
    messages
        .lines()
        .filter_map(executable)
        .next_back()
        .ok_or_else(missing)
}

/// Compiles the program against rsmpi, and returns its folder.
fn rsmpi(workspace: &Workspace, project: &Path, mpich: &Path) -> Result<PathBuf> {
    fs::create_dir_all(project).map_err(Failure::file(project))?;
    let source = workspace.source("benches/rust/rsmpi.rs");
    let manifest = format!(
        "[package]\nname = \"{PROGRAM}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [[bin]]\nname = \"{PROGRAM}\"\npath = \"{}\"\n\n\
         [dependencies]\nmpi = {{ version = \"={RSMPI}\", default-features = false }}\n",
        source.display()
    );
    let file = project.join("Cargo.toml");
    fs::write(&file, manifest).map_err(Failure::file(&file))?;
    let mut cargo = workspace.cargo(&["build", "--release"]);
    build(
        cargo
            .current_dir(project)
            .env("CARGO_TARGET_DIR", project.join("target"))
            .env("MPICC", mpich.join("bin/mpicc")),
    )?;
    Ok(project.join("target/release"))
}
