//! Lists that run through their elements, in both directions.
//!
//! The elements of a list are those of one heap, and stay mapped. Only the thread that uses the heap changes them.

use std::cell::Cell;
use std::ptr;

/// The neighbours of an element. Zeros are those of an element alone.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Links<T> {
    next: Cell<*const T>,
    previous: Cell<*const T>,
}

/// An element of such lists.
pub(crate) trait Linked: Sized {
    fn links(&self) -> &Links<Self>;

    /// Puts the element, which is on no list, behind `previous`, which may be null, and before `next`.
    fn link(&self, previous: *const Self, next: *const Self) {
        self.links().previous.set(previous);
        self.links().next.set(next);
        // SAFETY:
        // - null, or elements of a list of the caller's heap, which stay mapped.
        let [previous, next] = unsafe { [previous.as_ref(), next.as_ref()] };
        if let Some(previous) = previous {
            previous.links().next.set(self);
        }
        if let Some(next) = next {
            next.links().previous.set(self);
        }
    }

    /// Takes the element from its list. Returns the one that follows if this was the first one.
    fn unlink(&self) -> Option<*const Self> {
        let (previous, next) = (self.links().previous.get(), self.links().next.get());
        // SAFETY:
        // - as in `link`.
        let [before, behind] = unsafe { [previous.as_ref(), next.as_ref()] };
        if let Some(behind) = behind {
            behind.links().previous.set(previous);
        }
        match before {
            Some(before) => {
                before.links().next.set(next);
                None
            }
            None => Some(next),
        }
    }
}

impl<T> Links<T> {
    /// Makes them those of an element alone.
    pub(crate) fn clear(&self) {
        self.next.set(ptr::null());
        self.previous.set(ptr::null());
    }

    /// Whether the element is the only one of its list, or on none.
    #[inline(always)]
    pub(crate) fn is_alone(&self) -> bool {
        self.next.get().is_null() && self.previous.get().is_null()
    }

    #[inline]
    pub(crate) fn next(&self) -> *const T {
        self.next.get()
    }

    /// Sets the next element of a list that is followed in this direction alone.
    pub(crate) fn set_next(&self, next: *const T) {
        self.next.set(next);
    }

    pub(crate) fn previous(&self) -> *const T {
        self.previous.get()
    }
}
