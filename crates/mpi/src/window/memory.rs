//! The memory of windows that the library allocates.
//!
//! The ranks of one host get a block of the process. Where several hosts of a node take part, the first of them makes a
//! memory file, which the others open and map: so all ranks of the node load and store directly, and the origin of an
//! operation does it itself. They do so only if they share the window's locks, too (`control`). If a process cannot map
//! it, no process of its window does: then each host has its own memory, or the window of shared memory fails.

use super::error::fault;
use super::hints::ALIGNMENT;
use super::shared::{Memory, Part, WindowShared};
use super::{Flavor, Window};
use crate::comm::IdDemand;
use crate::error::{ErrorClass, Result};
use crate::job::Job;
use crate::memory::{Block, FileName, NodeMemory, Region};
use crate::portable::portable;
use simurgh_core::sync::Arc;

/// What a rank wants of the memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) alignment: usize,
    pub(super) is_contiguous: bool,
}

/// What a rank says before the memory is made: its wish, and the file that it has made for its node.
struct Offer {
    alignment: usize,
    is_contiguous: bool,
    /// Process, descriptor and length.
    file: Option<(u32, u32, usize)>,
}

/// Whether a rank's host has the memory.
struct Mapped {
    is_mapped: bool,
}

portable! {
    Offer { alignment, is_contiguous, file }
    Mapped { is_mapped }
}

/// Where the parts of some ranks lie in one memory.
struct Layout {
    /// The ranks, with their offsets.
    places: Vec<(usize, usize)>,
    bytes: usize,
}

impl Window {
    /// Allocates the memory of the window.
    pub(super) fn allocate(&self, wish: Wish) -> Result<()> {
        let job = self.process().job();
        let node = self.seats_of_node();
        if self.flavor() == Flavor::Shared && node.len() < self.shared.parts().len() {
            let message = "the ranks of the window live on several nodes, which share no memory; split the \
                           communicator by MPI_COMM_TYPE_SHARED first";
            return Err(fault(ErrorClass::RmaShared, message));
        }
        if self.shared.comm.host_map().is_none() {
            return self.allocate_here(job, wish);
        }
        self.allocate_on_node(&node, wish)
    }

    /// The ranks on the same node as this one.
    fn seats_of_node(&self) -> Vec<usize> {
        let layout = self.process().job().layout();
        let own = layout.node_of(layout.own());
        let parts = self.shared.parts().iter().enumerate();
        let near = parts.filter(|(_, part)| layout.node_of(part.host()) == own);
        near.map(|(seat, _)| seat).collect()
    }

    /// Allocates the memory of ranks that all live on this host.
    fn allocate_here(&self, _job: &Job, wish: Wish) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let offer = Offer {
            alignment: wish.alignment,
            is_contiguous: wish.is_contiguous,
            file: None,
        };
        let call = self.flavor().call();
        let made = self
            .comm
            .exchange_in(call, offer, IdDemand::Nothing, |offers, _| {
                let seats: Vec<usize> = shared.local_seats().collect();
                shared.place_here(&seats, together(&offers))
            })?;
        Result::clone(&made)
    }

    /// Allocates the memory of ranks of several hosts.
    fn allocate_on_node(&self, node: &[usize], wish: Wish) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let made = self.make_file(node, wish);
        let name = made
            .as_ref()
            .and_then(|file| Some((file.file_name()?, file.bytes())));
        let offer = Offer {
            alignment: wish.alignment,
            is_contiguous: wish.is_contiguous,
            file: name.map(|(name, bytes)| (name.process, name.descriptor, bytes)),
        };
        let first = node[0];
        let is_alone = node.iter().all(|seat| shared.local(*seat).is_some());
        let call = self.flavor().call();
        let mapped = self
            .comm
            .exchange_in(call, offer, IdDemand::Nothing, |offers, _| {
                let wish = together(&offers);
                match (is_alone, offers[first].file) {
                    (true, _) => Some((None, wish)),
                    (false, Some((process, descriptor, bytes))) if shared.is_shared() => {
                        let name = FileName { process, descriptor };
                        let memory = NodeMemory::open(name, bytes).ok().map(Arc::new);
                        memory.map(|memory| (Some(memory), wish))
                    }
                    (false, _) => None,
                }
            })?;
        let is_mapped = mapped.is_some();
        // The file of its maker is open until all have said that they have it.
        let agreed = self
            .comm
            .exchange_in(call, Mapped { is_mapped }, IdDemand::Nothing, |ranks, _| {
                let all_have = ranks.iter().all(|rank| rank.is_mapped);
                match (all_have, mapped.as_ref()) {
                    (true, Some((Some(memory), wish))) => shared.place_on_node(node, memory, *wish),
                    _ if !all_have && shared.flavor() == Flavor::Shared => Err(fault(
                        ErrorClass::RmaShared,
                        "the processes of the window cannot map each other's memory files",
                    )),
                    _ => {
                        let seats: Vec<usize> = shared.local_seats().collect();
                        let wish = mapped.as_ref().as_ref().map_or(wish, |(_, wish)| *wish);
                        shared.place_here(&seats, wish)
                    }
                }
            })?;
        drop(made);
        Result::clone(&agreed)
    }

    /// The memory file of the node, if this rank is the one that makes it.
    fn make_file(&self, node: &[usize], wish: Wish) -> Option<NodeMemory> {
        let is_alone = node.iter().all(|seat| self.shared.local(*seat).is_some());
        if is_alone || node[0] != self.comm.seat() {
            return None;
        }
        // The wishes of the others are not known yet: the strictest will fit.
        let most = Wish {
            alignment: wish.alignment.max(4096),
            is_contiguous: false,
        };
        let layout = layout_of(self.shared.parts(), node, most)?;
        NodeMemory::create(layout.bytes).ok()
    }

    /// The size, the displacement unit and the address of the memory of a rank, or of the first rank that has some
    /// (`MPI_Win_shared_query`). The address is null, and the size 0, where the rank has none, or where this host
    /// cannot access it.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaFlavor`] for a dynamic window, [`ErrorClass::Rank`] for a rank that there is not.
    pub fn shared_query(&self, rank: Option<i32>) -> Result<(usize, usize, *mut u8)> {
        if self.flavor() == Flavor::Dynamic {
            let message = "MPI_Win_shared_query does not take windows of MPI_Win_create_dynamic";
            return Err(fault(ErrorClass::RmaFlavor, message));
        }
        let describe = |part: &Part| {
            let region = part.region()?;
            let address = match region.bytes() {
                0 => std::ptr::null_mut(),
                _ => region.address(),
            };
            Some((region.bytes(), part.unit(), address))
        };
        let found = match rank {
            Some(rank) => describe(self.shared.part(self.check_rank(rank)? as usize)),
            None => {
                let mut all = self.shared.parts().iter();
                all.find(|part| part.bytes() > 0).and_then(describe)
            }
        };
        Ok(found.unwrap_or((0, 1, std::ptr::null_mut())))
    }
}

/// The wish that serves all: what is contiguous has to be so for all ranks.
fn together(offers: &[Offer]) -> Wish {
    Wish {
        alignment: offers
            .iter()
            .map(|offer| offer.alignment)
            .max()
            .unwrap_or(ALIGNMENT),
        is_contiguous: offers.iter().all(|offer| offer.is_contiguous),
    }
}

/// Where the parts of these ranks lie; none if they are longer than addresses reach.
fn layout_of(parts: &[Part], seats: &[usize], wish: Wish) -> Option<Layout> {
    let mut places = Vec::with_capacity(seats.len());
    let mut end: usize = 0;
    for &seat in seats {
        let start = match wish.is_contiguous {
            true => end,
            false => end.checked_next_multiple_of(wish.alignment)?,
        };
        places.push((seat, start));
        end = start.checked_add(parts[seat].bytes())?;
    }
    Some(Layout { places, bytes: end })
}

#[cold]
fn no_memory() -> crate::error::Error {
    fault(
        ErrorClass::NoMem,
        "there is no memory for the window; ask for less, or free memory that is not used",
    )
}

impl WindowShared {
    /// Gives these ranks parts of a block of this process.
    fn place_here(&self, seats: &[usize], wish: Wish) -> Result<()> {
        let layout = layout_of(self.parts(), seats, wish).ok_or_else(no_memory)?;
        let block = Block::new(layout.bytes, wish.alignment)
            .map(Arc::new)
            .ok_or_else(no_memory)?;
        self.place(&layout, |offset, bytes| block.region(offset, bytes))?;
        self.keep(Memory::Own(block));
        Ok(())
    }

    /// Gives these ranks parts of the memory of their node.
    fn place_on_node(&self, seats: &[usize], memory: &Arc<NodeMemory>, wish: Wish) -> Result<()> {
        let layout = layout_of(self.parts(), seats, wish).ok_or_else(no_memory)?;
        self.place(&layout, |offset, bytes| memory.region(offset, bytes))?;
        self.keep(Memory::Node(Arc::clone(memory)));
        Ok(())
    }

    fn place(&self, layout: &Layout, region: impl Fn(usize, usize) -> Option<Region>) -> Result<()> {
        for &(seat, offset) in &layout.places {
            let part = self.part(seat);
            part.set_region(region(offset, part.bytes()).ok_or_else(no_memory)?);
        }
        Ok(())
    }
}
