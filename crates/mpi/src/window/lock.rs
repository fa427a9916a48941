//! The lock of a rank's memory.
//!
//! One word has the state: whether the lock is held exclusively, by how many it is shared, and whether somebody waits.
//! While nobody waits, to take it or to release it is one exchange of the word. Once somebody waits, whoever takes or
//! releases the lock does so under the lock of the queue. Requests are granted in the order in which they have come,
//! those to share that follow each other together; so neither kind starves.

use crate::network::ReplyTo;
use crate::request::Request;
use simurgh_core::sync::{Arc, AtomicU32, Ordering, SpinLock};
use std::collections::VecDeque;

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// By one rank.
    Exclusive,
    /// By any number of ranks.
    Shared,
}

/// Set in the word while requests wait.
const QUEUED: u32 = 1 << 31;
/// Set in the word while the lock is held exclusively. The lower bits count those that share it.
const EXCLUSIVE: u32 = 1 << 30;

/// A lock.
#[derive(Default)]
pub(super) struct WindowLock {
    word: AtomicU32,
    /// The rank that was the last to take it exclusively, for deadlock reports.
    holder: AtomicU32,
    queue: SpinLock<VecDeque<Waiting>>,
}

/// A request that waits.
pub(super) struct Waiting {
    pub(super) kind: LockKind,
    /// The rank that wants the lock.
    pub(super) origin: u32,
    pub(super) waiter: LockWaiter,
}

/// Who is told when a lock is granted.
pub(super) enum LockWaiter {
    /// A rank of this host.
    Local(Arc<Request>),
    /// A rank of another host.
    Remote(ReplyTo),
}

/// Who holds a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Free,
    ExclusivelyBy(u32),
    SharedBy(u32),
}

impl LockKind {
    /// The word with one more holder of this kind; none if that cannot be.
    #[inline]
    fn taken(self, word: u32) -> Option<u32> {
        match self {
            Self::Exclusive => (word & !QUEUED == 0).then_some(word | EXCLUSIVE),
            Self::Shared => (word & EXCLUSIVE == 0).then_some(word + 1),
        }
    }

    /// The word with one holder of this kind less.
    #[inline]
    fn released(self, word: u32) -> u32 {
        match self {
            Self::Exclusive => word & !EXCLUSIVE,
            // Another host may release what it does not hold.
            Self::Shared if word & !QUEUED & !EXCLUSIVE == 0 => word,
            Self::Shared => word - 1,
        }
    }
}

impl WindowLock {
    /// Takes the lock if nobody holds it in another way and nobody waits.
    #[inline]
    pub(super) fn try_acquire(&self, kind: LockKind, origin: u32) -> bool {
        let next = |word: u32| match word & QUEUED {
            0 => kind.taken(word),
            _ => None,
        };
        // Acquire pairs with the Release of the last holder.
        let taken = self
            .word
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, next)
            .is_ok();
        if taken {
            self.note_holder(kind, origin);
        }
        taken
    }

    /// Notes who has taken the lock. Relaxed: it is read for reports only, when nothing moves.
    #[inline]
    fn note_holder(&self, kind: LockKind, origin: u32) {
        if kind == LockKind::Exclusive {
            self.holder.store(origin, Ordering::Relaxed);
        }
    }

    /// Takes the lock, or queues the request. Whether the lock is taken.
    pub(super) fn acquire(&self, waiting: Waiting) -> bool {
        let kind = waiting.kind;
        let mut queue = self.queue.lock();
        let next = |word: u32| match (word & QUEUED, kind.taken(word)) {
            (0, Some(taken)) => Some(taken),
            _ => Some(word | QUEUED),
        };
        // Acquire as in `try_acquire`. The closure never refuses.
        let before = self.word.fetch_update(Ordering::Acquire, Ordering::Acquire, next);
        let (Ok(before) | Err(before)) = before;
        let is_taken = before & QUEUED == 0 && kind.taken(before).is_some();
        if is_taken {
            self.note_holder(kind, waiting.origin);
        } else {
            queue.push_back(waiting);
        }
        is_taken
    }

    /// Releases the lock, and hands it to those that wait for it: `grant` is called for each that has it now.
    #[inline]
    pub(super) fn release(&self, kind: LockKind, grant: impl FnMut(LockWaiter)) {
        let next = |word: u32| (word & QUEUED == 0).then(|| kind.released(word));
        // Release: the next holder sees what was done under the lock.
        let released = self.word.fetch_update(Ordering::Release, Ordering::Relaxed, next);
        if released.is_err() {
            self.hand_on(kind, grant);
        }
    }

    /// Releases the lock, for which others wait.
    #[cold]
    fn hand_on(&self, kind: LockKind, mut grant: impl FnMut(LockWaiter)) {
        let mut granted = Vec::new();
        {
            let mut queue = self.queue.lock();
            // Relaxed: while requests wait, the word changes under the lock of the queue only.
            let mut word = kind.released(self.word.load(Ordering::Relaxed));
            while let Some(first) = queue.front() {
                let Some(taken) = first.kind.taken(word) else {
                    break;
                };
                word = taken;
                self.note_holder(first.kind, first.origin);
                granted.extend(queue.pop_front().map(|waiting| waiting.waiter));
            }
            if queue.is_empty() {
                word &= !QUEUED;
            }
            // Release as in `release`.
            self.word.store(word, Ordering::Release);
        }
        granted.into_iter().for_each(&mut grant);
    }

    /// Who holds the lock, and the ranks that wait for it in order, for a deadlock report.
    pub(super) fn waits(&self) -> (Held, Vec<(u32, LockKind)>) {
        let queue = self.queue.lock();
        let word = self.word.load(Ordering::Relaxed) & !QUEUED;
        let held = match word {
            0 => Held::Free,
            _ if word & EXCLUSIVE != 0 => Held::ExclusivelyBy(self.holder.load(Ordering::Relaxed)),
            sharers => Held::SharedBy(sharers),
        };
        let waiting = queue.iter().map(|waiting| (waiting.origin, waiting.kind));
        (held, waiting.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(kind: LockKind, origin: u32) -> Waiting {
        Waiting {
            kind,
            origin,
            waiter: LockWaiter::Local(Request::task()),
        }
    }

    fn release(lock: &WindowLock, kind: LockKind) -> usize {
        let mut granted = 0;
        lock.release(kind, |_| granted += 1);
        granted
    }

    #[test]
    fn requests_are_granted_in_order_and_sharers_together() {
        use LockKind::{Exclusive, Shared};
        let lock = WindowLock::default();
        assert!(
            lock.try_acquire(Shared, 0) && lock.try_acquire(Shared, 0) && !lock.try_acquire(Exclusive, 0)
        );
        assert!(!lock.acquire(waiting(Exclusive, 1)));
        // Nobody overtakes one that waits.
        assert!(!lock.try_acquire(Shared, 0) && !lock.acquire(waiting(Shared, 2)));
        assert!(!lock.acquire(waiting(Shared, 3)) && !lock.acquire(waiting(Exclusive, 4)));
        assert_eq!(lock.waits().0, Held::SharedBy(2));
        assert_eq!((release(&lock, Shared), release(&lock, Shared)), (0, 1));
        let (held, queue) = lock.waits();
        assert_eq!(
            (held, queue.len(), queue[0]),
            (Held::ExclusivelyBy(1), 3, (2, Shared))
        );
        assert_eq!(release(&lock, Exclusive), 2);
        assert_eq!((release(&lock, Shared), release(&lock, Shared)), (0, 1));
        assert!(!lock.try_acquire(Shared, 0));
        assert_eq!(release(&lock, Exclusive), 0);
        assert_eq!(lock.waits(), (Held::Free, vec![]));
        assert!(lock.acquire(waiting(Exclusive, 5)) && !lock.try_acquire(Shared, 0));
    }
}
