//! The offers of the ranks of this host, and of others as far as they have come over.

use std::collections::HashMap;
use std::ops::Range;

use super::super::all_buffers::AllBuffers;
use super::super::buffers::Buffers;
use crate::members::GroupSizes;
use crate::members::HostMap;
use crate::memory::{Elements, Parts, Target};

/// What all ranks of a communicator have laid on the table, as one of its hosts knows it.
pub(in crate::collective) struct KnownBuffers<'a> {
    /// By place.
    local: AllBuffers<'a>,
    group_sizes: GroupSizes,
    host_map: &'a HostMap,
    /// By seat.
    remote: HashMap<usize, Remote>,
    /// Where prefix reductions begin.
    first: usize,
}

/// What is known of a rank on another host.
#[derive(Default)]
pub(super) struct Remote {
    buffers: Option<Buffers>,
    /// The memory of what it offers.
    _elements: Option<Elements>,
    /// Elements for which it has room.
    room: usize,
}

impl Remote {
    /// What a rank brings.
    pub(super) fn bring(&mut self, elements: Elements) {
        let source = elements.source();
        let work = source.bytes();
        self.buffers = Some(Buffers::new(Some(Parts::Even(source)), None, work));
        self._elements = Some(elements);
    }

    /// Says for how many elements a rank has room.
    pub(super) fn has_room(&mut self, room: usize) {
        self.room = room;
    }
}

impl<'a> KnownBuffers<'a> {
    /// The ranks of this host, whose offers lie there by place.
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

    /// All offers, by seat.
    pub(super) fn all_buffers(&self) -> AllBuffers<'_> {
        AllBuffers::known(self, self.group_sizes)
    }

    /// Lets prefix reductions begin with what the ranks before those of this host have come to. All seats of a host
    /// come before those of the next.
    pub(super) fn begin_with(&mut self, before: Elements) {
        let here = self
            .host_map
            .local_seats()
            .first()
            .map_or(0, |&seat| seat as usize);
        self.first = here.saturating_sub(1);
        self.remote(self.first).bring(before);
    }

    /// What is known of the rank at a seat of another host.
    pub(super) fn remote(&mut self, seat: usize) -> &mut Remote {
        self.remote.entry(seat).or_default()
    }

    /// What lies at a seat.
    pub(in crate::collective) fn at(&self, seat: usize) -> &Buffers {
        static NONE: Buffers = Buffers::NONE;
        if self.is_here(seat) {
            return self.local.at(self.host_map.local_index_of(seat));
        }
        let remote = self.remote.get(&seat).and_then(|remote| remote.buffers.as_ref());
        remote.unwrap_or(&NONE)
    }

    /// Whether a seat is one of this host.
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

    /// Elements for which a rank has room.
    pub(in crate::collective) fn room(&self, seat: usize) -> usize {
        if self.is_here(seat) {
            return self.at(seat).whole_target().map_or(0, Target::count);
        }
        self.remote.get(&seat).map_or(0, |remote| remote.room)
    }
}
