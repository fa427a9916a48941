//! Writing out what ranks have written, where the job ends before they do.
//!
//! A program's output waits in buffers of the C library, of Fortran's run-time, and in the host's line buffers. Where
//! the job ends in another way than by the ends of all programs, nobody but the host writes them out.
//!
//! A rank may be suspended or have crashed in the middle of a write, with locks that nobody releases, and its data
//! may be damaged. So its own functions are called on a thread that nobody waits for without a time limit. If a rank
//! is not done in time, that thread is left where it is, and another one goes on with the next rank.

use super::relocation::while_present;
use super::state::{Host, Rank};
use simurgh_core::sync::{AtomicUsize, Ordering};
use simurgh_image::flush_own_fortran;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// The time after which another thread goes on with the next rank.
const PATIENCE: Duration = Duration::from_millis(100);

/// The time for all ranks of a host.
const OF_HOST: Duration = Duration::from_secs(2);

/// The time for a program's process. The launcher, which has been told why the job ends, kills it after 500 ms.
const OF_PROCESS: Duration = Duration::from_millis(400);

/// Writes out what the ranks have written so far.
pub(super) fn flush(host: &Host) {
    if host.is_program() {
        run_in_turn(&[flush_own_fortran, flush_c_streams, flush_rust_stream]);
        return;
    }
    let all: &'static [Rank] = Host::running().map_or(&[], Host::ranks);
    let running: Vec<_> = all.iter().filter(|rank| !rank.has_ended()).collect();
    each(running.len(), OF_HOST, move |index| {
        while_present(|| running[index].flush_program())
    });
    for rank in host.ranks() {
        rank.finish_lines();
    }
}

/// The C streams of a process.
fn flush_c_streams() {
    // SAFETY:
    // - it may be called by any thread, at any time.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// The standard output of a Rust process.
fn flush_rust_stream() {
    // If this fails, nobody can be told.
    let _ = std::io::stdout().flush();
}

fn run_in_turn(functions: &'static [fn()]) {
    each(functions.len(), OF_PROCESS, |index| functions[index]());
}

/// Runs `act` for each number below `count`, on other threads. Returns when all are done, or when the time is over.
fn each(count: usize, limit: Duration, act: impl Fn(usize) + Send + Sync + 'static) {
    let (done, is_done) = channel();
    let deadline = Instant::now() + limit;
    let work = Arc::new(Work {
        count,
        next: AtomicUsize::new(0),
        act,
    });
    let mut left = count;
    while left > 0 && Instant::now() < deadline {
        if !work.is_all_taken() && !start(&work, &done) {
            return;
        }
        while left > 0 && comes(&is_done, deadline) {
            left -= 1;
        }
    }
}

/// Whether another number is done soon.
fn comes(is_done: &Receiver<()>, deadline: Instant) -> bool {
    let left = deadline.saturating_duration_since(Instant::now());
    is_done.recv_timeout(PATIENCE.min(left)).is_ok()
}

/// The numbers that threads take in turn.
struct Work<F> {
    count: usize,
    next: AtomicUsize,
    act: F,
}

impl<F> Work<F> {
    fn is_all_taken(&self) -> bool {
        // Relaxed: a thread that is started for nothing ends at once.
        self.next.load(Ordering::Relaxed) >= self.count
    }
}

/// Starts a thread that takes numbers until there are none. Returns whether there is such a thread.
fn start<F: Fn(usize) + Send + Sync + 'static>(work: &Arc<Work<F>>, done: &Sender<()>) -> bool {
    let (work, done) = (Arc::clone(work), done.clone());
    let body = move || {
        loop {
            // Relaxed: each number is taken once, and nothing else is passed on.
            let number = work.next.fetch_add(1, Ordering::Relaxed);
            if number >= work.count {
                return;
            }
            (work.act)(number);
            // Nobody listens any more once the time is over.
            let _ = done.send(());
        }
    };
    simurgh_core::with_signals_blocked(|| std::thread::Builder::new().spawn(body)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_take_too_long_do_not_keep_the_others_waiting() {
        let seen = Arc::new(AtomicUsize::new(0));
        let note = Arc::clone(&seen);
        each(20, Duration::from_secs(8), move |number| {
            if number % 10 == 3 {
                std::thread::sleep(Duration::from_secs(3600));
            }
            note.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(seen.load(Ordering::SeqCst), 18);
    }

    #[test]
    fn there_is_an_end_where_nothing_is_done() {
        each(1000, OF_HOST, |_| std::thread::sleep(Duration::from_secs(3600)));
    }
}
