//! A client of PMIx, the protocol of Slurm's pmix plugin, PRRTE and Open MPI's launcher.
//!
//! The protocol is implemented by the library that the site has installed. The library answers on a thread of its own.
//! That thread passes each status through a pipe, so that the broker can wait for it and for the process at the same
//! time.

use super::error::PmiError;
use super::launcher::{Launcher, Place};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use simurgh_pmix_sys as pmix;
use simurgh_pmix_sys::{Data, Handled, Info, Library, Proc, Status, Value};
use std::ffi::{CStr, CString, c_char, c_void};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// The variables that tell a process its job and its rank.
pub(super) const NAMESPACE: &str = "PMIX_NAMESPACE";
pub(super) const RANK: &str = "PMIX_RANK";

/// The pipe's end into which the library's thread writes a status for each completed operation.
static NEWS: OnceLock<OwnedFd> = OnceLock::new();

/// A process that a PMIx server knows.
pub(super) struct Client {
    library: Library,
    own: Proc,
    place: Place,
    news: OwnedFd,
}

impl Client {
    /// Connects to the server that the environment names.
    pub(super) fn connect() -> Result<Self, PmiError> {
        let library = Library::load()?;
        let mut own = Proc::new(c"", 0);
        // SAFETY:
        // - there is a place for the process's name, and no information is given.
        let status = unsafe { (library.init)(&raw mut own, null_mut(), 0) };
        succeed(&library, "PMIx_Init", status)?;
        // If the library finds no server, it may make a job of one process of its own.
        let name = CStr::from_bytes_until_nul(own.nspace.map(c_char::cast_unsigned).as_slice())
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let value = std::env::var(NAMESPACE).unwrap_or_default();
        if name != value {
            return Err(PmiError::Variable {
                name: NAMESPACE,
                value,
            });
        }
        let (news, end) = pipe_with(PipeFlags::CLOEXEC)?;
        let _ = NEWS.set(end);
        let mut client = Self {
            place: Place { rank: 0, size: 1 },
            library,
            own,
            news,
        };
        let size = client.value(pmix::RANK_WILDCARD, pmix::JOB_SIZE)?;
        let strange = || PmiError::Strange {
            line: "the number of processes".to_owned(),
        };
        let size = size.number().ok_or_else(strange)?;
        client.place = Place::new(client.own.rank, size)?;
        client.listen()?;
        Ok(client)
    }

    /// Registers a handler for the loss of the connection.
    fn listen(&self) -> Result<(), PmiError> {
        let mut codes = [pmix::ERR_LOST_CONNECTION];
        // SAFETY:
        // - the library copies the codes; there is no more information; the handler may be called at any time, on any
        //   thread, and without a function to call back the library says here whether it has registered it.
        let status = unsafe {
            (self.library.register_event_handler)(
                codes.as_mut_ptr(),
                codes.len(),
                null_mut(),
                0,
                Some(lost),
                None,
                null_mut(),
            )
        };
        // A number that is not negative is the handler's number.
        succeed(
            &self.library,
            "PMIx_Register_event_handler",
            status.min(pmix::SUCCESS),
        )
    }

    /// The value that a process, or the job, has under a key.
    fn value(&self, rank: u32, key: &CStr) -> Result<Found, PmiError> {
        let of = Proc { rank, ..self.own };
        let mut value = null_mut();
        // SAFETY:
        // - the process's name and the key are whole, no information is given, and there is a place for the value.
        let status = unsafe { (self.library.get)(&raw const of, key.as_ptr(), null(), 0, &raw mut value) };
        succeed(&self.library, "PMIx_Get", status)?;
        // SAFETY:
        // - the library has made the value for us to free.
        Ok(unsafe { Found::take(value) })
    }
}

impl Launcher for Client {
    fn place(&self) -> Place {
        self.place
    }

    fn put(&mut self, key: &str, bytes: &[u8]) -> Result<(), PmiError> {
        let mut bytes = bytes.to_vec();
        let bo = pmix::ByteObject {
            bytes: bytes.as_mut_ptr().cast(),
            size: bytes.len(),
        };
        let mut value = Value {
            kind: pmix::BYTE_OBJECT,
            data: Data { bo },
        };
        // SAFETY:
        // - the key is a C string; the library copies the value, whose bytes are there until it returns.
        let status = unsafe { (self.library.put)(pmix::GLOBAL, named(key)?.as_ptr(), &raw mut value) };
        succeed(&self.library, "PMIx_Put", status)
    }

    fn get(&mut self, rank: u32, key: &str) -> Result<Vec<u8>, PmiError> {
        match self.value(rank, &named(key)?)? {
            Found::Bytes(bytes) => Ok(bytes),
            _ => Err(PmiError::Strange {
                line: format!("value of {key}"),
            }),
        }
    }

    fn begin_fence(&mut self) -> Result<(), PmiError> {
        // SAFETY:
        // - the library has been initialised.
        let status = unsafe { (self.library.commit)() };
        succeed(&self.library, "PMIx_Commit", status)?;
        // The fence is to collect the data of all processes.
        let flag = Data { longest: [1, 0, 0] };
        let how = Box::into_raw(Box::new(Info::new(pmix::COLLECT_DATA, pmix::BOOL, flag)));
        // SAFETY:
        // - no processes stand for all of the job; the information is there until the function is called, which may be
        //   on any thread, and frees it.
        let status = unsafe { (self.library.fence_nb)(null(), 0, how, 1, Some(done), how.cast()) };
        if status == pmix::SUCCESS {
            return Ok(());
        }
        // SAFETY:
        // - the function will not be called, and the library is done with what we have made.
        drop(unsafe { Box::from_raw(how) });
        succeed(&self.library, "PMIx_Fence_nb", status)?;
        tell(pmix::SUCCESS);
        Ok(())
    }

    fn end_fence(&mut self) -> Result<(), PmiError> {
        let mut said = [0; size_of::<Status>()];
        // So few bytes are written to a pipe, and read from it, in one piece.
        let read = rustix::io::retry_on_intr(|| rustix::io::read(&self.news, &mut said))?;
        match (read == said.len()).then_some(Status::from_ne_bytes(said)) {
            None | Some(pmix::ERR_LOST_CONNECTION) => Err(PmiError::Gone),
            Some(status) => succeed(&self.library, "PMIx_Fence", status),
        }
    }

    fn event_fd(&self) -> BorrowedFd<'_> {
        self.news.as_fd()
    }

    fn finalize(&mut self) -> Result<(), PmiError> {
        // SAFETY:
        // - the library has been initialised, and nobody uses it any more.
        let status = unsafe { (self.library.finalize)(null(), 0) };
        succeed(&self.library, "PMIx_Finalize", status)
    }

    fn abort(&mut self, status: u8, why: &str) {
        let why = CString::new(why.replace('\0', " ")).unwrap_or_default();
        // SAFETY:
        // - the text is a C string; no processes stand for all of the job. What it says does not matter: this process
        //   ends in any case.
        let _ = unsafe { (self.library.abort)(status.into(), why.as_ptr(), null_mut(), 0) };
    }
}

/// A value that the library has returned.
enum Found {
    Number(u32),
    Bytes(Vec<u8>),
    Other,
}

impl Found {
    /// Takes a value over.
    ///
    /// # Safety
    ///
    /// The value is null, or comes from the library and belongs to the caller.
    unsafe fn take(value: *mut Value) -> Self {
        if value.is_null() {
            return Self::Other;
        }
        // SAFETY:
        // - the value is whole, its kind says what it is, and the library has it and its bytes from malloc.
        unsafe {
            let found = match ((*value).kind, (*value).data) {
                (pmix::UINT32, data) => Self::Number(data.uint32),
                (pmix::BYTE_OBJECT, Data { bo }) if !bo.bytes.is_null() => {
                    let bytes = std::slice::from_raw_parts(bo.bytes.cast::<u8>(), bo.size).to_vec();
                    libc::free(bo.bytes.cast());
                    Self::Bytes(bytes)
                }
                (pmix::BYTE_OBJECT, _) => Self::Bytes(Vec::new()),
                _ => Self::Other,
            };
            libc::free(value.cast());
            found
        }
    }

    fn number(&self) -> Option<u32> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

fn succeed(library: &Library, call: &'static str, status: Status) -> Result<(), PmiError> {
    match status {
        pmix::SUCCESS | pmix::OPERATION_SUCCEEDED => Ok(()),
        status => Err(PmiError::Pmix {
            call,
            says: library.message(status),
        }),
    }
}

fn named(key: &str) -> Result<CString, PmiError> {
    CString::new(key).map_err(|_| PmiError::Strange { line: key.to_owned() })
}

/// Passes a status to the broker; called on any thread.
fn tell(status: Status) {
    let Some(news) = NEWS.get() else { return };
    while rustix::io::write(news, &status.to_ne_bytes()) == Err(Errno::INTR) {}
}

/// The fence is complete, or has failed.
unsafe extern "C" fn done(status: Status, how: *mut c_void) {
    // SAFETY:
    // - this is what the meeting was begun with; nobody else has it any more.
    drop(unsafe { Box::from_raw(how.cast::<Info>()) });
    tell(status);
}

/// The connection is lost.
unsafe extern "C" fn lost(
    _handler: usize,
    _status: Status,
    _source: *const Proc,
    _info: *mut Info,
    _infos: usize,
    _results: *mut Info,
    _of_results: usize,
    handled: Option<Handled>,
    data: *mut c_void,
) {
    tell(pmix::ERR_LOST_CONNECTION);
    if let Some(handled) = handled {
        // SAFETY:
        // - the library has given the function and its data; there are no results.
        unsafe { handled(pmix::EVENT_ACTION_COMPLETE, null_mut(), 0, None, null_mut(), data) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_what_they_are() {
        let give = |value: Value| {
            // SAFETY:
            // - malloc gives room for a value, which is written whole.
            unsafe {
                let room = libc::malloc(size_of::<Value>()).cast::<Value>();
                room.write(value);
                Found::take(room)
            }
        };
        let data = Data { longest: [7, 0, 0] };
        assert_eq!(
            give(Value {
                kind: pmix::UINT32,
                data
            })
            .number(),
            Some(7)
        );
        assert_eq!(give(Value { kind: 3, data }).number(), None);
        // SAFETY:
        // - malloc gives room for two bytes, which are written.
        let bytes = unsafe {
            let bytes = libc::malloc(2).cast::<u8>();
            bytes.write(5);
            bytes.add(1).write(0);
            bytes
        };
        let bo = pmix::ByteObject {
            bytes: bytes.cast(),
            size: 2,
        };
        let found = give(Value {
            kind: pmix::BYTE_OBJECT,
            data: Data { bo },
        });
        assert!(matches!(found, Found::Bytes(bytes) if bytes == [5, 0]));
    }
}
