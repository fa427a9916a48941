//! The executable in which ranks live: loads the runtime and hands over to it.
//!
//! Compilers let a program address its thread-local storage at fixed distances below the thread pointer, in the place
//! of the executable's. The programs of ranks are loaded into this process, so they must have that place. Therefore
//! this executable has no thread-local storage of its own, only a reservation that nothing here uses. It must not
//! contain `std`, which has some. Without `std` nothing can unwind, so it is compiled apart from the rest, by
//! `build.rs`, with `panic=abort`. A test looks at its ELF header.

#![no_std]
#![no_main]

mod blocks;
mod objects;

use core::arch::global_asm;
use core::ffi::{c_char, c_int, c_void};
use core::mem;
use core::panic::PanicInfo;

// Room for the thread-local storage of a rank's program and its libraries. Every thread of the process has it, so it is
// no larger than usual programs need; for a program that needs more, `mpiexec` starts a copy with more. `R` keeps the
// linker from dropping it.
global_asm!(
    ".pushsection .tbss.simurgh_reservation,\"awTR\",@nobits",
    ".balign 64",
    ".skip 1024",
    ".popsection"
);

/// `simurgh_host_main` of the runtime: runs the job and returns the exit status.
type HostMain = unsafe extern "C" fn() -> c_int;

const RTLD_NOW: c_int = 2;
const RTLD_GLOBAL: c_int = 0x100;

#[link(name = "c")]
unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
    fn dprintf(fd: c_int, format: *const c_char, ...) -> c_int;
    fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY:
    // - it may be called anywhere.
    unsafe { abort() }
}

/// The compiled `core` library refers to it in code that unwinds, of which there is none here.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// Called by the C library.
#[unsafe(no_mangle)]
pub extern "C" fn main(count: c_int, _arguments: *const *const c_char) -> c_int {
    if count > 1 {
        // mpiexec passes no arguments: another program has started this one, taking it for its own.
        // SAFETY:
        // - the format has no directives.
        unsafe {
            dprintf(
                2,
                c"simurgh-host: this is the process in which the ranks of an MPI job live, not a program. A rank has \
probably tried to start its own program, and has asked the kernel directly which one that is: let it use \
readlink(\"/proc/self/exe\") of the C library, name the program instead, or run the job with \
mpiexec --mode processes\n"
                    .as_ptr(),
            )
        };
        return 2;
    }
    objects::begin();
    // SAFETY:
    // - the name is a C string, and no other thread changes the environment.
    let path = unsafe { getenv(c"SIMURGH_LIBRARY".as_ptr()) };
    if path.is_null() {
        // SAFETY:
        // - the format has no directives.
        unsafe {
            dprintf(
                2,
                c"simurgh-host: this program is started by mpiexec, not by hand\n".as_ptr(),
            )
        };
        return 2;
    }
    // SAFETY:
    // - the path is a C string of the environment;
    // - loading the runtime runs its initialisers, which expect nothing.
    let library = unsafe { dlopen(path, RTLD_NOW | RTLD_GLOBAL) };
    if library.is_null() {
        return refuse();
    }
    // SAFETY:
    // - `library` is a valid handle, the name a C string.
    let entry = unsafe { dlsym(library, c"simurgh_host_main".as_ptr()) };
    // SAFETY:
    // - a null pointer becomes `None`, and the runtime defines this symbol as a function of this type.
    match unsafe { mem::transmute::<*mut c_void, Option<HostMain>>(entry) } {
        // SAFETY:
        // - it is called once, on the main thread, in a process that has done nothing else.
        Some(entry) => unsafe { entry() },
        None => refuse(),
    }
}

/// Prints why the runtime cannot be loaded.
fn refuse() -> c_int {
    // SAFETY:
    // - a call to the loader has just failed, so that there is a message, a C string, for the one directive.
    unsafe {
        dprintf(
            2,
            c"simurgh-host: the runtime cannot be loaded: %s\n".as_ptr(),
            dlerror(),
        )
    };
    1
}
