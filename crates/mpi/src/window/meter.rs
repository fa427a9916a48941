//! Counts what a rank does in a window, as long as somebody wants to know: a tool, or the statistics of the job.
//!
//! Otherwise an operation or a synchronisation costs a look at two flags. The short way of operations (`plain`) is
//! closed where the statistics are wanted, and looks at one flag for tools.

use super::Window;
use super::operation::Located;
use super::statistics::StatisticsEntry;
use crate::instrument::{self, OneSided, Synchronisation, TargetMemory, Watched, WindowTraffic, on};
use crate::job::Job;
use simurgh_core::sync::Arc;
use std::time::Instant;

/// The counters of a rank for a window.
pub(super) struct Meter {
    traffic: Arc<WindowTraffic>,
    /// Its place in the statistics of the job, if they have been asked for.
    statistics: Option<StatisticsEntry>,
}

impl Meter {
    pub(super) fn new(job: &Job) -> Self {
        let traffic = Arc::default();
        Self {
            statistics: StatisticsEntry::new(job, &traffic),
            traffic,
        }
    }

    /// Whether the job has been asked for statistics.
    pub(super) fn is_always_on(&self) -> bool {
        self.statistics.is_some()
    }

    /// Tells the statistics the name of the window.
    pub(super) fn set_name(&self, name: &str) {
        if let Some(statistics) = &self.statistics {
            statistics.set_name(name);
        }
    }

    #[inline]
    fn is_wanted(&self) -> bool {
        on() || self.is_always_on()
    }
}

impl Window {
    /// What has been counted of the rank's use of the window, while a tool has watched or if the job has been asked for
    /// statistics.
    #[must_use]
    pub fn traffic(&self) -> &Arc<WindowTraffic> {
        &self.meter.traffic
    }

    /// Counts an operation.
    #[inline]
    pub(super) fn count(&self, kind: OneSided, located: &Located<'_>) {
        if self.meter.is_wanted() {
            self.count_wanted(kind, located);
        }
    }

    #[cold]
    #[inline(never)]
    fn count_wanted(&self, kind: OneSided, located: &Located<'_>) {
        let bytes = located.count.saturating_mul(located.datatype.size());
        let is_own = located.part.host() == self.shared.own_host();
        let memory = match located.target {
            Some(_) if is_own => TargetMemory::Own,
            Some(_) => TargetMemory::Shared,
            None => TargetMemory::Remote,
        };
        self.meter.traffic.count(kind, memory, bytes as u64);
        if on() {
            let target = self.comm.process_of(located.seat.cast_signed());
            instrument::one_sided(&self.process, kind, memory, (target, bytes));
        }
    }

    /// Makes a call that synchronises, and counts it with its time.
    #[inline(always)]
    pub(super) fn counted<R>(&self, kind: Synchronisation, call: impl FnOnce() -> R) -> R {
        if self.meter.is_wanted() {
            self.timed(kind, call)
        } else {
            call()
        }
    }

    #[cold]
    #[inline(never)]
    fn timed<R>(&self, kind: Synchronisation, call: impl FnOnce() -> R) -> R {
        let since = Instant::now();
        let result = call();
        let nanoseconds = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.meter.traffic.count_synchronisation(kind, nanoseconds);
        if let Some(tool) = self.process.active_tool().filter(|_| on()) {
            tool.counters().windows.count_synchronisation(kind, nanoseconds);
        }
        result
    }
}
