//! What deadlock reports tell of windows.

use super::shared::WindowShared;
use super::signals::Wanted;
use super::sleepers::Cause;
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
            let in_process = local.signals.awaited().into_iter().map(Cause::Signals);
            for cause in local.sleepers.causes().into_iter().chain(in_process) {
                let wait = match cause {
                    Cause::Fence => self.wait_at_fence(),
                    Cause::Signals(Wanted::Posts(ranks)) => Some(self.wait_for_posts(seat, &ranks, name)),
                    Cause::Signals(Wanted::Completes(count)) => Some(self.wait_for_completes(seat, count)),
                };
                let wait = wait.map(|wait| format!("rank {} waits in {wait}, in window {id}", name(seat)));
                found.extend(wait);
            }
        }
        found
    }
}

impl WindowShared {
    fn wait_at_fence(&self) -> Option<String> {
        let (came, all) = self.barrier()?.progress();
        Some(format!("MPI_Win_fence, where {came} of {all} ranks have come"))
    }

    fn wait_for_posts(&self, seat: usize, ranks: &[u32], name: impl Fn(usize) -> String) -> String {
        let missing = match (self.signals_to(seat as u32), self.local(seat)) {
            (Some(signals), _) => signals.missing_posts(ranks),
            (None, local) => local.map_or_else(Vec::new, |local| local.signals.missing_posts(ranks)),
        };
        let names: Vec<_> = missing.into_iter().map(|rank| name(rank as usize)).collect();
        format!("MPI_Win_start for MPI_Win_post of rank {}", names.join(", "))
    }

    fn wait_for_completes(&self, seat: usize, count: usize) -> String {
        let came = match (self.signals_to(seat as u32), self.local(seat)) {
            (Some(signals), _) => signals.completes(),
            (None, local) => local.map_or(0, |local| local.signals.completes()),
        };
        format!("MPI_Win_wait, where {came} of {count} ranks have called MPI_Win_complete")
    }
}
