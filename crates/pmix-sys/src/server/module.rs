//! What the library asks of a server: the table of functions that it calls, on a thread of its own.
//!
//! All clients are the server's own, so whatever they do together is done when the library asks for it.

use crate::{Info, OPERATION_SUCCEEDED, OpDone, Proc, SUCCESS, Status};
use std::ffi::{c_char, c_int, c_void};

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It has come.
    Began,
    /// It goes.
    Finished,
    /// It ends the job with this status.
    Aborted(i32),
}

/// Who is told of it, on a thread of the library's.
pub type Listener = Box<dyn Fn(Event) + Send + Sync>;

/// Room for functions that newer versions of the library have in their table: there are none.
const ROOM: usize = 60;

/// `pmix_server_module_t`, as far as it is used.
#[repr(C)]
pub(super) struct Module {
    client_connected: Option<Heard>,
    client_finalized: Option<Heard>,
    abort: Option<Abort>,
    fence_nb: Option<Fence>,
    none: [usize; ROOM],
}

impl Module {
    /// The table of a server whose clients are on one machine.
    pub(super) const fn new() -> Self {
        Self {
            client_connected: Some(began),
            client_finalized: Some(finished),
            abort: Some(abort),
            fence_nb: Some(fence),
            none: [0; ROOM],
        }
    }
}

/// `pmix_server_client_connected_fn_t`, and that of the end.
type Heard = unsafe extern "C" fn(*const Proc, *mut c_void, Option<OpDone>, *mut c_void) -> Status;
/// `pmix_server_abort_fn_t`.
type Abort = unsafe extern "C" fn(
    *const Proc,
    *mut c_void,
    c_int,
    *const c_char,
    *mut Proc,
    usize,
    Option<OpDone>,
    *mut c_void,
) -> Status;
/// `pmix_modex_cbfunc_t`.
type Told = unsafe extern "C" fn(Status, *const c_char, usize, *mut c_void, Option<Release>, *mut c_void);
/// `pmix_release_cbfunc_t`.
type Release = unsafe extern "C" fn(*mut c_void);
/// `pmix_server_fencenb_fn_t`.
type Fence = unsafe extern "C" fn(
    *const Proc,
    usize,
    *const Info,
    usize,
    *mut c_char,
    usize,
    Option<Told>,
    *mut c_void,
) -> Status;

unsafe extern "C" fn began(
    _client: *const Proc,
    listener: *mut c_void,
    _done: Option<OpDone>,
    _data: *mut c_void,
) -> Status {
    // SAFETY:
    // - the object is what the client was admitted with.
    unsafe { tell(listener, Event::Began) }
}

unsafe extern "C" fn finished(
    _client: *const Proc,
    listener: *mut c_void,
    _done: Option<OpDone>,
    _data: *mut c_void,
) -> Status {
    // SAFETY:
    // - as above.
    unsafe { tell(listener, Event::Finished) }
}

unsafe extern "C" fn abort(
    _client: *const Proc,
    listener: *mut c_void,
    status: c_int,
    _message: *const c_char,
    _of: *mut Proc,
    _count: usize,
    _done: Option<OpDone>,
    _data: *mut c_void,
) -> Status {
    // SAFETY:
    // - as above.
    unsafe { tell(listener, Event::Aborted(status)) }
}

/// # Safety
///
/// * The object is null, or a [`Listener`] that is never dropped.
unsafe fn tell(listener: *const c_void, event: Event) -> Status {
    // SAFETY:
    // - by the caller's word.
    if let Some(listener) = unsafe { listener.cast::<Listener>().as_ref() } {
        listener(event);
    }
    OPERATION_SUCCEEDED
}

/// All have come: what they have shown is what there is.
unsafe extern "C" fn fence(
    _of: *const Proc,
    _count: usize,
    _how: *const Info,
    _hows: usize,
    shown: *mut c_char,
    length: usize,
    told: Option<Told>,
    data: *mut c_void,
) -> Status {
    if let Some(told) = told {
        // SAFETY:
        // - the library has given the function and its data; what has been shown is ours, from malloc, and is freed by
        //   the function that is given along.
        unsafe { told(SUCCESS, shown, length, data, Some(release), shown.cast()) };
    }
    SUCCESS
}

unsafe extern "C" fn release(memory: *mut c_void) {
    // SAFETY:
    // - the library has it from malloc, and has done with it.
    unsafe { libc::free(memory) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn the_table_is_as_long_as_any() {
        // The fourth function is the fence; version 4 has 28 functions, version 5 some more.
        assert_eq!(offset_of!(Module, fence_nb), 3 * size_of::<usize>());
        assert!(size_of::<Module>() >= 40 * size_of::<usize>());
    }
}
