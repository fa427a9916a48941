//! A lock in memory that processes share, with its queue.

use super::ordered_lock::{Held, LockKind, LockQueue, LockRequest, LockWord};
use crate::sync::{AtomicU32, Ordering, relax, wait_for};

/// Set in a place for a request to hold the lock exclusively. The other bits are the origin.
const EXCLUSIVE: u32 = 1 << 31;
/// How often a report looks whether the queue's lock is free: a process may have died with it.
const LOOKS: u32 = 100_000;

/// The fixed part of a lock in shared memory; zeroed it is that of a free one.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct LockCell {
    word: LockWord,
    /// 1 while somebody holds the lock of the queue.
    guard: AtomicU32,
    /// The place of the first request.
    head: AtomicU32,
    /// Number of requests.
    length: AtomicU32,
}

/// A lock in memory that processes share. It is taken and released with one exchange of its word
/// ([`LockWord`]); requests that have to wait lie in a ring of places, in the order in which they have come. Nobody
/// waits here: who has queued a request sleeps until whoever hands the lock on tells so.
///
/// Another process may write anything into the memory. Then requests are lost or invented, and nothing worse happens.
#[derive(Clone, Copy, Debug)]
pub struct SharedLock<'a> {
    cell: &'a LockCell,
    /// A place for each origin at least.
    places: &'a [AtomicU32],
}

/// The ring of a lock, under its lock. Relaxed throughout: the lock orders all accesses.
struct Ring<'a>(SharedLock<'a>);

impl LockCell {
    /// The word, to take or release the lock while nobody waits.
    #[inline]
    #[must_use]
    pub fn word(&self) -> &LockWord {
        &self.word
    }
}

impl<'a> SharedLock<'a> {
    /// The lock of a cell, whose queue has these places: one for each that may wait at the same time.
    #[inline]
    #[must_use]
    pub fn new(cell: &'a LockCell, places: &'a [AtomicU32]) -> Self {
        Self { cell, places }
    }

    /// The word, to take or release the lock while nobody waits.
    #[inline]
    #[must_use]
    pub fn word(&self) -> &'a LockWord {
        &self.cell.word
    }

    /// Takes the lock, or queues the request. Whether the lock is taken.
    #[must_use]
    pub fn acquire(&self, request: LockRequest) -> bool {
        let mut ring = self.lock_queue();
        let taken = self.cell.word.acquire_or_queue(request);
        if !taken {
            ring.push(request);
        }
        taken
    }

    /// Releases the lock, for which others wait. Those that have it now.
    #[must_use]
    pub fn hand_on(&self, kind: LockKind) -> Vec<u32> {
        let mut ring = self.lock_queue();
        self.cell.word.hand_on(kind, &mut ring)
    }

    /// Who holds the lock, and the requests that wait for it in order. No requests if the queue stays locked.
    #[must_use]
    pub fn waits(&self) -> (Held, Vec<LockRequest>) {
        for _ in 0..LOOKS {
            if let Some(ring) = self.try_lock_queue() {
                return (self.cell.word.held(), ring.requests().collect());
            }
            relax();
        }
        (self.cell.word.held(), Vec::new())
    }

    fn try_lock_queue(&self) -> Option<Ring<'a>> {
        // Acquire pairs with the Release of the last holder.
        let taken = self
            .cell
            .guard
            .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed);
        taken.is_ok().then(|| Ring(*self))
    }

    fn lock_queue(&self) -> Ring<'a> {
        wait_for(|| self.try_lock_queue())
    }
}

impl Ring<'_> {
    /// Number of requests, which are not more than there are places.
    fn length(&self) -> usize {
        let length = self.0.cell.length.load(Ordering::Relaxed) as usize;
        length.min(self.0.places.len())
    }

    /// The place of the request with an index.
    fn place(&self, index: usize) -> &AtomicU32 {
        let places = self.0.places;
        let head = self.0.cell.head.load(Ordering::Relaxed) as usize;
        &places[(head % places.len() + index) % places.len()]
    }

    /// Adds a request. There is a place, since nobody has two requests.
    fn push(&mut self, LockRequest { kind, origin }: LockRequest) {
        let length = self.length();
        let flag = if kind == LockKind::Exclusive { EXCLUSIVE } else { 0 };
        self.place(length).store(origin | flag, Ordering::Relaxed);
        self.0.cell.length.store(length as u32 + 1, Ordering::Relaxed);
    }

    fn request(&self, index: usize) -> LockRequest {
        let place = self.place(index).load(Ordering::Relaxed);
        LockRequest {
            kind: match place & EXCLUSIVE {
                0 => LockKind::Shared,
                _ => LockKind::Exclusive,
            },
            origin: place & !EXCLUSIVE,
        }
    }

    fn requests(&self) -> impl Iterator<Item = LockRequest> + '_ {
        (0..self.length()).map(|index| self.request(index))
    }
}

impl LockQueue for Ring<'_> {
    fn first(&self) -> Option<LockRequest> {
        (self.length() > 0).then(|| self.request(0))
    }

    fn remove_first(&mut self) {
        let length = self.length().saturating_sub(1);
        let LockCell {
            head, length: left, ..
        } = self.0.cell;
        // An empty queue begins at the first place again, so that the other pages of a long one are never touched.
        let next = match length {
            0 => 0,
            _ => (head.load(Ordering::Relaxed) as usize % self.0.places.len() + 1) as u32,
        };
        head.store(next, Ordering::Relaxed);
        left.store(length as u32, Ordering::Relaxed);
    }
}

impl Drop for Ring<'_> {
    fn drop(&mut self) {
        // Release: the next holder sees the queue.
        self.0.cell.guard.store(0, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use LockKind::{Exclusive, Shared};

    fn request(kind: LockKind, origin: u32) -> LockRequest {
        LockRequest { kind, origin }
    }

    fn release(lock: SharedLock<'_>, kind: LockKind) -> Vec<u32> {
        match lock.word().try_release(kind) {
            true => Vec::new(),
            false => lock.hand_on(kind),
        }
    }

    #[test]
    fn requests_are_granted_in_order_and_sharers_together() {
        let cell = LockCell::default();
        let places: Vec<AtomicU32> = (0..4).map(|_| AtomicU32::new(0)).collect();
        let lock = SharedLock::new(&cell, &places);
        // Several rounds, so that the ring goes round.
        for _ in 0..7 {
            assert!(lock.word().try_acquire(request(Shared, 0)) && lock.acquire(request(Shared, 0)));
            assert!(!lock.word().try_acquire(request(Exclusive, 1)));
            assert!(!lock.acquire(request(Exclusive, 1)));
            // Nobody overtakes one that waits.
            assert!(!lock.word().try_acquire(request(Shared, 0)) && !lock.acquire(request(Shared, 2)));
            assert!(!lock.acquire(request(Shared, 3)) && !lock.acquire(request(Exclusive, 4)));
            let waiting = [
                request(Exclusive, 1),
                request(Shared, 2),
                request(Shared, 3),
                request(Exclusive, 4),
            ];
            assert_eq!(lock.waits(), (Held::SharedBy(2), waiting.to_vec()));
            assert_eq!(release(lock, Shared), []);
            assert_eq!(release(lock, Shared), [1]);
            assert_eq!(lock.waits().0, Held::ExclusivelyBy(1));
            assert_eq!(release(lock, Exclusive), [2, 3]);
            assert_eq!(release(lock, Shared), []);
            assert!(!lock.acquire(request(Shared, 0)));
            assert_eq!(release(lock, Shared), [4]);
            assert_eq!(release(lock, Exclusive), [0]);
            assert_eq!(release(lock, Shared), []);
            assert_eq!(lock.waits(), (Held::Free, Vec::new()));
        }
    }

    #[test]
    fn nobody_else_has_the_queue_while_somebody_has_it() {
        let cell = LockCell::default();
        let places = [AtomicU32::new(0)];
        let lock = SharedLock::new(&cell, &places);
        let held = lock.lock_queue();
        assert!(lock.try_lock_queue().is_none() && lock.try_lock_queue().is_none());
        drop(held);
        assert!(lock.try_lock_queue().is_some());
    }

    #[test]
    fn nonsense_in_the_memory_breaks_nothing() {
        let cell = LockCell::default();
        let places: Vec<AtomicU32> = (0..3).map(|_| AtomicU32::new(u32::MAX)).collect();
        let lock = SharedLock::new(&cell, &places);
        for nonsense in [1, 3, 4, u32::MAX - 1, u32::MAX] {
            cell.head.store(nonsense, Ordering::Relaxed);
            cell.length.store(nonsense, Ordering::Relaxed);
            assert!(lock.waits().1.len() <= 3);
            let _: bool = lock.acquire(request(Exclusive, 1));
            assert!(lock.hand_on(Exclusive).len() <= 3);
            assert!(lock.hand_on(Shared).len() <= 3);
        }
    }

    #[test]
    fn a_report_does_not_wait_for_a_process_that_has_died_with_the_queue() {
        let cell = LockCell::default();
        let places = [AtomicU32::new(0)];
        let lock = SharedLock::new(&cell, &places);
        assert!(lock.word().try_acquire(request(Exclusive, 5)));
        cell.guard.store(1, Ordering::Relaxed);
        assert_eq!(lock.waits(), (Held::ExclusivelyBy(5), Vec::new()));
    }
}
