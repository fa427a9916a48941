//! Copies of sections for operations that go on after their call.
//!
//! An operation for which no datatype can describe a section works on a contiguous copy: a reduction, for one. The copy
//! is noted with the request's integer. A call of Fortran that starts the request fills the copy from the section; one
//! that finds the operation complete fills the section from the copy, and gives the copy back once the request is gone.
//!
//! Only this library sees such calls. A program that hands the request to C, and completes it there, finds the section
//! unchanged. The note is dropped when a new request has the same integer.
//!
//! Most programs have no such operations: a call that completes requests then looks at one word.

use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::foreign::*;
use crate::memory;

use super::copy;
use super::lock::Locked;
use super::parts::Parts;

/// A copy that is in use, in a list.
struct Note {
    next: *mut Note,
    request: c_int,
    state: State,
    /// Whether the operation writes the copy.
    written: bool,
    parts: Parts,
    section: *mut u8,
    copy: *mut u8,
}

/// The state of the operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It has been set up, or is complete and has filled the section.
    Idle,
    /// It has been started.
    Active,
}

/// The first note. It is changed under the lock alone; looking whether there is one needs no lock, since a thread that
/// completes a request knows of the call that has made it.
static FIRST: AtomicPtr<Note> = AtomicPtr::new(ptr::null_mut());

/// Held while notes are looked at.
static LOCK: Locked<()> = Locked::new(());

/// Whether there are any notes.
#[inline(always)]
pub(crate) fn any() -> bool {
    !FIRST.load(Ordering::Relaxed).is_null()
}

/// Calls `with` with each note of a request, which is dropped if the result is false.
fn retain(request: c_int, mut with: impl FnMut(&mut Note) -> bool) {
    LOCK.with(|()| {
        let mut before: *mut Note = ptr::null_mut();
        let mut next = FIRST.load(Ordering::Relaxed);
        // SAFETY:
        // - the lock is held, so the list and its notes are this thread's.
        while let Some(note) = unsafe { next.as_mut() } {
            let (this, after) = (next, note.next);
            next = after;
            if note.request != request || with(note) {
                before = this;
                continue;
            }
            // SAFETY:
            // - the lock is held; the note before this one is still in the list.
            match unsafe { before.as_mut() } {
                Some(before) => before.next = after,
                None => FIRST.store(after, Ordering::Relaxed),
            }
            // SAFETY:
            // - the note has been allocated by `note`, and is no longer in the list.
            unsafe { memory::free(this.cast()) };
        }
    });
}

/// Notes a copy that is in use by a request. A persistent request has yet to be started.
pub(super) fn note(
    request: c_int,
    persistent: bool,
    written: bool,
    parts: Parts,
    section: *mut u8,
    copy: *mut u8,
) {
    let state = match persistent {
        true => State::Idle,
        false => State::Active,
    };
    let made = memory::allocate(size_of::<Note>()).cast::<Note>();
    LOCK.with(|()| {
        let next = FIRST.load(Ordering::Relaxed);
        let note = Note {
            next,
            request,
            state,
            written,
            parts,
            section,
            copy,
        };
        // SAFETY:
        // - the memory has the size of a note, and `malloc` aligns for any type.
        unsafe { made.write(note) };
        FIRST.store(made, Ordering::Relaxed);
    });
}

impl Note {
    /// The operation is complete: the section gets what it has written.
    fn complete(&mut self) {
        if self.state == State::Active && self.written {
            // SAFETY:
            // - the section is the array of the call that has made the note; the program has left it to the operation
            //   until now.
            unsafe { copy::scatter(&self.parts, self.copy, self.section) };
        }
        self.state = State::Idle;
    }

    /// The operation starts: the copy gets what is in the section.
    fn start(&mut self) {
        // SAFETY:
        // - the section is the array of the call that has made the note, which the program leaves alone from now on.
        unsafe { copy::gather(&self.parts, self.section, self.copy) };
        self.state = State::Active;
    }

    fn free_copy(&mut self) {
        // SAFETY:
        // - the copy has been allocated for the note, which is dropped.
        unsafe { memory::free(self.copy.cast::<c_void>()) };
    }
}

/// A request of this integer has just been made: notes of an older one, which has been completed elsewhere, are
/// dropped.
#[cold]
pub(crate) fn made(request: c_int) {
    retain(request, |note| {
        note.free_copy();
        false
    });
}

/// Requests are about to be started.
///
/// # Safety
///
/// `requests` has `count` elements, unless that is negative.
#[cold]
pub(crate) unsafe fn start(requests: *const c_int, count: c_int) {
    for index in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY:
        // - the caller's promise.
        let request = unsafe { *requests.add(index) };
        retain(request, |note| {
            note.start();
            true
        });
    }
}

/// A request is about to be freed. If it is active, nobody will say when it is complete: its copy is left to it.
#[cold]
pub(crate) fn abandon(request: c_int) {
    retain(request, |note| {
        if note.state == State::Idle {
            note.free_copy();
        }
        false
    });
}

/// A call has left a request as `now` that had this integer.
#[cold]
pub(crate) fn left(request: c_int, now: MPI_Request) {
    if request == MPI_REQUEST_NULL.integer() {
        return;
    }
    if now == MPI_REQUEST_NULL {
        retain(request, |note| {
            note.complete();
            note.free_copy();
            false
        });
    } else {
        look(request, now);
    }
}

/// If a request is complete, its sections get what it has written.
fn look(request: c_int, handle: MPI_Request) {
    let mut known = false;
    retain(request, |note| {
        known |= note.state == State::Active;
        true
    });
    if !known {
        return;
    }
    let mut flag = 0;
    // SAFETY:
    // - the handle is that of a request; the result is stored in a variable of this function, and a status is not
    //   wanted.
    let code = unsafe { PMPI_Request_get_status(handle, &raw mut flag, ptr::null_mut()) };
    if code == MPI_SUCCESS && flag != 0 {
        retain(request, |note| {
            note.complete();
            true
        });
    }
}

/// A call has looked at requests, and left them as they are.
///
/// # Safety
///
/// `requests` has `count` elements, unless that is negative.
#[cold]
pub(crate) unsafe fn looked_at(requests: *const c_int, count: c_int) {
    for index in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY:
        // - the caller's promise.
        let request = unsafe { *requests.add(index) };
        look(request, MPI_Request::of(request));
    }
}
