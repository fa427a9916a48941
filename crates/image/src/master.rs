//! The master: a file with the initial contents of the writable pages of all images.

use std::fs::File;

use crate::elf::{Malformed, page_down, u64_at};
use crate::memory::{Mapping, memory_file};
use crate::object::Object;

/// The master while it is being made: a file in memory with the layout of the image. Only the parts that are written
/// take memory.
pub(crate) struct Draft {
    file: File,
    content: Mapping,
}

impl Draft {
    /// The initial data of all objects.
    pub(crate) fn new(objects: &[Object<'_>]) -> std::io::Result<Draft> {
        let size = objects.iter().map(Object::end).max().unwrap_or(0);
        let file = memory_file(size)?;
        let mut content = Mapping::new(&file, true)?;
        for object in objects {
            let bytes = object.source.bytes();
            for segment in object.elf().loads().filter(|load| load.is_writable()) {
                let from = page_down(segment.offset) as usize;
                let length = (segment.offset + segment.file_size) as usize - from;
                let to = (object.offset + page_down(segment.vaddr)) as usize;
                content.bytes_mut()[to..to + length].copy_from_slice(&bytes[from..from + length]);
            }
        }
        Ok(Draft { file, content })
    }

    /// Reads the word at an address of an object, which must lie in its writable data.
    pub(crate) fn word(&self, object: &Object<'_>, address: u64) -> Result<u64, Malformed> {
        let at = place(object, address)?;
        u64_at(self.content.bytes(), at).ok_or(OUTSIDE)
    }

    /// Writes the word at an address of an object. Gives its place in the image.
    pub(crate) fn set_word(
        &mut self,
        object: &Object<'_>,
        address: u64,
        value: u64,
    ) -> Result<u64, Malformed> {
        let at = place(object, address)?;
        let target = self
            .content
            .bytes_mut()
            .get_mut(at as usize..at as usize + 8)
            .ok_or(OUTSIDE)?;
        target.copy_from_slice(&value.to_le_bytes());
        Ok(at)
    }

    /// The finished file.
    pub(crate) fn finish(self) -> File {
        self.file
    }
}

const OUTSIDE: Malformed = Malformed("a relocation outside of the data");

/// The place in the image of a word of an object's initial data.
fn place(object: &Object<'_>, address: u64) -> Result<u64, Malformed> {
    let end = address.checked_add(8).ok_or(OUTSIDE)?;
    let mut data = object.elf().loads().filter(|load| load.is_writable());
    if data.any(|load| load.vaddr <= address && end <= load.file_end()) {
        Ok(object.offset + address)
    } else {
        Err(OUTSIDE)
    }
}
