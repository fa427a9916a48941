//! `./x wheel`: makes an installation into a package for pip. pip puts it into `bin`, `lib`, `libexec` and `include` of
//! an environment.
//!
//! The tools find their installation by their own place, so nothing has to be written during the installation. Archives
//! of this format have no links. So tools with several names are contained several times, and the further names of the
//! library, for which only linkers look, are linker scripts. If they were copies, a program could load the runtime
//! twice.

mod fpm;
mod needs;
pub(crate) mod test;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use simurgh_testing::Stage;

use crate::command::{captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::fortran;
use crate::install::{BUILT, LINKS, PKG_CONFIG, PKG_CONFIG_FORTRAN};
use crate::mpi4py_config;
use crate::pkgconfig;
use crate::workspace::{HEADERS, OWN_HEADERS, Workspace};
use needs::Needs;

/// The script that makes the archive.
const PACK: &str = include_str!("pack.py");

/// The name and version of the package in names of files.
pub(crate) const PACKAGE: &str = concat!("simurgh-", env!("CARGO_PKG_VERSION"));

/// The folder of libraries that the system may lack.
const COMPANIONS: &str = "lib/simurgh";

/// The licences of the sources, and of the libraries in the package: hwloc, and udev, which hwloc needs.
const LICENSES: &str = "(MIT OR Apache-2.0) AND BSD-3-Clause AND LGPL-2.1-or-later";

/// Makes a wheel of an installation, and returns its path.
pub(crate) fn build(workspace: &Workspace, stage: &Stage) -> Result<PathBuf> {
    let place = workspace.target("wheel");
    let tree = Tree(place.join("tree"));
    if tree.0.exists() {
        fs::remove_dir_all(&tree.0).map_err(Failure::file(&tree.0))?;
    }
    let needs = Needs::of(
        &BUILT
            .iter()
            .map(|(_, file)| stage.prefix().join(file))
            .collect::<Vec<_>>(),
    )?;
    tree.add_installation(stage)?;
    tree.add_fortran(workspace)?;
    tree.add_companions(&needs)?;
    tree.add_description(workspace, &needs)?;
    let wheel = place.join(format!("{PACKAGE}-{}.whl", needs.tag()));
    let mut pack = Command::new("python3");
    pack.args(["-c", PACK]).arg(&tree.0).arg(&wheel);
    captured_success(&mut pack, minutes(2))?;
    Ok(wheel)
}

/// The tree of files that go into the wheel.
struct Tree(PathBuf);

impl Tree {
    /// The place of a file that is installed below the prefix of an environment.
    fn installed(&self, file: &str) -> PathBuf {
        let data = self.0.join(format!("{PACKAGE}.data"));
        match file.strip_prefix("bin/") {
            Some(tool) => data.join("scripts").join(tool),
            None => data.join("data").join(file),
        }
    }

    /// The place of a file that describes the package.
    fn description(&self, file: &str) -> PathBuf {
        self.0.join(format!("{PACKAGE}.dist-info")).join(file)
    }

    fn add_installation(&self, stage: &Stage) -> Result<()> {
        for (_, file) in BUILT {
            let place = made(self.installed(file))?;
            // Names of functions are kept for traces of crashes. Debug information of the runtime, six times its size,
            // is removed.
            let mut strip = Command::new("strip");
            strip.arg("--strip-debug").arg(stage.prefix().join(file));
            captured_success(strip.arg("-o").arg(&place), minutes(1))?;
            allow_running(&place)?;
        }
        for (link, leads_to) in LINKS {
            let place = made(self.installed(link))?;
            match link.strip_prefix("bin/") {
                Some(_) => copy(&self.installed(&format!("bin/{leads_to}")), &place)?,
                None => write(&place, &format!("INPUT({leads_to})\n"))?,
            }
        }
        for file in PKG_CONFIG {
            let place = made(self.installed(file))?;
            copy(&stage.prefix().join(file), &place)?;
        }
        for header in HEADERS
            .iter()
            .chain(OWN_HEADERS)
            .copied()
            .chain([mpi4py_config::PLACE])
        {
            copy(&stage.prefix().join(header), &made(self.installed(header))?)?;
        }
        Ok(())
    }

    /// Adds the sources of the Fortran modules. The wrapper compiles them where the package is installed, for the
    /// compiler that is there.
    fn add_fortran(&self, workspace: &Workspace) -> Result<()> {
        for (place, text) in fortran::files(workspace)? {
            write(&made(self.installed(&place.to_string_lossy()))?, &text)?;
        }
        let description = made(self.installed(PKG_CONFIG_FORTRAN))?;
        write(&description, &pkgconfig::fortran_file(None))
    }

    fn add_companions(&self, needs: &Needs) -> Result<()> {
        for library in &needs.companions {
            let name = library.file_name().unwrap_or_default().to_string_lossy();
            let place = made(self.installed(&format!("{COMPANIONS}/{name}")))?;
            copy(library, &place)?;
            let licence = needs::licence(library)?;
            copy(&licence, &made(self.description(&format!("licenses/{name}")))?)?;
        }
        Ok(())
    }

    fn add_description(&self, workspace: &Workspace, needs: &Needs) -> Result<()> {
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let place = made(self.description(&format!("licenses/{file}")))?;
            copy(&workspace.source(file), &place)?;
        }
        let readme = workspace.source("README.md");
        let text = fs::read_to_string(&readme).map_err(Failure::file(&readme))?;
        let metadata = format!("{}\n{text}", metadata(needs));
        write(&made(self.description("METADATA"))?, &metadata)?;
        let format = format!(
            "Wheel-Version: 1.0\nGenerator: simurgh\nRoot-Is-Purelib: false\nTag: {}\n",
            needs.tag()
        );
        write(&self.description("WHEEL"), &format)
    }
}

/// The metadata of the package, for pip and its users.
fn metadata(needs: &Needs) -> String {
    let mut text = format!(
        "Metadata-Version: 2.4\n\
         Name: simurgh\n\
         Version: {}\n\
         Summary: MPI 5.0 with its standard ABI, whose ranks are user-level threads or processes\n\
         Project-URL: Source, {}\n\
         Keywords: MPI\n\
         Classifier: Operating System :: POSIX :: Linux\n\
         Classifier: Topic :: System :: Distributed Computing\n\
         License-Expression: {LICENSES}\n\
         License-File: LICENSE-APACHE\n\
         License-File: LICENSE-MIT\n",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_REPOSITORY"),
    );
    for library in &needs.companions {
        let name = library.file_name().unwrap_or_default().to_string_lossy();
        text.push_str(&format!("License-File: {name}\n"));
    }
    text.push_str("Description-Content-Type: text/markdown\n");
    text
}

/// The path, after its folder has been made.
fn made(path: PathBuf) -> Result<PathBuf> {
    let folder = path.parent().expect("every file of a wheel lies in a folder");
    fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    Ok(path)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).map_err(Failure::file(from))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(Failure::file(path))
}

fn allow_running(path: &Path) -> Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(Failure::file(path))
}
