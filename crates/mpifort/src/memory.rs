//! Memory from the C library for a call. Rust's own allocation would bring what it needs for failures.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr;

use crate::c;

/// The file descriptor of messages.
const STDERR: core::ffi::c_int = 2;

/// Room for `length` values, the first `INLINE` of them on the stack.
pub(crate) struct Temporary<T, const INLINE: usize> {
    inline: [MaybeUninit<T>; INLINE],
    /// Null if the values are on the stack.
    heap: *mut T,
}

impl<T: Copy, const INLINE: usize> Temporary<T, INLINE> {
    /// Room for `length` values.
    #[inline(always)]
    pub(crate) fn new(length: usize) -> Self {
        Self {
            inline: [const { MaybeUninit::uninit() }; INLINE],
            heap: match length <= INLINE {
                true => ptr::null_mut(),
                false => allocate(length.saturating_mul(size_of::<T>())).cast(),
            },
        }
    }

    /// The address of the first one.
    #[inline(always)]
    pub(crate) fn as_mut_ptr(&mut self) -> *mut T {
        match self.heap.is_null() {
            true => self.inline.as_mut_ptr().cast(),
            false => self.heap,
        }
    }
}

impl<T, const INLINE: usize> Drop for Temporary<T, INLINE> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.heap.is_null() {
            // SAFETY:
            // - the memory comes from `allocate`, and is given back once.
            unsafe { free(self.heap.cast()) };
        }
    }
}

/// Memory for so many bytes. Without it the process ends.
#[cold]
pub(crate) fn allocate(bytes: usize) -> *mut c_void {
    // SAFETY:
    // - any number of bytes may be asked for.
    let memory = unsafe { c::malloc(bytes.max(1)) };
    if memory.is_null() {
        const TEXT: &[u8] = b"libmpifort_abi: no memory is left for the arguments of a call\n";
        // SAFETY:
        // - the text has this length.
        unsafe {
            c::write(STDERR, TEXT.as_ptr().cast(), TEXT.len());
            c::abort()
        }
    }
    memory
}

/// Gives memory back.
///
/// # Safety
///
/// It comes from [`allocate`], and has not been given back.
pub(crate) unsafe fn free(memory: *mut c_void) {
    // SAFETY:
    // - the caller's promise.
    unsafe { c::free(memory) }
}
