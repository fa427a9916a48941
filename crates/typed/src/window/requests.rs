//! Accesses with requests, which are waited for in a scope.
//!
//! The window is borrowed for the scope, so it is there when they end. If their epoch ends before, they are complete
//! then.

use super::Window;
use super::operations::{check_equal, predefined};
use crate::{Equivalence, Flight, FlightIn, Flights, Operator, View};
use simurgh_datatype::op::BuiltinOp;
use simurgh_mpi::Result;

impl<T: Equivalence> Window<T> {
    /// Starts [`Window::put`] ([`simurgh_mpi::Window::rput`]).
    ///
    /// # Errors
    ///
    /// [`RmaSync`](simurgh_mpi::ErrorClass::RmaSync) outside of an epoch of locks; as [`Window::put`].
    pub fn rput<'scope, V: View<Item = T> + ?Sized>(
        &'scope self,
        flights: &'scope Flights<'scope, '_>,
        rank: i32,
        position: usize,
        values: &'scope V,
    ) -> Result<Flight<'scope>> {
        let is_alone = self.is_alone(rank)?;
        let datatype = T::datatype();
        let place = self.place(rank, position, values.number(), &datatype)?;
        flights.drain(values, |values| match is_alone {
            true => self.window.rput(values, &place),
            false => self.window.raccumulate(values, &place, BuiltinOp::Replace),
        })
    }

    /// Starts [`Window::get`] ([`simurgh_mpi::Window::rget`]).
    ///
    /// # Errors
    ///
    /// As [`Window::rput`].
    pub fn rget<'scope>(
        &'scope self,
        flights: &'scope Flights<'scope, '_>,
        rank: i32,
        position: usize,
        values: &'scope mut [T],
    ) -> Result<FlightIn<'scope, T>> {
        let is_alone = self.is_alone(rank)?;
        let datatype = T::datatype();
        let place = self.place(rank, position, values.len(), &datatype)?;
        flights.fill(values, |values| match is_alone {
            true => self.window.rget(values, &place),
            false => {
                let nothing = values.as_source();
                self.window
                    .rget_accumulate(&nothing, values, &place, BuiltinOp::NoOp)
            }
        })
    }

    /// Starts [`Window::accumulate`] ([`simurgh_mpi::Window::raccumulate`]).
    ///
    /// # Errors
    ///
    /// As [`Window::rput`], and [`Window::accumulate`].
    pub fn raccumulate<'scope, V: View<Item = T> + ?Sized>(
        &'scope self,
        flights: &'scope Flights<'scope, '_>,
        rank: i32,
        position: usize,
        values: &'scope V,
        op: &Operator<T>,
    ) -> Result<Flight<'scope>> {
        self.check_epoch()?;
        let op = predefined(op)?;
        let datatype = T::datatype();
        let place = self.place(rank, position, values.number(), &datatype)?;
        flights.drain(values, |values| self.window.raccumulate(values, &place, op))
    }

    /// Starts [`Window::get_accumulate`] ([`simurgh_mpi::Window::rget_accumulate`]).
    ///
    /// # Errors
    ///
    /// As [`Window::rput`], and [`Window::get_accumulate`].
    pub fn rget_accumulate<'scope, V: View<Item = T> + ?Sized>(
        &'scope self,
        flights: &'scope Flights<'scope, '_>,
        (rank, position): (i32, usize),
        values: &'scope V,
        before: &'scope mut [T],
        op: &Operator<T>,
    ) -> Result<FlightIn<'scope, T>> {
        self.check_epoch()?;
        let op = predefined(op)?;
        let datatype = T::datatype();
        let place = self.place(rank, position, before.len(), &datatype)?;
        check_equal(values.number(), before.len())?;
        // SAFETY:
        // - the values are borrowed for the scope, within which the operation is complete.
        let values = unsafe { values.source() };
        flights.fill(before, |before| {
            self.window.rget_accumulate(&values, before, &place, op)
        })
    }
}
