//! Ending a job all of whose ranks wait for each other.

use super::Supervisor;
use super::phase::{Phase, Verdict};
use simurgh_net::control::{Conclusion, DEADLOCK, DEADLOCKED, ToHost};

impl Supervisor<'_> {
    /// A host has said that it is quiet.
    pub(super) fn is_quiet(&mut self, host: usize, wave: u32, counts: (u64, u64)) {
        // Where all ranks have ended it is quiet as well.
        let runs =
            matches!(self.phase, Phase::Running) && self.members.iter().any(|member| member.ended.is_none());
        // Nobody here knows what others are about to send; and who gives up soon at a port does not wait for ever.
        let runs = runs && !self.expects_others() && self.ports.patient_until().is_none();
        match self.quiescence.report(host, wave, counts) {
            Conclusion::Ask { wave } => self.tell_all(&ToHost::StillQuiet { wave }),
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
