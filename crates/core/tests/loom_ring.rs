//! Every interleaving of small uses of the message ring. Run with `RUSTFLAGS="--cfg loom"`, in release.
#![cfg(loom)]

use loom::thread;
use simurgh_core::sync::{Arc, AtomicUsize, Ordering, model};
use simurgh_core::{LineData, MessageRing};

/// Sends a message; false if the ring takes none.
fn leave(ring: &MessageRing, value: u64) -> bool {
    leave_if(ring, value, || true)
}

/// Sends a message that may stay there if this is so.
fn leave_if(ring: &MessageRing, value: u64, may_stay: impl FnOnce() -> bool) -> bool {
    let fill = |line: &mut LineData, _: &mut [u8]| {
        line[0] = value;
        (1, 0)
    };
    ring.send(0, may_stay, fill).is_ok()
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

#[test]
fn what_a_ring_has_taken_is_there_when_it_has_been_closed() {
    model(|| {
        let ring = Arc::new(MessageRing::new());
        let senders: Vec<_> = (1..3)
            .map(|value| {
                let ring = Arc::clone(&ring);
                thread::spawn(move || leave(&ring, value).then_some(value))
            })
            .collect();
        ring.close();
        let mut found = take_all(&ring);
        let mut taken: Vec<_> = senders
            .into_iter()
            .filter_map(|sender| sender.join().unwrap())
            .collect();
        found.sort_unstable();
        taken.sort_unstable();
        assert_eq!(found, taken);
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
                to != NONE && leave_if(&rings[to], value, may_stay)
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
