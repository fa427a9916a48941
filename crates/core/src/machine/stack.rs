//! Stacks of execution contexts: a guard region, the usable memory, and a thread control block at the top.

use simurgh_alloc::{Region, RegionError};

use super::hollow_thread::{self, Hollow, HollowError, ThreadBlock};
use crate::sync::{AtomicUsize, Ordering, SpinLock};

/// Offsets at which stacks end, and the bytes between two of them: in all less than a page, of which most is there
/// already.
const COLOURS: usize = 8;
const COLOUR: usize = 192;

/// Why a stack for an execution context cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum StackError {
    /// The memory could not be mapped.
    #[error(transparent)]
    Region(#[from] RegionError),
    /// The thread control block could not be made.
    #[error(transparent)]
    Hollow(#[from] HollowError),
}

/// The addresses of the stack of one execution context, which have been reserved for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackPlace {
    guard: usize,
    high: usize,
}

impl StackPlace {
    /// The stack will end at `high`, a multiple of the size of a page. What it leaves of the addresses from `guard` on
    /// is its guard region.
    ///
    /// # Safety
    ///
    /// The addresses have been reserved ([`simurgh_alloc::reserve`]), nobody else uses them, and no other execution
    /// context gets them before this one has ended.
    #[must_use]
    pub const unsafe fn new(guard: usize, high: usize) -> Self {
        Self { guard, high }
    }
}

/// A stack with its thread control block.
pub(crate) struct EcStack {
    shape: Shape,
    region: Region,
    hollow: Hollow,
    thread_block: Option<ThreadBlock>,
    used: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    size: usize,
    executable: bool,
    place: Option<StackPlace>,
}

/// Stacks whose execution contexts have ended. They are never unmapped, because glibc's thread list runs through them.
static POOL: SpinLock<Vec<EcStack>> = SpinLock::new(Vec::new());

/// The number of stacks that have got a colour.
static COLOURED: AtomicUsize = AtomicUsize::new(0);

impl Shape {
    /// How far below the end of the memory the thread control block of a new stack ends.
    ///
    /// Stacks begin at pages. If all were used from their end on, the lines that each execution context touches first
    /// would compete for the same few sets of a first-level cache, which the lowest bits of addresses choose. So stacks
    /// end at different offsets in turn, except those whose place is given, which have the same layout on all hosts.
    fn colour(&self) -> usize {
        match self.place {
            Some(_) => 0,
            None => COLOURED.fetch_add(1, Ordering::Relaxed) % COLOURS * COLOUR,
        }
    }
}

impl EcStack {
    /// A stack of at least `size` bytes, from the pool or new.
    pub(crate) fn obtain(
        size: usize,
        executable: bool,
        place: Option<StackPlace>,
    ) -> Result<Self, StackError> {
        let shape = Shape {
            size,
            executable,
            place,
        };
        let pooled = {
            let mut pool = POOL.lock();
            let position = pool.iter().rposition(|stack| stack.shape == shape);
            position.map(|index| pool.swap_remove(index))
        };
        pooled.map_or_else(|| Self::create(shape), Ok)
    }

    fn create(shape: Shape) -> Result<Self, StackError> {
        let region = match shape.place {
            None => Region::with_guard(shape.size, shape.executable),
            // SAFETY:
            // - the addresses are reserved for this stack (`StackPlace`), of which there is one: it would be in the
            //   pool.
            Some(StackPlace { guard, high }) => unsafe {
                Region::in_reserved(guard, high, shape.size, shape.executable)
            },
        }?;
        // SAFETY:
        // - the region is fresh, and stacks are never unmapped: they go back to the pool, or leak with a process that
        //   ends.
        let made = unsafe { hollow_thread::create(region.low(), region.high() - shape.colour()) };
        match made {
            Ok(hollow) => Ok(Self {
                thread_block: shape.place.and_then(|_| hollow.block(region.high())),
                shape,
                region,
                hollow,
                used: false,
            }),
            Err(error @ HollowError::UnknownLibc) => {
                // The control block is already in glibc's list.
                std::mem::forget(region);
                Err(error.into())
            }
            Err(error @ HollowError::Create(_)) => Err(error.into()),
        }
    }

    /// Where the stack begins, going down: a multiple of 16, below the thread control block.
    pub(crate) fn top(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.hollow.stack_top)
    }

    /// Keeps the stack for the next execution context.
    pub(crate) fn recycle(mut self) {
        self.used = true;
        POOL.lock().push(self);
    }

    /// Whether an execution context has run on it before, so that its thread-local variables have to be reset.
    pub(crate) fn is_used(&self) -> bool {
        self.used
    }

    /// The thread pointer of its control block.
    pub(crate) fn thread_pointer(&self) -> u64 {
        self.hollow.thread_pointer
    }

    /// The part of it that holds the thread control block, if it has a place of its own.
    pub(crate) fn thread_block(&self) -> Option<ThreadBlock> {
        self.thread_block.clone()
    }

    /// The lowest address of the guard region, that of the usable memory, and the first address above that.
    pub(crate) fn bounds(&self) -> (usize, usize, usize) {
        (self.region.guard(), self.region.low(), self.region.high())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use simurgh_alloc::page_size;

    #[test]
    fn stacks_do_not_all_end_at_the_same_place_in_a_page() {
        // Of a size that no other test uses.
        let size = 37 * page_size();
        let stacks: Vec<_> = (0..COLOURS)
            .map(|_| EcStack::obtain(size, false, None).expect("there is memory"))
            .collect();
        let places: std::collections::BTreeSet<_> = stacks
            .iter()
            .map(|stack| stack.top().addr() % page_size())
            .collect();
        assert!(places.len() > 1, "{places:?}");
        stacks.into_iter().for_each(EcStack::recycle);
    }
}
