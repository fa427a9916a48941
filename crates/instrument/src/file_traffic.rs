//! Accesses to files, counted by kind.

use simurgh_core::sync::{AtomicU64, Ordering};

/// A kind of access to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// A read of one rank.
    Read,
    /// A write of one rank.
    Write,
    /// A collective read.
    ReadAll,
    /// A collective write.
    WriteAll,
}

impl FileAccess {
    /// All kinds, in the order in which they are counted.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::ReadAll, Self::WriteAll];
}

/// The accesses of a rank by kind.
///
/// All of it is relaxed, since each counter is a number on its own.
#[derive(Debug, Default)]
pub struct FileTraffic {
    accesses: [AtomicU64; FileAccess::ALL.len()],
    bytes: [AtomicU64; FileAccess::ALL.len()],
    nanoseconds: [AtomicU64; FileAccess::ALL.len()],
}

impl FileTraffic {
    /// Counts an access that has moved so many bytes, and has taken so long.
    pub fn count(&self, kind: FileAccess, bytes: u64, nanoseconds: u64) {
        let kind = kind as usize;
        self.accesses[kind].fetch_add(1, Ordering::Relaxed);
        self.bytes[kind].fetch_add(bytes, Ordering::Relaxed);
        self.nanoseconds[kind].fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// The number of accesses of each kind.
    #[must_use]
    pub fn accesses(&self) -> Vec<u64> {
        values(&self.accesses)
    }

    /// The bytes that accesses of each kind have moved.
    #[must_use]
    pub fn bytes(&self) -> Vec<u64> {
        values(&self.bytes)
    }

    /// The nanoseconds that accesses of each kind have taken, one added to the other.
    #[must_use]
    pub fn nanoseconds(&self) -> Vec<u64> {
        values(&self.nanoseconds)
    }
}

fn values(counters: &[AtomicU64]) -> Vec<u64> {
    let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    counters.iter().map(load).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_counted_by_kind() {
        let traffic = FileTraffic::default();
        traffic.count(FileAccess::Write, 10, 100);
        traffic.count(FileAccess::Write, 5, 1);
        traffic.count(FileAccess::ReadAll, 7, 3);
        assert_eq!(traffic.accesses(), [0, 2, 1, 0]);
        assert_eq!(traffic.bytes(), [0, 15, 7, 0]);
        assert_eq!(traffic.nanoseconds(), [0, 101, 3, 0]);
    }
}
