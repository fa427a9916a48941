//! Epochs of ranks that name each other: post, start, complete and wait.

use super::{Phase, Window};
use crate::Equivalence;
use simurgh_mpi::{Group, Result};

impl<T: Equivalence> Window<T> {
    /// Exposes the part of this rank to some ranks ([`simurgh_mpi::Window::post`]). It waits for nobody.
    ///
    /// # Errors
    ///
    /// [`RmaSync`](simurgh_mpi::ErrorClass::RmaSync) in another epoch; as the call of the window, and for ranks that
    /// there are not.
    pub fn post(&mut self, origins: &[i32]) -> Result<()> {
        self.check(Phase::Outside)?;
        let origins = self.group_of(origins)?;
        self.pass(Phase::Outside, general(true, false), |this| {
            this.window.post(&origins, 0)
        })
    }

    /// Begins to access the parts that some ranks expose, as soon as they do ([`simurgh_mpi::Window::start`]).
    ///
    /// # Errors
    ///
    /// [`RmaSync`](simurgh_mpi::ErrorClass::RmaSync) in another epoch than one of [`Window::post`]; as the call of the
    /// window, and for ranks that there are not.
    pub fn start(&self, targets: &[i32]) -> Result<()> {
        let is_exposed = match self.phase.get() {
            Phase::Outside => false,
            Phase::General {
                is_exposed,
                is_accessing: false,
            } => is_exposed,
            _ => return Err(self.wrong_phase()),
        };
        let targets = self.group_of(targets)?;
        self.pass(self.phase.get(), general(is_exposed, true), |this| {
            this.window.start(&targets, 0)
        })
    }

    /// Completes all operations since [`Window::start`] ([`simurgh_mpi::Window::complete`]).
    ///
    /// # Errors
    ///
    /// [`RmaSync`](simurgh_mpi::ErrorClass::RmaSync) outside of such an epoch; as the call of the window.
    pub fn complete(&self) -> Result<()> {
        let Phase::General {
            is_exposed,
            is_accessing: true,
        } = self.phase.get()
        else {
            return Err(self.wrong_phase());
        };
        self.pass(self.phase.get(), general(is_exposed, false), |this| {
            this.window.complete()
        })
    }

    /// Waits until the ranks to which the part is exposed have completed their operations
    /// ([`simurgh_mpi::Window::wait`]).
    ///
    /// # Errors
    ///
    /// [`RmaSync`](simurgh_mpi::ErrorClass::RmaSync) if the part is not exposed.
    pub fn wait(&self) -> Result<()> {
        let is_accessing = self.check_exposed()?;
        self.pass(self.phase.get(), general(false, is_accessing), |this| {
            this.window.wait()
        })
    }

    /// [`Window::wait`] if it would return at once. Whether the part is no longer exposed.
    ///
    /// # Errors
    ///
    /// As [`Window::wait`].
    pub fn test(&self) -> Result<bool> {
        let is_accessing = self.check_exposed()?;
        let before = self.phase.replace(Phase::Unknown);
        let is_over = self.window.test()?;
        self.phase.set(match is_over {
            true => general(false, is_accessing),
            false => before,
        });
        Ok(is_over)
    }

    /// Refuses a part that is not exposed. Whether the rank accesses other parts.
    fn check_exposed(&self) -> Result<bool> {
        match self.phase.get() {
            Phase::General {
                is_exposed: true,
                is_accessing,
            } => Ok(is_accessing),
            _ => Err(self.wrong_phase()),
        }
    }

    /// The group of some ranks of the window.
    fn group_of(&self, ranks: &[i32]) -> Result<Group> {
        self.window.group().include(ranks)
    }
}

/// The phase of a rank that exposes its part, or accesses other ones, or neither.
fn general(is_exposed: bool, is_accessing: bool) -> Phase {
    match is_exposed || is_accessing {
        true => Phase::General {
            is_exposed,
            is_accessing,
        },
        false => Phase::Outside,
    }
}
