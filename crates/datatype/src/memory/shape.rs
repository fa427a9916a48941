//! A buffer as the kernels see it: levels of repetition, outermost first.

use crate::datatype::{Block, Form, Part};

/// `count` copies of a form, `stride` bytes apart, from an address on.
#[derive(Clone, Copy)]
pub(super) struct Array<'a> {
    pub(super) base: *mut u8,
    pub(super) form: &'a Form,
    pub(super) count: usize,
    pub(super) stride: isize,
}

/// The outermost level of an array, from an address on.
#[derive(Clone, Copy)]
pub(super) enum Shape<'a> {
    /// One contiguous run.
    Run,
    /// Blocks of equal length at equal distances.
    Blocks { len: usize, count: usize, stride: isize },
    /// Blocks anywhere.
    List(&'a [Block]),
    /// Other forms, one after the other.
    Parts(&'a [Part]),
    /// Copies of another form, of `size` bytes of data each.
    Grid {
        count: usize,
        stride: isize,
        inner: &'a Form,
        size: usize,
    },
}

impl<'a> Array<'a> {
    /// One copy of a form.
    pub(super) fn one(base: *mut u8, form: &'a Form) -> Self {
        Self {
            base,
            form,
            count: 1,
            stride: 0,
        }
    }

    /// As many elements as have `bytes` bytes together; the array itself, as an error, if no number of elements has.
    pub(super) fn first(self, bytes: usize) -> Result<Self, Self> {
        let size = self.form.size();
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
            form,
            count,
            stride,
        } = *self;
        match *form {
            Form::Run { offset, len } => (base.wrapping_offset(offset), blocks(len, count, stride)),
            Form::Strided {
                offset,
                len,
                count: inner,
                stride: step,
            } if count == 1 || stride == step.wrapping_mul(inner as isize) => {
                (base.wrapping_offset(offset), blocks(len, inner * count, step))
            }
            Form::Blocks(ref blocks) if count == 1 => (base, Shape::List(blocks)),
            Form::Parts(ref parts) if count == 1 => (base, Shape::Parts(parts)),
            Form::Nest {
                count: inner_count,
                stride: step,
                ref inner,
                inner_size,
            } if count == 1 => (
                base,
                Shape::Grid {
                    count: inner_count,
                    stride: step,
                    inner,
                    size: inner_size,
                },
            ),
            _ => (
                base,
                Shape::Grid {
                    count,
                    stride,
                    inner: form,
                    size: form.size(),
                },
            ),
        }
    }
}

fn blocks<'a>(len: usize, count: usize, stride: isize) -> Shape<'a> {
    if count == 1 || stride == len as isize {
        Shape::Run
    } else {
        Shape::Blocks { len, count, stride }
    }
}
