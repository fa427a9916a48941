//! The meeting of a window's ranks.
//!
//! Where each rank has a process of its own and all of them share memory for the window's locks, they meet there: an
//! arrival is one atomic addition. A rank that arrives looks at the memory for as long as nobody else could use its
//! processor. Then it sleeps, and whoever arrives last tells its process by a notice. Elsewhere the ranks meet as in
//! `MPI_Barrier`, which brings those of a process together first.

use super::Window;
use super::packet::{Kind, Label};
use super::shared::WindowShared;
use crate::error::{Result, Status};
use crate::network::{Network, Service};
use crate::request::Request;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_core::{ArrivedPhase, SharedBarrier, spin_while_idle};

/// A rank that may sleep at the barrier: what is completed when it has to look again.
#[derive(Default)]
pub(super) struct Sleeper(SpinLock<Option<Arc<Request>>>);

impl Sleeper {
    pub(super) fn is_asleep(&self) -> bool {
        self.0.lock().is_some()
    }

    fn begin(&self, request: &Arc<Request>) {
        *self.0.lock() = Some(Arc::clone(request));
    }

    fn end(&self) -> Option<Arc<Request>> {
        self.0.lock().take()
    }
}

impl Window {
    /// Waits until all ranks have come.
    pub(super) fn meet(&self) -> Result<()> {
        match self.shared.barrier() {
            Some(barrier) => {
                self.meet_in_memory(barrier);
                Ok(())
            }
            None => self.comm.barrier().run(),
        }
    }

    fn meet_in_memory(&self, barrier: SharedBarrier<'_>) {
        let Some(phase) = barrier.arrive() else {
            let network = self.process().job().network();
            for party in barrier.sleepers() {
                self.shared.wake(party as u32, network.map(|network| &**network));
            }
            return self.serve_others();
        };
        let has_ended = || barrier.has_ended(phase);
        while !has_ended() && !spin_while_idle(has_ended) {
            self.sleep(barrier, phase);
        }
    }

    /// Suspends the rank until it is told to look again.
    #[cold]
    fn sleep(&self, barrier: SharedBarrier<'_>, phase: ArrivedPhase) {
        let seat = self.comm.seat();
        let Some(own) = self.shared.local(seat) else {
            return;
        };
        let requests = self.process().requests();
        let request = requests.take_receive();
        own.sleeper.begin(&request);
        if !barrier.sleep(seat, phase) {
            drop(own.sleeper.end());
            request.settle(&Status::EMPTY);
        }
        request.wait();
        requests.give_back(request);
    }
}

impl WindowShared {
    /// Tells a rank that sleeps at the barrier to look again. None if it does not sleep.
    pub(super) fn wake(&self, seat: u32, network: Option<&Network>) -> Option<()> {
        if let Some(local) = self.local(seat as usize) {
            local.sleeper.end()?.finish(&Status::EMPTY);
            return Some(());
        }
        let label = Label {
            window: self.id(),
            kind: Kind::Wake,
            detail: 0,
            target: seat,
            origin: 0,
        };
        let host = self.find_part(seat)?.host();
        network?.notify(Service::Windows, host, label.numbers());
        Some(())
    }
}
