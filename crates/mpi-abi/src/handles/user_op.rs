//! User-defined reduction operations.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use simurgh_mpi::datatype::Datatype;
use simurgh_mpi::memory::{Source, Target};
use simurgh_mpi::op::{Op, UserOp};

use super::{FIRST_HANDLE, HandleTables, with_tables};
use crate::types::{MPI_Count, MPI_Datatype, MPI_User_function, MPI_User_function_c};

/// The function, in one of the standard's two forms.
#[derive(Clone, Copy)]
pub(crate) enum Function {
    Narrow(MPI_User_function),
    Large(MPI_User_function_c),
}

/// A user-defined operation.
#[derive(Clone, Copy)]
pub(crate) struct UserDefinedOp {
    function: Function,
    commutes: bool,
}

impl UserDefinedOp {
    pub(crate) fn new(function: Function, commutes: bool) -> Self {
        Self { function, commutes }
    }

    pub(crate) fn is_commutative(self) -> bool {
        self.commutes
    }

    /// The engine's form of the operation, for one call with `datatype`. The function gets the handle that the caller
    /// has passed.
    pub(crate) fn on(self, datatype: MPI_Datatype) -> Op {
        let function = self.function;
        let call = move |input: &Source, inout: &Target| {
            // The function's first argument is not const, though the standard forbids the function to write there.
            let (invec, inoutvec) = (input.address().cast_mut().cast(), inout.address().cast());
            named(datatype, inout.datatype(), |handle| {
                function.call(invec, inoutvec, inout.count(), inout.datatype().extent(), handle);
            });
        };
        Op::User(Arc::new(UserOp::new(Box::new(call), self.commutes)))
    }
}

/// Calls `body` with a handle of `datatype`: the given one, or a temporary one if the program has freed that while the
/// collective was under way or waited to be started again.
fn named(handle: MPI_Datatype, datatype: &Datatype, body: impl FnOnce(MPI_Datatype)) {
    let freed =
        |tables: &HandleTables| handle.0 >= FIRST_HANDLE && tables.datatypes.number(handle.0).is_none();
    let passing = with_tables(|tables| {
        let tables = tables.filter(|tables| freed(tables))?;
        tables.datatypes.insert(datatype.clone()).ok()
    });
    body(passing.map_or(handle, MPI_Datatype));
    if let Some(passing) = passing {
        with_tables(|tables| tables.and_then(|tables| tables.datatypes.remove(passing)));
    }
}

impl Function {
    /// Calls the function, more than once if its `int` cannot hold the count.
    fn call(
        self,
        invec: *mut c_void,
        inoutvec: *mut c_void,
        count: usize,
        extent: isize,
        mut datatype: MPI_Datatype,
    ) {
        const MOST: usize = c_int::MAX as usize;
        match self {
            Function::Large(function) => {
                let mut len = MPI_Count::try_from(count).unwrap_or(MPI_Count::MAX);
                // SAFETY:
                // - the program gave this function for these arguments;
                // - the engine passes as many elements at both addresses.
                unsafe { function(invec, inoutvec, &raw mut len, &raw mut datatype) };
            }
            Function::Narrow(function) => {
                for start in (0..count).step_by(MOST) {
                    let mut len = (count - start).min(MOST) as c_int;
                    let offset = start as isize * extent;
                    let (invec, inoutvec) = (
                        invec.wrapping_byte_offset(offset),
                        inoutvec.wrapping_byte_offset(offset),
                    );
                    // SAFETY:
                    // - as above; `start` is below the number of elements.
                    unsafe { function(invec, inoutvec, &raw mut len, &raw mut datatype) };
                }
            }
        }
    }
}
