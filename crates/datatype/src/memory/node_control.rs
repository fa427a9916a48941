//! What the processes of a node share about a window, apart from its data: locks, a barrier, counters of signals and
//! tallies of requests.

use super::shared_memory::{FileName, NodeMemory};
use super::stripes::Stripes;
use rustix::io::Errno;
use simurgh_core::sync::{Arc, AtomicU32};
use simurgh_core::{BarrierCell, LockCell, LockWord, SharedBarrier, SharedCounter, SharedLock, SharedTally};
use std::ptr::NonNull;

/// Memory that the processes of a node share, with the locks of their ranks, and those for elements on which the
/// machine has no atomic instructions. It begins with the latter, and a seat for each rank of the node; then come the
/// barrier, with a place for each rank of the node, the cells of the ranks' locks, and the places of their queues:
/// one in each for every rank of the window. The end are the ranks' counters and tallies, in cache lines of their
/// own: for each rank a counter for every rank of the node, and one more; and then for each a tally for every rank of
/// the node. Pages that nobody has touched take no memory, and a queue uses its first places as long as few wait.
pub struct NodeControl {
    memory: Arc<NodeMemory>,
    barrier: NonNull<BarrierCell>,
    parties: NonNull<AtomicU32>,
    cells: NonNull<LockCell>,
    places: NonNull<AtomicU32>,
    counters: NonNull<SharedCounter>,
    tallies: NonNull<SharedTally>,
    size: ControlSize,
}

/// What a [`NodeControl`] is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlSize {
    /// Number of ranks of the node, each with a lock and a place at the barrier.
    pub locks: usize,
    /// Number of all ranks, which may wait for each lock.
    pub origins: usize,
}

// SAFETY:
// - all that is given out is atomic, in memory that lives as long as this.
unsafe impl Send for NodeControl {}
// SAFETY:
// - as above.
unsafe impl Sync for NodeControl {}

/// Where each part of the memory begins, and where all ends.
struct Layout {
    barrier: usize,
    parties: usize,
    cells: usize,
    places: usize,
    counters: usize,
    tallies: usize,
    end: usize,
}

/// Bytes of a cache line.
const LINE: usize = 64;

impl ControlSize {
    /// The counters of a rank, with those that only fill its last cache line; there are not as many ranks as addresses.
    fn counters_per_rank(self) -> usize {
        (self.locks + 1).next_multiple_of(LINE / size_of::<SharedCounter>())
    }

    /// The tallies of a rank, likewise.
    fn tallies_per_rank(self) -> usize {
        self.locks.next_multiple_of(LINE / size_of::<SharedTally>())
    }

    /// The layout; none if it is longer than addresses reach.
    fn layout(self) -> Option<Layout> {
        let word = size_of::<AtomicU32>();
        let barrier = Stripes::bytes(self.locks)?.checked_next_multiple_of(align_of::<BarrierCell>())?;
        let parties = barrier.checked_add(size_of::<BarrierCell>())?;
        let cells = word.checked_mul(self.locks)?.checked_add(parties)?;
        let cells = cells.checked_next_multiple_of(align_of::<LockCell>())?;
        let places = size_of::<LockCell>()
            .checked_mul(self.locks)?
            .checked_add(cells)?;
        let ring = word.checked_mul(self.origins)?;
        let counters = ring.checked_mul(self.locks)?.checked_add(places)?;
        let counters = counters.checked_next_multiple_of(LINE)?;
        let row = size_of::<SharedCounter>().checked_mul(self.counters_per_rank())?;
        let tallies = row.checked_mul(self.locks)?.checked_add(counters)?;
        let row = size_of::<SharedTally>().checked_mul(self.tallies_per_rank())?;
        let end = row.checked_mul(self.locks)?.checked_add(tallies)?;
        Some(Layout {
            barrier,
            parties,
            cells,
            places,
            counters,
            tallies,
            end,
        })
    }
}

impl NodeControl {
    /// Makes locks that are free.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn create(size: ControlSize) -> Result<Self, Errno> {
        let bytes = size.layout().ok_or(Errno::NOMEM)?.end;
        Self::on(NodeMemory::create(bytes)?, size)
    }

    /// Maps the locks that another process has made, which keeps the file open meanwhile.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn open(name: FileName, size: ControlSize) -> Result<Self, Errno> {
        let bytes = size.layout().ok_or(Errno::NOMEM)?.end;
        Self::on(NodeMemory::open(name, bytes)?, size)
    }

    fn on(memory: NodeMemory, size: ControlSize) -> Result<Self, Errno> {
        let Layout {
            barrier,
            parties,
            cells,
            places,
            counters,
            tallies,
            ..
        } = size.layout().ok_or(Errno::NOMEM)?;
        let start = memory.start();
        // SAFETY:
        // - the memory has as many bytes as the layout, so all offsets are within it.
        let [barrier, parties, cells, places, counters, tallies] = unsafe {
            [barrier, parties, cells, places, counters, tallies].map(|offset| start.byte_add(offset))
        };
        Ok(Self {
            memory: Arc::new(memory),
            barrier: barrier.cast(),
            parties: parties.cast(),
            cells: cells.cast(),
            places: places.cast(),
            counters: counters.cast(),
            tallies: tallies.cast(),
            size,
        })
    }

    /// The name of the file, for as long as the process that has made it keeps this.
    #[must_use]
    pub fn file_name(&self) -> Option<FileName> {
        self.memory.file_name()
    }

    /// The locks for elements, for a process that has the ranks of the node with these indices.
    ///
    /// # Panics
    ///
    /// If it has none, or one that there is not.
    #[must_use]
    pub fn stripes(&self, own: &[usize]) -> Stripes {
        Stripes::shared(Arc::clone(&self.memory), self.size.locks, own)
    }

    /// The lock of a rank of the node, by its index.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline]
    #[must_use]
    pub fn lock(&self, index: usize) -> SharedLock<'_> {
        let (cell, origins) = (self.lock_cell(index), self.size.origins);
        // SAFETY:
        // - `index` has been checked, so the places are within the memory, where only this type gives out anything;
        // - they are aligned, were zeroed before their first use, and live as long as `self`.
        let places = unsafe {
            let places = self.places.add(index * origins);
            std::slice::from_raw_parts(places.as_ptr(), origins)
        };
        SharedLock::new(cell, places)
    }

    /// The word of that lock.
    ///
    /// # Panics
    ///
    /// As [`NodeControl::lock`].
    #[inline]
    #[must_use]
    pub fn lock_word(&self, index: usize) -> &LockWord {
        self.lock_cell(index).word()
    }

    #[inline]
    fn lock_cell(&self, index: usize) -> &LockCell {
        assert!(index < self.size.locks, "the rank is one of the node");
        // SAFETY:
        // - `index` is checked, so the cell is within the memory, where only this type gives out anything;
        // - it is aligned, was zeroed before its first use, and lives as long as `self`.
        unsafe { self.cells.add(index).as_ref() }
    }

    /// The counters of a rank of the node, by its index: one for each rank of the node, and one more.
    ///
    /// # Panics
    ///
    /// If there are not so many ranks.
    #[inline]
    #[must_use]
    pub fn counters(&self, index: usize) -> &[SharedCounter] {
        assert!(index < self.size.locks, "the rank is one of the node");
        let row = self.size.counters_per_rank();
        // SAFETY:
        // - `index` is checked, so the counters are within the memory, where only this type gives out anything;
        // - they are aligned, were zeroed before their first use, and live as long as `self`.
        unsafe {
            let own = self.counters.add(index * row);
            std::slice::from_raw_parts(own.as_ptr(), self.size.locks + 1)
        }
    }

    /// The tallies of a rank of the node, by its index: one for each rank of the node.
    ///
    /// # Panics
    ///
    /// If there are not so many ranks.
    #[inline]
    #[must_use]
    pub fn tallies(&self, index: usize) -> &[SharedTally] {
        assert!(index < self.size.locks, "the rank is one of the node");
        let row = self.size.tallies_per_rank();
        // SAFETY:
        // - `index` is checked, so the tallies are within the memory, where only this type gives out anything;
        // - they are aligned, were zeroed before their first use, and live as long as `self`.
        unsafe {
            let own = self.tallies.add(index * row);
            std::slice::from_raw_parts(own.as_ptr(), self.size.locks)
        }
    }

    /// The barrier of the node's ranks.
    #[inline]
    #[must_use]
    pub fn barrier(&self) -> SharedBarrier<'_> {
        // SAFETY:
        // - cell and places are within the memory, where only this type gives out anything;
        // - they are aligned, were zeroed before their first use, and live as long as `self`.
        unsafe {
            let parties = std::slice::from_raw_parts(self.parties.as_ptr(), self.size.locks);
            SharedBarrier::new(self.barrier.as_ref(), parties)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_core::{LockKind, LockRequest};

    #[test]
    #[cfg_attr(miri, ignore = "memory that processes share")]
    fn what_one_mapping_takes_or_does_is_seen_in_the_other() {
        let size = ControlSize { locks: 3, origins: 5 };
        let made = NodeControl::create(size).expect("memory");
        let name = made.file_name().expect("it is open");
        let other = NodeControl::open(name, size).expect("the file is there");
        let request = |origin| LockRequest {
            kind: LockKind::Exclusive,
            origin,
        };
        for index in 0..size.locks {
            assert!(made.lock(index).word().try_acquire(request(1)));
            for origin in [2, 3, 4] {
                assert!(!other.lock(index).word().try_acquire(request(origin)));
                assert!(!other.lock(index).acquire(request(origin)));
            }
        }
        for index in 0..size.locks {
            assert_eq!(made.lock(index).hand_on(LockKind::Exclusive), [2]);
        }
        assert!(made.barrier().arrive().is_some() && other.barrier().arrive().is_some());
        assert_eq!(made.barrier().progress(), (2, 3));
        assert!(other.barrier().arrive().is_none());
        for index in 0..size.locks {
            let all: Vec<bool> = other
                .counters(index)
                .iter()
                .map(|counter| counter.add())
                .collect();
            assert_eq!(all, [false; 4]);
            assert!(made.counters(index).iter().all(|counter| counter.count() == 1));
            assert!(other.tallies(index).iter().all(|tally| tally.told().is_none()));
            (0..)
                .zip(made.tallies(index))
                .for_each(|(number, tally)| tally.tell(number));
            let told: Vec<_> = other
                .tallies(index)
                .iter()
                .filter_map(|tally| tally.told())
                .collect();
            assert_eq!(told, [0, 1, 2]);
        }
        assert!(
            !made.lock(2).word().try_acquire(request(1)),
            "it is apart from counters"
        );
        let longer = ControlSize { locks: 4, origins: 5 };
        assert!(NodeControl::open(name, longer).is_err());
    }
}
