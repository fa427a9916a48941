//! Libraries that the user puts before all others, such as PMPI tools.

use crate::error::LaunchError;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The variable whose libraries go into the programs of the ranks.
pub(crate) const PRELOAD: &str = "LD_PRELOAD";

/// The libraries that the value of an `LD_PRELOAD` names, by absolute path.
///
/// They must not get into the host, which has one copy of everything, but into the program of each rank. So the
/// launcher removes the variable and hands on this list. Names without `/` are looked for where the loader would: in
/// `search`, the value of `LD_LIBRARY_PATH`, and in the system's directories.
///
/// # Errors
///
/// When a library does not exist.
pub fn list(value: &OsStr, search: Option<&OsStr>, wdir: &Path) -> Result<Vec<PathBuf>, LaunchError> {
    let separators = |b: &u8| *b == b':' || *b == b' ';
    let names = value
        .as_bytes()
        .split(separators)
        .filter(|name| !name.is_empty())
        .map(OsStr::from_bytes);
    names.map(|name| locate(name, search, wdir)).collect()
}

fn locate(name: &OsStr, search: Option<&OsStr>, wdir: &Path) -> Result<PathBuf, LaunchError> {
    let found = if name.as_bytes().contains(&b'/') {
        Some(wdir.join(name))
    } else {
        let user = search.map(std::env::split_paths).into_iter().flatten();
        user.chain(SYSTEM.iter().map(PathBuf::from))
            .map(|directory| wdir.join(directory).join(name))
            .find(|p| p.is_file())
    };
    found
        .filter(|path| path.is_file())
        .ok_or_else(|| LaunchError::Preload {
            library: name.to_string_lossy().into_owned(),
        })
}

/// Directories where the loader looks last.
const SYSTEM: &[&str] = &[
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_split_as_the_loader_does() {
        let found = list(
            OsStr::new("/bin/sh: libc.so.6"),
            Some(OsStr::new("")),
            Path::new("/"),
        )
        .unwrap();
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|path| path.is_absolute()));
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = list(OsStr::new("libno-such.so"), None, Path::new("/"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("libno-such.so"), "{error}");
    }
}
