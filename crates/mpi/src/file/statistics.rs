//! What the ranks of a host have done with each file, for the statistics at the end of a job.

use crate::job::Job;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_instrument::FileAccess;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The most files of which there are statistics of their own. All others have theirs together, under an empty name.
const FILES: usize = 1000;

/// The accesses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessStatistics {
    /// Calls of ranks: in a collective access each rank counts.
    pub accesses: u64,
    /// Bytes that they have moved.
    pub bytes: u64,
    /// The time in which at least one of them was under way.
    pub time: Duration,
}

/// The accesses to one file, or to several.
#[derive(Debug, Default)]
pub struct FileStatistics(SpinLock<[Kind; FileAccess::ALL.len()]>);

/// The accesses of one kind, some of which may be under way.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    ended: AccessStatistics,
    under_way: usize,
    since: Option<Instant>,
}

/// The statistics of all files of a job.
#[derive(Default)]
struct OfJob(SpinLock<BTreeMap<String, Arc<FileStatistics>>>);

impl FileStatistics {
    /// Those of the file with this name.
    pub(super) fn of(job: &Job, name: &str) -> Arc<Self> {
        let OfJob(files) = job.layer_state().get_or_init(OfJob::default);
        let mut files = files.lock();
        let is_known = files.contains_key(name) || files.len() < FILES;
        let name = if is_known { name } else { "" };
        Arc::clone(files.entry(name.to_owned()).or_default())
    }

    /// Notes that an access begins.
    pub(super) fn begin(&self, kind: FileAccess, now: Instant) {
        let kind = &mut self.0.lock()[kind as usize];
        kind.under_way += 1;
        kind.since.get_or_insert(now);
    }

    /// Notes that an access has ended, which has begun before.
    pub(super) fn end(&self, kind: FileAccess, bytes: u64, now: Instant) {
        let kind = &mut self.0.lock()[kind as usize];
        kind.ended.accesses += 1;
        kind.ended.bytes += bytes;
        kind.under_way -= 1;
        if kind.under_way == 0
            && let Some(since) = kind.since.take()
        {
            kind.ended.time += now.saturating_duration_since(since);
        }
    }

    /// The accesses that have ended, in the order of [`FileAccess::ALL`].
    #[must_use]
    pub fn by_kind(&self) -> [AccessStatistics; FileAccess::ALL.len()] {
        self.0.lock().map(|kind| kind.ended)
    }
}

/// The statistics of all files that the ranks of this host have opened, by name. Those beyond a thousand have theirs
/// together, under an empty name. There are none unless the job has been asked for statistics.
#[must_use]
pub fn file_statistics(job: &Job) -> Vec<(String, Arc<FileStatistics>)> {
    let OfJob(files) = job.layer_state().get_or_init(OfJob::default);
    let files = files.lock();
    let cloned = |(name, file): (&String, &Arc<_>)| (name.clone(), Arc::clone(file));
    files.iter().map(cloned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_which_several_accesses_are_under_way_counts_once() {
        let file = FileStatistics::default();
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        file.begin(FileAccess::Write, at(0));
        file.begin(FileAccess::Write, at(10));
        file.end(FileAccess::Write, 5, at(20));
        file.end(FileAccess::Write, 6, at(30));
        file.begin(FileAccess::Write, at(100));
        file.end(FileAccess::Write, 7, at(104));
        file.begin(FileAccess::ReadAll, at(200));
        let expected = AccessStatistics {
            accesses: 3,
            bytes: 18,
            time: Duration::from_millis(34),
        };
        let nothing = AccessStatistics::default();
        assert_eq!(file.by_kind(), [nothing, expected, nothing, nothing]);
    }

    #[test]
    fn files_beyond_a_number_are_counted_together() {
        let job = Job::new(1);
        let now = Instant::now();
        for number in 0..FILES + 3 {
            let file = FileStatistics::of(&job, &number.to_string());
            file.begin(FileAccess::Read, now);
            file.end(FileAccess::Read, 1, now);
        }
        let all = file_statistics(&job);
        let of = |name: &str| {
            let found = all.iter().find(|(own, _)| own == name);
            found.map(|(_, file)| file.by_kind()[0].bytes)
        };
        assert_eq!(all.len(), FILES + 1);
        assert_eq!((of("0"), of(""), of("1001")), (Some(1), Some(3), None));
    }
}
