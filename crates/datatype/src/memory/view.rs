//! A whole buffer as stretches of bytes.

use super::shape::Array;
use crate::datatype::{Datatype, Form, Stretch};

/// `count` elements of a datatype, asked by position in the packed data.
pub(super) struct View<'a> {
    form: &'a Form,
    size: usize,
    extent: isize,
    count: usize,
}

impl<'a> View<'a> {
    #[inline]
    pub(super) fn new(datatype: &'a Datatype, count: usize) -> Self {
        Self {
            form: datatype.form(),
            size: datatype.size(),
            extent: datatype.extent(),
            count,
        }
    }

    /// An array, wherever it lies.
    pub(super) fn of(array: &Array<'a>) -> Self {
        Self {
            form: array.form,
            size: array.form.size(),
            extent: array.stride,
            count: array.count,
        }
    }

    /// What lies at byte `position`, which is inside the data.
    #[inline]
    pub(super) fn at(&self, position: usize, hint: &mut usize) -> Stretch {
        match *self.form {
            Form::Run { offset, len } if len as isize == self.extent => {
                Stretch::run(offset + position as isize, len * self.count - position)
            }
            Form::Run { offset, len } => Stretch::strided(offset, len, self.count, self.extent, position),
            Form::Strided {
                offset,
                len,
                count,
                stride,
            } if self.extent == stride.wrapping_mul(count as isize) => {
                Stretch::strided(offset, len, count * self.count, stride, position)
            }
            _ => {
                let shift = (position / self.size) as isize * self.extent;
                let stretch = self.form.at(position % self.size, hint);
                Stretch {
                    offset: stretch.offset + shift,
                    ..stretch
                }
            }
        }
    }
}
