//! The owner of an execution context: one object of a higher layer, the rank, for which it works.

use std::any::Any;

use crate::any_arc::AnyArc;
use crate::execution::{EcRef, RuntimeGuard, current, try_current};
use crate::sync::Arc;

/// Sets the owner of the calling execution context, attaching the calling thread if need be.
pub fn set_owner<T: Any + Send + Sync>(owner: Option<Arc<T>>) {
    let slot = current().control().owner();
    // SAFETY:
    // - the slot is used only by its own execution context, and no `with_owner` of it is active: its closure would
    //   have to call us, which the documentation of `with_owner` forbids.
    drop(std::mem::replace(
        unsafe { &mut *slot.get() },
        owner.map(AnyArc::new),
    ));
}

/// Calls `f` with the owner of the calling execution context, if it has one of type `T`.
///
/// `f` must not call [`set_owner`]. Cost: a thread-local load and a type check; no reference count is touched.
#[inline]
pub fn with_owner<T: Any, R>(f: impl FnOnce(Option<&Arc<T>>) -> R) -> R {
    with_owner_of(try_current(), f)
}

impl RuntimeGuard {
    /// [`with_owner`] of the execution context that is kept within the runtime, which need not be found again.
    #[inline]
    pub fn with_owner<T: Any, R>(&self, f: impl FnOnce(Option<&Arc<T>>) -> R) -> R {
        with_owner_of(self.execution_context(), f)
    }
}

/// Calls `f` with the owner of the calling execution context, which this is.
#[inline(always)]
fn with_owner_of<T: Any, R>(ec: Option<EcRef>, f: impl FnOnce(Option<&Arc<T>>) -> R) -> R {
    let owner = ec.and_then(|ec| {
        // SAFETY:
        // - the slot is used only by its own execution context, and not replaced while `f` runs.
        unsafe { &*ec.control().owner().get() }.as_ref()
    });
    // One call of `f`, so that it is inlined.
    let typed = owner.and_then(AnyArc::borrow);
    f(typed.as_deref())
}
