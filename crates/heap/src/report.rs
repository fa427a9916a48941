//! What the user is told about the heap of a rank.
//!
//! The heap knows neither the names of ranks nor where messages go. It calls functions of the runtime, on the context
//! of the rank that is concerned.

use std::fmt;
use std::sync::OnceLock;

/// The number of calls that are kept of those that led to `malloc` or `free`.
pub(crate) const CALLS: usize = 4;

/// The return addresses of the calls that led to a function of the heap, from the inside; 0 where there are no more.
pub type Calls = [usize; CALLS];

/// An event in the heap of the calling rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Report {
    /// A block has been refused, since the rank may have no more memory. It is reported once for each rank.
    BeyondLimit {
        /// The bytes that the rank has asked for.
        asked: usize,
        /// The bytes that it has in use, in whole slices.
        used: usize,
        /// The bytes that it may have.
        limit: usize,
    },
    /// A block has been refused, since the rank's share of the addresses is full. It is reported once for each rank.
    ShareFull {
        /// The bytes that the rank has asked for.
        asked: usize,
        /// The bytes that have been taken of the share.
        taken: usize,
    },
    /// A long block has ordinary pages, since not enough huge ones are left of those that are reserved. It is reported
    /// once for the process.
    NoReservedPages {
        /// The bytes for which huge pages were wanted.
        bytes: usize,
        /// The size of a huge page.
        size: usize,
    },
    /// The program has used a block wrongly. The function that hears of it does not return.
    Fault(Fault),
}

/// In the place of a function: that was seen when all blocks of the rank were looked at.
pub(crate) const AT_END: &str = "";

/// A block that has been used wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The function in which that was seen; empty if it was seen at the end of the rank.
    pub call: &'static str,
    /// The address that it was given.
    pub address: usize,
    /// What is wrong.
    pub kind: FaultKind,
    /// The block, if it is known.
    pub block: Option<CheckedBlock>,
}

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No block begins there, or it has been freed.
    NoBlock,
    /// No block begins there, but that many bytes before it.
    Inside(usize),
    /// It has been freed already.
    Freed,
    /// Something has been written before its beginning.
    Underrun,
    /// Something has been written behind its end: the first such byte, counted from its beginning.
    Overrun(usize),
}

/// What is known of a block of a rank whose blocks are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedBlock {
    /// The bytes that the rank has asked for.
    pub size: usize,
    /// The address of the [heaps](crate::RankHeaps) of its rank.
    pub owner: usize,
    /// The calls that led to its allocation.
    pub allocated: Calls,
    /// The calls that led to its end, if it has been freed.
    pub freed: Option<Calls>,
}

/// What the runtime does for heaps.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    /// Tells the user. It is called within `malloc` and its relatives, and may not call those of the heap.
    pub tell: fn(&Report),
    /// The calls that led to a function of the heap.
    pub calls: fn() -> Calls,
}

static REPORTER: OnceLock<Reporter> = OnceLock::new();

/// Lets the runtime hear of all reports. The first reporter that is given here stays.
pub fn set_reporter(reporter: Reporter) {
    let _ = REPORTER.set(reporter);
}

/// Tells the user.
#[cold]
pub(crate) fn report(report: &Report) {
    if let Some(reporter) = REPORTER.get() {
        (reporter.tell)(report);
    }
}

/// The calls that led here, as far as somebody can tell.
pub(crate) fn calls() -> Calls {
    REPORTER.get().map_or([0; CALLS], |reporter| (reporter.calls)())
}

/// Ends the job because a block has been used wrongly. Where there is no runtime that says so, as in tests of parts,
/// this does.
#[cold]
pub(crate) fn fault(fault: Fault) -> ! {
    let fault = Report::Fault(fault);
    match REPORTER.get() {
        Some(reporter) => (reporter.tell)(&fault),
        None => eprintln!("{fault}"),
    }
    std::process::abort()
}

/// Ends the job because this function has been given an address at which no block begins.
#[cold]
#[inline(never)]
pub(crate) fn no_block(call: &'static str, address: usize) -> ! {
    fault(Fault {
        call,
        address,
        kind: FaultKind::NoBlock,
        block: None,
    })
}

/// What has happened, to follow the name of the rank.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BeyondLimit { asked, used, limit } => write!(
                f,
                "may allocate {} MiB and has {} MiB in use: a block of {asked} bytes is refused (told once); give it \
                 more with --memory-limit {}M",
                Tenths(limit),
                Tenths(used),
                enough(asked, used, limit)
            ),
            Self::ShareFull { asked, taken } => write!(
                f,
                "has {} MiB of addresses in use, and none are left for a block of {asked} bytes in the range that \
                 --relocatable gives it (told once): give it a longer one with --rank-range",
                Tenths(taken)
            ),
            Self::NoReservedPages { bytes, size } => write!(
                f,
                "has a block of {} MiB in ordinary pages: of the huge pages of {} MiB that are reserved \
                 (vm.nr_hugepages) too few are left; so may other blocks (told once)",
                Tenths(bytes),
                size / MIB
            ),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, address, .. } = *self;
        let size = self.block.map_or(0, |block| block.size);
        match self.kind {
            FaultKind::NoBlock => write!(f, "called {call}({address:#x}), where no block in use begins"),
            FaultKind::Inside(offset) => write!(
                f,
                "called {call}({address:#x}), which is {offset} bytes behind the beginning of a block of {size} bytes"
            ),
            FaultKind::Freed => write!(
                f,
                "called {call}({address:#x}), a block of {size} bytes that has been freed"
            ),
            FaultKind::Underrun => write!(
                f,
                "has a block of {size} bytes at {address:#x}, before whose beginning something has been written \
                 (seen {})",
                Seen(call)
            ),
            FaultKind::Overrun(place) => write!(
                f,
                "has a block of {size} bytes at {address:#x}, behind whose end something has been written, first at \
                 byte {place} (seen {})",
                Seen(call)
            ),
        }
    }
}

/// Where a fault has been seen.
struct Seen(&'static str);

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AT_END => f.write_str("at the end of the rank"),
            call => write!(f, "in {call}"),
        }
    }
}

/// A number of bytes in MiB, with one decimal unless that is 0.
struct Tenths(usize);

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = self.0 / (MIB / 10);
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            tenth => write!(f, "{}.{tenth}", tenths / 10),
        }
    }
}

const MIB: usize = 1 << 20;

/// A limit in MiB below which there is room for the block, and some more.
fn enough(asked: usize, used: usize, limit: usize) -> usize {
    let needed = asked.saturating_add(used).div_ceil(MIB);
    needed.saturating_add(needed / 4).max(2 * limit.div_ceil(MIB))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_limit_what_was_asked_and_a_limit_that_is_enough() {
        let refusal = |asked| Report::BeyondLimit {
            asked,
            used: 63 * MIB + MIB / 2,
            limit: 64 * MIB,
        };
        assert_eq!(
            refusal(1 << 20).to_string(),
            "may allocate 64 MiB and has 63.5 MiB in use: a block of 1048576 bytes is refused (told once); give it \
             more with --memory-limit 128M"
        );
        assert!(refusal(200 << 20).to_string().ends_with("--memory-limit 330M"));
    }
}
