//! General active target synchronisation: post, start, complete, wait and test.

use super::Window;
use super::access_log::Ends;
use super::assertion::{self, NOCHECK, NOPUT, NOSTORE};
use super::error::fault;
use super::packet::Kind;
use super::seats::Seats;
use super::signals::{Signal, Signals, Wanted};
use crate::error::{ErrorClass, Result};
use crate::group::Group;
use crate::instrument::Synchronisation;

impl Window {
    /// Exposes the rank's memory to a group of ranks (`MPI_Win_post`). It waits for nobody. If it asserts [`NOCHECK`],
    /// as they do then, none of them is told.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Group`] for a group with others than the window's ranks, [`ErrorClass::RmaSync`] if the memory is
    /// exposed already, [`ErrorClass::Assert`].
    pub fn post(&self, group: &Group, assert: i32) -> Result<()> {
        self.counted(Synchronisation::Post, || self.expose(group, assert))
    }

    fn expose(&self, group: &Group, assert: i32) -> Result<()> {
        assertion::check("MPI_Win_post", assert, NOCHECK | NOPUT | NOSTORE)?;
        let origins = self.seats_of(group)?;
        self.epochs().expose(origins.len())?;
        if !self.relies_on_nocheck(assert) {
            origins
                .iter()
                .for_each(|origin| self.signal(Signal::Post, *origin));
        }
        Ok(())
    }

    /// Begins an access epoch for a group of ranks (`MPI_Win_start`). It returns when all of them have posted, since
    /// operations reach their targets at once. If it asserts [`NOCHECK`], they have, and it does not look.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Group`] for a group with others than the window's ranks, [`ErrorClass::RmaSync`] in another access
    /// epoch, [`ErrorClass::Assert`].
    pub fn start(&self, group: &Group, assert: i32) -> Result<()> {
        self.counted(Synchronisation::Start, || self.begin_access(group, assert))
    }

    fn begin_access(&self, group: &Group, assert: i32) -> Result<()> {
        assertion::check("MPI_Win_start", assert, NOCHECK)?;
        let targets = self.seats_of(group)?;
        self.epochs().check_start()?;
        let wanted = Wanted::Posts(targets);
        if !self.relies_on_nocheck(assert) {
            self.await_signals(&wanted)?;
        }
        self.settle()?;
        if let Wanted::Posts(targets) = wanted {
            self.epochs().start(&self.open, targets);
        }
        Ok(())
    }

    /// Completes the operations of an access epoch and ends it (`MPI_Win_complete`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] without such an epoch; [`ErrorClass::RmaRange`] for operations that a target's host has
    /// refused.
    pub fn complete(&self) -> Result<()> {
        self.counted(Synchronisation::Complete, || self.end_access())
    }

    fn end_access(&self) -> Result<()> {
        let targets = self.epochs().complete(&self.open)?;
        let flushed = self.end_requests();
        self.epoch_is_over();
        self.end_accesses(Ends::AtOrigin, None);
        targets
            .iter()
            .for_each(|target| self.signal(Signal::Complete, *target));
        flushed
    }

    /// Waits until all ranks to which the memory is exposed have completed their accesses, and ends the exposure epoch
    /// (`MPI_Win_wait`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] without such an epoch.
    pub fn wait(&self) -> Result<()> {
        self.counted(Synchronisation::Wait, || self.await_completes())
    }

    fn await_completes(&self) -> Result<()> {
        let origins = self.epochs().exposure("MPI_Win_wait")?;
        self.await_signals(&Wanted::Completes(origins))?;
        self.end_exposure();
        Ok(())
    }

    /// [`Window::wait`] if it would return at once (`MPI_Win_test`); otherwise lets others run. Whether the epoch has
    /// ended.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`] without such an epoch.
    pub fn test(&self) -> Result<bool> {
        self.counted(Synchronisation::Wait, || self.test_completes())
    }

    fn test_completes(&self) -> Result<bool> {
        let origins = self.epochs().exposure("MPI_Win_test")?;
        let wanted = Wanted::Completes(origins);
        let mut ended = self.take_signals(&wanted)?;
        if !ended {
            simurgh_core::yield_now();
            ended = self.take_signals(&wanted)?;
        }
        if ended {
            self.end_exposure();
        }
        Ok(ended)
    }

    fn end_exposure(&self) {
        self.await_requests();
        self.end_exposed_accesses();
        self.epochs().conceal();
    }

    /// The signals to this rank.
    fn signals(&self) -> Result<&Signals> {
        let local = self.shared.local(self.comm.seat());
        let local = local.ok_or_else(|| fault(ErrorClass::Intern, "a rank lives on its own host"))?;
        Ok(&local.signals)
    }

    /// Uses up signals, if all are there.
    fn take_signals(&self, wanted: &Wanted) -> Result<bool> {
        match self.shared.signals_to(self.comm.seat() as u32) {
            Some(signals) => Ok(signals.take(wanted)),
            None => Ok(self.signals()?.take(wanted)),
        }
    }

    /// Waits until all signals are there, and uses them up.
    fn await_signals(&self, wanted: &Wanted) -> Result<()> {
        if let Some(signals) = self.shared.signals_to(self.comm.seat() as u32) {
            self.await_shared(signals, wanted);
            self.serve_others();
            return Ok(());
        }
        let signals = self.signals()?;
        if signals.take_while_idle(wanted) {
            return Ok(());
        }
        let requests = self.process().requests();
        loop {
            let request = requests.take_receive();
            let there = signals.take_or_wait(wanted, &request);
            if there {
                request.settle(&crate::error::Status::EMPTY);
            }
            request.wait();
            requests.give_back(request);
            if there {
                return Ok(());
            }
        }
    }

    /// Tells a rank something.
    fn signal(&self, signal: Signal, seat: u32) {
        let own = self.comm.seat() as u32;
        if let Some(signals) = self.shared.signals_to(seat) {
            if let Some(bed) = signals.add(signal, own) {
                let network = self.process().job().network();
                self.shared.wake(seat, bed, network.map(|network| &**network));
            }
            return;
        }
        if let Some(local) = self.shared.local(seat as usize) {
            local.signals.signal(signal, own);
            return;
        }
        let kind = match signal {
            Signal::Post => Kind::Post,
            Signal::Complete => Kind::Complete,
        };
        let host = self.shared.part(seat as usize).host();
        self.tell_host(host, self.label(kind, 0, seat));
    }

    /// The ranks in the window of a group's members.
    fn seats_of(&self, group: &Group) -> Result<Seats> {
        let own = self.group();
        let seat = |process| {
            let rank = own.rank_of(process).map(|rank| rank as u32);
            rank.ok_or_else(|| {
                let name = self.process().job().layout().name_of(process);
                let message = format!("rank {name} of the group is not a rank of the window");
                fault(ErrorClass::Group, message)
            })
        };
        group.processes().map(seat).collect()
    }
}
