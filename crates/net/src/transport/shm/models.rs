//! Models of the data structures in shared memory, checked with loom in every interleaving of a few operations.

use loom::thread;
use simurgh_core::sync::{Arc, AtomicU32, Ordering, futex_wait, model};

use super::chunk_counter::{ChunkCounters, FreeCounters};
use super::pool::{Pool, Returns};
use super::ring::{Ring, SLOTS, SenderCache};
use super::slot::Envelope;
use crate::transport::{HEADER, WaitMethod};

/// Sends a packet without data; whether there was room.
fn send(ring: &Ring, cache: &SenderCache, number: u32) -> bool {
    let envelope = Envelope {
        from: 0,
        length: number,
    };
    let claim = ring.claim(cache, envelope);
    claim.map(|claim| claim.publish(&[number as u8; HEADER])).is_ok()
}

/// Takes packet `number`, if it is there.
fn receive(ring: &Ring, number: u64) -> Option<u32> {
    let slot = ring.get(number)?;
    let (envelope, header) = (slot.envelope(), slot.header());
    assert_eq!(
        header, [envelope.length as u8; HEADER],
        "header and envelope are of one packet"
    );
    ring.handled(number + 1);
    Some(envelope.length)
}

#[test]
fn a_ring_goes_round_and_keeps_each_senders_order() {
    model(|| {
        let ring = Arc::new(Ring::default());
        let sender = {
            let ring = Arc::clone(&ring);
            thread::spawn(move || {
                let cache = SenderCache::default();
                (0..SLOTS as u32 + 1).for_each(|number| {
                    while !send(&ring, &cache, number) {
                        thread::yield_now();
                    }
                });
            })
        };
        for number in 0..SLOTS as u64 + 1 {
            let found = loop {
                if let Some(found) = receive(&ring, number) {
                    break found;
                }
                thread::yield_now();
            };
            assert_eq!(u64::from(found), number);
        }
        sender.join().unwrap();
    });
}

#[test]
fn threads_of_one_host_and_another_host_share_a_ring() {
    model(|| {
        let (ring, cache) = (Arc::new(Ring::default()), Arc::new(SenderCache::default()));
        let senders: Vec<_> = (1..3)
            .map(|number| {
                let (ring, cache) = (Arc::clone(&ring), Arc::clone(&cache));
                thread::spawn(move || send(&ring, &cache, number))
            })
            .collect();
        let sent: usize = senders
            .into_iter()
            .map(|sender| usize::from(sender.join().unwrap()))
            .sum();
        let mut found: Vec<_> = (0..sent as u64)
            .filter_map(|number| receive(&ring, number))
            .collect();
        found.sort_unstable();
        assert_eq!(found, [1, 2]);
        assert!(
            send(&ring, &SenderCache::default(), 3),
            "another host looks at the head first"
        );
        assert_eq!(receive(&ring, 2), Some(3));
    });
}

#[test]
fn a_full_ring_is_told_apart_by_all() {
    model(|| {
        let (ring, cache) = (Arc::new(Ring::default()), Arc::new(SenderCache::default()));
        (0..SLOTS as u32).for_each(|number| assert!(send(&ring, &cache, number)));
        let late: Vec<_> = (7..9)
            .map(|number| {
                let (ring, cache) = (Arc::clone(&ring), Arc::clone(&cache));
                thread::spawn(move || send(&ring, &cache, number))
            })
            .collect();
        assert_eq!(receive(&ring, 0), Some(0));
        let sent = late
            .into_iter()
            .filter_map(|sender| sender.join().unwrap().then_some(()))
            .count();
        assert!(sent <= 1, "one slot was free");
        assert_eq!(receive(&ring, 1), Some(1));
        assert_eq!(receive(&ring, 2).is_some(), sent == 1);
    });
}

#[test]
fn nobody_sleeps_over_a_packet() {
    for waiting in [WaitMethod::Futex, WaitMethod::Poll] {
        model(move || {
            let ring = Arc::new(Ring::default());
            let descriptor = Arc::new(AtomicU32::new(0));
            let sender = {
                let (ring, descriptor) = (Arc::clone(&ring), Arc::clone(&descriptor));
                thread::spawn(move || {
                    assert!(send(&ring, &SenderCache::default(), 1));
                    ring.doorbell.ring(|| {
                        descriptor.fetch_add(1, Ordering::SeqCst);
                    });
                })
            };
            let word = match waiting {
                WaitMethod::Futex => ring.doorbell.word(),
                WaitMethod::Poll => &descriptor,
            };
            let before = word.load(Ordering::SeqCst);
            ring.doorbell.arm(waiting);
            if ring.get(0).is_none() {
                // Returns only if the doorbell is rung.
                futex_wait(word, before);
            }
            ring.doorbell.disarm();
            assert_eq!(receive(&ring, 0), Some(1));
            sender.join().unwrap();
        });
    }
}

#[test]
fn a_buffer_has_one_owner_at_a_time() {
    model(|| {
        let shared = Arc::new((Pool::default(), Returns::default()));
        let first = shared.0.take(&shared.1).expect("all are free");
        let takers: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.0.take(&shared.1))
            })
            .collect();
        shared.1.give_back(first);
        let taken: Vec<_> = takers
            .into_iter()
            .filter_map(|taker| taker.join().unwrap())
            .collect();
        assert!(taken.len() <= 1);
        assert!(taken.iter().all(|ticket| *ticket != first), "another generation");
    });
}

#[test]
fn a_chunk_is_taken_by_one_host_and_by_none_when_the_counter_is_used_again() {
    model(|| {
        let shared = Arc::new((ChunkCounters::default(), FreeCounters::default()));
        let (counters, free) = &*shared;
        let counter = free.open(counters).expect("it is free");
        let helper = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || usize::from(shared.0.take(counter, 1).is_some()))
        };
        let own = usize::from(counters.take(counter, 1).is_some());
        if own == 1 {
            // The helper may be late.
            free.close(counters, counter);
            let next = free.open(counters).expect("it has been closed");
            assert_eq!(counters.take(next, 1), Some(0), "nobody else knows of it");
        }
        assert_eq!(own + helper.join().unwrap(), 1);
    });
}
