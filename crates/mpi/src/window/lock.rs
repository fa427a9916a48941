//! The locks of ranks' memory.
//!
//! A window decides once where its locks are. If all its processes that live on a node have mapped the memory for that,
//! the locks of the node's ranks are there ([`SharedLock`]), and each of these processes takes and releases them
//! itself. Otherwise the lock of a rank is in its process ([`OwnLock`]). Ranks that do not reach a lock ask the
//! process of its rank, which takes it in their names. So each lock is one word, whoever wants it.
//!
//! A request that has to wait is a number in the lock's queue. Who waits for what is known to the process that has
//! queued it (`waiters`). Whoever hands the lock on tells that process, if it is another one.

use simurgh_core::sync::SpinLock;
use simurgh_core::{Held, LockKind, LockQueue, LockRequest, LockWord, SharedLock};
use std::collections::VecDeque;

/// A lock in the memory of a process.
#[derive(Default)]
pub(super) struct OwnLock {
    word: LockWord,
    queue: SpinLock<Queue>,
}

#[derive(Default)]
struct Queue(VecDeque<LockRequest>);

/// The lock of a rank, for processes that reach it.
#[derive(Clone, Copy)]
pub(super) enum Lock<'a> {
    /// In this process.
    Own(&'a OwnLock),
    /// In memory that the processes of the node share.
    Shared(SharedLock<'a>),
}

impl LockQueue for Queue {
    fn first(&self) -> Option<LockRequest> {
        self.0.front().copied()
    }

    fn remove_first(&mut self) {
        self.0.pop_front();
    }
}

impl OwnLock {
    /// The word, to take or release the lock while nobody waits.
    #[inline]
    pub(super) fn word(&self) -> &LockWord {
        &self.word
    }
}

impl Lock<'_> {
    #[inline]
    fn word(&self) -> &LockWord {
        match self {
            Self::Own(lock) => lock.word(),
            Self::Shared(lock) => lock.word(),
        }
    }

    /// Takes the lock if nobody holds it in another way and nobody waits.
    #[inline]
    pub(super) fn try_acquire(&self, request: LockRequest) -> bool {
        self.word().try_acquire(request)
    }

    /// Takes the lock, or queues the request. Whether the lock is taken.
    pub(super) fn acquire(&self, request: LockRequest) -> bool {
        match self {
            Self::Own(lock) => {
                let mut queue = lock.queue.lock();
                let taken = lock.word.acquire_or_queue(request);
                if !taken {
                    queue.0.push_back(request);
                }
                taken
            }
            Self::Shared(lock) => lock.acquire(request),
        }
    }

    /// Releases the lock if nobody waits for it. Whether it is released; otherwise it has to be handed on.
    #[inline]
    pub(super) fn try_release(&self, kind: LockKind) -> bool {
        self.word().try_release(kind)
    }

    /// Releases the lock, for which others wait. The ranks that have it now, and wait to be told.
    #[cold]
    pub(super) fn hand_on(&self, kind: LockKind) -> Vec<u32> {
        match self {
            Self::Own(lock) => lock.word.hand_on(kind, &mut *lock.queue.lock()),
            Self::Shared(lock) => lock.hand_on(kind),
        }
    }

    /// Who holds the lock, and the requests that wait for it in order, for a deadlock report.
    pub(super) fn waits(&self) -> (Held, Vec<LockRequest>) {
        match self {
            Self::Own(lock) => {
                let queue = lock.queue.lock();
                (lock.word.held(), queue.0.iter().copied().collect())
            }
            Self::Shared(lock) => lock.waits(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use LockKind::{Exclusive, Shared};

    fn request(kind: LockKind, origin: u32) -> LockRequest {
        LockRequest { kind, origin }
    }

    fn release(lock: Lock<'_>, kind: LockKind) -> Vec<u32> {
        match lock.try_release(kind) {
            true => Vec::new(),
            false => lock.hand_on(kind),
        }
    }

    #[test]
    fn requests_are_granted_in_order_and_sharers_together() {
        let own = OwnLock::default();
        let lock = Lock::Own(&own);
        assert!(lock.try_acquire(request(Shared, 0)) && lock.try_acquire(request(Shared, 0)));
        assert!(!lock.try_acquire(request(Exclusive, 0)) && !lock.acquire(request(Exclusive, 1)));
        // Nobody overtakes one that waits.
        assert!(!lock.try_acquire(request(Shared, 0)) && !lock.acquire(request(Shared, 2)));
        assert!(!lock.acquire(request(Shared, 3)) && !lock.acquire(request(Exclusive, 4)));
        assert_eq!(lock.waits().0, Held::SharedBy(2));
        assert_eq!((release(lock, Shared), release(lock, Shared)), (vec![], vec![1]));
        let waiting = [request(Shared, 2), request(Shared, 3), request(Exclusive, 4)];
        assert_eq!(lock.waits(), (Held::ExclusivelyBy(1), waiting.to_vec()));
        assert_eq!(release(lock, Exclusive), [2, 3]);
        assert_eq!((release(lock, Shared), release(lock, Shared)), (vec![], vec![4]));
        assert!(!lock.try_acquire(request(Shared, 0)));
        assert!(release(lock, Exclusive).is_empty());
        assert_eq!(lock.waits(), (Held::Free, vec![]));
        assert!(lock.acquire(request(Exclusive, 5)) && !lock.try_acquire(request(Shared, 0)));
    }
}
