//! Looking names up for `dlsym`.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use super::object_of;
use crate::arena::{self, Place};
use crate::closure::file_name;
use crate::elf::abi;
use crate::elf::exports::Reference;
use crate::elf::symbols::Symbol;
use crate::link::Definition;
use crate::link::scope::{anywhere, find_in};
use crate::linked_program::{PROGRAM, SHIM};
use crate::object::Object;

/// A definition, and the image in whose scope it was found.
type Found = (Place, Definition<'static>);

/// The definition of a name by a handle, by `RTLD_DEFAULT`, or by `RTLD_NEXT` as seen from `caller`.
pub(super) fn search(
    program: Place,
    handle: *const c_void,
    reference: &Reference<'_>,
    caller: *const c_void,
) -> Option<Found> {
    if handle == libc::RTLD_NEXT.cast_const() {
        let caller = arena::locate(caller as usize)?;
        let linked = caller.place.program();
        let next = linked
            .scope
            .find(&linked.objects, reference, Some(caller.object))?;
        return Some(match next {
            Definition::Shared(..) => of_shim(program, reference).unwrap_or((caller.place, next)),
            _ => (caller.place, next),
        });
    }
    match object_of(program, handle) {
        Some((place, PROGRAM)) if place.address() == program.address() => everywhere(program, reference),
        Some((place, object)) => in_library(program, place, object, reference),
        None => everywhere(program, reference).or_else(|| {
            let caller = arena::locate(caller as usize)?;
            in_own_part(caller.place, reference)
        }),
    }
}

/// The definition of a function of the C library that is the rank's own. The shim is part of the C library as a program
/// sees it, and that comes last.
fn of_shim(program: Place, reference: &Reference<'_>) -> Option<Found> {
    find_in(&program.program().objects, SHIM, reference).map(|found| (program, found))
}

/// The definition that all objects of the rank see: one of the program and its libraries, or of libraries that were
/// loaded with `RTLD_GLOBAL`.
fn everywhere(program: Place, reference: &Reference<'_>) -> Option<Found> {
    let mut global: Vec<Place> = program
        .additions()
        .filter(|addition| addition.is_global.load(Ordering::Relaxed))
        .map(|addition| addition.place)
        .collect();
    global.push(program);
    // The latest addition stands first.
    let found = global
        .into_iter()
        .rev()
        .find_map(|place| in_own_part(place, reference));
    found.or_else(|| anywhere(reference).map(|found| (program, found)))
}

fn in_own_part(place: Place, reference: &Reference<'_>) -> Option<Found> {
    let linked = place.program();
    let found = linked.scope.find_own(&linked.objects, reference)?;
    Some((place, found))
}

/// The definition in a library, or in one that it needs.
fn in_library(program: Place, place: Place, object: usize, reference: &Reference<'_>) -> Option<Found> {
    let objects = &place.program().objects;
    let found = with_dependencies(objects, object)
        .into_iter()
        .find_map(|index| find_in(objects, index, reference))
        .map(|found| (place, found));
    let is_loaded_later = place.address() != program.address();
    found
        // What a library that is loaded later needs may be in an earlier image.
        .or_else(|| is_loaded_later.then(|| in_own_part(place, reference)).flatten())
        .or_else(|| anywhere(reference).map(|found| (place, found)))
}

/// A library and the libraries of the same image that it needs, breadth first.
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

/// The address of a definition.
pub(super) fn address(program: Place, (place, definition): Found) -> Option<usize> {
    match definition {
        Definition::Shared(address, _) => Some(address),
        Definition::SharedThreadLocal => None,
        Definition::Private(object, symbol) => {
            address_in(place.address(), &place.program().objects[object], &symbol)
        }
        Definition::Earlier(earlier, symbol) => {
            let image = match earlier.image {
                0 => program,
                number => {
                    let mut additions = program.additions();
                    additions.find(|addition| addition.number == number)?.place
                }
            };
            address_in(image.address(), earlier.object, &symbol)
        }
    }
}

/// The address of a symbol of an object, in the image that begins there.
fn address_in(image: usize, object: &Object<'_>, symbol: &Symbol<'_>) -> Option<usize> {
    let address = (image + object.offset as usize).wrapping_add(symbol.value as usize);
    match (symbol.section, symbol.kind()) {
        (abi::SHN_ABS, _) => Some(symbol.value as usize),
        (_, abi::STT_TLS) => {
            let distance = object.tls_distance?;
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
