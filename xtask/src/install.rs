//! The installed tree: `bin`, `lib`, `libexec/simurgh`, `include`, `share/simurgh`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use simurgh_testing::Stage;

use crate::command;
use crate::failure::{Failure, Result};
use crate::fortran;
use crate::lint::COMPILER;
use crate::mpi4py_config;
use crate::pkgconfig;
use crate::workspace::{HEADERS, OWN_HEADERS, Workspace};

/// The files to install: (what cargo builds, its place below the prefix).
pub(crate) const BUILT: &[(&str, &str)] = &[
    ("mpiexec", "bin/mpiexec"),
    ("mpicc", "bin/mpicc"),
    ("simurgh", "bin/simurgh"),
    ("simurgh-host", "libexec/simurgh/host"),
    ("libmpi_abi.so", "lib/libmpi_abi.so.1"),
    ("libmpifort_abi.so", "lib/libmpifort_abi.so.1"),
];

/// The file of errors that valgrind is not to report: its place in the source tree, and below the prefix.
const SUPPRESSIONS: (&str, &str) = ("share/valgrind.supp", "share/simurgh/valgrind.supp");

/// The links to make: (the further name, the file it leads to in the same directory).
pub(crate) const LINKS: &[(&str, &str)] = &[
    ("bin/mpirun", "mpiexec"),
    ("bin/mpicxx", "mpicc"),
    ("bin/mpic++", "mpicc"),
    ("bin/mpifort", "mpicc"),
    ("bin/mpif77", "mpicc"),
    ("bin/mpif90", "mpicc"),
    ("lib/libmpi_abi.so", "libmpi_abi.so.1"),
    ("lib/libmpi.so", "libmpi_abi.so.1"),
    ("lib/libmpifort_abi.so", "libmpifort_abi.so.1"),
];

/// The files that describe the installation to pkg-config, below the prefix: for C and C++, and for Fortran.
pub(crate) const PKG_CONFIG: &[&str] = &["lib/pkgconfig/mpi.pc", "lib/pkgconfig/simurgh.pc"];
pub(crate) const PKG_CONFIG_FORTRAN: &str = "lib/pkgconfig/mpi-fort.pc";

/// The installation that `SIMURGH_STAGE` names. Without that variable, builds for release and installs into the target
/// folder.
pub(crate) fn staged(workspace: &Workspace) -> Result<Stage> {
    match std::env::var_os("SIMURGH_STAGE") {
        Some(_) => Ok(Stage::locate()),
        None => stage(workspace),
    }
}

/// Builds for release and installs into the target folder.
pub(crate) fn stage(workspace: &Workspace) -> Result<Stage> {
    let prefix = workspace.target("stage");
    into(workspace, &prefix)?;
    Ok(Stage::at(&prefix))
}

/// Builds for release and installs below `prefix`.
pub(crate) fn into(workspace: &Workspace, prefix: &Path) -> Result<()> {
    build(workspace)?;
    for (built, place) in BUILT {
        replace(&prefix.join(place), |new| {
            fs::copy(workspace.target("release").join(built), new).map(drop)
        })?;
    }
    let headers = HEADERS.iter().chain(OWN_HEADERS).map(|header| (*header, *header));
    for (source, place) in headers.chain([SUPPRESSIONS]) {
        replace(&prefix.join(place), |new| {
            fs::copy(workspace.source(source), new).map(drop)
        })?;
    }
    let config = mpi4py_config::header(workspace)?;
    replace(&prefix.join(mpi4py_config::PLACE), |new| fs::write(new, &config))?;
    for (name, leads_to) in LINKS {
        replace(&prefix.join(name), |new| symlink(leads_to, new))?;
    }
    for file in PKG_CONFIG {
        let place = prefix.join(file);
        let name = place.file_stem().unwrap_or_default().to_string_lossy();
        replace(&place, |new| fs::write(new, pkgconfig::file(&name)))?;
    }
    fortran_into(workspace, prefix)
}

/// Installs what only Fortran needs. The wrapper, which compiles the modules, is there already.
fn fortran_into(workspace: &Workspace, prefix: &Path) -> Result<()> {
    let files = fortran::files(workspace)?;
    fortran::clear(prefix, fortran::are_others(prefix, &files))?;
    for (place, text) in files {
        replace(&prefix.join(place), |new| fs::write(new, &text))?;
    }
    let usual = fortran::compile(prefix)?;
    let text = pkgconfig::fortran_file(usual.as_ref());
    replace(&prefix.join(PKG_CONFIG_FORTRAN), |new| fs::write(new, text))
}

fn build(workspace: &Workspace) -> Result<()> {
    let packages = [
        "-p",
        "simurgh-mpi-abi",
        "-p",
        "simurgh-mpifort",
        "-p",
        "simurgh-launcher",
    ];
    let mut arguments = vec!["build", "--release"];
    arguments.extend(packages);
    // What is released has been checked as the tests are built.
    command::build(workspace.cargo(&arguments).env_remove(COMPILER))
}

/// Replaces a file by a new one in one step. A program that runs from the old file keeps it.
fn replace(place: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) -> Result<()> {
    let directory = place.parent().expect("every installed file lies in a directory");
    fs::create_dir_all(directory).map_err(Failure::file(directory))?;
    let new = temporary(place);
    make(&new)
        .and_then(|()| fs::rename(&new, place))
        .map_err(Failure::file(place))
}

fn temporary(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    name.into()
}
