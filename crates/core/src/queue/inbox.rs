//! The inbox of a virtual processor (its injector queue): many producers, one consumer, and the consumer's sleep.
//!
//! # Protocol
//!
//! One word, `head`, has the whole state:
//!
//! | state | meaning |
//! |---|---|
//! | null | empty; the consumer is awake |
//! | `asleep()` | empty; the consumer sleeps, or is about to |
//! | an element | the newest of a stack of elements, linked through themselves |
//!
//! A push is one compare-exchange on one line, and learns from the old word whether the consumer has to be woken. To
//! take everything is one swap, after which the consumer reverses the stack, into the order of arrival.
//!
//! A consumer that sleeps also hears of notifications that push nothing. It takes a ticket, the number of wake-ups so
//! far, before it checks for the last time what could keep it awake, and sleeps only while that number is the same.

use std::ptr;
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use crate::network::Network;
use crate::queue::{IntrusiveQueue, Node};
use crate::sync::{AtomicPtr, AtomicU32, Ordering, futex_wait, futex_wait_for, futex_wake};

/// A multi-producer single-consumer queue on which the consumer can sleep.
pub struct Inbox<T: Node> {
    /// The state: see the protocol.
    head: AtomicPtr<T>,
    /// The number of wake-ups; the consumer sleeps on it.
    wakeups: AtomicU32,
    /// The network in which the consumer may sleep instead, and which is then to be woken, too.
    network: OnceLock<Weak<dyn Network>>,
}

impl<T: Node> Default for Inbox<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Node> Inbox<T> {
    /// An empty inbox.
    #[must_use]
    pub fn new() -> Self {
        Self {
            head: AtomicPtr::new(ptr::null_mut()),
            wakeups: AtomicU32::new(0),
            network: OnceLock::new(),
        }
    }

    /// Sets the network in which the consumer may [sleep](Inbox::sleep_at), before it does. To be called once.
    pub fn set_network(&self, network: Weak<dyn Network>) {
        let set = self.network.set(network).is_ok();
        debug_assert!(set, "a consumer has one network");
    }

    /// A value that is no element's address: elements are aligned, and the first page is not mapped.
    fn asleep() -> *mut T {
        ptr::without_provenance_mut(1)
    }

    /// Adds an element, which is on no list, and wakes the consumer if it sleeps.
    pub fn push(&self, node: &'static T) {
        self.push_linked(node, node);
    }

    /// Adds a whole queue at the cost of one push. The consumer gets its elements in reverse order.
    pub fn push_all(&self, queue: IntrusiveQueue<T>) {
        if let Some((head, tail)) = queue.into_ends() {
            self.push_linked(head, tail);
        }
    }

    fn push_linked(&self, first: &'static T, last: &'static T) {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            let below = if head == Self::asleep() {
                ptr::null_mut()
            } else {
                head
            };
            last.link().store(below, Ordering::Relaxed);
            // Release publishes the links and all that the producer wrote to the elements; pairs with the Acquire in
            // `take`.
            let new = ptr::from_ref(first).cast_mut();
            match self
                .head
                .compare_exchange_weak(head, new, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        if head == Self::asleep() {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        // SeqCst: see `ticket`.
        self.wakeups.fetch_add(1, Ordering::SeqCst);
        futex_wake(&self.wakeups, 1);
        if let Some(network) = self.network.get().and_then(Weak::upgrade) {
            network.wake();
        }
    }

    /// Whether the consumer seems to sleep: a hint.
    pub fn seems_asleep(&self) -> bool {
        self.head.load(Ordering::Relaxed) == Self::asleep()
    }

    /// Ends the consumer's sleep although nothing was added; also a sleep that is about to begin, if its
    /// [`Inbox::ticket`] was taken before.
    pub fn notify(&self) {
        self.wake();
    }

    /// A ticket for [`Inbox::sleep`]. The consumer takes it before it checks anything else that could keep it awake.
    pub fn ticket(&self) -> u32 {
        // SeqCst: a notifier changes its condition first, the consumer takes its ticket first.
        self.wakeups.load(Ordering::SeqCst)
    }

    /// Whether there is something to take. For the consumer.
    #[inline]
    pub fn has_mail(&self) -> bool {
        // Relaxed: `take` synchronises.
        !self.head.load(Ordering::Relaxed).is_null()
    }

    /// Whether nothing was pushed since the last `take`. Anybody may call this.
    pub fn is_quiet(&self) -> bool {
        // SeqCst: part of the argument in the scheduler's `deadlock.rs`.
        let head = self.head.load(Ordering::SeqCst);
        head.is_null() || head == Self::asleep()
    }

    /// Takes everything, oldest first. For the consumer.
    pub fn take(&self) -> IntrusiveQueue<T> {
        // Acquire pairs with the Release in `push_linked`. Release: whoever finds the inbox quiet afterwards also sees
        // that the consumer is awake, as the scheduler's `deadlock.rs` has to.
        let newest = self.head.swap(ptr::null_mut(), Ordering::AcqRel);
        debug_assert!(
            newest != Self::asleep(),
            "only the consumer takes, and it is awake"
        );
        Self::oldest_first(newest)
    }

    /// Takes everything, oldest first, in the place of the consumer, which may then find nothing though it has seen
    /// something. Anybody may call this.
    pub fn steal_all(&self) -> IntrusiveQueue<T> {
        let mut head = self.head.load(Ordering::Relaxed);
        while !head.is_null() && head != Self::asleep() {
            // AcqRel: as in `take`.
            match self
                .head
                .compare_exchange_weak(head, ptr::null_mut(), Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(newest) => return Self::oldest_first(newest),
                Err(now) => head = now,
            }
        }
        IntrusiveQueue::new()
    }

    fn oldest_first(mut node: *mut T) -> IntrusiveQueue<T> {
        let mut queue = IntrusiveQueue::new();
        // SAFETY:
        // - a pushed element lives for ever, and its link belongs to the caller, who has taken it.
        while let Some(element) = unsafe { node.as_ref() } {
            node = element.link().load(Ordering::Relaxed);
            queue.push_front(element);
        }
        queue
    }

    /// Sleeps until something is pushed or [`Inbox::notify`] is called; returns at once if that has happened since
    /// `ticket`. For the consumer.
    pub fn sleep(&self, ticket: u32) {
        if !self.begin_sleep() {
            return;
        }
        while self.head.load(Ordering::Relaxed) == Self::asleep() {
            if self.wakeups.load(Ordering::SeqCst) != ticket {
                return self.end_sleep();
            }
            futex_wait(&self.wakeups, ticket);
        }
    }

    /// As [`Inbox::sleep`], but returns when the time is over, and may return early.
    pub fn sleep_for(&self, ticket: u32, limit: Duration) {
        if self.begin_sleep() {
            futex_wait_for(&self.wakeups, ticket, Some(limit));
            self.end_sleep();
        }
    }

    /// As [`Inbox::sleep`], but returns also when something arrives from the network, or the time is over.
    pub fn sleep_at(&self, network: &dyn Network, ticket: u32, limit: Option<Duration>) {
        if self.begin_sleep() {
            network.sleep(&self.wakeups, ticket, limit);
            self.end_sleep();
        }
    }

    /// Marks the consumer as asleep, unless there is something to take.
    fn begin_sleep(&self) -> bool {
        // Relaxed: an element found here is taken by `take`, which synchronises.
        self.head
            .compare_exchange(
                ptr::null_mut(),
                Self::asleep(),
                Ordering::Relaxed,
                Ordering::Relaxed,
            )
            .is_ok()
    }

    /// Marks the consumer as awake. Without effect if something has just been pushed, which does that, too.
    fn end_sleep(&self) {
        let _ = self.head.compare_exchange(
            Self::asleep(),
            ptr::null_mut(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
    }
}
