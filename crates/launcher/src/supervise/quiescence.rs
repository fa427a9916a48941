//! Deadlock detection: a job all of whose ranks wait for each other is ended.
//!
//! Quiescence is detected by [`Quiescence`](simurgh_net::control::Quiescence): all hosts are quiet, and have received
//! as many packets as they have sent.

use super::Supervisor;
use super::phase::{Phase, Verdict};
use simurgh_net::control::{Conclusion, DEADLOCK, DEADLOCKED, ToHost};

impl Supervisor<'_> {
    /// A host reports that it is quiet.
    pub(super) fn host_is_quiet(&mut self, host: usize, wave: u32, counts: (u64, u64)) {
        // Hosts whose ranks have all ended are quiet as well.
        let runs =
            matches!(self.phase, Phase::Running) && self.members.iter().any(|member| member.ended.is_none());
        // Ranks of other jobs may be about to send something, and a rank that waits at a port for a limited time will
        // go on.
        let runs = runs && !self.expects_others() && self.ports.next_deadline().is_none();
        match self.quiescence.report(host, wave, counts) {
            Conclusion::Ask { wave } => self.send_to_all(&ToHost::StillQuiet { wave }),
            Conclusion::Deadlock if runs => {
                let verdict = Verdict {
                    status: DEADLOCKED,
                    message: DEADLOCK.into(),
                };
                self.ask(verdict, false);
            }
            Conclusion::Nothing | Conclusion::Deadlock => {}
        }
    }
}
