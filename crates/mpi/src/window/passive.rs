//! Passive target synchronisation: locks and flushes.

use super::Window;
use super::access_log::Ends;
use super::assertion::{self, NOCHECK};
use super::error::{fault, not_free};
use super::hold::Hold;
use super::lock::Lock;
use super::packet::{ASSERTED, Kind, detail_of};
use super::shared::LockGroups;
use crate::constants::PROC_NULL;
use crate::error::{ErrorClass, Result};
use crate::instrument::Synchronisation;
use simurgh_core::sync::{Arc, Ordering, fence};
use simurgh_core::{LockKind, LockRequest};

/// After so many calls that the rank might repeat until others have done something, it lets them run.
const CALLS_PER_YIELD: u32 = 64;

/// Apart from the calls that do it now and then, which stay short.
#[cold]
#[inline(never)]
fn yield_now(has_other_hosts: bool) {
    if has_other_hosts {
        simurgh_core::make_progress();
    }
    simurgh_core::yield_now();
}

impl Window {
    /// Locks a target, and begins an access epoch for it (`MPI_Win_lock`). The rank is suspended until it has the lock;
    /// requests are granted in the order in which they come. If it asserts [`NOCHECK`], the lock is not taken.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] for a rank that there is not, [`ErrorClass::RmaSync`] in another epoch or if the target is
    /// locked by this rank already, [`ErrorClass::Assert`].
    #[inline]
    pub fn lock(&self, kind: LockKind, rank: i32, assert: i32) -> Result<()> {
        if self.lock_alone(kind, rank, assert) {
            return Ok(());
        }
        self.lock_with_others(kind, rank, assert)
    }

    /// [`Window::lock`] that may have to wait, or of a rank in other epochs.
    #[cold]
    #[inline(never)]
    fn lock_with_others(&self, kind: LockKind, rank: i32, assert: i32) -> Result<()> {
        self.counted(Synchronisation::Lock, || self.take_lock(kind, rank, assert))
    }

    fn take_lock(&self, kind: LockKind, rank: i32, assert: i32) -> Result<()> {
        assertion::check("MPI_Win_lock", assert, NOCHECK)?;
        if rank == PROC_NULL {
            return Ok(());
        }
        let seat = self.check_rank(rank)?;
        self.check_locks("MPI_Win_lock")?;
        self.settle()?;
        if self.relies_on_nocheck(assert) {
            let mut epochs = self.epochs();
            epochs.check_lock(seat)?;
            epochs.lock(&self.open, seat, Hold::new(kind, false));
            return Ok(());
        }
        match self.shared.lock_of(seat as usize) {
            Some(lock) => self.take_lock_within_reach((seat, lock), kind, assert),
            None => self.ask_for_lock(seat, kind, assert),
        }
    }

    fn take_lock_within_reach(
        &self,
        (seat, lock): (u32, Lock<'_>),
        kind: LockKind,
        assert: i32,
    ) -> Result<()> {
        self.serve_if_due();
        let request = self.lock_request(kind);
        let mut epochs = self.epochs();
        epochs.check_lock(seat)?;
        if !lock.try_acquire(request) {
            if assert & NOCHECK != 0 {
                return Err(not_free(seat));
            }
            epochs.await_lock(&self.open, seat);
            drop(epochs);
            self.await_lock(lock, seat, request);
            epochs = self.epochs();
        }
        epochs.lock(&self.open, seat, Hold::new(kind, true));
        Ok(())
    }

    /// Has the process that reaches a lock take it.
    fn ask_for_lock(&self, seat: u32, kind: LockKind, assert: i32) -> Result<()> {
        let host = self.lock_groups().agents[seat as usize];
        {
            let mut epochs = self.epochs();
            epochs.check_lock(seat)?;
            epochs.await_lock(&self.open, seat);
        }
        let asserted = if assert & NOCHECK != 0 { ASSERTED } else { 0 };
        let label = self.label(Kind::Lock, detail_of(kind) | asserted, seat);
        let request = self.ask_host(host, &[label]);
        let granted = self.await_host(host, request);
        let mut epochs = self.epochs();
        epochs.lock(&self.open, seat, Hold::new(kind, true));
        if granted.is_err() {
            epochs.unlock(&self.open, seat)?;
        }
        granted
    }

    /// Completes all operations on a target, and releases its lock (`MPI_Win_unlock`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] if this rank has not locked it; [`ErrorClass::RmaRange`] for operations that the
    /// target's host has refused.
    #[inline]
    pub fn unlock(&self, rank: i32) -> Result<()> {
        if self.unlock_alone(rank) {
            return Ok(());
        }
        self.unlock_with_others(rank)
    }

    /// [`Window::unlock`] where there is something to do but to release the lock.
    #[cold]
    #[inline(never)]
    fn unlock_with_others(&self, rank: i32) -> Result<()> {
        self.counted(Synchronisation::Unlock, || self.give_lock(rank))
    }

    fn give_lock(&self, rank: i32) -> Result<()> {
        if rank == PROC_NULL {
            return Ok(());
        }
        let seat = self.check_rank(rank)?;
        let (Hold { kind, is_taken }, is_clean) = {
            let mut epochs = self.epochs();
            (epochs.unlock(&self.open, seat)?, epochs.is_clean())
        };
        self.end_accesses(Ends::All, Some(seat));
        self.pace.end();
        let lock = self.shared.lock_of(seat as usize);
        if lock.is_none() && is_taken {
            return self.ask_to_unlock(seat, kind);
        }
        let flushed = match is_clean {
            true => Ok(()),
            false => self.flush_host(self.shared.part(seat as usize).host(), Ends::All, seat),
        };
        if let Some(lock) = lock.filter(|_| is_taken) {
            self.release(lock, seat, kind);
        }
        self.serve_if_due();
        flushed
    }

    /// Has the process of a rank, which reaches its lock, release it when it has handled all operations.
    fn ask_to_unlock(&self, seat: u32, kind: LockKind) -> Result<()> {
        let host = self.shared.part(seat as usize).host();
        let _turn = self.take_turn();
        let transferred = self.await_transfers(Some(host));
        self.epochs().take_dirty(host);
        let request = self.ask_host(host, &[self.label(Kind::Unlock, detail_of(kind), seat)]);
        transferred.and(self.await_host(host, request))
    }

    /// Takes shared locks of all ranks, and begins an access epoch for them (`MPI_Win_lock_all`). All ranks take them
    /// in the same order, so that nobody waits in a circle.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] in another epoch, [`ErrorClass::Assert`].
    pub fn lock_all(&self, assert: i32) -> Result<()> {
        self.counted(Synchronisation::Lock, || self.take_locks(assert))
    }

    fn take_locks(&self, assert: i32) -> Result<()> {
        assertion::check("MPI_Win_lock_all", assert, NOCHECK)?;
        self.check_locks("MPI_Win_lock_all")?;
        self.settle()?;
        {
            let mut epochs = self.epochs();
            epochs.check_lock_all()?;
            epochs.await_lock_all(&self.open);
        }
        let is_taken = !self.relies_on_nocheck(assert);
        let mut granted = Ok(());
        for leader in self.lock_groups().leaders.iter().filter(|_| is_taken) {
            granted = granted.and(self.lock_group(*leader));
        }
        self.epochs().lock_all(&self.open, is_taken);
        if granted.is_err() {
            self.epochs().unlock_all(&self.open).map(drop)?;
        }
        granted
    }

    /// Takes shared locks of a group of ranks, in their order.
    fn lock_group(&self, leader: u32) -> Result<()> {
        if self.shared.lock_of(leader as usize).is_none() {
            let host = self.shared.part(leader as usize).host();
            let request = self.ask_host(host, &[self.label(Kind::LockAll, 0, leader)]);
            return self.await_host(host, request);
        }
        for (seat, lock) in self.shared.locks_within_reach() {
            let request = self.lock_request(LockKind::Shared);
            if !lock.try_acquire(request) {
                self.await_lock(lock, seat, request);
            }
        }
        Ok(())
    }

    fn lock_groups(&self) -> &LockGroups {
        self.shared.lock_groups(self.process().job().layout())
    }

    /// Completes all operations, and releases the locks of all ranks (`MPI_Win_unlock_all`).
    ///
    /// # Errors
    ///
    /// As [`Window::unlock`].
    pub fn unlock_all(&self) -> Result<()> {
        self.counted(Synchronisation::Unlock, || self.give_locks())
    }

    fn give_locks(&self) -> Result<()> {
        let is_taken = self.epochs().unlock_all(&self.open)?;
        let flushed = self.flush_hosts(Ends::All);
        if !is_taken {
            return flushed;
        }
        let far = self.lock_groups().leaders.iter();
        let far = far.filter(|leader| self.shared.lock_of(**leader as usize).is_none());
        let ask = |leader: &u32| {
            let host = self.shared.part(*leader as usize).host();
            (
                host,
                self.ask_host(host, &[self.label(Kind::UnlockAll, 0, *leader)]),
            )
        };
        let asked = far.map(ask).collect();
        for (seat, lock) in self.shared.locks_within_reach() {
            self.release(lock, seat, LockKind::Shared);
        }
        flushed.and(self.await_hosts(asked))
    }

    /// Completes all operations on a target, at the origin and at the target (`MPI_Win_flush`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] if it is not locked; [`ErrorClass::RmaRange`] for operations that its host has refused.
    #[inline]
    pub fn flush(&self, rank: i32) -> Result<()> {
        if self.is_flushed(rank) {
            self.pace.end();
            self.let_others_run();
            return Ok(());
        }
        self.flush_others(rank)
    }

    /// [`Window::flush`] where there is something to do.
    #[cold]
    #[inline(never)]
    fn flush_others(&self, rank: i32) -> Result<()> {
        self.counted(Synchronisation::Flush, || self.flush_with(rank, Ends::All))
    }

    /// Completes all operations on a target at the origin (`MPI_Win_flush_local`). It does what [`Window::flush`] does,
    /// since data of other hosts comes in the order of the requests.
    ///
    /// # Errors
    ///
    /// As [`Window::flush`].
    pub fn flush_local(&self, rank: i32) -> Result<()> {
        self.counted(Synchronisation::Flush, || self.flush_with(rank, Ends::AtOrigin))
    }

    #[inline]
    fn flush_with(&self, rank: i32, ends: Ends) -> Result<()> {
        if rank == PROC_NULL {
            return Ok(());
        }
        let seat = self.check_rank(rank)?;
        let is_clean = {
            let epochs = self.epochs();
            if !epochs.has_lock(seat) {
                epochs.check_passive("MPI_Win_flush", Some(seat))?;
            }
            epochs.is_clean()
        };
        self.end_accesses(ends, Some(seat));
        self.pace.end();
        if is_clean {
            self.serve_if_due();
            return Ok(());
        }
        self.flush_host(self.shared.part(seat as usize).host(), ends, seat)
    }

    /// [`Window::flush`] of all ranks (`MPI_Win_flush_all`).
    ///
    /// # Errors
    ///
    /// As [`Window::flush`].
    pub fn flush_all(&self) -> Result<()> {
        self.flush_all_with("MPI_Win_flush_all", Ends::All)
    }

    /// [`Window::flush_local`] of all ranks (`MPI_Win_flush_local_all`).
    ///
    /// # Errors
    ///
    /// As [`Window::flush`].
    pub fn flush_local_all(&self) -> Result<()> {
        self.flush_all_with("MPI_Win_flush_local_all", Ends::AtOrigin)
    }

    fn flush_all_with(&self, call: &str, ends: Ends) -> Result<()> {
        self.counted(Synchronisation::Flush, || {
            self.epochs().check_passive(call, None)?;
            self.serve_others();
            self.flush_hosts(ends)
        })
    }

    /// Orders the rank's loads and stores of its own memory and the accesses of others (`MPI_Win_sync`).
    pub fn sync(&self) {
        self.serve_others();
        fence(Ordering::SeqCst);
    }

    /// Answers what other hosts have asked, where only the rank's own calls do that, and lets other ranks run now and
    /// then. A rank that waits for others in a loop of such calls would otherwise keep them waiting.
    #[inline]
    pub(super) fn serve_others(&self) {
        if self.has_other_hosts {
            simurgh_core::make_progress();
        }
        self.let_others_run();
    }

    /// [`Window::serve_others`], now and then only where nobody needs the rank to reach the window's memory.
    #[inline]
    fn serve_if_due(&self) {
        if self.is_direct {
            self.let_others_run();
        } else {
            self.serve_others();
        }
    }

    /// Lets other ranks run now and then, and answers other hosts.
    #[inline]
    pub(super) fn let_others_run(&self) {
        if !self.goes_on() {
            // Relaxed: as in `goes_on`.
            self.calls.store(0, Ordering::Relaxed);
            yield_now(self.has_other_hosts);
        }
    }

    /// Whether it is not yet time to let others run, which counts as a call after which that might have been done.
    #[inline(always)]
    pub(super) fn goes_on(&self) -> bool {
        // Relaxed: a count of the rank's own calls, of which some may be lost between its threads.
        let calls = self.calls.load(Ordering::Relaxed).wrapping_add(1);
        let goes_on = !calls.is_multiple_of(CALLS_PER_YIELD);
        if goes_on {
            self.calls.store(calls, Ordering::Relaxed);
        }
        goes_on
    }

    /// Refuses a lock of a window of which the program has said that it has none.
    #[inline]
    fn check_locks(&self, call: &str) -> Result<()> {
        if self.shared.no_locks() {
            let message =
                format!("{call} is called on a window whose info says no_locks = true; take that back");
            return Err(fault(ErrorClass::RmaSync, message));
        }
        Ok(())
    }

    #[inline]
    pub(super) fn lock_request(&self, kind: LockKind) -> LockRequest {
        let origin = self.comm.seat() as u32;
        LockRequest { kind, origin }
    }

    /// Suspends the rank until it has the lock of a rank.
    #[cold]
    fn await_lock(&self, lock: Lock<'_>, seat: u32, wanted: LockRequest) {
        let Some(own) = self.shared.local(self.comm.seat()) else {
            return;
        };
        let requests = self.process().requests();
        let request = requests.take_receive();
        own.awaited.add(seat, Arc::clone(&request));
        if lock.acquire(wanted) {
            drop(own.awaited.take(seat));
            request.settle(&crate::error::Status::EMPTY);
        }
        request.wait();
        requests.give_back(request);
    }

    #[inline]
    pub(super) fn release(&self, lock: Lock<'_>, seat: u32, kind: LockKind) {
        let network = self.process().job().network();
        self.shared
            .release((seat, lock), kind, network.map(|network| &**network));
    }
}
