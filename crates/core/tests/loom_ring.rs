//! Every interleaving of small uses of the message ring. Run with `RUSTFLAGS="--cfg loom"`, in release.
#![cfg(loom)]

use loom::thread;
use simurgh_core::sync::{Arc, AtomicUsize, LockOwner, Ordering, model};
use simurgh_core::{LineData, MessageRing};

/// Sends a message; false if the ring takes none.
fn leave(ring: &MessageRing, value: u64) -> bool {
    leave_if(ring, None, value, || true)
}

/// Sends a message that may stay there if this is so, by a sender that may own the ring's lock.
fn leave_if(
    ring: &MessageRing,
    owner: Option<&LockOwner>,
    value: u64,
    may_stay: impl FnOnce() -> bool,
) -> bool {
    let fill = |line: &mut LineData, _: &mut [u8]| {
        line[0] = value;
        (1, 0)
    };
    ring.send(owner, 0, may_stay, fill).is_ok()
}

/// The values of the messages that have been claimed, oldest first.
fn take_all(ring: &MessageRing) -> Vec<u64> {
    let next = || {
        let first = ring.await_first()?;
        let value = first.word(0);
        first.finish();
        Some(value)
    };
    std::iter::from_fn(next).collect()
}

/// A ring whose lock for senders belongs to the result.
fn owned_ring() -> (Arc<MessageRing>, LockOwner) {
    let ring = Arc::new(MessageRing::new());
    // SAFETY:
    // - this thread, and then the sender of the model uses it.
    let owner = unsafe { LockOwner::new() };
    assert!((1..3).all(|value| leave_if(&ring, Some(&owner), value, || true)));
    assert_eq!(take_all(&ring), [1, 2]);
    (ring, owner)
}

#[test]
fn what_a_ring_has_taken_is_there_when_it_has_been_closed() {
    model(|| {
        let ring = Arc::new(MessageRing::new());
        let sender = {
            let ring = Arc::clone(&ring);
            thread::spawn(move || leave(&ring, 1).then_some(1))
        };
        let mut taken = Vec::from_iter(leave(&ring, 2).then_some(2));
        ring.close();
        let mut found = take_all(&ring);
        taken.extend(sender.join().unwrap());
        found.sort_unstable();
        taken.sort_unstable();
        assert_eq!(found, taken);
    });
}

#[test]
fn what_its_owner_has_left_in_a_ring_is_there_when_another_has_closed_it() {
    model(|| {
        let (ring, owner) = owned_ring();
        let sender = {
            let ring = Arc::clone(&ring);
            let leave = move |value: &u64| leave_if(&ring, Some(&owner), *value, || true);
            thread::spawn(move || (3..5).filter(leave).collect::<Vec<_>>())
        };
        ring.close();
        let found = take_all(&ring);
        assert_eq!(found, sender.join().unwrap());
    });
}

/// A receiver says that nothing may stay any more, issues a fence, and takes all.
#[test]
fn what_may_not_stay_in_a_ring_is_found_or_withdrawn_by_its_owner() {
    model(|| {
        let (ring, owner) = owned_ring();
        let is_over = Arc::new(AtomicUsize::new(0));
        let sender = {
            let (ring, is_over) = (Arc::clone(&ring), Arc::clone(&is_over));
            let may_stay = move || is_over.load(Ordering::Relaxed) == 0;
            thread::spawn(move || leave_if(&ring, Some(&owner), 3, may_stay))
        };
        is_over.store(1, Ordering::Relaxed);
        MessageRing::fence_senders();
        let found = take_all(&ring);
        assert_eq!(found.len(), usize::from(sender.join().unwrap()));
    });
}

#[test]
fn lines_of_a_ring_are_written_again_only_after_they_have_been_read() {
    model(|| {
        let ring = Arc::new(MessageRing::new());
        let sender = {
            let ring = Arc::clone(&ring);
            // One more than there are lines.
            thread::spawn(move || (1..4).filter(|value| leave(&ring, *value)).collect::<Vec<_>>())
        };
        let mut found = take_all(&ring);
        let sent = sender.join().unwrap();
        found.extend(take_all(&ring));
        assert_eq!(found, sent);
    });
}

/// A receiver that changes from one ring to another first says that it has none, then takes all out of the first one,
/// and then names the second one. Whoever sends meanwhile looks again when it has claimed a place.
#[test]
fn messages_stay_in_order_while_their_receiver_changes_its_ring() {
    const NONE: usize = 2;
    model(|| {
        let rings = Arc::new([MessageRing::new(), MessageRing::new()]);
        let route = Arc::new(AtomicUsize::new(0));
        let sender = {
            let (rings, route) = (Arc::clone(&rings), Arc::clone(&route));
            let leave = move |value| {
                let to = route.load(Ordering::Relaxed);
                let may_stay = || route.load(Ordering::Relaxed) == to;
                to != NONE && leave_if(&rings[to], None, value, may_stay)
            };
            thread::spawn(move || (1..3).filter(|value| leave(*value)).collect::<Vec<_>>())
        };
        route.store(NONE, Ordering::Relaxed);
        MessageRing::fence_senders();
        let mut found = take_all(&rings[0]);
        route.store(1, Ordering::Release);
        found.extend(take_all(&rings[1]));
        let sent = sender.join().unwrap();
        assert_eq!(take_all(&rings[0]), [], "what comes too late is withdrawn");
        found.extend(take_all(&rings[1]));
        assert_eq!(found, sent);
    });
}
