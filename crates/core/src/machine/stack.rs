//! Stacks of execution contexts: guard page, room to run, and a thread control block at the top.

use simurgh_alloc::{Region, RegionError};

use super::hollow_thread::{self, HollowError};
use crate::sync::SpinLock;

/// Why there is no stack for an execution context.
#[derive(Debug, thiserror::Error)]
pub enum StackError {
    /// No memory.
    #[error(transparent)]
    Region(#[from] RegionError),
    /// No thread control block.
    #[error(transparent)]
    Hollow(#[from] HollowError),
}

/// A stack with the thread control block that goes with it.
pub(crate) struct EcStack {
    shape: Shape,
    region: Region,
    thread_pointer: u64,
    top: usize,
    used: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    size: usize,
    executable: bool,
}

/// Stacks whose execution contexts have ended. They are never unmapped: glibc's thread list runs through them.
static POOL: SpinLock<Vec<EcStack>> = SpinLock::new(Vec::new());

impl EcStack {
    /// A stack of at least `size` bytes, from the pool or new.
    pub(crate) fn obtain(size: usize, executable: bool) -> Result<Self, StackError> {
        let shape = Shape { size, executable };
        let pooled = {
            let mut pool = POOL.lock();
            let position = pool.iter().rposition(|stack| stack.shape == shape);
            position.map(|index| pool.swap_remove(index))
        };
        pooled.map_or_else(|| Self::create(shape), Ok)
    }

    fn create(shape: Shape) -> Result<Self, StackError> {
        let region = Region::with_guard(shape.size, shape.executable)?;
        // SAFETY:
        // - the region is fresh, and stacks are never unmapped: they go back to the pool, or leak with a process that
        //   ends.
        let made = unsafe { hollow_thread::create(region.low(), region.high()) };
        match made {
            Ok(hollow) => Ok(Self {
                shape,
                region,
                thread_pointer: hollow.thread_pointer,
                top: hollow.stack_top,
                used: false,
            }),
            Err(error @ HollowError::UnknownLibc) => {
                // The control block is in glibc's list already.
                std::mem::forget(region);
                Err(error.into())
            }
            Err(error @ HollowError::Create(_)) => Err(error.into()),
        }
    }

    /// Keeps the stack for the next execution context.
    pub(crate) fn recycle(mut self) {
        self.used = true;
        POOL.lock().push(self);
    }

    /// Whether an execution context has run on it before, so that its thread-local variables need a fresh start.
    pub(crate) fn is_used(&self) -> bool {
        self.used
    }

    /// The thread pointer of its control block.
    pub(crate) fn thread_pointer(&self) -> u64 {
        self.thread_pointer
    }

    /// Lowest address of the guard page, of the usable memory, and the first address above it.
    pub(crate) fn bounds(&self) -> (usize, usize, usize) {
        (self.region.guard(), self.region.low(), self.region.high())
    }
}

// SAFETY:
// - the region has a guard page and, checked by `hollow_thread::create`, far more than the minimum of usable bytes.
unsafe impl corosensei::stack::Stack for EcStack {
    fn base(&self) -> corosensei::stack::StackPointer {
        std::num::NonZeroUsize::new(self.top).expect("a stack does not lie at address zero")
    }

    fn limit(&self) -> corosensei::stack::StackPointer {
        std::num::NonZeroUsize::new(self.region.guard()).expect("a stack does not lie at address zero")
    }
}
