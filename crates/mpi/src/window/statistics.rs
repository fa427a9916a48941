//! What the ranks of a host have done in windows of each name, for the statistics at the end of a job.

use crate::instrument::{WindowTotals, WindowTraffic};
use crate::job::Job;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_settings::Id;
use std::collections::{BTreeMap, HashMap};

/// The most names of which there are statistics of their own. All other windows have theirs together.
const NAMES: usize = 1000;

/// The statistics of all windows of a job.
#[derive(Default)]
struct OfJob(Arc<SpinLock<Statistics>>);

#[derive(Default)]
struct Statistics {
    /// What has been done in windows that are gone, by name; without one, all beyond [`NAMES`].
    ended: BTreeMap<Option<String>, WindowTotals>,
    /// The windows of each rank that are there, by number.
    present: HashMap<u64, Present>,
    next: u64,
}

struct Present {
    name: String,
    traffic: Arc<WindowTraffic>,
}

/// A window of a rank in the statistics, until this is dropped. What has been counted stays there, under its name.
pub(super) struct StatisticsEntry {
    number: u64,
    statistics: Arc<SpinLock<Statistics>>,
}

impl StatisticsEntry {
    /// Adds a window without a name that is counted here; none if the job has not been asked for statistics.
    pub(super) fn new(job: &Job, traffic: &Arc<WindowTraffic>) -> Option<Self> {
        job.settings().is_on(Id::Stats).then(|| Self::add(job, traffic))
    }

    fn add(job: &Job, traffic: &Arc<WindowTraffic>) -> Self {
        let OfJob(statistics) = job.layer_state().get_or_init(OfJob::default);
        let mut all = statistics.lock();
        let number = all.next;
        all.next += 1;
        let present = Present {
            name: String::new(),
            traffic: Arc::clone(traffic),
        };
        all.present.insert(number, present);
        Self {
            number,
            statistics: Arc::clone(statistics),
        }
    }

    /// Sets the name of the window, under which all of its past counts, too.
    pub(super) fn set_name(&self, name: &str) {
        if let Some(present) = self.statistics.lock().present.get_mut(&self.number) {
            present.name = name.to_owned();
        }
    }
}

impl Drop for StatisticsEntry {
    fn drop(&mut self) {
        let mut all = self.statistics.lock();
        if let Some(Present { name, traffic }) = all.present.remove(&self.number) {
            add(&mut all.ended, &name, traffic.totals());
        }
    }
}

/// Adds what has been done in a window with this name.
fn add(sums: &mut BTreeMap<Option<String>, WindowTotals>, name: &str, totals: WindowTotals) {
    let name = Some(name.to_owned());
    let is_full = sums.len() >= NAMES && !sums.contains_key(&name);
    *sums.entry(name.filter(|_| !is_full)).or_default() += totals;
}

/// What the ranks of this host have done in windows, by the name of the window, which is empty for windows without one.
/// Windows beyond a thousand names are told together, under no name. There are none unless the job has been asked for
/// statistics.
#[must_use]
pub fn window_statistics(job: &Job) -> Vec<(Option<String>, WindowTotals)> {
    let OfJob(statistics) = job.layer_state().get_or_init(OfJob::default);
    let all = statistics.lock();
    let mut sums = all.ended.clone();
    for Present { name, traffic } in all.present.values() {
        add(&mut sums, name, traffic.totals());
    }
    sums.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::{OneSided, TargetMemory};

    fn put(traffic: &WindowTraffic) {
        traffic.count(OneSided::Put, TargetMemory::Own, 8);
    }

    #[test]
    fn windows_are_counted_by_their_last_name_also_when_they_are_gone() {
        let job = Job::new(1);
        let traffic = [(); 3].map(|()| Arc::default());
        let entries = traffic
            .each_ref()
            .map(|traffic| StatisticsEntry::add(&job, traffic));
        traffic.iter().for_each(|traffic| put(traffic));
        entries[0].set_name("halo");
        entries[1].set_name("halo");
        let [first, _second, _third] = entries;
        drop(first);
        put(&traffic[0]);
        put(&traffic[1]);
        let told = window_statistics(&job);
        let told: Vec<_> = told
            .iter()
            .map(|(name, sum)| (name.as_deref(), sum.bytes[0][0]))
            .collect();
        assert_eq!(told, [(Some(""), 8), (Some("halo"), 24)]);
    }

    #[test]
    fn windows_beyond_a_number_of_names_are_counted_together() {
        let job = Job::new(1);
        for number in 0..NAMES + 3 {
            let traffic = Arc::default();
            let entry = StatisticsEntry::add(&job, &traffic);
            entry.set_name(&number.to_string());
            put(&traffic);
        }
        let told = window_statistics(&job);
        assert_eq!(told.len(), NAMES + 1);
        assert_eq!((&told[0].0, told[0].1.bytes[0][0]), (&None, 24));
    }
}
