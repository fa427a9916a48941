//! Announces the objects of images to debuggers.
//!
//! Debuggers read the loader's list of objects (`_r_debug`). Since glibc 2.35 they also read the lists of further
//! namespaces, which are linked to the first one. The images form a namespace of their own. Our records cannot be in
//! the loader's own list, because the loader walks that list, too, and its records are longer than their public part.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use crate::link_map::LinkMap;

/// `struct r_debug_extended` of glibc.
#[repr(C)]
struct Namespace {
    version: c_int,
    first: *mut LinkMap,
    breakpoint: usize,
    state: c_int,
    loader: usize,
    next: *mut Namespace,
}

/// The list of the objects in images.
struct List {
    namespace: *mut Namespace,
    last: *mut LinkMap,
}

// SAFETY: the pointers lead to what is never freed, and are used under the lock.
unsafe impl Send for List {}

static LIST: Mutex<Option<List>> = Mutex::new(None);

/// Adds objects at the end of the list.
///
/// # Safety
/// There must be that many records, which are never freed.
pub(super) unsafe fn add(records: *mut LinkMap, count: usize) {
    let mut list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
    let list = list.get_or_insert_with(List::begin);
    for index in 0..count {
        // SAFETY:
        // - the records are there (caller), and so is our own namespace; nobody else changes the links;
        // - a debugger stops the process to read.
        unsafe {
            let record = records.add(index);
            (*record).previous = list.last;
            if list.last.is_null() {
                (*list.namespace).first = record;
            } else {
                (*list.last).next = record;
            }
            list.last = record;
        }
    }
}

/// Makes a debugger read the list, which it does whenever the loader has loaded or unloaded something.
pub(super) fn tell() {
    // A library that belongs to the C library and that programs do not use.
    const ANY: &CStr = c"libBrokenLocale.so.1";
    // SAFETY: the name is a C string, and the handle, if there is one, is used no more.
    unsafe {
        let handle = libc::dlopen(ANY.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL);
        if !handle.is_null() {
            libc::dlclose(handle);
        }
    }
}

impl List {
    /// Makes the namespace and links it to the loader's.
    fn begin() -> List {
        let namespace = Box::leak(Box::new(Namespace {
            version: 2,
            first: std::ptr::null_mut(),
            breakpoint: 0,
            state: 0,
            loader: 0,
            next: std::ptr::null_mut(),
        }));
        let namespace = std::ptr::from_mut(namespace);
        if knows_namespaces() {
            // SAFETY: the version was checked.
            unsafe { hang_on(namespace) };
        }
        List {
            namespace,
            last: std::ptr::null_mut(),
        }
    }
}

/// Makes a namespace the last one of the loader's list.
///
/// # Safety
/// glibc must be one whose record has a successor.
unsafe fn hang_on(namespace: *mut Namespace) {
    // SAFETY: a lookup by a C string; `RTLD_DEFAULT` needs no handle.
    let first: *mut c_void = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_r_debug".as_ptr()) };
    let first = first.cast::<Namespace>();
    if first.is_null() {
        return;
    }
    // SAFETY:
    // - the loader's record has this type (caller), and its list of namespaces only grows;
    // - nobody opens another namespace meanwhile: nothing in the process uses dlmopen while ranks are being made.
    unsafe {
        (*namespace).breakpoint = (*first).breakpoint;
        (*namespace).loader = (*first).loader;
        let mut last = first;
        while !(*last).next.is_null() {
            last = (*last).next;
        }
        (*last).next = namespace;
        (*first).version = 2;
    }
}

/// Whether the loader's record has a successor for further namespaces, as since glibc 2.35.
fn knows_namespaces() -> bool {
    // SAFETY: a constant string of the C library.
    let version = unsafe { CStr::from_ptr(gnu_get_libc_version()) };
    let mut parts = version
        .to_str()
        .unwrap_or_default()
        .split('.')
        .map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (2, 35),
        _ => false,
    }
}

unsafe extern "C" {
    fn gnu_get_libc_version() -> *const c_char;
}

/// Whether a debugger is watching this process.
pub(crate) fn is_watching() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}
