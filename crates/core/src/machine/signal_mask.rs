//! The signal mask of the runtime's threads, which leave the program's signals to the program's threads.
//!
//! The kernel delivers a signal to any thread that has not blocked it. A program may block a signal in all its threads,
//! to wait for it. A thread of the runtime that has not blocked it would take it.

use std::mem::MaybeUninit;
use std::ptr;

/// Signals that a thread causes itself, and that it does not block.
const SYNCHRONOUS: [libc::c_int; 7] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGTRAP,
    libc::SIGSYS,
];

/// Runs `start` with all signals blocked that others may send. Threads that it starts have them blocked from their
/// first instruction on.
pub fn with_signals_blocked<R>(start: impl FnOnce() -> R) -> R {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY:
    // - the first call initialises the set; the old mask is written if the last call succeeds.
    let changed = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        SYNCHRONOUS.iter().for_each(|signal| {
            libc::sigdelset(all.as_mut_ptr(), *signal);
        });
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) == 0
    };
    let result = start();
    if changed {
        // SAFETY:
        // - the old mask has been written.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(signal: libc::c_int) -> bool {
        let mut mask = MaybeUninit::uninit();
        // SAFETY:
        // - the mask is written, and not changed.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), mask.as_mut_ptr());
            libc::sigismember(mask.as_ptr(), signal) == 1
        }
    }

    #[test]
    fn threads_that_are_started_so_block_signals() {
        let look = || [libc::SIGALRM, libc::SIGUSR1, libc::SIGSEGV].map(blocks);
        let thread = with_signals_blocked(|| std::thread::spawn(look));
        assert_eq!(thread.join().unwrap(), [true, true, false]);
        assert_eq!(look(), [false; 3]);
    }
}
