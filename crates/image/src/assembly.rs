//! Making a linked program, or linked libraries, of objects.

use std::collections::HashMap;
use std::path::Path;

use crate::closure::file_name;
use crate::elf::abi;
use crate::error::ImageError;
use crate::link::{self, LinkError, Scope};
use crate::linked_program::Template;
use crate::master::Draft;
use crate::object::Object;
use crate::pieces;
use crate::source::Source;
use crate::tls::{Allocator, Layout};

/// Reads an object, which is never freed.
pub(crate) fn object(source: Source, names: Vec<String>) -> Result<Object<'static>, ImageError> {
    let source: &'static Source = Box::leak(Box::new(source));
    Object::new(source, names).map_err(|error| ImageError::Damaged {
        path: source.path.clone(),
        detail: error.to_string(),
    })
}

/// Gives each object and its thread-local variables their places.
pub(crate) fn place(objects: &mut [Object<'_>], storage: &mut Allocator) -> Layout {
    let mut end: u64 = 0;
    let mut layout = Layout::default();
    for object in objects {
        object.offset = end.next_multiple_of(object.elf().align());
        end = object.end();
        if let Some(segment) = object.exports.elf.tls() {
            let distance = storage.place(segment);
            layout.add(&object.exports.elf, object.offset, segment, distance);
            object.tls_distance = Some(distance);
        }
    }
    layout
}

/// The order of the constructors of `first` and of the objects that these need: dependencies first.
pub(crate) fn order(objects: &[Object<'_>], first: impl Iterator<Item = usize>) -> Vec<usize> {
    fn visit(
        index: usize,
        objects: &[Object<'_>],
        by_name: &HashMap<&str, usize>,
        seen: &mut [bool],
        out: &mut Vec<usize>,
    ) {
        if std::mem::replace(&mut seen[index], true) {
            return;
        }
        for name in objects[index].elf().strings(abi::DT_NEEDED) {
            if let Some(&needed) = by_name.get(name).or_else(|| by_name.get(file_name(name))) {
                visit(needed, objects, by_name, seen, out);
            }
        }
        out.push(index);
    }
    let by_name: HashMap<&str, usize> = objects
        .iter()
        .enumerate()
        .flat_map(|(index, object)| object.names.iter().map(move |name| (name.as_str(), index)))
        .collect();
    let mut seen = vec![false; objects.len()];
    let mut out = Vec::with_capacity(objects.len());
    for index in first {
        visit(index, objects, &by_name, &mut seen, &mut out);
    }
    out
}

/// Links the objects, which have their places, and makes the master of their data.
pub(crate) fn link(
    path: &Path,
    objects: &[Object<'static>],
    scope: &Scope,
    reservation: u64,
) -> Result<Template, ImageError> {
    let mut draft = Draft::new(objects).map_err(|error| ImageError::System {
        path: path.to_owned(),
        call: "memfd_create",
        error,
    })?;
    let relocations =
        link::link(objects, scope, reservation, &mut draft).map_err(|error| refused(path, &error))?;
    Ok(Template {
        pieces: pieces::pieces(objects),
        relocations,
        master: draft.finish(),
    })
}

/// The error that a program cannot be linked.
pub(crate) fn refused(path: &Path, error: &LinkError) -> ImageError {
    ImageError::Link {
        path: path.to_owned(),
        detail: error.to_string(),
    }
}
