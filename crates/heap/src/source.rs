//! Where a rank's memory comes from: its strategy, and what a heap takes of the arena by it.

use std::fmt;
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;

use crate::arena::{self, SEGMENT};
use crate::nodes::{self, NodeSet};
use crate::owners;
use crate::page_move::PageMove;
use crate::placement::{Local, MemoryPlacement, Request};
use crate::policy::MemoryPolicy;

/// The source of a rank's memory.
#[derive(Default)]
pub(crate) struct Source {
    chosen: OnceLock<Chosen>,
    /// The share of the arena that it has to itself, if the arena is divided among ranks.
    share: Option<usize>,
}

/// A rank, and the strategy for its memory.
struct Chosen {
    rank: u32,
    placement: &'static dyn MemoryPlacement,
}

impl Source {
    pub(crate) const fn new() -> Self {
        Self {
            chosen: OnceLock::new(),
            share: None,
        }
    }

    /// The same source, which takes from a share of the arena.
    pub(crate) fn of_share(self, share: usize) -> Self {
        Self {
            share: Some(share),
            ..self
        }
    }

    /// The share of the arena that it has to itself.
    pub(crate) fn share(&self) -> Option<usize> {
        self.share
    }

    /// Sets the strategy, once. Without one it is [`Local`].
    pub(crate) fn set(&self, rank: u32, placement: &'static dyn MemoryPlacement) {
        let _ = self.chosen.set(Chosen { rank, placement });
    }

    fn placement(&self) -> (u32, &'static dyn MemoryPlacement) {
        let chosen = self.chosen.get();
        chosen.map_or((0, &Local), |chosen| (chosen.rank, chosen.placement))
    }

    /// Takes so many neighbouring segments for the calling context, all zero; `None` if there is no memory.
    pub(crate) fn take(&self, segments: usize) -> Option<usize> {
        match nodes::several() {
            None => self.take_with(segments, MemoryPolicy::FirstTouch),
            Some(nodes) => self.take_of(nodes, segments),
        }
    }

    fn take_with(&self, segments: usize, policy: MemoryPolicy) -> Option<usize> {
        match self.share {
            None => arena::take(segments, policy),
            Some(share) => arena::take_of_share(share, segments, policy),
        }
    }

    #[cold]
    fn take_of(&self, nodes: NodeSet, segments: usize) -> Option<usize> {
        let (rank, placement) = self.placement();
        let bytes = segments.checked_mul(SEGMENT)?;
        let request = Request {
            rank,
            node: nodes::current(),
            nodes,
            bytes,
        };
        let start = self.take_with(segments, placement.policy(&request))?;
        owners::note_taken(self.number(), start, segments);
        if placement.obtains_pages() {
            arena::populate(start, bytes);
        }
        Some(start)
    }

    /// Takes the segments behind `end`, where a span of the rank ends, if they are the next ones to be given out.
    pub(crate) fn extend(&self, end: usize, segments: usize) -> bool {
        let has_taken = arena::extend(end, segments);
        if has_taken && nodes::several().is_some() {
            owners::note_taken(self.number(), end, segments);
        }
        has_taken
    }

    /// A number that no other source has.
    fn number(&self) -> usize {
        ptr::from_ref(self).addr()
    }

    /// The segments that have been taken, on a machine with several nodes; those that were used last first.
    pub(crate) fn segments(&self) -> Vec<Range<usize>> {
        owners::segments_of(self.number())
    }

    /// A move of the rank's memory to a node, if its strategy wants that: `first`, then its segments, those that it has
    /// used last first, then `last`. What it touches of its segments from now on comes from the node.
    pub(crate) fn follow(
        &self,
        node: usize,
        first: &[Range<usize>],
        last: &[Range<usize>],
    ) -> Option<PageMove> {
        self.placement().1.follows_rank().then(|| {
            let segments = self.segments();
            PageMove::prefer(node, &segments);
            let all = first.iter().cloned().chain(segments).chain(last.iter().cloned());
            PageMove::new(node, all)
        })
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = self.chosen.get().map(|chosen| chosen.rank);
        f.debug_struct("Source")
            .field("rank", &rank)
            .finish_non_exhaustive()
    }
}
