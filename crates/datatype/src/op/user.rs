//! Operations of the user's own.

use crate::memory::{Source, Target};

/// The function of an operation: `inout = input op inout`.
///
/// The element count and the datatype are those of the second argument; the first has the same, but may belong to
/// another rank, whose names for the datatype mean nothing here.
pub type Function = dyn Fn(&Source, &Target) + Send + Sync;

/// An operation defined by the user.
pub struct UserOp {
    function: Box<Function>,
    commutes: bool,
}

impl UserOp {
    /// An operation that calls `function`; `commutes` promises that `a op b` is `b op a`. All are associative.
    #[must_use]
    pub fn new(function: Box<Function>, commutes: bool) -> Self {
        Self { function, commutes }
    }

    /// Whether the user has said that the operation is commutative.
    #[inline]
    #[must_use]
    pub fn is_commutative(&self) -> bool {
        self.commutes
    }

    /// `inout = input op inout`.
    #[inline]
    pub(crate) fn call(&self, input: &Source, inout: &Target) {
        (self.function)(input, inout);
    }
}

impl std::fmt::Debug for UserOp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UserOp")
            .field("commutes", &self.commutes)
            .finish_non_exhaustive()
    }
}
