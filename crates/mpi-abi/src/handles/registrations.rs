//! The functions that a tool has registered for events.

use std::sync::Arc;

use simurgh_core::sync::SpinLock;
use simurgh_tool::{Tool, Wish};

use crate::types::{MPI_T_event_cb_function, MPI_T_event_dropped_cb_function};

/// How many levels of safety there are.
const LEVELS: usize = 4;

/// A function of the tool.
#[derive(Clone, Copy)]
pub(crate) struct EventCallback {
    pub(crate) function: MPI_T_event_cb_function,
    /// The pointer that the function gets.
    pub(crate) user_data: usize,
    /// The time of its registration; the function is not told of earlier events.
    pub(crate) since: u64,
}

/// A registration for one type of events.
pub(crate) struct Registration {
    kind: usize,
    functions: SpinLock<Functions>,
}

#[derive(Default)]
struct Functions {
    /// The callbacks by level of safety, from the least demanding on.
    callbacks: [Option<EventCallback>; LEVELS],
    dropped: Option<MPI_T_event_dropped_cb_function>,
    /// The request for events of this type; there as long as there is a callback.
    wish: Option<Wish>,
}

/// The registrations of a rank, by handle.
#[derive(Default)]
pub(crate) struct Registrations(SpinLock<Vec<(usize, Arc<Registration>)>>);

impl Functions {
    /// The callback for the safe point where callbacks are called: any level will do there, so it is that of the
    /// lowest.
    fn callback(&self) -> Option<EventCallback> {
        self.callbacks.iter().flatten().next().copied()
    }
}

impl Registration {
    pub(crate) fn new(kind: usize) -> Arc<Self> {
        Arc::new(Self {
            kind,
            functions: SpinLock::new(Functions::default()),
        })
    }

    /// Sets the callback of a level, or removes it.
    pub(crate) fn set_callback(&self, tool: &Tool, level: usize, callback: Option<EventCallback>) {
        let mut functions = self.functions.lock();
        functions.callbacks[level] = callback;
        let wanted = functions.callback().is_some();
        if wanted && functions.wish.is_none() {
            functions.wish = Some(tool.queue().want(self.kind));
        } else if !wanted && let Some(wish) = functions.wish.take() {
            tool.queue().forgo(wish);
        }
    }

    /// Whether there is a callback of a level.
    pub(crate) fn has_callback(&self, level: usize) -> bool {
        self.functions.lock().callbacks[level].is_some()
    }

    /// Sets the function that is told of lost events, or removes it.
    pub(crate) fn set_dropped(&self, function: Option<MPI_T_event_dropped_cb_function>) {
        self.functions.lock().dropped = function;
    }

    /// The callback for the safe point where callbacks are called.
    pub(crate) fn callback(&self) -> Option<EventCallback> {
        self.functions.lock().callback()
    }

    /// The function that is told of lost events, and the callback, whose user data it gets.
    pub(crate) fn dropped(&self) -> (Option<MPI_T_event_dropped_cb_function>, Option<EventCallback>) {
        let functions = self.functions.lock();
        (functions.dropped, functions.callback())
    }

    /// Removes all functions.
    pub(crate) fn clear(&self, tool: &Tool) {
        for level in 0..LEVELS {
            self.set_callback(tool, level, None);
        }
        self.set_dropped(None);
    }
}

impl Registrations {
    pub(crate) fn add(&self, handle: usize, registration: Arc<Registration>) {
        self.0.lock().push((handle, registration));
    }

    pub(crate) fn remove(&self, handle: usize) {
        let mut all = self.0.lock();
        if let Some(place) = all.iter().position(|(own, _)| *own == handle) {
            let removed = all.swap_remove(place);
            drop(all);
            drop(removed);
        }
    }

    pub(crate) fn clear(&self) {
        let all = std::mem::take(&mut *self.0.lock());
        drop(all);
    }

    /// Whether there is no registration.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// The registrations for one type of events.
    pub(crate) fn of_kind(&self, kind: usize) -> Vec<(usize, Arc<Registration>)> {
        let all = self.0.lock();
        all.iter()
            .filter(|(_, registration)| registration.kind == kind)
            .cloned()
            .collect()
    }

    /// The types of events that there are registrations for.
    pub(crate) fn kinds(&self) -> Vec<usize> {
        let mut kinds: Vec<_> = self
            .0
            .lock()
            .iter()
            .map(|(_, registration)| registration.kind)
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}
