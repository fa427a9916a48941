//! The lookup scope: the objects in which definitions are looked up, in order.

use std::ffi::{CString, c_void};

use super::LinkError;
use super::shared_library::{SharedLibrary, SharedSymbol};
use crate::closure::{LOADER, Member};
use crate::elf::abi;
use crate::elf::exports::Reference;
use crate::elf::symbols::Symbol;
use crate::elf::versions::Wanted;
use crate::object::Object;

/// An object of the scope.
#[derive(Clone, Copy, Debug)]
enum Place {
    Private(usize),
    Shared(&'static SharedLibrary),
}

/// The objects of a program in the order of lookup. A name that none of them defines may still be defined in the global
/// scope of the process, for example by the dynamic loader.
#[derive(Debug)]
pub(crate) struct Scope {
    places: Vec<Place>,
}

/// The definition of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Definition<'a> {
    /// A symbol of one of the private objects.
    Private(usize, Symbol<'a>),
    /// A definition in a shared library: its address, and its size if that is known.
    Shared(usize, Option<u64>),
    /// A thread-local variable of a shared library.
    SharedThreadLocal,
}

impl Scope {
    /// Makes the scope. It begins with the objects `first`, the program and the shim. The members follow; the private
    /// ones are counted from `first_library` on.
    pub(crate) fn new(first: &[usize], members: &[Member], first_library: usize) -> Result<Scope, LinkError> {
        let mut places: Vec<Place> = first.iter().map(|&index| Place::Private(index)).collect();
        for member in members {
            match member {
                Member::Private(index) => places.push(Place::Private(first_library + index)),
                // Definitions of the dynamic loader are found last, since the host's executable comes before it.
                Member::Shared(name) if name == LOADER => {}
                Member::Shared(name) => places.push(Place::Shared(SharedLibrary::open(name)?)),
            }
        }
        Ok(Scope { places })
    }

    /// The first definition; with `behind`, the first one in the objects after that one.
    pub(crate) fn find<'a>(
        &self,
        objects: &[Object<'a>],
        reference: &Reference<'_>,
        behind: Option<usize>,
    ) -> Option<Definition<'a>> {
        let first = behind.map_or(0, |object| self.position(object) + 1);
        self.places
            .get(first..)
            .unwrap_or_default()
            .iter()
            .find_map(|place| look(objects, *place, reference))
            .or_else(|| anywhere(reference))
    }

    fn position(&self, object: usize) -> usize {
        self.places
            .iter()
            .position(|place| matches!(place, Place::Private(index) if *index == object))
            .unwrap_or(0)
    }
}

fn look<'a>(objects: &[Object<'a>], place: Place, reference: &Reference<'_>) -> Option<Definition<'a>> {
    match place {
        Place::Private(index) => find_in(objects, index, reference),
        Place::Shared(library) => Some(match library.find(reference)? {
            SharedSymbol::Address(address, size) => Definition::Shared(address, Some(size)),
            SharedSymbol::ThreadLocal => Definition::SharedThreadLocal,
        }),
    }
}

/// The definition in one private object.
pub(crate) fn find_in<'a>(
    objects: &[Object<'a>],
    index: usize,
    reference: &Reference<'_>,
) -> Option<Definition<'a>> {
    let symbol = objects[index].exports.find(reference)?;
    // A thread-local variable that has no place is not a definition.
    if symbol.kind() == abi::STT_TLS && objects[index].tls_distance.is_none() {
        return None;
    }
    Some(Definition::Private(index, symbol))
}

/// The definition in the global scope of the process.
pub(crate) fn anywhere(reference: &Reference<'_>) -> Option<Definition<'static>> {
    let name = CString::new(reference.name).ok()?;
    let address: *mut c_void = match reference.wanted {
        Wanted::Named(version) => {
            let version = CString::new(version).ok()?;
            // SAFETY: a lookup by C strings; `RTLD_DEFAULT` needs no handle.
            unsafe { libc::dlvsym(libc::RTLD_DEFAULT, name.as_ptr(), version.as_ptr()) }
        }
        // SAFETY: as above.
        Wanted::Base | Wanted::Newest => unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) },
    };
    (!address.is_null()).then_some(Definition::Shared(address as usize, None))
}
