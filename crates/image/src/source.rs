//! An object file on disk (or in memory, for the shim): opened, mapped, parsed on demand.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::elf::{Elf, Malformed};
use crate::memory::Mapping;

/// A program or library.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// Where ranks' copies of its code and its constants are mapped from.
    pub(crate) file: Arc<File>,
    /// Where it begins in that file.
    pub(crate) start: u64,
    map: Arc<Mapping>,
}

impl Source {
    /// Opens a file; it is parsed by [`Source::elf`].
    pub(crate) fn open(path: &Path) -> io::Result<Source> {
        Source::from_file(path, File::open(path)?)
    }

    /// Takes an open file; `path` is what users and debuggers are told.
    pub(crate) fn from_file(path: &Path, file: File) -> io::Result<Source> {
        let map = Mapping::new(&file, false)?;
        Ok(Source {
            path: path.to_owned(),
            file: Arc::new(file),
            start: 0,
            map: Arc::new(map),
        })
    }

    /// The same with code and constants mapped from another file, in which they stand as well.
    pub(crate) fn mapped_from(self, file: File, start: u64) -> Source {
        Source {
            file: Arc::new(file),
            start,
            ..self
        }
    }

    /// The parsed file.
    pub(crate) fn elf(&self) -> Result<Elf<'_>, Malformed> {
        Elf::parse(self.map.bytes())
    }

    /// The content.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.map.bytes()
    }

    /// The name for messages: without folders.
    pub(crate) fn name(&self) -> String {
        self.path
            .file_name()
            .unwrap_or(self.path.as_os_str())
            .to_string_lossy()
            .into_owned()
    }
}
