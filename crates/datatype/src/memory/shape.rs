//! A buffer as the copy kernels see it: levels of repetition, the outermost first.

use crate::datatype::{Block, Dataloop, Part};

/// `count` elements of a dataloop, `stride` bytes apart, from an address on.
#[derive(Clone, Copy)]
pub(super) struct Array<'a> {
    pub(super) base: *mut u8,
    pub(super) dataloop: &'a Dataloop,
    pub(super) count: usize,
    pub(super) stride: isize,
}

/// The outermost level of an array, from an address on.
#[derive(Clone, Copy)]
pub(super) enum Shape<'a> {
    /// Contiguous bytes.
    Contiguous,
    /// Blocks of equal length at equal distances.
    Vector { len: usize, count: usize, stride: isize },
    /// A list of blocks.
    Indexed(&'a [Block]),
    /// Other dataloops, one after the other.
    Struct(&'a [Part]),
    /// Repetitions of another dataloop, of `size` bytes of data each.
    Nested {
        count: usize,
        stride: isize,
        inner: &'a Dataloop,
        size: usize,
    },
}

impl<'a> Array<'a> {
    /// One copy of a dataloop.
    pub(super) fn one(base: *mut u8, dataloop: &'a Dataloop) -> Self {
        Self {
            base,
            dataloop,
            count: 1,
            stride: 0,
        }
    }

    /// The elements that have `bytes` bytes together. If no number of elements has, the array itself, as an error.
    pub(super) fn first(self, bytes: usize) -> Result<Self, Self> {
        let size = self.dataloop.size();
        match size == 0 || !bytes.is_multiple_of(size) {
            true => Err(self),
            false => Ok(Self {
                count: bytes / size,
                ..self
            }),
        }
    }

    /// The outermost level, and where it begins.
    pub(super) fn shape(&self) -> (*mut u8, Shape<'a>) {
        let Self {
            base,
            dataloop,
            count,
            stride,
        } = *self;
        match *dataloop {
            Dataloop::Contiguous { offset, len } => {
                (base.wrapping_offset(offset), blocks(len, count, stride))
            }
            Dataloop::Vector {
                offset,
                len,
                count: inner,
                stride: step,
            } if count == 1 || stride == step.wrapping_mul(inner as isize) => {
                (base.wrapping_offset(offset), blocks(len, inner * count, step))
            }
            Dataloop::Indexed(ref blocks) if count == 1 => (base, Shape::Indexed(blocks)),
            Dataloop::Struct(ref parts) if count == 1 => (base, Shape::Struct(parts)),
            Dataloop::Nested {
                count: inner_count,
                stride: step,
                ref inner,
                inner_size,
            } if count == 1 => (
                base,
                Shape::Nested {
                    count: inner_count,
                    stride: step,
                    inner,
                    size: inner_size,
                },
            ),
            _ => (
                base,
                Shape::Nested {
                    count,
                    stride,
                    inner: dataloop,
                    size: dataloop.size(),
                },
            ),
        }
    }
}

fn blocks<'a>(len: usize, count: usize, stride: isize) -> Shape<'a> {
    if count == 1 || stride == len as isize {
        Shape::Contiguous
    } else {
        Shape::Vector { len, count, stride }
    }
}
