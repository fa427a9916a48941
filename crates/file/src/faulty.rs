//! An open file that fails as tests want.

use std::io;
use std::ops::Range;
use std::path::Path;

use rustix::io::Errno;
use simurgh_core::sync::{Arc, AtomicU64, Ordering};

use crate::storage::{FileSystem, Mode, Storage};

/// The faults of a file system.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// The most bytes of a read or a write; 0 stands for any number.
    pub longest: usize,
    /// Every so many-th read or write is interrupted; 0 stands for none.
    pub interrupted: u64,
    /// Reads and writes fail from this byte of the file on.
    pub from: Option<(u64, Errno)>,
    /// The file ends at this byte, whatever its size was.
    pub shrunk: Option<u64>,
    /// There are no locks.
    pub lockless: bool,
}

/// A file system with faults.
pub struct Faulty<F> {
    inner: F,
    faults: Faults,
    calls: Arc<AtomicU64>,
}

struct File {
    inner: Box<dyn Storage>,
    faults: Faults,
    calls: Arc<AtomicU64>,
}

impl<F: FileSystem> Faulty<F> {
    /// A file system with these faults.
    pub fn new(inner: F, faults: Faults) -> Self {
        Self {
            inner,
            faults,
            calls: Arc::default(),
        }
    }

    /// The reads and writes so far.
    pub fn calls(&self) -> u64 {
        // Relaxed: a count.
        self.calls.load(Ordering::Relaxed)
    }
}

impl<F: FileSystem> FileSystem for Faulty<F> {
    fn open(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn Storage>> {
        Ok(Box::new(File {
            inner: self.inner.open(path, mode)?,
            faults: self.faults.clone(),
            calls: Arc::clone(&self.calls),
        }))
    }

    fn delete(&self, path: &Path) -> io::Result<()> {
        self.inner.delete(path)
    }
}

impl File {
    /// How many of `len` bytes from a position on are moved.
    fn admit(&self, len: usize, position: u64) -> io::Result<usize> {
        let Faults {
            longest,
            interrupted,
            from,
            ..
        } = self.faults;
        // Relaxed: a count.
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if interrupted > 0 && call.is_multiple_of(interrupted) {
            return Err(Errno::INTR.into());
        }
        let mut len = if longest > 0 { len.min(longest) } else { len };
        if let Some((at, errno)) = from {
            let room = usize::try_from(at.saturating_sub(position)).unwrap_or(usize::MAX);
            if room == 0 && len > 0 {
                return Err(errno.into());
            }
            len = len.min(room);
        }
        Ok(len)
    }
}

impl Storage for File {
    fn read_at(&self, into: &mut [u8], position: u64) -> io::Result<usize> {
        let mut len = self.admit(into.len(), position)?;
        if let Some(end) = self.faults.shrunk {
            len = len.min(usize::try_from(end.saturating_sub(position)).unwrap_or(usize::MAX));
        }
        self.inner.read_at(&mut into[..len], position)
    }

    fn write_at(&self, from: &[u8], position: u64) -> io::Result<usize> {
        let len = self.admit(from.len(), position)?;
        self.inner.write_at(&from[..len], position)
    }

    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.inner.set_size(size)
    }

    fn reserve(&self, size: u64) -> io::Result<()> {
        match self.faults.from {
            Some((at, errno)) if size > at => Err(errno.into()),
            _ => self.inner.reserve(size),
        }
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }

    fn lock(&self, bytes: &Range<u64>, exclusive: bool) -> io::Result<()> {
        match self.faults.lockless {
            true => Err(Errno::NOLCK.into()),
            false => self.inner.lock(bytes, exclusive),
        }
    }

    fn unlock(&self, bytes: &Range<u64>) -> io::Result<()> {
        self.inner.unlock(bytes)
    }

    fn block(&self) -> u64 {
        self.inner.block()
    }

    fn has_parallel_writes(&self) -> bool {
        self.inner.has_parallel_writes()
    }

    fn identity(&self) -> Option<(u64, u64)> {
        self.inner.identity()
    }
}
