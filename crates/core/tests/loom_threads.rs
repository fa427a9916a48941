//! Every interleaving of the counts of threads with threads that begin and end. Run with `RUSTFLAGS="--cfg loom"`, in
//! release.
#![cfg(loom)]

use loom::thread;
use simurgh_core::sync::{Arc, AtomicUsize, Ordering, model};
use simurgh_core::{ParkToken, ThreadCounts};

/// The threads of a process: the counted ones, and all that there are.
struct Process {
    counts: ThreadCounts,
    threads: AtomicUsize,
}

impl Process {
    /// One with so many threads, none of which is counted.
    fn with_threads(threads: usize) -> Arc<Self> {
        Arc::new(Self {
            counts: ThreadCounts::new(),
            threads: AtomicUsize::new(threads),
        })
    }

    fn begin_thread(&self) {
        self.threads.fetch_add(1, Ordering::SeqCst);
    }

    fn end_thread(&self) {
        self.threads.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether all threads wait, as a virtual processor finds out, the only one.
    fn all_wait(&self) -> bool {
        self.counts
            .all_wait(1, || Some(self.threads.load(Ordering::SeqCst)))
    }
}

#[test]
fn a_thread_that_begins_and_ends_is_not_taken_for_one_that_runs() {
    model(|| {
        // The second one starts others, and is not counted.
        let process = Process::with_threads(2);
        let started = Arc::clone(&process);
        let starter = thread::spawn(move || {
            started.begin_thread();
            started.counts.add_passive();
            started.counts.remove_passive();
            started.end_thread();
        });
        assert!(!process.all_wait(), "one is not counted");
        starter.join().unwrap();
        assert!(!process.all_wait());
        process.end_thread();
        assert!(process.all_wait());
    });
}

#[test]
fn a_thread_that_is_attached_for_a_while_is_noticed_until_it_ends() {
    model(|| {
        let process = Process::with_threads(2);
        let other = Arc::clone(&process);
        let acts = Arc::new(AtomicUsize::new(0));
        let act = Arc::clone(&acts);
        let attached = thread::spawn(move || {
            other.counts.attach();
            act.fetch_add(1, Ordering::SeqCst);
            other.counts.detach();
            act.fetch_add(1, Ordering::SeqCst);
            other.end_thread();
        });
        if process.all_wait() {
            assert_eq!(acts.load(Ordering::SeqCst), 2, "it has done all that it does");
        }
        attached.join().unwrap();
        assert!(process.all_wait());
    });
}

#[test]
fn an_attached_thread_that_is_woken_by_one_that_ends_is_noticed() {
    model(|| {
        let process = Process::with_threads(3);
        // One of them is attached and blocked; another one wakes it.
        process.counts.attach();
        process.counts.end_waking();
        let other = Arc::clone(&process);
        let waker = thread::spawn(move || {
            other.counts.begin_waking();
            other.end_thread();
        });
        assert!(!process.all_wait(), "one of the two is going to act");
        waker.join().unwrap();
        assert!(!process.all_wait());
    });
}

#[test]
fn a_thread_that_wakes_another_one_counts_until_it_blocks_itself() {
    model(|| {
        let process = Process::with_threads(3);
        let (token, acts) = (Arc::new(ParkToken::new()), Arc::new(AtomicUsize::new(0)));
        let counts = &process.counts;
        // One that waits, and one that is going to wake it.
        (0..2).for_each(|_| counts.attach());
        assert!(token.settle());
        counts.end_waking();
        let (other, woken, act) = (Arc::clone(&process), Arc::clone(&token), Arc::clone(&acts));
        let sleeper = thread::spawn(move || {
            while !woken.take() {
                thread::yield_now();
            }
            act.fetch_add(1, Ordering::SeqCst);
            other.counts.end_waking();
        });
        let (other, act) = (Arc::clone(&process), Arc::clone(&acts));
        let waker = thread::spawn(move || {
            let counts = &other.counts;
            token.give_after(
                || counts.begin_waking(),
                || {
                    let _ = counts.end_waking();
                },
            );
            act.fetch_add(1, Ordering::SeqCst);
            counts.end_waking();
        });
        if process.all_wait() {
            assert_eq!(acts.load(Ordering::SeqCst), 2, "both have done what they do");
        }
        sleeper.join().unwrap();
        waker.join().unwrap();
        assert!(process.all_wait());
    });
}
