//! What deadlock reports tell of windows.

use super::shared::WindowShared;
use crate::deadlock::WaitPoint;
use crate::layout::Layout;
use simurgh_core::{Held, LockKind, LockRequest};

impl WaitPoint for WindowShared {
    fn waits(&self, layout: &Layout) -> Vec<String> {
        let name = |seat: usize| match self.comm.members.process(seat) {
            Some(process) => layout.name_of(process),
            None => seat.to_string(),
        };
        let id = self.id();
        let mut found = Vec::new();
        for seat in self.local_seats() {
            let Some(local) = self.local(seat) else { continue };
            let lock = self.lock_of(seat);
            let (held, queue) = lock.map_or((Held::Free, Vec::new()), |lock| lock.waits());
            for LockRequest { origin, kind } in queue {
                let kind = match kind {
                    LockKind::Exclusive => "an exclusive",
                    LockKind::Shared => "a shared",
                };
                let holder = match held {
                    Held::Free => "nobody holds".to_owned(),
                    Held::ExclusivelyBy(holder) => {
                        format!("rank {} holds exclusively", name(holder as usize))
                    }
                    Held::SharedBy(count) => format!("{count} ranks share"),
                };
                let (origin, target) = (name(origin as usize), name(seat));
                found.push(format!(
                    "rank {origin} waits for {kind} lock of rank {target}, which {holder}, in window {id}"
                ));
            }
            if let Some(barrier) = self.barrier().filter(|_| local.sleeper.is_asleep()) {
                let ((came, all), waiting) = (barrier.progress(), name(seat));
                found.push(format!(
                    "rank {waiting} waits in MPI_Win_fence, where {came} of {all} ranks have come, in window {id}"
                ));
            }
            if let Some(wait) = local.signals.wait(self) {
                found.push(format!("rank {} waits in {wait}, in window {id}", name(seat)));
            }
        }
        found
    }
}
