//! Reduction operations.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi_abi_macros::mpi;

use super::aliasing::{self, LOCAL};
use crate::arguments::{Buffer, BufferMut, InOut, Out};
use crate::callback::Callback;
use crate::constants::MPI_OP_NULL;
use crate::error::{CallError, Outcome};
use crate::handles::{Function, Rank, UserDefinedOp, handle_of};
use crate::types::{MPI_Datatype, MPI_Op, MPI_User_function, MPI_User_function_c};

/// Stores the handle of an operation that a call has made.
fn give_out(rank: Rank<'_>, function: Function, commute: c_int, op: Out<MPI_Op>) -> Outcome {
    op.check("op")?;
    op.set(
        "op",
        MPI_Op(handle_of(
            &rank.tables.ops,
            UserDefinedOp::new(function, commute != 0),
        )?),
    )
}

/// `MPI_Op_create`: makes a reduction operation of a function.
#[mpi]
fn op_create(
    rank: Rank<'_>,
    user_fn: Callback<MPI_User_function>,
    commute: c_int,
    op: Out<MPI_Op>,
) -> Outcome {
    give_out(rank, Function::Narrow(user_fn.get("user_fn")?), commute, op)
}

/// `MPI_Op_create_c`: makes a reduction operation of a function that takes large counts.
#[mpi]
fn op_create_c(
    rank: Rank<'_>,
    user_fn: Callback<MPI_User_function_c>,
    commute: c_int,
    op: Out<MPI_Op>,
) -> Outcome {
    give_out(rank, Function::Large(user_fn.get("user_fn")?), commute, op)
}

/// `MPI_Op_free`: frees the operation.
#[mpi]
fn op_free(rank: Rank<'_>, op: InOut<MPI_Op>) -> Outcome {
    let handle = op.get("op")?;
    if rank.predefined_op(handle).is_some() {
        return Err(CallError::new(
            ErrorClass::Op,
            "op is a predefined operation, which cannot be freed",
        ));
    }
    rank.user_op(handle)?;
    rank.tables.ops.remove(handle.0);
    op.set(MPI_OP_NULL);
    Ok(())
}

/// `MPI_Op_commutative`: whether the operation is commutative.
#[mpi]
fn op_commutative(rank: Rank<'_>, op: MPI_Op, commute: Out<c_int>) -> Outcome {
    let commutes = match rank.predefined_op(op) {
        Some(builtin) => builtin.is_commutative(),
        None => rank.user_op(op)?.is_commutative(),
    };
    commute.set("commute", c_int::from(commutes))
}

/// `MPI_Reduce_local`: combines two buffers of the caller.
#[mpi(large)]
fn reduce_local(
    rank: Rank<'_>,
    inbuf: Buffer,
    inoutbuf: BufferMut,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Outcome {
    let op = rank.op(op, datatype)?;
    let input = rank.source(inbuf, count, datatype)?;
    let inout = rank.target(inoutbuf, count, datatype)?;
    aliasing::check_whole(rank, &input, &inout, LOCAL)?;
    op.check(inout.datatype())?;
    Ok(op.reduce(&input, &inout)?)
}
