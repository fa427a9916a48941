//! The run-times of Fortran in a process that is a rank by itself.
//!
//! Those in libraries are found by the dynamic loader, and one that is part of the program by the program's file.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::sync::OnceLock;

use crate::elf::exports::Exports;
use crate::fortran::{Flush, FortranRuntime, SET_OPTIONS};
use crate::source::Source;

/// The run-time in the program, and the address at which the program's address 0 lies.
fn of_program() -> Option<(FortranRuntime, u64)> {
    static FOUND: OnceLock<Option<(FortranRuntime, u64)>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let source = Source::open(Path::new("/proc/self/exe")).ok()?;
        let elf = source.elf().ok()?;
        // SAFETY: a read of the process's own auxiliary vector.
        let entry = unsafe { libc::getauxval(libc::AT_ENTRY) };
        let base = entry.wrapping_sub(elf.entry);
        Some((FortranRuntime::of(&Exports::new(elf)), base))
    })
}

/// The address of a name in a library, or 0.
fn in_libraries(name: &str) -> usize {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: a lookup by a C string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as usize }
}

/// Writes out what the run-times of Fortran in this process hold in the buffers of their units.
///
/// Another thread may hold the lock of a unit for ever, and so this may never return: it has to be called on a thread
/// of its own.
pub fn flush_own_fortran() {
    let in_libraries = Flush::of(|name| Some(in_libraries(name)).filter(|address| *address != 0));
    if let Some(flush) = in_libraries {
        flush.run(0, call);
    }
    if let Some((runtime, base)) = of_program()
        && let Some(flush) = runtime.flush()
    {
        flush.run(base as usize, call);
    }
}

/// Calls the function of a run-time that lies at this address.
fn call(function: usize, argument: *mut c_void) {
    // SAFETY: the address is that of a function of a run-time in this process, which takes one argument, or none.
    let function: extern "C" fn(*mut c_void) = unsafe { std::mem::transmute(function) };
    function(argument);
}

/// Whether the function at this address is the handler with which a run-time of Fortran in this process reports
/// crashes.
#[must_use]
pub fn is_own_crash_handler(address: usize) -> bool {
    let in_program = of_program().is_some_and(|(runtime, base)| {
        let address = (address as u64).wrapping_sub(base);
        runtime.has_crash_handler(address)
    });
    in_program || is_in_library_of(SET_OPTIONS, address)
}

/// Whether an address lies in the library that defines a name.
fn is_in_library_of(name: &str, address: usize) -> bool {
    let (definition, program) = (
        start_of(in_libraries(name)),
        of_program().map(|(_, base)| base as usize),
    );
    definition.is_some() && definition == start_of(address) && definition != program
}

/// The address at which the library of an address begins.
fn start_of(address: usize) -> Option<usize> {
    // SAFETY: an all-zero record is a valid one: null pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for, and the record may be written.
    let found = address != 0 && unsafe { libc::dladdr(address as *const c_void, &raw mut info) } != 0;
    found.then_some(info.dli_fbase as usize)
}
