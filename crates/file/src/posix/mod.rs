//! The file system of the operating system.

mod range_lock;

use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{self, FallocateFlags, Mode as Permissions, OFlags, SeekFrom};
use rustix::io::{Errno, pread, pwrite};
use rustix::process::{Resource, getrlimit};

use crate::storage::{Access, FileSystem, Mode, Storage};

/// The files of the operating system, of whatever file systems it has mounted.
#[derive(Debug)]
pub struct Posix;

/// An open file of the operating system.
struct File {
    descriptor: OwnedFd,
    block: u64,
    has_parallel_writes: bool,
    /// The device, and the file's number there.
    identity: (u64, u64),
    /// The size up to which the process may let the file grow (`RLIMIT_FSIZE`), as the file was opened.
    limit: u64,
}

impl FileSystem for Posix {
    fn open(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn Storage>> {
        let mut flags = OFlags::CLOEXEC
            | match mode.access {
                Access::Read => OFlags::RDONLY,
                Access::Write => OFlags::WRONLY,
                Access::Both => OFlags::RDWR,
            };
        flags.set(OFlags::CREATE, mode.create);
        flags.set(OFlags::EXCL, mode.exclusive && mode.create);
        let permissions = Permissions::from_raw_mode(mode.permissions);
        let descriptor = loop {
            match fs::open(path, flags, permissions) {
                Err(Errno::INTR) => {}
                opened => break opened?,
            }
        };
        let facts = fs::fstat(&descriptor)?;
        let kind = fs::FileType::from_raw_mode(facts.st_mode);
        if kind.is_dir() {
            return Err(Errno::ISDIR.into());
        }
        // Other files do not grow.
        let limit = getrlimit(Resource::Fsize).current.filter(|_| kind.is_file());
        let block = u64::try_from(facts.st_blksize).unwrap_or(0).max(512);
        Ok(Box::new(File {
            block,
            has_parallel_writes: has_parallel_writes(&descriptor),
            identity: (facts.st_dev, facts.st_ino),
            limit: limit.unwrap_or(u64::MAX),
            descriptor,
        }))
    }

    fn delete(&self, path: &Path) -> io::Result<()> {
        Ok(fs::unlink(path)?)
    }
}

/// Whether the file lies in a file system that locks parts of a file. Others lock the file as long as it is written.
fn has_parallel_writes(descriptor: &OwnedFd) -> bool {
    /// Numbers that these systems have in `statfs`: Lustre, GPFS, BeeGFS, OrangeFS.
    const PARALLEL: [u64; 4] = [0x0bd0_0bd0, 0x4750_4653, 0x1983_0326, 0x2003_0528];
    fs::fstatfs(descriptor).is_ok_and(|facts| PARALLEL.contains(&(facts.f_type as u64)))
}

impl File {
    /// Refuses to let the file grow beyond the limit of the process. The kernel would end the process.
    fn check_growth(&self, size: u64) -> io::Result<()> {
        match size > self.limit && size > self.size()? {
            true => Err(Errno::FBIG.into()),
            false => Ok(()),
        }
    }

    /// Writes zeros to those of the first bytes for which there may be no room on the device: those in holes and behind
    /// the end. If there is not room for all, the file ends where it did.
    fn fill(&self, size: u64) -> io::Result<()> {
        let end = self.size()?;
        let filled = self.fill_holes(end, size);
        if filled.is_err() && self.size()? > end {
            fs::ftruncate(&self.descriptor, end)?;
        }
        filled
    }

    fn fill_holes(&self, end: u64, size: u64) -> io::Result<()> {
        const ZEROS: &[u8] = &[0; 1 << 16];
        let mut at = 0;
        loop {
            // Where file systems cannot tell, what is before the end is no hole.
            let hole = fs::seek(&self.descriptor, SeekFrom::Hole(at)).unwrap_or(end);
            if hole >= size {
                return Ok(());
            }
            let data = fs::seek(&self.descriptor, SeekFrom::Data(hole)).unwrap_or(size);
            at = hole;
            while at < data.min(size) {
                let length = (data.min(size) - at).min(ZEROS.len() as u64) as usize;
                match self.write_at(&ZEROS[..length], at) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    written => at += written? as u64,
                }
            }
        }
    }
}

impl Storage for File {
    fn read_at(&self, into: &mut [u8], position: u64) -> io::Result<usize> {
        Ok(pread(&self.descriptor, into, position)?)
    }

    fn write_at(&self, from: &[u8], position: u64) -> io::Result<usize> {
        // The kernel writes what fits below the limit. If nothing does, it would end the process.
        if position >= self.limit && !from.is_empty() {
            return Err(Errno::FBIG.into());
        }
        Ok(pwrite(&self.descriptor, from, position)?)
    }

    fn size(&self) -> io::Result<u64> {
        let size = fs::fstat(&self.descriptor)?.st_size;
        Ok(u64::try_from(size).unwrap_or(0))
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.check_growth(size)?;
        Ok(fs::ftruncate(&self.descriptor, size)?)
    }

    fn reserve(&self, size: u64) -> io::Result<()> {
        self.check_growth(size)?;
        match fs::fallocate(&self.descriptor, FallocateFlags::empty(), 0, size) {
            // The file system cannot, or a filter of system calls forbids the call.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM) => self.fill(size),
            reserved => Ok(reserved?),
        }
    }

    fn sync(&self) -> io::Result<()> {
        match fs::fsync(&self.descriptor) {
            // A pipe or a device has nothing to be synchronised.
            Err(Errno::INVAL | Errno::ROFS) => Ok(()),
            synced => Ok(synced?),
        }
    }

    fn lock(&self, bytes: &Range<u64>, exclusive: bool) -> io::Result<()> {
        range_lock::lock(&self.descriptor, bytes, exclusive)
    }

    fn unlock(&self, bytes: &Range<u64>) -> io::Result<()> {
        range_lock::unlock(&self.descriptor, bytes)
    }

    fn block(&self) -> u64 {
        self.block
    }

    fn has_parallel_writes(&self) -> bool {
        self.has_parallel_writes
    }

    fn identity(&self) -> Option<(u64, u64)> {
        Some(self.identity)
    }
}
