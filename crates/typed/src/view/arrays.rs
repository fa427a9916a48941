//! Arrays of the crate `ndarray`.
//!
//! An array whose values lie one behind the other is lent as a slice. Any other one is a vector of vectors, one for
//! each axis, with the strides of the array. The layouts of an array that can be written never overlap; those of one
//! that is only read may (a stride of 0 repeats values).

use ndarray::{ArrayBase, ArrayRef, Axis, Data, DataMut, Dimension};

use super::{View, ViewMut};
use crate::parts::share;
use crate::{Equivalence, source, target, whole};
use simurgh_datatype::Datatype;
use simurgh_datatype::memory::{Parts, Source, Target};
use simurgh_mpi::Result;

/// The datatype of all values of an array, relative to its first one.
fn layout<T: Equivalence>(shape: &[usize], strides: &[isize]) -> Datatype {
    let axes = shape.iter().zip(strides).rev();
    axes.fold(whole::<T>(), |inner, (&len, stride)| {
        // An array is smaller than the address space, save for axes of one value, whose strides mean nothing.
        let bytes = stride.wrapping_mul(size_of::<T>() as isize);
        Datatype::hvector(len, 1, bytes, &inner).expect("an array that exists fits in memory")
    })
}

/// The length of equal parts along the first axis.
fn rows(shape: &[usize], parts: usize) -> Result<usize> {
    share(parts, shape.first().copied().unwrap_or(1))
}

// SAFETY:
// - the address, the shape and the strides are those of the array, whose values it has borrowed.
unsafe impl<T: Equivalence, D: Dimension> View for ArrayRef<T, D> {
    type Item = T;

    fn number(&self) -> usize {
        self.len()
    }

    unsafe fn source(&self) -> Source {
        if let Some(values) = self.as_slice() {
            // SAFETY:
            // - as demanded of the caller.
            return unsafe { source(values) };
        }
        // SAFETY:
        // - the layout has the values of the array, which are readable while it is borrowed.
        unsafe { Source::new(self.as_ptr().cast(), 1, layout::<T>(self.shape(), self.strides())) }
    }

    unsafe fn sources(&self, parts: usize) -> Result<Parts<Source>> {
        let len = rows(self.shape(), parts)?;
        if parts == 1 || len == 0 {
            // SAFETY:
            // - as demanded of the caller. Without rows there are no values.
            return Ok(Parts::Each(vec![unsafe { self.source() }; parts].into()));
        }
        let chunks = self.axis_chunks_iter(Axis(0), len);
        // SAFETY:
        // - as demanded of the caller: what a part borrows is what the array does.
        Ok(Parts::Each(chunks.map(|part| unsafe { part.source() }).collect()))
    }
}

// SAFETY:
// - the address, the shape and the strides are those of the array, whose values are its own, each at its place.
unsafe impl<T: Equivalence, D: Dimension> ViewMut for ArrayRef<T, D> {
    unsafe fn target(&mut self) -> Target {
        if let Some(values) = self.as_slice_mut() {
            // SAFETY:
            // - as demanded of the caller.
            return unsafe { target(values) };
        }
        let layout = layout::<T>(self.shape(), self.strides());
        // SAFETY:
        // - the layout has the values of the array, which are its own while it is borrowed.
        unsafe { Target::new(self.as_mut_ptr().cast(), 1, layout) }
    }

    unsafe fn targets(&mut self, parts: usize) -> Result<Parts<Target>> {
        let len = rows(self.shape(), parts)?;
        if parts == 1 || len == 0 {
            // SAFETY:
            // - as demanded of the caller. Without rows there are no values.
            return Ok(Parts::Each(vec![unsafe { self.target() }; parts].into()));
        }
        let chunks = self.axis_chunks_iter_mut(Axis(0), len);
        // SAFETY:
        // - as demanded of the caller: the parts have the values of the array, and do not overlap.
        let targets = chunks.map(|mut part| unsafe { part.target() });
        Ok(Parts::Each(targets.collect()))
    }
}

// SAFETY:
// - as the array that it is.
unsafe impl<T: Equivalence, S: Data<Elem = T>, D: Dimension> View for ArrayBase<S, D> {
    type Item = T;

    fn number(&self) -> usize {
        self.len()
    }

    unsafe fn source(&self) -> Source {
        let array: &ArrayRef<T, D> = self;
        // SAFETY:
        // - as demanded of the caller.
        unsafe { array.source() }
    }

    unsafe fn sources(&self, parts: usize) -> Result<Parts<Source>> {
        let array: &ArrayRef<T, D> = self;
        // SAFETY:
        // - as demanded of the caller.
        unsafe { array.sources(parts) }
    }
}

// SAFETY:
// - as the array that it is, which shares its values with no other one once it is borrowed to be written.
unsafe impl<T: Equivalence, S: DataMut<Elem = T>, D: Dimension> ViewMut for ArrayBase<S, D> {
    unsafe fn target(&mut self) -> Target {
        let array: &mut ArrayRef<T, D> = self;
        // SAFETY:
        // - as demanded of the caller.
        unsafe { array.target() }
    }

    unsafe fn targets(&mut self, parts: usize) -> Result<Parts<Target>> {
        let array: &mut ArrayRef<T, D> = self;
        // SAFETY:
        // - as demanded of the caller.
        unsafe { array.targets(parts) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, Array3, ArrayD, IxDyn, s};
    use simurgh_datatype::memory::transfer;

    /// The values of an array as they are sent.
    fn sent<T: Equivalence>(array: &ArrayRef<T, impl Dimension>) -> Vec<T> {
        let mut values = crate::zeros::<T>(array.len());
        // SAFETY:
        // - the array and the values are there until the copy is made.
        unsafe { transfer(&array.source(), &values.target()) };
        values
    }

    #[test]
    fn values_go_in_logical_order_whatever_the_strides_are() {
        let array = Array3::from_shape_fn((4, 5, 6), |(i, j, k)| (i * 100 + j * 10 + k) as i32);
        let layer = array.slice(s![.., .., 3..4]);
        let views = [
            array.view(),
            array.slice(s![.., 1..4;2, ..]),
            array.slice(s![..;-1, ..;-2, ..;3]),
            array.slice(s![1..2, 4..5, ..;2]),
            array.slice(s![2..2, .., ..]),
            array.view().permuted_axes([2, 0, 1]),
            layer.broadcast((4, 5, 7)).unwrap(),
        ];
        for view in views {
            assert_eq!(sent(&view), view.iter().copied().collect::<Vec<_>>());
        }
        let pairs = Array2::from_shape_fn((3, 4), |(i, j)| [i as u16, j as u16]);
        assert_eq!(sent(&pairs.t()), pairs.t().iter().copied().collect::<Vec<_>>());
    }

    #[test]
    fn what_is_received_stays_within_the_view() {
        let mut array = Array2::<u8>::zeros((5, 6));
        let values: Vec<u8> = (1..=6).collect();
        let mut view = array.slice_mut(s![..;-2, 1..;3]);
        // SAFETY:
        // - the view and the values are there until the copy is made.
        unsafe { transfer(&values.source(), &view.target()) };
        assert_eq!(view.iter().copied().collect::<Vec<_>>(), values);
        assert_eq!(array.iter().filter(|value| **value != 0).count(), 6);
        assert_eq!((array[(4, 1)], array[(0, 4)]), (1, 6));
    }

    #[test]
    fn arrays_are_cut_along_their_first_axis() {
        let mut array = Array2::from_shape_fn((6, 2), |(i, j)| i * 2 + j);
        let mut view = array.slice_mut(s![..;-1, 1..]);
        let values = [90_usize, 91, 92, 93, 94, 95];
        // SAFETY:
        // - the view and the values are there until the copies are made.
        unsafe {
            let (from, into) = (values[..].sources(3).unwrap(), view.targets(3).unwrap());
            for part in 0..3 {
                transfer(&from.part(part).unwrap(), &into.part(part).unwrap());
            }
            assert!(view.targets(4).is_err());
        }
        assert_eq!(array.column(1).to_vec(), [95, 94, 93, 92, 91, 90]);
        assert_eq!(array.column(0).to_vec(), [0, 2, 4, 6, 8, 10]);
        let point = ArrayD::from_elem(IxDyn(&[]), 1.5);
        // SAFETY:
        // - nothing is done with the parts.
        unsafe {
            assert!(point.sources(1).is_ok());
            assert!(point.sources(2).is_err());
        }
    }
}
