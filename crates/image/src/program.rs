//! The program that ranks run.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::error::ImageError;
use crate::source::Source;

/// The owner of the note that tells a native program. The note itself is in `simurgh-host`.
pub const NATIVE_OWNER: &[u8; 8] = b"Simurgh\0";

/// The kind of that note.
pub const NATIVE_KIND: u32 = 1;

/// An executable ELF file. Whether its ranks can share a process is [`Program::check`]'s question.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) source: Source,
}

impl Program {
    /// Opens a program.
    ///
    /// # Errors
    /// Each kind of wrong file has its own [`ImageError`]: missing, a directory, not executable, empty, a script,
    /// no ELF file.
    pub fn open(path: &Path) -> Result<Program, ImageError> {
        let unreadable = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => ImageError::NotFound(path.to_owned()),
            _ => ImageError::Unreadable {
                path: path.to_owned(),
                error,
            },
        };
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(ImageError::Directory(path.to_owned()));
        }
        if metadata.permissions().mode() & 0o111 == 0 {
            return Err(ImageError::NotExecutable(path.to_owned()));
        }
        if metadata.len() == 0 {
            return Err(ImageError::Empty(path.to_owned()));
        }
        let absolute = fs::canonicalize(path).map_err(unreadable)?;
        let source = Source::open(&absolute).map_err(unreadable)?;
        if source.bytes().starts_with(b"#!") {
            return Err(ImageError::Script {
                path: path.to_owned(),
                interpreter: interpreter(source.bytes()),
            });
        }
        if !source.bytes().starts_with(b"\x7fELF") {
            return Err(ImageError::NotElf(path.to_owned()));
        }
        source.elf().map_err(|error| ImageError::Damaged {
            path: path.to_owned(),
            detail: error.to_string(),
        })?;
        Ok(Program { source })
    }

    /// Whether it is a Rust program whose ranks are closures: one that can call `simurgh::run`, which leaves a note in
    /// it.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.source
            .elf()
            .is_ok_and(|elf| elf.has_note(NATIVE_OWNER, NATIVE_KIND))
    }

    /// The program's absolute path.
    pub fn path(&self) -> &Path {
        &self.source.path
    }
}

/// The interpreter that the first line of a script names.
fn interpreter(script: &[u8]) -> String {
    let line = script[2..].split(|&b| b == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(&line[..line.len().min(80)])
        .trim()
        .to_owned()
}
