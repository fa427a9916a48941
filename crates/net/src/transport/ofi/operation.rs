//! What the library is given as the context of an operation, and gives back when it is over.

use std::cell::UnsafeCell;
use std::ffi::c_void;

use simurgh_fabric_sys::fi_context2;

/// What kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A packet that is sent out of a buffer.
    Send,
    /// A buffer for packets that come.
    Receive,
    /// A transfer from or to remote memory.
    Transfer,
    /// A mark behind packets.
    FlushMarker,
}

/// Which operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// What kind.
    pub(super) kind: Kind,
    /// Its number among those of the kind.
    pub(super) number: u32,
}

/// An operation, at an address that does not change while it is under way.
#[repr(C)]
pub(super) struct Operation {
    /// The provider's to write.
    context: UnsafeCell<fi_context2>,
    key: Key,
}

// SAFETY:
// - the context is the provider's alone, and the rest does not change.
unsafe impl Send for Operation {}
// SAFETY:
// - as above.
unsafe impl Sync for Operation {}

impl Operation {
    /// All operations of a kind.
    pub(super) fn all(kind: Kind, count: u32) -> Box<[Self]> {
        let operation = |number| Self {
            context: UnsafeCell::new(fi_context2 {
                internal: [std::ptr::null_mut(); 8],
            }),
            key: Key { kind, number },
        };
        (0..count).map(operation).collect()
    }

    /// As the library takes it.
    #[inline]
    pub(super) fn context(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    /// Which operation a context is.
    ///
    /// # Safety
    ///
    /// * It comes from [`Operation::context`] of one that is still there.
    #[inline]
    pub(super) unsafe fn key(context: *mut c_void) -> Key {
        // SAFETY:
        // - by the caller's word; only the field is looked at, which does not change.
        unsafe { (*context.cast::<Self>()).key }
    }
}
