//! Parking: a thread sleeps until a packet arrives over any transport, or another thread of the process wakes it.
//!
//! # Where it sleeps
//!
//! * On words, if every transport announces packets by changing a word: the thread waits for all these words and its
//!   own with one system call (`futex_waitv`, Linux 5.16). A waker need not know where it sleeps.
//! * Otherwise, or where the kernel refuses that call, in `poll(2)`: on the transports' descriptors and on an event
//!   descriptor, which [`Parker::unpark`] makes readable.
//!
//! # Why no wake-up is lost
//!
//! Every transport is armed before the last look for packets, so a packet that arrives later wakes the thread. The
//! thread sets `polls` before its last look at its own word, and a waker changes the word before it reads `polls`: so
//! either the thread sees the new word, or the waker sees that it has to make the descriptor readable.
//!
//! # Refusals
//!
//! A transport may refuse to be armed although a poll finds nothing. The provider rxm of libfabric does so while
//! another host wants to connect, until it looks at that connection (`FI_OFI_RXM_CM_PROGRESS_INTERVAL`). After a few
//! refusals in a row without a packet, the thread naps for [`NAP`] each time, so that it does not take the core from
//! the threads that it waits for.
//!
//! Costs: one or two system calls to sleep, one to wake; one load for a waker if nobody sleeps in `poll(2)`.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use rustix::thread::futex::{Wait, WaitFlags, WaitvFlags, waitv};
use rustix::time::{ClockId, clock_gettime};
use simurgh_core::sync::{AtomicBool, AtomicU32, Ordering, futex_wait_for};

use super::TRANSPORTS;
use crate::transport::{Transport, WaitMethod, WaitObject};

/// Most words that a thread sleeps on: its own, and those of the transports. The kernel takes more.
const WORDS_MAX: usize = 8;
const _: () = assert!(TRANSPORTS < WORDS_MAX);

/// Longest sleep while something is awaited that does not wake the thread.
const NAP: Duration = Duration::from_micros(200);

/// How many refused sleeps in a row are over at once. After that each is a nap.
const REFUSALS: u32 = 3;

/// Puts one thread of the process to sleep, and lets the others wake it.
#[derive(Default)]
pub(super) struct Parker {
    /// A thread sleeps in `poll(2)`, or is about to.
    polls: AtomicBool,
    /// Wakes it there. Made for the first such sleep; none if the system has no descriptors left.
    descriptor: OnceLock<Option<OwnedFd>>,
    /// The kernel does not let us wait for several words.
    refused: AtomicBool,
    /// Sleeps that a transport has refused since the last packet, or since all transports could be armed.
    refusals: AtomicU32,
}

impl Parker {
    /// Forgets the refusals so far, since a poll has found something.
    #[inline]
    pub(super) fn progressed(&self) {
        // Relaxed: it only decides how soon to look again. The load comes first, as most often there is nothing to do.
        if self.refusals.load(Ordering::Relaxed) > 0 {
            self.refusals.store(0, Ordering::Relaxed);
        }
    }

    /// Sleeps until a packet arrives over one of the transports, the word `until.0` is no longer `until.1`, or the time
    /// is over. Returns at once if a transport says that a packet is there already, and after a nap if that is said
    /// again and again without [progress](Parker::progressed).
    pub(super) fn park<'a>(
        &self,
        transports: impl Iterator<Item = &'a dyn Transport> + Clone,
        until: (&AtomicU32, u32),
        limit: Option<Duration>,
    ) {
        // Relaxed: it changes once, and both values are right.
        let refused = self.refused.load(Ordering::Relaxed);
        if refused || !self.sleep_on_words(transports.clone(), until, limit) {
            self.sleep_in_poll(transports, until, limit);
        }
        // Relaxed: as in `found`.
        if self.refusals.load(Ordering::Relaxed) > REFUSALS {
            futex_wait_for(until.0, until.1, nap(limit));
        }
    }

    /// Runs `f` with all transports armed. Does not, if one refuses to be armed, since a packet is there already.
    fn while_armed<'a>(
        &self,
        transports: impl Iterator<Item = &'a dyn Transport> + Clone,
        waiting: WaitMethod,
        f: impl FnOnce(),
    ) {
        let all = transports.clone();
        let armed = all.take_while(|transport| transport.arm(waiting)).count();
        if armed == transports.clone().count() {
            self.progressed();
            f();
        } else {
            // Relaxed: as in `found`. It wraps only after years.
            self.refusals.fetch_add(1, Ordering::Relaxed);
        }
        // The one that refused may be armed all the same.
        transports
            .take(armed + 1)
            .for_each(|transport| transport.disarm());
    }

    /// Wakes the thread that sleeps in `poll(2)`, if any. The caller has changed the word that it waits for.
    pub(super) fn unpark(&self) {
        // SeqCst: the sleeper sets it before it looks at its word.
        if self.polls.load(Ordering::SeqCst)
            && let Some(Some(descriptor)) = self.descriptor.get()
        {
            // It fails only if the counter is full, and then the descriptor is readable.
            let _ = rustix::io::write(descriptor, &1_u64.to_ne_bytes());
        }
    }

    /// Sleeps on the words of all transports. False, without having slept, if one has no word or the kernel refuses.
    fn sleep_on_words<'a>(
        &self,
        transports: impl Iterator<Item = &'a dyn Transport> + Clone,
        (word, expected): (&AtomicU32, u32),
        limit: Option<Duration>,
    ) -> bool {
        // On the stack: a rank that waits steadily allocates nothing.
        let mut waits = [wait(word, expected, WaitFlags::PRIVATE); WORDS_MAX];
        let mut words = 1;
        for transport in transports.clone() {
            let (Some(WaitObject::Word(bell)), Some(place)) =
                (transport.wait_object(WaitMethod::Futex), waits.get_mut(words))
            else {
                return false;
            };
            // SeqCst: read before the transport is armed; a packet that arrives after that changes the word.
            *place = wait(bell, bell.load(Ordering::SeqCst), WaitFlags::empty());
            words += 1;
        }
        let mut can = true;
        self.while_armed(transports, WaitMethod::Futex, || {
            let end = limit.and_then(deadline);
            let outcome = waitv(
                &waits[..words],
                WaitvFlags::empty(),
                end.as_ref(),
                ClockId::Monotonic,
            );
            can = !matches!(outcome, Err(Errno::NOSYS | Errno::PERM | Errno::INVAL));
        });
        if !can {
            self.refused.store(true, Ordering::Relaxed);
        }
        can
    }

    fn sleep_in_poll<'a>(
        &self,
        transports: impl Iterator<Item = &'a dyn Transport> + Clone,
        (word, expected): (&AtomicU32, u32),
        limit: Option<Duration>,
    ) {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let parker = self.descriptor.get_or_init(|| eventfd(0, flags).ok());
        let Some(parker) = parker else {
            // Nothing would end the sleep, so it has to be short.
            return futex_wait_for(word, expected, nap(limit));
        };
        let mut descriptors = vec![parker.as_fd()];
        let silent = transports
            .clone()
            .filter(|transport| !add_bell(*transport, &mut descriptors))
            .count();
        // A transport that cannot wake the thread has to be polled now and then.
        let limit = if silent == 0 { limit } else { nap(limit) };
        let mut waits: Vec<_> = descriptors
            .iter()
            .map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN))
            .collect();
        // SeqCst: before the look at the word; see `unpark`.
        self.polls.store(true, Ordering::SeqCst);
        self.while_armed(transports, WaitMethod::Poll, || {
            if word.load(Ordering::SeqCst) == expected {
                let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
                // An interrupted wait is an early return, which the caller expects.
                let _ = poll(&mut waits, limit.as_ref());
            }
        });
        self.polls.store(false, Ordering::SeqCst);
        // Fails if nobody has woken the thread.
        let _ = rustix::io::read(parker, &mut [0; 8]);
    }
}

/// The limit, but no longer than a nap.
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

/// Adds the descriptors that become readable when a packet arrives over a transport. False if it has none.
fn add_bell<'a>(transport: &'a dyn Transport, descriptors: &mut Vec<BorrowedFd<'a>>) -> bool {
    match transport.wait_object(WaitMethod::Poll) {
        Some(WaitObject::Descriptor(bell)) => descriptors.push(bell),
        Some(WaitObject::Descriptors(bells)) => descriptors.extend(bells),
        _ => return false,
    }
    true
}

/// The time that is `limit` from now on.
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

    /// Longest time that anything here may take.
    const PATIENCE: Duration = simurgh_testing::LIMIT;

    /// Two hosts, and the word and parker on which the first one sleeps.
    struct Pair {
        parker: Parker,
        first: Loopback,
        second: Loopback,
        word: AtomicU32,
    }

    impl Pair {
        fn transports(&self) -> impl Iterator<Item = &dyn Transport> + Clone {
            std::iter::once(&self.first as &dyn Transport)
        }
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
            pair.parker.park(pair.transports(), (&pair.word, 0), limit);
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
    fn a_thread_that_is_refused_again_and_again_naps_until_there_is_progress() {
        let pair = pair();
        send(&pair);
        let sleep = || pair.parker.park(pair.transports(), (&pair.word, 0), None);
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
    fn no_wake_up_is_lost_among_many() {
        let pair = pair();
        let start = Instant::now();
        for round in 1..2000 {
            let other = Arc::clone(&pair);
            let refused = round % 2 == 0;
            pair.parker.refused.store(refused, Ordering::SeqCst);
            pair.word.store(0, Ordering::SeqCst);
            let thread = std::thread::spawn(move || change_word(&other));
            while pair.word.load(Ordering::SeqCst) == 0 {
                pair.parker
                    .park(pair.transports(), (&pair.word, 0), Some(PATIENCE));
            }
            thread.join().expect("no panic");
        }
        assert!(start.elapsed() < PATIENCE);
    }
}
