//! Pins: an execution context that reads a revocable value says so in its control block.
//!
//! A pin belongs to its execution context, which may suspend and go on on another worker meanwhile. Threads that are
//! not execution contexts share a counter.

use std::marker::PhantomData;

use crate::execution::{EcRef, is_any_pinned, try_current};
use crate::sync::asymmetric_fence::light_fence;
use crate::sync::{AtomicU32, Ordering};

/// The number of pins of threads that are not execution contexts.
#[cfg(not(loom))]
static OTHERS: AtomicU32 = AtomicU32::new(0);

#[cfg(loom)]
loom::lazy_static! {
    static ref OTHERS: AtomicU32 = AtomicU32::new(0);
}

/// Keeps values from being dropped that are revoked while it lives.
pub(super) struct Pin {
    ec: Option<EcRef>,
    /// It may not be sent to another thread.
    _own: PhantomData<*const ()>,
}

impl Pin {
    #[inline]
    pub(super) fn new() -> Self {
        let ec = try_current();
        match ec {
            Some(ec) => {
                // Only the execution context itself changes the count; a signal handler on its stack undoes what it
                // adds.
                let pins = ec.pins();
                pins.store(pins.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                light_fence();
            }
            // SeqCst orders it before the load of the pointer; it pairs with the heavy fence in `drop_unused`.
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
        // Release pairs with the Acquire in `is_anybody_pinned` and `is_any_pinned`: the value was read before.
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

/// Whether anybody is still pinned that was pinned before the last heavy fence of the calling thread.
pub(super) fn is_anybody_pinned() -> bool {
    OTHERS.load(Ordering::Acquire) != 0 || is_any_pinned()
}
