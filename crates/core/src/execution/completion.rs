//! One-shot events with one waiter.
//!
//! # Protocol
//!
//! One word has the state, and names the waiter if there is one:
//!
//! | word | meaning |
//! |---|---|
//! | `PENDING` | the event has not happened, and nobody waits |
//! | `DONE` | the event has happened |
//! | a context, `ASLEEP` | a coroutine sleeps on this event and nothing else; the completer makes it ready |
//! | a context, `URGENT` | as `ASLEEP`; the context is about the network, which the policy may prefer |
//! | a context | an execution context waits for this event and perhaps others; the completer unparks it |
//! | a countdown, `COUNTDOWN` | one that waits for several events has a countdown of them on its stack |
//! | a box, `WAKER` | a future waits; the box has its waker, which the completer calls and frees |
//!
//! A blocking wait may take the place of a waker: the future that has left it does not wait then.
//!
//! To complete an event is one swap. The completer does not touch the event after it, so the owner may reuse or free
//! the event as soon as it is done. An execution context that waits for N events is woken once.

use std::cell::Cell;
use std::task::Waker;

use super::mailbox::OwnMailbox;
#[cfg(loom)]
use super::mocked::{park as park_asleep, sleep_on, sleep_on as sleep_on_biased};
#[cfg(not(loom))]
use super::wait::{park_asleep, sleep_on, sleep_on_biased};
use super::{EcRef, current, spin_while_idle, yield_now};
use crate::sync::{AtomicUsize, Ordering, if_biased};

const PENDING: usize = 0;
const DONE: usize = 1;
/// Set in a word that holds the address of a [`Countdown`].
const COUNTDOWN: usize = 2;
/// Set in a word that names a coroutine that sleeps on this event and nothing else.
pub(super) const ASLEEP: usize = 4;
/// Set instead of [`ASLEEP`] if the coroutine is about the network.
pub(super) const URGENT: usize = 8;
/// Set in a word that holds the address of a [`BoxedWaker`]: a coroutine does not sleep on a countdown.
const WAKER: usize = COUNTDOWN | ASLEEP;

/// An event that happens once, until it is [`reset`](Completion::reset).
pub struct Completion(AtomicUsize);

/// The countdown of the events for which an execution context waits together.
#[repr(align(8))]
struct Countdown {
    left: AtomicUsize,
    waiter: EcRef,
}

/// The waker of a future that waits for an event.
#[repr(align(8))]
struct BoxedWaker(Waker);

impl BoxedWaker {
    /// The word that names the waker, which owns it.
    fn into_word(self: Box<Self>) -> usize {
        Box::into_raw(self).expose_provenance() | WAKER
    }

    /// The waker that a word names.
    ///
    /// # Safety
    ///
    /// * The word comes from `into_word`, and the caller has taken it out of its event, which gives it up once.
    unsafe fn from_word(word: usize) -> Box<Self> {
        // SAFETY:
        // - as demanded of the caller: the box has one owner.
        unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut(word & !WAKER)) }
    }
}

/// Whether a word names a waker.
fn names_waker(word: usize) -> bool {
    word & WAKER == WAKER
}

impl Default for Completion {
    fn default() -> Self {
        Self::new()
    }
}

impl Completion {
    /// An event that has not happened.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicUsize::new(PENDING))
    }

    /// An event that has not happened.
    #[cfg(loom)]
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicUsize::new(PENDING))
    }

    /// Whether the event has happened; if so, what the completer wrote before is visible.
    #[inline]
    #[must_use]
    pub fn is_done(&self) -> bool {
        // Acquire pairs with the Release in `complete`.
        self.0.load(Ordering::Acquire) == DONE
    }

    /// Makes the event happen and wakes its waiter. The event is touched once, before anything else.
    #[inline]
    pub fn complete(&self) {
        // Release publishes the result to `is_done`; Acquire pairs with the Release in `subscribe`.
        let word = self.0.swap(DONE, Ordering::AcqRel);
        if word > DONE {
            notify(word);
        }
    }

    /// As [`Completion::complete`], without a locked instruction while the process is
    /// [biased](crate::sync::begin_bias). Everybody else that completes this event or waits for it must then be
    /// serialized with the caller.
    #[inline]
    pub fn complete_biased(&self) {
        let plain = || {
            // Relaxed: the word was written by this thread or one that is serialized with it. Release: as in
            // `complete`.
            let word = self.0.load(Ordering::Relaxed);
            self.0.store(DONE, Ordering::Release);
            word
        };
        // As in `complete`.
        let word = if_biased(plain, || self.0.swap(DONE, Ordering::AcqRel));
        if word > DONE {
            notify(word);
        }
    }

    /// Makes the event one that has happened. Nobody else may know of it yet, so that there is no waiter to wake.
    #[inline]
    pub fn preset(&self) {
        // Release: whoever is told of the event later sees what was written before.
        self.0.store(DONE, Ordering::Release);
    }

    /// Says that what happens until the event is about the network. A coroutine that sleeps on the event and on nothing
    /// else is about the network from now on until it is woken. The caller is ordered before whoever completes the
    /// event.
    #[cfg(not(loom))]
    pub fn expedite(&self) {
        // Relaxed: the word is only looked at, and its change is what `complete` sees; the caller comes before that.
        let word = self.0.load(Ordering::Relaxed);
        let urgent = word & !ASLEEP | URGENT;
        let sleeps = word & WAKER == ASLEEP;
        // Acquire pairs with the Release in `register_sleeper`: the context has noted its purpose.
        if sleeps
            && self
                .0
                .compare_exchange(word, urgent, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        {
            EcRef::from_word(word & !ASLEEP).control().expedite();
        }
    }

    /// Makes the event one that has not happened, for its next use.
    ///
    /// The event must be done, or nobody else may know of it.
    #[inline]
    pub fn reset(&self) {
        // Relaxed: the event is handed to the next completer by other means.
        self.0.store(PENDING, Ordering::Relaxed);
    }

    /// Blocks the execution context until the event has happened.
    #[inline]
    pub fn wait(&self) {
        if !self.is_done() {
            self.wait_slow(sleep_on);
        }
    }

    /// As [`Completion::wait`], without a locked instruction while the process is [biased](crate::sync::begin_bias).
    /// The condition is that of [`Completion::complete_biased`].
    #[inline]
    pub fn wait_biased(&self) {
        if !self.is_done() {
            self.wait_slow(sleep_on_biased);
        }
    }

    /// Whether the event has happened. If it has not, `waker` is woken when it does, and wakers that were given before
    /// are not. One future at a time may wait for an event.
    pub fn poll(&self, waker: &Waker) -> bool {
        if !self.is_done() {
            // A caller that polls again and again may never suspend.
            OwnMailbox::get().settle();
        }
        // Acquire: as in `is_done`; also, the box was written by this thread or one that is serialized with it.
        let word = self.0.load(Ordering::Acquire);
        let mut boxed = match word {
            DONE => return true,
            word if names_waker(word) => match self.take_back(word) {
                Some(boxed) => boxed,
                // Completed just now: nobody else takes a waker.
                None => return true,
            },
            _ => Box::new(BoxedWaker(waker.clone())),
        };
        boxed.0.clone_from(waker);
        let word = boxed.into_word();
        let subscribed = self.subscribe(word);
        if !matches!(subscribed, Subscribed::Yes) {
            // SAFETY:
            // - the event has not taken the word.
            drop(unsafe { BoxedWaker::from_word(word) });
        }
        match subscribed {
            Subscribed::Yes => false,
            Subscribed::Done => true,
            Subscribed::Taken => {
                // The future polls instead.
                waker.wake_by_ref();
                false
            }
        }
    }

    /// Takes a waker back; none if the event has happened.
    fn take_back(&self, word: usize) -> Option<Box<BoxedWaker>> {
        // Acquire on success pairs with the Release in `subscribe`, on failure with the one in `complete`.
        self.0
            .compare_exchange(word, PENDING, Ordering::Acquire, Ordering::Acquire)
            .is_ok()
            // SAFETY:
            // - the word has been taken out of the event.
            .then(|| unsafe { BoxedWaker::from_word(word) })
    }

    /// As [`Completion::wait`], by a caller that has looked for long already: it suspends the execution context at once
    /// if the event has not happened.
    pub fn wait_asleep(&self) {
        if !self.is_done() {
            self.sleep(OwnMailbox::get_to_wait(), sleep_on);
        }
    }

    fn wait_slow(&self, sleep_on: impl Fn(&Self) -> bool) {
        let mailbox = OwnMailbox::get_to_wait();
        if !spin_looking(mailbox, || self.is_done()) {
            self.sleep(mailbox, sleep_on);
        }
    }

    fn sleep(&self, mailbox: OwnMailbox, sleep_on: impl Fn(&Self) -> bool) {
        mailbox.settle();
        while !self.is_done() {
            if !sleep_on(self) {
                return self.wait_attached();
            }
        }
    }

    /// Waits as an attached thread, which stays where it is.
    fn wait_attached(&self) {
        match self.subscribe(current().to_word()) {
            Subscribed::Done => {}
            Subscribed::Yes => {
                while !self.is_done() {
                    park_asleep();
                }
            }
            Subscribed::Taken => {
                while !self.is_done() {
                    yield_now();
                }
            }
        }
    }

    /// Registers a coroutine, which has left its stack, as the waiter that the completer makes ready. So a blocking
    /// wait costs two locked instructions: this one and the completer's. False if the event has happened, or somebody
    /// else waits.
    #[cfg(not(loom))]
    #[inline]
    pub(super) fn register_sleeper(&self, ec: EcRef) -> bool {
        matches!(self.subscribe(ec.to_sleeper_word()), Subscribed::Yes)
    }

    /// As [`Completion::register_sleeper`], for [`Completion::wait_biased`].
    #[cfg(not(loom))]
    #[inline]
    pub(super) fn register_sleeper_biased(&self, ec: EcRef) -> bool {
        let plain = || {
            // Relaxed: as in `complete_biased`. Release: as in `subscribe`.
            let is_pending = self.0.load(Ordering::Relaxed) == PENDING;
            if is_pending {
                self.0.store(ec.to_sleeper_word(), Ordering::Release);
            }
            is_pending
        };
        if_biased(plain, || false) || self.register_sleeper(ec)
    }

    /// Registers `waiter`, by its word.
    fn subscribe(&self, waiter: usize) -> Subscribed {
        // Release publishes the waiter to `complete`; Acquire on failure pairs with the Release in `complete`.
        match self
            .0
            .compare_exchange(PENDING, waiter, Ordering::Release, Ordering::Acquire)
        {
            Ok(_) => Subscribed::Yes,
            Err(DONE) => Subscribed::Done,
            Err(word) if names_waker(word) => self.replace(word, waiter),
            Err(_) => Subscribed::Taken,
        }
    }

    /// Registers `waiter` in the place of a waker, whose future waits no more.
    #[cold]
    fn replace(&self, word: usize, waiter: usize) -> Subscribed {
        match self.take_back(word) {
            Some(_) => self.subscribe(waiter),
            None => Subscribed::Done,
        }
    }

    /// Takes a waiter back; without effect if the event has happened.
    fn unsubscribe(&self, waiter: usize) {
        // Acquire on failure pairs with the Release in `complete`.
        let _ = self
            .0
            .compare_exchange(waiter, PENDING, Ordering::Relaxed, Ordering::Acquire);
    }
}

enum Subscribed {
    Yes,
    Done,
    /// Another thread waits for the same event, which MPI forbids; the caller polls instead.
    Taken,
}

/// Checks `done` again and again for a bounded time, as long as nobody else could use the worker, and delivers what
/// comes to the caller's mailbox. True if it became true.
fn spin_looking(mailbox: OwnMailbox, done: impl Fn() -> bool) -> bool {
    spin_while_idle(|| {
        mailbox.look();
        done()
    })
}

/// Wakes the waiter that `word` names.
#[inline(never)]
fn notify(word: usize) {
    match word & WAKER {
        ASLEEP => EcRef::from_word(word & !ASLEEP).wake_sleeper(),
        0 if word & URGENT != 0 => EcRef::from_word(word & !URGENT).wake_urgent_sleeper(),
        0 => EcRef::from_word(word).unpark(),
        COUNTDOWN => count_down(word),
        _ => wake(word),
    }
}

/// Calls the waker that `word` names, and frees it.
fn wake(word: usize) {
    // SAFETY:
    // - `complete` has taken the word out of the event.
    let boxed = unsafe { BoxedWaker::from_word(word) };
    // The completer may be in the middle of anything: it cannot unwind.
    let guard = Unwinding;
    boxed.0.wake();
    std::mem::forget(guard);
}

/// Aborts the process when it is dropped, in a panic.
struct Unwinding;

impl Drop for Unwinding {
    fn drop(&mut self) {
        eprintln!("the waker of a future has panicked, which leaves other ranks without their messages");
        std::process::abort();
    }
}

/// Counts an event for the execution context that `word` names.
fn count_down(word: usize) {
    let countdown = std::ptr::with_exposed_provenance::<Countdown>(word & !COUNTDOWN);
    // SAFETY:
    // - the word comes from `wait_all`, whose frame holds the countdown until `left` is zero, and nobody but this call
    //   lowers `left` for this event, below.
    let countdown = unsafe { &*countdown };
    let waiter = countdown.waiter;
    // Release pairs with the Acquire in `wait_all`; after it the countdown may be gone.
    if countdown.left.fetch_sub(1, Ordering::AcqRel) == 1 {
        waiter.unpark();
    }
}

/// Blocks the execution context until all `events` have happened; it is woken once.
pub fn wait_all(events: &[&Completion]) {
    let done = Cell::new(0);
    let all_done = || {
        done.set(
            done.get()
                + events[done.get()..]
                    .iter()
                    .take_while(|event| event.is_done())
                    .count(),
        );
        done.get() == events.len()
    };
    if all_done() {
        return;
    }
    let mailbox = OwnMailbox::get_to_wait();
    if spin_looking(mailbox, all_done) {
        return;
    }
    mailbox.settle();
    if all_done() {
        return;
    }
    let events = &events[done.get()..];
    let countdown = Countdown {
        left: AtomicUsize::new(events.len() + 1),
        waiter: current(),
    };
    let word = std::ptr::from_ref(&countdown).expose_provenance() | COUNTDOWN;
    let mut settled = 1;
    let mut taken = Vec::new();
    for event in events {
        match event.subscribe(word) {
            Subscribed::Yes => {}
            Subscribed::Done => settled += 1,
            Subscribed::Taken => {
                settled += 1;
                taken.push(event);
            }
        }
    }
    // AcqRel pairs with the same in `notify`.
    if countdown.left.fetch_sub(settled, Ordering::AcqRel) != settled {
        // Acquire pairs with the Release in `notify`.
        while countdown.left.load(Ordering::Acquire) != 0 {
            park_asleep();
        }
    }
    taken.into_iter().for_each(|event| event.wait());
}

/// Blocks the execution context until one of `events` has happened and returns its index, the lowest if several.
///
/// # Panics
///
/// When `events` is empty: nothing could ever wake the caller.
pub fn wait_any(events: &[&Completion]) -> usize {
    assert!(!events.is_empty(), "waiting for one of no events");
    let first_done = || events.iter().position(|event| event.is_done());
    let mailbox = OwnMailbox::get_to_wait();
    spin_looking(mailbox, || first_done().is_some());
    if let Some(index) = first_done() {
        return index;
    }
    mailbox.settle();
    let word = current().to_word();
    let mut polls = false;
    for event in events {
        polls |= matches!(event.subscribe(word), Subscribed::Taken);
    }
    let index = loop {
        if let Some(index) = first_done() {
            break index;
        }
        if polls { yield_now() } else { park_asleep() }
    };
    // A completer may have taken the word already, and will unpark this context later: `park` allows such a wake-up.
    events.iter().for_each(|event| event.unsubscribe(word));
    index
}

impl std::fmt::Debug for Completion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Completion").field(&self.is_done()).finish()
    }
}
