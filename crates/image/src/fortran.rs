//! The run-time libraries of Fortran, as a program or its libraries contain them.
//!
//! A run-time keeps what a program writes in the buffers of its units, and writes the buffers out when the program ends
//! by itself. [`FortranRuntime::flush`] is the function that does so before. The functions have no place in any
//! interface that all compilers share, so they are looked up by name:
//!
//! | run-time | function | argument |
//! |---|---|---|
//! | libgfortran as a library | `_gfortran_flush_i4` | a unit's number; null: all units above zero |
//! | libgfortran in the program | `_gfortrani_flush_all_units` | none: all units above zero |
//! | that of flang | `Fortran::runtime::io::ExternalFileUnit::FlushAll` | an error handler: all units |
//!
//! Those of the second and third row are found by the symbols that a stripped program does not have.
//!
//! The run-time of gfortran also installs handlers that report crashes. They know of no ranks and run first, so they
//! are told apart from those of a program ([`FortranRuntime::has_crash_handler`]).

use std::ffi::{CStr, c_void};
use std::ops::RangeInclusive;

use crate::elf::exports::{Exports, Reference};
use crate::elf::versions::Wanted;

/// The function of libgfortran that installs its handlers of crashes.
pub(crate) const SET_OPTIONS: &str = "_gfortran_set_options";

/// That of the subroutine `flush`.
const GFORTRAN_FLUSH: &str = "_gfortran_flush_i4";

/// The functions that write out the buffers of units; their addresses in the object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flush {
    /// That for one unit, or for all that have numbers of the program's; and that of the statement `inquire`.
    Gfortran { flush: usize, inquire: usize },
    /// That for all units that have numbers of the program's.
    GfortranAll(usize),
    /// That for all units.
    Flang(usize),
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
        let any = |name| Some(exported(object, name).or_else(|| own(name))? as usize);
        let is_library = object.elf.interpreter().is_none();
        let anywhere =
            || (is_library && exported(object, SET_OPTIONS).is_some()).then_some(CrashHandler::Anywhere);
        FortranRuntime {
            flush: Flush::of(any),
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
    /// The functions by the addresses of their names, if there are any.
    pub(crate) fn of(address: impl Fn(&'static str) -> Option<usize>) -> Option<Flush> {
        let gfortran = || {
            Some(Flush::Gfortran {
                flush: address(GFORTRAN_FLUSH)?,
                inquire: address("_gfortran_st_inquire")?,
            })
        };
        let gfortran_all = || address("_gfortrani_flush_all_units").or_else(|| address(GFORTRAN_FLUSH));
        let flang = || address("_ZN7Fortran7runtime2io16ExternalFileUnit8FlushAllERNS1_14IoErrorHandlerE");
        gfortran()
            .or_else(|| gfortran_all().map(Flush::GfortranAll))
            .or_else(|| flang().map(Flush::Flang))
    }

    /// Flushes all units by calls of these functions, whose object lies at `base`: `call` gets the address of a
    /// function and its argument.
    pub(crate) fn run(self, base: usize, mut call: impl FnMut(usize, *mut c_void)) {
        match self {
            Flush::Gfortran { flush, inquire } => {
                // Those of standard streams come last, as a program is most often in the middle of a write to them.
                for mut unit in NEW_UNITS.rev().chain(FILE_UNITS) {
                    let mut question = Inquiry::new(unit);
                    question.ask(|question| call(base + inquire, question));
                    if question.is_of_an_open_file() {
                        call(base + flush, (&raw mut unit).cast());
                    }
                }
                call(base + flush, std::ptr::null_mut());
            }
            Flush::GfortranAll(flush) => call(base + flush, std::ptr::null_mut()),
            Flush::Flang(flush) => {
                let mut handler = FlangErrorHandler::new();
                call(base + flush, (&raw mut handler).cast());
            }
        }
    }
}

/// What a program may ask libgfortran about a unit, and the answers.
///
/// Numbers below zero are also those of texts that a program has read or written as if they were files (internal
/// units). After that, nothing is behind such a unit any more, and the function that flushes one would find out in a
/// crash. Texts are known by the length of their records.
struct Inquiry {
    unit: i32,
    status: i32,
    record_length: i64,
    access: [u8; ACCESS],
}

/// The length of the longest answer about access.
const ACCESS: usize = "SEQUENTIAL".len();

/// The least length of records of a file that is opened without one: there is a limit on all, which versions differ in.
const UNLIMITED: i64 = 1 << 30;

/// `st_parameter_inquire` of libgfortran.so.5.
#[repr(C)]
struct InquiryRecord {
    flags: u32,
    unit: i32,
    source_file: *const u8,
    source_line: i32,
    message_length: usize,
    message: *mut u8,
    status: *mut i32,
    exist: *mut i32,
    opened: *mut i32,
    number: *mut i32,
    named: *mut i32,
    next_record: *mut i64,
    record_length: *mut i64,
    position: *mut i64,
    file: *const u8,
    file_length: usize,
    access_length: usize,
    access: *mut u8,
    more: [u64; 128],
}

impl Inquiry {
    fn new(unit: i32) -> Inquiry {
        Inquiry {
            unit,
            status: 0,
            record_length: 0,
            access: [0; ACCESS],
        }
    }

    /// Asks; `ask` passes the record on to libgfortran.
    fn ask(&mut self, ask: impl FnOnce(*mut c_void)) {
        const STATUS: u32 = 1 << 5;
        const LENGTH: u32 = 1 << 12;
        const ACCESS_WORD: u32 = 1 << 15;
        let null = std::ptr::null_mut::<i32>();
        let mut record = InquiryRecord {
            flags: STATUS | LENGTH | ACCESS_WORD,
            unit: self.unit,
            source_file: PLACE.as_ptr().cast(),
            source_line: 0,
            message_length: 0,
            message: null.cast(),
            status: &raw mut self.status,
            exist: null,
            opened: null,
            number: null,
            named: null,
            next_record: null.cast(),
            record_length: &raw mut self.record_length,
            position: null.cast(),
            file: null.cast(),
            file_length: 0,
            access_length: ACCESS,
            access: self.access.as_mut_ptr(),
            more: [0; 128],
        };
        ask((&raw mut record).cast());
    }

    fn is_of_an_open_file(&self) -> bool {
        let is_usual = || &self.access == b"SEQUENTIAL" && self.record_length >= UNLIMITED;
        self.status == 0
            && (self.access.starts_with(b"STREAM") || self.access.starts_with(b"DIRECT") || is_usual())
    }
}

/// The place that the run-times are told for their messages.
const PLACE: &CStr = c"the end of the job";

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
            source_file: PLACE.as_ptr().cast(),
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
    fn the_record_of_an_inquiry_has_its_fields_where_gfortran_writes_them() {
        assert_eq!(std::mem::offset_of!(InquiryRecord, status), 40);
        assert_eq!(std::mem::offset_of!(InquiryRecord, record_length), 88);
        assert_eq!(std::mem::offset_of!(InquiryRecord, access_length), 120);
        assert_eq!(std::mem::offset_of!(InquiryRecord, access), 128);
    }

    #[test]
    fn a_program_in_rust_has_no_run_time_of_fortran() {
        let file = std::fs::read("/proc/self/exe").unwrap();
        let found = FortranRuntime::of(&Exports::new(Elf::parse(&file).unwrap()));
        assert!(found.flush().is_none());
        assert!(!found.has_crash_handler(0));
    }
}
