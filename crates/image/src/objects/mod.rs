//! Announces the objects in images to the process, since the dynamic loader does not know them.
//!
//! | who asks | by what | answered by |
//! |---|---|---|
//! | the unwinder | `_dl_find_object`, which the host's executable defines in the loader's place | [`find`] |
//! | backtraces of the runtime, older unwinders | `dl_iterate_phdr`, likewise | [`iterate`] |
//! | a rank's program | `dlopen`, `dlsym`, `dladdr`, `dl_iterate_phdr` … of the shim | `dl`, by functions from here |
//! | debuggers | a namespace of its own in the loader's list of objects | [`debugger`] |

mod debugger;
mod find;
mod host;
mod iterate;
mod names;

use std::ffi::c_void;

use crate::arena::Place;
use crate::link_map::LinkMap;

pub(crate) use debugger::is_watching;
pub(crate) use find::{FindObject, find_any_object};
pub use host::AllocatorFunctions;
pub(crate) use host::connect;
pub(crate) use iterate::{Visit, iterate_image};
pub(crate) use names::describe;

/// Announces the objects of an image that is in place.
pub(crate) fn announce(place: Place) {
    let program = place.program();
    let record = |index: usize| {
        let object = &program.objects[index];
        let base = place.base(index);
        let dynamic = object.elf().segment(crate::elf::abi::PT_DYNAMIC);
        LinkMap {
            base,
            name: object.path.as_ptr(),
            dynamic: dynamic.map_or(0, |segment| base + segment.vaddr as usize) as *const c_void,
            next: std::ptr::null_mut(),
            previous: std::ptr::null_mut(),
        }
    };
    let records: Box<[LinkMap]> = (0..program.objects.len()).map(record).collect();
    let count = records.len();
    let records = Box::into_raw(records).cast::<LinkMap>();
    // SAFETY: new records, that many, never freed.
    unsafe { debugger::add(records, count) };
    place.set_records(records);
    if program.is_watched {
        debugger::tell();
    }
}
