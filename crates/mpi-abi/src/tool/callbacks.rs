//! The functions of a tool that are called when events have happened.

use std::ffi::c_void;
use std::sync::Arc;

use simurgh_core::sync::SpinLock;
use simurgh_mpi::tool::{Record, Tool, Wish};

use super::ToolObject;
use crate::call::with_process;
use crate::tables::Rank;
use crate::types::{
    MPI_Count, MPI_T_cb_safety, MPI_T_event_cb_function, MPI_T_event_dropped_cb_function,
    MPI_T_event_instance, MPI_T_event_registration,
};

/// Callbacks are called at the end of a call of their rank, where a rank may do whatever it likes.
const SAFETY: MPI_T_cb_safety = MPI_T_cb_safety::MPI_T_CB_REQUIRE_NONE;

/// The only source of events: the rank.
pub(crate) const SOURCE: i32 = 0;

/// How many levels of safety there are.
const LEVELS: usize = 4;

/// A function of the tool.
#[derive(Clone, Copy)]
pub(crate) struct Callback {
    pub(crate) function: MPI_T_event_cb_function,
    /// The address that it gets back.
    pub(crate) user_data: usize,
    /// When it was registered: earlier events do not concern it.
    pub(crate) since: u64,
}

/// A registration for one type of events.
pub(crate) struct Registration {
    kind: usize,
    functions: SpinLock<Functions>,
}

#[derive(Default)]
struct Functions {
    /// By level of safety, from the least demanding on.
    callbacks: [Option<Callback>; LEVELS],
    dropped: Option<MPI_T_event_dropped_cb_function>,
    /// There as long as there is a callback.
    wish: Option<Wish>,
}

/// The registrations of a rank, by handle.
#[derive(Default)]
pub(crate) struct Registrations(SpinLock<Vec<(usize, Arc<Registration>)>>);

impl Functions {
    /// The callback for our safe point, where each will do: that of the lowest level.
    fn callback(&self) -> Option<Callback> {
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
    pub(crate) fn set_callback(&self, tool: &Tool, level: usize, callback: Option<Callback>) {
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

    /// Removes all functions.
    pub(crate) fn silence(&self, tool: &Tool) {
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

    /// Those for one type of events.
    fn of_kind(&self, kind: usize) -> Vec<(usize, Arc<Registration>)> {
        let all = self.0.lock();
        all.iter()
            .filter(|(_, registration)| registration.kind == kind)
            .cloned()
            .collect()
    }

    /// The types of events that there are registrations for.
    fn kinds(&self) -> Vec<usize> {
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

/// Calls the callbacks of what has happened to the calling rank, at the end of a call.
#[cold]
#[inline(never)]
pub(crate) fn deliver() {
    with_process(|process| {
        if let Some((process, tables)) = process.and_then(|process| Some((process, process.extension()?))) {
            deliver_to(Rank { process, tables });
        }
    });
}

fn deliver_to(rank: Rank<'_>) {
    let registrations = &rank.tables.registrations;
    if registrations.0.lock().is_empty() || !rank.process.tool().queue().is_pending() {
        return;
    }
    let tool = rank.process.tool();
    tool.deliver_with(|| {
        while let Some(record) = tool.queue().take() {
            for (handle, registration) in registrations.of_kind(record.kind) {
                call_back(rank, handle, &registration, record);
            }
        }
        for kind in registrations.kinds() {
            let lost = tool.queue().take_dropped(kind);
            if lost > 0 {
                tell_of_loss(registrations, kind, lost);
            }
        }
    });
}

fn call_back(rank: Rank<'_>, handle: usize, registration: &Registration, record: Record) {
    let callback = registration.functions.lock().callback();
    let Some(callback) = callback.filter(|callback| callback.since <= record.time) else {
        return;
    };
    let Ok(instance) = rank.give_out_tool(ToolObject::Instance(record)) else {
        return;
    };
    let user_data = std::ptr::with_exposed_provenance_mut::<c_void>(callback.user_data);
    // SAFETY:
    // - the tool registered a function of this type, and the pointer that comes with it;
    // - we are at the end of a call of the rank, without a lock, so that the function may do what the rank may.
    unsafe {
        (callback.function)(
            MPI_T_event_instance(instance),
            MPI_T_event_registration(handle),
            SAFETY,
            user_data,
        );
    }
    rank.tables.tools.remove(instance);
}

fn tell_of_loss(registrations: &Registrations, kind: usize, lost: u64) {
    for (handle, registration) in registrations.of_kind(kind) {
        let functions = registration.functions.lock();
        let (dropped, callback) = (functions.dropped, functions.callback());
        drop(functions);
        let Some(dropped) = dropped else { continue };
        let user_data = callback.map_or(0, |callback| callback.user_data);
        // SAFETY:
        // - as in `call_back`.
        unsafe {
            dropped(
                MPI_Count::try_from(lost).unwrap_or(MPI_Count::MAX),
                MPI_T_event_registration(handle),
                SOURCE,
                SAFETY,
                std::ptr::with_exposed_provenance_mut(user_data),
            );
        }
    }
}
