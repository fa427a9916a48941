//! Blocks that others have freed, on their way home to their heap.
//!
//! The list is a stack that runs through the blocks. Whoever frees a block pushes it; the heap takes all at once, so no
//! block that has been seen at the top can come back while another push is under way.

use std::ptr;

#[cfg(loom)]
use loom::sync::atomic::{AtomicPtr, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::page::Block;

/// A list of freed blocks. It has a cache line of its own, because others write it. Zeros are an empty list.
#[repr(C, align(64))]
pub(crate) struct Remote(AtomicPtr<Block>);

impl Remote {
    /// Adds a block. Anybody may call this.
    ///
    /// # Safety
    ///
    /// The block belongs to the heap of the list, and nobody uses it any more.
    #[inline]
    pub(crate) unsafe fn push(&self, block: *mut Block) {
        // Relaxed: what the list holds is not looked at, only passed on.
        let mut first = self.0.load(Ordering::Relaxed);
        loop {
            // SAFETY:
            // - the block is memory that nobody else uses (caller).
            unsafe { (*block).next = first };
            // Release: the heap's thread sees the link, and what was done with the block comes before its next use.
            match self
                .0
                .compare_exchange_weak(first, block, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }

    /// Takes all blocks, linked with each other; null if there are none.
    pub(crate) fn take(&self) -> *mut Block {
        // Relaxed: an empty list has nothing to see.
        if self.0.load(Ordering::Relaxed).is_null() {
            return ptr::null_mut();
        }
        // Acquire pairs with the Release in `push`, also for the blocks below the top: each push continues the release
        // sequences of those before it.
        self.0.swap(ptr::null_mut(), Ordering::Acquire)
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    /// A block, and what its user writes to it.
    #[repr(C)]
    struct Used {
        block: Block,
        contents: UnsafeCell<u32>,
    }

    /// Frees a block that holds this number, as a thread that has used it.
    fn free(remote: &Remote, number: u32) {
        let used = Box::new(Used {
            block: Block {
                next: ptr::null_mut(),
            },
            contents: UnsafeCell::new(0),
        });
        // SAFETY:
        // - loom checks that nobody else is there.
        used.contents.with_mut(|contents| unsafe { *contents = number });
        let used = Box::into_raw(used);
        // SAFETY:
        // - the block was made just now, and is the list's from now on.
        unsafe { remote.push(&raw mut (*used).block) };
    }

    /// Takes all blocks home. Returns the sum of what they hold, and their number.
    fn bring_home(remote: &Remote) -> (u32, u32) {
        let (mut next, mut sum, mut count) = (remote.take(), 0, 0);
        while !next.is_null() {
            // SAFETY:
            // - `free` has made the block, which begins its structure, and the list has given it away.
            let used = unsafe { Box::from_raw(next.cast::<Used>()) };
            next = used.block.next;
            // SAFETY:
            // - loom checks that nobody else is there.
            sum += used.contents.with(|contents| unsafe { *contents });
            count += 1;
        }
        (sum, count)
    }

    #[test]
    fn each_block_comes_home_once_and_after_its_last_use() {
        loom::model(|| {
            let remote = Arc::new(Remote(AtomicPtr::new(ptr::null_mut())));
            let others: Vec<_> = [1, 10]
                .into_iter()
                .map(|number| {
                    let remote = Arc::clone(&remote);
                    thread::spawn(move || {
                        free(&remote, number);
                        free(&remote, 2 * number);
                    })
                })
                .collect();
            let (mut sum, mut count) = bring_home(&remote);
            for other in others {
                other.join().unwrap();
            }
            let (rest, others) = bring_home(&remote);
            sum += rest;
            count += others;
            assert_eq!((sum, count), (33, 4));
            assert_eq!(bring_home(&remote), (0, 0));
        });
    }
}
