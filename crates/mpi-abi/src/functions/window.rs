//! Windows: making, inquiry, names, hints and release.

use std::ffi::c_int;
use std::sync::Arc;

use simurgh_mpi::memory::Region;
use simurgh_mpi::{Comm, ErrorClass, Info, Result, Window};
use simurgh_mpi_abi_macros::mpi;

use super::{group, info};
use crate::arguments::{Buffer, BufferMut, InOut, Number, Out, Text, TextOut};
use crate::constants::{MPI_MAX_OBJECT_NAME, MPI_PROC_NULL, MPI_WIN_NULL};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{Rank, WindowEntry, handle_of};
use crate::types::{MPI_Aint, MPI_Comm, MPI_Group, MPI_Info, MPI_Win};

/// A size of memory.
fn size_of_window(size: MPI_Aint) -> ResultOf<usize> {
    usize::try_from(size).map_err(|_| {
        let reason = format!("size is {size}: it must not be negative");
        CallError::new(ErrorClass::Size, reason)
    })
}

/// A displacement unit.
fn unit_of(disp_unit: impl Number) -> ResultOf<usize> {
    let unit = disp_unit.wide();
    usize::try_from(unit)
        .ok()
        .filter(|unit| *unit > 0)
        .ok_or_else(|| {
            let reason = format!("disp_unit is {unit}: it must be a positive number of bytes");
            CallError::new(ErrorClass::Disp, reason)
        })
}

/// The memory that the program passes with its size.
fn region_of(base: BufferMut, size: MPI_Aint) -> ResultOf<Region> {
    let bytes = size_of_window(size)?;
    if base.address().is_null() && bytes > 0 {
        let reason = format!("base is NULL, but size is {size}: pass the address of the memory");
        return Err(CallError::new(ErrorClass::Base, reason));
    }
    // SAFETY:
    // - the program passed memory of this size, which it keeps until it has freed the window or detached the memory.
    Ok(unsafe { Region::new(base.address(), bytes) })
}

/// Stores the handle of a window that `make` makes.
fn give_out(
    rank: Rank<'_>,
    (comm, info): (MPI_Comm, MPI_Info),
    win: Out<MPI_Win>,
    make: impl FnOnce(&Comm, &Info) -> Result<Arc<Window>>,
) -> ResultOf<Arc<Window>> {
    win.check("win")?;
    let (comm, hints) = (rank.comm(comm)?, rank.hints(info)?);
    let made = make(comm, &hints)?;
    let handle = handle_of(&rank.tables.windows, WindowEntry::new(Arc::clone(&made)))?;
    win.set("win", MPI_Win(handle))?;
    Ok(made)
}

/// Stores the address of the memory that a rank has in a window.
fn give_address(window: &Window, baseptr: BufferMut) -> Outcome {
    let address = window
        .region()
        .map_or(std::ptr::null_mut(), |region| region.address());
    baseptr.set_pointer("baseptr", address.cast())
}

/// `MPI_Win_create`: makes a window of memory that the program has.
#[mpi(large, raises = comm)]
fn win_create(
    rank: Rank<'_>,
    base: BufferMut,
    size: MPI_Aint,
    disp_unit: Displ,
    info: MPI_Info,
    comm: MPI_Comm,
    win: Out<MPI_Win>,
) -> Outcome {
    let (region, unit) = (region_of(base, size)?, unit_of(disp_unit)?);
    give_out(rank, (comm, info), win, |comm, hints| {
        comm.win_create(region, unit, hints)
    })
    .map(drop)
}

/// `MPI_Win_allocate`: makes a window and its memory.
#[mpi(large, raises = comm)]
fn win_allocate(
    rank: Rank<'_>,
    size: MPI_Aint,
    disp_unit: Displ,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: BufferMut,
    win: Out<MPI_Win>,
) -> Outcome {
    baseptr.check("baseptr")?;
    let (bytes, unit) = (size_of_window(size)?, unit_of(disp_unit)?);
    let make = |comm: &Comm, hints: &Info| comm.win_allocate(bytes, unit, hints);
    give_address(&*give_out(rank, (comm, info), win, make)?, baseptr)
}

/// `MPI_Win_allocate_shared`: makes a window and memory to which all ranks have direct access.
#[mpi(large, raises = comm)]
fn win_allocate_shared(
    rank: Rank<'_>,
    size: MPI_Aint,
    disp_unit: Displ,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: BufferMut,
    win: Out<MPI_Win>,
) -> Outcome {
    baseptr.check("baseptr")?;
    let (bytes, unit) = (size_of_window(size)?, unit_of(disp_unit)?);
    let make = |comm: &Comm, hints: &Info| comm.win_allocate_shared(bytes, unit, hints);
    give_address(&*give_out(rank, (comm, info), win, make)?, baseptr)
}

/// `MPI_Win_shared_query`: the memory of a rank to which the caller has direct access.
#[mpi(large, raises = win)]
fn win_shared_query(
    rank: Rank<'_>,
    win: MPI_Win,
    rank_: c_int,
    size: Out<MPI_Aint>,
    disp_unit: Out<Displ>,
    baseptr: BufferMut,
) -> Outcome {
    baseptr.check("baseptr")?;
    disp_unit.check("disp_unit")?;
    let window = &rank.window(win)?.window;
    let whose = (rank_ != MPI_PROC_NULL).then_some(rank_);
    let (bytes, unit, address) = window.shared_query(whose)?;
    size.set("size", bytes as MPI_Aint)?;
    disp_unit.set("disp_unit", unit as Displ)?;
    baseptr.set_pointer("baseptr", address.cast())
}

/// `MPI_Win_create_dynamic`: makes a window to which memory is attached later.
#[mpi(raises = comm)]
fn win_create_dynamic(rank: Rank<'_>, info: MPI_Info, comm: MPI_Comm, win: Out<MPI_Win>) -> Outcome {
    give_out(rank, (comm, info), win, Comm::win_create_dynamic).map(drop)
}

/// `MPI_Win_attach`: attaches memory to a dynamic window.
#[mpi(raises = win)]
fn win_attach(rank: Rank<'_>, win: MPI_Win, base: BufferMut, size: MPI_Aint) -> Outcome {
    Ok(rank.window(win)?.window.attach(region_of(base, size)?)?)
}

/// `MPI_Win_detach`: detaches memory from a dynamic window.
#[mpi(raises = win)]
fn win_detach(rank: Rank<'_>, win: MPI_Win, base: Buffer) -> Outcome {
    Ok(rank.window(win)?.window.detach(base.address())?)
}

/// `MPI_Win_free`: frees the window, when all ranks have called it.
#[mpi]
fn win_free(rank: Rank<'_>, win: InOut<MPI_Win>) -> Outcome {
    let handle = win.get("win")?;
    let window = Arc::clone(&rank.window(handle)?.window);
    window
        .check_free()
        .map_err(|error| Box::<CallError>::from(error).on(handle))?;
    rank.tables
        .cache
        .delete_all(handle.0)
        .map_err(|error| Box::<CallError>::from(error).on(handle))?;
    window
        .free()
        .map_err(|error| Box::<CallError>::from(error).on(handle))?;
    rank.tables.windows.remove(handle.0);
    win.set(MPI_WIN_NULL);
    Ok(())
}

/// `MPI_Win_get_group`: the group of the window's ranks.
#[mpi(raises = win)]
fn win_get_group(rank: Rank<'_>, win: MPI_Win, group: Out<MPI_Group>) -> Outcome {
    group::give_out(rank, rank.window(win)?.window.group().clone(), group)
}

/// `MPI_Win_set_info`: sets hints about the use of the window.
#[mpi(raises = win)]
fn win_set_info(rank: Rank<'_>, win: MPI_Win, info: MPI_Info) -> Outcome {
    let hints = rank.hints(info)?;
    rank.window(win)?.window.set_info(&hints);
    Ok(())
}

/// `MPI_Win_get_info`: all hints in effect.
#[mpi(raises = win)]
fn win_get_info(rank: Rank<'_>, win: MPI_Win, info_used: Out<MPI_Info>) -> Outcome {
    info::give_out(rank, rank.window(win)?.window.info(), info_used)
}

/// `MPI_Win_get_name`: the window's name; the null handle has one, too.
#[mpi(raises = win)]
fn win_get_name(rank: Rank<'_>, win: MPI_Win, win_name: TextOut, resultlen: Out<c_int>) -> Outcome {
    let name = match win {
        MPI_WIN_NULL => "MPI_WIN_NULL".to_owned(),
        _ => rank.window(win)?.window.name(),
    };
    win_name.set("win_name", &name, MPI_MAX_OBJECT_NAME, resultlen)
}

/// `MPI_Win_set_name`: gives the window a name.
#[mpi(raises = win)]
fn win_set_name(rank: Rank<'_>, win: MPI_Win, win_name: Text) -> Outcome {
    let name = win_name.read("win_name")?;
    rank.window(win)?.window.set_name(&name);
    Ok(())
}
