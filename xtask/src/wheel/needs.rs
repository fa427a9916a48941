//! The requirements of an installation on the system on which it is installed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{captured_success, minutes};
use crate::failure::{Failure, Result};

/// The libraries, of those that we need, that exist on every system that accepts wheels for Linux.
const EVERYWHERE: &[&str] = &[
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libgcc_s.so.1",
    "libm.so.6",
    "linux-vdso.so.1",
];

/// The requirements of executables and libraries.
pub(crate) struct Needs {
    /// The least version of the C library: x of 2.x. It is the highest version that one of the needed functions names.
    glibc: u32,
    /// The libraries that not every system has.
    pub(crate) companions: BTreeSet<PathBuf>,
}

impl Needs {
    /// The requirements of all these files together.
    pub(crate) fn of(files: &[PathBuf]) -> Result<Self> {
        let mut companions = BTreeSet::new();
        for file in files {
            let outcome = captured_success(Command::new("ldd").arg(file), minutes(1))?;
            for (name, path) in outcome.stdout.lines().filter_map(library) {
                let is_ours = files.iter().any(|file| file.ends_with(name));
                if !is_ours && !EVERYWHERE.contains(&name) {
                    companions.insert(path);
                }
            }
        }
        let mut glibc = 0;
        for file in files.iter().chain(&companions) {
            let mut readelf = Command::new("readelf");
            let outcome = captured_success(readelf.args(["--wide", "--version-info"]).arg(file), minutes(1))?;
            glibc = glibc.max(glibc_version(&outcome.stdout));
        }
        Ok(Self { glibc, companions })
    }

    /// The tag that pip compares with the system.
    pub(crate) fn tag(&self) -> String {
        format!("py3-none-manylinux_2_{}_{}", self.glibc, std::env::consts::ARCH)
    }
}

/// The library in a line of ldd: its name, and its path unless it is the kernel's or the loader itself.
fn library(line: &str) -> Option<(&str, PathBuf)> {
    let (name, place) = line.trim().split_once(" => ")?;
    let path = place.split(" (").next()?;
    Some((name, PathBuf::from(path)))
}

/// The highest version of the C library in a listing of needed versions.
fn glibc_version(listing: &str) -> u32 {
    let needed = listing
        .split("GLIBC_2.")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    needed.filter_map(|minor| minor.parse().ok()).max().unwrap_or(0)
}

/// The file with the licence of a library of the system.
pub(crate) fn licence(library: &Path) -> Result<PathBuf> {
    let file = library.canonicalize().map_err(Failure::file(library))?;
    let mut query = Command::new("dpkg-query");
    let owner = captured_success(query.arg("--search").arg(file), minutes(1))?;
    let package = owner.stdout.split(':').next().unwrap_or_default();
    let file = Path::new("/usr/share/doc").join(package).join("copyright");
    match file.is_file() {
        true => Ok(file),
        false => Err(Failure::Faults(format!(
            "{}: nothing says under which licence it may be passed on; {} is not there",
            library.display(),
            file.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_needs_is_read_from_listings() {
        let line = "\tlibhwloc.so.15 => /lib/x86_64-linux-gnu/libhwloc.so.15 (0x00007f)";
        assert_eq!(
            library(line),
            Some(("libhwloc.so.15", "/lib/x86_64-linux-gnu/libhwloc.so.15".into()))
        );
        assert_eq!(library("\tlinux-vdso.so.1 (0x00007f)"), None);
        let listing = "0x0010: Name: GLIBC_2.34  Flags: none\n0x0020: Name: GLIBC_2.2.5 Flags: none\n";
        assert_eq!(glibc_version(listing), 34);
        assert_eq!(glibc_version("GCC_3.0"), 0);
    }
}
