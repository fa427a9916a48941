//! Collectives on borrowed values.

use std::fmt;
use std::marker::PhantomData;

use super::operator::{Panicked, rethrow};
use super::{Equivalence, Operator};
use simurgh_core::sync::Arc;
use simurgh_mpi::Collective;
use simurgh_mpi::Request;
use simurgh_mpi::Result;

/// A collective call on borrowed values, ready to run.
#[must_use = "a collective does nothing until it is run"]
pub struct Prepared<'a, T> {
    collective: Collective<'a>,
    /// Where this rank receives.
    received: *mut [T],
    /// Where the function of the user leaves its panic.
    panicked: Option<Panicked>,
    borrow: PhantomData<(&'a [T], &'a mut [T])>,
}

impl<'a, T: Equivalence> Prepared<'a, T> {
    /// The collective that `make` makes with the slice that it receives into.
    ///
    /// Whatever is made of the slice there, and of others that are borrowed for `'a`, is used in the collective alone,
    /// which is complete before `'a` ends.
    pub(super) fn new(
        received: &'a mut [T],
        make: impl FnOnce(&mut [T]) -> Result<Collective<'a>>,
    ) -> Result<Self> {
        let received: *mut [T] = received;
        // SAFETY:
        // - the slice is borrowed for longer than this call takes, and nobody else knows of it.
        let collective = make(unsafe { &mut *received })?;
        Ok(Self {
            collective,
            received,
            panicked: None,
            borrow: PhantomData,
        })
    }

    /// The same, as one that combines values with an operation.
    pub(super) fn with(self, op: &Operator<T>) -> Self {
        let panicked = op.panicked().cloned();
        Self { panicked, ..self }
    }

    /// Takes part in it, and returns when it is complete.
    ///
    /// # Errors
    ///
    /// As the collective.
    ///
    /// # Panics
    ///
    /// When the function of the operation has panicked at this rank.
    #[inline]
    pub fn run(self) -> Result<()> {
        let Self {
            collective, panicked, ..
        } = self;
        let result = together(|| collective.run());
        rethrow(panicked.as_ref());
        result
    }

    /// Starts it and returns at once: the request, which has to be complete before `'a` ends, and what is lent to it.
    pub(super) fn start(self) -> Result<(Arc<Request>, Lent<T>)> {
        let Self {
            collective,
            received,
            panicked,
            ..
        } = self;
        Ok((collective.start()?, Lent { received, panicked }))
    }
}

/// What a collective under way has of its rank.
pub(super) struct Lent<T> {
    /// Where the rank receives.
    pub(super) received: *mut [T],
    /// Where the function of the user leaves its panic.
    pub(super) panicked: Option<Panicked>,
}

impl<T> fmt::Debug for Prepared<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("collective", &self.collective)
            .finish_non_exhaustive()
    }
}

/// Calls a collective, in which other ranks use this rank's buffers: they must not go away under them.
#[inline]
fn together<R>(call: impl FnOnce() -> R) -> R {
    let guard = NoUnwind;
    let result = call();
    std::mem::forget(guard);
    result
}

/// Ends the program rather than let a panic of the engine unwind.
struct NoUnwind;

impl Drop for NoUnwind {
    fn drop(&mut self) {
        eprintln!("a panic inside a collective call: other ranks use its buffers, so the program ends");
        std::process::abort();
    }
}
