//! The I/O threads: they do what waits for files, so that no virtual processor does.
//!
//! They are started when they are needed, up to a few, and stay. A job neither suspends nor waits for another job.
//! Locks of the process are biased to a rank's thread as long as there is no job (`simurgh_core::sync::revoke_bias`).
//! While a job is under way its end counts as an expected wake-up, so nobody takes those that wait for it for
//! deadlocked.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

use simurgh_core::sync::revoke_bias;
use simurgh_core::{PassiveThread, begin_expecting, end_expecting, with_signals_blocked};

use crate::limits::{STACK, THREADS};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: usize,
}

static QUEUE: Mutex<Option<Queue>> = Mutex::new(None);
static MORE: Condvar = Condvar::new();
static PREPARATION: OnceLock<Hook> = OnceLock::new();
static PLACEMENT: OnceLock<Hook> = OnceLock::new();

/// What a thread does.
type Hook = Box<dyn Fn() + Send + Sync>;

/// Has each thread call a function when it begins. The first function that is given here stays.
///
/// A thread begins on the processors of the thread that starts it, which is a virtual processor's and bound to one
/// core. So the runtime lets it run on those that the job has: an idle virtual processor's core is then free for it.
pub fn prepare_threads(preparation: impl Fn() + Send + Sync + 'static) {
    let _ = PREPARATION.set(Box::new(preparation));
}

/// Has each thread call a function before each job. The first function that is given here stays.
///
/// Whoever posts a job often goes on computing. So the runtime has the thread leave that core if another one is idle.
pub fn place_threads(placement: impl Fn() + Send + Sync + 'static) {
    let _ = PLACEMENT.set(Box::new(placement));
}

/// Has an I/O thread do a job. The caller does it itself if there is no thread. Not to be called with a lock held.
pub fn submit(job: impl FnOnce() + Send + 'static) {
    // A job completes requests, which the ranks of a process with one thread otherwise do by themselves.
    revoke_bias();
    begin_expecting();
    let mut guard = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
    let queue = guard.get_or_insert_default();
    queue.jobs.push_back(Box::new(job));
    let wanted = queue.jobs.len() > queue.idle && queue.threads < THREADS;
    queue.threads += usize::from(wanted);
    drop(guard);
    if wanted && !start() {
        let mut guard = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = guard.get_or_insert_default();
        queue.threads -= 1;
        let own = if queue.threads == 0 {
            queue.jobs.pop_back()
        } else {
            None
        };
        drop(guard);
        if let Some(job) = own {
            run(job);
            end_expecting();
        }
    }
    MORE.notify_one();
}

/// Starts a thread; false if the system refuses it.
fn start() -> bool {
    let thread = std::thread::Builder::new()
        .name("io".to_owned())
        .stack_size(STACK);
    let body = move || {
        let _passive = PassiveThread::new();
        serve()
    };
    with_signals_blocked(|| thread.spawn(body)).is_ok()
}

/// The body of a thread.
fn serve() {
    if let Some(prepare) = PREPARATION.get() {
        prepare();
    }
    let mut guard = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let queue = guard.get_or_insert_default();
        if let Some(job) = queue.jobs.pop_front() {
            drop(guard);
            if let Some(place) = PLACEMENT.get() {
                place();
            }
            run(job);
            end_expecting();
            guard = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
        } else {
            queue.idle += 1;
            guard = MORE.wait(guard).unwrap_or_else(PoisonError::into_inner);
            guard.get_or_insert_default().idle -= 1;
        }
    }
}

/// Does a job. A panic of a job is a fault of this library; it has been printed, and must not end the thread.
fn run(job: Job) {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
}
