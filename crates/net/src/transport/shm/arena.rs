//! The memory that the hosts of a world on a node share.
//!
//! An arena is a memory file without a name, with a [segment](super::segment) for each host. The process that starts
//! the hosts makes it. So a host maps one file, through one descriptor, however many others there are. The file is
//! sealed against changes of its length, so that no access to it can fault, and it goes with the last process that has
//! it. Its pages are allocated when they are first used, so memory grows with the number of hosts that receive
//! something.

use std::mem::size_of;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags};
use simurgh_core::sync::{Arc, AtomicU64, Ordering};

use super::ShmError;
use super::segment::{Contents, Segment};

/// The first word of an arena: letters, and the version of the layout, which changes with [`ArenaHeader`],
/// [`Contents`] and what is in a slot.
const MAGIC: u64 = u64::from_be_bytes(*b"Simurgh\x06");
/// Seals that an arena has.
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// The page before the segments. All but its first two words are zero in the beginning.
#[repr(C, align(4096))]
struct ArenaHeader {
    /// [`MAGIC`], written by its maker before others know the arena.
    magic: AtomicU64,
    /// Bytes of a segment; written like the magic number.
    bytes: AtomicU64,
    /// The network namespace of the first host that has mapped it.
    network: AtomicU64,
    /// Not zero if a host that has mapped it is in another network namespace.
    is_split: AtomicU64,
}

/// A mapped arena.
pub(super) struct Arena {
    header: NonNull<ArenaHeader>,
    hosts: usize,
}

// SAFETY:
// - the mapping is valid in all threads until it is dropped, and lent out by reference only.
unsafe impl Send for Arena {}
// SAFETY:
// - its header is atomics; for its segments see `Segment`.
unsafe impl Sync for Arena {}

/// Bytes of an arena.
fn length(hosts: usize) -> Option<usize> {
    size_of::<Contents>()
        .checked_mul(hosts)?
        .checked_add(size_of::<ArenaHeader>())
}

impl Arena {
    /// Makes an arena for so many hosts.
    pub(super) fn create(hosts: usize) -> Result<OwnedFd, ShmError> {
        let file = memory_file(hosts).map_err(ShmError::Create)?;
        let arena = Self::map(&file, hosts).map_err(ShmError::Create)?;
        let header = arena.header();
        // Relaxed: the descriptor reaches others later, through the kernel.
        header.magic.store(MAGIC, Ordering::Relaxed);
        header
            .bytes
            .store(size_of::<Contents>() as u64, Ordering::Relaxed);
        Ok(file)
    }

    /// Maps an arena for a host in this network namespace.
    pub(super) fn open(file: impl AsFd, hosts: usize, network: u64) -> Result<Arc<Self>, ShmError> {
        let file = file.as_fd();
        let seals = rustix::fs::fcntl_get_seals(file).map_err(|_| ShmError::NotAnArena)?;
        let found = rustix::fs::fstat(file).map_err(ShmError::Map)?.st_size;
        if !seals.contains(SEALS) || (found as usize) < size_of::<ArenaHeader>() {
            return Err(ShmError::NotAnArena);
        }
        if length(hosts) != Some(found as usize) {
            return Err(ShmError::OtherVersion);
        }
        let arena = Self::map(file, hosts).map_err(ShmError::Map)?;
        let header = arena.header();
        let bytes = header.bytes.load(Ordering::Relaxed);
        if header.magic.load(Ordering::Relaxed) != MAGIC || bytes as usize != size_of::<Contents>() {
            return Err(ShmError::OtherVersion);
        }
        // SeqCst: a host that comes later finds what the first one wrote.
        let first = header
            .network
            .compare_exchange(0, network, Ordering::SeqCst, Ordering::SeqCst);
        if first.is_err_and(|first| first != network) {
            header.is_split.store(1, Ordering::SeqCst);
        }
        Ok(Arc::new(arena))
    }

    fn map(file: impl AsFd, hosts: usize) -> Result<Self, Errno> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let length = length(hosts).ok_or(Errno::NOMEM)?;
        // SAFETY:
        // - the kernel chooses an address where nothing is.
        let address =
            unsafe { rustix::mm::mmap(std::ptr::null_mut(), length, access, MapFlags::SHARED, file, 0)? };
        let header = NonNull::new(address.cast()).ok_or(Errno::NOMEM)?;
        Ok(Self { header, hosts })
    }

    fn header(&self) -> &ArenaHeader {
        // SAFETY:
        // - the mapping begins with one, is aligned to a page, sealed against shrinking, and lives as long as `self`;
        // - its contents are valid whatever their bits, and atomics: others may change them.
        unsafe { self.header.as_ref() }
    }

    /// Whether its hosts are in different network namespaces, where they may not find each other's sockets.
    pub(super) fn is_split(&self) -> bool {
        self.header().is_split.load(Ordering::SeqCst) != 0
    }

    /// The segment of the host with this index.
    ///
    /// # Panics
    ///
    /// When the index is not below the number of hosts.
    pub(super) fn segment(self: &Arc<Self>, index: usize) -> Segment {
        assert!(index < self.hosts, "an arena has a segment for each host");
        let offset = size_of::<ArenaHeader>() + index * size_of::<Contents>();
        // SAFETY:
        // - it lies within the mapping.
        let contents = unsafe { self.header.byte_add(offset) };
        // SAFETY:
        // - there is one, which lives as long as the arena.
        unsafe { Segment::new(contents.cast(), Arc::clone(self), index) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let length = length(self.hosts).unwrap_or_default();
        // SAFETY:
        // - `map` mapped it, and nobody borrows it any more.
        let unmapped = unsafe { rustix::mm::munmap(self.header.as_ptr().cast(), length) };
        debug_assert_eq!(unmapped, Ok(()));
    }
}

fn memory_file(hosts: usize) -> Result<OwnedFd, Errno> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = rustix::fs::memfd_create("simurgh-shm", flags)?;
    let length = length(hosts).ok_or(Errno::NOMEM)?;
    rustix::fs::ftruncate(&file, length as u64)?;
    rustix::fs::fcntl_add_seals(&file, SEALS)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(file: impl AsFd, hosts: usize) -> Result<Arc<Arena>, ShmError> {
        Arena::open(file, hosts, 7)
    }

    #[test]
    fn an_arena_is_known_by_its_seals_length_and_title() {
        let file = Arena::create(2).expect("memory");
        assert!(!open(&file, 2).expect("it is one").is_split());
        assert!(matches!(open(&file, 3), Err(ShmError::OtherVersion)));
        assert!(matches!(open(&file, usize::MAX), Err(ShmError::OtherVersion)));
        let other = rustix::fs::memfd_create("other", MemfdFlags::ALLOW_SEALING).expect("memory");
        assert!(matches!(open(&other, 2), Err(ShmError::NotAnArena)));
        rustix::fs::fcntl_add_seals(&other, SEALS).expect("seals");
        assert!(matches!(open(&other, 2), Err(ShmError::NotAnArena)));
        let blank = memory_file(2).expect("memory");
        assert!(matches!(open(&blank, 2), Err(ShmError::OtherVersion)));
        let file = std::fs::File::open("/proc/self/exe").expect("a file");
        assert!(matches!(open(&file, 2), Err(ShmError::NotAnArena)));
    }

    #[test]
    fn hosts_of_another_network_are_noticed() {
        let file = Arena::create(2).expect("memory");
        let first = Arena::open(&file, 2, 7).expect("it is one");
        let _second = Arena::open(&file, 2, 7).expect("it is one");
        assert!(!first.is_split());
        let third = Arena::open(&file, 2, 8).expect("it is one");
        assert!(first.is_split() && third.is_split());
    }

    #[test]
    fn memory_is_taken_as_it_is_used() {
        let file = Arena::create(1000).expect("memory");
        let arena = open(&file, 1000).expect("it is one");
        arena.segment(999).ring.handled(1);
        let taken = rustix::fs::fstat(&file).expect("a file").st_blocks * 512;
        assert!(taken <= 4 * size_of::<ArenaHeader>() as i64, "{taken} bytes");
    }
}
