//! A job of one rank, for tests.

use simurgh_mpi::{Comm, Process, Result};

/// Runs `f` as the only rank, which sends to itself.
pub(super) fn alone<R>(f: impl FnOnce(&Comm) -> Result<R>) -> Result<R> {
    let process = Process::singleton();
    process.init()?;
    let world = process.comm_world()?;
    let value = f(&world)?;
    drop(world);
    process.finalize()?;
    Ok(value)
}
