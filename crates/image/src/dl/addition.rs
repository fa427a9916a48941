//! Libraries that a rank loads while it runs.
//!
//! Each rank gets its own copy of them, as of the libraries that its program is linked with. Their definitions are
//! looked up as by the dynamic loader: first in the program and its libraries, then in what was loaded with
//! `RTLD_GLOBAL`, then in the library and in those that it needs. So a library finds what the rank has, and not what
//! other ranks or the host have.
//!
//! The libraries of one call that the rank does not have yet are linked together and become one image. The result
//! depends on the images that the rank has by then. Ranks that have loaded the same libraries in the same order share
//! it, and all but the first one pay no more than for mapping it.
//!
//! Some libraries cannot be copied: those that cannot be part of a program in threads mode either, and those whose
//! thread-local variables do not fit into the room that is left for them, or do not begin as zeros: threads of the rank
//! that exist already have zeros there. The dynamic loader is left to load such a library, once for all ranks. So is a
//! library with undefined names: the loader then gives the message, or waits for the first call.
//!
//! Nothing is unloaded before the rank ends.

use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr, c_int};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use crate::arena::Place;
use crate::assembly;
use crate::check;
use crate::closure::{self, Closure, Library, Member, is_shared};
use crate::link::{Earlier, Place as ScopePlace};
use crate::linked_program::{LinkedProgram, PROGRAM};
use crate::load;
use crate::object_code::{ObjectCode, object_code};
use crate::objects;
use crate::reservation;

/// `struct addition` of the shim, which links them.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct AdditionRecord {
    objects: *const ObjectCode,
    object_count: usize,
    older: *mut AdditionRecord,
}

/// All that the result depends on.
#[derive(PartialEq, Eq, Hash)]
struct Request {
    /// The images that the rank has: what is linked in them, and whether later libraries see it.
    images: Vec<(usize, bool)>,
    name: CString,
    /// The file, if the name is a path.
    file: Option<FileId>,
}

/// A file with its content: another one may get its path.
#[derive(PartialEq, Eq, Hash)]
struct FileId {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

impl FileId {
    fn of(path: &Path) -> Option<FileId> {
        let file = std::fs::metadata(path).ok()?;
        Some(FileId {
            device: file.dev(),
            inode: file.ino(),
            changed: (file.ctime(), file.ctime_nsec()),
        })
    }
}

/// The library of a request.
#[derive(Clone, Copy)]
enum Answer {
    /// New libraries.
    New(&'static LinkedProgram),
    /// An object that the rank has under another name: the number of the image, and the object.
    Loaded(usize, usize),
    /// None that the rank can have to itself.
    Foreign,
}

/// All requests so far. The lock is held while a library is loaded.
static ANSWERS: Mutex<Option<HashMap<Request, Answer>>> = Mutex::new(None);

/// An image of a rank.
#[derive(Clone, Copy)]
struct RankImage {
    place: Place,
    is_global: bool,
}

impl RankImage {
    fn linked(self) -> &'static LinkedProgram {
        self.place.program()
    }
}

/// An object: its image, and its index there.
type Handle = (Place, usize);

/// Loads a library for a rank. Gives the object, and the record of a new image, whose constructors have not run yet.
/// None where the rank cannot have its own copy, or is only asking (`RTLD_NOLOAD`).
pub(super) fn load(
    program: Place,
    name: &CStr,
    mode: c_int,
) -> Option<(Handle, Option<Box<AdditionRecord>>)> {
    if mode & (libc::RTLD_NOLOAD | libc::RTLD_DEEPBIND) != 0 {
        return None;
    }
    let name = full_name(name);
    let file = match path_of(&name) {
        Some(path) => Some(FileId::of(path)?),
        None => None,
    };
    let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    let images = images(program);
    let request = Request {
        images: images.iter().map(|image| image.key()).collect(),
        name,
        file,
    };
    let answers = answers.get_or_insert_default();
    let answer = *answers
        .entry(request)
        .or_insert_with_key(|request| link(&images, &request.name).unwrap_or(Answer::Foreign));
    match answer {
        Answer::Foreign => None,
        Answer::Loaded(image, object) => Some(((images[image].place, object), None)),
        Answer::New(linked) => {
            let place = copy(linked, &images)?;
            program.add(place, mode & libc::RTLD_GLOBAL != 0);
            Some(((place, 0), Some(Box::new(AdditionRecord::of(place)))))
        }
    }
}

/// The images of a rank in the order in which it has got them.
fn images(program: Place) -> Vec<RankImage> {
    let mut images: Vec<RankImage> = program
        .additions()
        .map(|addition| RankImage {
            place: addition.place,
            is_global: addition.is_global.load(Ordering::Relaxed),
        })
        .collect();
    images.push(RankImage {
        place: program,
        is_global: true,
    });
    images.reverse();
    images
}

impl RankImage {
    fn key(self) -> (usize, bool) {
        (std::ptr::from_ref(self.linked()) as usize, self.is_global)
    }
}

/// The path that a name is. Others are names for which the loader searches.
fn path_of(name: &CStr) -> Option<&Path> {
    let is_path = name.to_bytes().contains(&b'/');
    is_path.then(|| Path::new(OsStr::from_bytes(name.to_bytes())))
}

/// The canonical path of a file, or the name for which the loader searches.
pub(super) fn full_name(name: &CStr) -> CString {
    let path = path_of(name).and_then(|path| std::fs::canonicalize(path).ok());
    path.and_then(|path| CString::new(path.into_os_string().into_vec()).ok())
        .unwrap_or_else(|| name.to_owned())
}

/// Links a library, and those that it needs, with the images that the rank has. None if that cannot be done.
fn link(images: &[RankImage], name: &CStr) -> Option<Answer> {
    let program = images[0].linked();
    let loader = program.objects[PROGRAM].elf().interpreter()?;
    let closure = closure::resolve_library(&program.path, loader, name.to_str().ok()?)?;
    let first = closure.libraries.first()?;
    if first.names.iter().any(|name| is_shared(name)) {
        return None;
    }
    if let Some((image, object)) = known(images, first) {
        return Some(Answer::Loaded(image, object));
    }
    let linked = link_new(images, closure)?;
    Some(Answer::New(Box::leak(Box::new(linked))))
}

/// The object that a library is: the number of its image, and its index there. Libraries in different places may have
/// the same name inside (their soname), so only the name by which it was asked for counts.
fn known(images: &[RankImage], library: &Library) -> Option<(usize, usize)> {
    let object = |image: &RankImage| {
        image.linked().objects.iter().position(|object| {
            object.source.path == library.source.path || object.names.contains(&library.names[0])
        })
    };
    let find = |(number, image): (usize, &RankImage)| object(image).map(|object| (number, object));
    images.iter().enumerate().find_map(find)
}

fn link_new(images: &[RankImage], closure: Closure) -> Option<LinkedProgram> {
    let (program, latest) = (images.first()?.linked(), images.last()?.linked());
    let (mut objects, mut own) = (Vec::new(), Vec::new());
    let path = closure.libraries.first()?.source.path.clone();
    for member in closure.scope {
        let library = match member {
            Member::Shared(name) => {
                own.extend(ScopePlace::shared(&name).ok()?);
                continue;
            }
            Member::Private(index) => &closure.libraries[index],
        };
        own.push(match known(images, library) {
            Some((image, object)) => ScopePlace::Earlier(Earlier {
                image,
                object: &images[image].linked().objects[object],
            }),
            None if check::fits_later(&library.source) => {
                objects.push(assembly::object(library.source.clone(), library.names.clone()).ok()?);
                ScopePlace::Private(objects.len() - 1)
            }
            None => return None,
        });
    }
    let mut storage = latest.storage.clone();
    let layout = assembly::place(&mut objects, &mut storage);
    let reservation = reservation::reserved().ok()?;
    if storage.need().size > reservation {
        return None;
    }
    let places = |is_global: bool| -> Vec<ScopePlace> {
        let images = images.iter().enumerate();
        let chosen = images.filter(|(_, image)| image.is_global == is_global);
        chosen
            .flat_map(|(number, image)| {
                let linked = image.linked();
                linked.scope.seen_later(number, &linked.objects)
            })
            .collect()
    };
    let scope = program.scope.of_addition(places(true), own, places(false));
    Some(LinkedProgram {
        template: assembly::link(&path, &objects, &scope, reservation).ok()?,
        path,
        scope,
        order: assembly::order(&objects, 0..objects.len()),
        objects,
        layout,
        storage,
        symbols: program.symbols,
        ranges: program.ranges,
        is_watched: program.is_watched,
    })
}

/// Makes the rank's own copy.
fn copy(linked: &'static LinkedProgram, images: &[RankImage]) -> Option<Place> {
    let program = images.first()?.place;
    let place = match linked.ranges {
        None => Place::take(linked),
        Some(ranges) => Place::take_in_range(linked, ranges, program.index(), program.end_of_images()),
    };
    let place = place.ok()?;
    load::map(place).ok()?;
    let earlier: Vec<usize> = images.iter().map(|image| image.place.address()).collect();
    // SAFETY:
    // - it was mapped just now, and linked with images like these;
    // - its thread-local variables are zeros at first, and all threads began with zeros in their room.
    unsafe { load::finish(place, &earlier) }.ok()?;
    objects::announce(place);
    Some(place)
}

impl AdditionRecord {
    /// The record of an image. The array that it points to is never freed, as the image.
    fn of(place: Place) -> AdditionRecord {
        let objects: &'static [ObjectCode] = Box::leak(object_code(place));
        AdditionRecord {
            objects: objects.as_ptr(),
            object_count: objects.len(),
            older: std::ptr::null_mut(),
        }
    }
}
