//! The buffers of this host's ranks, and of other hosts' ranks as far as their data has been received.

use std::collections::HashMap;
use std::ops::Range;

use super::super::all_buffers::AllBuffers;
use super::super::buffers::Buffers;
use crate::members::GroupSizes;
use crate::members::HostMap;
use crate::memory::{ElementBuffer, Parts, Target};

/// The buffers of all ranks of a communicator, as far as one of its hosts knows them.
pub(in crate::collective) struct KnownBuffers<'a> {
    /// By local index.
    local: AllBuffers<'a>,
    group_sizes: GroupSizes,
    host_map: &'a HostMap,
    /// By seat.
    remote: HashMap<usize, Remote>,
    /// The seat with which prefix reductions begin.
    first: usize,
}

/// The data received from a rank on another host.
#[derive(Default)]
pub(super) struct Remote {
    buffers: Option<Buffers>,
    /// The memory behind `buffers`.
    _elements: Option<ElementBuffer>,
    /// Number of elements for which the rank has room.
    room: usize,
}

impl Remote {
    /// Notes the operand of the rank.
    pub(super) fn bring(&mut self, elements: ElementBuffer) {
        let source = elements.source();
        let work = source.bytes();
        self.buffers = Some(Buffers::new(Some(Parts::Even(source)), None, work));
        self._elements = Some(elements);
    }

    /// Notes for how many elements the rank has room.
    pub(super) fn has_room(&mut self, room: usize) {
        self.room = room;
    }
}

impl<'a> KnownBuffers<'a> {
    /// The buffers of this host's ranks, which `local` has by local index.
    pub(in crate::collective) fn new(
        local: AllBuffers<'a>,
        group_sizes: GroupSizes,
        host_map: &'a HostMap,
    ) -> Self {
        Self {
            local,
            group_sizes,
            host_map,
            remote: HashMap::new(),
            first: 0,
        }
    }

    /// All known buffers, by seat.
    pub(super) fn all_buffers(&self) -> AllBuffers<'_> {
        AllBuffers::known(self, self.group_sizes)
    }

    /// Lets prefix reductions begin with the combined value of the ranks before those of this host. All seats of a host
    /// come before those of the next.
    pub(super) fn begin_with(&mut self, before: ElementBuffer) {
        let here = self
            .host_map
            .local_seats()
            .first()
            .map_or(0, |&seat| seat as usize);
        self.first = here.saturating_sub(1);
        self.remote(self.first).bring(before);
    }

    /// The data received from the rank at a seat of another host.
    pub(super) fn remote(&mut self, seat: usize) -> &mut Remote {
        self.remote.entry(seat).or_default()
    }

    /// The buffers of a seat.
    pub(in crate::collective) fn at(&self, seat: usize) -> &Buffers {
        static NONE: Buffers = Buffers::NONE;
        if self.is_here(seat) {
            return self.local.at(self.host_map.local_index_of(seat));
        }
        let remote = self.remote.get(&seat).and_then(|remote| remote.buffers.as_ref());
        remote.unwrap_or(&NONE)
    }

    /// Whether a seat's rank lives on this host.
    pub(in crate::collective) fn is_here(&self, seat: usize) -> bool {
        self.host_map.position_of(seat) == self.host_map.own()
    }

    /// The seats that prefix reductions go through.
    pub(in crate::collective) fn scanned(&self) -> Range<usize> {
        let last = self
            .host_map
            .local_seats()
            .last()
            .map_or(0, |&seat| seat as usize);
        self.first..last + 1
    }

    /// Number of elements for which a rank has room.
    pub(in crate::collective) fn room(&self, seat: usize) -> usize {
        if self.is_here(seat) {
            return self.at(seat).whole_target().map_or(0, Target::count);
        }
        self.remote.get(&seat).map_or(0, |remote| remote.room)
    }
}
