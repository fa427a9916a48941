//! Files in memory and mappings of files.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};

/// The content of a file, mapped for reading, or for writing if it is a memfd of our own.
#[derive(Debug)]
pub(crate) struct Mapping {
    address: *mut u8,
    length: usize,
}

// SAFETY: a mapping is plain memory, not bound to a thread.
unsafe impl Send for Mapping {}
// SAFETY: shared access only reads.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a whole file. With `writable`, changes reach the file.
    pub(crate) fn new(file: &File, writable: bool) -> io::Result<Mapping> {
        let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let (protection, kind) = if writable {
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED)
        } else {
            (libc::PROT_READ, libc::MAP_PRIVATE)
        };
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory of ours.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                protection,
                kind,
                file.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping {
            address: address.cast(),
            length,
        })
    }

    /// The content.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY:
        // - the mapping covers `length` bytes until it is dropped;
        // - programs being run are not written to (the kernel's ETXTBSY and custom); memfds only through `bytes_mut`.
        unsafe { std::slice::from_raw_parts(self.address, self.length) }
    }

    /// The content, to be changed. The mapping must have been made writable.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; `&mut self` makes it the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.length) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing borrows from it any more.
        unsafe { libc::munmap(self.address.cast(), self.length) };
    }
}

/// Makes an empty file in memory with a given size.
pub(crate) fn memory_file(size: u64) -> io::Result<File> {
    // SAFETY: the name is a C string; the call makes a new descriptor.
    let descriptor: RawFd = unsafe { libc::memfd_create(c"simurgh-image".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and ours.
    let file = unsafe { File::from_raw_fd(descriptor) };
    file.set_len(size)?;
    Ok(file)
}

/// Reserves addresses at a multiple of an alignment, so that nothing else is mapped there. They cannot be accessed yet.
pub(crate) fn reserve(length: usize, align: usize) -> io::Result<usize> {
    let page = crate::elf::PAGE as usize;
    let whole = length + (align - page);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address of the kernel's choice touches no memory of ours.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let start = (address as usize).next_multiple_of(align);
    let end = address as usize + whole;
    for (from, to) in [(address as usize, start), (start + length, end)] {
        // SAFETY: both ends belong to the mapping, and nobody knows of it yet.
        unsafe { release(from, to - from)? };
    }
    Ok(start)
}

/// Releases addresses that were reserved.
///
/// # Safety
/// Nothing may use the range any more.
pub(crate) unsafe fn release(address: usize, length: usize) -> io::Result<()> {
    // SAFETY: the caller's.
    if length > 0 && unsafe { libc::munmap(address as *mut _, length) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Maps zeros over existing memory.
///
/// # Safety
/// As for [`map_over`].
pub(crate) unsafe fn zero_over(address: usize, length: u64, protection: i32) -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the range may be replaced (caller).
    let result = unsafe { libc::mmap(address as *mut _, length as usize, protection, flags, -1, 0) };
    if result == libc::MAP_FAILED {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Maps part of a file over existing memory.
///
/// # Safety
/// The range must belong to an object whose content there may be replaced: nothing may use it now.
pub(crate) unsafe fn map_over(
    address: usize,
    length: u64,
    protection: i32,
    file: &File,
    offset: u64,
) -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_FIXED;
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    // SAFETY: the range may be replaced (caller).
    let result = unsafe {
        libc::mmap(
            address as *mut _,
            length as usize,
            protection,
            flags,
            file.as_raw_fd(),
            offset,
        )
    };
    if result == libc::MAP_FAILED {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Changes the protection of pages.
///
/// # Safety
/// Nothing may rely on an access that the new protection forbids.
pub(crate) unsafe fn protect(address: usize, length: u64, protection: i32) -> io::Result<()> {
    // SAFETY: the caller's.
    let result = unsafe { libc::mprotect(address as *mut _, length as usize, protection) };
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
