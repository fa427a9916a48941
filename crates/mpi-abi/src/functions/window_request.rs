//! The operations on the memory of windows that have requests.

use std::ffi::c_int;

use simurgh_mpi_abi_macros::mpi;

use super::nonblocking::give_out;
use super::window_operation::{Elements, input, operation};
use crate::arguments::{Buffer, BufferMut, Out};
use crate::error::Outcome;
use crate::handles::Rank;
use crate::types::{MPI_Aint, MPI_Datatype, MPI_Op, MPI_Request, MPI_Win};

/// `MPI_Rput`: writes data to a target, with a request.
#[mpi(large, raises = win)]
fn rput(
    rank: Rank<'_>,
    origin_addr: Buffer,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let window = &rank.window(win)?.window;
    let origin = rank.source(origin_addr, origin_count, origin_datatype)?;
    let elements = Elements::of(rank, (target_rank, target_disp), (target_count, target_datatype))?;
    let made = window.rput(&origin, &elements.place())?;
    give_out(rank, made, win, request)
}

/// `MPI_Rget`: reads data of a target, with a request.
#[mpi(large, raises = win)]
fn rget(
    rank: Rank<'_>,
    origin_addr: BufferMut,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let window = &rank.window(win)?.window;
    let origin = rank.target(origin_addr, origin_count, origin_datatype)?;
    let elements = Elements::of(rank, (target_rank, target_disp), (target_count, target_datatype))?;
    let made = window.rget(&origin, &elements.place())?;
    give_out(rank, made, win, request)
}

/// `MPI_Raccumulate`: updates elements of a target, with a request.
#[mpi(large, raises = win)]
fn raccumulate(
    rank: Rank<'_>,
    origin_addr: Buffer,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let window = &rank.window(win)?.window;
    let op = operation(rank, op)?;
    let origin = rank.source(origin_addr, origin_count, origin_datatype)?;
    let elements = Elements::of(rank, (target_rank, target_disp), (target_count, target_datatype))?;
    let made = window.raccumulate(&origin, &elements.place(), op)?;
    give_out(rank, made, win, request)
}

/// `MPI_Rget_accumulate`: updates elements of a target and reads their values from before, with a request.
#[mpi(large, raises = win)]
fn rget_accumulate(
    rank: Rank<'_>,
    origin_addr: Buffer,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    result_addr: BufferMut,
    result_count: Count,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let window = &rank.window(win)?.window;
    let op = operation(rank, op)?;
    let result = rank.target(result_addr, result_count, result_datatype)?;
    let origin = input(rank, op, (origin_addr, origin_count, origin_datatype), &result)?;
    let elements = Elements::of(rank, (target_rank, target_disp), (target_count, target_datatype))?;
    let made = window.rget_accumulate(&origin, &result, &elements.place(), op)?;
    give_out(rank, made, win, request)
}
