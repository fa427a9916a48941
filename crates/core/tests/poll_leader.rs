//! Threads of a process without workers poll the network while they wait. A process has one poll leader, hence this
//! file has one test.
#![cfg(not(loom))]

use simurgh_core::sync::{AtomicU32, AtomicUsize, Ordering, futex_wait_for, futex_wake};
use simurgh_core::{Completion, Network, PollLeader, ProcessHooks, attached_count, external_wakers};
use simurgh_testing::{Deadline, LIMIT};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A network whose messages are completions, which a poll completes.
#[derive(Default)]
struct Post {
    letters: Mutex<VecDeque<Arc<Completion>>>,
    count: AtomicUsize,
    bell: AtomicU32,
    /// How often somebody has looked since somebody slept.
    looks: AtomicUsize,
    /// The most looks before a sleep.
    most_looks: AtomicUsize,
}

impl Post {
    fn send(&self, event: &Arc<Completion>) {
        self.letters.lock().unwrap().push_back(Arc::clone(event));
        self.count.fetch_add(1, Ordering::SeqCst);
        self.bell.fetch_add(1, Ordering::SeqCst);
        futex_wake(&self.bell, 1);
    }
}

impl Network for Post {
    fn has_mail(&self) -> bool {
        self.looks.fetch_add(1, Ordering::SeqCst);
        self.count.load(Ordering::SeqCst) > 0
    }

    fn poll(&self) -> bool {
        let letter = self.letters.lock().unwrap().pop_front();
        if let Some(letter) = &letter {
            self.count.fetch_sub(1, Ordering::SeqCst);
            letter.complete();
        }
        letter.is_some()
    }

    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        let looks = self.looks.swap(0, Ordering::SeqCst);
        self.most_looks.fetch_max(looks, Ordering::SeqCst);
        let bell = self.bell.load(Ordering::SeqCst);
        if word.load(Ordering::SeqCst) == expected && !self.has_mail() {
            futex_wait_for(&self.bell, bell, limit);
        }
    }

    fn wake(&self) {
        self.bell.fetch_add(1, Ordering::SeqCst);
        futex_wake(&self.bell, 1);
    }

    fn is_quiet(&self) -> bool {
        !self.has_mail()
    }
}

/// Counts how often the process has become quiescent.
struct Count(Arc<AtomicUsize>);

impl ProcessHooks for Count {
    fn are_others_idle(&self) -> bool {
        attached_count() > 0 && external_wakers() == 0
    }

    fn on_quiescent(&self, _question: u32) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// How often a thread looks before it sleeps.
const CHECKS: u32 = 10;

/// How often a thread that waits for an event by itself looks for messages before it sleeps for the first time.
fn looks_before_sleep(post: &Post, wait: impl FnOnce(&Completion) + Send) -> usize {
    let event = Arc::new(Completion::new());
    for count in [&post.looks, &post.most_looks] {
        count.store(0, Ordering::SeqCst);
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // A thread that is none yet does not look.
            let _attached = simurgh_core::current();
            wait(&event);
        });
        let mut deadline = Deadline::after(LIMIT);
        let looks = || post.most_looks.load(Ordering::SeqCst);
        while looks() == 0 && !deadline.has_passed() {
            std::thread::yield_now();
        }
        let found = looks();
        post.send(&event);
        found
    })
}

#[test]
fn a_thread_that_waits_polls_the_network_for_all() {
    let post = Arc::new(Post::default());
    let quiet = Arc::new(AtomicUsize::new(0));
    let network: Arc<dyn Network> = post.clone();
    let poll_leader = PollLeader::begin(network, CHECKS, Count(Arc::clone(&quiet)));
    let rounds = 2000;
    let events: Vec<Arc<Completion>> = (0..4 * rounds).map(|_| Arc::new(Completion::new())).collect();
    std::thread::scope(|scope| {
        for waiter in 0..4 {
            let events = &events;
            scope.spawn(move || {
                events
                    .iter()
                    .skip(waiter)
                    .step_by(4)
                    .for_each(|event| event.wait())
            });
        }
        // Backwards in each round, so that leaders resign.
        for round in events.chunks(4) {
            round.iter().rev().for_each(|event| post.send(event));
        }
    });
    assert!(events.iter().all(|event| event.is_done()));
    assert_eq!(looks_before_sleep(&post, Completion::wait), CHECKS as usize + 2);
    assert_eq!(looks_before_sleep(&post, Completion::wait_asleep), 1);
    let last = Arc::new(Completion::new());
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| last.wait());
        let mut deadline = Deadline::after(LIMIT);
        // The hook is called once the process is quiescent.
        let is_reported = || poll_leader.is_quiet(1) && quiet.load(Ordering::SeqCst) >= 1;
        while !is_reported() && !deadline.has_passed() {
            std::thread::yield_now();
        }
        let was_reported = is_reported();
        post.send(&last);
        waiter.join().unwrap();
        assert!(was_reported);
    });
    assert!(!poll_leader.is_quiet(1), "something has happened since");
}
