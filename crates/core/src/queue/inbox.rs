//! The door of a virtual processor: many producers, one consumer, and the consumer's sleep.
//!
//! One word holds the whole state: empty, asleep, or the newest of a stack of elements linked through themselves. A
//! push is one compare-and-swap on one line and learns from the same word whether the consumer must be woken; taking
//! everything is one swap, after which the consumer puts the elements in order of arrival.

use std::ptr;
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use crate::network::Network;
use crate::queue::{IntrusiveQueue, Node};
use crate::sync::{AtomicPtr, AtomicU32, Ordering, futex_wait, futex_wait_for, futex_wake};

/// Multi-producer single-consumer queue whose consumer can sleep on it.
pub struct Inbox<T: Node> {
    /// Null: empty. The address of `asleep`: empty, and the consumer sleeps. Otherwise the newest element.
    head: AtomicPtr<T>,
    /// Counts wake-ups; the consumer sleeps on it.
    wakeups: AtomicU32,
    /// Where the consumer may sleep instead: whoever wakes it rings there too.
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

    /// Says where the consumer may [sleep](Inbox::sleep_at) besides; before it does, and once.
    pub fn set_network(&self, network: Weak<dyn Network>) {
        let set = self.network.set(network).is_ok();
        debug_assert!(set, "a consumer has one network");
    }

    /// A mark that is no element's address: elements are aligned, addresses in the first page are not mapped.
    fn asleep() -> *mut T {
        ptr::without_provenance_mut(1)
    }

    /// Adds an element that is on no list, and wakes the consumer if it sleeps.
    pub fn push(&self, node: &'static T) {
        self.push_linked(node, node);
    }

    /// Adds a whole queue at the price of one push. The consumer sees it in reverse order.
    pub fn push_all(&self, chain: IntrusiveQueue<T>) {
        if let Some((head, tail)) = chain.into_ends() {
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
            // Release publishes the links and all the producer wrote to the elements; pairs with the Acquire in
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

    /// Whether the consumer seems to sleep: a hint for who could do without it.
    pub fn seems_asleep(&self) -> bool {
        self.head.load(Ordering::Relaxed) == Self::asleep()
    }

    /// Ends the consumer's sleep although nothing was added; also one that is about to begin, if its
    /// [`Inbox::ticket`] was taken before.
    pub fn notify(&self) {
        self.wake();
    }

    /// What [`Inbox::sleep`] wants: taken before the consumer looks at anything else that could keep it awake.
    pub fn ticket(&self) -> u32 {
        // SeqCst: a nudger changes its condition first, the consumer takes its ticket first.
        self.wakeups.load(Ordering::SeqCst)
    }

    /// Whether there is something to take. Consumer only.
    #[inline]
    pub fn has_mail(&self) -> bool {
        // Relaxed: `take` synchronises.
        !self.head.load(Ordering::Relaxed).is_null()
    }

    /// Whether nothing was pushed since the last `take`. For anybody.
    pub fn is_quiet(&self) -> bool {
        // SeqCst: part of the argument in the scheduler's `deadlock.rs`.
        let head = self.head.load(Ordering::SeqCst);
        head.is_null() || head == Self::asleep()
    }

    /// Takes everything, oldest first. Consumer only.
    pub fn take(&self) -> IntrusiveQueue<T> {
        // Acquire pairs with the Release in `push_linked`.
        let newest = self.head.swap(ptr::null_mut(), Ordering::Acquire);
        debug_assert!(
            newest != Self::asleep(),
            "only the consumer takes, and it is awake"
        );
        Self::oldest_first(newest)
    }

    /// Takes everything, oldest first, in the consumer's place, which may find nothing where it has seen something. For
    /// anybody.
    pub fn steal_all(&self) -> IntrusiveQueue<T> {
        let mut head = self.head.load(Ordering::Relaxed);
        while !head.is_null() && head != Self::asleep() {
            // Acquire: as in `take`.
            match self
                .head
                .compare_exchange_weak(head, ptr::null_mut(), Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(newest) => return Self::oldest_first(newest),
                Err(now) => head = now,
            }
        }
        IntrusiveQueue::new()
    }

    fn oldest_first(mut node: *mut T) -> IntrusiveQueue<T> {
        let mut chain = IntrusiveQueue::new();
        // SAFETY:
        // - a pushed element lives for ever, and since it was taken its link belongs to who has done that.
        while let Some(element) = unsafe { node.as_ref() } {
            node = element.link().load(Ordering::Relaxed);
            chain.push_front(element);
        }
        chain
    }

    /// Sleeps until something is pushed or, since `ticket`, somebody has nudged; returns at once if that is so already.
    /// Consumer only.
    pub fn sleep(&self, ticket: u32) {
        if !self.lie_down() {
            return;
        }
        while self.head.load(Ordering::Relaxed) == Self::asleep() {
            if self.wakeups.load(Ordering::SeqCst) != ticket {
                return self.get_up();
            }
            futex_wait(&self.wakeups, ticket);
        }
    }

    /// As [`Inbox::sleep`], but may also return early, and does when the time is over.
    pub fn sleep_for(&self, ticket: u32, limit: Duration) {
        if self.lie_down() {
            futex_wait_for(&self.wakeups, ticket, Some(limit));
            self.get_up();
        }
    }

    /// As [`Inbox::sleep`], but also until something arrives from the network, or the time is over.
    pub fn sleep_at(&self, network: &dyn Network, ticket: u32, limit: Option<Duration>) {
        if self.lie_down() {
            network.sleep(&self.wakeups, ticket, limit);
            self.get_up();
        }
    }

    /// Marks the consumer as asleep, unless there is something to take.
    fn lie_down(&self) -> bool {
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

    /// Takes the mark away. Fails if something has just been pushed, which has taken it away as well.
    fn get_up(&self) {
        let _ = self.head.compare_exchange(
            Self::asleep(),
            ptr::null_mut(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
    }
}
