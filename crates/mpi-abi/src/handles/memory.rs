//! Memory of `MPI_Alloc_mem`.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::HashMap;
use std::ffi::c_void;

use simurgh_core::sync::SpinLock;
use simurgh_heap::Mapped;
use simurgh_mpi::{ErrorClass, Info};
use simurgh_net::transport::Transport;

use super::Rank;
use crate::arguments::BufferMut;
use crate::error::{CallError, Outcome, ResultOf};
use crate::types::MPI_Aint;
use simurgh_host as host;

/// The default alignment: a cache line, so that no two ranks write to one.
const ALIGNMENT: usize = 64;
/// The largest alignment that the program may ask for: a huge page.
const MAX_ALIGNMENT: usize = 2 << 20;

/// The allocations of a rank, by address. Only these can be freed.
#[derive(Default)]
pub(crate) struct Allocations(SpinLock<HashMap<usize, Block>>);

/// An allocation.
enum Block {
    /// From the allocator of the process.
    Allocated(Layout),
    /// A mapping of its own, whose pages come from certain NUMA nodes.
    Mapped(Mapped),
    /// From the rank's heap, where all of the rank's memory has to lie in its range of addresses: so many bytes.
    OfRank(usize),
}

impl Block {
    fn size(&self) -> usize {
        match self {
            Self::Allocated(layout) => layout.size(),
            Self::Mapped(mapped) => mapped.size(),
            Self::OfRank(size) => *size,
        }
    }
}

impl Allocations {
    /// The sizes of the allocations.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.0.lock().values().map(Block::size).collect()
    }
}

/// Allocates `size` bytes, aligned as the key `mpi_minimum_memory_alignment` asks, from the NUMA nodes that the key
/// `memory_placement` names.
pub(crate) fn allocate(rank: Rank<'_>, size: MPI_Aint, hints: &Info) -> ResultOf<*mut c_void> {
    let layout = layout_of(size, hints)?;
    let policy = hints.text("memory_placement").and_then(host::policy_of);
    let (start, block) = match policy {
        _ if host::are_relocatable(rank.process.job().settings()) => {
            let start = simurgh_heap::memalign(layout.align(), layout.size());
            (start.cast(), Block::OfRank(layout.size()))
        }
        None => {
            // SAFETY:
            // - the layout's size is not zero.
            (unsafe { alloc(layout) }, Block::Allocated(layout))
        }
        Some(policy) => {
            let mapped = Mapped::new(layout.size(), layout.align(), policy);
            let mapped = mapped.ok_or_else(|| no_memory(size))?;
            (mapped.start(), Block::Mapped(mapped))
        }
    };
    if start.is_null() {
        return Err(no_memory(size));
    }
    let bytes = block.size();
    let address = start.expose_provenance();
    // All memory of heaps may be kept registered anyway.
    let is_held = matches!(block, Block::OfRank(_));
    rank.tables.allocations.0.lock().insert(address, block);
    for way in ways(rank).filter(|_| !is_held) {
        // SAFETY:
        // - the memory is freed in `give_back`, after it has been released, or never.
        unsafe { way.hold(start, bytes) };
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
    let Some(block) = rank.tables.allocations.0.lock().remove(&start.addr()) else {
        let reason = format!("base is {start:p}, which is no memory from MPI_Alloc_mem, or has been freed");
        return Err(CallError::new(ErrorClass::Base, reason));
    };
    if !matches!(block, Block::OfRank(_)) {
        ways(rank).for_each(|way| way.release(start));
    }
    match block {
        // SAFETY:
        // - the memory was allocated with this layout, and has been taken out of the table by this call alone;
        // - the program does not use what it frees.
        Block::Allocated(layout) => unsafe { dealloc(start, layout) },
        Block::Mapped(mapped) => drop(mapped),
        // SAFETY:
        // - the memory is a block of the rank's heap, and the rest is as above.
        Block::OfRank(_) => unsafe { simurgh_heap::free(start.cast()) },
    }
    Ok(())
}
