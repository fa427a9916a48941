//! Blocks that have been freed, and wait before they are used again: so it is seen that a program frees one twice.

use std::cell::Cell;
use std::ptr;

use super::record::Record;
use crate::c;

/// The most bytes that wait in a heap.
const BYTES: usize = 1 << 20;
/// The most blocks that wait.
const BLOCKS: usize = 1000;

/// The blocks that wait, in the order in which they have been freed. They belong to any rank; the context that has
/// freed them has them. Zeros are none.
pub(crate) struct Waiting {
    first: Cell<*const Record>,
    last: Cell<*const Record>,
    blocks: Cell<usize>,
    bytes: Cell<usize>,
}

impl Waiting {
    /// Adds a block that has been freed, and lets those go that have waited longest.
    pub(super) fn add(&self, record: &'static Record) {
        let size = record.size();
        record.next.set(ptr::null());
        // SAFETY:
        // - null, or a record that waits here, which nobody else changes.
        match unsafe { self.last.replace(record).as_ref() } {
            Some(last) => last.next.set(record),
            None => self.first.set(record),
        }
        self.blocks.set(self.blocks.get() + 1);
        self.bytes.set(self.bytes.get() + size);
        while self.blocks.get() > BLOCKS || self.bytes.get() > BYTES {
            self.end_first();
        }
    }

    /// Lets all go.
    pub(crate) fn end_all(&self) {
        while self.blocks.get() > 0 {
            self.end_first();
        }
    }

    fn end_first(&self) {
        // SAFETY:
        // - there is one, which waits here, and nobody else changes it.
        let record = unsafe { &*self.first.get() };
        self.first.set(record.next.get());
        if record.next.get().is_null() {
            self.last.set(ptr::null());
        }
        self.blocks.set(self.blocks.get() - 1);
        self.bytes.set(self.bytes.get() - record.size());
        // SAFETY:
        // - the block of the heap is in use, and nobody uses it any more: its only user has freed it.
        unsafe { c::free(record.whole() as *mut _) };
    }
}
