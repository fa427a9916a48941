//! The staged installation that tests run against.

use std::path::{Path, PathBuf};

use crate::Mpiexec;

/// An installed tree: `bin`, `lib`, `libexec`, `include`.
#[derive(Debug, Clone)]
pub struct Stage(PathBuf);

impl Stage {
    /// The tree that `SIMURGH_STAGE` names, or `target/stage` of the workspace.
    ///
    /// Panics if there is none: tests never build the runtime themselves, `./x test` does it before them.
    #[track_caller]
    pub fn locate() -> Self {
        let path = std::env::var_os("SIMURGH_STAGE")
            .map_or_else(|| Self::workspace().join("target/stage"), PathBuf::from);
        let stage = Stage(path);
        assert!(
            stage.tool("mpiexec").exists(),
            "no staged installation in {}: run `./x stage` first, or set SIMURGH_STAGE",
            stage.0.display()
        );
        stage
    }

    /// The tree at `prefix`, without a check.
    pub fn at(prefix: &Path) -> Self {
        Stage(prefix.to_owned())
    }

    /// The root of the source tree.
    pub fn workspace() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
    }

    /// The root of the tree.
    pub fn prefix(&self) -> &Path {
        &self.0
    }

    /// A program of `bin`.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    /// The directory of `mpi.h`.
    pub fn include(&self) -> PathBuf {
        self.0.join("include")
    }

    /// The directory of `libmpi_abi.so`.
    pub fn lib(&self) -> PathBuf {
        self.0.join("lib")
    }

    /// An mpiexec run of so many ranks.
    pub fn mpiexec(&self, ranks: usize) -> Mpiexec {
        Mpiexec::new(&self.tool("mpiexec"), ranks)
    }
}
