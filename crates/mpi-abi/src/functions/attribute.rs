//! Attributes of communicators, and their deprecated names.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi::attribute::Kind;
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{BufferMut, InOut, Out};
use crate::callback::Callback;
use crate::constants::MPI_KEYVAL_INVALID;
use crate::error::{CallError, Outcome};
use crate::handles::{Rank, UserKeyval};
use crate::types::*;

/// Makes a key for attributes of this kind of objects. The types of the functions may differ from those here in the
/// type of the handle.
fn create<C: Copy, D: Copy>(
    rank: Rank<'_>,
    kind: Kind,
    (copy, delete): (Callback<C>, Callback<D>),
    keyval: Out<c_int>,
    extra_state: BufferMut,
) -> Outcome {
    keyval.check("keyval")?;
    // SAFETY:
    // - the callers pass copy and delete functions of the standard, which differ in the type of their first argument.
    let (copy, delete) = unsafe { (copy.cast(), delete.cast()) };
    let behaviour = Box::new(UserKeyval::new(copy, delete, extra_state)?);
    keyval.set("keyval", rank.tables.keys.create(kind, behaviour)?)
}

/// Makes a key for attributes of datatypes.
pub(super) fn create_for_types(
    rank: Rank<'_>,
    functions: (
        Callback<MPI_Type_copy_attr_function>,
        Callback<MPI_Type_delete_attr_function>,
    ),
    keyval: Out<c_int>,
    extra_state: BufferMut,
) -> Outcome {
    create(rank, Kind::Type, functions, keyval, extra_state)
}

/// Makes a key for attributes of windows.
pub(super) fn create_for_windows(
    rank: Rank<'_>,
    functions: (
        Callback<MPI_Win_copy_attr_function>,
        Callback<MPI_Win_delete_attr_function>,
    ),
    keyval: Out<c_int>,
    extra_state: BufferMut,
) -> Outcome {
    create(rank, Kind::Win, functions, keyval, extra_state)
}

/// Frees a key.
pub(super) fn free(rank: Rank<'_>, kind: Kind, keyval: InOut<c_int>) -> Outcome {
    let number = keyval.get("keyval")?;
    refuse_predefined(kind, number, "freed")?;
    rank.tables.keys.free(kind, number)?;
    keyval.set(MPI_KEYVAL_INVALID);
    Ok(())
}

fn refuse_predefined(kind: Kind, keyval: c_int, verb: &str) -> Outcome {
    if kind == Kind::Comm && Rank::is_predefined_keyval(keyval) {
        let reason = format!("keyval {keyval} is predefined: its attribute cannot be {verb}");
        return Err(CallError::new(ErrorClass::Keyval, reason));
    }
    Ok(())
}

/// Attaches a value to the object with this checked handle.
pub(super) fn set(rank: Rank<'_>, kind: Kind, handle: usize, keyval: c_int, value: BufferMut) -> Outcome {
    refuse_predefined(kind, keyval, "set")?;
    let key = rank.tables.keys.find(kind, keyval)?;
    let value = value.address().expose_provenance();
    Ok(rank.tables.cache.set(handle, key, value)?)
}

/// Finds the value of the object with this checked handle.
pub(super) fn get(
    rank: Rank<'_>,
    kind: Kind,
    handle: usize,
    keyval: c_int,
    (value, flag): (BufferMut, Out<c_int>),
) -> Outcome {
    flag.check("flag")?;
    let found = if kind == Kind::Comm && Rank::is_predefined_keyval(keyval) {
        rank.predefined_attribute(keyval)
    } else {
        rank.tables.keys.find(kind, keyval)?;
        let found = rank.tables.cache.get(handle, keyval);
        found.map(std::ptr::with_exposed_provenance_mut)
    };
    if let Some(found) = found {
        value.set_pointer("attribute_val", found)?;
    }
    flag.set("flag", c_int::from(found.is_some()))
}

/// Deletes the value of the object with this checked handle.
pub(super) fn delete(rank: Rank<'_>, kind: Kind, handle: usize, keyval: c_int) -> Outcome {
    refuse_predefined(kind, keyval, "deleted")?;
    rank.tables.keys.find(kind, keyval)?;
    Ok(rank.tables.cache.delete(handle, keyval)?)
}

/// `MPI_Comm_create_keyval`: makes a key for attributes of communicators.
#[mpi]
fn comm_create_keyval(
    rank: Rank<'_>,
    comm_copy_attr_fn: Callback<MPI_Comm_copy_attr_function>,
    comm_delete_attr_fn: Callback<MPI_Comm_delete_attr_function>,
    comm_keyval: Out<c_int>,
    extra_state: BufferMut,
) -> Outcome {
    let functions = (comm_copy_attr_fn, comm_delete_attr_fn);
    create(rank, Kind::Comm, functions, comm_keyval, extra_state)
}

/// `MPI_Comm_free_keyval`: frees a key; attributes keep it until they are deleted.
#[mpi]
fn comm_free_keyval(rank: Rank<'_>, comm_keyval: InOut<c_int>) -> Outcome {
    free(rank, Kind::Comm, comm_keyval)
}

/// `MPI_Comm_set_attr`: attaches a value to a communicator.
#[mpi(raises = comm)]
fn comm_set_attr(rank: Rank<'_>, comm: MPI_Comm, comm_keyval: c_int, attribute_val: BufferMut) -> Outcome {
    rank.comm(comm)?;
    set(rank, Kind::Comm, comm.0, comm_keyval, attribute_val)
}

/// `MPI_Comm_get_attr`: the value that a communicator has for a key.
#[mpi(raises = comm)]
fn comm_get_attr(
    rank: Rank<'_>,
    comm: MPI_Comm,
    comm_keyval: c_int,
    attribute_val: BufferMut,
    flag: Out<c_int>,
) -> Outcome {
    rank.comm(comm)?;
    get(rank, Kind::Comm, comm.0, comm_keyval, (attribute_val, flag))
}

/// `MPI_Comm_delete_attr`: deletes the value that a communicator has for a key.
#[mpi(raises = comm)]
fn comm_delete_attr(rank: Rank<'_>, comm: MPI_Comm, comm_keyval: c_int) -> Outcome {
    rank.comm(comm)?;
    delete(rank, Kind::Comm, comm.0, comm_keyval)
}

/// `MPI_Keyval_create`: the deprecated name of [`PMPI_Comm_create_keyval`].
#[mpi]
fn keyval_create(
    rank: Rank<'_>,
    copy_fn: Callback<MPI_Copy_function>,
    delete_fn: Callback<MPI_Delete_function>,
    keyval: Out<c_int>,
    extra_state: BufferMut,
) -> Outcome {
    create(rank, Kind::Comm, (copy_fn, delete_fn), keyval, extra_state)
}

/// `MPI_Keyval_free`: the deprecated name of [`PMPI_Comm_free_keyval`].
#[mpi]
fn keyval_free(rank: Rank<'_>, keyval: InOut<c_int>) -> Outcome {
    free(rank, Kind::Comm, keyval)
}

/// `MPI_Attr_put`: the deprecated name of [`PMPI_Comm_set_attr`].
#[mpi(raises = comm)]
fn attr_put(rank: Rank<'_>, comm: MPI_Comm, keyval: c_int, attribute_val: BufferMut) -> Outcome {
    rank.comm(comm)?;
    set(rank, Kind::Comm, comm.0, keyval, attribute_val)
}

/// `MPI_Attr_get`: the deprecated name of [`PMPI_Comm_get_attr`].
#[mpi(raises = comm)]
fn attr_get(
    rank: Rank<'_>,
    comm: MPI_Comm,
    keyval: c_int,
    attribute_val: BufferMut,
    flag: Out<c_int>,
) -> Outcome {
    rank.comm(comm)?;
    get(rank, Kind::Comm, comm.0, keyval, (attribute_val, flag))
}

/// `MPI_Attr_delete`: the deprecated name of [`PMPI_Comm_delete_attr`].
#[mpi(raises = comm)]
fn attr_delete(rank: Rank<'_>, comm: MPI_Comm, keyval: c_int) -> Outcome {
    rank.comm(comm)?;
    delete(rank, Kind::Comm, comm.0, keyval)
}
