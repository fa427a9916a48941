//! `dlopen` and its relatives as a rank's program calls them. The shim asks here.
//!
//! To a rank its program is the main program, and the libraries of its image are the loaded ones. Further libraries
//! that it loads become images of its own, too ([`addition`]). The handles of the program and of the libraries are the
//! addresses of their records, as in glibc.

mod addition;
mod search;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::Ordering;

use crate::arena::{self, Place};
use crate::elf::exports::Reference;
use crate::elf::versions::Wanted;
use crate::objects::{FindObject, Visit, describe, find_any_object, iterate_image};
use addition::AdditionRecord;

/// `struct image_calls` of the shim.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct RankCalls {
    open: unsafe extern "C" fn(
        image: *const c_void,
        name: *const c_char,
        mode: c_int,
        added: *mut *mut AdditionRecord,
    ) -> *mut c_void,
    owns: unsafe extern "C" fn(image: *const c_void, handle: *const c_void) -> c_int,
    find: unsafe extern "C" fn(
        image: *const c_void,
        handle: *const c_void,
        name: *const c_char,
        version: *const c_char,
        caller: *const c_void,
    ) -> *mut c_void,
    describe:
        unsafe extern "C" fn(*const c_void, *mut libc::Dl_info, *mut *mut c_void, flags: c_int) -> c_int,
    iterate: unsafe extern "C" fn(image: *const c_void, visit: Visit, data: *mut c_void) -> c_int,
    find_object: FindObject,
    is_crash_handler: unsafe extern "C" fn(function: *const c_void) -> c_int,
}

/// The functions for the shim. `image` is any address in the image of the rank's program.
pub(crate) static CALLS: RankCalls = RankCalls {
    open,
    owns,
    find,
    describe,
    iterate,
    find_object: find_any_object,
    is_crash_handler,
};

fn place(image: *const c_void) -> Option<Place> {
    arena::locate(image as usize).map(|located| located.place)
}

/// The handle of the program (without a name, or with an empty one) or of one of its libraries. A library that the rank
/// does not have is loaded. Null where the dynamic loader is left to load it for all ranks, or to give the message.
unsafe extern "C" fn open(
    image: *const c_void,
    name: *const c_char,
    mode: c_int,
    added: *mut *mut AdditionRecord,
) -> *mut c_void {
    let is_valid = mode & (libc::RTLD_LAZY | libc::RTLD_NOW) != 0;
    let Some(program) = place(image).filter(|_| is_valid) else {
        return std::ptr::null_mut();
    };
    // SAFETY: null, or the C string that the program passed.
    let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) });
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return program.records().cast();
    };
    let (place, object) = match loaded(program, name) {
        Some(known) => known,
        None => match addition::load(program, name, mode) {
            Some((handle, new)) => {
                if let Some(new) = new {
                    // SAFETY: the address of a variable of the shim.
                    unsafe { added.write(Box::into_raw(new)) };
                }
                handle
            }
            None => return std::ptr::null_mut(),
        },
    };
    if mode & libc::RTLD_GLOBAL != 0 {
        make_global(program, place);
    }
    // SAFETY: there is a record for each object.
    unsafe { place.records().add(object).cast() }
}

/// The object of the rank that has this name or path.
fn loaded(program: Place, name: &CStr) -> Option<(Place, usize)> {
    let path = addition::full_name(name);
    program.images().find_map(|place| {
        let mut objects = place.program().objects.iter();
        let named = objects.position(|object| {
            let known = object
                .names
                .iter()
                .any(|known| known.as_bytes() == name.to_bytes());
            known || (!object.names.is_empty() && object.path == path)
        });
        named.map(|object| (place, object))
    })
}

/// Lets libraries that are loaded later find the definitions of an image.
fn make_global(program: Place, place: Place) {
    let mut additions = program.additions();
    if let Some(addition) = additions.find(|addition| addition.place.address() == place.address()) {
        // Relaxed: whoever depends on it was told by the thread that has made it so.
        addition.is_global.store(true, Ordering::Relaxed);
    }
}

/// Whether a handle is that of the program or of a private library.
unsafe extern "C" fn owns(image: *const c_void, handle: *const c_void) -> c_int {
    c_int::from(place(image).is_some_and(|program| object_of(program, handle).is_some()))
}

/// The object of a handle.
fn object_of(program: Place, handle: *const c_void) -> Option<(Place, usize)> {
    program.images().find_map(|place| {
        let records = place.records();
        let count = place.program().objects.len();
        let object = (0..count).find(|&index| std::ptr::eq(records.wrapping_add(index).cast(), handle));
        object.map(|object| (place, object))
    })
}

/// The address of the definition of a name; null if there is none. It is looked up by one of our handles, by
/// `RTLD_DEFAULT`, or by `RTLD_NEXT` as seen from `caller`.
unsafe extern "C" fn find(
    image: *const c_void,
    handle: *const c_void,
    name: *const c_char,
    version: *const c_char,
    caller: *const c_void,
) -> *mut c_void {
    // SAFETY: the C strings that the program passed; no version is null.
    let (name, version) = unsafe {
        let version = (!version.is_null()).then(|| CStr::from_ptr(version));
        (CStr::from_ptr(name), version)
    };
    let address = || {
        let program = place(image)?;
        let wanted = match version {
            Some(version) => Wanted::Named(version.to_str().ok()?),
            None => Wanted::Newest,
        };
        let reference = Reference {
            name: name.to_str().ok()?,
            wanted,
            called: false,
        };
        search::address(program, search::search(program, handle, &reference, caller)?)
    };
    address().unwrap_or(0) as *mut c_void
}

/// Whether a function of an image is the handler with which a run-time of Fortran reports crashes.
unsafe extern "C" fn is_crash_handler(function: *const c_void) -> c_int {
    let is_handler = |located: arena::Located| {
        let address = (function as usize - located.base()) as u64;
        located.object().fortran().has_crash_handler(address)
    };
    c_int::from(arena::locate(function as usize).is_some_and(is_handler))
}

/// `dl_iterate_phdr` for the rank's own objects.
unsafe extern "C" fn iterate(image: *const c_void, visit: Visit, data: *mut c_void) -> c_int {
    let images = place(image).into_iter().flat_map(Place::images);
    // SAFETY: the program keeps to the contract of `dl_iterate_phdr`.
    let mut results = images.map(|place| unsafe { iterate_image(place, visit, data) });
    results.find(|&result| result != 0).unwrap_or(0)
}
