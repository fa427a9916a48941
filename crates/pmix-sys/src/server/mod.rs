//! A server for the processes of one job on one node. Exchanges with other nodes are left to whoever has started it
//! ([`RemoteNodes`]).
//!
//! The library does the work on a thread of its own. It listens on a port of the loopback interface, and knows clients
//! by their user. Nothing of it lies in a file. Processes find it by environment variables
//! ([`Server::register_client`]).
//!
//! Not served: groups (Open MPI's sessions), and new processes.

mod info_list;
mod job;
mod module;
mod remote_nodes;

use crate::library::{self, ErrorString, LoadError, OpDone};
use crate::{Info, OPERATION_SUCCEEDED, Proc, SUCCESS, Status};
use info_list::InfoList;
pub use job::{Job, Process};
pub use module::{Event, Listener};
use module::{Module, SITE};
pub use remote_nodes::{RemoteNodes, Reply};
use simurgh_library::{Library as Shared, function};
use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use std::ptr::null_mut;

/// The library's store for what clients publish: the one without files.
const STORE: (&str, &str) = ("PMIX_MCA_gds", "hash");

/// Why a server cannot be started or used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The library cannot be used.
    #[error(transparent)]
    Library(#[from] LoadError),
    /// The process has a server already.
    #[error("this process has a server")]
    Second,
    /// It refuses something.
    #[error("{call} says {says}")]
    Refused {
        /// The function.
        call: &'static str,
        /// The meaning of its status.
        says: String,
    },
}

type Init = unsafe extern "C" fn(*mut Module, *mut Info, usize) -> Status;
type RegisterNspace =
    unsafe extern "C" fn(*const c_char, c_int, *mut Info, usize, Option<OpDone>, *mut c_void) -> Status;
type RegisterClient =
    unsafe extern "C" fn(*const Proc, u32, u32, *mut c_void, Option<OpDone>, *mut c_void) -> Status;
type SetupFork = unsafe extern "C" fn(*const Proc, *mut *mut *mut c_char) -> Status;
type DeregisterNspace = unsafe extern "C" fn(*const c_char, Option<OpDone>, *mut c_void);
type DmodexRequest = unsafe extern "C" fn(*const Proc, Option<Shown>, *mut c_void) -> Status;
/// `pmix_dmodex_response_fn_t`.
type Shown = unsafe extern "C" fn(Status, *mut c_char, usize, *mut c_void);
/// Takes what a process has published, or none.
type Listening = Box<dyn FnOnce(Option<Vec<u8>>) + Send>;

/// The functions of the library that a server needs.
#[derive(Clone, Copy)]
struct Functions {
    init: Init,
    register_nspace: RegisterNspace,
    register_client: RegisterClient,
    deregister_nspace: DeregisterNspace,
    setup_fork: SetupFork,
    dmodex_request: DmodexRequest,
    error_string: ErrorString,
}

/// A server, which is removed when its clients have ended. The library stays until the process ends.
pub struct Server {
    functions: Functions,
    /// The job's name.
    name: CString,
}

impl Server {
    /// Serves the processes of a job that are on its node `here`.
    ///
    /// # Errors
    ///
    /// [`ServerError`].
    pub fn start(job: Job, remote_nodes: Box<dyn RemoteNodes>) -> Result<Self, ServerError> {
        let library = library::shared()?;
        // SAFETY:
        // - the library's functions of these names have these signatures, as `tests/headers.rs` compares.
        let functions = unsafe { Functions::of(library) }.map_err(LoadError::Old)?;
        if std::env::var_os(STORE.0).is_none() {
            // SAFETY:
            // - no other thread of the launcher looks at the environment, and the library has none yet.
            unsafe { std::env::set_var(STORE.0, STORE.1) };
        }
        SITE.set((job, remote_nodes)).map_err(|_| ServerError::Second)?;
        let Some((job, _)) = SITE.get() else {
            return Err(ServerError::Second);
        };
        let module = Box::leak(Box::new(Module::new()));
        let mut how = InfoList::default();
        how.text(c"pmix.hname", job.name_of(job.here));
        let how = how.entries();
        // SAFETY:
        // - the table lives as long as the process, and has room for more than any version's; the information is whole,
        //   and copied before the function returns.
        functions.succeed("PMIx_server_init", unsafe {
            (functions.init)(module, how.as_mut_ptr(), how.len())
        })?;
        let name = job.name.clone();
        let server = Self { functions, name };
        server.describe(job)?;
        Ok(server)
    }

    /// Registers a process of this user as a client. `listener` is told what it does. Gives the environment variables
    /// by which the process finds the server.
    ///
    /// # Errors
    ///
    /// [`ServerError`].
    pub fn register_client(
        &self,
        rank: u32,
        listener: Listener,
    ) -> Result<Vec<(OsString, OsString)>, ServerError> {
        let client = Proc::new(&self.name, rank);
        // Never freed: it is called for as long as the process lives.
        let object = Box::into_raw(Box::new(listener)).cast();
        // SAFETY:
        // - the client's name is whole; the object is what the functions of the table take it for; there is no function
        //   to call.
        let status = unsafe {
            let (user, group) = (libc::geteuid(), libc::getegid());
            (self.functions.register_client)(&raw const client, user, group, object, None, null_mut())
        };
        self.functions.succeed("PMIx_server_register_client", status)?;
        let mut list: *mut *mut c_char = null_mut();
        // SAFETY:
        // - the client's name is whole, and there is a place for the list, which has no entries yet.
        let status = unsafe { (self.functions.setup_fork)(&raw const client, &raw mut list) };
        self.functions.succeed("PMIx_server_setup_fork", status)?;
        let mut variables = Vec::new();
        for index in 0.. {
            // SAFETY:
            // - the library has made the list, whose last entry is null, and its strings, for us to free.
            let entry = unsafe { *list.add(index) };
            if entry.is_null() {
                break;
            }
            // SAFETY:
            // - as above.
            let text = unsafe { taken(entry) }.into_bytes();
            if let Some(end) = text.iter().position(|&byte| byte == b'=') {
                let value = OsString::from_vec(text[end + 1..].to_vec());
                variables.push((OsString::from_vec(text[..end].to_vec()), value));
            }
        }
        // SAFETY:
        // - as above.
        unsafe { libc::free(list.cast()) };
        Ok(variables)
    }

    /// Requests what a process of this node has published. `told` is called as soon as it has published it.
    ///
    /// # Errors
    ///
    /// [`ServerError`]: then `told` is not called.
    pub fn published_by(&self, rank: u32, told: Listening) -> Result<(), ServerError> {
        let client = Proc::new(&self.name, rank);
        let told = Box::into_raw(Box::new(told));
        // SAFETY:
        // - the client's name is whole; the function takes the object for what it is, and is called once.
        let status = unsafe { (self.functions.dmodex_request)(&raw const client, Some(shown), told.cast()) };
        self.functions
            .succeed("PMIx_server_dmodex_request", status)
            .inspect_err(|_| {
                // SAFETY:
                // - the function will not be called.
                drop(unsafe { Box::from_raw(told) });
            })
    }

    /// Describes the job to the library.
    fn describe(&self, job: &Job) -> Result<(), ServerError> {
        let mut info = job.info();
        let entries = info.entries();
        let count = c_int::try_from(job.on(job.here).len()).unwrap_or(c_int::MAX);
        // SAFETY:
        // - the name has the length that the library reads, the info are whole and are copied before it returns, as it
        //   does when it is done where there is no function to call.
        let status = unsafe {
            let name = Proc::new(&job.name, 0).nspace;
            (self.functions.register_nspace)(
                name.as_ptr(),
                count,
                entries.as_mut_ptr(),
                entries.len(),
                None,
                null_mut(),
            )
        };
        self.functions.succeed("PMIx_server_register_nspace", status)
    }
}

impl Drop for Server {
    /// Removes files of clients, as far as these have told of them.
    fn drop(&mut self) {
        let name = Proc::new(&self.name, 0).nspace;
        // SAFETY:
        // - the name has the length that the library reads; it is done when the function returns, as there is none to
        //   call.
        unsafe { (self.functions.deregister_nspace)(name.as_ptr(), None, null_mut()) };
    }
}

/// A process has published data, or there is no such process.
unsafe extern "C" fn shown(status: Status, bytes: *mut c_char, length: usize, told: *mut c_void) {
    // SAFETY:
    // - this is what `published_by` has made, and nobody else has it; the bytes are whole while the function runs.
    unsafe {
        let told = Box::from_raw(told.cast::<Listening>());
        told((status == SUCCESS).then(|| module::slice(bytes.cast::<u8>(), length).to_vec()));
    }
}

impl Functions {
    /// # Safety
    ///
    /// * The library is PMIx's.
    unsafe fn of(library: Shared) -> Result<Self, &'static str> {
        // SAFETY:
        // - by the caller's word.
        unsafe {
            Ok(Self {
                init: function!(library, c"PMIx_server_init", Init)?,
                register_nspace: function!(library, c"PMIx_server_register_nspace", RegisterNspace)?,
                register_client: function!(library, c"PMIx_server_register_client", RegisterClient)?,
                setup_fork: function!(library, c"PMIx_server_setup_fork", SetupFork)?,
                deregister_nspace: function!(library, c"PMIx_server_deregister_nspace", DeregisterNspace)?,
                dmodex_request: function!(library, c"PMIx_server_dmodex_request", DmodexRequest)?,
                error_string: function!(library, c"PMIx_Error_string", ErrorString)?,
            })
        }
    }

    fn succeed(&self, call: &'static str, status: Status) -> Result<(), ServerError> {
        match status {
            SUCCESS | OPERATION_SUCCEEDED => Ok(()),
            status => Err(ServerError::Refused {
                call,
                // SAFETY:
                // - this is the library's function.
                says: unsafe { library::message(self.error_string, status) },
            }),
        }
    }
}

/// Takes ownership of a string.
///
/// # Safety
///
/// * It is a C string from malloc, and belongs to the caller.
unsafe fn taken(text: *mut c_char) -> CString {
    // SAFETY:
    // - by the caller's word.
    unsafe {
        let own = CStr::from_ptr(text).to_owned();
        libc::free(text.cast());
        own
    }
}
