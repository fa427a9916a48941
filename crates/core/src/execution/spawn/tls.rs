//! Thread-local variables of execution contexts: destructors at the end, initial values at the start of the next one on
//! the same stack.
//!
//! glibc does both for threads, when a thread ends and when it reuses a stack. A hollow pthread passes neither place.

use std::ffi::CStr;
use std::sync::OnceLock;

type CallDestructors = unsafe extern "C" fn();

/// Runs the destructors of the thread-local variables of the calling EC, which is about to end.
pub(super) fn run_destructors() {
    static CALL: OnceLock<Option<CallDestructors>> = OnceLock::new();
    let call = CALL.get_or_init(|| {
        // SAFETY:
        // - the name is terminated; the symbol, if present, is a function without arguments.
        unsafe {
            let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"__call_tls_dtors".as_ptr());
            (!symbol.is_null()).then(|| std::mem::transmute::<*mut libc::c_void, CallDestructors>(symbol))
        }
    });
    if let Some(call) = call {
        // SAFETY:
        // - glibc calls the function in the same situation: on the thread whose variables end.
        unsafe { call() };
    }
}

/// Gives the thread-local variables of all libraries but libc their initial values, for the calling EC.
///
/// Those of libc keep their values, except errno: they are the allocator's cache and the like, which serve the next EC
/// as well.
pub(super) fn reset() {
    // SAFETY:
    // - the callback has the required signature and ignores its third argument;
    // - errno's address is the calling thread's.
    unsafe {
        if let Some(iterate) = loaders_iterate() {
            iterate(reset_module, std::ptr::null_mut());
        }
        *libc::__errno_location() = 0;
    }
}

type Visit = unsafe extern "C" fn(*mut libc::dl_phdr_info, libc::size_t, *mut libc::c_void) -> libc::c_int;
type Iterate = unsafe extern "C" fn(Visit, *mut libc::c_void) -> libc::c_int;

/// The dynamic loader's own `dl_iterate_phdr`. An executable in which ranks live defines another one, which visits the
/// images of all ranks, too. These are many, and their thread-local variables are not in modules of their own.
fn loaders_iterate() -> Option<Iterate> {
    static ITERATE: OnceLock<Option<Iterate>> = OnceLock::new();
    *ITERATE.get_or_init(|| {
        let mode = libc::RTLD_NOW | libc::RTLD_NOLOAD;
        // SAFETY:
        // - the names are terminated, and the C library is there already;
        // - null becomes none, and otherwise it is a function of this type.
        unsafe {
            let library = libc::dlopen(c"libc.so.6".as_ptr(), mode);
            if library.is_null() {
                return None;
            }
            let symbol = libc::dlsym(library, c"dl_iterate_phdr".as_ptr());
            std::mem::transmute::<*mut libc::c_void, Option<Iterate>>(symbol)
        }
    })
}

unsafe extern "C" fn reset_module(
    info: *mut libc::dl_phdr_info,
    _size: libc::size_t,
    _argument: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY:
    // - the loader passes a valid description of a loaded object, with its program headers;
    // - `dlpi_tls_data` is null or the block of the calling thread, of `p_memsz` bytes, and the segment's file part
    //   holds `p_filesz` bytes of initial values.
    unsafe {
        let info = &*info;
        let name = if info.dlpi_name.is_null() {
            c""
        } else {
            CStr::from_ptr(info.dlpi_name)
        };
        if info.dlpi_tls_data.is_null() || is_libc(name) {
            return 0;
        }
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        if let Some(tls) = headers.iter().find(|header| header.p_type == libc::PT_TLS) {
            let initial = (info.dlpi_addr + tls.p_vaddr) as *const u8;
            let block = info.dlpi_tls_data.cast::<u8>();
            let (filled, size) = (tls.p_filesz as usize, tls.p_memsz as usize);
            std::ptr::copy_nonoverlapping(initial, block, filled);
            std::ptr::write_bytes(block.add(filled), 0, size - filled);
        }
    }
    0
}

fn is_libc(name: &CStr) -> bool {
    let base = name
        .to_bytes()
        .rsplit(|&byte| byte == b'/')
        .next()
        .unwrap_or_default();
    base.starts_with(b"libc.so.") || base.starts_with(b"ld-linux")
}
