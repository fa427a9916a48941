//! Work that the ranks of a meeting share.

use simurgh_core::WaitList;
use simurgh_core::sync::{AtomicBool, AtomicUsize, Ordering, SpinLock};

use crate::error::{Error, Result};
use crate::instrument::{self, Reason};

/// A collective whose work the ranks do together after all have arrived.
pub(crate) struct SharedWork {
    ranks: usize,
    /// Number of ranks that have done their share.
    departed: AtomicUsize,
    failed: AtomicBool,
    fault: SpinLock<Option<Error>>,
}

impl SharedWork {
    /// Work shared by so many ranks.
    pub(crate) fn new(ranks: usize) -> Self {
        Self {
            ranks,
            departed: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            fault: SpinLock::new(None),
        }
    }

    /// Does the caller's share. If the caller `lends` its buffers to others, it then waits on `departures` until all
    /// have done theirs. The wait list may serve other meetings as well: a rank that they release too early waits
    /// again.
    pub(crate) fn contribute(
        &self,
        lends: bool,
        departures: &WaitList,
        share: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let mine = share();
        if let Err(error) = &mine {
            self.fault.lock().get_or_insert_with(|| error.clone());
            // Release pairs with the Acquire below; the departure that follows orders it anyway.
            self.failed.store(true, Ordering::Release);
        }
        let known_buffers = self.ranks;
        // AcqRel: what a rank has read and written happens before any rank goes on that has seen the last departure.
        if self.departed.fetch_add(1, Ordering::AcqRel) + 1 == known_buffers {
            departures.release_all();
        } else if lends {
            // Acquire pairs with the fetch_add above.
            instrument::blocking(Reason::Collective, || {
                departures.wait_while(|| self.departed.load(Ordering::Acquire) != known_buffers);
            });
        }
        mine.and_then(|()| self.verdict(lends))
    }

    /// The first fault of any rank, for a rank that has waited for all.
    fn verdict(&self, stayed: bool) -> Result<()> {
        // Acquire pairs with the Release in `contribute`.
        if stayed && self.failed.load(Ordering::Acquire) {
            return self.fault.lock().clone().map_or(Ok(()), Err);
        }
        Ok(())
    }
}
