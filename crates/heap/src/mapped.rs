//! Memory of a policy apart from heaps: a mapping for each block.

use std::ptr;

use rustix::mm::{MapFlags, ProtFlags};
use rustix::param::page_size;

use crate::policy::MemoryPolicy;

/// A block that is a mapping by itself. It is unmapped when it is dropped.
#[derive(Debug)]
pub struct Mapped {
    start: usize,
    size: usize,
}

impl Mapped {
    /// A block of so many bytes, all zero, at a multiple of `alignment`, which is a power of two; `None` if there is no
    /// memory. Its pages come from the nodes of the policy when they are touched first.
    #[must_use]
    pub fn new(size: usize, alignment: usize, policy: MemoryPolicy) -> Option<Self> {
        let size = size.max(1).checked_next_multiple_of(page_size())?;
        let more = alignment.saturating_sub(page_size());
        let all = size.checked_add(more)?;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY:
        // - the kernel chooses the address, so nothing is replaced.
        let mapped =
            unsafe { rustix::mm::mmap_anonymous(ptr::null_mut(), all, protection, MapFlags::PRIVATE) };
        let mapped = mapped.ok()?.expose_provenance();
        let start = mapped.next_multiple_of(alignment.max(1));
        unmap(mapped, start - mapped);
        unmap(start + size, mapped + all - (start + size));
        policy.apply(start, size);
        Some(Self { start, size })
    }

    /// Its first address.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        ptr::with_exposed_provenance_mut(self.start)
    }

    /// Its number of bytes, which are whole pages.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        unmap(self.start, self.size);
    }
}

/// Unmaps addresses of a mapping of this module, which nobody uses any more.
fn unmap(start: usize, size: usize) {
    if size > 0 {
        // SAFETY:
        // - they are part of a mapping that the caller has made, and owns.
        let _ = unsafe { rustix::mm::munmap(ptr::with_exposed_provenance_mut(start), size) };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Mapped;
    use crate::nodes::NodeSet;
    use crate::policy::MemoryPolicy;

    #[test]
    fn blocks_are_aligned_and_can_be_written() {
        let policy = MemoryPolicy::Bound(NodeSet::of(0));
        for (size, alignment) in [(0, 64), (5000, 4096), (100, 2 << 20)] {
            let block = Mapped::new(size, alignment, policy).expect("there is memory");
            assert!(block.start().addr().is_multiple_of(alignment) && block.size() >= size);
            // SAFETY:
            // - the block has this size.
            unsafe { block.start().write_bytes(1, block.size()) };
        }
        assert!(Mapped::new(usize::MAX, 64, policy).is_none());
    }
}
