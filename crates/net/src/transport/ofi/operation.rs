//! The context of an operation, which the library is given and gives back when the operation is complete.

use std::cell::UnsafeCell;
use std::ffi::c_void;

use simurgh_fabric_sys::fi_context2;

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Sends a packet from a send buffer.
    Send,
    /// Receives packets into a receive buffer.
    Receive,
    /// Reads or writes remote memory.
    Transfer,
    /// Sends a flush marker.
    FlushMarker,
}

/// Identifies an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// Its kind.
    pub(super) kind: Kind,
    /// Its number among those of its kind.
    pub(super) number: u32,
}

/// An operation. Its address does not change while it is under way.
#[repr(C)]
pub(super) struct Operation {
    /// Written by the provider.
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

    /// The context, as the library takes it.
    #[inline]
    pub(super) fn context(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    /// The key of the operation with this context.
    ///
    /// # Safety
    ///
    /// * The context comes from [`Operation::context`] of an operation that still exists.
    #[inline]
    pub(super) unsafe fn key(context: *mut c_void) -> Key {
        // SAFETY:
        // - by the caller's word; only the field is looked at, which does not change.
        unsafe { (*context.cast::<Self>()).key }
    }
}
