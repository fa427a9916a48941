//! An intrusive queue: linked through its elements.
//!
//! Every execution context is on at most one list, so one link inside it serves all lists. To push, to pop and to
//! splice whole queues is O(1) and allocates nothing.

use std::ptr::{self, NonNull};

use crate::sync::{AtomicPtr, Ordering};

/// An element that carries the link of the one list on which it is.
///
/// # Safety
///
/// * `link` always returns the same field of the element, which nothing but the list uses.
/// * Elements live for the rest of the program (they come from a pool that is never freed).
pub unsafe trait Node: Sized + 'static {
    /// The link.
    fn link(&self) -> &AtomicPtr<Self>;
}

/// A first-in first-out queue of elements that are on no other list.
pub struct IntrusiveQueue<T: Node> {
    head: *mut T,
    tail: *mut T,
    len: usize,
}

// SAFETY:
// - a queue owns its elements' links, and elements are only handed out as shared references.
unsafe impl<T: Node + Sync> Send for IntrusiveQueue<T> {}

impl<T: Node> Default for IntrusiveQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Node> IntrusiveQueue<T> {
    /// An empty queue.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            head: ptr::null_mut(),
            tail: ptr::null_mut(),
            len: 0,
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the queue has no element.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head.is_null()
    }

    /// Appends an element, which is on no list.
    #[inline]
    pub fn push_back(&mut self, node: &'static T) {
        // Relaxed: whatever protects the queue orders the links.
        node.link().store(ptr::null_mut(), Ordering::Relaxed);
        let node = ptr::from_ref(node).cast_mut();
        match NonNull::new(self.tail) {
            // SAFETY:
            // - a tail that is not null is an element of this queue and lives for ever.
            Some(tail) => unsafe { tail.as_ref() }.link().store(node, Ordering::Relaxed),
            None => self.head = node,
        }
        self.tail = node;
        self.len += 1;
    }

    /// Puts an element, which is on no list, in front.
    #[inline]
    pub fn push_front(&mut self, node: &'static T) {
        node.link().store(self.head, Ordering::Relaxed);
        self.head = ptr::from_ref(node).cast_mut();
        if self.tail.is_null() {
            self.tail = self.head;
        }
        self.len += 1;
    }

    /// Reverses the order of the elements.
    pub fn reverse(&mut self) {
        let mut reversed = Self::new();
        while let Some(node) = self.pop_front() {
            reversed.push_front(node);
        }
        *self = reversed;
    }

    /// Takes the first element.
    #[inline]
    pub fn pop_front(&mut self) -> Option<&'static T> {
        // SAFETY:
        // - a head that is not null is an element of this queue and lives for ever.
        let node: &'static T = unsafe { self.head.as_ref() }?;
        self.head = node.link().load(Ordering::Relaxed);
        if self.head.is_null() {
            self.tail = ptr::null_mut();
        }
        self.len -= 1;
        Some(node)
    }

    /// Takes the element at `index`: O(index). For the seeded scheduler.
    pub fn remove(&mut self, index: usize) -> Option<&'static T> {
        let mut before = IntrusiveQueue::new();
        for _ in 0..index.min(self.len) {
            before.push_back(self.pop_front()?);
        }
        let found = self.pop_front();
        before.append(self);
        *self = before;
        found
    }

    /// Moves all elements of `other` behind those of `self`: O(1).
    #[inline]
    pub fn append(&mut self, other: &mut IntrusiveQueue<T>) {
        let taken = std::mem::take(other);
        match NonNull::new(self.tail) {
            None => *self = taken,
            Some(_) if taken.is_empty() => {}
            Some(tail) => {
                // SAFETY:
                // - a tail that is not null is an element of this queue and lives for ever.
                unsafe { tail.as_ref() }
                    .link()
                    .store(taken.head, Ordering::Relaxed);
                self.tail = taken.tail;
                self.len += taken.len;
            }
        }
    }

    /// Splits off the elements from `at` on: O(at).
    pub fn split_off(&mut self, at: usize) -> IntrusiveQueue<T> {
        let mut kept = IntrusiveQueue::new();
        while kept.len < at {
            match self.pop_front() {
                Some(node) => kept.push_back(node),
                None => break,
            }
        }
        std::mem::replace(self, kept)
    }

    /// Calls `visit` with each element.
    #[cfg(not(loom))]
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&'static T)) {
        let mut node = self.head;
        // SAFETY:
        // - elements live for ever, and their links belong to the queue.
        while let Some(element) = unsafe { node.as_ref() } {
            visit(element);
            node = element.link().load(Ordering::Relaxed);
        }
    }

    /// The first element, which stays in the queue.
    #[must_use]
    pub fn front(&self) -> Option<&'static T> {
        // SAFETY:
        // - a head that is not null is an element of this queue and lives for ever.
        unsafe { self.head.as_ref() }
    }

    /// The first and the last element, for a list that takes over the links.
    pub(crate) fn into_ends(self) -> Option<(&'static T, &'static T)> {
        // SAFETY:
        // - ends that are not null are elements of this queue and live for ever.
        unsafe { Some((self.head.as_ref()?, self.tail.as_ref()?)) }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    struct Item {
        link: AtomicPtr<Item>,
        value: usize,
    }

    // SAFETY:
    // - `link` is one field; items are leaked.
    unsafe impl Node for Item {
        fn link(&self) -> &AtomicPtr<Item> {
            &self.link
        }
    }

    fn item(value: usize) -> &'static Item {
        Box::leak(Box::new(Item {
            link: AtomicPtr::new(ptr::null_mut()),
            value,
        }))
    }

    fn chain(values: std::ops::Range<usize>) -> IntrusiveQueue<Item> {
        let mut chain = IntrusiveQueue::new();
        values.for_each(|value| chain.push_back(item(value)));
        chain
    }

    fn values(mut chain: IntrusiveQueue<Item>) -> Vec<usize> {
        std::iter::from_fn(|| chain.pop_front().map(|item| item.value)).collect()
    }

    #[test]
    fn elements_leave_in_the_order_in_which_they_came() {
        let mut queue = chain(0..3);
        queue.push_front(item(9));
        assert_eq!(queue.len(), 4);
        assert_eq!(values(queue), [9, 0, 1, 2]);
    }

    #[test]
    fn reversing_keeps_all_elements() {
        for count in 0..4 {
            let mut queue = chain(0..count);
            queue.reverse();
            assert_eq!(queue.len(), count);
            queue.push_back(item(9));
            assert_eq!(values(queue), (0..count).rev().chain([9]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn splicing_keeps_order_and_empties_the_source() {
        for (left, right) in [(0, 0), (0, 2), (2, 0), (2, 3)] {
            let (mut a, mut b) = (chain(0..left), chain(10..10 + right));
            a.append(&mut b);
            assert!(b.is_empty());
            assert_eq!(a.len(), left + right);
            assert_eq!(values(a), (0..left).chain(10..10 + right).collect::<Vec<_>>());
        }
    }

    #[test]
    fn removing_and_splitting_keep_the_rest_in_order() {
        let mut queue = chain(0..5);
        assert_eq!(queue.remove(3).map(|item| item.value), Some(3));
        let rest = queue.split_off(1);
        assert_eq!(values(queue), [0]);
        assert_eq!(values(rest), [1, 2, 4]);
        assert!(chain(0..2).remove(2).is_none());
    }
}
