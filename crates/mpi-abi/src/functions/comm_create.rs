//! Making communicators from communicators and groups.

use std::ffi::c_int;
use std::sync::Arc;

use simurgh_mpi::{Comm, ErrorClass, Group, Info, SplitType};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Out, Text};
use crate::constants::*;
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{HandlerKind, Rank, handle_of};
use crate::types::{MPI_Comm, MPI_Errhandler, MPI_Group, MPI_Info};
use simurgh_host as host;

/// Stores the handle of a communicator that a call has made, or the null handle if the caller is not in it.
pub(super) fn give_out(rank: Rank<'_>, made: Option<Arc<Comm>>, newcomm: Out<MPI_Comm>) -> Outcome {
    let handle = match made {
        Some(comm) => MPI_Comm(handle_of(&rank.tables.comms, comm)?),
        None => MPI_COMM_NULL,
    };
    newcomm.set("newcomm", handle)
}

/// `MPI_Comm_split`: one communicator for each colour, ordered by key.
#[mpi(raises = comm)]
fn comm_split(rank: Rank<'_>, comm: MPI_Comm, color: c_int, key: c_int, newcomm: Out<MPI_Comm>) -> Outcome {
    newcomm.check("newcomm")?;
    give_out(rank, rank.comm(comm)?.split(color, key)?, newcomm)
}

/// `MPI_Comm_split_type`: one communicator for each piece of hardware or process set, ordered by key.
#[mpi(raises = comm)]
fn comm_split_type(
    rank: Rank<'_>,
    comm: MPI_Comm,
    split_type: c_int,
    key: c_int,
    info: MPI_Info,
    newcomm: Out<MPI_Comm>,
) -> Outcome {
    newcomm.check("newcomm")?;
    let (comm, hints) = (rank.comm(comm)?, rank.hints(info)?);
    let made = comm.split_type(split_type_of(split_type)?, key, &hints)?;
    if let Some((_, Some(resource))) = &made
        && info != MPI_INFO_NULL
    {
        rank.change_info(info, |info| info.set("mpi_hw_resource_type", resource))??;
    }
    give_out(rank, made.map(|(made, _)| made), newcomm)
}

fn split_type_of(number: c_int) -> ResultOf<SplitType> {
    Ok(match number {
        MPI_UNDEFINED => SplitType::Undefined,
        MPI_COMM_TYPE_SHARED => SplitType::Shared,
        MPI_COMM_TYPE_HW_UNGUIDED => SplitType::Unguided,
        MPI_COMM_TYPE_HW_GUIDED => SplitType::Guided,
        MPI_COMM_TYPE_RESOURCE_GUIDED => SplitType::ResourceGuided,
        _ => {
            let reason =
                format!("split_type is {number}; pass one of the MPI_COMM_TYPE constants or MPI_UNDEFINED");
            return Err(CallError::new(ErrorClass::Arg, reason));
        }
    })
}

/// `MPI_Comm_create`: communicators over subgroups; all ranks of `comm` call it.
#[mpi(raises = comm)]
fn comm_create(rank: Rank<'_>, comm: MPI_Comm, group: MPI_Group, newcomm: Out<MPI_Comm>) -> Outcome {
    newcomm.check("newcomm")?;
    let group = rank.group("group", group)?;
    give_out(rank, rank.comm(comm)?.create(&group)?, newcomm)
}

/// `MPI_Comm_create_group`: a communicator over a group; only its members call it.
#[mpi(raises = comm)]
fn comm_create_group(
    rank: Rank<'_>,
    comm: MPI_Comm,
    group: MPI_Group,
    tag: c_int,
    newcomm: Out<MPI_Comm>,
) -> Outcome {
    newcomm.check("newcomm")?;
    let group = rank.group("group", group)?;
    give_out(rank, rank.comm(comm)?.create_group(&group, tag)?, newcomm)
}

/// The tag that distinguishes calls.
fn tag_of(stringtag: Text) -> ResultOf<String> {
    let tag = stringtag.read("stringtag")?;
    if tag.len() >= MPI_MAX_STRINGTAG_LEN as usize {
        let (length, limit) = (tag.len(), MPI_MAX_STRINGTAG_LEN - 1);
        let reason = format!("stringtag has {length} characters; at most {limit} are allowed");
        return Err(CallError::new(ErrorClass::Arg, reason));
    }
    Ok(tag)
}

/// Sets the hints and the error handler of a new communicator.
fn configure(rank: Rank<'_>, made: &Comm, hints: &Info, errhandler: MPI_Errhandler) -> Outcome {
    made.set_info(hints);
    made.set_errhandler(rank.errhandler(errhandler, HandlerKind::Comm)?);
    Ok(())
}

/// `MPI_Comm_create_from_group`: a communicator over a group, without another communicator.
#[mpi(raises = errhandler)]
fn comm_create_from_group(
    rank: Rank<'_>,
    group: MPI_Group,
    stringtag: Text,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newcomm: Out<MPI_Comm>,
) -> Outcome {
    newcomm.check("newcomm")?;
    let (group, tag, hints) = (rank.group("group", group)?, tag_of(stringtag)?, rank.hints(info)?);
    rank.errhandler(errhandler, HandlerKind::Comm)?;
    host::connect();
    let made = Comm::create_from_group(rank.process, &group, &tag)?;
    if let Some(made) = &made {
        configure(rank, made, &hints, errhandler)?;
    }
    give_out(rank, made, newcomm)
}

/// `MPI_Intercomm_create_from_groups`: an inter-communicator of two groups, without another communicator.
#[mpi(raises = errhandler)]
fn intercomm_create_from_groups(
    rank: Rank<'_>,
    local_group: MPI_Group,
    local_leader: c_int,
    remote_group: MPI_Group,
    remote_leader: c_int,
    stringtag: Text,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newintercomm: Out<MPI_Comm>,
) -> Outcome {
    newintercomm.check("newintercomm")?;
    let (local, tag, hints) = (
        rank.group("local_group", local_group)?,
        tag_of(stringtag)?,
        rank.hints(info)?,
    );
    rank.errhandler(errhandler, HandlerKind::Comm)?;
    // Only the leader's argument counts; without a group there the call fails at all ranks.
    let remote = rank.group("remote_group", remote_group).unwrap_or(Group::EMPTY);
    host::connect();
    let made = Comm::create_inter_from_groups(
        rank.process,
        (&local, local_leader),
        (&remote, remote_leader),
        &tag,
    )?;
    configure(rank, &made, &hints, errhandler)?;
    give_out(rank, Some(made), newintercomm)
}
