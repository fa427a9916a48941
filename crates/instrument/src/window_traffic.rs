//! One-sided communication, counted by kind and by where the target's memory is.

use simurgh_core::sync::{AtomicU64, Ordering};
use std::ops::AddAssign;

/// A kind of one-sided operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneSided {
    /// `MPI_Put` and `MPI_Rput`.
    Put,
    /// `MPI_Get` and `MPI_Rget`.
    Get,
    /// `MPI_Accumulate` and `MPI_Raccumulate`.
    Accumulate,
    /// `MPI_Get_accumulate`, `MPI_Rget_accumulate` and `MPI_Fetch_and_op`.
    GetAccumulate,
    /// `MPI_Compare_and_swap`.
    CompareAndSwap,
}

/// Where the memory of a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetMemory {
    /// In the origin's own process.
    Own,
    /// In memory that the origin's process shares with that of the target.
    Shared,
    /// In a process that is sent messages.
    Remote,
}

/// A kind of call that synchronises ranks, or the memory of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronisation {
    /// `MPI_Win_fence`.
    Fence,
    /// `MPI_Win_post`.
    Post,
    /// `MPI_Win_start`.
    Start,
    /// `MPI_Win_complete`.
    Complete,
    /// `MPI_Win_wait` and `MPI_Win_test`.
    Wait,
    /// `MPI_Win_lock` and `MPI_Win_lock_all`.
    Lock,
    /// `MPI_Win_unlock` and `MPI_Win_unlock_all`.
    Unlock,
    /// `MPI_Win_flush` in its four forms.
    Flush,
}

impl OneSided {
    /// All kinds, in the order in which they are counted.
    pub const ALL: [Self; 5] = [
        Self::Put,
        Self::Get,
        Self::Accumulate,
        Self::GetAccumulate,
        Self::CompareAndSwap,
    ];
}

impl TargetMemory {
    /// All places, in the order in which they are counted.
    pub const ALL: [Self; 3] = [Self::Own, Self::Shared, Self::Remote];
}

impl Synchronisation {
    /// All kinds, in the order in which they are counted.
    pub const ALL: [Self; 8] = [
        Self::Fence,
        Self::Post,
        Self::Start,
        Self::Complete,
        Self::Wait,
        Self::Lock,
        Self::Unlock,
        Self::Flush,
    ];
}

/// The one-sided communication of a rank.
///
/// All of it is relaxed, since each counter is a number on its own.
#[derive(Debug, Default)]
pub struct WindowTraffic {
    operations: [[AtomicU64; TargetMemory::ALL.len()]; OneSided::ALL.len()],
    bytes: [[AtomicU64; TargetMemory::ALL.len()]; OneSided::ALL.len()],
    calls: [AtomicU64; Synchronisation::ALL.len()],
    nanoseconds: [AtomicU64; Synchronisation::ALL.len()],
}

/// What has been counted of one-sided communication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowTotals {
    /// Operations by kind, in the order of [`OneSided::ALL`], and by the target's memory, in the order of
    /// [`TargetMemory::ALL`].
    pub operations: [[u64; TargetMemory::ALL.len()]; OneSided::ALL.len()],
    /// Their bytes at the targets.
    pub bytes: [[u64; TargetMemory::ALL.len()]; OneSided::ALL.len()],
    /// Calls that synchronise, in the order of [`Synchronisation::ALL`].
    pub calls: [u64; Synchronisation::ALL.len()],
    /// The nanoseconds in these calls, one added to the other.
    pub nanoseconds: [u64; Synchronisation::ALL.len()],
}

impl WindowTraffic {
    /// Counts an operation on so many bytes of a target.
    pub fn count(&self, kind: OneSided, memory: TargetMemory, bytes: u64) {
        let (kind, memory) = (kind as usize, memory as usize);
        self.operations[kind][memory].fetch_add(1, Ordering::Relaxed);
        self.bytes[kind][memory].fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts a call that synchronises, and has taken so long.
    pub fn count_synchronisation(&self, kind: Synchronisation, nanoseconds: u64) {
        self.calls[kind as usize].fetch_add(1, Ordering::Relaxed);
        self.nanoseconds[kind as usize].fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// What has been counted so far.
    #[must_use]
    pub fn totals(&self) -> WindowTotals {
        WindowTotals {
            operations: self.operations.each_ref().map(values),
            bytes: self.bytes.each_ref().map(values),
            calls: values(&self.calls),
            nanoseconds: values(&self.nanoseconds),
        }
    }
}

fn values<const N: usize>(counters: &[AtomicU64; N]) -> [u64; N] {
    counters.each_ref().map(|counter| counter.load(Ordering::Relaxed))
}

impl AddAssign for WindowTotals {
    fn add_assign(&mut self, other: Self) {
        add_rows(&mut self.operations, &other.operations);
        add_rows(&mut self.bytes, &other.bytes);
        add(&mut self.calls, &other.calls);
        add(&mut self.nanoseconds, &other.nanoseconds);
    }
}

fn add_rows<const N: usize>(sums: &mut [[u64; N]], more: &[[u64; N]]) {
    sums.iter_mut().zip(more).for_each(|(sums, more)| add(sums, more));
}

fn add(sums: &mut [u64], more: &[u64]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted_by_kind_and_place() {
        let traffic = WindowTraffic::default();
        traffic.count(OneSided::Get, TargetMemory::Own, 8);
        traffic.count(OneSided::Get, TargetMemory::Own, 5);
        traffic.count(OneSided::CompareAndSwap, TargetMemory::Remote, 4);
        traffic.count_synchronisation(Synchronisation::Flush, 100);
        let mut totals = traffic.totals();
        totals += totals;
        assert_eq!(totals.operations, [[0; 3], [4, 0, 0], [0; 3], [0; 3], [0, 0, 2]]);
        assert_eq!(totals.bytes, [[0; 3], [26, 0, 0], [0; 3], [0; 3], [0, 0, 8]]);
        assert_eq!(totals.calls, [0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(totals.nanoseconds, [0, 0, 0, 0, 0, 0, 0, 200]);
    }
}
