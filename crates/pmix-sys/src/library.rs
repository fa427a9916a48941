//! The library, found at run time.

use crate::{Info, Proc, Status, Value};
use simurgh_library::{Library as Shared, function};
use std::ffi::{CStr, c_char, c_int, c_void};

/// The name under which the library has been installed since its second version.
const SONAME: &CStr = c"libpmix.so.2";

/// Why it cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The loader does not find it.
    #[error("{0}; install libpmix (Debian: libpmix2), or name its directory in LD_LIBRARY_PATH")]
    Absent(String),
    /// It lacks a function.
    #[error("libpmix.so.2 has no function {0}: it is too old")]
    Old(&'static str),
}

/// `PMIx_Init`.
pub type Init = unsafe extern "C" fn(*mut Proc, *mut Info, usize) -> Status;
/// `PMIx_Finalize`.
pub type Finalize = unsafe extern "C" fn(*const Info, usize) -> Status;
/// `PMIx_Abort`.
pub type Abort = unsafe extern "C" fn(c_int, *const c_char, *mut Proc, usize) -> Status;
/// `PMIx_Put`.
pub type Put = unsafe extern "C" fn(u8, *const c_char, *mut Value) -> Status;
/// `PMIx_Commit`.
pub type Commit = unsafe extern "C" fn() -> Status;
/// `PMIx_Fence_nb`.
pub type FenceNb =
    unsafe extern "C" fn(*const Proc, usize, *const Info, usize, Option<OpDone>, *mut c_void) -> Status;
/// `PMIx_Get`.
pub type Get =
    unsafe extern "C" fn(*const Proc, *const c_char, *const Info, usize, *mut *mut Value) -> Status;
/// `PMIx_Register_event_handler`.
pub type RegisterEventHandler = unsafe extern "C" fn(
    *mut Status,
    usize,
    *mut Info,
    usize,
    Option<EventHandler>,
    Option<Registered>,
    *mut c_void,
) -> Status;
/// `PMIx_Error_string`.
pub type ErrorString = unsafe extern "C" fn(Status) -> *const c_char;

/// `pmix_op_cbfunc_t`: an operation is complete.
pub type OpDone = unsafe extern "C" fn(Status, *mut c_void);
/// `pmix_notification_fn_t`: an event has happened.
pub type EventHandler = unsafe extern "C" fn(
    usize,
    Status,
    *const Proc,
    *mut Info,
    usize,
    *mut Info,
    usize,
    Option<Handled>,
    *mut c_void,
);
/// `pmix_event_notification_cbfunc_fn_t`: the handler is done.
pub type Handled = unsafe extern "C" fn(Status, *mut Info, usize, Option<OpDone>, *mut c_void, *mut c_void);
/// `pmix_hdlr_reg_cbfunc_t`: the handler is registered.
pub type Registered = unsafe extern "C" fn(Status, usize, *mut c_void);

/// Its functions, under the names that they have there.
#[derive(Clone, Copy, Debug)]
#[allow(
    missing_docs,
    reason = "the types say which they are, and the library's documentation what they do"
)]
pub struct Library {
    pub init: Init,
    pub finalize: Finalize,
    pub abort: Abort,
    pub put: Put,
    pub commit: Commit,
    pub fence_nb: FenceNb,
    pub get: Get,
    pub register_event_handler: RegisterEventHandler,
    pub error_string: ErrorString,
}

impl Library {
    /// Finds and loads the library.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn load() -> Result<Self, LoadError> {
        let library = shared()?;
        // SAFETY:
        // - the functions of these names have these signatures, as `tests/headers.rs` compares.
        unsafe { Self::of(library) }.map_err(LoadError::Old)
    }

    /// Those of a library, or the name of one that it lacks.
    ///
    /// # Safety
    ///
    /// * Its functions are PMIx's.
    unsafe fn of(library: Shared) -> Result<Self, &'static str> {
        // SAFETY:
        // - by the caller's word.
        unsafe {
            Ok(Self {
                init: function!(library, c"PMIx_Init", Init)?,
                finalize: function!(library, c"PMIx_Finalize", Finalize)?,
                abort: function!(library, c"PMIx_Abort", Abort)?,
                put: function!(library, c"PMIx_Put", Put)?,
                commit: function!(library, c"PMIx_Commit", Commit)?,
                fence_nb: function!(library, c"PMIx_Fence_nb", FenceNb)?,
                get: function!(library, c"PMIx_Get", Get)?,
                register_event_handler: function!(
                    library,
                    c"PMIx_Register_event_handler",
                    RegisterEventHandler
                )?,
                error_string: function!(library, c"PMIx_Error_string", ErrorString)?,
            })
        }
    }

    /// The meaning of a status.
    #[must_use]
    pub fn message(&self, status: Status) -> String {
        // SAFETY:
        // - this is the library's function.
        unsafe { message(self.error_string, status) }
    }
}

/// Finds and loads the library.
pub(crate) fn shared() -> Result<Shared, LoadError> {
    // SAFETY:
    // - loading runs the library's constructors, which PMIx writes to be run so.
    unsafe { Shared::load(SONAME) }.map_err(LoadError::Absent)
}

/// The meaning of a status.
///
/// # Safety
///
/// * The function is the library's.
pub(crate) unsafe fn message(error_string: ErrorString, status: Status) -> String {
    // SAFETY:
    // - the function takes any number and gives a constant text.
    unsafe { CStr::from_ptr(error_string(status)) }
        .to_string_lossy()
        .into_owned()
}
