//! Ranks that sleep until others tell them to look again at what the processes of a node share.

use super::Window;
use super::packet::{Kind, Label};
use super::shared::WindowShared;
use super::signals::Wanted;
use crate::error::Status;
use crate::network::{Network, Service};
use crate::request::Request;
use simurgh_core::sync::{Arc, SpinLock};

/// What a rank waits for while it sleeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// All ranks at a fence.
    Fence,
    /// Signals of others.
    Signals(Wanted),
}

/// A place where a rank sleeps, which its number tells to those that wake it. Threads of a rank may sleep in different
/// places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bed {
    Fence,
    Posts,
    Completes,
}

/// The threads of a rank that sleep: for each why, and what is completed when it has to look again.
#[derive(Default)]
pub(super) struct Sleepers(SpinLock<Vec<(Cause, Arc<Request>)>>);

impl Bed {
    /// The place with this number; none if there is none.
    pub(super) fn of_number(number: u16) -> Option<Self> {
        let all = [Self::Fence, Self::Posts, Self::Completes];
        all.into_iter().find(|bed| *bed as u16 == number)
    }
}

impl Cause {
    fn bed(&self) -> Bed {
        match self {
            Self::Fence => Bed::Fence,
            Self::Signals(Wanted::Posts(_)) => Bed::Posts,
            Self::Signals(Wanted::Completes(_)) => Bed::Completes,
        }
    }
}

impl Sleepers {
    fn begin(&self, cause: Cause, request: &Arc<Request>) {
        self.0.lock().push((cause, Arc::clone(request)));
    }

    fn end(&self, bed: Bed) -> Option<Arc<Request>> {
        let mut all = self.0.lock();
        let place = all.iter().position(|(cause, _)| cause.bed() == bed)?;
        Some(all.swap_remove(place).1)
    }

    /// Why threads of the rank sleep.
    pub(super) fn causes(&self) -> Vec<Cause> {
        self.0.lock().iter().map(|(cause, _)| cause.clone()).collect()
    }
}

impl Window {
    /// Suspends the rank until it is told to look again, after it has looked for as long as nobody else could use its
    /// processor. `says_so` tells the others that it sleeps, or finds that it need not.
    #[cold]
    pub(super) fn sleep(&self, cause: Cause, says_so: impl FnOnce() -> bool) {
        let Some(own) = self.shared.local(self.comm.seat()) else {
            return;
        };
        let bed = cause.bed();
        let requests = self.process().requests();
        let request = requests.take_receive();
        own.sleepers.begin(cause, &request);
        if !says_so() {
            drop(own.sleepers.end(bed));
            request.settle(&Status::EMPTY);
        }
        request.wait_asleep();
        requests.give_back(request);
    }
}

impl WindowShared {
    /// Tells a rank that sleeps to look again. None if it does not sleep there.
    pub(super) fn wake(&self, seat: u32, bed: Bed, network: Option<&Network>) -> Option<()> {
        if let Some(local) = self.local(seat as usize) {
            local.sleepers.end(bed)?.finish(&Status::EMPTY);
            return Some(());
        }
        let label = Label {
            window: self.id(),
            kind: Kind::Wake,
            detail: bed as u16,
            target: seat,
            origin: 0,
        };
        let host = self.find_part(seat)?.host();
        network?.notify(Service::Windows, host, label.numbers());
        Some(())
    }
}
