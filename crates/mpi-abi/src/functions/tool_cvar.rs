//! Control variables.

use std::ffi::c_int;

use simurgh_core::Purpose;
use simurgh_host as host;
use simurgh_mpi_abi_macros::mpi;
use simurgh_tool::control::{Action, Control, ROOM, Scope, all};
use simurgh_tool::{ToolError, ToolResult};

use super::tool::enum_handle;
use crate::arguments::{Buffer, BufferMut, InOut, Out, Text, TextOut};
use crate::constants::MPI_T_CVAR_HANDLE_NULL;
use crate::constants::tool::*;
use crate::handles::{Rank, ToolObject};
use crate::tool::{
    Name, Outcome, at, count, datatype_of, from_memory, place_of, set, to_memory, verbosity_of,
};
use crate::types::{MPI_Datatype, MPI_T_cvar_handle, MPI_T_enum};

/// `MPI_T_cvar_get_num`: the number of control variables.
#[mpi(tool)]
fn t_cvar_get_num(rank: Rank<'_>, num_cvar: Out<c_int>) -> Outcome {
    rank.tool()?;
    set(num_cvar, count(all().len()))
}

/// `MPI_T_cvar_get_info`: the properties of a control variable.
#[mpi(tool)]
fn t_cvar_get_info(
    rank: Rank<'_>,
    cvar_index: c_int,
    name: TextOut,
    name_len: InOut<c_int>,
    verbosity: Out<c_int>,
    datatype: Out<MPI_Datatype>,
    enumtype: Out<MPI_T_enum>,
    desc: TextOut,
    desc_len: InOut<c_int>,
    bind: Out<c_int>,
    scope: Out<c_int>,
) -> Outcome {
    rank.tool()?;
    let control = at(all(), cvar_index)?;
    Name {
        room: name,
        length: name_len,
    }
    .set(&control.name)?;
    Name {
        room: desc,
        length: desc_len,
    }
    .set(&control.doc)?;
    verbosity.set_unless_ignored(verbosity_of(control.verbosity));
    datatype.set_unless_ignored(datatype_of(control.representation));
    enumtype.set_unless_ignored(enum_handle(control.enumeration));
    bind.set_unless_ignored(MPI_T_BIND_NO_OBJECT);
    scope.set_unless_ignored(match control.scope() {
        Scope::Constant => MPI_T_SCOPE_CONSTANT,
        Scope::ReadOnly => MPI_T_SCOPE_READONLY,
        Scope::Local => MPI_T_SCOPE_LOCAL,
    });
    Ok(())
}

/// `MPI_T_cvar_get_index`: the index of the control variable with this name.
#[mpi(tool)]
fn t_cvar_get_index(rank: Rank<'_>, name: Text, cvar_index: Out<c_int>) -> Outcome {
    rank.tool()?;
    let place = place_of(name, all().iter().map(|control| control.name.as_str()))?;
    set(cvar_index, place)
}

/// `MPI_T_cvar_handle_alloc`: makes a handle of a control variable, which is bound to no object.
#[mpi(tool)]
fn t_cvar_handle_alloc(
    rank: Rank<'_>,
    cvar_index: c_int,
    _obj_handle: BufferMut,
    handle: Out<MPI_T_cvar_handle>,
    count: Out<c_int>,
) -> Outcome {
    rank.tool()?;
    let control = at(all(), cvar_index)?;
    handle.check("handle")?;
    let made = rank.give_out_tool(ToolObject::Control(control))?;
    count.set_unless_ignored(self::count(value_of(rank, control).len()));
    set(handle, MPI_T_cvar_handle(made))
}

/// `MPI_T_cvar_handle_free`: frees a handle.
#[mpi(tool)]
fn t_cvar_handle_free(rank: Rank<'_>, handle: InOut<MPI_T_cvar_handle>) -> Outcome {
    rank.tool()?;
    let given = handle.get("handle")?;
    rank.control(given)?;
    rank.tables.tools.remove(given.0);
    handle.set(MPI_T_CVAR_HANDLE_NULL);
    Ok(())
}

/// `MPI_T_cvar_read`: the value of a control variable.
#[mpi(tool)]
fn t_cvar_read(rank: Rank<'_>, handle: MPI_T_cvar_handle, buf: BufferMut) -> Outcome {
    rank.tool()?;
    let control = rank.control(handle)?;
    to_memory(buf, control.representation, &value_of(rank, control))
}

/// The value of a control variable for the calling rank.
fn value_of(rank: Rank<'_>, control: &Control) -> Vec<u64> {
    match control.action() {
        Some(Action::Dump) => vec![host::dumps(rank.process)],
        Some(Action::Place) => {
            let words = host::placement_of(rank.process);
            let mut text: Vec<u64> = words.bytes().take(ROOM - 1).map(u64::from).collect();
            // A tool has made room when it got its handle, and the text may become longer.
            text.resize(ROOM, 0);
            text
        }
        Some(Action::Move) => vec![simurgh_core::current().vp().unwrap_or(0) as u64],
        Some(Action::Purpose) => vec![simurgh_core::current().purpose() as u64],
        None => control.read(rank.process),
    }
}

/// `MPI_T_cvar_write`: changes a control variable for the calling rank.
#[mpi(tool)]
fn t_cvar_write(rank: Rank<'_>, handle: MPI_T_cvar_handle, buf: Buffer) -> Outcome {
    rank.tool()?;
    let control = rank.control(handle)?;
    if control.scope() != Scope::Local {
        return Err(ToolError::SetNever);
    }
    let number = || from_memory(buf, control.representation, 1).map(|values| values[0]);
    match control.action() {
        Some(Action::Dump) => dump(rank, number()?),
        Some(Action::Place) => {
            let words = buf.text().read("buf")?;
            let is_done = host::choose_placement(rank.process, &words);
            is_done.then_some(()).ok_or(ToolError::Invalid)
        }
        Some(Action::Move) => move_to(number()?),
        Some(Action::Purpose) => set_purpose(number()?),
        None => control.write(rank.process, number()?),
    }
}

/// Continues the calling rank on this virtual processor.
fn move_to(vp: u64) -> ToolResult<()> {
    let has_moved = usize::try_from(vp).is_ok_and(simurgh_core::move_to);
    has_moved.then_some(()).ok_or(ToolError::SetNotNow)
}

/// Says what the calling rank's phase is about.
fn set_purpose(number: u64) -> ToolResult<()> {
    let purpose = usize::try_from(number)
        .ok()
        .and_then(|number| Purpose::ALL.get(number));
    simurgh_core::set_purpose(*purpose.ok_or(ToolError::Invalid)?);
    Ok(())
}

/// Dumps the calling rank, wipes its memory and restores it, so many times.
fn dump(rank: Rank<'_>, times: u64) -> ToolResult<()> {
    let done = host::dump_and_restore(rank.process, || rank.operations_under_way(), times);
    done.map_err(|reason| {
        let id = rank.process.rank();
        host::say(&format!("rank {id} cannot be dumped now: {reason}"));
        ToolError::SetNotNow
    })
}
