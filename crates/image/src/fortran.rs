//! The run-time libraries of Fortran, as a program or its libraries contain them.
//!
//! A run-time keeps what a program writes in the buffers of its units, and writes the buffers out when the program ends
//! by itself. [`FortranRuntime::flush`] is the function that does so before. The functions have no place in any
//! interface that all compilers share, so they are looked up by name:
//!
//! | run-time | function | argument |
//! |---|---|---|
//! | libgfortran as a library | `_gfortran_flush_i4` of `flush` | a unit's number; null for all with numbers |
//! | libgfortran in the program | `_gfortrani_flush_all_units` | none |
//! | that of flang | `Fortran::runtime::io::ExternalFileUnit::FlushAll` | an error handler (`FlangErrorHandler`) |
//!
//! Those of the second and third row are found by the symbols that a stripped program does not have.
//!
//! The run-time of gfortran also installs handlers that report crashes. They know of no ranks and run first, so they
//! are told apart from those of a program ([`FortranRuntime::has_crash_handler`]).

use std::ffi::c_void;
use std::ops::RangeInclusive;

use crate::elf::exports::{Exports, Reference};
use crate::elf::versions::Wanted;

/// The function of libgfortran that installs its handlers of crashes.
pub(crate) const SET_OPTIONS: &str = "_gfortran_set_options";

pub(crate) const GFORTRAN_FLUSH: &str = "_gfortran_flush_i4";

pub(crate) const FLANG_FLUSH: &str =
    "_ZN7Fortran7runtime2io16ExternalFileUnit8FlushAllERNS1_14IoErrorHandlerE";

/// A function that writes out the buffers of units; its address in the object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flush {
    /// That for all units, or for one.
    Gfortran(u64),
    /// That for all units.
    GfortranAll(u64),
    Flang(u64),
}

/// The numbers that libgfortran gives out where a program asks for `newunit`, from the first one downwards. It takes
/// free ones again, so as many as a process may usually have open files.
const NEW_UNITS: RangeInclusive<i32> = -1034..=-10;

/// The numbers that programs themselves usually give to units of files.
const FILE_UNITS: RangeInclusive<i32> = 7..=1034;

/// Where the run-time's handler of crashes is.
#[derive(Clone, Copy, Debug)]
enum CrashHandler {
    /// Anywhere in the object, which is a library that has no other.
    Anywhere,
    At(u64),
}

/// The run-time that an object contains.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FortranRuntime {
    flush: Option<Flush>,
    crash_handler: Option<CrashHandler>,
}

impl FortranRuntime {
    /// Looks for a run-time in an object.
    pub(crate) fn of(object: &Exports<'_>) -> FortranRuntime {
        let own = |name| object.elf.own_function(name);
        let gfortran = || exported(object, GFORTRAN_FLUSH).or_else(|| own(GFORTRAN_FLUSH));
        let gfortran_all = || own("_gfortrani_flush_all_units");
        let flang = || exported(object, FLANG_FLUSH).or_else(|| own(FLANG_FLUSH));
        let is_library = object.elf.interpreter().is_none();
        let anywhere =
            || (is_library && exported(object, SET_OPTIONS).is_some()).then_some(CrashHandler::Anywhere);
        FortranRuntime {
            flush: (gfortran().map(Flush::Gfortran))
                .or_else(|| gfortran_all().map(Flush::GfortranAll))
                .or_else(|| flang().map(Flush::Flang)),
            crash_handler: own("_gfortrani_backtrace_handler")
                .map(CrashHandler::At)
                .or_else(anywhere),
        }
    }

    /// The function that writes out the buffers.
    pub(crate) fn flush(&self) -> Option<Flush> {
        self.flush
    }

    /// Whether the function at this address of the object is the run-time's handler of crashes.
    pub(crate) fn has_crash_handler(&self, address: u64) -> bool {
        match self.crash_handler {
            Some(CrashHandler::Anywhere) => true,
            Some(CrashHandler::At(handler)) => handler == address,
            None => false,
        }
    }
}

/// The address of a name that other objects can see.
fn exported(object: &Exports<'_>, name: &str) -> Option<u64> {
    let reference = Reference {
        name,
        wanted: Wanted::Newest,
        called: true,
    };
    object.find(&reference).map(|symbol| symbol.value)
}

impl Flush {
    /// The address in the object.
    pub(crate) fn address(self) -> u64 {
        match self {
            Flush::Gfortran(address) | Flush::GfortranAll(address) | Flush::Flang(address) => address,
        }
    }

    /// Calls `call` with each argument with which the function is to be called.
    pub(crate) fn for_arguments(self, mut call: impl FnMut(*mut c_void)) {
        match self {
            Flush::Gfortran(_) => {
                // Those of standard streams come last, as a program is most often in the middle of a write to them.
                for mut unit in NEW_UNITS.rev().chain(FILE_UNITS) {
                    call((&raw mut unit).cast());
                }
                call(std::ptr::null_mut());
            }
            Flush::GfortranAll(_) => call(std::ptr::null_mut()),
            Flush::Flang(_) => {
                let mut handler = FlangErrorHandler::new();
                call((&raw mut handler).cast());
            }
        }
    }
}

/// `Fortran::runtime::io::IoErrorHandler` of flang 16 to 22, which has no base with virtual functions. An error is only
/// noted, since the flag says that somebody asks for it.
#[repr(C)]
struct FlangErrorHandler {
    source_file: *const u8,
    source_line: i32,
    flags: u8,
    status: i32,
    message: *mut u8,
    /// Later versions have more; they set it before they read it.
    more: [u64; 8],
}

impl FlangErrorHandler {
    const HAS_STATUS: u8 = 1;

    fn new() -> FlangErrorHandler {
        FlangErrorHandler {
            source_file: c"the end of the job".as_ptr().cast(),
            source_line: 0,
            flags: Self::HAS_STATUS,
            status: 0,
            message: std::ptr::null_mut(),
            more: [0; 8],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::Elf;

    #[test]
    fn the_error_handler_of_flang_has_its_fields_where_flang_reads_them() {
        assert_eq!(std::mem::offset_of!(FlangErrorHandler, flags), 12);
        assert_eq!(std::mem::offset_of!(FlangErrorHandler, status), 16);
        assert_eq!(std::mem::offset_of!(FlangErrorHandler, message), 24);
    }

    #[test]
    fn a_program_in_rust_has_no_run_time_of_fortran() {
        let file = std::fs::read("/proc/self/exe").unwrap();
        let found = FortranRuntime::of(&Exports::new(Elf::parse(&file).unwrap()));
        assert!(found.flush().is_none());
        assert!(!found.has_crash_handler(0));
    }
}
