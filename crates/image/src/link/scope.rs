//! Where definitions are looked for, and in which order.

use std::ffi::{CString, c_void};

use super::LinkError;
use super::shared_library::{SharedLibrary, SharedSymbol};
use crate::closure::{LOADER, Member};
use crate::elf::abi;
use crate::elf::exports::Reference;
use crate::elf::symbols::Symbol;
use crate::elf::versions::Wanted;
use crate::object::Object;

/// One object to look into.
#[derive(Clone, Copy, Debug)]
enum Place {
    Private(usize),
    Shared(&'static SharedLibrary),
}

/// The objects of a program by the order in which definitions are looked for. What none of them has may be in what
/// the whole process sees, such as the dynamic loader itself.
#[derive(Debug)]
pub(crate) struct Scope {
    places: Vec<Place>,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Definition<'a> {
    /// In one of the private objects.
    Private(usize, Symbol<'a>),
    /// In a shared library: its address, and its size if that is known.
    Shared(usize, Option<u64>),
    /// A thread-local variable of a shared library.
    SharedThreadLocal,
}

impl Scope {
    /// The first objects are the program and the shim, then come the members, the private ones counted from
    /// `first_library` on.
    pub(crate) fn new(first: &[usize], members: &[Member], first_library: usize) -> Result<Scope, LinkError> {
        let mut places: Vec<Place> = first.iter().map(|&index| Place::Private(index)).collect();
        for member in members {
            match member {
                Member::Private(index) => places.push(Place::Private(first_library + index)),
                // What the dynamic loader defines is found at the end: the host's executable comes before it.
                Member::Shared(name) if name == LOADER => {}
                Member::Shared(name) => places.push(Place::Shared(SharedLibrary::open(name)?)),
            }
        }
        Ok(Scope { places })
    }

    /// The first definition behind an object, or of all.
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

/// The definition of one private object.
pub(crate) fn find_in<'a>(
    objects: &[Object<'a>],
    index: usize,
    reference: &Reference<'_>,
) -> Option<Definition<'a>> {
    let symbol = objects[index].exports.find(reference)?;
    // A thread-local variable that has no place is none.
    if symbol.kind() == abi::STT_TLS && objects[index].tls_distance.is_none() {
        return None;
    }
    Some(Definition::Private(index, symbol))
}

/// What the process as a whole defines.
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
