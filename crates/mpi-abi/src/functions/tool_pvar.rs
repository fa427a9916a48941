//! Performance variables.

use std::ffi::c_int;
use std::sync::Arc;

use simurgh_mpi_abi_macros::mpi;
use simurgh_tool::variable::{Bound, Class, Object, Variable, all};
use simurgh_tool::{Handle, ToolError, ToolResult};

use super::tool::enum_handle;
use crate::arguments::{Buffer, BufferMut, InOut, Out, Text, TextOut};
use crate::constants::tool::*;
use crate::constants::{MPI_T_PVAR_ALL_HANDLES, MPI_T_PVAR_HANDLE_NULL, MPI_T_PVAR_SESSION_NULL};
use crate::handles::{PvarSession, Rank, ToolObject};
use crate::tool::{
    Name, Outcome, at, count, datatype_of, from_memory, place_of, set, to_memory, verbosity_of,
};
use crate::types::{
    MPI_Comm, MPI_Datatype, MPI_File, MPI_T_enum, MPI_T_pvar_handle, MPI_T_pvar_session, MPI_Win,
};

fn class_of(variable: &Variable) -> c_int {
    match variable.class {
        Class::State => MPI_T_PVAR_CLASS_STATE,
        Class::Level => MPI_T_PVAR_CLASS_LEVEL,
        Class::Percentage => MPI_T_PVAR_CLASS_PERCENTAGE,
        Class::HighWatermark => MPI_T_PVAR_CLASS_HIGHWATERMARK,
        Class::Counter => MPI_T_PVAR_CLASS_COUNTER,
        Class::Aggregate => MPI_T_PVAR_CLASS_AGGREGATE,
        Class::Timer => MPI_T_PVAR_CLASS_TIMER,
    }
}

/// `MPI_T_pvar_get_num`: the number of performance variables.
#[mpi(tool)]
fn t_pvar_get_num(rank: Rank<'_>, num_pvar: Out<c_int>) -> Outcome {
    rank.tool()?;
    set(num_pvar, count(all().len()))
}

/// `MPI_T_pvar_get_info`: the properties of a performance variable.
#[mpi(tool)]
fn t_pvar_get_info(
    rank: Rank<'_>,
    pvar_index: c_int,
    name: TextOut,
    name_len: InOut<c_int>,
    verbosity: Out<c_int>,
    var_class: Out<c_int>,
    datatype: Out<MPI_Datatype>,
    enumtype: Out<MPI_T_enum>,
    desc: TextOut,
    desc_len: InOut<c_int>,
    bind: Out<c_int>,
    readonly: Out<c_int>,
    continuous: Out<c_int>,
    atomic: Out<c_int>,
) -> Outcome {
    rank.tool()?;
    let variable = at(all(), pvar_index)?;
    Name {
        room: name,
        length: name_len,
    }
    .set(&variable.name)?;
    Name {
        room: desc,
        length: desc_len,
    }
    .set(&variable.doc)?;
    let bound = match variable.bound {
        Bound::NoObject => MPI_T_BIND_NO_OBJECT,
        Bound::Comm => MPI_T_BIND_MPI_COMM,
        Bound::File => MPI_T_BIND_MPI_FILE,
        Bound::Window => MPI_T_BIND_MPI_WIN,
    };
    verbosity.set_unless_ignored(verbosity_of(variable.verbosity));
    var_class.set_unless_ignored(class_of(variable));
    datatype.set_unless_ignored(datatype_of(variable.representation()));
    enumtype.set_unless_ignored(enum_handle(variable.enumeration()));
    bind.set_unless_ignored(bound);
    let always_on = c_int::from(variable.is_continuous());
    readonly.set_unless_ignored(always_on);
    continuous.set_unless_ignored(always_on);
    atomic.set_unless_ignored(1 - always_on);
    Ok(())
}

/// `MPI_T_pvar_get_index`: the index of the performance variable with this name and class.
#[mpi(tool)]
fn t_pvar_get_index(rank: Rank<'_>, name: Text, var_class: c_int, pvar_index: Out<c_int>) -> Outcome {
    rank.tool()?;
    let place = place_of(name, all().iter().map(|variable| variable.name.as_str()))?;
    if class_of(at(all(), place)?) != var_class {
        return Err(ToolError::InvalidName);
    }
    set(pvar_index, place)
}

/// `MPI_T_pvar_session_create`: makes a session, in which a tool has handles of its own.
#[mpi(tool)]
fn t_pvar_session_create(rank: Rank<'_>, pe_session: Out<MPI_T_pvar_session>) -> Outcome {
    rank.tool()?;
    pe_session.check("pe_session")?;
    let full = |_| ToolError::OutOfSessions;
    let made = rank
        .give_out_tool(ToolObject::Session(PvarSession::default()))
        .map_err(full)?;
    set(pe_session, MPI_T_pvar_session(made))
}

/// `MPI_T_pvar_session_free`: frees a session and its handles.
#[mpi(tool)]
fn t_pvar_session_free(rank: Rank<'_>, pe_session: InOut<MPI_T_pvar_session>) -> Outcome {
    rank.tool()?;
    let given = pe_session.get("pe_session")?;
    let session = rank.pvar_session(given)?;
    let handles = std::mem::take(&mut *session.lock());
    for handle in handles {
        rank.tables.tools.remove(handle);
    }
    rank.tables.tools.remove(given.0);
    pe_session.set(MPI_T_PVAR_SESSION_NULL);
    Ok(())
}

/// `MPI_T_pvar_handle_alloc`: makes a handle of a performance variable, for the object that it is bound to.
#[mpi(tool)]
fn t_pvar_handle_alloc(
    rank: Rank<'_>,
    pe_session: MPI_T_pvar_session,
    pvar_index: c_int,
    obj_handle: BufferMut,
    handle: Out<MPI_T_pvar_handle>,
    count: Out<c_int>,
) -> Outcome {
    rank.tool()?;
    let session = rank.pvar_session(pe_session)?;
    let variable = at(all(), pvar_index)?;
    handle.check("handle")?;
    let object = match variable.bound {
        Bound::NoObject => Object::None,
        Bound::Comm => Object::Comm(Arc::clone(rank.comm(obj_handle.load::<MPI_Comm>("obj_handle")?)?)),
        Bound::File => Object::File(Arc::clone(rank.file(obj_handle.load::<MPI_File>("obj_handle")?)?)),
        Bound::Window => {
            let window = rank.window(obj_handle.load::<MPI_Win>("obj_handle")?)?;
            Object::Window(Arc::clone(window.window.traffic()))
        }
    };
    let made = Handle::new(rank.process, pvar_index as usize, object)?;
    count.set_unless_ignored(crate::tool::count(made.count()));
    let made = rank.give_out_tool(ToolObject::Variable {
        session: pe_session.0,
        handle: Arc::new(made),
    })?;
    session.lock().push(made);
    set(handle, MPI_T_pvar_handle(made))
}

/// `MPI_T_pvar_handle_free`: frees a handle.
#[mpi(tool)]
fn t_pvar_handle_free(
    rank: Rank<'_>,
    pe_session: MPI_T_pvar_session,
    handle: InOut<MPI_T_pvar_handle>,
) -> Outcome {
    rank.tool()?;
    let given = handle.get("handle")?;
    rank.variable(pe_session, given)?;
    rank.pvar_session(pe_session)?
        .lock()
        .retain(|&own| own != given.0);
    rank.tables.tools.remove(given.0);
    handle.set(MPI_T_PVAR_HANDLE_NULL);
    Ok(())
}

/// Calls `act` for one handle of a session, or for all of those that are not continuous.
fn each(
    rank: Rank<'_>,
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    act: impl Fn(&Handle) -> Outcome,
) -> Outcome {
    if handle != MPI_T_PVAR_ALL_HANDLES {
        return act(&*rank.variable(session, handle)?);
    }
    let handles = rank.pvar_session(session)?.lock().clone();
    for handle in handles {
        let variable = rank.variable(session, MPI_T_pvar_handle(handle))?;
        if !variable.variable().is_continuous() {
            act(&variable)?;
        }
    }
    Ok(())
}

/// `MPI_T_pvar_start`: starts a performance variable, or all of the session that can be started.
#[mpi(tool)]
fn t_pvar_start(rank: Rank<'_>, pe_session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Outcome {
    rank.tool()?;
    each(rank, pe_session, handle, Handle::start)
}

/// `MPI_T_pvar_stop`: stops a performance variable, or all of the session that can be stopped.
#[mpi(tool)]
fn t_pvar_stop(rank: Rank<'_>, pe_session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Outcome {
    rank.tool()?;
    each(rank, pe_session, handle, Handle::stop)
}

/// `MPI_T_pvar_reset`: sets a performance variable to zero, or all of the session that can be written.
#[mpi(tool)]
fn t_pvar_reset(rank: Rank<'_>, pe_session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Outcome {
    rank.tool()?;
    each(rank, pe_session, handle, Handle::reset)
}

fn hand_over(handle: &Handle, buf: BufferMut, values: ToolResult<Vec<u64>>) -> Outcome {
    to_memory(buf, handle.variable().representation(), &values?)
}

/// `MPI_T_pvar_read`: the values of a performance variable.
#[mpi(tool)]
fn t_pvar_read(
    rank: Rank<'_>,
    pe_session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: BufferMut,
) -> Outcome {
    rank.tool()?;
    let handle = rank.variable(pe_session, handle)?;
    hand_over(&handle, buf, Ok(handle.read()))
}

/// `MPI_T_pvar_write`: sets the values of a performance variable.
#[mpi(tool)]
fn t_pvar_write(
    rank: Rank<'_>,
    pe_session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: Buffer,
) -> Outcome {
    rank.tool()?;
    let handle = rank.variable(pe_session, handle)?;
    if handle.variable().is_continuous() {
        return Err(ToolError::NoWrite);
    }
    handle.write(from_memory(
        buf,
        handle.variable().representation(),
        handle.count(),
    )?)
}

/// `MPI_T_pvar_readreset`: the values of a performance variable, which is then set to zero.
#[mpi(tool)]
fn t_pvar_readreset(
    rank: Rank<'_>,
    pe_session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: BufferMut,
) -> Outcome {
    rank.tool()?;
    let handle = rank.variable(pe_session, handle)?;
    buf.check("buf")?;
    hand_over(&handle, buf, handle.read_reset())
}
