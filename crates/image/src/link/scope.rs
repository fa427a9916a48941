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
use crate::own_malloc;

/// An object of the scope.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The object with this index.
    Private(usize),
    /// An object of an earlier image of the rank.
    Earlier(Earlier),
    /// A library that exists once in the process.
    Shared(&'static SharedLibrary),
}

/// An object of an image that the rank has had before: the program, or a library that it has loaded since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earlier {
    /// The number of the image in the order in which the rank has got them. The program's has number 0.
    pub(crate) image: usize,
    pub(crate) object: &'static Object<'static>,
}

/// The objects of a program in the order of lookup. A name that none of them defines may still be defined in the global
/// scope of the process, for example by the dynamic loader.
#[derive(Debug)]
pub(crate) struct Scope {
    places: Vec<Place>,
    /// Where the part begins that is not inherited from earlier images.
    own: usize,
    /// Objects of the rank that have been loaded with `RTLD_LOCAL`. Only definitions that a program has once, whatever
    /// the scopes are (`STB_GNU_UNIQUE`), are looked up in them.
    local: Vec<Place>,
    /// Whether blocks of the C library are copied into blocks of the program: since it brings its own `malloc`, or has
    /// a range of addresses for all of its memory. Then the functions that the shim has for such programs come before
    /// those of the same name.
    copies_blocks: bool,
}

/// The definition of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Definition<'a> {
    /// A symbol of one of the private objects.
    Private(usize, Symbol<'a>),
    /// A symbol of an object of an earlier image.
    Earlier(Earlier, Symbol<'a>),
    /// A definition in a shared library: its address, and its size if that is known.
    Shared(usize, Option<u64>),
    /// A thread-local variable of a shared library.
    SharedThreadLocal,
}

impl Scope {
    /// Makes the scope. It begins with the objects `first`, the program and the shim. The members follow; the private
    /// ones are counted from `first_library` on.
    pub(crate) fn new(
        first: &[usize],
        members: &[Member],
        first_library: usize,
        copies_blocks: bool,
    ) -> Result<Scope, LinkError> {
        let mut places: Vec<Place> = first.iter().map(|&index| Place::Private(index)).collect();
        for member in members {
            match member {
                Member::Private(index) => places.push(Place::Private(first_library + index)),
                Member::Shared(name) => places.extend(Place::shared(name)?),
            }
        }
        Ok(Scope {
            places,
            own: 0,
            local: Vec::new(),
            copies_blocks,
        })
    }

    /// Makes the scope of libraries that a rank of this scope's program loads while it runs: the part that is inherited
    /// from earlier images, its own part, and the objects of earlier images that it does not see.
    pub(crate) fn of_addition(&self, inherited: Vec<Place>, own: Vec<Place>, local: Vec<Place>) -> Scope {
        Scope {
            own: inherited.len(),
            places: [inherited, own].concat(),
            local,
            copies_blocks: self.copies_blocks,
        }
    }

    /// The own part as later images see it. `image` is the number of the image with these objects.
    pub(crate) fn seen_later(
        &self,
        image: usize,
        objects: &'static [Object<'static>],
    ) -> impl Iterator<Item = Place> {
        self.places[self.own..].iter().map(move |place| match *place {
            Place::Private(index) => Place::Earlier(Earlier {
                image,
                object: &objects[index],
            }),
            other => other,
        })
    }

    /// The first definition in the own part.
    pub(crate) fn find_own<'a>(
        &self,
        objects: &[Object<'a>],
        reference: &Reference<'_>,
    ) -> Option<Definition<'a>> {
        self.first(&self.places[self.own..], objects, reference)
    }

    /// The first definition; with `behind`, the first one in the objects after that one.
    pub(crate) fn find<'a>(
        &self,
        objects: &[Object<'a>],
        reference: &Reference<'_>,
        behind: Option<usize>,
    ) -> Option<Definition<'a>> {
        let first = behind.map_or(0, |object| self.position(object) + 1);
        self.first(self.places.get(first..).unwrap_or_default(), objects, reference)
            .or_else(|| anywhere(reference))
    }

    /// The first definition in these places.
    fn first<'a>(
        &self,
        places: &[Place],
        objects: &[Object<'a>],
        reference: &Reference<'_>,
    ) -> Option<Definition<'a>> {
        let mut places = places.iter();
        if !self.copies_blocks {
            return places.find_map(|place| look(objects, *place, reference));
        }
        let name = [own_malloc::PREFIX, reference.name].concat();
        let second_form = Reference {
            name: &name,
            ..*reference
        };
        places.find_map(|place| {
            let found = match place {
                Place::Shared(_) => None,
                place => look(objects, *place, &second_form),
            };
            found.or_else(|| look(objects, *place, reference))
        })
    }

    /// The definition that takes the place of one that a program has once, if the rank has such a one already.
    pub(crate) fn unique<'a>(
        &self,
        objects: &[Object<'a>],
        reference: &Reference<'_>,
        found: Definition<'a>,
    ) -> Definition<'a> {
        let is_unique = |definition: &Definition<'_>| match definition {
            Definition::Private(_, symbol) | Definition::Earlier(_, symbol) => {
                symbol.binding() == abi::STB_GNU_UNIQUE
            }
            Definition::Shared(..) | Definition::SharedThreadLocal => false,
        };
        if !matches!(found, Definition::Private(..)) || !is_unique(&found) {
            return found;
        }
        let mut local = self.local.iter();
        local
            .find_map(|place| look(objects, *place, reference).filter(is_unique))
            .unwrap_or(found)
    }

    fn position(&self, object: usize) -> usize {
        self.places
            .iter()
            .position(|place| matches!(place, Place::Private(index) if *index == object))
            .unwrap_or(0)
    }
}

impl Place {
    /// The library of this name that exists once in the process. None for the dynamic loader: its definitions are found
    /// last, since the host's executable comes before it.
    pub(crate) fn shared(name: &str) -> Result<Option<Place>, LinkError> {
        match name {
            LOADER => Ok(None),
            _ => SharedLibrary::open(name).map(|library| Some(Place::Shared(library))),
        }
    }
}

fn look<'a>(objects: &[Object<'a>], place: Place, reference: &Reference<'_>) -> Option<Definition<'a>> {
    match place {
        Place::Private(index) => find_in(objects, index, reference),
        Place::Earlier(earlier) => {
            find_object(earlier.object, reference).map(|symbol| Definition::Earlier(earlier, symbol))
        }
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
    find_object(&objects[index], reference).map(|symbol| Definition::Private(index, symbol))
}

fn find_object<'a>(object: &Object<'a>, reference: &Reference<'_>) -> Option<Symbol<'a>> {
    let symbol = object.exports.find(reference)?;
    // A thread-local variable that has no place is not a definition.
    (symbol.kind() != abi::STT_TLS || object.tls_distance.is_some()).then_some(symbol)
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
