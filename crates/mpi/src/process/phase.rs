//! How far a process has come: before, during or after its use of MPI.

use crate::error::{Error, ErrorClass, Result};
use simurgh_core::sync::{AtomicU8, Ordering};

/// The phase of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// MPI is not initialised.
    Before,
    /// Between `MPI_Init` and `MPI_Finalize`.
    Active,
    /// MPI is finalized.
    After,
}

/// Which threads may call MPI, with the numbers of the standard ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
pub enum ThreadLevel {
    /// There is one thread.
    Single = 0,
    /// Only the thread that initialised MPI.
    Funneled = 1024,
    /// One at a time.
    Serialized = 2048,
    /// Any, at any time.
    Multiple = 4096,
}

/// A phase that only moves forward.
#[derive(Debug)]
pub(super) struct PhaseCell(AtomicU8);

impl Default for PhaseCell {
    fn default() -> Self {
        Self(AtomicU8::new(Phase::Before as u8))
    }
}

const BEFORE: u8 = Phase::Before as u8;
const ACTIVE: u8 = Phase::Active as u8;
const AFTER: u8 = Phase::After as u8;

impl PhaseCell {
    // Acquire here pairs with the Release of `step`: who sees a phase sees what led to it.
    #[inline]
    pub(super) fn get(&self) -> Phase {
        match self.0.load(Ordering::Acquire) {
            BEFORE => Phase::Before,
            ACTIVE => Phase::Active,
            _ => Phase::After,
        }
    }

    fn step(&self, from: u8, to: u8) -> bool {
        self.0
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    pub(super) fn begin(&self) -> Result<()> {
        if self.step(BEFORE, ACTIVE) {
            return Ok(());
        }
        Err(Error::new(
            ErrorClass::Other,
            "MPI has been initialised before; it can be initialised only once",
        ))
    }

    pub(super) fn end(&self) -> Result<()> {
        if self.step(ACTIVE, AFTER) {
            Ok(())
        } else {
            Err(inactive(self.get()))
        }
    }

    #[inline]
    pub(super) fn check_active(&self) -> Result<()> {
        match self.get() {
            Phase::Active => Ok(()),
            phase => Err(inactive(phase)),
        }
    }
}

#[cold]
fn inactive(phase: Phase) -> Error {
    let message = match phase {
        Phase::After => "MPI is finalized: no communication is possible any more",
        Phase::Before | Phase::Active => "MPI is not initialised: call MPI_Init first",
    };
    Error::new(ErrorClass::Other, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_each_other_once() {
        let cell = PhaseCell::default();
        assert!(
            cell.check_active()
                .unwrap_err()
                .message()
                .contains("not initialised")
        );
        assert!(cell.end().is_err());
        cell.begin().unwrap();
        assert!(cell.begin().is_err());
        cell.check_active().unwrap();
        cell.end().unwrap();
        assert!(cell.end().is_err());
        assert_eq!(cell.get(), Phase::After);
        assert!(cell.check_active().unwrap_err().message().contains("finalized"));
    }
}
