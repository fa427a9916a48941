//! Collectives on borrowed values, before they run.

use std::fmt;

use super::operator::{Panicked, rethrow};
use super::{Equivalence, Operator, Received};
use simurgh_core::sync::Arc;
use simurgh_mpi::Collective;
use simurgh_mpi::Request;
use simurgh_mpi::Result;

/// A collective call on borrowed values, ready to run.
#[must_use = "a collective does nothing until it is run"]
pub struct Prepared<'a, T> {
    collective: Collective<'a>,
    /// The memory into which this rank receives.
    received: Received<'a, T>,
    /// The place for a panic of the user's function.
    panicked: Option<Panicked>,
}

impl<'a, T: Equivalence> Prepared<'a, T> {
    /// Makes a collective by `make`, which is called with the values that the collective receives into.
    ///
    /// The buffers that `make` forms from these values, and from others that are lent for `'a`, are used by the
    /// collective alone, which is complete before `'a` ends.
    pub(super) fn new(
        received: Received<'a, T>,
        make: impl FnOnce(&Received<'a, T>) -> Result<Collective<'a>>,
    ) -> Result<Self> {
        Ok(Self {
            collective: make(&received)?,
            received,
            panicked: None,
        })
    }

    /// The same collective, which combines values by `op`.
    pub(super) fn with(self, op: &Operator<T>) -> Self {
        let panicked = op.panicked().cloned();
        Self { panicked, ..self }
    }

    /// Runs the collective, and returns when it is complete.
    ///
    /// # Errors
    ///
    /// As the collective.
    ///
    /// # Panics
    ///
    /// If the function of the operation has panicked at this rank.
    #[inline]
    pub fn run(self) -> Result<()> {
        let Self {
            collective, panicked, ..
        } = self;
        let result = together(|| collective.run());
        rethrow(panicked.as_ref());
        result
    }

    /// Starts the collective and returns at once. Gives the request, which must be complete before `'a` ends, and what
    /// is lent to the collective.
    pub(super) fn start(self) -> Result<(Arc<Request>, Lent<T>)> {
        let Self {
            collective,
            received,
            panicked,
        } = self;
        let received = received.into_raw();
        Ok((collective.start()?, Lent { received, panicked }))
    }

    /// Sets the collective up to be started again and again. Gives the request, which may be active only while the
    /// memory exists and nobody else uses it, and the place for a panic of the user's function.
    pub(super) fn persistent(self) -> (Arc<Request>, Option<Panicked>) {
        (self.collective.persistent(), self.panicked)
    }
}

/// The parts of its rank that a collective uses while it is under way.
pub(super) struct Lent<T> {
    /// The memory into which the rank receives.
    pub(super) received: *mut [T],
    /// The place for a panic of the user's function.
    pub(super) panicked: Option<Panicked>,
}

impl<T> fmt::Debug for Prepared<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("collective", &self.collective)
            .finish_non_exhaustive()
    }
}

/// Calls a collective. Other ranks use this rank's buffers meanwhile, so a panic must not unwind and free them.
#[inline]
pub(super) fn together<R>(call: impl FnOnce() -> R) -> R {
    let guard = NoUnwind;
    let result = call();
    std::mem::forget(guard);
    result
}

/// Aborts the program when it is dropped in a panic, rather than let a panic of the engine unwind.
struct NoUnwind;

impl Drop for NoUnwind {
    fn drop(&mut self) {
        eprintln!("a panic inside a collective call: other ranks use its buffers, so the program ends");
        std::process::abort();
    }
}
