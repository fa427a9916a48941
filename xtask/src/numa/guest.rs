//! The file system of a guest, which is in memory: a shell, our installation, the test programs, and the libraries that
//! these need.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use simurgh_testing::{Compile, Stage};

use crate::command::{build, build_output};
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// The parts of our installation that a guest needs.
const INSTALLED: [&str; 4] = [
    "bin/mpiexec",
    "bin/simurgh",
    "libexec/simurgh/host",
    "lib/libmpi_abi.so.1",
];
/// The test programs, below `tests/c`.
const PROGRAMS: [&str; 4] = [
    "huge_pages",
    "memory_chosen",
    "memory_follows",
    "memory_placement",
];
/// The shell, which is all commands that the tests need.
const SHELL: &str = "/bin/busybox";

/// The file system of a guest.
pub(super) struct Guest {
    root: PathBuf,
    image: PathBuf,
}

impl Guest {
    /// Makes it.
    pub(super) fn made(workspace: &Workspace, stage: &Stage) -> Result<Self> {
        let root = workspace.target("numa/root");
        if root.exists() {
            fs::remove_dir_all(&root).map_err(Failure::file(&root))?;
        }
        let guest = Self {
            image: workspace.target("numa/initramfs"),
            root,
        };
        guest.add_system(workspace)?;
        let prefix = guest.place("opt/simurgh");
        let mut needing = Vec::new();
        for name in INSTALLED {
            let source = stage.prefix().join(name);
            copy(&source, &prefix.join(name))?;
            needing.push(source);
        }
        for name in PROGRAMS {
            let program = guest.place("tests").join(name);
            fs::create_dir_all(guest.place("tests")).map_err(Failure::file(&program))?;
            Compile::c(format!("tests/c/{name}.c"))
                .flags(["-O2"])
                .against(stage)
                .output(&program)
                .try_build()
                .map_err(Failure::Faults)?;
            needing.push(program);
        }
        for library in libraries(&needing, stage)? {
            copy(&library, &guest.place(&library.display().to_string()))?;
        }
        guest.strip(&prefix)?;
        guest.pack()?;
        Ok(guest)
    }

    /// The archive from which the kernel makes the file system.
    pub(super) fn image(&self) -> &Path {
        &self.image
    }

    fn place(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    fn add_system(&self, workspace: &Workspace) -> Result<()> {
        for folder in ["bin", "proc", "sys", "dev", "tmp"] {
            let path = self.place(folder);
            fs::create_dir_all(&path).map_err(Failure::file(&path))?;
        }
        copy(Path::new(SHELL), &self.place(SHELL))?;
        let sh = self.place("bin/sh");
        symlink("busybox", &sh).map_err(Failure::file(&sh))?;
        copy(&workspace.source("tests/numa/init"), &self.place("init"))
    }

    /// Takes away what only debuggers read, which is most of the files.
    fn strip(&self, prefix: &Path) -> Result<()> {
        let files = INSTALLED.iter().map(|name| prefix.join(name));
        build(Command::new("strip").arg("--strip-debug").args(files))
    }

    fn pack(&self) -> Result<()> {
        let archive = "find . | cpio --quiet -o -H newc | gzip -1 >\"$1\"";
        let mut pack = Command::new("sh");
        pack.args(["-ec", archive, "sh"])
            .arg(&self.image)
            .current_dir(&self.root);
        build(&mut pack)
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    fs::copy(from, to).map_err(Failure::file(from)).map(|_| ())
}

/// The shared libraries that files need besides ours.
fn libraries(files: &[PathBuf], stage: &Stage) -> Result<BTreeSet<PathBuf>> {
    let mut all = BTreeSet::new();
    for file in files {
        let mut ldd = Command::new("ldd");
        let listed = build_output(ldd.arg(file).env("LD_LIBRARY_PATH", stage.lib()))?;
        let paths = listed
            .lines()
            .filter_map(path_of)
            .filter(|path| !path.starts_with(stage.lib()));
        all.extend(paths);
    }
    Ok(all)
}

/// The path in a line of ldd: `libm.so.6 => /lib/libm.so.6 (0x1234)`, or the loader's without an arrow.
fn path_of(line: &str) -> Option<PathBuf> {
    let words = line.trim();
    let path = words.split_once("=> ").map_or(words, |(_, path)| path);
    let path = path.split_whitespace().next()?;
    path.starts_with('/').then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::path_of;
    use std::path::PathBuf;

    #[test]
    fn lines_of_ldd_have_paths() {
        let path = |line| path_of(line);
        assert_eq!(
            path("\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f22)"),
            Some(PathBuf::from("/lib/x86_64-linux-gnu/libm.so.6"))
        );
        assert_eq!(
            path("\t/lib64/ld-linux-x86-64.so.2 (0x00007f22)"),
            Some(PathBuf::from("/lib64/ld-linux-x86-64.so.2"))
        );
        assert_eq!(path("\tlinux-vdso.so.1 (0x00007f22)"), None);
        assert_eq!(path("\tstatically linked"), None);
    }
}
