//! Making a linked program, or linked libraries, of objects.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::closure::file_name;
use crate::elf::abi;
use crate::error::ImageError;
use crate::link::{self, LinkError, Scope};
use crate::linked_program::LinkedProgram;
use crate::master::Draft;
use crate::object::Object;
use crate::pieces;
use crate::shim::Symbols;
use crate::source::Source;
use crate::tls::{Allocator, Layout};

/// What a linked program is made of. The objects have their places.
pub(crate) struct Parts {
    pub(crate) path: PathBuf,
    pub(crate) objects: Vec<Object<'static>>,
    pub(crate) scope: Scope,
    /// The order of constructors.
    pub(crate) order: Vec<usize>,
    pub(crate) layout: Layout,
    pub(crate) storage: Allocator,
    pub(crate) symbols: Symbols,
    pub(crate) is_watched: bool,
}

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
            layout.add(&object.exports.elf, segment, distance);
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

/// Links the objects, and makes the master of their data.
pub(crate) fn link(parts: Parts, reservation: u64) -> Result<LinkedProgram, ImageError> {
    let mut draft = Draft::new(&parts.objects).map_err(|error| ImageError::System {
        path: parts.path.clone(),
        call: "memfd_create",
        error,
    })?;
    let relocations = link::link(&parts.objects, &parts.scope, reservation, &mut draft)
        .map_err(|error| refused(&parts.path, &error))?;
    Ok(LinkedProgram {
        pieces: pieces::pieces(&parts.objects),
        path: parts.path,
        objects: parts.objects,
        scope: parts.scope,
        order: parts.order,
        layout: parts.layout,
        storage: parts.storage,
        symbols: parts.symbols,
        relocations,
        master: draft.finish(),
        is_watched: parts.is_watched,
    })
}

/// The error that a program cannot be linked.
pub(crate) fn refused(path: &std::path::Path, error: &LinkError) -> ImageError {
    ImageError::Link {
        path: path.to_owned(),
        detail: error.to_string(),
    }
}
