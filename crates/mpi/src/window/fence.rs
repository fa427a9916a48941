//! Synchronisation by fences.

use super::Window;
use super::access_log::Ends;
use super::assertion::{self, NOPRECEDE, NOPUT, NOSTORE, NOSUCCEED};
use crate::error::Result;
use crate::instrument::Synchronisation;

impl Window {
    /// Ends an access and exposure epoch of all ranks, and begins another one (`MPI_Win_fence`).
    ///
    /// Operations reach their targets at once, so all ranks have to come before any goes on, also at the first fence.
    /// Only a fence that neither follows nor precedes operations needs no barrier.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) in an epoch of another kind,
    /// [`ErrorClass::RmaRange`](crate::ErrorClass::RmaRange) for operations that a target's host has refused,
    /// [`ErrorClass::Assert`](crate::ErrorClass::Assert); when ranks make different calls.
    pub fn fence(&self, assert: i32) -> Result<()> {
        self.counted(Synchronisation::Fence, || self.pass_fence(assert))
    }

    fn pass_fence(&self, assert: i32) -> Result<()> {
        assertion::check("MPI_Win_fence", assert, NOPRECEDE | NOPUT | NOSTORE | NOSUCCEED)?;
        self.epochs().check_fence()?;
        let flushed = self.flush_hosts(Ends::Nothing);
        self.epoch_is_over();
        const IDLE: i32 = NOPRECEDE | NOSUCCEED;
        if assert & IDLE != IDLE {
            self.meet()?;
            self.begin_phase();
        }
        self.epochs().pass_fence(&self.open, assert & NOSUCCEED == 0);
        flushed
    }
}
