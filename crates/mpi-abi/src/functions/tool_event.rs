//! Event types, their sources, and the events that a callback gets.

use std::ffi::c_int;

use simurgh_mpi::Info;
use simurgh_mpi_abi_macros::mpi;
use simurgh_tool::event::TYPES;
use simurgh_tool::{ToolError, enumeration};

use super::info::give_out;
use super::tool::enum_handle;
use crate::arguments::{ArrayMut, BufferMut, InOut, Out, Text, TextOut};
use crate::constants::tool::*;
use crate::handles::Rank;
use crate::tool::{
    Name, Outcome, SOURCE, at, count, datatype_of, displacements_of, place_of, set, structure_of, to_memory,
    verbosity_of,
};
use crate::types::{
    MPI_Aint, MPI_Count, MPI_Datatype, MPI_Info, MPI_T_enum, MPI_T_event_instance, MPI_T_source_order,
};

/// `MPI_T_source_get_num`: the number of event sources.
#[mpi(tool)]
fn t_source_get_num(rank: Rank<'_>, num_sources: Out<c_int>) -> Outcome {
    rank.tool()?;
    set(num_sources, 1)
}

fn check_source(index: c_int) -> Outcome {
    if index == SOURCE {
        Ok(())
    } else {
        Err(ToolError::InvalidIndex)
    }
}

/// Stores the hints in use, of which there are none, if the caller wants them.
pub(super) fn no_hints(rank: Rank<'_>, info: Out<MPI_Info>) -> Outcome {
    if !info.is_null() {
        give_out(rank, Info::new(), info)?;
    }
    Ok(())
}

/// `MPI_T_source_get_info`: the properties of an event source.
#[mpi(tool)]
fn t_source_get_info(
    rank: Rank<'_>,
    source_index: c_int,
    name: TextOut,
    name_len: InOut<c_int>,
    desc: TextOut,
    desc_len: InOut<c_int>,
    ordering: Out<MPI_T_source_order>,
    ticks_per_second: Out<MPI_Count>,
    max_ticks: Out<MPI_Count>,
    info: Out<MPI_Info>,
) -> Outcome {
    rank.tool()?;
    check_source(source_index)?;
    Name {
        room: name,
        length: name_len,
    }
    .set("rank")?;
    Name {
        room: desc,
        length: desc_len,
    }
    .set("what the rank does and what others do to it, in the order in which it happens")?;
    ordering.set_unless_ignored(MPI_T_source_order::MPI_T_SOURCE_ORDERED);
    ticks_per_second.set_unless_ignored(1_000_000_000);
    max_ticks.set_unless_ignored(MPI_Count::MAX);
    no_hints(rank, info)
}

fn ticks(nanoseconds: u64) -> MPI_Count {
    MPI_Count::try_from(nanoseconds).unwrap_or(MPI_Count::MAX)
}

/// `MPI_T_source_get_timestamp`: the time by the clock of a source.
#[mpi(tool)]
fn t_source_get_timestamp(rank: Rank<'_>, source_index: c_int, timestamp: Out<MPI_Count>) -> Outcome {
    let tool = rank.tool()?;
    check_source(source_index)?;
    set(timestamp, ticks(tool.now()))
}

/// `MPI_T_event_get_num`: the number of event types.
#[mpi(tool)]
fn t_event_get_num(rank: Rank<'_>, num_events: Out<c_int>) -> Outcome {
    rank.tool()?;
    set(num_events, count(TYPES.len()))
}

/// `MPI_T_event_get_info`: the properties of an event type.
#[mpi(tool)]
fn t_event_get_info(
    rank: Rank<'_>,
    event_index: c_int,
    name: TextOut,
    name_len: InOut<c_int>,
    verbosity: Out<c_int>,
    mut array_of_datatypes: ArrayMut<MPI_Datatype>,
    mut array_of_displacements: ArrayMut<MPI_Aint>,
    num_elements: InOut<c_int>,
    enumtype: Out<MPI_T_enum>,
    info: Out<MPI_Info>,
    desc: TextOut,
    desc_len: InOut<c_int>,
    bind: Out<c_int>,
) -> Outcome {
    rank.tool()?;
    let event = at(&TYPES, event_index)?;
    Name {
        room: name,
        length: name_len,
    }
    .set(event.name)?;
    Name {
        room: desc,
        length: desc_len,
    }
    .set(event.doc)?;
    verbosity.set_unless_ignored(verbosity_of(event.verbosity));
    if let Ok(room) = num_elements.get("num_elements") {
        let room = usize::try_from(room).map_err(|_| ToolError::Invalid)?;
        let room = room.min(event.elements.len());
        let places = displacements_of(event.elements);
        if !array_of_datatypes.is_null() {
            let types = array_of_datatypes.slice("array_of_datatypes", room)?;
            for (place, element) in types.iter_mut().zip(event.elements) {
                *place = datatype_of(element.representation);
            }
        }
        if !array_of_displacements.is_null() {
            let displacements = array_of_displacements.slice("array_of_displacements", room)?;
            for (place, displacement) in displacements.iter_mut().zip(places) {
                *place = displacement as MPI_Aint;
            }
        }
        num_elements.set(count(event.elements.len()));
    }
    enumtype.set_unless_ignored(enum_handle(enumeration::of_event(event_index as usize)));
    bind.set_unless_ignored(MPI_T_BIND_NO_OBJECT);
    no_hints(rank, info)
}

/// `MPI_T_event_get_index`: the index of the event type with this name.
#[mpi(tool)]
fn t_event_get_index(rank: Rank<'_>, name: Text, event_index: Out<c_int>) -> Outcome {
    rank.tool()?;
    set(event_index, place_of(name, TYPES.iter().map(|event| event.name))?)
}

/// `MPI_T_event_read`: an element of the event that a callback gets.
#[mpi(tool)]
fn t_event_read(
    rank: Rank<'_>,
    event_instance: MPI_T_event_instance,
    element_index: c_int,
    buffer: BufferMut,
) -> Outcome {
    rank.tool()?;
    let record = rank.instance(event_instance)?;
    let element = at(TYPES[record.kind].elements, element_index)?;
    let value = record.elements[element_index as usize];
    to_memory(buffer, element.representation, &[value])
}

/// `MPI_T_event_copy`: all elements of the event that a callback gets, at their displacements.
#[mpi(tool)]
fn t_event_copy(rank: Rank<'_>, event_instance: MPI_T_event_instance, buffer: BufferMut) -> Outcome {
    rank.tool()?;
    let record = rank.instance(event_instance)?;
    let bytes = structure_of(TYPES[record.kind].elements, &record.elements);
    Ok(buffer.set_all("buffer", &bytes)?)
}

/// `MPI_T_event_get_timestamp`: the time of the event by the clock of its source.
#[mpi(tool)]
fn t_event_get_timestamp(
    rank: Rank<'_>,
    event_instance: MPI_T_event_instance,
    event_timestamp: Out<MPI_Count>,
) -> Outcome {
    rank.tool()?;
    let record = rank.instance(event_instance)?;
    set(event_timestamp, ticks(record.time))
}

/// `MPI_T_event_get_source`: the source of the event.
#[mpi(tool)]
fn t_event_get_source(
    rank: Rank<'_>,
    event_instance: MPI_T_event_instance,
    source_index: Out<c_int>,
) -> Outcome {
    rank.tool()?;
    rank.instance(event_instance)?;
    set(source_index, SOURCE)
}
