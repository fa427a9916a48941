//! `mallinfo2` and `mallinfo`: statistics as glibc gives them, of the calling rank.

use crate::RankHeaps;
use crate::statistics::Statistics;

/// The statistics of the calling context's rank; those of the C library for a context that belongs to none.
pub(crate) unsafe extern "C" fn mallinfo2() -> libc::mallinfo2 {
    match RankHeaps::statistics_of_caller() {
        Some(statistics) => of(&statistics),
        // SAFETY:
        // - it has no preconditions.
        None => unsafe { libc::mallinfo2() },
    }
}

/// The same in the numbers that old programs expect, which are too small for much memory.
pub(crate) unsafe extern "C" fn mallinfo() -> libc::mallinfo {
    // SAFETY:
    // - it has no preconditions.
    let info = unsafe { mallinfo2() };
    let small = |number: usize| number as libc::c_int;
    libc::mallinfo {
        arena: small(info.arena),
        ordblks: small(info.ordblks),
        smblks: small(info.smblks),
        hblks: small(info.hblks),
        hblkhd: small(info.hblkhd),
        usmblks: small(info.usmblks),
        fsmblks: small(info.fsmblks),
        uordblks: small(info.uordblks),
        fordblks: small(info.fordblks),
        keepcost: small(info.keepcost),
    }
}

/// Long blocks are what glibc maps each by itself. What is free cannot be counted in pieces: it is one.
fn of(statistics: &Statistics) -> libc::mallinfo2 {
    let (used, long) = (statistics.in_use().bytes, statistics.long);
    let others = statistics.held.saturating_sub(long.bytes) + statistics.spare;
    libc::mallinfo2 {
        arena: others as usize,
        ordblks: 1,
        smblks: 0,
        hblks: long.count as usize,
        hblkhd: long.bytes as usize,
        usmblks: 0,
        fsmblks: 0,
        uordblks: (used - long.bytes) as usize,
        fordblks: (others - (used - long.bytes).min(others)) as usize,
        keepcost: statistics.spare as usize,
    }
}
