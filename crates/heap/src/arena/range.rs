//! Ranges: the parts of the arena. On a machine with several nodes there is one for each memory policy in use.
//!
//! The system keeps a policy with each mapping. If segments of different policies lay side by side, each would be a
//! mapping of its own, and the system limits their number. So those of one policy lie in one range, whose mapped part
//! is one mapping.
//!
//! Where ranks are to be relocatable, the arena is divided among them instead, and what a rank takes comes from its
//! share (`divide`).
//!
//! The first range is for memory without a policy. Each other range is free, which is code 0, or belongs to the policy
//! of its code. A thread that needs a range for a policy puts the policy's code into the first free one, by a
//! compare-and-swap. It stays there.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::{END, SEGMENT, START, STEP, begin_without_huge_pages, map, open_reserved};
use crate::nodes;
use crate::policy::MemoryPolicy;

/// The number of ranges.
const RANGES: usize = 16;
const SIZE: usize = (END - START) / RANGES;

static RANGES_OF_ALL: [Range; RANGES] = {
    let mut ranges = [const { Range::new(START, END) }; RANGES];
    let mut index = 0;
    while index < RANGES {
        let start = START + index * SIZE;
        ranges[index] = Range::new(start, start + SIZE);
        index += 1;
    }
    ranges
};

/// The shares of ranks, if the arena is divided among them.
static SHARES: OnceLock<Shares> = OnceLock::new();

struct Shares {
    /// From the beginning of one to that of the next.
    distance: usize,
    all: Box<[Range]>,
}

/// Divides the arena among ranks: each has the first `room` bytes of each `distance`. Both are whole segments. The
/// first call counts.
pub(super) fn divide(distance: usize, room: usize, shares: usize) {
    let starts = (START..END).step_by(distance).take(shares);
    let all = starts.map(|start| Range::new(start, start + room)).collect();
    let _ = SHARES.set(Shares { distance, all });
}

/// A range of the arena.
pub(super) struct Range {
    start: usize,
    end: usize,
    policy: AtomicU64,
    /// The end of what has been given out, and of what is usable.
    taken: AtomicUsize,
    usable: AtomicUsize,
}

/// The reason why no segments were taken.
pub(super) enum Refusal {
    /// The range has no such addresses left.
    Full,
    /// The system refuses.
    NoMemory,
}

impl Range {
    const fn new(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            policy: AtomicU64::new(0),
            taken: AtomicUsize::new(start),
            usable: AtomicUsize::new(start),
        }
    }

    /// The range of all memory without a policy.
    pub(super) fn common() -> &'static Self {
        &RANGES_OF_ALL[0]
    }

    /// The share of a rank.
    pub(super) fn share(number: usize) -> Option<&'static Self> {
        SHARES.get()?.all.get(number)
    }

    /// Whether it is the share of a rank.
    fn is_share(&self) -> bool {
        !RANGES_OF_ALL.as_ptr_range().contains(&std::ptr::from_ref(self))
    }

    /// The ranges that serve a policy which is not the system's own, in turn. One that nobody uses becomes one of them
    /// when it is reached.
    pub(super) fn of(policy: MemoryPolicy) -> impl Iterator<Item = &'static Self> {
        let ranges = RANGES_OF_ALL[1..].iter();
        ranges.filter(move |range| range.serves(policy.code()))
    }

    /// All ranges.
    pub(super) fn all() -> impl Iterator<Item = &'static Self> {
        SHARES
            .get()
            .map_or(&RANGES_OF_ALL[..], |shares| &shares.all)
            .iter()
    }

    /// What has been given out of it.
    pub(super) fn given_out(&self) -> std::ops::Range<usize> {
        self.start..self.taken.load(Ordering::Relaxed)
    }

    /// The range in which the address lies.
    pub(super) fn at(address: usize) -> &'static Self {
        if let Some(shares) = SHARES.get() {
            let share = shares.all.get((address - START) / shares.distance);
            return share.unwrap_or(Self::common());
        }
        match nodes::several() {
            None => Self::common(),
            Some(_) => &RANGES_OF_ALL[(address - START) / SIZE],
        }
    }

    /// Whether there is memory at an address of the range.
    pub(super) fn is_usable(&self, address: usize) -> bool {
        // Acquire, as in `make_usable`.
        address < self.usable.load(Ordering::Acquire)
    }

    fn serves(&self, code: u64) -> bool {
        // Relaxed: nothing else is passed on.
        let found = self
            .policy
            .compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
        found.map_or_else(|now| now == code, |_| true)
    }

    /// Its end. Where there is one node, the first range is the whole arena.
    pub(super) fn end(&self) -> usize {
        match nodes::several() {
            None if !self.is_share() => END,
            _ => self.end,
        }
    }

    /// Where so many bytes end that begin there, if they lie in the range.
    fn end_of(&self, start: usize, size: usize) -> Option<usize> {
        start.checked_add(size).filter(|end| *end <= self.end())
    }

    /// Takes the next bytes, which are whole segments.
    pub(super) fn take(&self, size: usize, policy: MemoryPolicy) -> Result<usize, Refusal> {
        // Relaxed: each address is given out once, and nothing else is passed on.
        let start = self
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
                self.end_of(taken, size)
            })
            .map_err(|_| Refusal::Full)?;
        if !self.make_usable(start + size, policy) {
            return Err(Refusal::NoMemory);
        }
        begin_without_huge_pages(start, size);
        Ok(start)
    }

    /// Takes the bytes that follow, if `end` is the end of what has been given out.
    pub(super) fn extend(&self, end: usize, size: usize, policy: MemoryPolicy) -> bool {
        let Some(new) = self.end_of(end, size) else {
            return false;
        };
        let has_taken = self.make_usable(new, policy)
            && self
                .taken
                .compare_exchange(end, new, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if has_taken {
            begin_without_huge_pages(end, size);
        }
        has_taken
    }

    /// The policy of the range, as it has been applied to what is usable.
    pub(super) fn policy(&self) -> MemoryPolicy {
        MemoryPolicy::from_code(self.policy.load(Ordering::Relaxed))
    }

    /// Makes everything below `end` usable. Several threads may do so at the same time; each applies the policy before
    /// it goes on.
    fn make_usable(&self, end: usize, policy: MemoryPolicy) -> bool {
        // Acquire pairs with the Release below: what another thread has made usable is so.
        let from = self.usable.load(Ordering::Acquire);
        if end <= from {
            return true;
        }
        let to = end.next_multiple_of(STEP).min(self.end());
        let is_usable = match self.is_share() {
            true => open_reserved(from, to),
            false => map(from, to),
        };
        if is_usable {
            policy.apply(from, to - from);
            self.usable.fetch_max(to, Ordering::Release);
        }
        is_usable
    }
}

const _: () = assert!(SIZE.is_multiple_of(STEP) && STEP.is_multiple_of(SEGMENT));
