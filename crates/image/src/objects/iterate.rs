//! Iteration over the objects, as by `dl_iterate_phdr`.

use std::ffi::{c_int, c_void};

use crate::arena::{self, Place};

/// The function that is called for each object.
pub(crate) type Visit = unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int;
/// The type of `dl_iterate_phdr`.
pub(crate) type Iterate = unsafe extern "C" fn(Visit, *mut c_void) -> c_int;

/// `dl_iterate_phdr` for the whole process: first the objects of the dynamic loader, over which `loaded` iterates, then
/// those of all images.
///
/// # Safety
/// `visit` must keep to the contract of `dl_iterate_phdr`, with `data`.
pub(crate) unsafe extern "C" fn iterate_all(loaded: Iterate, visit: Visit, data: *mut c_void) -> c_int {
    // SAFETY: the caller's.
    let result = unsafe { loaded(visit, data) };
    if result != 0 {
        return result;
    }
    let images = arena::arenas().flat_map(arena::Arena::images);
    // SAFETY: the caller's.
    first_nonzero(images.map(|place| unsafe { iterate_image(place, visit, data) }))
}

/// Iterates over the objects of one image.
///
/// # Safety
/// As for [`iterate_all`].
pub(crate) unsafe fn iterate_image(place: Place, visit: Visit, data: *mut c_void) -> c_int {
    let objects = place.program().objects.iter().enumerate();
    first_nonzero(objects.map(|(index, object)| {
        let mut info = libc::dl_phdr_info {
            dlpi_addr: place.base(index) as u64,
            dlpi_name: object.path.as_ptr(),
            dlpi_phdr: object.headers.as_ptr(),
            dlpi_phnum: u16::try_from(object.headers.len()).unwrap_or(u16::MAX),
            // Images are never removed, so a result that a caller has cached stays valid.
            dlpi_adds: 1,
            dlpi_subs: 0,
            dlpi_tls_modid: 0,
            dlpi_tls_data: std::ptr::null_mut(),
        };
        // SAFETY: the caller's; the record is complete, and what it points to lives as long as the process.
        unsafe { visit(&raw mut info, size_of_val(&info), data) }
    }))
}

fn first_nonzero(mut results: impl Iterator<Item = c_int>) -> c_int {
    results.find(|&result| result != 0).unwrap_or(0)
}
