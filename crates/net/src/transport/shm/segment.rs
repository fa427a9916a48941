//! The memory that a host shares with the others of its node.
//!
//! A memory file without a name, sealed against change of its length, so that no access to it can fault; it goes when
//! the last process that has it goes. Pages are there once they are used.

use std::cell::UnsafeCell;
use std::mem::size_of;
use std::ops::Deref;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags};
use simurgh_core::sync::{AtomicU64, Ordering};

use super::ShmError;
use super::pool::{BUFFERS, ROOM, Returns};
use super::ring::Ring;

/// What a segment begins with: letters, and the layout's version, which changes with anything in [`Contents`].
const MAGIC: u64 = u64::from_be_bytes(*b"Simurgh\x01");
/// Seals that a segment has.
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// What is in a segment. All zeros is a valid one, save for its title.
#[repr(C)]
pub(super) struct Contents {
    title: Title,
    /// The packets for its owner.
    pub(super) ring: Ring,
    /// Which of its owner's buffers have been read.
    pub(super) returns: Returns,
    buffers: [Buffer; BUFFERS],
}

/// Written by the owner before others know the segment.
#[repr(C, align(128))]
struct Title {
    magic: AtomicU64,
    bytes: AtomicU64,
    /// Where the owner keeps what others read to see whether they can access its memory, and what they will find there.
    probe: [AtomicU64; 2],
}

#[repr(C, align(128))]
struct Buffer(UnsafeCell<[u8; ROOM]>);

/// A mapped segment.
pub(super) struct Segment(NonNull<Contents>);

// SAFETY:
// - the mapping is valid in all threads until it is dropped, and lent out by reference only.
unsafe impl Send for Segment {}
// SAFETY:
// - its contents are atomics, and buffers, to which only a pointer is given away.
unsafe impl Sync for Segment {}

impl Segment {
    /// A new segment with this probe, and the descriptor that others get.
    pub(super) fn create(probe: [u64; 2]) -> Result<(Self, OwnedFd), ShmError> {
        let file = memory_file().map_err(ShmError::Create)?;
        let segment = Self::map(&file).map_err(ShmError::Create)?;
        let title = &segment.title;
        // Relaxed: the descriptor reaches others later, through the kernel.
        title.magic.store(MAGIC, Ordering::Relaxed);
        title.bytes.store(size_of::<Contents>() as u64, Ordering::Relaxed);
        for (place, word) in title.probe.iter().zip(probe) {
            place.store(word, Ordering::Relaxed);
        }
        Ok((segment, file))
    }

    /// Another host's segment.
    pub(super) fn open(file: impl AsFd) -> Result<Self, ShmError> {
        let file = file.as_fd();
        let seals = rustix::fs::fcntl_get_seals(file).map_err(|_| ShmError::NotASegment)?;
        let length = rustix::fs::fstat(file).map_err(ShmError::Map)?.st_size;
        if !seals.contains(SEALS) {
            return Err(ShmError::NotASegment);
        }
        if length as usize != size_of::<Contents>() {
            return Err(ShmError::OtherVersion);
        }
        let segment = Self::map(file).map_err(ShmError::Map)?;
        let bytes = segment.title.bytes.load(Ordering::Relaxed);
        if segment.title.magic.load(Ordering::Relaxed) != MAGIC || bytes as usize != size_of::<Contents>() {
            return Err(ShmError::OtherVersion);
        }
        Ok(segment)
    }

    fn map(file: impl AsFd) -> Result<Self, Errno> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY:
        // - the kernel chooses an address where nothing is.
        let address = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                size_of::<Contents>(),
                access,
                MapFlags::SHARED,
                file,
                0,
            )?
        };
        Ok(Self(NonNull::new(address.cast()).ok_or(Errno::NOMEM)?))
    }

    /// Lets go of its memory, which others may still use: from now on there are zeros here, of which pages are made
    /// when they are used.
    pub(super) fn let_go(&self) {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY:
        // - the addresses are those of our own mapping, which the new one of the same size replaces at once; whoever
        //   still looks there finds valid contents.
        let zeros = unsafe {
            rustix::mm::mmap_anonymous(
                self.0.as_ptr().cast(),
                size_of::<Contents>(),
                access,
                MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE,
            )
        };
        // If the system refuses, the memory stays until the process ends.
        debug_assert_eq!(zeros, Ok(self.0.as_ptr().cast()));
    }

    /// Where the owner's probe lies, and what is there.
    pub(super) fn probe(&self) -> [u64; 2] {
        let [address, value] = &self.title.probe;
        [address.load(Ordering::Relaxed), value.load(Ordering::Relaxed)]
    }

    /// A buffer's [`ROOM`] bytes. Who may use them when is the pool's to say.
    pub(super) fn buffer(&self, index: usize) -> NonNull<u8> {
        NonNull::new(self.buffers[index].0.get().cast()).expect("a place in a mapping is not null")
    }
}

fn memory_file() -> Result<OwnedFd, Errno> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = rustix::fs::memfd_create("simurgh-shm", flags)?;
    rustix::fs::ftruncate(&file, size_of::<Contents>() as u64)?;
    rustix::fs::fcntl_add_seals(&file, SEALS)?;
    Ok(file)
}

impl Deref for Segment {
    type Target = Contents;

    #[inline]
    fn deref(&self) -> &Contents {
        // SAFETY:
        // - the mapping has this size, is aligned to a page, sealed against shrinking, and lives as long as `self`;
        // - its contents are valid whatever their bits, and nothing but atomics and cells: others may change them.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY:
        // - `map` mapped it, and nobody borrows it any more.
        let unmapped = unsafe { rustix::mm::munmap(self.0.as_ptr().cast(), size_of::<Contents>()) };
        debug_assert_eq!(unmapped, Ok(()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_known_by_its_seals_and_title() {
        let (_own, file) = Segment::create([1, 2]).expect("memory");
        assert_eq!(Segment::open(&file).expect("it is one").probe(), [1, 2]);
        let other = rustix::fs::memfd_create("other", MemfdFlags::ALLOW_SEALING).expect("memory");
        assert!(matches!(Segment::open(&other), Err(ShmError::NotASegment)));
        rustix::fs::fcntl_add_seals(&other, SEALS).expect("seals");
        assert!(matches!(Segment::open(&other), Err(ShmError::OtherVersion)));
        let blank = memory_file().expect("memory");
        assert!(matches!(Segment::open(&blank), Err(ShmError::OtherVersion)));
        let file = std::fs::File::open("/proc/self/exe").expect("a file");
        assert!(matches!(Segment::open(&file), Err(ShmError::NotASegment)));
    }
}
