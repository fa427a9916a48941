//! A scratch directory for a test.

use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A new directory below the system's temporary one; removed with its contents when dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes a directory; `name` helps people to find it while a test runs.
    pub fn new(name: &str) -> Self {
        Self::within(&std::env::temp_dir(), name)
    }

    /// Makes a directory in another one.
    pub(crate) fn within(folder: &Path, name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        std::fs::create_dir_all(folder).unwrap_or_else(|e| panic!("cannot make {}: {e}", folder.display()));
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("simurgh-{name}-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Scratch(path),
                // Left by a process that was killed and had the same id.
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => panic!("cannot make {}: {e}", path.display()),
            }
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file into it and returns the file's path.
    pub fn write(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, contents).unwrap_or_else(|e| panic!("cannot write {}: {e}", path.display()));
        path
    }

    /// Writes a file into it that can be run, and returns the file's path.
    pub fn write_program(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.write(name, contents);
        std::fs::set_permissions(&path, Permissions::from_mode(0o755))
            .unwrap_or_else(|e| panic!("cannot make {} a program: {e}", path.display()));
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // At worst the directory is left behind; a test's verdict must not depend on that.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_of_the_same_id_has_left_is_not_taken() {
        let outer = Scratch::new("outer");
        let first = Scratch::within(outer.path(), "same");
        let number = |scratch: &Scratch| -> u32 {
            let name = scratch.path().to_str().unwrap();
            name.rsplit('-').next().unwrap().parse().unwrap()
        };
        // Tests at the same time take numbers as well.
        for next in 1..100 {
            let left = format!("simurgh-same-{}-{}", std::process::id(), number(&first) + next);
            std::fs::create_dir(outer.path().join(&left)).unwrap();
            std::fs::write(outer.path().join(&left).join("left"), "").unwrap();
        }
        let second = Scratch::within(outer.path(), "same");
        assert_eq!(std::fs::read_dir(second.path()).unwrap().count(), 0);
    }
}
