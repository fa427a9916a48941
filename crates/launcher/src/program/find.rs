//! Finding the program that a user names.

use crate::error::LaunchError;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The absolute path of a program: relative to `wdir` if its name has a `/`, or else from the directories of `search`,
/// the value of `PATH`.
///
/// # Errors
///
/// When there is no such program, or it may not be executed.
pub fn find(name: &OsStr, wdir: &Path, search: Option<&OsStr>) -> Result<PathBuf, LaunchError> {
    if name.as_bytes().contains(&b'/') {
        // `components` removes the dots that users write.
        let path: PathBuf = wdir.join(name).components().collect();
        runnable(&path)?;
        return Ok(path);
    }
    let directories = search.map(std::env::split_paths).into_iter().flatten();
    let found = directories
        .map(|directory| wdir.join(directory).join(name))
        .find(|path| runnable(path).is_ok());
    found.ok_or_else(|| {
        let program = name.to_string_lossy().into_owned();
        let here = wdir.join(name).is_file();
        LaunchError::NotInPath {
            hint: if here {
                format!("; did you mean ./{program}?")
            } else {
                String::new()
            },
            program,
        }
    })
}

/// Checks that the system would execute the file, whatever is in it.
fn runnable(path: &Path) -> Result<(), LaunchError> {
    let program = path.to_path_buf();
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            return Err(LaunchError::NotFound { program });
        }
        Err(source) => return Err(LaunchError::Unreadable { program, source }),
    };
    if metadata.is_dir() {
        return Err(LaunchError::Directory { program });
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(LaunchError::NotExecutable { program });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_slash_are_searched() {
        let path = OsStr::new("/nowhere:/bin:/usr/bin");
        assert!(
            find(OsStr::new("sh"), Path::new("/"), Some(path))
                .unwrap()
                .ends_with("sh")
        );
        let error = find(
            OsStr::new("passwd"),
            Path::new("/etc"),
            Some(OsStr::new("/nowhere")),
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "passwd: no such program in PATH; did you mean ./passwd?"
        );
        assert_eq!(error.status(), 127);
    }

    #[test]
    fn each_obstacle_has_its_own_message() {
        let message = |name: &str| {
            find(OsStr::new(name), Path::new("/"), None)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(message("./no/such/file"), "/no/such/file: no such file");
        assert_eq!(
            message("/etc/passwd"),
            "/etc/passwd: not executable; `chmod +x` makes a program so"
        );
        assert_eq!(message("/etc"), "/etc: a directory, not a program");
    }
}
