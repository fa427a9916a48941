//! Compiling test programs.
//!
//! Many tests need the same programs. In a run of all tests, the environment variable [`PROGRAMS`] names a folder,
//! empty at first, where a program is kept that has been compiled; the next test that compiles it in the same way
//! finds it there.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::{Input, LIMIT, Scratch, Stage, run};

/// The environment variable with the folder of compiled programs. The sources must not change while it is used.
pub const PROGRAMS: &str = "SIMURGH_TEST_PROGRAMS";

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
        if let Some(path) = &self.output {
            return self.compile(path).map(|()| Binary::at(path));
        }
        match self.place_to_keep() {
            Some(place) => self.kept(&place),
            None => {
                let scratch = Scratch::new("build");
                let path = scratch.path().join(self.name());
                self.compile(&path)?;
                Ok(Binary {
                    path,
                    _scratch: Some(Arc::new(scratch)),
                })
            }
        }
    }

    /// Compiles and links into this file. Modules of Fortran are written beside it, and found there.
    fn compile(&self, path: &Path) -> Result<(), String> {
        let mut command = Command::new(&self.compiler);
        command
            .current_dir(path.parent().unwrap_or(path))
            .args(&self.flags)
            .args(&self.sources)
            .args(&self.libraries)
            .arg("-o")
            .arg(path);
        let outcome = run(&mut command, Input::Empty, LIMIT)
            .map_err(|e| format!("cannot run {}: {e}", self.compiler.display()))?;
        outcome.success().then_some(()).ok_or_else(|| outcome.to_string())
    }

    /// The folder for the program where it is kept for other tests, if there is one. Names of scratch files are used
    /// again, so what is compiled from them is not kept.
    fn place_to_keep(&self) -> Option<PathBuf> {
        let programs = PathBuf::from(env::var_os(PROGRAMS)?);
        let sources = self.sources.iter().map(|source| source.as_os_str());
        let options = self.flags.iter().chain(&self.libraries);
        let words: Vec<_> = sources.chain(options.map(OsString::as_os_str)).collect();
        let scratch = env::temp_dir();
        let of_scratch = |word: &&OsStr| word.to_string_lossy().contains(&*scratch.to_string_lossy());
        if words.iter().any(of_scratch) {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        (&self.compiler, words).hash(&mut hasher);
        Some(programs.join(format!("{:016x}", hasher.finish())))
    }

    /// The program in `place`, compiled unless it is there. Tests that compile it at the same time do so side by side,
    /// and the first result stays.
    fn kept(&self, place: &Path) -> Result<Binary, String> {
        let binary = Binary::at(&place.join(self.name()));
        if binary.path.exists() {
            return Ok(binary);
        }
        let scratch = Scratch::within(place.parent().unwrap_or(place), "build");
        self.compile(&scratch.path().join(self.name()))?;
        match fs::rename(scratch.path(), place) {
            Err(error) if !binary.path.exists() => Err(format!("cannot keep {}: {error}", place.display())),
            _ => Ok(binary),
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
    fn at(path: &Path) -> Self {
        Binary {
            path: path.to_owned(),
            _scratch: None,
        }
    }

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
