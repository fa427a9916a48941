//! Synchronisation of windows.

use std::ffi::c_int;

use simurgh_mpi::{ErrorClass, LockKind};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::Out;
use crate::constants::{MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED};
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::{MPI_Group, MPI_Win};

/// `MPI_Win_fence`: ends an epoch of all ranks, and begins another one.
#[mpi(raises = win)]
fn win_fence(rank: Rank<'_>, assert: c_int, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.fence(assert)?)
}

/// `MPI_Win_start`: begins an access epoch for a group of ranks.
#[mpi(raises = win)]
fn win_start(rank: Rank<'_>, group: MPI_Group, assert: c_int, win: MPI_Win) -> Outcome {
    let targets = rank.group("group", group)?;
    Ok(rank.window(win)?.window.start(&targets, assert)?)
}

/// `MPI_Win_complete`: ends an access epoch of `MPI_Win_start`.
#[mpi(raises = win)]
fn win_complete(rank: Rank<'_>, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.complete()?)
}

/// `MPI_Win_post`: begins an exposure epoch for a group of ranks.
#[mpi(raises = win)]
fn win_post(rank: Rank<'_>, group: MPI_Group, assert: c_int, win: MPI_Win) -> Outcome {
    let origins = rank.group("group", group)?;
    Ok(rank.window(win)?.window.post(&origins, assert)?)
}

/// `MPI_Win_wait`: waits for the end of an exposure epoch.
#[mpi(raises = win)]
fn win_wait(rank: Rank<'_>, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.wait()?)
}

/// `MPI_Win_test`: whether an exposure epoch has ended.
#[mpi(raises = win)]
fn win_test(rank: Rank<'_>, win: MPI_Win, flag: Out<c_int>) -> Outcome {
    flag.check("flag")?;
    flag.set("flag", c_int::from(rank.window(win)?.window.test()?))
}

/// `MPI_Win_lock`: locks the memory of a rank, and begins an access epoch for it.
#[mpi(plain, raises = win)]
fn win_lock(rank: Rank<'_>, lock_type: c_int, rank_: c_int, assert: c_int, win: MPI_Win) -> Outcome {
    let window = &rank.window(win)?.window;
    let kind = match lock_type {
        MPI_LOCK_EXCLUSIVE => LockKind::Exclusive,
        MPI_LOCK_SHARED => LockKind::Shared,
        _ => {
            let reason = format!("lock_type is {lock_type}: it is MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED");
            return Err(CallError::new(ErrorClass::Locktype, reason));
        }
    };
    Ok(window.lock(kind, rank_, assert)?)
}

/// `MPI_Win_lock_all`: takes shared locks of all ranks, and begins an access epoch for them.
#[mpi(raises = win)]
fn win_lock_all(rank: Rank<'_>, assert: c_int, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.lock_all(assert)?)
}

/// `MPI_Win_unlock`: completes all operations on a rank, and releases its lock.
#[mpi(plain, raises = win)]
fn win_unlock(rank: Rank<'_>, rank_: c_int, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.unlock(rank_)?)
}

/// `MPI_Win_unlock_all`: completes all operations, and releases the locks of all ranks.
#[mpi(raises = win)]
fn win_unlock_all(rank: Rank<'_>, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.unlock_all()?)
}

/// `MPI_Win_flush`: completes all operations on a rank.
#[mpi(plain, raises = win)]
fn win_flush(rank: Rank<'_>, rank_: c_int, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.flush(rank_)?)
}

/// `MPI_Win_flush_all`: completes all operations.
#[mpi(raises = win)]
fn win_flush_all(rank: Rank<'_>, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.flush_all()?)
}

/// `MPI_Win_flush_local`: completes all operations on a rank at the caller.
#[mpi(raises = win)]
fn win_flush_local(rank: Rank<'_>, rank_: c_int, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.flush_local(rank_)?)
}

/// `MPI_Win_flush_local_all`: completes all operations at the caller.
#[mpi(raises = win)]
fn win_flush_local_all(rank: Rank<'_>, win: MPI_Win) -> Outcome {
    Ok(rank.window(win)?.window.flush_local_all()?)
}

/// `MPI_Win_sync`: orders the caller's loads and stores of its memory and the accesses of others.
#[mpi(raises = win)]
fn win_sync(rank: Rank<'_>, win: MPI_Win) -> Outcome {
    rank.window(win)?.window.sync();
    Ok(())
}
