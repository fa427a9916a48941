//! Stacks of execution contexts: a guard region, the usable memory, and a thread control block at the top.

use simurgh_alloc::{Region, RegionError};

use super::hollow_thread::{self, HollowError};
use crate::sync::SpinLock;

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

/// A stack with its thread control block.
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

/// Stacks whose execution contexts have ended. They are never unmapped, because glibc's thread list runs through them.
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
                // The control block is already in glibc's list.
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

    /// Whether an execution context has run on it before, so that its thread-local variables have to be reset.
    pub(crate) fn is_used(&self) -> bool {
        self.used
    }

    /// The thread pointer of its control block.
    pub(crate) fn thread_pointer(&self) -> u64 {
        self.thread_pointer
    }

    /// The lowest address of the guard region, that of the usable memory, and the first address above that.
    pub(crate) fn bounds(&self) -> (usize, usize, usize) {
        (self.region.guard(), self.region.low(), self.region.high())
    }
}

// SAFETY:
// - the region has a guard and, checked by `hollow_thread::create`, far more than the minimum of usable bytes.
unsafe impl corosensei::stack::Stack for EcStack {
    fn base(&self) -> corosensei::stack::StackPointer {
        std::num::NonZeroUsize::new(self.top).expect("a stack does not lie at address zero")
    }

    fn limit(&self) -> corosensei::stack::StackPointer {
        std::num::NonZeroUsize::new(self.region.guard()).expect("a stack does not lie at address zero")
    }
}
