//! Where a rank's memory comes from: its strategy, and what a heap takes of the arena by it.

use std::fmt;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::arena::{self, SEGMENT};
use crate::nodes::{self, NodeSet};
use crate::owners;
use crate::page_move::PageMove;
use crate::placement::{Local, MemoryPlacement, Request, Strategy};
use crate::policy::MemoryPolicy;

/// The source of a rank's memory.
#[derive(Default)]
pub(crate) struct Source {
    /// The number of the rank in its world.
    rank: AtomicU32,
    /// The strategy for its memory; null for [`Local`].
    strategy: AtomicPtr<Strategy>,
    /// The share of the arena that it has to itself, if the arena is divided among ranks.
    share: Option<usize>,
}

impl Source {
    pub(crate) const fn new() -> Self {
        Self {
            rank: AtomicU32::new(0),
            strategy: AtomicPtr::new(ptr::null_mut()),
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

    /// Says which rank of its world it is for.
    pub(crate) fn set_rank(&self, rank: u32) {
        // Relaxed: it is set before the rank begins.
        self.rank.store(rank, Ordering::Relaxed);
    }

    /// Sets the strategy for what is taken from now on. Without one it is [`Local`].
    pub(crate) fn choose(&self, strategy: &'static Strategy) {
        // Release: who finds the strategy finds it whole.
        self.strategy
            .store(ptr::from_ref(strategy).cast_mut(), Ordering::Release);
    }

    /// The strategy, if one has been chosen.
    pub(crate) fn strategy(&self) -> Option<&'static Strategy> {
        // SAFETY:
        // - null, or a strategy that lives as long as the process;
        // - Acquire pairs with the Release in `choose`.
        unsafe { self.strategy.load(Ordering::Acquire).as_ref() }
    }

    fn placement(&self) -> &'static dyn MemoryPlacement {
        self.strategy().map_or(&Local, Strategy::placement)
    }

    fn request(&self, nodes: NodeSet, bytes: usize) -> Request {
        Request {
            rank: self.rank.load(Ordering::Relaxed),
            node: nodes::current(),
            nodes,
            bytes,
        }
    }

    /// Lets the pages that will be touched in these addresses, which were taken before, come from where the strategy
    /// wants them. Nothing is done on a machine with one node.
    pub(crate) fn place(&self, addresses: Range<usize>) {
        if let Some(nodes) = nodes::several() {
            let request = self.request(nodes, addresses.len());
            self.placement()
                .policy(&request)
                .set(addresses.start, addresses.len());
        }
    }

    /// Whether all that is taken now comes from one node, so that a huge page has what its parts would have.
    pub(crate) fn has_one_node(&self) -> bool {
        let Some(nodes) = nodes::several() else {
            return true;
        };
        match self.placement().policy(&self.request(nodes, SEGMENT)) {
            MemoryPolicy::Preferred(_) => true,
            MemoryPolicy::Bound(nodes) => nodes.len() == 1,
            MemoryPolicy::FirstTouch | MemoryPolicy::Interleaved(_) => false,
        }
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
        let placement = self.placement();
        let bytes = segments.checked_mul(SEGMENT)?;
        let policy = placement.policy(&self.request(nodes, bytes));
        let start = self.take_with(segments, policy)?;
        if self.share.is_some() {
            // The share has all of the rank's memory, whatever the strategy was before.
            policy.set(start, bytes);
        }
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
        self.placement().follows_rank().then(|| {
            let segments = self.segments();
            PageMove::prefer(node, &segments);
            let all = first.iter().cloned().chain(segments).chain(last.iter().cloned());
            PageMove::new(node, all)
        })
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("rank", &self.rank)
            .finish_non_exhaustive()
    }
}
