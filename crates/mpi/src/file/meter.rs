//! Counts the accesses of a rank to a file, as long as somebody wants to know: a tool, or the statistics of the job.

use super::statistics::FileStatistics;
use crate::error::{Result, Status};
use crate::instrument::{FileAccess, FileTraffic, Watched, on};
use crate::process::Process;
use simurgh_core::sync::Arc;
use simurgh_settings::Id;
use std::time::Instant;

/// The counters of a rank for a file.
pub(super) struct Meter {
    process: Arc<Process>,
    traffic: FileTraffic,
    /// The statistics of the job, if it has been asked for them.
    statistics: Option<Arc<FileStatistics>>,
}

/// An access under way, which is counted when this is dropped.
pub(super) struct Metered {
    meter: Arc<Meter>,
    kind: FileAccess,
    since: Instant,
    bytes: u64,
}

impl Meter {
    /// The counters of a process for the file with this name.
    pub(super) fn new(process: &Arc<Process>, name: &str) -> Arc<Self> {
        let job = process.job();
        let is_asked_for = job.settings().is_on(Id::Stats);
        Arc::new(Self {
            process: Arc::clone(process),
            traffic: FileTraffic::default(),
            statistics: is_asked_for.then(|| FileStatistics::of(job, name)),
        })
    }

    /// What has been counted while a tool has watched.
    pub(super) fn traffic(&self) -> &FileTraffic {
        &self.traffic
    }

    /// The meter, if an access has to be counted.
    pub(super) fn if_wanted(self: &Arc<Self>) -> Option<Arc<Self>> {
        (on() || self.statistics.is_some()).then(|| Arc::clone(self))
    }

    /// Begins an access of one rank, if it has to be counted.
    pub(super) fn begin(self: &Arc<Self>, kind: FileAccess) -> Option<Metered> {
        self.if_wanted().map(|meter| Metered::begin(meter, kind))
    }
}

impl Metered {
    /// Begins an access.
    pub(super) fn begin(meter: Arc<Meter>, kind: FileAccess) -> Self {
        let since = Instant::now();
        if let Some(statistics) = &meter.statistics {
            statistics.begin(kind, since);
        }
        Self {
            meter,
            kind,
            since,
            bytes: 0,
        }
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        let now = Instant::now();
        let elapsed = now.saturating_duration_since(self.since).as_nanos();
        let nanoseconds = u64::try_from(elapsed).unwrap_or(u64::MAX);
        if let Some(statistics) = &self.meter.statistics {
            statistics.end(self.kind, self.bytes, now);
        }
        if on() {
            self.meter.traffic.count(self.kind, self.bytes, nanoseconds);
            if let Some(tool) = self.meter.process.active_tool() {
                tool.counters().files.count(self.kind, self.bytes, nanoseconds);
            }
        }
    }
}

/// Ends an access with what it has moved, also if it has failed on the way.
pub(super) fn end(metered: Option<Metered>, done: &Result<Status>) {
    if let Some(mut metered) = metered {
        let status = done.as_ref().map_or_else(|error| error.status(), Some);
        metered.bytes = status.map_or(0, |status| status.bytes);
    }
}
