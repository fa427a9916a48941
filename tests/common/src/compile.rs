//! Compiling test programs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::{Input, LIMIT, Scratch, Stage, run};

/// The builder of a compilation. Paths of sources are relative to the root of the source tree.
#[derive(Debug, Clone)]
pub struct Compile {
    compiler: OsString,
    sources: Vec<PathBuf>,
    flags: Vec<OsString>,
    libraries: Vec<OsString>,
    output: Option<PathBuf>,
}

impl Compile {
    /// Compiles a C program with gcc.
    pub fn c(source: impl AsRef<Path>) -> Self {
        Self::by("gcc", source)
    }

    /// Compiles a C++ program with g++.
    pub fn cxx(source: impl AsRef<Path>) -> Self {
        Self::by("g++", source)
    }

    /// Compiles a program with this compiler.
    pub fn by(compiler: impl AsRef<OsStr>, source: impl AsRef<Path>) -> Self {
        Compile {
            compiler: compiler.as_ref().to_owned(),
            sources: vec![Stage::workspace().join(source)],
            flags: Vec::new(),
            libraries: Vec::new(),
            output: None,
        }
    }

    /// Adds a source file.
    pub fn source(mut self, source: impl AsRef<Path>) -> Self {
        self.sources.push(Stage::workspace().join(source));
        self
    }

    /// Adds flags, placed before the sources.
    pub fn flags<S: AsRef<OsStr>>(mut self, flags: impl IntoIterator<Item = S>) -> Self {
        self.flags
            .extend(flags.into_iter().map(|f| f.as_ref().to_owned()));
        self
    }

    /// Adds libraries and linker options, placed after the sources.
    pub fn libraries<S: AsRef<OsStr>>(mut self, libraries: impl IntoIterator<Item = S>) -> Self {
        self.libraries
            .extend(libraries.into_iter().map(|l| l.as_ref().to_owned()));
        self
    }

    /// Compiles against the header and the library of a staged tree: `-I… -L… -lmpi_abi`, without a run path.
    pub fn against(self, stage: &Stage) -> Self {
        let include = prefixed("-I", &stage.include());
        let lib = prefixed("-L", &stage.lib());
        self.flags([include]).libraries([lib, "-lmpi_abi".into()])
    }

    /// Sets the path of the result; the default is a new scratch directory.
    pub fn output(mut self, path: impl AsRef<Path>) -> Self {
        self.output = Some(path.as_ref().to_owned());
        self
    }

    /// Compiles and links; panics with the compiler's messages if that fails.
    #[track_caller]
    pub fn build(&self) -> Binary {
        self.try_build().unwrap_or_else(|messages| panic!("{messages}"))
    }

    /// Compiles and links; on failure gives the compiler's messages.
    pub fn try_build(&self) -> Result<Binary, String> {
        let (path, scratch) = match &self.output {
            Some(path) => (path.clone(), None),
            None => {
                let scratch = Scratch::new("build");
                (scratch.path().join(self.name()), Some(Arc::new(scratch)))
            }
        };
        let mut command = Command::new(&self.compiler);
        command
            .args(&self.flags)
            .args(&self.sources)
            .args(&self.libraries)
            .arg("-o")
            .arg(&path);
        let outcome = run(&mut command, Input::Empty, LIMIT)
            .map_err(|e| format!("cannot run {}: {e}", self.compiler.display()))?;
        if outcome.success() {
            Ok(Binary {
                path,
                _scratch: scratch,
            })
        } else {
            Err(outcome.to_string())
        }
    }

    fn name(&self) -> &OsStr {
        self.sources[0].file_stem().unwrap_or("program".as_ref())
    }
}

fn prefixed(option: &str, path: &Path) -> OsString {
    let mut flag = OsString::from(option);
    flag.push(path);
    flag
}

/// A compiled program. Its scratch directory is removed with the last clone.
#[derive(Debug, Clone)]
pub struct Binary {
    path: PathBuf,
    _scratch: Option<Arc<Scratch>>,
}

impl Binary {
    /// The path of the program.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl AsRef<OsStr> for Binary {
    fn as_ref(&self) -> &OsStr {
        self.path.as_os_str()
    }
}
