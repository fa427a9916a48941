//! Generalised requests.

use core::ffi::{c_int, c_void};
use core::mem::transmute;

use super::trampoline::Procedure;
use crate::foreign::*;
use crate::memory;

type QueryFunction = unsafe extern "C" fn(extra_state: *mut isize, status: *mut c_void, ierror: *mut c_int);
type FreeFunction = unsafe extern "C" fn(extra_state: *mut isize, ierror: *mut c_int);
type CancelFunction = unsafe extern "C" fn(extra_state: *mut isize, complete: *mut c_int, ierror: *mut c_int);

/// The procedures of a request, and the state that they get. It is freed with the request.
///
/// The extra state is an integer that the program passes to `MPI_Grequest_start`, and by the standard its value counts.
/// Other MPIs keep the address of the program's variable, and programs rely on it in that their procedures change the
/// variable. But a program may also pass an expression, whose memory is used for something else soon after the call. So
/// the procedures get the variable as long as it holds the value that is known, and a copy otherwise.
struct Record {
    query: Procedure,
    free: Procedure,
    cancel: Procedure,
    /// The address that the program has passed.
    variable: *mut isize,
    /// The value that the variable had at the start, and has been given by the procedures since.
    value: isize,
}

impl Record {
    /// Calls `body` with the address of the state.
    fn with_state(&mut self, body: impl FnOnce(&Self, *mut isize)) {
        let mut copy = self.value;
        // SAFETY:
        // - the memory was the program's when it passed the address; its content is compared only.
        let is_variable = unsafe { self.variable.read_volatile() } == self.value;
        let state = if is_variable { self.variable } else { &raw mut copy };
        body(self, state);
        // SAFETY:
        // - the address is one of the two above.
        self.value = unsafe { state.read_volatile() };
    }
}

unsafe extern "C" fn query(extra_state: *mut c_void, status: *mut c_void) -> c_int {
    let mut ierror = MPI_SUCCESS;
    // SAFETY:
    // - the extra state is a record.
    let record = unsafe { &mut *extra_state.cast::<Record>() };
    record.with_state(|record, state| {
        // SAFETY:
        // - the program has passed a query function; a status is the same in both languages.
        unsafe {
            transmute::<Procedure, QueryFunction>(record.query)(state, status, &raw mut ierror);
        }
    });
    ierror
}

unsafe extern "C" fn cancel(extra_state: *mut c_void, mut complete: c_int) -> c_int {
    let mut ierror = MPI_SUCCESS;
    // SAFETY:
    // - the extra state is a record.
    let record = unsafe { &mut *extra_state.cast::<Record>() };
    record.with_state(|record, state| {
        // SAFETY:
        // - the program has passed a cancel function.
        unsafe {
            transmute::<Procedure, CancelFunction>(record.cancel)(state, &raw mut complete, &raw mut ierror);
        }
    });
    ierror
}

/// Calls the free function, and frees the record: MPI calls nothing more of this request.
unsafe extern "C" fn free(extra_state: *mut c_void) -> c_int {
    let mut ierror = MPI_SUCCESS;
    // SAFETY:
    // - the extra state is a record.
    let record = unsafe { &mut *extra_state.cast::<Record>() };
    record.with_state(|record, state| {
        // SAFETY:
        // - the program has passed a free function.
        unsafe { transmute::<Procedure, FreeFunction>(record.free)(state, &raw mut ierror) };
    });
    // SAFETY:
    // - the record was allocated by `grequest_start`, and nobody uses it any more.
    unsafe { memory::free(extra_state) };
    ierror
}

/// `MPI_GREQUEST_START`: makes a request for an operation that the program runs itself.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn grequest_start(
    query_fn: Procedure,
    free_fn: Procedure,
    cancel_fn: Procedure,
    extra_state: *mut isize,
    request: *mut c_int,
) -> c_int {
    let record: *mut Record = memory::allocate(size_of::<Record>()).cast();
    let mut made = MPI_REQUEST_NULL;
    // SAFETY:
    // - the memory has the size of a record, and nobody else has its address;
    // - the program has passed the addresses of its state and of a handle;
    // - the functions are those for requests with a record as their state.
    unsafe {
        record.write(Record {
            query: query_fn,
            free: free_fn,
            cancel: cancel_fn,
            variable: extra_state,
            value: *extra_state,
        });
        let (query, free, cancel) = (query as *mut c_void, free as *mut c_void, cancel as *mut c_void);
        let code = MPI_Grequest_start(query, free, cancel, record.cast(), &raw mut made);
        if code == MPI_SUCCESS {
            *request = made.integer();
        } else {
            memory::free(record.cast());
        }
        code
    }
}
