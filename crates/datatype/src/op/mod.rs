//! Reduction operations.
//!
//! * [`BuiltinOp`]: those of the standard. `table.rs` says which of them goes with which datatype, and finds the loop.
//! * [`UserOp`]: a function of the user, which says whether it is commutative.

mod accumulate;
mod builtin;
mod loops;
mod table;
mod user;

pub use accumulate::{numbers_of, unit_of_numbers};
pub use builtin::BuiltinOp;
pub use user::{Function, UserOp};

use loops::Kernel;
use simurgh_core::sync::Arc;

use crate::datatype::{Basic, Datatype};
use crate::memory::{Source, Target};
use simurgh_base::error::Result;

/// A reduction operation.
#[derive(Clone, Debug)]
pub enum Op {
    /// A predefined operation.
    Builtin(BuiltinOp),
    /// A function of the user.
    User(Arc<UserOp>),
}

impl From<BuiltinOp> for Op {
    fn from(op: BuiltinOp) -> Self {
        Op::Builtin(op)
    }
}

impl Op {
    /// Whether the operation is commutative.
    #[inline]
    #[must_use]
    pub fn is_commutative(&self) -> bool {
        match self {
            Op::Builtin(op) => op.is_commutative(),
            Op::User(op) => op.is_commutative(),
        }
    }

    /// Whether the operation may be used in reductions of `datatype`.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Op`](simurgh_base::ErrorClass::Op), for a predefined operation that the standard does not define
    /// on the datatype.
    pub fn check(&self, datatype: &Datatype) -> Result<()> {
        match self {
            Op::Builtin(op) => table::check(*op, datatype),
            Op::User(_) => Ok(()),
        }
    }

    /// The predefined datatype as which `datatype` is reduced, where the standard does not define the operation on
    /// `datatype` and it is done all the same.
    #[must_use]
    pub fn extension(&self, datatype: &Datatype) -> Option<Basic> {
        match self {
            Op::Builtin(op) => table::extension(*op, datatype),
            Op::User(_) => None,
        }
    }

    /// The operation on elements of `datatype`, looked up once for many uses.
    #[inline]
    pub fn bind(&self, datatype: &Datatype) -> Result<BoundOp<'_>> {
        match self {
            Op::Builtin(op) => table::find(*op, datatype).map(BoundOp::Loop),
            Op::User(op) => Ok(BoundOp::User(op)),
        }
    }

    /// `inout = input op inout`, element by element, as many as both have.
    ///
    /// # Errors
    ///
    /// As for [`Op::check`], except that the operations of one-sided communication are allowed; nothing is written
    /// then.
    #[inline]
    pub fn reduce(&self, input: &Source, inout: &Target) -> Result<()> {
        self.bind(inout.datatype()).map(|bound| bound.apply(input, inout))
    }
}

/// The number of inputs that predefined operations take at a time: as many streams as a core prefetches well.
pub const GROUP: usize = 4;

/// An operation on elements of a certain datatype.
#[derive(Clone, Copy)]
pub enum BoundOp<'a> {
    /// A predefined operation: its loops over such elements.
    Loop(Kernel),
    /// The user's function.
    User(&'a UserOp),
}

impl BoundOp<'_> {
    /// `inout = input op inout`.
    #[inline]
    pub fn apply(&self, input: &Source, inout: &Target) {
        match self {
            BoundOp::Loop(kernel) => (kernel.one)([input], inout),
            BoundOp::User(op) => op.call(input, inout),
        }
    }

    /// `inout = input op inout`, one input after the other.
    #[inline]
    pub fn apply_all(&self, inputs: [&Source; GROUP], inout: &Target) {
        match self {
            BoundOp::Loop(kernel) => (kernel.several)(inputs, inout),
            BoundOp::User(op) => inputs.iter().for_each(|input| op.call(input, inout)),
        }
    }

    /// Whether this is a predefined operation.
    #[inline]
    pub fn is_builtin(&self) -> bool {
        matches!(self, BoundOp::Loop(_))
    }
}
