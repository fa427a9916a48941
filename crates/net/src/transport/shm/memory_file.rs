//! The memory of another process as a file.
//!
//! The kernel finds out whether the access is allowed when the file is opened, and not each time, as for cross-memory
//! attach. But it copies through a page of its own. So short data takes less time in this way, and long data more.
//!
//! It is only read: what is written to it gets by the protection of pages, and data would change that nobody may write.

use std::io;
use std::os::fd::OwnedFd;
use std::slice;

use rustix::fs::{Mode, OFlags};

/// The opened memory of another process.
pub(super) struct MemoryFile(OwnedFd);

impl MemoryFile {
    /// That of a process with a probe at this address and with this value; none if it cannot be opened, or the probe is
    /// not there.
    pub(super) fn open(process: i32, [address, value]: [u64; 2]) -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = Self(rustix::fs::open(format!("/proc/{process}/mem"), flags, Mode::empty()).ok()?);
        let mut found = 0_u64;
        // SAFETY:
        // - `found` is a local word.
        let read = unsafe { file.read(address, (&raw mut found).cast(), size_of_val(&found)) };
        (read.is_ok() && found == value).then_some(file)
    }

    /// Reads the process's memory.
    ///
    /// # Safety
    ///
    /// * `to` has room for `length` bytes, which nobody else uses meanwhile.
    pub(super) unsafe fn read(&self, address: u64, to: *mut u8, length: usize) -> io::Result<()> {
        // SAFETY:
        // - the caller's promise; bytes that may not have been written are places for bytes.
        let room = unsafe { slice::from_raw_parts_mut(to.cast::<std::mem::MaybeUninit<u8>>(), length) };
        let mut done = 0;
        while done < length {
            match rustix::io::pread(&self.0, &mut room[done..], address + done as u64) {
                Ok(([], _)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok((read, _)) => done += read.len(),
                Err(rustix::io::Errno::INTR) => {}
                // A short read ends where the memory ends, and the next one fails.
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::cross_memory::Probe;
    use super::*;

    #[test]
    fn memory_is_read_as_far_as_it_is_there() {
        let own = std::process::id() as i32;
        let probe = Probe::new().expect("random bytes");
        let [address, value] = probe.advertise();
        assert!(MemoryFile::open(own, [address, value.wrapping_add(1)]).is_none());
        assert!(MemoryFile::open(own, [8, value]).is_none());
        let file = MemoryFile::open(own, [address, value]).expect("it is this process");
        let source = [1_u8, 2, 3, 4, 5];
        let place = source.as_ptr().expose_provenance() as u64;
        let mut read = [0_u8; 4];
        // SAFETY:
        // - all are local arrays, with room for as many bytes; at the address 8 nothing is mapped.
        unsafe {
            file.read(place + 1, read.as_mut_ptr(), 4).expect("own memory");
            assert!(file.read(8, read.as_mut_ptr(), 4).is_err());
        }
        assert_eq!(read, [2, 3, 4, 5]);
    }
}
