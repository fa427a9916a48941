//! The work of a meeting: what the ranks lay on the table, and who does which part of it.

use simurgh_core::WaitList;
use simurgh_core::sync::{AtomicBool, AtomicUsize, Ordering, SpinLock};

use crate::error::{Error, Result};
use crate::limits::SHARE_GRAIN;
use crate::memory::{Parts, Source, Target};
use crate::tool::{self, Reason};

/// What one rank brings to a collective.
pub(crate) struct Offer {
    pub(crate) send: Option<Parts<Source>>,
    pub(crate) recv: Option<Parts<Target>>,
    /// Whether what it sends is already where it would be received.
    pub(crate) in_place: bool,
    work: usize,
}

/// The part of a collective's work that one rank does: share `index` of `of`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    index: usize,
    of: usize,
}

/// A collective whose work the ranks do together after all have arrived.
pub(crate) struct Meeting {
    ranks: usize,
    /// Ranks that have done their share.
    departed: AtomicUsize,
    failed: AtomicBool,
    fault: SpinLock<Option<Error>>,
    drained: WaitList,
}

impl Offer {
    /// The offer of a rank that has nothing to offer.
    pub(crate) const NONE: Self = Self {
        send: None,
        recv: None,
        in_place: false,
        work: 0,
    };

    /// An offer that stands for `work` bytes to be moved or combined.
    pub(crate) fn new(send: Option<Parts<Source>>, recv: Option<Parts<Target>>, work: usize) -> Self {
        Self {
            send,
            recv,
            in_place: false,
            work,
        }
    }

    /// The same offer, of a rank that works in place or does not.
    pub(crate) fn placed(self, in_place: bool) -> Self {
        Self { in_place, ..self }
    }

    /// What it sends, when that is not divided into parts.
    pub(crate) fn whole_source(&self) -> Option<&Source> {
        self.send.as_ref().and_then(Parts::whole)
    }

    /// Where it receives, when that is not divided into parts.
    pub(crate) fn whole_target(&self) -> Option<&Target> {
        self.recv.as_ref().and_then(Parts::whole)
    }

    /// What it sends, when that is not divided into parts.
    pub(crate) fn source(&self) -> Option<Source> {
        self.whole_source().cloned()
    }

    /// Where it receives, when that is not divided into parts.
    pub(crate) fn target(&self) -> Option<Target> {
        self.whole_target().cloned()
    }

    /// What it sends to `rank`.
    pub(crate) fn source_part(&self, rank: usize) -> Option<Source> {
        self.send.as_ref().and_then(|parts| parts.part(rank))
    }

    /// Where it receives from `rank`.
    pub(crate) fn target_part(&self, rank: usize) -> Option<Target> {
        self.recv.as_ref().and_then(|parts| parts.part(rank))
    }

    /// Bytes to be moved or combined on behalf of this rank.
    pub(crate) fn work(&self) -> usize {
        self.work
    }
}

impl Share {
    /// The whole work.
    pub(crate) const ALL: Share = Share { index: 0, of: 1 };

    /// The share of `rank` when all `size` ranks work.
    pub(crate) fn one(rank: usize, size: usize) -> Self {
        Self {
            index: rank,
            of: size,
        }
    }

    /// The ranks this share is responsible for, of `size`.
    pub(crate) fn ranks(self, size: usize) -> impl Iterator<Item = usize> {
        (self.index..size).step_by(self.of)
    }

    /// The elements this share is responsible for, of `count` elements of `bytes` each: start and number.
    ///
    /// Slices depend on the numbers alone, so results are the same from run to run.
    pub(crate) fn slice(self, count: usize, bytes: usize) -> (usize, usize) {
        let grain = (SHARE_GRAIN / bytes.max(1)).max(1);
        let step = count.div_ceil(self.of).next_multiple_of(grain);
        let start = step.saturating_mul(self.index).min(count);
        (start, step.min(count - start))
    }
}

impl Meeting {
    /// Work shared by so many ranks.
    pub(crate) fn new(ranks: usize) -> Self {
        Self {
            ranks,
            departed: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            fault: SpinLock::new(None),
            drained: WaitList::new(),
        }
    }

    /// Does the caller's share, and, when the caller `lends` its buffers to others, waits until all have done theirs.
    pub(crate) fn contribute(&self, lends: bool, share: impl FnOnce() -> Result<()>) -> Result<()> {
        let mine = share();
        if let Err(error) = &mine {
            self.fault.lock().get_or_insert_with(|| error.clone());
            // Release pairs with the Acquire below; the departure that follows orders it anyway.
            self.failed.store(true, Ordering::Release);
        }
        let everybody = self.ranks;
        // AcqRel: what a rank read and wrote happens before anybody who saw the last departure goes on.
        if self.departed.fetch_add(1, Ordering::AcqRel) + 1 == everybody {
            self.drained.release_all();
        } else if lends {
            // Acquire pairs with the fetch_add above.
            tool::blocking(Reason::Collective, || {
                self.drained
                    .freeze_while(|| self.departed.load(Ordering::Acquire) != everybody);
            });
        }
        mine.and_then(|()| self.verdict(lends))
    }

    /// The fault somebody met, for those who stayed to the end.
    fn verdict(&self, stayed: bool) -> Result<()> {
        // Acquire pairs with the Release in `contribute`.
        if stayed && self.failed.load(Ordering::Acquire) {
            return self.fault.lock().clone().map_or(Ok(()), Err);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cover_everything_once() {
        for (count, bytes, of) in [(0, 8, 3), (1, 8, 64), (100_000, 4, 7), (513, 4096, 64), (5, 0, 2)] {
            let mut next = 0;
            for index in 0..of {
                let (start, len) = Share { index, of }.slice(count, bytes);
                assert!(
                    len == 0 || start == next,
                    "{count} {bytes} {of}: {start} != {next}"
                );
                next += len;
            }
            assert_eq!(next, count);
        }
    }

    #[test]
    fn every_rank_is_in_one_share() {
        assert_eq!(Share::ALL.ranks(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(Share::one(2, 4).ranks(4).collect::<Vec<_>>(), [2]);
    }
}
