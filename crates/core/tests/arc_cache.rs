//! A reference goes from an object to another thread and back.

#![cfg(not(loom))]
#![allow(unsafe_code, reason = "turns are promised")]

use simurgh_core::Completion;
use simurgh_core::sync::{Arc, ArcCache};
use std::thread;

/// Has room for a reference to itself, and an event that says that the reference is back.
#[derive(Default)]
struct Own {
    kept: ArcCache<Self>,
    is_back: Completion,
}

#[test]
fn a_reference_goes_there_and_back_without_being_counted() {
    const ROUNDS: usize = 2000;
    let value = Arc::new(Own::default());
    let mut reference = Arc::clone(&value);
    for _ in 0..ROUNDS {
        assert!(!value.kept.is_full());
        let other = thread::spawn(move || {
            // SAFETY:
            // - the owner uses the place when it has been told that the reference is back.
            unsafe { ArcCache::put(reference, |own| &own.kept, |own| own.is_back.complete()) }
        });
        while !value.is_back.is_done() {
            thread::yield_now();
        }
        assert!(value.kept.is_full() && Arc::strong_count(&value) == 2);
        // SAFETY:
        // - the reference is back.
        reference = unsafe { value.kept.take() }.expect("it is back");
        assert!(Arc::ptr_eq(&value, &reference));
        value.is_back.reset();
        other.join().expect("the other side");
    }
}

#[test]
fn a_reference_that_nobody_takes_out_keeps_the_object() {
    let value = Arc::new(Own::default());
    let watched = Arc::downgrade(&value);
    // SAFETY:
    // - there is one thread.
    unsafe { ArcCache::put(Arc::clone(&value), |own| &own.kept, |_| {}) }
    drop(value);
    let value = watched.upgrade().expect("the reference in the cache keeps it");
    // SAFETY:
    // - there is one thread.
    drop(unsafe { value.kept.take() });
    drop(value);
    assert!(watched.upgrade().is_none());
}
