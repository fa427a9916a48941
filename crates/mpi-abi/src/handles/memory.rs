//! Memory of `MPI_Alloc_mem`.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::HashMap;
use std::ffi::c_void;

use simurgh_core::sync::SpinLock;
use simurgh_mpi::{ErrorClass, Info};
use simurgh_net::transport::Transport;

use super::Rank;
use crate::arguments::BufferMut;
use crate::error::{CallError, Outcome, ResultOf};
use crate::types::MPI_Aint;

/// The default alignment: a cache line, so that no two ranks write to one.
const ALIGNMENT: usize = 64;
/// The largest alignment that the program may ask for: a huge page.
const MAX_ALIGNMENT: usize = 2 << 20;

/// The allocations of a rank, by address. Only these can be freed.
#[derive(Default)]
pub(crate) struct Allocations(SpinLock<HashMap<usize, Layout>>);

impl Allocations {
    /// The sizes of the allocations.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.0.lock().values().map(Layout::size).collect()
    }
}

/// Allocates `size` bytes, aligned as the key `mpi_minimum_memory_alignment` asks.
pub(crate) fn allocate(rank: Rank<'_>, size: MPI_Aint, hints: &Info) -> ResultOf<*mut c_void> {
    let layout = layout_of(size, hints)?;
    // SAFETY:
    // - the layout's size is not zero.
    let start = unsafe { alloc(layout) };
    if start.is_null() {
        return Err(no_memory(size));
    }
    let address = start.expose_provenance();
    rank.tables.allocations.0.lock().insert(address, layout);
    for way in ways(rank) {
        // SAFETY:
        // - the memory is freed in `give_back`, after it has been released, or never.
        unsafe { way.hold(start, layout.size()) };
    }
    Ok(start.cast())
}

/// The transports, which may keep memory registered between transfers.
fn ways(rank: Rank<'_>) -> impl Iterator<Item = &dyn Transport> {
    let network = rank.process.job().network();
    network
        .into_iter()
        .flat_map(|network| network.fabric().transports())
}

fn layout_of(size: MPI_Aint, hints: &Info) -> ResultOf<Layout> {
    let Ok(bytes) = usize::try_from(size) else {
        let reason = format!("size is {size}: it must not be negative");
        return Err(CallError::new(ErrorClass::Arg, reason));
    };
    // A hint that makes no sense is ignored, as the standard asks for all hints.
    let wish = hints.text("mpi_minimum_memory_alignment");
    let wish = wish.and_then(|wish| wish.trim().parse::<usize>().ok());
    let wish = wish.filter(|wish| wish.is_power_of_two() && *wish <= MAX_ALIGNMENT);
    let alignment = wish.unwrap_or(ALIGNMENT).max(ALIGNMENT);
    // An allocation of 0 bytes has an address, too, which can be freed.
    Layout::from_size_align(bytes.max(1), alignment).map_err(|_| no_memory(size))
}

#[cold]
fn no_memory(size: MPI_Aint) -> Box<CallError> {
    CallError::new(
        ErrorClass::NoMem,
        format!("there is no memory for {size} bytes; ask for less, or free memory that is not used"),
    )
}

/// Frees memory. The null pointer stands for no memory, and is accepted.
pub(crate) fn give_back(rank: Rank<'_>, base: BufferMut) -> Outcome {
    let start = base.address();
    if start.is_null() {
        return Ok(());
    }
    let Some(layout) = rank.tables.allocations.0.lock().remove(&start.addr()) else {
        let reason = format!("base is {start:p}, which is no memory from MPI_Alloc_mem, or has been freed");
        return Err(CallError::new(ErrorClass::Base, reason));
    };
    ways(rank).for_each(|way| way.release(start));
    // SAFETY:
    // - the memory was allocated with this layout, and has been taken out of the table by this call alone;
    // - the program does not use what it frees.
    unsafe { dealloc(start, layout) };
    Ok(())
}
