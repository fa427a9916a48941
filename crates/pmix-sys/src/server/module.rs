//! The table of functions that the library calls in a server, on a thread of its own.
//!
//! A fence of processes of its own node only is complete when the library asks for it. For others there is
//! [`RemoteNodes`].

use super::job::Job;
use super::remote_nodes::{Release, RemoteNodes, Reply, Told};
use crate::{ERR_NOT_SUPPORTED, Info, OPERATION_SUCCEEDED, OpDone, Proc, RANK_WILDCARD, SUCCESS, Status};
use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

/// The job, and the link to other nodes: the functions of the table get no argument for them.
pub(super) static SITE: OnceLock<(Job, Box<dyn RemoteNodes>)> = OnceLock::new();

/// An event of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It has connected.
    Began,
    /// It has finalized.
    Finished,
    /// It aborts the job with this status.
    Aborted(i32),
}

/// Is told of events, on a thread of the library's.
pub type Listener = Box<dyn Fn(Event) + Send + Sync>;

/// How many functions of the table are left out between those that there are.
const BETWEEN: usize = 14;

/// Room for functions that newer versions of the library have in their table: there are none.
const ROOM: usize = 60;

/// `pmix_server_module_t`, as far as it is used.
#[repr(C)]
pub(super) struct Module {
    client_connected: Option<Heard>,
    client_finalized: Option<Heard>,
    abort: Option<Abort>,
    fence_nb: Option<Fence>,
    direct_modex: Option<Fetch>,
    between: [usize; BETWEEN],
    job_control: Option<Control>,
    none: [usize; ROOM],
}

impl Module {
    /// The table.
    pub(super) const fn new() -> Self {
        Self {
            client_connected: Some(began),
            client_finalized: Some(finished),
            abort: Some(abort),
            fence_nb: Some(fence),
            direct_modex: Some(fetch),
            between: [0; BETWEEN],
            job_control: Some(control),
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
/// `pmix_server_job_control_fn_t`.
type Control = unsafe extern "C" fn(
    *const Proc,
    *const Proc,
    usize,
    *const Info,
    usize,
    Option<Controlled>,
    *mut c_void,
) -> Status;
/// `pmix_info_cbfunc_t`.
type Controlled = unsafe extern "C" fn(Status, *mut Info, usize, *mut c_void, Option<Release>, *mut c_void);
/// `pmix_server_dmodex_req_fn_t`.
type Fetch = unsafe extern "C" fn(*const Proc, *const Info, usize, Option<Told>, *mut c_void) -> Status;

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

/// A client aborts the job. It gets no answer and waits until it is killed, since otherwise its end could be noticed
/// before its request.
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
    unsafe { tell(listener, Event::Aborted(status)) };
    SUCCESS
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

/// All ranks of this node that take part in a fence have come.
unsafe extern "C" fn fence(
    of: *const Proc,
    count: usize,
    _how: *const Info,
    _hows: usize,
    shown: *mut c_char,
    length: usize,
    told: Option<Told>,
    data: *mut c_void,
) -> Status {
    let (Some(told), Some((job, remote_nodes))) = (told, SITE.get()) else {
        return ERR_NOT_SUPPORTED;
    };
    // SAFETY:
    // - the library has given the function and its data; what is shown is ours, from malloc; the processes are whole.
    let (reply, shown, ranks) = unsafe {
        let ranks = slice(of, count).iter().map(|process| process.rank);
        (Reply::new(told, data), taken(shown, length), ranks.collect())
    };
    let ranks = meeting(ranks);
    if job.are_here(&ranks) {
        reply.give(Some(shown));
    } else {
        remote_nodes.fence(ranks, shown, reply);
    }
    SUCCESS
}

/// A process of this node needs what a process of another node has published.
unsafe extern "C" fn fetch(
    of: *const Proc,
    _how: *const Info,
    _hows: usize,
    told: Option<Told>,
    data: *mut c_void,
) -> Status {
    let (Some(told), Some((_, remote_nodes))) = (told, SITE.get()) else {
        return ERR_NOT_SUPPORTED;
    };
    // SAFETY:
    // - the library has given the function and its data, and the process is whole.
    let (reply, rank) = unsafe { (Reply::new(told, data), (*of).rank) };
    remote_nodes.fetch(rank, reply);
    SUCCESS
}

/// A client wants to control other processes, which it may not. The function is there for what the library does itself,
/// but only if the function exists: it removes the files that clients tell of when they have ended.
unsafe extern "C" fn control(
    _client: *const Proc,
    _of: *const Proc,
    _count: usize,
    _how: *const Info,
    _hows: usize,
    _told: Option<Controlled>,
    _data: *mut c_void,
) -> Status {
    ERR_NOT_SUPPORTED
}

/// The ranks of a fence, in order; none if it is all of them.
fn meeting(mut ranks: Vec<u32>) -> Vec<u32> {
    if ranks.contains(&RANK_WILDCARD) {
        return Vec::new();
    }
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// # Safety
///
/// * There are so many, or none.
pub(super) unsafe fn slice<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if start.is_null() {
        return &[];
    }
    // SAFETY:
    // - by the caller's word.
    unsafe { std::slice::from_raw_parts(start, count) }
}

/// Takes ownership of bytes.
///
/// # Safety
///
/// * They are from malloc, and belong to the caller.
unsafe fn taken(bytes: *mut c_char, length: usize) -> Vec<u8> {
    // SAFETY:
    // - by the caller's word.
    unsafe {
        let own = slice(bytes.cast::<u8>(), length).to_vec();
        libc::free(bytes.cast());
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn the_table_is_as_long_as_any() {
        // The fourth function is the fence; version 4 has 28 functions, version 5 some more.
        assert_eq!(offset_of!(Module, fence_nb), 3 * size_of::<usize>());
        assert_eq!(offset_of!(Module, direct_modex), 4 * size_of::<usize>());
        assert_eq!(offset_of!(Module, job_control), 19 * size_of::<usize>());
        assert!(size_of::<Module>() >= 40 * size_of::<usize>());
    }

    #[test]
    fn whoever_meets_is_named_in_one_way() {
        assert_eq!(meeting(vec![3, 1, 3]), [1, 3]);
        assert!(meeting(vec![RANK_WILDCARD]).is_empty());
    }
}
