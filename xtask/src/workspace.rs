//! The places of the source tree and the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The headers of MPI: their paths in the source tree and below the prefix.
pub(crate) const HEADERS: &[&str] = &["include/mpi.h", "include/mpi_removed.h"];

/// The headers that are no part of MPI: likewise.
pub(crate) const OWN_HEADERS: &[&str] = &["include/simurgh_policy.h"];

/// The source tree and its target folder.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// The tree from which this program was started (by `cargo run`), or else the tree from which it was built.
    pub(crate) fn locate() -> Self {
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package
            .parent()
            .expect("the package lies inside the workspace")
            .to_owned();
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map(PathBuf::from)
            .and_then(|path| std::path::absolute(path).ok())
            .unwrap_or_else(|| root.join("target"));
        Workspace { root, target }
    }

    /// The root of the source tree.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path in the source tree.
    pub(crate) fn source(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// A path in the target folder.
    pub(crate) fn target(&self, path: &str) -> PathBuf {
        self.target.join(path)
    }

    /// A command for cargo with these arguments, to be run at the root of the tree.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .args(arguments)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target);
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_this_package(name)) {
            command.env_remove(name);
        }
        command
    }
}

/// Whether cargo has set this variable for our own run. A nested cargo must not take it for a variable of its package.
fn is_of_this_package(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" || name == "CARGO_MANIFEST_PATH"
}
