//! The functions that answer a rank's `dlopen`, `dlsym` and related calls. The shim calls them.
//!
//! The handles of the program and of its private libraries are the addresses of their records, as in glibc.

use std::ffi::{CStr, c_char, c_int, c_void};

use super::find::{self, FindObject};
use super::iterate::{Visit, iterate_image};
use super::names;
use crate::arena::{self, Place};
use crate::closure::file_name;
use crate::elf::abi;
use crate::elf::exports::Reference;
use crate::elf::versions::Wanted;
use crate::link::Definition;
use crate::link::scope::{anywhere, find_in};
use crate::object::Object;

/// `struct image_calls` of the shim.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct RankCalls {
    open: unsafe extern "C" fn(image: *const c_void, name: *const c_char) -> *mut c_void,
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

/// The functions for the shim. `image` is any address in the rank's image.
pub(crate) static CALLS: RankCalls = RankCalls {
    open,
    owns,
    find,
    describe: names::describe,
    iterate,
    find_object: find::find_any_object,
    is_crash_handler,
};

fn place(image: *const c_void) -> Option<Place> {
    arena::locate(image as usize).map(|located| located.place)
}

/// The handle of the program (without a name) or of one of its libraries; null for other names.
unsafe extern "C" fn open(image: *const c_void, name: *const c_char) -> *mut c_void {
    let Some(place) = place(image) else {
        return std::ptr::null_mut();
    };
    let records = place.records();
    if name.is_null() {
        return records.cast();
    }
    // SAFETY: not null, hence the C string that the program passed.
    let name = unsafe { CStr::from_ptr(name) };
    let named = |object: &Object<'_>| {
        let known = object
            .names
            .iter()
            .any(|known| known.as_bytes() == name.to_bytes());
        known || (!object.names.is_empty() && object.path.as_c_str() == name)
    };
    match place.program().objects.iter().position(named) {
        // SAFETY: there is a record for each object.
        Some(index) => unsafe { records.add(index).cast() },
        None => std::ptr::null_mut(),
    }
}

/// Whether a handle is that of the program or of a private library.
unsafe extern "C" fn owns(image: *const c_void, handle: *const c_void) -> c_int {
    c_int::from(place(image).and_then(|place| object_of(place, handle)).is_some())
}

fn object_of(place: Place, handle: *const c_void) -> Option<usize> {
    let records = place.records();
    let count = place.program().objects.len();
    (0..count).find(|&index| std::ptr::eq(records.wrapping_add(index).cast(), handle))
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
        let place = place(image)?;
        let wanted = match version {
            Some(version) => Wanted::Named(version.to_str().ok()?),
            None => Wanted::Newest,
        };
        let reference = Reference {
            name: name.to_str().ok()?,
            wanted,
            called: false,
        };
        let found = search(place, handle, &reference, caller)?;
        address(place, found)
    };
    address().unwrap_or(0) as *mut c_void
}

fn search(
    place: Place,
    handle: *const c_void,
    reference: &Reference<'_>,
    caller: *const c_void,
) -> Option<Definition<'static>> {
    let program = place.program();
    let everywhere = |behind| program.scope.find(&program.objects, reference, behind);
    if handle == libc::RTLD_NEXT.cast_const() {
        return everywhere(Some(arena::locate(caller as usize)?.object));
    }
    match object_of(place, handle) {
        Some(index) if index != 0 => with_dependencies(&program.objects, index)
            .into_iter()
            .find_map(|index| find_in(&program.objects, index, reference))
            .or_else(|| anywhere(reference)),
        _ => everywhere(None),
    }
}

/// A library and the private libraries that it needs, breadth first.
fn with_dependencies(objects: &[Object<'_>], first: usize) -> Vec<usize> {
    let mut all = vec![first];
    let mut next = 0;
    while let Some(&index) = all.get(next) {
        next += 1;
        for needed in objects[index].elf().strings(abi::DT_NEEDED) {
            let named = |object: &Object<'_>| {
                let mut names = object.names.iter();
                names.any(|name| name == needed || name == file_name(needed))
            };
            if let Some(found) = objects
                .iter()
                .position(named)
                .filter(|found| !all.contains(found))
            {
                all.push(found);
            }
        }
    }
    all
}

fn address(place: Place, definition: Definition<'_>) -> Option<usize> {
    match definition {
        Definition::Shared(address, _) => Some(address),
        Definition::SharedThreadLocal => None,
        Definition::Private(object, symbol) => {
            let address = place.base(object) + symbol.value as usize;
            match (symbol.section, symbol.kind()) {
                (abi::SHN_ABS, _) => Some(symbol.value as usize),
                (_, abi::STT_TLS) => {
                    let distance = place.program().objects[object].tls_distance?;
                    Some(crate::tls::thread_pointer() + symbol.value as usize - distance as usize)
                }
                (_, abi::STT_GNU_IFUNC) => {
                    // SAFETY: the image is in place, and this is a function of it that chooses, without arguments.
                    let choose: extern "C" fn() -> usize = unsafe { std::mem::transmute(address) };
                    Some(choose())
                }
                _ => Some(address),
            }
        }
    }
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
    match place(image) {
        // SAFETY: the program keeps to the contract of `dl_iterate_phdr`.
        Some(place) => unsafe { iterate_image(place, visit, data) },
        None => 0,
    }
}
