//! Finding the objects in the images of ranks, which the dynamic loader does not know.
//!
//! The unwinder and others ask functions of the dynamic loader what lies at an address. Definitions in the executable
//! come before those in libraries, so the functions of this file are asked instead. They ask the runtime first, once it
//! has registered itself.

use core::ffi::{c_char, c_int, c_void};
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

type FindObject = unsafe extern "C" fn(*const c_void, *mut c_void) -> c_int;
type Visit = unsafe extern "C" fn(*mut c_void, usize, *mut c_void) -> c_int;
type Iterate = unsafe extern "C" fn(Visit, *mut c_void) -> c_int;
type IterateAll = unsafe extern "C" fn(Iterate, Visit, *mut c_void) -> c_int;

const RTLD_NEXT: *mut c_void = -1_isize as *mut c_void;

#[link(name = "c")]
unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The functions of the runtime, `Interposed` of simurgh-image; null until it registers itself.
#[repr(C)]
pub struct Interposed {
    find_object: AtomicPtr<c_void>,
    iterate: AtomicPtr<c_void>,
}

#[unsafe(no_mangle)]
#[used]
pub static simurgh_host_interposed: Interposed = Interposed {
    find_object: AtomicPtr::new(ptr::null_mut()),
    iterate: AtomicPtr::new(ptr::null_mut()),
};

/// The functions of the dynamic loader.
static FIND_OBJECT: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static ITERATE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Looks up the functions of the dynamic loader. A signal handler could not do that later.
pub fn begin() {
    // SAFETY:
    // - the names are C strings.
    let (find_object, iterate) = unsafe {
        (
            dlsym(RTLD_NEXT, c"_dl_find_object".as_ptr()),
            dlsym(RTLD_NEXT, c"dl_iterate_phdr".as_ptr()),
        )
    };
    FIND_OBJECT.store(find_object, Ordering::Release);
    ITERATE.store(iterate, Ordering::Release);
}

/// Replaces the function of this name in the dynamic loader.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _dl_find_object(address: *const c_void, result: *mut c_void) -> c_int {
    for function in [&simurgh_host_interposed.find_object, &FIND_OBJECT] {
        // SAFETY:
        // - a null pointer becomes `None`, and both are functions of this type;
        // - the arguments are the caller's.
        let found = unsafe {
            mem::transmute::<*mut c_void, Option<FindObject>>(function.load(Ordering::Acquire))
                .map_or(-1, |find| find(address, result))
        };
        if found == 0 {
            return 0;
        }
    }
    -1
}

/// Replaces the function of this name in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dl_iterate_phdr(visit: Visit, data: *mut c_void) -> c_int {
    // SAFETY:
    // - null pointers become `None`, and these are functions of these types;
    // - the arguments are the caller's.
    unsafe {
        let loaded = mem::transmute::<*mut c_void, Option<Iterate>>(ITERATE.load(Ordering::Acquire));
        let all = simurgh_host_interposed.iterate.load(Ordering::Acquire);
        let all = mem::transmute::<*mut c_void, Option<IterateAll>>(all);
        match (all, loaded) {
            (Some(all), Some(loaded)) => all(loaded, visit, data),
            (None, Some(loaded)) => loaded(visit, data),
            (_, None) => 0,
        }
    }
}
