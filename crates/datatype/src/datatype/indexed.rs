//! Constructors with a displacement for each block: indexed blocks of one datatype, and structs.

use std::borrow::Cow;

use super::Datatype;
use super::builder::DataloopBuilder;
use super::layout::{Bounds, Outline, fitting, too_large};
use super::signature::Signature;
use simurgh_base::error::Result;

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// Bytes from the start of the struct.
    pub offset: isize,
    /// Number of elements.
    pub count: usize,
    /// Datatype of the elements.
    pub datatype: Datatype,
}

impl Datatype {
    /// Blocks of elements, each so many bytes from the start and so many elements long (`MPI_Type_create_hindexed`).
    ///
    /// # Errors
    ///
    /// When the result is larger than the address space.
    pub fn hindexed(
        blocks: impl IntoIterator<Item = (isize, usize)>,
        element: &Datatype,
    ) -> Result<Datatype> {
        let outline = element.outline();
        let mut indexed = IndexedBuilder::default();
        let mut elements = 0_usize;
        for (offset, count) in blocks {
            indexed.add(offset, count, &outline)?;
            elements = elements.saturating_add(count);
        }
        Ok(Datatype::of(indexed.finish(outline.signature.repeat(elements))))
    }

    /// Blocks of elements, each so many elements from the start and so many elements long (`MPI_Type_indexed`).
    ///
    /// # Errors
    ///
    /// When the result is larger than the address space.
    pub fn indexed(blocks: impl IntoIterator<Item = (isize, usize)>, element: &Datatype) -> Result<Datatype> {
        let extent = element.extent();
        // A saturated displacement is refused, since it lies beyond all bounds.
        let bytes = |(displacement, count): (isize, usize)| (displacement.saturating_mul(extent), count);
        Self::hindexed(blocks.into_iter().map(bytes), element)
    }

    /// Fields of several datatypes; the extent is rounded up to the strictest alignment of the fields unless a field
    /// has bounds that were set (`MPI_Type_create_struct`).
    ///
    /// # Errors
    ///
    /// When the result is larger than the address space.
    pub fn structure(fields: &[Field]) -> Result<Datatype> {
        let outline = outline_of(fields)?;
        let Bounds { lb, ub } = outline.bounds;
        let padding = match outline.marked {
            true => 0,
            false => (lb - ub).rem_euclid(outline.alignment as isize),
        };
        let ub = ub
            .checked_add(padding)
            .ok_or_else(|| too_large("the fields of the struct"))?;
        Ok(Datatype::of(Outline {
            bounds: Bounds { lb, ub },
            ..outline
        }))
    }

    /// A struct of `size` bytes, of which only the fields are data. The gaps between them are never touched. Only
    /// operations of the user reduce it.
    ///
    /// # Panics
    ///
    /// When the fields are larger than the address space, which those of no Rust type are.
    #[must_use]
    pub fn record(fields: &[Field], size: usize) -> Datatype {
        let outline = outline_of(fields).expect("the fields of a Rust type lie within its size");
        Datatype::of(Outline {
            bounds: Bounds {
                lb: 0,
                ub: size as isize,
            },
            marked: true,
            ..outline
        })
    }
}

/// The outline of fields; its bounds follow from those of the fields.
fn outline_of(fields: &[Field]) -> Result<Outline<'static>> {
    let mut indexed = IndexedBuilder::default();
    let mut signatures = Vec::with_capacity(fields.len());
    for field in fields {
        let outline = field.datatype.outline();
        indexed.add(field.offset, field.count, &outline)?;
        signatures.push((outline.signature, field.count));
    }
    Ok(indexed.finish(Signature::sequence(signatures)))
}

/// Collects blocks, their bounds and their alignment.
#[derive(Default)]
struct IndexedBuilder {
    builder: DataloopBuilder,
    size: usize,
    /// The bounds that follow from the data, and those that the user has set.
    bounds: [Option<Bounds>; 2],
    alignment: usize,
}

impl IndexedBuilder {
    fn add(&mut self, offset: isize, count: usize, element: &Outline<'_>) -> Result<()> {
        self.alignment = self.alignment.max(element.alignment);
        if count == 0 {
            return Ok(());
        }
        let bounds = self
            .grow(offset, count, element)
            .ok_or_else(|| too_large(format!("blocks, one of {count} elements {offset} bytes off,")))?;
        self.bounds[usize::from(element.marked)] = Some(bounds);
        let stride = element.bounds.extent();
        self.builder.push(offset, &element.dataloop.repeat(count, stride));
        Ok(())
    }

    /// Checks that another block fits into the address space; returns the bounds that include it.
    fn grow(&mut self, offset: isize, count: usize, element: &Outline<'_>) -> Option<Bounds> {
        let bytes = fitting(count, element.dataloop.size())? * element.dataloop.size();
        self.size = fitting(self.size.checked_add(bytes)?, 1)?;
        let block = element
            .bounds
            .repeat(count, element.bounds.extent())?
            .shifted(offset)?;
        match self.bounds[usize::from(element.marked)] {
            Some(bounds) => bounds.union(block),
            None => Some(block),
        }
    }

    fn finish(self, signature: Signature) -> Outline<'static> {
        let [found, set] = self.bounds;
        Outline {
            dataloop: Cow::Owned(self.builder.finish()),
            bounds: set.or(found).unwrap_or(Bounds::NONE),
            marked: set.is_some(),
            alignment: self.alignment.max(1),
            signature,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{Basic, Dataloop};

    fn field(offset: isize, count: usize, datatype: impl Into<Datatype>) -> Field {
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
        let Dataloop::Indexed(blocks) = outer.dataloop() else {
            panic!("{:?}", outer.dataloop())
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

    #[test]
    fn a_struct_is_padded_to_the_alignment_of_its_fields() {
        let padded = Datatype::structure(&[field(0, 1, Basic::Double), field(8, 3, Basic::Char)]).unwrap();
        assert_eq!((padded.lb(), padded.extent(), padded.size()), (0, 16, 11));
        let back = Datatype::structure(&[field(-5, 1, Basic::Char), field(0, 1, Basic::Int)]).unwrap();
        assert_eq!((back.lb(), back.extent()), (-5, 12));
    }

    #[test]
    fn bounds_that_were_set_outweigh_those_found() {
        let marked = Datatype::resized(-4, 12, &Basic::Int.into()).unwrap();
        let both = Datatype::structure(&[field(0, 1, marked), field(100, 1, Basic::Double)]).unwrap();
        assert_eq!((both.lb(), both.extent()), (-4, 12));
        assert_eq!((both.true_lb(), both.true_extent()), (0, 108));
    }
}
