//! Delivery of events: calling the functions that a tool has registered.

use std::ffi::c_void;

use simurgh_tool::Record;

use crate::handles::{Rank, Registration, Registrations, ToolObject};
use crate::singleton::with_process;
use crate::types::{MPI_Count, MPI_T_cb_safety, MPI_T_event_instance, MPI_T_event_registration};

/// The level of safety that callbacks are called at: the end of a call of their rank, where the rank may do whatever it
/// likes.
const SAFETY: MPI_T_cb_safety = MPI_T_cb_safety::MPI_T_CB_REQUIRE_NONE;

/// The index of the only source of events, the rank.
pub(crate) const SOURCE: i32 = 0;

/// Calls the callbacks for events of the calling rank, at the end of a call.
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
    if registrations.is_empty() || !rank.process.tool().queue().is_pending() {
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
    let callback = registration.callback();
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
        let (dropped, callback) = registration.dropped();
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
