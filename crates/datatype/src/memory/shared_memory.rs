//! Memory that the library allocates for windows: of one process, or shared by the processes of a node.

use super::region::Region;
use rustix::fs::{MemfdFlags, Mode, OFlags};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags};
use simurgh_core::sync::Arc;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::ptr::NonNull;

/// Zeroed memory of this process. Its pages are touched by those that use them first, if it is long.
pub struct Block {
    /// What the allocator has given.
    whole: NonNull<u8>,
    layout: Layout,
    /// The first byte that is aligned as asked for.
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY:
// - plain memory, owned by this; what uses it at the same time is up to the program.
unsafe impl Send for Block {}
// SAFETY:
// - as above.
unsafe impl Sync for Block {}

impl Block {
    /// So many bytes, aligned to a power of two; none if there is no memory.
    #[must_use]
    pub fn new(bytes: usize, align: usize) -> Option<Self> {
        // The allocator gives zeroed memory without touching it only if no alignment is asked for.
        let layout = Layout::from_size_align(bytes.checked_add(align)?, 16).ok()?;
        // SAFETY:
        // - its size is not zero.
        let whole = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let skip = whole.addr().get().next_multiple_of(align) - whole.addr().get();
        // SAFETY:
        // - `skip` is less than `align`, so it is within the memory.
        let start = unsafe { whole.byte_add(skip) };
        Some(Self {
            whole,
            layout,
            start,
            bytes,
        })
    }

    /// The first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// `length` bytes from `offset` on, which live as long as the block; none if it has not so many.
    #[must_use]
    pub fn region(self: &Arc<Self>, offset: usize, length: usize) -> Option<Region> {
        part(self.start, self.bytes, offset, length)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY:
        // - the memory was allocated with this layout, and nobody uses it any more.
        unsafe { dealloc(self.whole.as_ptr(), self.layout) };
    }
}

/// Memory that processes of a node share: a memory file without a name, which goes with the last process that has it.
pub struct NodeMemory {
    start: NonNull<u8>,
    bytes: usize,
    /// The file, while others may have to open it.
    file: Option<OwnedFd>,
}

// SAFETY:
// - as for `Block`.
unsafe impl Send for NodeMemory {}
// SAFETY:
// - as for `Block`.
unsafe impl Sync for NodeMemory {}

/// A memory file as other processes of the node find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileName {
    /// The process that has made it.
    pub process: u32,
    /// The process's descriptor.
    pub descriptor: u32,
}

impl NodeMemory {
    /// Makes zeroed memory of so many bytes.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn create(bytes: usize) -> Result<Self, Errno> {
        let file = rustix::fs::memfd_create("simurgh-window", MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&file, bytes.max(1) as u64)?;
        let start = map(&file, bytes)?;
        Ok(Self {
            start,
            bytes,
            file: Some(file),
        })
    }

    /// The name of the file, for as long as this process keeps it.
    #[must_use]
    pub fn file_name(&self) -> Option<FileName> {
        let file = self.file.as_ref()?;
        Some(FileName {
            process: std::process::id(),
            descriptor: file.as_raw_fd().cast_unsigned(),
        })
    }

    /// Maps memory that another process has made. That process keeps the file open meanwhile.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn open(name: FileName, bytes: usize) -> Result<Self, Errno> {
        let FileName { process, descriptor } = name;
        let path = format!("/proc/{process}/fd/{descriptor}");
        let file = rustix::fs::open(path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
        let length = rustix::fs::fstat(&file)?.st_size;
        if length.cast_unsigned() < bytes as u64 {
            return Err(Errno::INVAL);
        }
        Ok(Self {
            start: map(&file, bytes)?,
            bytes,
            file: None,
        })
    }

    /// The first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Number of bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// `length` bytes from `offset` on, which live as long as this; none if it has not so many.
    #[must_use]
    pub fn region(self: &Arc<Self>, offset: usize, length: usize) -> Option<Region> {
        part(self.start, self.bytes, offset, length)
    }
}

impl Drop for NodeMemory {
    fn drop(&mut self) {
        // SAFETY:
        // - `map` mapped it, and nobody uses it any more.
        let unmapped = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.bytes.max(1)) };
        debug_assert_eq!(unmapped, Ok(()));
    }
}

fn map(file: impl AsFd, bytes: usize) -> Result<NonNull<u8>, Errno> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY:
    // - the kernel chooses an address where nothing is.
    let address = unsafe {
        rustix::mm::mmap(
            std::ptr::null_mut(),
            bytes.max(1),
            access,
            MapFlags::SHARED,
            file,
            0,
        )?
    };
    NonNull::new(address.cast()).ok_or(Errno::NOMEM)
}

fn part(start: NonNull<u8>, bytes: usize, offset: usize, length: usize) -> Option<Region> {
    let inside = offset.checked_add(length).is_some_and(|end| end <= bytes);
    // SAFETY:
    // - the bytes lie within memory that is readable and writable as long as its owner lives, which the caller sees to.
    inside.then(|| unsafe { Region::new(start.as_ptr().wrapping_add(offset), length) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{Basic, Datatype};
    use crate::memory::{pack, unpack};

    #[test]
    #[cfg_attr(miri, ignore = "takes very long")]
    fn blocks_are_zeroed_and_aligned() {
        for (bytes, align) in [(0, 64), (100, 64), (1 << 20, 4096)] {
            let block = Arc::new(Block::new(bytes, align).expect("memory"));
            let region = block.region(0, bytes).expect("it has so many bytes");
            assert_eq!(region.address().addr() % align, 0);
            let target = region.target(0, bytes, &Datatype::Basic(Basic::Byte));
            let mut read = vec![1; bytes];
            pack(&target.expect("within").as_source(), &mut read);
            assert!(read.iter().all(|byte| *byte == 0));
            assert!(block.region(1, bytes).is_none());
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "memory that processes share")]
    fn what_one_mapping_writes_another_reads() {
        let made = Arc::new(NodeMemory::create(8192).expect("memory"));
        let name = made.file_name().expect("it is open");
        let other = Arc::new(NodeMemory::open(name, 8192).expect("the file is there"));
        let byte = Datatype::Basic(Basic::Byte);
        let of = |memory: &Arc<NodeMemory>| {
            memory
                .region(4090, 10)
                .and_then(|region| region.target(0, 10, &byte))
        };
        unpack(&[7; 10], &of(&made).expect("within"));
        let mut read = [0; 10];
        pack(&of(&other).expect("within").as_source(), &mut read);
        assert_eq!(read, [7; 10]);
        assert!(NodeMemory::open(name, 8193).is_err());
    }
}
