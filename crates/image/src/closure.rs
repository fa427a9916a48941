//! The closure of a program: all libraries that it uses, found by the dynamic loader's own rules.
//!
//! `ld.so` itself is asked, so that its search rules (RPATH, LD_LIBRARY_PATH, cache, hwcaps) need not be repeated here.
//! The graph of libraries is walked here, because libraries that only the program's MPI library needs (an RPATH may
//! lead to another MPI) are left out.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::reason::Reason;
use crate::source::Source;

/// The soname of the MPI library of the standard ABI. The library of this process takes its place.
pub(crate) const MPI_ABI: &str = "libmpi_abi.so.1";

/// The dynamic loader, which programs may name among their libraries.
pub(crate) const LOADER: &str = "ld-linux-x86-64.so.2";

/// Libraries that exist once in a process: those of the C library, the unwinder, and MPI.
const SHARED: &[&str] = &[
    LOADER,
    "libBrokenLocale.so.1",
    "libanl.so.1",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libmvec.so.1",
    MPI_ABI,
    "libnsl.so.1",
    "libpthread.so.0",
    "libresolv.so.2",
    "librt.so.1",
    "libthread_db.so.1",
    "libutil.so.1",
    "linux-vdso.so.1",
];

/// Whether all ranks use the same copy of a library.
pub(crate) fn is_shared(name: &str) -> bool {
    SHARED.contains(&file_name(name))
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// One library that is private to each rank.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    pub(crate) source: Source,
    /// The names under which other objects ask for it.
    pub(crate) names: Vec<String>,
}

/// A library of the lookup scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    /// The private library with this index.
    Private(usize),
    /// A shared library, by its name.
    Shared(String),
}

/// The private libraries of a program, in the order of the loader's lookup scope: breadth first, tools in front.
#[derive(Debug, Default)]
pub(crate) struct Closure {
    pub(crate) libraries: Vec<Library>,
    /// The lookup scope, with private and shared libraries.
    pub(crate) scope: Vec<Member>,
    /// The names of all shared libraries that are used.
    pub(crate) shared: Vec<String>,
    /// The path that the loader would have taken for the MPI library.
    pub(crate) mpi: Option<PathBuf>,
}

/// Asks the loader for the libraries of a program. The outer error is a failure of the loader itself.
pub(crate) fn resolve(
    program: &Source,
    loader: &str,
    preload: &[PathBuf],
) -> Result<Result<Closure, Vec<Reason>>, String> {
    let paths = list(&program.path, loader, preload)?;
    let mut walk = Walk::new(paths);
    for tool in preload {
        walk.add(tool.to_string_lossy().into_owned(), tool.clone());
    }
    walk.dependencies(program);
    walk.libraries();
    Ok(if walk.reasons.is_empty() {
        Ok(walk.closure)
    } else {
        Err(walk.reasons)
    })
}

/// Asks the loader for a library that a program loads while it runs, and for all that it needs. The library itself is
/// the first one. None if there is no library of this name, or something is missing.
pub(crate) fn resolve_library(program: &Path, loader: &str, name: &str) -> Option<Closure> {
    let paths = list(program, loader, &[PathBuf::from(name)]).ok()?;
    let path = paths.get(name)?.clone()?;
    let mut walk = Walk::new(paths);
    walk.add(name.to_owned(), path);
    walk.libraries();
    walk.reasons.is_empty().then_some(walk.closure)
}

/// Runs the loader. Gives the path for each name, or `None` for a library that was not found.
fn list(
    program: &Path,
    loader: &str,
    preload: &[PathBuf],
) -> Result<HashMap<String, Option<PathBuf>>, String> {
    let mut command = Command::new(loader);
    if !preload.is_empty() {
        let joined = preload
            .iter()
            .map(|p| p.as_os_str())
            .collect::<Vec<_>>()
            .join(&OsString::from(":"));
        command.arg("--preload").arg(joined);
    }
    // As ldd does. Unlike --list, this goes on where a library is missing, as our MPI library is outside an
    // installation.
    command
        .arg(program)
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("{loader}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let paths: HashMap<_, _> = text.lines().filter_map(parse_line).collect();
    if paths.is_empty() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(message
            .lines()
            .next()
            .unwrap_or("the dynamic loader said nothing")
            .to_owned());
    }
    Ok(paths)
}

/// Parses a line of the loader: `name => path (address)`, `name => not found` or `path (address)`.
fn parse_line(line: &str) -> Option<(String, Option<PathBuf>)> {
    let line = line.trim();
    let without_address = |text: &str| {
        text.rsplit_once(" (0x")
            .map_or(text.to_owned(), |(path, _)| path.to_owned())
    };
    match line.split_once(" => ") {
        Some((name, "not found")) => Some((name.to_owned(), None)),
        Some((name, rest)) => Some((name.to_owned(), Some(without_address(rest).into()))),
        None if line.contains(" (0x") => {
            let path = without_address(line);
            Some((path.clone(), Some(path.into())))
        }
        None => None,
    }
}

/// The state of the walk over the graph of libraries.
struct Walk {
    paths: HashMap<String, Option<PathBuf>>,
    closure: Closure,
    queue: VecDeque<usize>,
    reasons: Vec<Reason>,
}

impl Walk {
    fn new(paths: HashMap<String, Option<PathBuf>>) -> Walk {
        Walk {
            paths,
            closure: Closure::default(),
            queue: VecDeque::new(),
            reasons: Vec::new(),
        }
    }

    /// Goes through the libraries that have been found, and those that they need.
    fn libraries(&mut self) {
        while let Some(index) = self.queue.pop_front() {
            let source = self.closure.libraries[index].source.clone();
            self.dependencies(&source);
        }
    }

    /// Adds the libraries that an object needs.
    fn dependencies(&mut self, source: &Source) {
        let Ok(elf) = source.elf() else { return };
        for name in elf.strings(crate::elf::abi::DT_NEEDED) {
            if is_shared(name) {
                self.note_shared(name);
                continue;
            }
            match self.paths.get(name) {
                Some(Some(path)) => {
                    let path = path.clone();
                    self.add(name.to_owned(), path);
                }
                _ => self.missing(name),
            }
        }
    }

    fn note_shared(&mut self, name: &str) {
        if name == MPI_ABI {
            self.closure.mpi = self.paths.get(name).cloned().flatten();
        }
        if !self.closure.shared.iter().any(|known| known == name) {
            self.closure.shared.push(name.to_owned());
            let member = Member::Shared(file_name(name).to_owned());
            self.closure.scope.push(member);
        }
    }

    fn missing(&mut self, name: &str) {
        let reason = Reason::MissingLibrary(name.to_owned());
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn add(&mut self, name: String, path: PathBuf) {
        let path = std::fs::canonicalize(&path).unwrap_or(path);
        if let Some(known) = self
            .closure
            .libraries
            .iter_mut()
            .find(|library| library.source.path == path)
        {
            if !known.names.contains(&name) {
                known.names.push(name);
            }
            return;
        }
        match Source::open(&path) {
            Err(error) => self.reasons.push(Reason::BadLibrary {
                path,
                detail: error.to_string(),
            }),
            Ok(source) => {
                let soname = match source.elf() {
                    Ok(elf) => elf.soname().map(str::to_owned),
                    Err(error) => {
                        self.reasons.push(Reason::BadLibrary {
                            path,
                            detail: error.to_string(),
                        });
                        return;
                    }
                };
                let mut names = vec![name];
                names.extend(soname.filter(|soname| *soname != names[0]));
                let index = self.closure.libraries.len();
                self.queue.push_back(index);
                self.closure.scope.push(Member::Private(index));
                self.closure.libraries.push(Library { source, names });
            }
        }
    }
}
