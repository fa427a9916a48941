//! The windows of a host that ranks of other hosts may access.

use super::handler::Handler;
use super::shared::WindowShared;
use crate::job::Job;
use crate::network::Service;
use simurgh_core::sync::{Arc, Ordering, SpinLock};

/// The windows, by number, ascending.
#[derive(Default)]
pub(super) struct WindowTable(SpinLock<Vec<(u32, Arc<WindowShared>)>>);

/// The table of a job.
#[derive(Default)]
struct Windows(Arc<WindowTable>);

impl WindowTable {
    /// The window with a number, if there is one.
    #[inline]
    pub(super) fn find(&self, id: u32) -> Option<Arc<WindowShared>> {
        let all = self.0.lock_biased();
        let place = place_of(&all, id).ok()?;
        Some(Arc::clone(&all[place].1))
    }

    fn add(&self, window: &Arc<WindowShared>) {
        let mut all = self.0.lock_biased();
        match place_of(&all, window.id()) {
            Ok(place) => all[place].1 = Arc::clone(window),
            Err(place) => all.insert(place, (window.id(), Arc::clone(window))),
        }
    }

    fn remove(&self, id: u32) -> Option<(u32, Arc<WindowShared>)> {
        let mut all = self.0.lock_biased();
        let place = place_of(&all, id).ok()?;
        Some(all.remove(place))
    }
}

/// Where the window with a number is, or would be.
fn place_of(all: &[(u32, Arc<WindowShared>)], id: u32) -> Result<usize, usize> {
    all.binary_search_by_key(&id, |(known, _)| *known)
}

fn table(job: &Job) -> &Arc<WindowTable> {
    let Windows(table) = job.layer_state().get_or_init(Windows::default);
    table
}

/// Makes a window known to other hosts, if it has ranks there.
pub(super) fn admit(job: &Job, window: &Arc<WindowShared>) {
    if window.comm.host_map().is_none() {
        return;
    }
    let table = table(job);
    job.connected()
        .register(Service::Windows, || Arc::new(Handler::new(Arc::clone(table))));
    table.add(window);
}

/// Notes that a rank of this host has freed the window. When all have, it is no longer known.
pub(super) fn forget(job: &Job, window: &Arc<WindowShared>) {
    // AcqRel: the last one comes after all others.
    let is_last = window.users.fetch_sub(1, Ordering::AcqRel) == 1;
    if is_last && window.comm.host_map().is_some() {
        drop(table(job).remove(window.id()));
    }
}
