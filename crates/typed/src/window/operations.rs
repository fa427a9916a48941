//! Accesses to the memory of ranks.

use super::Window;
use crate::{Equivalence, Operator, View, ViewMut, source, target};
use simurgh_datatype::op::BuiltinOp;
use simurgh_mpi::{Error, ErrorClass, Result};

impl<T: Equivalence> Window<T> {
    /// Writes values to a rank, from a position on: by a copy under an exclusive lock, and otherwise each element
    /// atomically. They may be changed when this returns.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] outside of an epoch; [`ErrorClass::Type`] for values with elements of several datatypes,
    /// unless the lock is exclusive; as [`simurgh_mpi::Window::put`].
    #[inline]
    pub fn put<V: View<Item = T> + ?Sized>(&self, rank: i32, position: usize, values: &V) -> Result<()> {
        let is_alone = self.is_alone(rank)?;
        let datatype = T::datatype();
        let place = self.place(rank, position, values.number(), &datatype)?;
        // SAFETY:
        // - the operations have read the values when they return.
        let values = unsafe { values.source() };
        match is_alone {
            true => self.window.put_now(&values, &place),
            false => self.window.accumulate(&values, &place, BuiltinOp::Replace),
        }
    }

    /// Reads values of a rank, from a position on, as [`Window::put`] writes them.
    ///
    /// # Errors
    ///
    /// As [`Window::put`].
    #[inline]
    pub fn get<V: ViewMut<Item = T> + ?Sized>(
        &self,
        rank: i32,
        position: usize,
        values: &mut V,
    ) -> Result<()> {
        let is_alone = self.is_alone(rank)?;
        let datatype = T::datatype();
        let place = self.place(rank, position, values.number(), &datatype)?;
        // SAFETY:
        // - the operations are complete when they return.
        let values = unsafe { values.target() };
        match is_alone {
            true => self.window.get_now(&values, &place),
            false => {
                let nothing = values.as_source();
                self.window
                    .get_accumulate_now(&nothing, &values, &place, BuiltinOp::NoOp)
            }
        }
    }

    /// Combines values of a rank, from a position on, with these, each element atomically. They may be changed when
    /// this returns.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] outside of an epoch, [`ErrorClass::Op`] for an operation of the user; as
    /// [`simurgh_mpi::Window::accumulate`].
    #[inline]
    pub fn accumulate<V: View<Item = T> + ?Sized>(
        &self,
        rank: i32,
        position: usize,
        values: &V,
        op: &Operator<T>,
    ) -> Result<()> {
        self.check_epoch()?;
        let op = predefined(op)?;
        let datatype = T::datatype();
        let place = self.place(rank, position, values.number(), &datatype)?;
        // SAFETY:
        // - the operation has read the values when it returns.
        let values = unsafe { values.source() };
        self.window.accumulate(&values, &place, op)
    }

    /// [`Window::accumulate`], which gives the values from before.
    ///
    /// # Errors
    ///
    /// As [`Window::accumulate`]; [`ErrorClass::Count`] if there is not room for as many values.
    pub fn get_accumulate<V, W>(
        &self,
        rank: i32,
        position: usize,
        values: &V,
        before: &mut W,
        op: &Operator<T>,
    ) -> Result<()>
    where
        V: View<Item = T> + ?Sized,
        W: ViewMut<Item = T> + ?Sized,
    {
        self.check_epoch()?;
        let op = predefined(op)?;
        check_equal(values.number(), before.number())?;
        let datatype = T::datatype();
        let place = self.place(rank, position, values.number(), &datatype)?;
        // SAFETY:
        // - the operation is complete when it returns.
        let (values, before) = unsafe { (values.source(), before.target()) };
        self.window.get_accumulate_now(&values, &before, &place, op)
    }

    /// [`Window::accumulate`] to one value, which gives the value from before.
    ///
    /// # Errors
    ///
    /// As [`Window::accumulate`].
    #[inline]
    pub fn fetch_and_op(&self, rank: i32, position: usize, value: T, op: &Operator<T>) -> Result<T> {
        self.fetch_and(rank, position, value, predefined(op)?)
    }

    /// Replaces a value, each element atomically, and gives the one from before.
    ///
    /// # Errors
    ///
    /// As [`Window::accumulate`].
    #[inline]
    pub fn swap(&self, rank: i32, position: usize, value: T) -> Result<T> {
        self.fetch_and(rank, position, value, BuiltinOp::Replace)
    }

    #[inline]
    fn fetch_and(&self, rank: i32, position: usize, value: T, op: BuiltinOp) -> Result<T> {
        self.check_epoch()?;
        let datatype = T::datatype();
        let place = self.place(rank, position, 1, &datatype)?;
        let mut before = value;
        // SAFETY:
        // - both live until the operation is complete, which it is when it returns.
        let (value, result) = unsafe {
            (
                source(std::slice::from_ref(&value)),
                target(std::slice::from_mut(&mut before)),
            )
        };
        self.window.get_accumulate_now(&value, &result, &place, op)?;
        Ok(before)
    }

    /// Replaces a value of one element by `new` if it is `expected`, and gives the value from before, atomically.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] outside of an epoch, [`ErrorClass::Type`] for values that are no single element; as
    /// [`simurgh_mpi::Window::compare_and_swap`].
    #[inline]
    pub fn compare_and_swap(&self, rank: i32, position: usize, expected: T, new: T) -> Result<T> {
        self.check_epoch()?;
        if T::COUNT != 1 {
            let message = "values of several elements are not compared and swapped";
            return Err(Error::new(ErrorClass::Type, message));
        }
        let datatype = T::datatype();
        let place = self.place(rank, position, 1, &datatype)?;
        let mut before = expected;
        // SAFETY:
        // - all three live until the operation is complete, which it is when it returns.
        let (new, compare, result) = unsafe {
            (
                source(std::slice::from_ref(&new)),
                source(std::slice::from_ref(&expected)),
                target(std::slice::from_mut(&mut before)),
            )
        };
        self.window
            .compare_and_swap_now(&new, &compare, &result, &place)?;
        Ok(before)
    }
}

/// The operation of the standard, which all that one-sided communication takes are.
#[inline]
pub(super) fn predefined<T: Equivalence>(op: &Operator<T>) -> Result<BuiltinOp> {
    op.predefined().ok_or_else(|| {
        let message = "one-sided communication takes no operations of the user";
        Error::new(ErrorClass::Op, message)
    })
}

/// Refuses an update of some values that gives others than those.
pub(super) fn check_equal(values: usize, before: usize) -> Result<()> {
    if values == before {
        return Ok(());
    }
    let message = format!("{values} values update as many, of which {before} cannot be given back");
    Err(Error::new(ErrorClass::Count, message))
}
