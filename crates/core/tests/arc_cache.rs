//! References are cached while the process is biased. A process has one bias, hence this file has one test.

#![cfg(not(loom))]
#![allow(unsafe_code, reason = "serialization is promised")]

use simurgh_core::sync::{Arc, ArcCache, begin_bias, revoke_bias};

/// Has room for a reference to itself.
#[derive(Default)]
struct Own(ArcCache<Self>);

#[test]
fn a_reference_goes_there_and_back_until_the_bias_is_revoked() {
    // SAFETY:
    // - this is the only test, and nothing of it runs elsewhere until the bias is revoked.
    unsafe { begin_bias() }
    let value = Arc::new(Own::default());
    ArcCache::put(Arc::clone(&value), |value| &value.0);
    assert!(value.0.is_full() && Arc::strong_count(&value) == 2);
    // There is room for one.
    ArcCache::put(Arc::clone(&value), |value| &value.0);
    assert_eq!(Arc::strong_count(&value), 2);
    let again = value.0.take().expect("it was put there");
    assert!(!value.0.is_full() && Arc::ptr_eq(&value, &again));
    ArcCache::put(again, |value| &value.0);
    revoke_bias();
    // The value in the cache can be taken, and nothing is put there from now on.
    let last = value.0.take().expect("it was put there");
    ArcCache::put(last, |value| &value.0);
    assert!(!value.0.is_full() && Arc::strong_count(&value) == 1);
}
