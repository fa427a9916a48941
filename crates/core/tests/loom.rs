//! Every interleaving of small uses of the lock-free types. Run with `RUSTFLAGS="--cfg loom"`, in release.
#![cfg(loom)]

use std::time::Duration;

use loom::thread;
use simurgh_core::sync::{Arc, AtomicPtr, AtomicU32, AtomicUsize, Ordering, SpinLock, model};
use simurgh_core::{
    Barrier, BroadcastRing, Completion, Condvar, CyclicBarrier, Inbox, IntrusiveQueue, Mutex, Network, Node,
    ParkToken, RunQueue, SplitBarrier, set_worker, set_worker_count, wait_all, wait_any,
};

struct Item {
    link: AtomicPtr<Item>,
    value: usize,
}

// SAFETY:
// - `link` is one field; items are leaked.
unsafe impl Node for Item {
    fn link(&self) -> &AtomicPtr<Item> {
        &self.link
    }
}

fn item(value: usize) -> &'static Item {
    Box::leak(Box::new(Item {
        link: AtomicPtr::new(std::ptr::null_mut()),
        value,
    }))
}

/// Two producers put so many items each into an inbox.
fn two_producers(items: [usize; 2]) {
    model(move || {
        let inbox = Arc::new(Inbox::new());
        let producers: Vec<_> = (0..2)
            .map(|producer| {
                let inbox = Arc::clone(&inbox);
                thread::spawn(move || {
                    (0..items[producer]).for_each(|number| inbox.push(item(producer * 10 + number)));
                })
            })
            .collect();
        let mut seen = Vec::new();
        while seen.len() < items.iter().sum() {
            inbox.sleep(inbox.ticket());
            let mut mail = inbox.take();
            seen.extend(std::iter::from_fn(|| mail.pop_front().map(|item| item.value)));
        }
        producers
            .into_iter()
            .for_each(|producer| producer.join().unwrap());
        for producer in 0..2 {
            let of_producer = seen.iter().copied().filter(|value| value / 10 == producer);
            let all: Vec<_> = (0..items[producer])
                .map(|number| producer * 10 + number)
                .collect();
            assert_eq!(of_producer.collect::<Vec<_>>(), all);
        }
    });
}

#[test]
fn an_inbox_loses_nothing_and_keeps_each_producers_order() {
    two_producers([2, 1]);
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn an_inbox_keeps_the_order_of_both_producers() {
    two_producers([2, 2]);
}

/// A network that wakes a sleeper by a word of its own, as one that sleeps in `poll(2)` does.
struct Bell {
    rung: AtomicU32,
    arrived: AtomicUsize,
}

impl Bell {
    fn ring(&self) {
        self.rung.fetch_add(1, Ordering::SeqCst);
    }
}

impl Network for Bell {
    fn has_mail(&self) -> bool {
        self.arrived.load(Ordering::SeqCst) > 0
    }

    fn poll(&self) -> bool {
        self.arrived.swap(0, Ordering::SeqCst) > 0
    }

    fn sleep(&self, word: &AtomicU32, expected: u32, _limit: Option<Duration>) {
        let rung = self.rung.load(Ordering::SeqCst);
        if !self.has_mail() && word.load(Ordering::SeqCst) == expected {
            // From here on a change of the word is not noticed.
            while self.rung.load(Ordering::SeqCst) == rung {
                thread::yield_now();
            }
        }
    }

    fn wake(&self) {
        self.ring();
    }

    fn is_quiet(&self) -> bool {
        !self.has_mail()
    }
}

#[test]
fn a_consumer_that_sleeps_in_the_network_notices_its_inbox_and_the_network() {
    model(|| {
        let bell = Arc::new(Bell {
            rung: AtomicU32::new(0),
            arrived: AtomicUsize::new(0),
        });
        let inbox = Arc::new(Inbox::new());
        let network: Arc<dyn Network> = bell.clone();
        inbox.set_network(Arc::downgrade(&network));
        let (door, remote) = (Arc::clone(&inbox), Arc::clone(&bell));
        let pusher = thread::spawn(move || door.push(item(1)));
        let sender = thread::spawn(move || {
            remote.arrived.fetch_add(1, Ordering::SeqCst);
            remote.ring();
        });
        let (mut mail, mut packets) = (0, 0);
        while mail == 0 || packets == 0 {
            inbox.sleep_at(&*bell, inbox.ticket(), None);
            let mut taken = inbox.take();
            mail += std::iter::from_fn(|| taken.pop_front()).count();
            packets += usize::from(bell.poll());
        }
        pusher.join().unwrap();
        sender.join().unwrap();
    });
}

#[test]
fn what_is_ready_is_taken_once_whoever_takes_it() {
    model(|| {
        let shared = Arc::new((RunQueue::new(), Inbox::new()));
        let visitor = Arc::clone(&shared);
        let thief = thread::spawn(move || {
            let (ready, inbox) = &*visitor;
            let seen = |mut chain: IntrusiveQueue<Item>| -> Vec<_> {
                std::iter::from_fn(|| chain.pop_front().map(|item| item.value)).collect()
            };
            // SAFETY:
            // - nobody else steals.
            let first = seen(unsafe { ready.steal_all() });
            [first, seen(inbox.steal_all())].concat()
        });
        let (ready, inbox) = &*shared;
        let mut seen = Vec::new();
        // SAFETY (both):
        // - nobody else uses it so.
        unsafe { ready.with(|chain| chain.push_back(item(0))) };
        inbox.push(item(1));
        unsafe {
            ready.with(|chain| {
                chain.push_back(item(2));
                chain.append(&mut inbox.take());
            });
        }
        while let Some(item) = unsafe { ready.with(IntrusiveQueue::pop_front) } {
            seen.push(item.value);
        }
        seen.extend(thief.join().unwrap());
        let left = unsafe { ready.with(std::mem::take) };
        assert!(left.is_empty() && inbox.is_quiet());
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2]);
    });
}

#[test]
fn a_nudge_ends_a_sleep() {
    model(|| {
        let inbox = Arc::new(Inbox::<Item>::new());
        let stop = Arc::new(AtomicUsize::new(0));
        let (other, flag) = (Arc::clone(&inbox), Arc::clone(&stop));
        let nudger = thread::spawn(move || {
            flag.store(1, Ordering::SeqCst);
            other.notify();
        });
        loop {
            let ticket = inbox.ticket();
            if stop.load(Ordering::SeqCst) == 1 {
                break;
            }
            inbox.sleep(ticket);
        }
        nudger.join().unwrap();
    });
}

#[test]
fn a_token_is_never_lost() {
    model(|| {
        let token = Arc::new(ParkToken::new());
        let giver = Arc::clone(&token);
        let thread = thread::spawn(move || {
            if giver.give() {
                giver.wake_in_kernel();
            }
        });
        if !token.take() {
            if token.settle() {
                token.wait_in_kernel();
            }
            token.clear();
        }
        thread.join().unwrap();
    });
}

#[test]
fn a_completion_publishes_what_was_written_before() {
    model(|| {
        let shared = Arc::new((Completion::new(), AtomicUsize::new(0)));
        let completer = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            completer.1.store(7, Ordering::Relaxed);
            completer.0.complete();
        });
        shared.0.wait();
        assert_eq!(shared.1.load(Ordering::Relaxed), 7);
        thread.join().unwrap();
    });
}

#[test]
fn waiting_for_all_returns_when_all_are_done() {
    model(|| {
        let events = Arc::new([Completion::new(), Completion::new()]);
        let threads: Vec<_> = (0..2)
            .map(|index| {
                let events = Arc::clone(&events);
                thread::spawn(move || events[index].complete())
            })
            .collect();
        wait_all(&[&events[0], &events[1]]);
        assert!(events.iter().all(Completion::is_done));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn waiting_for_any_returns_one_that_is_done_and_leaves_the_rest_usable() {
    model(|| {
        let events = Arc::new([Completion::new(), Completion::new()]);
        let completer = Arc::clone(&events);
        let thread = thread::spawn(move || {
            completer[0].complete();
            completer[1].complete();
        });
        let first = wait_any(&[&events[0], &events[1]]);
        assert!(events[first].is_done());
        events[1 - first].wait();
        thread.join().unwrap();
    });
}

/// A waker that is a completion.
struct Ring(Completion);

impl std::task::Wake for Ring {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.complete();
    }
}

#[test]
fn a_completion_wakes_the_last_waker_or_is_seen_to_be_done() {
    model(|| {
        let event = Arc::new(Completion::new());
        let completer = Arc::clone(&event);
        let thread = thread::spawn(move || completer.complete());
        let rings = [(); 2].map(|()| std::sync::Arc::new(Ring(Completion::new())));
        let is_done = rings
            .iter()
            .any(|ring| event.poll(&std::task::Waker::from(std::sync::Arc::clone(ring))));
        if !is_done {
            rings[1].0.wait();
        }
        assert!(event.is_done());
        thread.join().unwrap();
    });
}

#[test]
fn a_blocking_wait_takes_the_place_of_a_waker() {
    model(|| {
        let event = Arc::new(Completion::new());
        let completer = Arc::clone(&event);
        event.poll(std::task::Waker::noop());
        let thread = thread::spawn(move || completer.complete());
        event.wait();
        thread.join().unwrap();
    });
}

#[test]
fn a_spin_lock_excludes() {
    model(|| {
        let lock = Arc::new(SpinLock::new(0_usize));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || *other.lock() += 1);
        *lock.lock() += 1;
        thread.join().unwrap();
        assert_eq!(*lock.lock(), 2);
    });
}

#[test]
fn a_mutex_excludes_and_hands_over() {
    model(|| {
        let mutex = Arc::new(Mutex::new(0_usize));
        let other = Arc::clone(&mutex);
        let thread = thread::spawn(move || *other.lock() += 1);
        *mutex.lock() += 1;
        thread.join().unwrap();
        assert_eq!(*mutex.lock(), 2);
    });
}

#[test]
fn a_notification_is_not_missed() {
    model(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            *other.0.lock() = true;
            other.1.notify_all();
        });
        let mut ready = shared.0.lock();
        while !*ready {
            ready = shared.1.wait(ready);
        }
        drop(ready);
        thread.join().unwrap();
    });
}

#[test]
fn nobody_leaves_a_barrier_early_round_after_round() {
    model(|| {
        let shared = Arc::new((Barrier::new(2), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        let party = |shared: &(Barrier, AtomicUsize)| {
            for round in 1..=2 {
                shared.1.fetch_add(1, Ordering::Relaxed);
                shared.0.wait();
                assert!(shared.1.load(Ordering::Relaxed) >= 2 * round);
                shared.0.wait();
            }
        };
        let thread = thread::spawn(move || party(&other));
        party(&shared);
        thread.join().unwrap();
    });
}

/// Two parties pass three phases; in each the second one is on the worker that `place` returns.
fn two_parties_pass(place: fn(u64) -> usize) {
    model(move || {
        let shared = Arc::new(CyclicBarrier::<u64, u64>::new(2));
        let party = move |shared: &CyclicBarrier<u64, u64>, party: usize| {
            for round in 1..=3 {
                set_worker(if party == 0 { 0 } else { place(round) });
                let sum = |values: simurgh_core::Contributions<'_, u64>, agreed: bool, sum: &mut u64| {
                    assert!(agreed);
                    *sum = values.iter().sum();
                };
                let guard = shared
                    .arrive_and_wait(
                        party,
                        round,
                        |mine| *mine = round * 10 + party as u64,
                        sum,
                        |wait| wait.block(),
                    )
                    .unwrap();
                assert_eq!(*guard.result(), round * 20 + 1);
                assert_eq!(guard.contributions()[1 - party], round * 10 + 1 - party as u64);
            }
        };
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || party(&other, 1));
        party(&shared, 0);
        thread.join().unwrap();
    });
}

#[test]
fn parties_of_one_worker_pass_a_cyclic_barrier() {
    two_parties_pass(|_| 0);
}

#[test]
fn parties_that_move_between_workers_pass_a_cyclic_barrier() {
    two_parties_pass(|round| round as usize % 2);
    two_parties_pass(|round| 1 - round as usize % 2);
}

/// Two parties that see each other's flags pass phases, with and without a result, which the other one cannot tell
/// apart.
fn two_parties_with_flags_pass(times: u64, has_result: fn(u64) -> bool) {
    model(move || {
        set_worker_count(3);
        let shared = Arc::new(CyclicBarrier::<u64, u64>::new(2));
        let party = move |shared: &CyclicBarrier<u64, u64>, party: u64| {
            set_worker(party as usize);
            let other = 1 - party as usize;
            for round in 1..=times {
                let bring = |mine: &mut u64| *mine = round * 10 + party;
                let theirs = round * 10 + 1 - party;
                if has_result(round) {
                    let last =
                        |values: simurgh_core::Contributions<'_, u64>, agreed: bool, result: &mut u64| {
                            assert!(agreed);
                            *result = values[0];
                        };
                    let guard =
                        shared.arrive_and_wait(party as usize, round, bring, last, |wait| wait.block());
                    let guard = guard.unwrap();
                    assert_eq!(
                        (*guard.result(), guard.contributions()[other]),
                        (round * 10, theirs)
                    );
                } else {
                    let barrier = shared.as_flag_barrier().expect("two parties");
                    let guard = barrier.arrive_and_wait(party as usize, round, bring, |wait| wait.block());
                    let guard = guard.unwrap();
                    assert_eq!((guard.agreed(), guard.contributions()[other]), (true, theirs));
                }
            }
        };
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || party(&other, 1));
        party(&shared, 0);
        thread.join().unwrap();
    });
}

#[test]
fn parties_with_flags_pass_a_cyclic_barrier() {
    two_parties_with_flags_pass(2, |_| false);
    two_parties_with_flags_pass(2, |round| round == 2);
}

#[test]
#[ignore = "takes half a minute"]
fn parties_with_flags_pass_a_third_phase() {
    two_parties_with_flags_pass(3, |_| false);
}

/// The value of a party of a split barrier: its round, and what is completed when it is released.
type Presence = Arc<(AtomicUsize, Completion)>;

/// Does all shares that are left. Whoever finishes the last one releases all parties, and completes their events.
fn do_shares(barrier: &SplitBarrier<Presence>, round: usize) {
    while let Some(share) = barrier.claim_share() {
        assert!((0..2).all(|party| share.values().of(party).0.load(Ordering::Relaxed) >= round));
        if let Some(all) = share.finish() {
            all.release().for_each(|(_, presence)| presence.1.complete());
        }
    }
}

#[test]
fn a_phase_of_a_split_barrier_is_complete_for_the_last_party_and_in_each_share() {
    model(|| {
        let barrier = Arc::new(SplitBarrier::<Presence>::new(2));
        let party = |barrier: &SplitBarrier<Presence>, party: usize| {
            let presence = Presence::default();
            for round in 1..=2 {
                presence.0.store(round, Ordering::Relaxed);
                if let Some(all) = barrier.arrive(party, Arc::clone(&presence)).unwrap() {
                    assert_eq!(all.values().of(1 - party).0.load(Ordering::Relaxed), round);
                    all.divide(2);
                }
                do_shares(barrier, round);
                presence.1.wait();
                presence.1.reset();
            }
        };
        let other = Arc::clone(&barrier);
        let thread = thread::spawn(move || party(&other, 1));
        party(&barrier, 0);
        thread.join().unwrap();
    });
}

/// Two parties on so many workers publish something in turn.
fn two_publish(workers: usize) {
    model(move || {
        set_worker_count(workers);
        let ring = Arc::new(BroadcastRing::<u64>::new(2));
        let party = |ring: &BroadcastRing<u64>, party: u64| {
            for number in 1..=3 {
                let round = ring.next_round(party as usize);
                if number % 2 == party {
                    let fill = |value: &mut u64| *value = number;
                    if number == 3 {
                        assert!(round.publish_and_leave(fill, |wait| wait()));
                        continue;
                    }
                    let seen = round.publish(fill, |wait| wait()).unwrap();
                    if number == 2 {
                        seen.await_others(|wait| wait());
                    }
                } else {
                    assert_eq!(*round.receive(|wait| wait()), number);
                }
            }
        };
        let other = Arc::clone(&ring);
        let thread = thread::spawn(move || party(&other, 1));
        party(&ring, 0);
        thread.join().unwrap();
    });
}

#[test]
fn what_is_published_is_received_and_not_written_again_before_all_have_left() {
    two_publish(2);
}

#[test]
fn what_few_parties_publish_is_received_and_not_written_again_before_all_have_left() {
    two_publish(3);
}
