//! The trait of file systems, and of open files.

use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a file is opened for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// To be read.
    Read,
    /// To be written.
    Write,
    /// Both.
    Both,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// What for.
    pub access: Access,
    /// It is made if it is not there.
    pub create: bool,
    /// It must not be there.
    pub exclusive: bool,
    /// The permissions of a file that is made, before the mask of the process.
    pub permissions: u32,
}

/// A place where files are.
pub trait FileSystem: Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn open(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn Storage>>;

    /// Deletes a file.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn delete(&self, path: &Path) -> io::Result<()>;
}

/// An open file. All its functions may be called from several threads at a time.
pub trait Storage: Send + Sync {
    /// Reads bytes from a position on; returns their number, which is less than asked for at the end of the file, and
    /// may be less elsewhere.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn read_at(&self, into: &mut [u8], position: u64) -> io::Result<usize>;

    /// Writes bytes from a position on; returns their number, which may be less than given.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn write_at(&self, from: &[u8], position: u64) -> io::Result<usize>;

    /// The size in bytes.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn size(&self) -> io::Result<u64>;

    /// Cuts or extends the file to a size in bytes.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn set_size(&self, size: u64) -> io::Result<()>;

    /// Sees to it that the first `size` bytes have their room on the device. The file's size becomes at least that.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn reserve(&self, size: u64) -> io::Result<()>;

    /// Waits until what was written is on the device.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn sync(&self) -> io::Result<()>;

    /// Locks bytes against other processes that lock them, and waits for it.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn lock(&self, bytes: &Range<u64>, exclusive: bool) -> io::Result<()>;

    /// Unlocks bytes.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn unlock(&self, bytes: &Range<u64>) -> io::Result<()>;

    /// Bytes of a block of the file system.
    fn block(&self) -> u64;

    /// Whether several writes to the file are made at the same time. Otherwise they exclude each other.
    fn has_parallel_writes(&self) -> bool;

    /// A number of the file by which it is told from all others, however it was opened; none if there is no such
    /// number.
    fn identity(&self) -> Option<(u64, u64)>;
}

/// The path in a file name of a program, which may begin with the name of a kind of file system, such as `ufs:`.
#[must_use]
pub fn path_of(name: &[u8]) -> PathBuf {
    const KINDS: [&[u8]; 8] = [
        b"ufs", b"nfs", b"lustre", b"gpfs", b"xfs", b"panfs", b"testfs", b"pvfs2",
    ];
    let colon = name.iter().position(|&byte| byte == b':');
    let path = match colon {
        Some(colon) if KINDS.contains(&&name[..colon]) => &name[colon + 1..],
        _ => name,
    };
    PathBuf::from(OsStr::from_bytes(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_file_systems_are_no_part_of_the_path() {
        assert_eq!(path_of(b"ufs:/a/b"), Path::new("/a/b"));
        assert_eq!(path_of(b"nfs:c"), Path::new("c"));
        assert_eq!(path_of(b"other:c"), Path::new("other:c"));
        assert_eq!(path_of(b"a:b"), Path::new("a:b"));
    }
}
