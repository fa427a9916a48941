//! Registrations for events, and callbacks.

use std::ffi::c_int;

use simurgh_mpi::Info;
use simurgh_mpi_abi_macros::mpi;
use simurgh_tool::event::TYPES;
use simurgh_tool::{ToolError, ToolResult};

use super::tool_event::no_hints;
use crate::arguments::{BufferMut, Out, Safety};
use crate::callback::Callback;
use crate::constants::MPI_INFO_NULL;
use crate::handles::{EventCallback, Rank, Registration, ToolObject};
use crate::tool::{Outcome, at, set};
use crate::types::{
    MPI_Info, MPI_T_cb_safety, MPI_T_event_cb_function, MPI_T_event_dropped_cb_function,
    MPI_T_event_free_cb_function, MPI_T_event_registration,
};

/// Fails unless the argument is an info object or null; the hints in it are not used.
fn check_hints(rank: Rank<'_>, info: MPI_Info) -> Outcome {
    if info != MPI_INFO_NULL {
        rank.read_info(info, |_: &Info| ())?;
    }
    Ok(())
}

/// The number of a level of safety, from the least demanding one on.
fn level_of(safety: Safety) -> ToolResult<usize> {
    let levels = [
        MPI_T_cb_safety::MPI_T_CB_REQUIRE_NONE,
        MPI_T_cb_safety::MPI_T_CB_REQUIRE_MPI_RESTRICTED,
        MPI_T_cb_safety::MPI_T_CB_REQUIRE_THREAD_SAFE,
        MPI_T_cb_safety::MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
    ];
    let level = levels.iter().position(|&level| level as c_int == safety.0);
    level.ok_or(ToolError::Invalid)
}

/// `MPI_T_event_handle_alloc`: makes a registration for an event type, which is bound to no object.
#[mpi(tool)]
fn t_event_handle_alloc(
    rank: Rank<'_>,
    event_index: c_int,
    _obj_handle: BufferMut,
    info: MPI_Info,
    event_registration: Out<MPI_T_event_registration>,
) -> Outcome {
    rank.tool()?;
    at(&TYPES, event_index)?;
    check_hints(rank, info)?;
    event_registration.check("event_registration")?;
    let registration = Registration::new(event_index as usize);
    let handle = rank.give_out_tool(ToolObject::Registration(registration.clone()))?;
    rank.tables.registrations.add(handle, registration);
    set(event_registration, MPI_T_event_registration(handle))
}

/// `MPI_T_event_handle_free`: frees a registration. Its callbacks are called no more, and the given function once.
#[mpi(tool)]
fn t_event_handle_free(
    rank: Rank<'_>,
    event_registration: MPI_T_event_registration,
    user_data: BufferMut,
    free_cb_function: Callback<MPI_T_event_free_cb_function>,
) -> Outcome {
    let tool = rank.tool()?;
    rank.registration(event_registration)?.clear(tool);
    rank.tables.registrations.remove(event_registration.0);
    rank.tables.tools.remove(event_registration.0);
    if let Ok(function) = free_cb_function.get("free_cb_function") {
        // SAFETY:
        // - the tool passed a function of this type, and the pointer that comes with it.
        unsafe {
            function(
                event_registration,
                MPI_T_cb_safety::MPI_T_CB_REQUIRE_NONE,
                user_data.address().cast(),
            );
        }
    }
    Ok(())
}

/// `MPI_T_event_handle_set_info`: sets hints of a registration.
#[mpi(tool)]
fn t_event_handle_set_info(
    rank: Rank<'_>,
    event_registration: MPI_T_event_registration,
    info: MPI_Info,
) -> Outcome {
    rank.tool()?;
    rank.registration(event_registration)?;
    check_hints(rank, info)
}

/// `MPI_T_event_handle_get_info`: the hints of a registration that are in use.
#[mpi(tool)]
fn t_event_handle_get_info(
    rank: Rank<'_>,
    event_registration: MPI_T_event_registration,
    info_used: Out<MPI_Info>,
) -> Outcome {
    rank.tool()?;
    rank.registration(event_registration)?;
    info_used.check("info_used")?;
    no_hints(rank, info_used)
}

/// `MPI_T_event_register_callback`: sets the function that is called after an event, for a level of safety; NULL
/// removes it.
#[mpi(tool)]
fn t_event_register_callback(
    rank: Rank<'_>,
    event_registration: MPI_T_event_registration,
    cb_safety: Safety,
    info: MPI_Info,
    user_data: BufferMut,
    event_cb_function: Callback<MPI_T_event_cb_function>,
) -> Outcome {
    let tool = rank.tool()?;
    let registration = rank.registration(event_registration)?;
    let level = level_of(cb_safety)?;
    check_hints(rank, info)?;
    let function = event_cb_function.get("event_cb_function").ok();
    let callback = function.map(|function| EventCallback {
        function,
        user_data: user_data.address().expose_provenance(),
        since: tool.now(),
    });
    registration.set_callback(tool, level, callback);
    Ok(())
}

/// Fails unless the registration has a callback of this level.
fn check_callback(rank: Rank<'_>, registration: MPI_T_event_registration, safety: Safety) -> Outcome {
    let level = level_of(safety)?;
    if rank.registration(registration)?.has_callback(level) {
        Ok(())
    } else {
        Err(ToolError::Invalid)
    }
}

/// `MPI_T_event_callback_set_info`: sets hints of a callback.
#[mpi(tool)]
fn t_event_callback_set_info(
    rank: Rank<'_>,
    event_registration: MPI_T_event_registration,
    cb_safety: Safety,
    info: MPI_Info,
) -> Outcome {
    rank.tool()?;
    check_callback(rank, event_registration, cb_safety)?;
    check_hints(rank, info)
}

/// `MPI_T_event_callback_get_info`: the hints of a callback that are in use.
#[mpi(tool)]
fn t_event_callback_get_info(
    rank: Rank<'_>,
    event_registration: MPI_T_event_registration,
    cb_safety: Safety,
    info_used: Out<MPI_Info>,
) -> Outcome {
    rank.tool()?;
    check_callback(rank, event_registration, cb_safety)?;
    info_used.check("info_used")?;
    no_hints(rank, info_used)
}

/// `MPI_T_event_set_dropped_handler`: sets the function that is told how many events were lost; NULL removes it.
#[mpi(tool)]
fn t_event_set_dropped_handler(
    rank: Rank<'_>,
    event_registration: MPI_T_event_registration,
    dropped_cb_function: Callback<MPI_T_event_dropped_cb_function>,
) -> Outcome {
    rank.tool()?;
    let registration = rank.registration(event_registration)?;
    registration.set_dropped(dropped_cb_function.get("dropped_cb_function").ok());
    Ok(())
}
