//! The windows of a host that ranks of other hosts may access.

use super::handler::Handler;
use super::shared::WindowShared;
use crate::job::Job;
use crate::network::Service;
use simurgh_core::sync::{Arc, Ordering, SpinLock};
use std::collections::HashMap;

/// The windows, by number.
#[derive(Default)]
pub(super) struct WindowTable(SpinLock<HashMap<u32, Arc<WindowShared>>>);

/// The table of a job.
#[derive(Default)]
struct Windows(Arc<WindowTable>);

impl WindowTable {
    /// The window with a number, if there is one.
    pub(super) fn find(&self, id: u32) -> Option<Arc<WindowShared>> {
        self.0.lock().get(&id).cloned()
    }
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
    table.0.lock().insert(window.id(), Arc::clone(window));
}

/// Notes that a rank of this host has freed the window. When all have, it is no longer known.
pub(super) fn forget(job: &Job, window: &Arc<WindowShared>) {
    // AcqRel: the last one comes after all others.
    let is_last = window.users.fetch_sub(1, Ordering::AcqRel) == 1;
    if is_last && window.comm.host_map().is_some() {
        let gone = table(job).0.lock().remove(&window.id());
        drop(gone);
    }
}
