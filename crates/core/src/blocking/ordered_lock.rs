//! The word of a lock that is held exclusively or shared, and that is granted in the order of the requests.
//!
//! The word says whether the lock is held exclusively, by how many it is shared, and whether somebody waits. While
//! nobody waits, to take the lock or to release it is one exchange of the word. Once somebody waits, whoever takes or
//! releases the lock does so under the lock of the queue. Requests are granted in the order in which they have come,
//! those to share that follow each other together; so neither kind starves.
//!
//! The word neither has the queue nor suspends anybody: both are up to the owner, which knows whether those that wait
//! live in one process (then the queue may grow) or in several ([`SharedLock`](super::SharedLock)).

use crate::sync::{AtomicU32, Ordering};

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// By one.
    Exclusive,
    /// By any number.
    Shared,
}

/// Who holds a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nobody.
    Free,
    /// The one with this number.
    ExclusivelyBy(u32),
    /// So many.
    SharedBy(u32),
}

/// A request for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockRequest {
    /// How it is to be held.
    pub kind: LockKind,
    /// The number of the one that wants it, less than 2^31.
    pub origin: u32,
}

/// The requests that wait for a lock, under their lock.
pub trait LockQueue {
    /// The request that is the next.
    fn first(&self) -> Option<LockRequest>;

    /// Removes it.
    fn remove_first(&mut self);
}

/// Set in the word while requests wait.
const QUEUED: u32 = 1 << 31;
/// Set in the word while the lock is held exclusively. The lower bits count those that share it.
const EXCLUSIVE: u32 = 1 << 30;

/// The word of a lock; zeroed it is that of a free one.
#[repr(C)]
#[derive(Debug, Default)]
pub struct LockWord {
    word: AtomicU32,
    /// The last one that has taken it exclusively, for reports.
    holder: AtomicU32,
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

    /// The word with one holder of this kind, and nobody who waits.
    #[inline]
    fn alone(self) -> u32 {
        match self {
            Self::Exclusive => EXCLUSIVE,
            Self::Shared => 1,
        }
    }

    /// The word with one holder of this kind less.
    #[inline]
    fn released(self, word: u32) -> u32 {
        match self {
            Self::Exclusive => word & !EXCLUSIVE,
            // Another process may release what it does not hold.
            Self::Shared if word & !QUEUED & !EXCLUSIVE == 0 => word,
            Self::Shared => word - 1,
        }
    }
}

impl LockWord {
    /// Takes the lock if nobody holds it in another way and nobody waits.
    #[inline]
    pub fn try_acquire(&self, request: LockRequest) -> bool {
        let next = |word: u32| match word & QUEUED {
            0 => request.kind.taken(word),
            _ => None,
        };
        // Acquire pairs with the Release of the last holder.
        let taken = self.change_from(0, Ordering::Acquire, next);
        if taken {
            self.note_holder(request);
        }
        taken
    }

    /// Changes the word as [`AtomicU32::fetch_update`] does. The first attempt takes for granted what the word most
    /// often is, rather than to wait for it.
    #[inline]
    fn change_from(&self, usual: u32, order: Ordering, next: impl Fn(u32) -> Option<u32>) -> bool {
        let mut word = usual;
        while let Some(new) = next(word) {
            match self.word.compare_exchange(word, new, order, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(found) => word = found,
            }
        }
        false
    }

    /// Notes who has taken the lock. Relaxed: it is read for reports only, when nothing moves.
    #[inline]
    fn note_holder(&self, request: LockRequest) {
        if request.kind == LockKind::Exclusive {
            self.holder.store(request.origin, Ordering::Relaxed);
        }
    }

    /// Takes the lock, or notes that a request waits, which the caller adds to the queue. Whether the lock is taken.
    /// Called under the lock of the queue.
    pub fn acquire_or_queue(&self, request: LockRequest) -> bool {
        let next = |word: u32| match (word & QUEUED, request.kind.taken(word)) {
            (0, Some(taken)) => Some(taken),
            _ => Some(word | QUEUED),
        };
        // Acquire as in `try_acquire`. The closure never refuses.
        let before = self.word.fetch_update(Ordering::Acquire, Ordering::Acquire, next);
        let (Ok(before) | Err(before)) = before;
        let is_taken = before & QUEUED == 0 && request.kind.taken(before).is_some();
        if is_taken {
            self.note_holder(request);
        }
        is_taken
    }

    /// Releases the lock if nobody waits for it. Whether it is released; otherwise the caller has to
    /// [hand it on](LockWord::hand_on).
    #[inline]
    pub fn try_release(&self, kind: LockKind) -> bool {
        let next = |word: u32| (word & QUEUED == 0).then(|| kind.released(word));
        // Release: the next holder sees what was done under the lock.
        self.change_from(kind.alone(), Ordering::Release, next)
    }

    /// Releases the lock, and hands it to those that wait for it: they have it now, and the caller tells them. Called
    /// under the lock of the queue.
    pub fn hand_on(&self, kind: LockKind, queue: &mut impl LockQueue) -> Vec<u32> {
        let mut granted = Vec::new();
        // Acquire: those that get the lock see what all that shared it have done.
        let mut word = kind.released(self.word.load(Ordering::Acquire));
        while let Some(first) = queue.first() {
            let Some(taken) = first.kind.taken(word) else {
                break;
            };
            word = taken;
            self.note_holder(first);
            queue.remove_first();
            granted.push(first.origin);
        }
        if queue.first().is_none() {
            word &= !QUEUED;
        }
        // While requests wait, the word changes under the lock of the queue only. Release as in `try_release`.
        self.word.store(word, Ordering::Release);
        granted
    }

    /// Who holds the lock. It is exact when nothing moves.
    pub fn held(&self) -> Held {
        match self.word.load(Ordering::Relaxed) & !QUEUED {
            0 => Held::Free,
            word if word & EXCLUSIVE != 0 => Held::ExclusivelyBy(self.holder.load(Ordering::Relaxed)),
            sharers => Held::SharedBy(sharers),
        }
    }
}
