//! Errors, in the user's words.

use std::path::PathBuf;

use crate::reason::Reason;
use crate::tls::TlsNeed;

/// Why a program cannot be opened, prepared or started as a rank.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// There is no such file.
    #[error("{}: no such file", .0.display())]
    NotFound(PathBuf),
    /// The path names a directory.
    #[error("{}: is a directory, not a program", .0.display())]
    Directory(PathBuf),
    /// The file may not be executed.
    #[error("{}: permission to execute is missing (chmod +x?)", .0.display())]
    NotExecutable(PathBuf),
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file is empty.
    #[error("{}: is an empty file", .0.display())]
    Empty(PathBuf),
    /// The file is a script.
    #[error("{}: is a script for {interpreter}, not a compiled program", path.display())]
    Script {
        /// The file.
        path: PathBuf,
        /// The interpreter that its first line names.
        interpreter: String,
    },
    /// The file is not an ELF file.
    #[error("{}: is not an ELF program (a binary of another system, or a damaged file?)", .0.display())]
    NotElf(PathBuf),
    /// The file is a damaged or foreign ELF file.
    #[error("{}: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The rule of the format that it breaks.
        detail: String,
    },
    /// The program cannot run in threads mode.
    #[error("{}: cannot run in threads mode: {}", path.display(), one_line(reasons))]
    Unsuitable {
        /// The program.
        path: PathBuf,
        /// All reasons.
        reasons: Vec<Reason>,
    },
    /// The host's reservation of thread-local storage is too small or missing.
    #[error(
        "{}: needs {} bytes of thread-local storage (alignment {}), but its host process reserves {have}",
        path.display(), need.size, need.align
    )]
    Reservation {
        /// The program.
        path: PathBuf,
        /// The storage that it needs.
        need: TlsNeed,
        /// The bytes that the host reserves.
        have: u64,
    },
    /// The thread-local variables of a library that all ranks share lie where those of the ranks' programs belong.
    #[error(
        "the thread-local variables of {library} lie {distance} bytes below the thread pointer, within the \
         {reservation} bytes that are reserved for those of programs"
    )]
    Intruder {
        /// The library.
        library: String,
        /// The distance of its variables below the thread pointer.
        distance: u64,
        /// The bytes of the reservation.
        reservation: u64,
    },
    /// The program brings its own `malloc`, and its memory is to lie in a range of addresses.
    #[error(
        "{}: brings its own malloc, which takes memory outside of the rank's range of addresses: --relocatable cannot \
         be met; leave it out, or link the program without that malloc", .0.display()
    )]
    OwnMalloc(PathBuf),
    /// The host executable is not one whose reservation can be changed.
    #[error("the host executable cannot be adjusted: {0}")]
    Host(&'static str),
    /// The program's libraries do not have what it needs, or cannot be linked with it.
    #[error("{}: cannot be linked with its libraries: {detail}", path.display())]
    Link {
        /// The program.
        path: PathBuf,
        /// The missing definition or other fault, and the file in which it was found.
        detail: String,
    },
    /// The C library lacks a function that the shim needs.
    #[error("the C library of this process has no function {0}: a glibc of at least 2.34 is needed")]
    MissingFunction(String),
    /// A system call failed.
    #[error("{call} failed while preparing {}: {error}", path.display())]
    System {
        /// The file in question.
        path: PathBuf,
        /// The call.
        call: &'static str,
        /// The system's error.
        error: std::io::Error,
    },
}

/// The reasons in one line.
fn one_line(reasons: &[Reason]) -> String {
    reasons
        .iter()
        .map(Reason::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}
