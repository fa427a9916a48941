//! Flow control of active messages between two hosts, by a window of requests.
//!
//! A host may have so many requests at another that this one has not handled. A reply costs nothing: there are no more
//! replies than requests. Every packet of an active message tells how many requests its sender has handled so far, as a
//! sum modulo 2^32, for the same reasons as with credits (`credit`). A host that has nothing to reply tells it in a
//! packet of its own when half the window is owed.

use crate::limits::ACTIVE_MESSAGES;
use simurgh_core::sync::{AtomicBool, AtomicU32, Ordering, if_biased};

/// The requests to one host and from it.
#[derive(Default)]
pub(super) struct RequestWindow {
    /// Requests sent.
    sent: AtomicU32,
    /// How many of these the other host has told to have handled. Written by the thread that polls.
    confirmed: AtomicU32,
    /// Requests of the other host that have been handled here. Written by the thread that polls.
    handled: AtomicU32,
    /// The number of which the other host has been told. It is approximate, as with credits.
    told: AtomicU32,
    /// Whether a request has been sent, or is about to be, that the other host answers by a word (`answer`).
    is_asking: AtomicBool,
    /// How many answers of the other host have been read.
    answers: AtomicU32,
}

// Relaxed but for what has been handled: the other numbers order no other data. `RequestWindow::has_room` is read by
// threads that wait for room, which the thread that confirms wakes with an ordering of its own.
impl RequestWindow {
    /// Whether a request may be sent.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.under_way(self.sent.load(Ordering::Relaxed)) < ACTIVE_MESSAGES
    }

    #[inline]
    fn under_way(&self, sent: u32) -> u32 {
        // Negative if requests were sent after the load of `sent` and are confirmed already.
        let under_way = sent.wrapping_sub(self.confirmed.load(Ordering::Relaxed));
        under_way.cast_signed().max(0).cast_unsigned()
    }

    /// Takes the place of a request; false if there is none.
    #[inline]
    pub(super) fn take_place(&self) -> bool {
        let mut sent = self.sent.load(Ordering::Relaxed);
        while self.under_way(sent) < ACTIVE_MESSAGES {
            let next = sent.wrapping_add(1);
            let plain = || {
                // No other thread has taken one meanwhile.
                self.sent.store(next, Ordering::Relaxed);
                Ok(sent)
            };
            let locked = || {
                self.sent
                    .compare_exchange_weak(sent, next, Ordering::Relaxed, Ordering::Relaxed)
            };
            match if_biased(plain, locked) {
                Ok(_) => return true,
                Err(now) => sent = now,
            }
        }
        false
    }

    /// Begins a request that is answered by a word; false while there is another one.
    #[inline]
    pub(super) fn begin_asking(&self) -> bool {
        let plain = || {
            // No other thread has begun one meanwhile.
            let is_asking = self.is_asking.load(Ordering::Relaxed);
            self.is_asking.store(true, Ordering::Relaxed);
            !is_asking
        };
        // Acquire pairs with the Release in `end_asking`: the answer before has been read.
        if_biased(plain, || !self.is_asking.swap(true, Ordering::Acquire))
    }

    /// Whether the answer is among so many.
    #[inline]
    pub(super) fn is_answered(&self, answers: u32) -> bool {
        answers != self.answers.load(Ordering::Relaxed)
    }

    /// Says that so many answers have been read: the last one, or there is none.
    #[inline]
    pub(super) fn end_asking(&self, answers: u32) {
        self.answers.store(answers, Ordering::Relaxed);
        // Release pairs with the Acquire in `begin_asking`.
        self.is_asking.store(false, Ordering::Release);
    }

    /// Notes how many requests the other host has handled; whether these are more than before. It cannot have handled
    /// more than it was sent. Called by the thread that polls.
    #[inline]
    pub(super) fn confirm(&self, told: u32) -> bool {
        let known = self.confirmed.load(Ordering::Relaxed);
        let under_way = self.sent.load(Ordering::Relaxed).wrapping_sub(known);
        let more = told.wrapping_sub(known);
        let believed = more > 0 && more <= under_way;
        if believed {
            self.confirmed.store(told, Ordering::Relaxed);
        }
        believed
    }

    /// Notes that a request of the other host has been handled. The number of all that have been. Called by the thread
    /// that polls.
    #[inline]
    pub(super) fn handle(&self) -> u32 {
        let handled = self.handled.load(Ordering::Relaxed).wrapping_add(1);
        // Release pairs with the Acquire in `has_handled`: what the handler has done is visible.
        self.handled.store(handled, Ordering::Release);
        handled
    }

    /// Whether the other host should be told how many have been handled, by a packet.
    #[inline]
    pub(super) fn is_owed(&self) -> bool {
        let handled = self.handled.load(Ordering::Relaxed);
        handled.wrapping_sub(self.told.load(Ordering::Relaxed)) >= ACTIVE_MESSAGES / 2
    }

    /// How many requests have been sent so far.
    #[inline]
    pub(super) fn sent(&self) -> u32 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Whether so many requests of the other host have been handled; what that has changed is visible.
    pub(super) fn has_handled(&self, requests: u32) -> bool {
        includes(self.handled.load(Ordering::Acquire), requests)
    }

    /// The number of requests of the other host that have been handled, which is told now.
    #[inline]
    pub(super) fn tell(&self) -> u32 {
        let handled = self.handled.load(Ordering::Relaxed);
        self.told.store(handled, Ordering::Relaxed);
        handled
    }
}

/// Whether a number of requests, modulo 2^32, is at least another one.
pub(super) fn includes(number: u32, other: u32) -> bool {
    other.wrapping_sub(number).cast_signed() <= 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_requests_are_under_way_than_the_window_has() {
        let window = RequestWindow::default();
        assert!((0..ACTIVE_MESSAGES).all(|_| window.take_place()));
        assert!(!window.has_room() && !window.take_place());
        assert!(!window.confirm(0) && !window.confirm(ACTIVE_MESSAGES + 1));
        assert!(window.confirm(3) && !window.confirm(2));
        assert!((0..3).all(|_| window.take_place()) && !window.take_place());
    }

    #[test]
    fn one_answer_at_a_time_is_awaited() {
        let window = RequestWindow::default();
        assert!(window.begin_asking() && !window.begin_asking());
        assert!(!window.is_answered(0) && window.is_answered(1));
        window.end_asking(1);
        assert!(window.begin_asking() && !window.is_answered(1) && window.is_answered(2));
    }

    #[test]
    fn the_other_host_is_told_when_half_the_window_is_owed() {
        let window = RequestWindow::default();
        assert!((1..ACTIVE_MESSAGES / 2).all(|number| window.handle() == number && !window.is_owed()));
        assert!(window.handle() == ACTIVE_MESSAGES / 2 && window.is_owed());
        assert_eq!(window.tell(), ACTIVE_MESSAGES / 2);
        assert!(window.handle() > ACTIVE_MESSAGES / 2 && !window.is_owed());
        assert!(window.has_handled(ACTIVE_MESSAGES / 2 + 1) && !window.has_handled(ACTIVE_MESSAGES / 2 + 2));
    }
}
