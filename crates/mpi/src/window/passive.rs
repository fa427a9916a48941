//! Passive target synchronisation: locks and flushes.

use super::Window;
use super::assertion::{self, NOCHECK};
use super::error::fault;
use super::lock::{LockKind, LockWaiter, Waiting};
use super::packet::{Kind, Label};
use super::shared::LocalRank;
use crate::constants::PROC_NULL;
use crate::error::{ErrorClass, Result};
use simurgh_core::sync::{Arc, Ordering, fence};
use simurgh_net::HostId;

impl Window {
    /// Locks a target, and begins an access epoch for it (`MPI_Win_lock`). The rank is suspended until it has the lock;
    /// requests are granted in the order in which they come.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] for a rank that there is not, [`ErrorClass::RmaSync`] in another epoch or if the target is
    /// locked by this rank already, [`ErrorClass::Assert`].
    #[inline]
    pub fn lock(&self, kind: LockKind, rank: i32, assert: i32) -> Result<()> {
        assertion::check("MPI_Win_lock", assert, NOCHECK)?;
        if rank == PROC_NULL {
            return Ok(());
        }
        let seat = self.check_rank(rank)?;
        self.check_locks("MPI_Win_lock")?;
        self.epochs().check_lock(seat)?;
        match self.shared.local(seat as usize) {
            Some(local) => {
                self.serve_others();
                self.acquire(local, kind);
            }
            None => {
                let host = self.shared.part(seat as usize).host();
                let request = self.ask_host(host, &[self.label(Kind::Lock, kind.detail(), seat)]);
                self.await_host(host, request)?;
            }
        }
        self.epochs().lock(seat, kind);
        Ok(())
    }

    /// Completes all operations on a target, and releases its lock (`MPI_Win_unlock`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] if this rank has not locked it; [`ErrorClass::RmaRange`] for operations that the
    /// target's host has refused.
    #[inline]
    pub fn unlock(&self, rank: i32) -> Result<()> {
        if rank == PROC_NULL {
            return Ok(());
        }
        let seat = self.check_rank(rank)?;
        let kind = self.epochs().unlock(seat)?;
        match self.shared.local(seat as usize) {
            Some(local) => {
                self.release(local, kind);
                self.serve_others();
                Ok(())
            }
            None => {
                let host = self.shared.part(seat as usize).host();
                self.epochs().take_dirty(host);
                let request = self.ask_host(host, &[self.label(Kind::Unlock, kind.detail(), seat)]);
                self.await_host(host, request)
            }
        }
    }

    /// Takes shared locks of all ranks, and begins an access epoch for them (`MPI_Win_lock_all`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] in another epoch, [`ErrorClass::Assert`].
    pub fn lock_all(&self, assert: i32) -> Result<()> {
        assertion::check("MPI_Win_lock_all", assert, NOCHECK)?;
        self.check_locks("MPI_Win_lock_all")?;
        self.epochs().check_lock_all()?;
        let asked = self.ask_others(Kind::Lock);
        for seat in self.shared.local_seats() {
            if let Some(local) = self.shared.local(seat) {
                self.acquire(local, LockKind::Shared);
            }
        }
        asked
            .into_iter()
            .try_for_each(|(host, request)| self.await_host(host, request))?;
        self.epochs().lock_all();
        Ok(())
    }

    /// Completes all operations, and releases the locks of all ranks (`MPI_Win_unlock_all`).
    ///
    /// # Errors
    ///
    /// As [`Window::unlock`].
    pub fn unlock_all(&self) -> Result<()> {
        {
            let mut epochs = self.epochs();
            epochs.unlock_all()?;
            epochs.dirty.clear();
        }
        let asked = self.ask_others(Kind::Unlock);
        for seat in self.shared.local_seats() {
            if let Some(local) = self.shared.local(seat) {
                self.release(local, LockKind::Shared);
            }
        }
        let mut outcome = Ok(());
        for (host, request) in asked {
            outcome = outcome.and(self.await_host(host, request));
        }
        outcome
    }

    /// Completes all operations on a target, at the origin and at the target (`MPI_Win_flush`, and
    /// `MPI_Win_flush_local`, for which no less will do: data of other hosts comes in the order of the requests).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] if it is not locked; [`ErrorClass::RmaRange`] for operations that its host has refused.
    #[inline]
    pub fn flush(&self, rank: i32) -> Result<()> {
        if rank == PROC_NULL {
            return Ok(());
        }
        let seat = self.check_rank(rank)?;
        let is_clean = {
            let epochs = self.epochs();
            epochs.check_passive("MPI_Win_flush", Some(seat))?;
            epochs.dirty.is_empty()
        };
        if is_clean {
            self.serve_others();
            return Ok(());
        }
        self.flush_host(self.shared.part(seat as usize).host())
    }

    /// [`Window::flush`] of all ranks (`MPI_Win_flush_all`, `MPI_Win_flush_local_all`).
    ///
    /// # Errors
    ///
    /// As [`Window::flush`].
    pub fn flush_all(&self) -> Result<()> {
        self.epochs().check_passive("MPI_Win_flush_all", None)?;
        self.serve_others();
        self.flush_hosts()
    }

    /// Orders the rank's loads and stores of its own memory and the accesses of others (`MPI_Win_sync`).
    pub fn sync(&self) {
        self.serve_others();
        fence(Ordering::SeqCst);
    }

    /// Answers what other hosts have asked, where only the rank's own calls do that. A rank that waits for others in a
    /// loop of such calls would otherwise keep them waiting for ever.
    #[inline]
    pub(super) fn serve_others(&self) {
        if self.shared.comm.host_map().is_some() {
            simurgh_core::make_progress();
        }
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
    fn acquire(&self, local: &LocalRank, kind: LockKind) {
        let origin = self.comm.seat() as u32;
        if !local.lock.try_acquire(kind, origin) {
            self.await_lock(local, kind, origin);
        }
    }

    /// Suspends the rank until it has the lock.
    #[cold]
    fn await_lock(&self, local: &LocalRank, kind: LockKind, origin: u32) {
        let requests = self.process().requests();
        let request = requests.take_receive();
        let waiter = LockWaiter::Local(Arc::clone(&request));
        let taken = local.lock.acquire(Waiting { kind, origin, waiter });
        if taken {
            request.settle(&crate::error::Status::EMPTY);
        }
        request.wait();
        requests.give_back(request);
    }

    #[inline]
    fn release(&self, local: &LocalRank, kind: LockKind) {
        let job = self.process().job();
        local.lock.release(kind, |waiter| {
            waiter.grant(job.network().map(|network| &**network))
        });
    }

    /// Sends a request for a shared lock, or its release, to each rank of other hosts. What is complete when a host has
    /// replied to all.
    fn ask_others(&self, kind: Kind) -> Vec<(HostId, Arc<crate::request::Request>)> {
        let Some(host_map) = self.shared.comm.host_map() else {
            return Vec::new();
        };
        let own = host_map.own();
        let others = (0..host_map.hosts()).filter(|position| *position != own);
        others
            .map(|position| {
                let host = host_map.host(position);
                let seats = host_map.seats(position).iter();
                let detail = LockKind::Shared.detail();
                let labels: Vec<Label> = seats.map(|seat| self.label(kind, detail, *seat)).collect();
                (host, self.ask_host(host, &labels))
            })
            .collect()
    }
}
