//! Pins: an execution context that reads what may be revoked says so in its control block.
//!
//! A pin goes with its execution context, which may suspend and go on elsewhere meanwhile. Threads that are none have
//! a counter in common.

use std::marker::PhantomData;

use crate::execution::{EcRef, is_any_pinned, try_current};
use crate::sync::asymmetric_fence::light_fence;
use crate::sync::{AtomicU32, Ordering};

/// Threads that are no execution contexts, and are pinned.
#[cfg(not(loom))]
static OTHERS: AtomicU32 = AtomicU32::new(0);

#[cfg(loom)]
loom::lazy_static! {
    static ref OTHERS: AtomicU32 = AtomicU32::new(0);
}

/// What has been revoked since it was made is not dropped before it is.
pub(super) struct Pin {
    ec: Option<EcRef>,
    /// It belongs to who has made it.
    _own: PhantomData<*const ()>,
}

impl Pin {
    #[inline]
    pub(super) fn new() -> Self {
        let ec = try_current();
        match ec {
            Some(ec) => {
                // Only the execution context itself changes it: a signal handler on its stack takes back what it adds.
                let pins = ec.pins();
                pins.store(pins.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                light_fence();
            }
            // SeqCst: before the load of what is read. It pairs with the fence in the heavy fence.
            None => {
                OTHERS.fetch_add(1, Ordering::SeqCst);
            }
        }
        Self {
            ec,
            _own: PhantomData,
        }
    }
}

impl Drop for Pin {
    #[inline]
    fn drop(&mut self) {
        // Release pairs with the Acquire in `is_anybody_pinned` and `is_any_pinned`: what was read was read before.
        match self.ec {
            Some(ec) => {
                let pins = ec.pins();
                pins.store(pins.load(Ordering::Relaxed) - 1, Ordering::Release);
            }
            None => {
                OTHERS.fetch_sub(1, Ordering::Release);
            }
        }
    }
}

/// Whether anybody is pinned who was before the last heavy fence of the calling thread.
pub(super) fn is_anybody_pinned() -> bool {
    OTHERS.load(Ordering::Acquire) != 0 || is_any_pinned()
}
