//! Threads that are none of the program's, and leave its signals to those that are.
//!
//! The kernel gives a signal to any thread that has not blocked it, so a thread of ours that has not makes the masks
//! of the program's threads worthless: what it blocks, to wait for it, ours would take.

use std::mem::MaybeUninit;
use std::ptr;

/// What a thread causes itself is its own affair.
const CAUSED: [libc::c_int; 7] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGTRAP,
    libc::SIGSYS,
];

/// Runs `start` with all signals blocked that others may send: threads that it starts have them blocked from their
/// first instruction on.
pub fn with_signals_blocked<R>(start: impl FnOnce() -> R) -> R {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY:
    // - the first call initialises the set; the old mask is written if the last one succeeds.
    let changed = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        CAUSED.iter().for_each(|signal| {
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
    fn threads_leave_signals_to_others() {
        let look = || [libc::SIGALRM, libc::SIGUSR1, libc::SIGSEGV].map(blocks);
        let thread = with_signals_blocked(|| std::thread::spawn(look));
        assert_eq!(thread.join().unwrap(), [true, true, false]);
        assert_eq!(look(), [false; 3]);
    }
}
