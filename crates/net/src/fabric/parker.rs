//! Sleeping until something arrives over any transport, or somebody in the process has something else to do.
//!
//! If every transport rings by changing a word, the sleeper waits for all these words and its own with one system call
//! (`futex_waitv`, Linux 5.16), and a waker need not know where it sleeps. Otherwise, or where that call is refused, it
//! sleeps in `poll(2)` on the transports' descriptors and an event descriptor, which [`Parker::unpark`] makes readable.
//!
//! Nothing is lost in between: every transport is armed before the last look at what has arrived; the sleeper says that
//! it is about to poll before its last look at its word, and wakers change the word before they look for a poller.
//!
//! A transport may refuse to be armed though a poll finds nothing: rxm of libfabric does so for as long as it does not
//! look at a connection that another host wants to make (`FI_OFI_RXM_CM_PROGRESS_INTERVAL`). Who has been refused in
//! refusals a few times naps, lest it takes the core from those whom it waits for.
//!
//! Costs: one or two system calls to sleep, one to wake; and one load for a waker if nobody polls.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use rustix::thread::futex::{Wait, WaitFlags, WaitvFlags, waitv};
use rustix::time::{ClockId, clock_gettime};
use simurgh_core::sync::{AtomicBool, AtomicU32, Ordering, futex_wait_for};

use crate::transport::{Transport, WaitMethod, WaitObject};

/// Most words that `futex_waitv` waits for.
const WORDS_MAX: usize = 128;

/// Longest sleep while something that is awaited does not ring.
const NAP: Duration = Duration::from_micros(200);

/// Times in a row that a refused sleep is over at once, though nothing has been found since.
const REFUSALS: u32 = 3;

/// What ends the sleep of a thread on behalf of others in the process.
#[derive(Default)]
pub(super) struct Parker {
    /// Somebody sleeps in `poll(2)`, or is about to.
    polls: AtomicBool,
    /// Made for the first sleep there; none if the system has no descriptors left.
    descriptor: OnceLock<Option<OwnedFd>>,
    /// The kernel does not let us wait for several words.
    refused: AtomicBool,
    /// Sleeps that a transport has refused since something was found, or all could be armed.
    refusals: AtomicU32,
}

impl Parker {
    /// Something has arrived: another refusal has a reason.
    #[inline]
    pub(super) fn progressed(&self) {
        // Relaxed: it only says how soon to look again. Looked at first, as most often it is so already.
        if self.refusals.load(Ordering::Relaxed) > 0 {
            self.refusals.store(0, Ordering::Relaxed);
        }
    }

    /// Sleeps until something arrives over one of the transports, `word` is no longer `expected`, or the time is over.
    /// Returns early if something is there already; if that is said again and again but not [found](Parker::progressed),
    /// after a nap.
    pub(super) fn park(
        &self,
        transports: &[&dyn Transport],
        until: (&AtomicU32, u32),
        limit: Option<Duration>,
    ) {
        // Relaxed: it changes once, and either way is right.
        let refused = self.refused.load(Ordering::Relaxed);
        if refused || !self.sleep_on_words(transports, until, limit) {
            self.sleep_in_poll(transports, until, limit);
        }
        // Relaxed: as in `found`.
        if self.refusals.load(Ordering::Relaxed) > REFUSALS {
            futex_wait_for(until.0, until.1, nap(limit));
        }
    }

    /// Runs `f` with all transports armed, unless something is there already.
    fn while_armed(&self, transports: &[&dyn Transport], waiting: WaitMethod, f: impl FnOnce()) {
        let armed = transports
            .iter()
            .take_while(|transport| transport.arm(waiting))
            .count();
        if armed == transports.len() {
            self.progressed();
            f();
        } else {
            // Relaxed: as in `found`. It wraps only after years.
            self.refusals.fetch_add(1, Ordering::Relaxed);
        }
        // The one that refused may have armed its bell all the same.
        transports
            .iter()
            .take(armed + 1)
            .for_each(|transport| transport.disarm());
    }

    /// Wakes who sleeps in `poll(2)`, if somebody does. The word it waits for has been changed before.
    pub(super) fn unpark(&self) {
        // SeqCst: the sleeper sets it before it looks at its word.
        if self.polls.load(Ordering::SeqCst)
            && let Some(Some(descriptor)) = self.descriptor.get()
        {
            // It fails only if it has been rung so often that nobody can miss it.
            let _ = rustix::io::write(descriptor, &1_u64.to_ne_bytes());
        }
    }

    /// False, and nothing has been waited for, if it cannot be done so.
    fn sleep_on_words(
        &self,
        transports: &[&dyn Transport],
        (word, expected): (&AtomicU32, u32),
        limit: Option<Duration>,
    ) -> bool {
        let mut waits = vec![wait(word, expected, WaitFlags::PRIVATE)];
        for transport in transports {
            let Some(WaitObject::Word(bell)) = transport.wait_object(WaitMethod::Futex) else {
                return false;
            };
            // SeqCst: before the transport is armed; a ring after that changes the word.
            waits.push(wait(bell, bell.load(Ordering::SeqCst), WaitFlags::empty()));
        }
        if waits.len() > WORDS_MAX {
            return false;
        }
        let mut can = true;
        self.while_armed(transports, WaitMethod::Futex, || {
            let end = limit.and_then(deadline);
            let outcome = waitv(&waits, WaitvFlags::empty(), end.as_ref(), ClockId::Monotonic);
            can = !matches!(outcome, Err(Errno::NOSYS | Errno::PERM | Errno::INVAL));
        });
        if !can {
            self.refused.store(true, Ordering::Relaxed);
        }
        can
    }

    fn sleep_in_poll(
        &self,
        transports: &[&dyn Transport],
        (word, expected): (&AtomicU32, u32),
        limit: Option<Duration>,
    ) {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let parker = self.descriptor.get_or_init(|| eventfd(0, flags).ok());
        let Some(parker) = parker else {
            // Nothing rings here, so somebody has to look again soon.
            return futex_wait_for(word, expected, nap(limit));
        };
        let mut descriptors = vec![parker.as_fd()];
        let silent = transports
            .iter()
            .filter(|transport| !add_bell(**transport, &mut descriptors))
            .count();
        // What does not ring has to be looked at now and then.
        let limit = if silent == 0 { limit } else { nap(limit) };
        let mut waits: Vec<_> = descriptors
            .iter()
            .map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN))
            .collect();
        // SeqCst: before the look at the word; see `ring`.
        self.polls.store(true, Ordering::SeqCst);
        self.while_armed(transports, WaitMethod::Poll, || {
            if word.load(Ordering::SeqCst) == expected {
                let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
                // An interrupted wait is an early return, which the caller expects.
                let _ = poll(&mut waits, limit.as_ref());
            }
        });
        self.polls.store(false, Ordering::SeqCst);
        // Fails if nobody has rung.
        let _ = rustix::io::read(parker, &mut [0; 8]);
    }
}

/// A limit that is no longer than a nap.
pub(super) fn nap(limit: Option<Duration>) -> Option<Duration> {
    Some(limit.map_or(NAP, |limit| limit.min(NAP)))
}

fn wait(word: &AtomicU32, expected: u32, flags: WaitFlags) -> Wait {
    let mut wait = Wait::new();
    wait.val = expected.into();
    wait.uaddr = word.as_ptr().cast::<core::ffi::c_void>().into();
    wait.flags = WaitFlags::SIZE_U32 | flags;
    wait
}

/// Adds what becomes readable when something arrives over a transport; false if it has no such thing.
fn add_bell<'a>(transport: &'a dyn Transport, descriptors: &mut Vec<BorrowedFd<'a>>) -> bool {
    match transport.wait_object(WaitMethod::Poll) {
        Some(WaitObject::Descriptor(bell)) => descriptors.push(bell),
        Some(WaitObject::Descriptors(bells)) => descriptors.extend(bells),
        _ => return false,
    }
    true
}

/// The time at which so much more has passed.
fn deadline(limit: Duration) -> Option<Timespec> {
    let now = clock_gettime(ClockId::Monotonic);
    now.checked_add(Timespec::try_from(limit).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Access, HEADER, Loopback};
    use simurgh_core::sync::{Arc, futex_wake};
    use std::time::Instant;

    /// So long nothing may take.
    const PATIENCE: Duration = simurgh_testing::LIMIT;

    /// Two hosts, and what the first of them sleeps on.
    struct Pair {
        parker: Parker,
        first: Loopback,
        second: Loopback,
        word: AtomicU32,
    }

    fn pair() -> Arc<Pair> {
        let mut hosts = Loopback::hosts(2, Access::default()).into_iter();
        let mut next = || hosts.next().expect("two hosts");
        Arc::new(Pair {
            parker: Parker::default(),
            first: next(),
            second: next(),
            word: AtomicU32::new(0),
        })
    }

    /// How long the first host of a pair sleeps while another thread does something.
    fn sleeps(
        pair: &Arc<Pair>,
        limit: Option<Duration>,
        meanwhile: impl FnOnce(&Pair) + Send + 'static,
    ) -> Duration {
        let other = Arc::clone(pair);
        let thread = std::thread::spawn(move || meanwhile(&other));
        let start = Instant::now();
        while pair.word.load(Ordering::SeqCst) == 0 && !pair.first.has_incoming() {
            pair.parker.park(&[&pair.first], (&pair.word, 0), limit);
            if limit.is_some_and(|limit| start.elapsed() >= limit) {
                break;
            }
        }
        let slept = start.elapsed();
        thread.join().expect("no panic");
        slept
    }

    fn send(pair: &Pair) {
        let sent = pair.second.send(0, &[0; HEADER], 0, &mut |_| {});
        sent.expect("there is room");
    }

    fn change_word(pair: &Pair) {
        pair.word.store(1, Ordering::SeqCst);
        futex_wake(&pair.word, 1);
        pair.parker.unpark();
    }

    #[test]
    fn a_packet_and_the_word_end_the_sleep_on_words() {
        assert!(sleeps(&pair(), Some(PATIENCE), send) < PATIENCE);
        assert!(sleeps(&pair(), Some(PATIENCE), change_word) < PATIENCE);
    }

    #[test]
    fn without_words_a_packet_and_the_alarm_end_the_sleep_in_poll() {
        for meanwhile in [send, change_word] {
            let pair = pair();
            pair.parker.refused.store(true, Ordering::SeqCst);
            assert!(sleeps(&pair, Some(PATIENCE), meanwhile) < PATIENCE);
        }
    }

    #[test]
    fn nothing_ends_the_sleep_but_the_limit() {
        let limit = Duration::from_millis(20);
        let slept = sleeps(&pair(), Some(limit), |_| {});
        assert!((limit..PATIENCE).contains(&slept), "{slept:?}");
    }

    #[test]
    fn who_is_refused_in_vain_naps_until_something_is_found() {
        let pair = pair();
        send(&pair);
        let sleep = || pair.parker.park(&[&pair.first], (&pair.word, 0), None);
        let start = Instant::now();
        const TIMES: u32 = 50;
        for _ in 0..REFUSALS + TIMES {
            sleep();
        }
        let slept = start.elapsed();
        assert!((TIMES * NAP..PATIENCE).contains(&slept), "{slept:?}");
        pair.parker.progressed();
        assert_eq!(pair.parker.refusals.load(Ordering::SeqCst), 0);
        sleep();
        assert_eq!(pair.parker.refusals.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn no_ring_is_lost_among_many() {
        let pair = pair();
        let start = Instant::now();
        for round in 1..2000 {
            let other = Arc::clone(&pair);
            let refused = round % 2 == 0;
            pair.parker.refused.store(refused, Ordering::SeqCst);
            pair.word.store(0, Ordering::SeqCst);
            let thread = std::thread::spawn(move || change_word(&other));
            while pair.word.load(Ordering::SeqCst) == 0 {
                pair.parker.park(&[&pair.first], (&pair.word, 0), Some(PATIENCE));
            }
            thread.join().expect("no panic");
        }
        assert!(start.elapsed() < PATIENCE);
    }
}
