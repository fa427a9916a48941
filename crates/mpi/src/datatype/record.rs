//! Structs: fields of different datatypes at different places.

use super::Datatype;
use super::basic::Basic;
use super::form::{Block, Form};
use super::layout::{Bounds, Layout};
use simurgh_core::sync::Arc;

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// Bytes from the start of the struct.
    pub offset: usize,
    /// Number of elements.
    pub count: usize,
    /// Datatype of the elements.
    pub datatype: Datatype,
}

impl Datatype {
    /// A struct of `size` bytes, of which only the fields are data; what lies between is never touched. Reductions take
    /// it with operations of the user only.
    #[must_use]
    pub fn record(fields: &[Field], size: usize) -> Datatype {
        let mut blocks = Vec::new();
        for Field {
            offset,
            count,
            datatype,
        } in fields
        {
            let form = datatype.form().repeat(*count, datatype.extent());
            append(&mut blocks, &form, *offset as isize);
        }
        let form = match *blocks {
            [] => Form::Empty,
            [Block { offset, len, .. }] => Form::Run { offset, len },
            _ => Form::Blocks(blocks.into()),
        };
        let bounds = Bounds {
            lb: 0,
            ub: size as isize,
        };
        Datatype::Derived(Arc::new(Layout::of_form(form, bounds, Basic::Packed)))
    }
}

/// Adds the blocks of a form; one that begins where the last one ends becomes part of it.
fn append(blocks: &mut Vec<Block>, form: &Form, shift: isize) {
    let (mut position, mut hint) = (0, 0);
    while position < form.size() {
        let stretch = form.at(position, &mut hint);
        let offset = shift + stretch.offset;
        match blocks.last_mut() {
            Some(last) if last.offset + last.len as isize == offset => last.len += stretch.head,
            last => {
                let before = last.map_or(0, |last| last.before + last.len);
                blocks.push(Block {
                    offset,
                    len: stretch.head,
                    before,
                });
            }
        }
        position += stretch.head;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(offset: usize, count: usize, datatype: impl Into<Datatype>) -> Field {
        Field {
            offset,
            count,
            datatype: datatype.into(),
        }
    }

    #[test]
    fn a_struct_without_gaps_is_one_run() {
        let record = Datatype::record(&[field(0, 1, Basic::Double), field(8, 2, Basic::Int32)], 16);
        assert!(record.is_contiguous());
        assert_eq!((record.size(), record.extent()), (16, 16));
    }

    #[test]
    fn gaps_are_no_data() {
        let record = Datatype::record(&[field(0, 1, Basic::Int8), field(8, 1, Basic::Double)], 24);
        assert!(!record.is_contiguous());
        assert_eq!(
            (record.size(), record.extent(), record.true_extent()),
            (9, 24, 16)
        );
        let outer = Datatype::record(&[field(0, 2, record), field(48, 1, Basic::Int8)], 56);
        assert_eq!((outer.size(), outer.extent()), (19, 56));
        let Form::Blocks(blocks) = outer.form() else {
            panic!("{:?}", outer.form())
        };
        let places: Vec<_> = blocks
            .iter()
            .map(|block| (block.offset, block.len, block.before))
            .collect();
        assert_eq!(
            places,
            [(0, 1, 0), (8, 8, 1), (24, 1, 9), (32, 8, 10), (48, 1, 18)]
        );
    }

    #[test]
    fn a_struct_without_fields_has_no_data() {
        let record = Datatype::record(&[], 0);
        assert_eq!((record.size(), record.extent()), (0, 0));
    }
}
