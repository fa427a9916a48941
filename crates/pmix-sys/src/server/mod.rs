//! A server for the processes of one job, all of them on this machine.
//!
//! The library does the work, on a thread of its own: it listens on a port of the loopback interface, and knows by a
//! process's user who may come. Nothing of it lies in a file. Processes find it by variables ([`Server::admit`]).
//!
//! Not served: what needs more than one machine, groups (Open MPI's sessions), and new processes.

mod facts;
mod module;

use crate::library::{self, ErrorString, LoadError, OpDone};
use crate::{Info, OPERATION_SUCCEEDED, Proc, SUCCESS, Status};
use facts::Facts;
use module::Module;
pub use module::{Event, Listener};
use simurgh_library::{Library as Shared, function};
use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use std::ptr::null_mut;

/// The name of the job. It tells jobs of a server apart, of which there is one.
const JOB: &CStr = c"simurgh";

/// Which of the library's stores keeps what clients show: the one without files.
const STORE: (&str, &str) = ("PMIX_MCA_gds", "hash");

/// Why there is no server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The library cannot be used.
    #[error(transparent)]
    Library(#[from] LoadError),
    /// It refuses something.
    #[error("{call} says {says}")]
    Refused {
        /// What has been called.
        call: &'static str,
        /// What has come of it.
        says: String,
    },
}

type Init = unsafe extern "C" fn(*mut Module, *mut Info, usize) -> Status;
type RegisterNspace =
    unsafe extern "C" fn(*const c_char, c_int, *mut Info, usize, Option<OpDone>, *mut c_void) -> Status;
type RegisterClient =
    unsafe extern "C" fn(*const Proc, u32, u32, *mut c_void, Option<OpDone>, *mut c_void) -> Status;
type SetupFork = unsafe extern "C" fn(*const Proc, *mut *mut *mut c_char) -> Status;

/// The functions of the library that a server needs.
#[derive(Clone, Copy)]
struct Functions {
    init: Init,
    register_nspace: RegisterNspace,
    register_client: RegisterClient,
    setup_fork: SetupFork,
    error_string: ErrorString,
}

/// A server. It ends with the process: its clients may need it for as long as they live.
pub struct Server {
    functions: Functions,
}

impl Server {
    /// Serves a job whose rank k runs the program of number `programs[k]`, on the machine of this name.
    ///
    /// # Errors
    ///
    /// [`ServerError`].
    pub fn start(machine: &CStr, programs: &[u32]) -> Result<Self, ServerError> {
        let library = library::shared()?;
        // SAFETY:
        // - the library's functions of these names have these signatures, as `tests/headers.rs` compares.
        let functions = unsafe { Functions::of(library) }.map_err(LoadError::Old)?;
        if std::env::var_os(STORE.0).is_none() {
            // SAFETY:
            // - no other thread of the launcher looks at the environment, and the library has none yet.
            unsafe { std::env::set_var(STORE.0, STORE.1) };
        }
        let module = Box::leak(Box::new(Module::new()));
        // SAFETY:
        // - the table lives as long as the process, and has room for more than any version's; no information is given.
        functions.succeed("PMIx_server_init", unsafe {
            (functions.init)(module, null_mut(), 0)
        })?;
        let server = Self { functions };
        server.describe(machine, programs)?;
        Ok(server)
    }

    /// Lets a process of this user in, tells of what it does, and gives the variables by which it finds its place.
    ///
    /// # Errors
    ///
    /// [`ServerError`].
    pub fn admit(&self, rank: u32, listener: Listener) -> Result<Vec<(OsString, OsString)>, ServerError> {
        let client = Proc::new(JOB, rank);
        // It is called for as long as the process lives.
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

    /// Tells the library of the job.
    fn describe(&self, machine: &CStr, programs: &[u32]) -> Result<(), ServerError> {
        let size = u32::try_from(programs.len()).unwrap_or(u32::MAX);
        let ranks: Vec<_> = (0..size).map(|rank| rank.to_string()).collect();
        let ranks = ranks.join(",");
        // Nothing of it is abbreviated.
        let raw = |list: &str| CString::new(format!("raw:{list}")).unwrap_or_default();
        let machines = raw(&machine.to_string_lossy());
        let apps = programs.iter().max().map_or(0, |last| last + 1);
        let mut facts = Facts::default();
        facts
            .text(c"pmix.jobid", JOB.to_owned())
            .number(c"pmix.univ.size", size)
            .number(c"pmix.job.size", size)
            .number(c"pmix.max.size", size)
            .number(c"pmix.job.napps", apps)
            .number(c"pmix.num.nodes", 1)
            .number(c"pmix.local.size", size)
            .number(c"pmix.node.size", size)
            .rank(c"pmix.lldr", 0)
            .text(c"pmix.nmap", machines)
            .text(c"pmix.pmap", raw(&ranks))
            .text(c"pmix.lpeers", CString::new(ranks).unwrap_or_default());
        for (rank, &program) in (0..size).zip(programs) {
            let place = u16::try_from(rank).unwrap_or(u16::MAX);
            let mut own = Facts::default();
            own.rank(c"pmix.rank", rank)
                .rank(c"pmix.grank", rank)
                .short(c"pmix.lrank", place)
                .short(c"pmix.nrank", place)
                .number(c"pmix.appnum", program)
                .number(c"pmix.nodeid", 0)
                .text(c"pmix.hname", machine.to_owned());
            facts.array(c"pmix.pdata", own);
        }
        let entries = facts.entries();
        let count = c_int::try_from(size).unwrap_or(c_int::MAX);
        // SAFETY:
        // - the name has the length that the library reads, the facts are whole and are copied before it returns, as it
        //   does when it is done where there is no function to call.
        let status = unsafe {
            let name = Proc::new(JOB, 0).nspace;
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

/// Takes over a string.
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
