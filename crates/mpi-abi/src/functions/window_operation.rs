//! The operations on the memory of windows.

use std::ffi::c_int;

use simurgh_mpi::datatype::Datatype;
use simurgh_mpi::memory::{Source, Target};
use simurgh_mpi::op::BuiltinOp;
use simurgh_mpi::{ErrorClass, Place};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Buffer, BufferMut, Number};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::{MPI_Aint, MPI_Datatype, MPI_Op, MPI_Win};

/// Elements in the memory of a target.
pub(super) struct Elements {
    rank: c_int,
    displacement: MPI_Aint,
    count: usize,
    datatype: Datatype,
}

impl Elements {
    #[inline(always)]
    pub(super) fn of(
        rank: Rank<'_>,
        (target_rank, target_disp): (c_int, MPI_Aint),
        (target_count, target_datatype): (impl Number, MPI_Datatype),
    ) -> ResultOf<Self> {
        let (count, datatype) = rank.counted(target_count, target_datatype)?;
        Ok(Self {
            rank: target_rank,
            displacement: target_disp,
            count,
            datatype,
        })
    }

    #[inline(always)]
    pub(super) fn place(&self) -> Place<'_> {
        Place {
            rank: self.rank,
            displacement: self.displacement,
            count: self.count,
            datatype: &self.datatype,
        }
    }
}

/// The predefined operation with this handle: the standard allows no others here.
#[inline]
pub(super) fn operation(rank: Rank<'_>, op: MPI_Op) -> ResultOf<BuiltinOp> {
    rank.predefined_op(op).ok_or_else(|| {
        let reason = "op is not a predefined operation, which all that one-sided communication takes are";
        CallError::new(ErrorClass::Op, reason)
    })
}

/// The data of an operation; of one that ignores it no argument is looked at.
#[inline]
pub(super) fn input(
    rank: Rank<'_>,
    op: BuiltinOp,
    (buffer, count, datatype): (Buffer, impl Number, MPI_Datatype),
    result: &Target,
) -> ResultOf<Source> {
    match op {
        BuiltinOp::NoOp => Ok(result.as_source()),
        _ => rank.source(buffer, count, datatype),
    }
}

/// Does an operation that has not gone the short way. It is apart from that, which has the registers to itself.
#[cold]
#[inline(never)]
fn otherwise(general: impl FnOnce() -> Outcome) -> Outcome {
    general()
}

/// `MPI_Put`: writes data to a target.
#[mpi(large, plain, raises = win)]
fn put(
    rank: Rank<'_>,
    origin_addr: Buffer,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Outcome {
    let window = &rank.window(win)?.window;
    if (origin_count, origin_datatype) == (target_count, target_datatype)
        && let Some(origin) = rank.dense_source(origin_addr, origin_count, origin_datatype)
        && window.put_plain(origin, target_rank, target_disp)
    {
        return Ok(());
    }
    otherwise(move || {
        let origin = rank.source(origin_addr, origin_count, origin_datatype)?;
        let elements = Elements::of(rank, (target_rank, target_disp), (target_count, target_datatype))?;
        Ok(window.put(&origin, &elements.place())?)
    })
}

/// `MPI_Get`: reads data of a target.
#[mpi(large, plain, raises = win)]
fn get(
    rank: Rank<'_>,
    origin_addr: BufferMut,
    origin_count: Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Outcome {
    let window = &rank.window(win)?.window;
    if (origin_count, origin_datatype) == (target_count, target_datatype)
        && let Some(origin) = rank.dense_target(origin_addr, origin_count, origin_datatype)
        && window.get_plain(origin, target_rank, target_disp)
    {
        return Ok(());
    }
    otherwise(move || {
        let origin = rank.target(origin_addr, origin_count, origin_datatype)?;
        let elements = Elements::of(rank, (target_rank, target_disp), (target_count, target_datatype))?;
        Ok(window.get(&origin, &elements.place())?)
    })
}

/// `MPI_Accumulate`: updates elements of a target.
#[mpi(large, raises = win)]
fn accumulate(
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
) -> Outcome {
    let window = &rank.window(win)?.window;
    let op = operation(rank, op)?;
    if (origin_count, origin_datatype) == (target_count, target_datatype)
        && let Some(origin) = rank.dense_source(origin_addr, origin_count, origin_datatype)
        && window.accumulate_plain((origin, op), target_rank, target_disp)
    {
        return Ok(());
    }
    otherwise(move || {
        let origin = rank.source(origin_addr, origin_count, origin_datatype)?;
        let elements = Elements::of(rank, (target_rank, target_disp), (target_count, target_datatype))?;
        Ok(window.accumulate(&origin, &elements.place(), op)?)
    })
}

/// `MPI_Get_accumulate`: updates elements of a target, and reads their values from before.
#[mpi(large, raises = win)]
fn get_accumulate(
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
) -> Outcome {
    let window = &rank.window(win)?.window;
    let op = operation(rank, op)?;
    let result = rank.target(result_addr, result_count, result_datatype)?;
    let origin = input(rank, op, (origin_addr, origin_count, origin_datatype), &result)?;
    let elements = Elements::of(rank, (target_rank, target_disp), (target_count, target_datatype))?;
    Ok(window.get_accumulate(&origin, &result, &elements.place(), op)?)
}

/// `MPI_Fetch_and_op`: updates an element of a target, and reads its value from before.
#[mpi(raises = win)]
fn fetch_and_op(
    rank: Rank<'_>,
    origin_addr: Buffer,
    result_addr: BufferMut,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    op: MPI_Op,
    win: MPI_Win,
) -> Outcome {
    let window = &rank.window(win)?.window;
    let op = operation(rank, op)?;
    if let Some(operands) = rank.operands(origin_addr, result_addr, datatype)
        && window.fetch_plain(operands, op, target_rank, target_disp)
    {
        return Ok(());
    }
    otherwise(move || {
        let result = rank.target(result_addr, 1, datatype)?;
        let origin = input(rank, op, (origin_addr, 1, datatype), &result)?;
        let elements = Elements::of(rank, (target_rank, target_disp), (1, datatype))?;
        Ok(window.fetch_and_op(&origin, &result, &elements.place(), op)?)
    })
}

/// `MPI_Compare_and_swap`: replaces an element of a target if it has a certain value, and reads its value from before.
#[mpi(raises = win)]
fn compare_and_swap(
    rank: Rank<'_>,
    origin_addr: Buffer,
    compare_addr: Buffer,
    result_addr: BufferMut,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    win: MPI_Win,
) -> Outcome {
    let window = &rank.window(win)?.window;
    if let Some(operands) = rank.compared_operands((origin_addr, compare_addr), result_addr, datatype)
        && window.swap_plain(operands, target_rank, target_disp)
    {
        return Ok(());
    }
    otherwise(move || {
        let origin = rank.source(origin_addr, 1, datatype)?;
        let compare = rank.source(compare_addr, 1, datatype)?;
        let result = rank.target(result_addr, 1, datatype)?;
        let elements = Elements::of(rank, (target_rank, target_disp), (1, datatype))?;
        Ok(window.compare_and_swap(&origin, &compare, &result, &elements.place())?)
    })
}
