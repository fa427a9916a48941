//! How far a process has come: before, during or after its use of MPI, by the world model or by sessions.

use crate::error::{Error, ErrorClass, Result};
use simurgh_core::sync::{AtomicU32, Ordering};

/// The phase of a process in the world model.
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

/// The phase of the world model, which only moves forward, and the users of MPI: the world, while it is initialised,
/// and every open session. In one word, since every call looks at it.
#[derive(Debug, Default)]
pub(super) struct PhaseCell(AtomicU32);

/// Where the phase is in the word; the rest counts users.
const PHASE: u32 = 0b11;
/// One user.
const USER: u32 = PHASE + 1;
const BEFORE: u32 = Phase::Before as u32;
const ACTIVE: u32 = Phase::Active as u32;
const AFTER: u32 = Phase::After as u32;

impl PhaseCell {
    // Acquire pairs with the Release of `step`: a thread that sees a phase sees what was done before it.
    #[inline]
    fn word(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }

    /// How far the world model has come.
    #[inline]
    pub(super) fn get(&self) -> Phase {
        match self.word() & PHASE {
            BEFORE => Phase::Before,
            ACTIVE => Phase::Active,
            _ => Phase::After,
        }
    }

    /// Takes a step of the world model; `false` if it is not where the step begins.
    fn step(&self, from: u32, change: impl Fn(u32) -> u32) -> bool {
        let next = |word: u32| (word & PHASE == from).then(|| change(word));
        self.0
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, next)
            .is_ok()
    }

    pub(super) fn begin(&self) -> Result<()> {
        if self.step(BEFORE, |word| word + USER + (ACTIVE - BEFORE)) {
            return Ok(());
        }
        Err(Error::new(
            ErrorClass::Other,
            "MPI has been initialised before; it can be initialised only once",
        ))
    }

    pub(super) fn end(&self) -> Result<()> {
        if self.step(ACTIVE, |word| word - USER + (AFTER - ACTIVE)) {
            Ok(())
        } else {
            Err(inactive(self.get()))
        }
    }

    /// One user more: a session begins.
    pub(super) fn enter(&self) {
        self.0.fetch_add(USER, Ordering::AcqRel);
    }

    /// One user less: a session ends.
    pub(super) fn leave(&self) {
        self.0.fetch_sub(USER, Ordering::AcqRel);
    }

    /// Whether MPI has no more than one user.
    pub(super) fn is_last_user(&self) -> bool {
        self.word() < 2 * USER
    }

    /// Whether MPI has a user.
    #[inline]
    pub(super) fn is_active(&self) -> bool {
        self.word() >= USER
    }

    /// Fails if MPI has no user.
    #[inline]
    pub(super) fn check_active(&self) -> Result<()> {
        if self.is_active() {
            Ok(())
        } else {
            Err(inactive(self.get()))
        }
    }
}

#[cold]
fn inactive(phase: Phase) -> Error {
    let message = match phase {
        Phase::After => "MPI is finalized: no communication is possible any more",
        Phase::Before | Phase::Active => "MPI is not initialised: call MPI_Init or MPI_Session_init first",
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

    #[test]
    fn sessions_keep_mpi_active_whatever_the_world_does() {
        let cell = PhaseCell::default();
        cell.enter();
        cell.check_active().unwrap();
        assert_eq!(cell.get(), Phase::Before);
        cell.begin().unwrap();
        cell.leave();
        cell.check_active().unwrap();
        cell.enter();
        cell.end().unwrap();
        cell.check_active().unwrap();
        assert_eq!(cell.get(), Phase::After);
        cell.leave();
        assert!(cell.check_active().is_err());
    }
}
