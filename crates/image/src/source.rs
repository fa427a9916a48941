//! Object files: opened, mapped, and parsed on demand. The shim is a file in memory.

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
    /// The file from which ranks' copies of its code and its constants are mapped.
    pub(crate) file: Arc<File>,
    /// The offset of its content in that file.
    pub(crate) start: u64,
    map: Arc<Mapping>,
}

impl Source {
    /// Opens a file; it is parsed by [`Source::elf`].
    pub(crate) fn open(path: &Path) -> io::Result<Source> {
        Source::from_file(path, File::open(path)?)
    }

    /// Takes an open file. `path` is shown to users and debuggers.
    pub(crate) fn from_file(path: &Path, file: File) -> io::Result<Source> {
        let map = Mapping::new(&file, false)?;
        Ok(Source {
            path: path.to_owned(),
            file: Arc::new(file),
            start: 0,
            map: Arc::new(map),
        })
    }

    /// The same object, whose code and constants are mapped from another file, which contains them as well.
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

    /// The name for messages: the path without its folders.
    pub(crate) fn name(&self) -> String {
        self.path
            .file_name()
            .unwrap_or(self.path.as_os_str())
            .to_string_lossy()
            .into_owned()
    }
}
