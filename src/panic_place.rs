//! Where ranks panic.
//!
//! The place is known to the panic hook alone. Ours notes it for the calling execution context, and then calls the one
//! that was there before, which prints the message. The note is forgotten when the rank ends.

use simurgh_core::sync::SpinLock;
use std::collections::BTreeMap;
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

/// The places of panics that have not been handled, by the execution context.
static PLACES: SpinLock<BTreeMap<u64, String>> = SpinLock::new(BTreeMap::new());

/// Begins to note places. A hook that the program sets later takes the place of this one; it may call the one that it
/// finds.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            note(info);
            before(info);
        }));
    });
}

fn note(info: &PanicHookInfo<'_>) {
    if let (Some(ec), Some(place)) = (simurgh_core::try_current(), info.location()) {
        PLACES.lock().insert(ec.id(), place.to_string());
    }
}

/// The place where the calling execution context has panicked last.
pub(crate) fn last() -> Option<String> {
    let ec = simurgh_core::try_current()?;
    PLACES.lock().get(&ec.id()).cloned()
}

/// Forgets where the calling execution context has panicked.
pub(crate) fn forget() {
    if let Some(ec) = simurgh_core::try_current() {
        PLACES.lock().remove(&ec.id());
    }
}
