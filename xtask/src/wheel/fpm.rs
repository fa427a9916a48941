//! fpm, the package manager of Fortran, with projects that use MPI.
//!
//! fpm takes MPI's flags from the wrappers if a project asks for it (`mpi = "*"`), or a wrapper for its compiler. It is
//! on PyPI, and in no package of Debian 12.

use std::fs;

use simurgh_testing::Scratch;

use crate::command::{captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::python::Venv;
use crate::workspace::Workspace;

/// The version. The next one, 0.12.0, crashes while it looks for any MPI.
const VERSION: &str = "fpm==0.11.0";

/// A program in Fortran.
const PROGRAM: &str = "tests/fortran/hello_f08.f90";

/// A project: its manifest, fpm's compiler, the command that runs the program, and what that prints.
struct Project {
    manifest: &'static str,
    compiler: &'static str,
    runner: Option<&'static str>,
    printed: &'static [&'static str],
}

const PROJECTS: [Project; 2] = [
    // fpm finds mpiexec itself.
    Project {
        manifest: "name = \"hello\"\n\
                   dependencies.mpi = \"*\"\n\
                   fortran.implicit-typing = true\n\
                   fortran.implicit-external = true\n",
        compiler: "gfortran",
        runner: None,
        printed: &["hello from rank 0 of 1"],
    },
    Project {
        manifest: "name = \"hello\"\n\
                   build.external-modules = [\"mpi_f08\"]\n",
        compiler: "mpifort",
        runner: Some("mpiexec -n 2"),
        printed: &["hello from rank 0 of 2", "hello from rank 1 of 2"],
    },
];

/// Builds and runs the projects by fpm. `elsewhere` has the user's cache with the Fortran modules.
pub(super) fn test(workspace: &Workspace, venv: &Venv, elsewhere: &Scratch) -> Result<()> {
    install(workspace, venv)?;
    for project in &PROJECTS {
        let folder = Scratch::new("fpm");
        let app = folder.path().join("app");
        fs::create_dir(&app)
            .and_then(|()| fs::copy(workspace.source(PROGRAM), app.join("main.f90")))
            .map_err(Failure::file(&app))?;
        folder.write("fpm.toml", project.manifest);
        let mut run = venv.activated("fpm");
        run.arg("run")
            .env("FPM_FC", project.compiler)
            .env("XDG_CACHE_HOME", elsewhere.path())
            .current_dir(folder.path());
        if let Some(runner) = project.runner {
            run.args(["--runner", runner]);
        }
        let outcome = captured_success(&mut run, minutes(2))?;
        let has = |line: &&str| outcome.stdout.lines().any(|printed| printed == *line);
        if let Some(line) = project.printed.iter().find(|line| !has(line)) {
            return Err(Failure::Faults(format!("{line:?} is not printed\n{outcome}")));
        }
    }
    Ok(())
}

/// Installs fpm into the environment, from PyPI at the first time.
fn install(workspace: &Workspace, venv: &Venv) -> Result<()> {
    let place = workspace.target("fpm");
    if !place.exists() {
        eprintln!("x: fetching {VERSION} from PyPI");
        // An interrupted download never gets the name.
        let draft = workspace.target("fpm.part");
        let mut download = venv.pip("download");
        download.args(["--no-deps", "--only-binary", ":all:", "--dest"]);
        captured_success(download.arg(&draft).arg(VERSION), minutes(5))?;
        fs::rename(&draft, &place).map_err(Failure::file(&place))?;
    }
    let mut install = venv.pip("install");
    install.args(["--no-index", "--no-deps", VERSION, "--find-links"]);
    captured_success(install.arg(&place), minutes(2)).map(drop)
}
