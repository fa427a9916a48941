//! Attributes of windows.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi::attribute::Kind;
use simurgh_mpi_abi_macros::mpi;

use super::attribute;
use crate::arguments::{BufferMut, InOut, Out};
use crate::callback::Callback;
use crate::error::{CallError, Outcome};
use crate::handles::{Rank, WindowEntry};
use crate::types::*;

/// Refuses the keys of predefined attributes.
fn refuse_predefined(keyval: c_int, verb: &str) -> Outcome {
    if WindowEntry::is_predefined_keyval(keyval) {
        let reason = format!("keyval {keyval} is predefined: its attribute cannot be {verb}");
        return Err(CallError::new(ErrorClass::Keyval, reason));
    }
    Ok(())
}

/// `MPI_Win_create_keyval`: makes a key for attributes of windows.
#[mpi]
fn win_create_keyval(
    rank: Rank<'_>,
    win_copy_attr_fn: Callback<MPI_Win_copy_attr_function>,
    win_delete_attr_fn: Callback<MPI_Win_delete_attr_function>,
    win_keyval: Out<c_int>,
    extra_state: BufferMut,
) -> Outcome {
    let functions = (win_copy_attr_fn, win_delete_attr_fn);
    attribute::create_for_windows(rank, functions, win_keyval, extra_state)
}

/// `MPI_Win_free_keyval`: frees a key; attributes keep it until they are deleted.
#[mpi]
fn win_free_keyval(rank: Rank<'_>, win_keyval: InOut<c_int>) -> Outcome {
    refuse_predefined(win_keyval.get("win_keyval")?, "freed")?;
    attribute::free(rank, Kind::Win, win_keyval)
}

/// `MPI_Win_set_attr`: attaches a value to a window.
#[mpi(raises = win)]
fn win_set_attr(rank: Rank<'_>, win: MPI_Win, win_keyval: c_int, attribute_val: BufferMut) -> Outcome {
    rank.window(win)?;
    refuse_predefined(win_keyval, "set")?;
    attribute::set(rank, Kind::Win, win.0, win_keyval, attribute_val)
}

/// `MPI_Win_get_attr`: the value that a window has for a key.
#[mpi(raises = win)]
fn win_get_attr(
    rank: Rank<'_>,
    win: MPI_Win,
    win_keyval: c_int,
    attribute_val: BufferMut,
    flag: Out<c_int>,
) -> Outcome {
    let entry = rank.window(win)?;
    if let Some(found) = entry.predefined_attribute(win_keyval) {
        flag.check("flag")?;
        attribute_val.set_pointer("attribute_val", found)?;
        return flag.set("flag", 1);
    }
    attribute::get(rank, Kind::Win, win.0, win_keyval, (attribute_val, flag))
}

/// `MPI_Win_delete_attr`: deletes the value that a window has for a key.
#[mpi(raises = win)]
fn win_delete_attr(rank: Rank<'_>, win: MPI_Win, win_keyval: c_int) -> Outcome {
    rank.window(win)?;
    refuse_predefined(win_keyval, "deleted")?;
    attribute::delete(rank, Kind::Win, win.0, win_keyval)
}
