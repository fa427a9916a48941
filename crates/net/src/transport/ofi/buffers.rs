//! Memory for packets: pieces of equal size of one block, registered where the provider demands it.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use simurgh_fabric_sys as sys;

use super::endpoint::{Endpoint, Owned};
use super::error::OfiError;

/// Alignment of pieces: each has cache lines of its own.
const ALIGNMENT: usize = 128;

/// Pieces of memory of equal size. The system gives memory only once they are used.
pub(super) struct Buffers {
    /// Closed before the block is freed.
    registration: Option<Owned<sys::fid_mr>>,
    block: NonNull<u8>,
    layout: Layout,
    size: usize,
}

// SAFETY:
// - the block is plain memory; who may use a piece is decided by those who number them.
unsafe impl Send for Buffers {}
// SAFETY:
// - as above.
unsafe impl Sync for Buffers {}

impl Buffers {
    /// `count` pieces of `size` bytes each, for operations such as [`sys::FI_SEND`].
    ///
    /// # Panics
    ///
    /// When the block would be empty, or larger than a block can be.
    pub(super) fn new(
        endpoint: &Endpoint,
        count: u32,
        size: usize,
        operation: u64,
    ) -> Result<Self, OfiError> {
        let size = size.next_multiple_of(ALIGNMENT);
        let layout = Layout::from_size_align(count as usize * size, ALIGNMENT).expect("a block that can be");
        assert!(layout.size() > 0, "no buffers");
        // SAFETY:
        // - the layout is not empty.
        let block =
            NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        let mut buffers = Self {
            registration: None,
            block,
            layout,
            size,
        };
        if endpoint.info().demands(sys::FI_MR_LOCAL) {
            // SAFETY:
            // - the block is freed after the registration, and both before the endpoint: see `Ofi`.
            let region = unsafe { endpoint.register(block.as_ptr(), layout.size(), operation, 0) }?;
            buffers.registration = Some(region);
        }
        Ok(buffers)
    }

    /// The beginning of a piece.
    #[inline]
    pub(super) fn piece(&self, number: u32) -> *mut u8 {
        // SAFETY:
        // - numbers are below the count, so this is within the block.
        unsafe { self.block.as_ptr().add(number as usize * self.size) }
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

impl Drop for Buffers {
    fn drop(&mut self) {
        self.registration = None;
        // SAFETY:
        // - it was allocated with this layout; the endpoint that worked on it has been shut.
        unsafe { dealloc(self.block.as_ptr(), self.layout) };
    }
}
