//! Memory for packets: pieces of equal size of one block, registered where the provider demands it.

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use simurgh_fabric_sys as sys;

use super::endpoint::{Endpoint, Owned};
use super::error::OfiError;

/// Alignment of pieces: each has cache lines of its own.
const ALIGNMENT: usize = 128;

/// Pieces of memory of equal size. The system gives memory only once they are used.
pub(super) struct Buffers {
    /// Closed before the block is freed.
    registration: Option<Owned<sys::fid_mr>>,
    block: Block,
    size: usize,
}

impl Buffers {
    /// `count` pieces of `size` bytes each, for operations such as [`sys::FI_SEND`].
    ///
    /// # Errors
    ///
    /// [`OfiError`]: when the system has no room for them, or the provider does not register them.
    pub(super) fn new(
        endpoint: &Endpoint,
        count: u32,
        size: usize,
        operation: u64,
    ) -> Result<Self, OfiError> {
        let size = size.next_multiple_of(ALIGNMENT);
        let block = Block::map(count as usize * size).map_err(|error| OfiError::System {
            provider: endpoint.info().provider(),
            message: error.to_string(),
        })?;
        let mut buffers = Self {
            registration: None,
            block,
            size,
        };
        if endpoint.info().demands(sys::FI_MR_LOCAL) {
            let Block { first, length } = buffers.block;
            // SAFETY:
            // - the block is freed after the registration, and both before the endpoint: see `Ofi`.
            let region = unsafe { endpoint.register(first.as_ptr(), length, operation, 0) }?;
            buffers.registration = Some(region);
        }
        Ok(buffers)
    }

    /// The beginning of a piece.
    #[inline]
    pub(super) fn piece(&self, number: u32) -> *mut u8 {
        // SAFETY:
        // - numbers are below the count, so this is within the block.
        unsafe { self.block.first.as_ptr().add(number as usize * self.size) }
    }

    /// Bytes of a piece.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The descriptor that the provider takes with each piece; null if it demands none.
    #[inline]
    pub(super) fn descriptor(&self) -> *mut c_void {
        match &self.registration {
            // SAFETY:
            // - the registration is open.
            Some(registration) => unsafe { (*registration.as_ptr()).mem_desc },
            None => null_mut(),
        }
    }
}

/// Memory from the system.
struct Block {
    first: NonNull<u8>,
    length: usize,
}

// SAFETY:
// - the block is plain memory; who may use a piece is decided by those who number them.
unsafe impl Send for Block {}
// SAFETY:
// - as above.
unsafe impl Sync for Block {}

impl Block {
    /// Maps so many bytes. An allocator would clear an aligned block, and the system would have to give all of it.
    fn map(length: usize) -> rustix::io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY:
        // - the kernel chooses an address where nothing is.
        let address = unsafe { mmap_anonymous(null_mut(), length, access, MapFlags::PRIVATE) }?;
        let first = NonNull::new(address.cast()).ok_or(rustix::io::Errno::NOMEM)?;
        Ok(Self { first, length })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY:
        // - `map` mapped it; the endpoint that worked on it has been shut.
        let unmapped = unsafe { munmap(self.first.as_ptr().cast(), self.length) };
        debug_assert_eq!(unmapped, Ok(()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of pages that the system has given.
    fn given(block: &Block) -> usize {
        let page = rustix::param::page_size();
        let mut pages = vec![0; block.length.div_ceil(page)];
        // SAFETY:
        // - the block is mapped, and there is a byte for each of its pages.
        let answer = unsafe { libc::mincore(block.first.as_ptr().cast(), block.length, pages.as_mut_ptr()) };
        assert_eq!(answer, 0);
        pages.iter().filter(|page| **page & 1 == 1).count()
    }

    #[test]
    fn memory_is_given_only_once_it_is_used() {
        let block = Block::map(8 << 20).unwrap();
        assert_eq!(given(&block), 0);
        // SAFETY:
        // - it is the first byte of a mapped block.
        unsafe { block.first.as_ptr().write(1) };
        assert!((1..=512).contains(&given(&block)), "one page, or a huge one");
    }
}
