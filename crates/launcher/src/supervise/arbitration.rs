//! Failure arbitration: which host is lost, when hosts report that they cannot reach each other.
//!
//! Where a link is cut, the hosts on each side report those on the other side. A host that is stopped reports nothing.
//! The reports come at different times: each host asks the others for a sign of life four times within `peer_timeout`,
//! so one may notice a loss half of that time after another.
//!
//! A report has three stages. First a process may turn out to have ended, which says more than any report
//! ([`EXIT_DELAY`]). Then more reports are waited for, until two hosts agree or half of `peer_timeout` is over. Then
//! the job ends with the name of the host that [`Suspicions::lost`] finds.

use super::phase::{Phase, Verdict};
use super::{GRACE, Supervisor};
use simurgh_net::HostId;
use simurgh_settings::Id;
use std::time::{Duration, Instant};

/// Time in which the end of a process is noticed after others have lost their connection with it.
const EXIT_DELAY: Duration = Duration::from_millis(200);

/// The same where the agent of another node reports the end of the process. Without that report the job would end all
/// the same, but for a worse reason.
const REMOTE_EXIT_DELAY: Duration = Duration::from_secs(1);

/// The reports of hosts about each other.
#[derive(Default)]
pub(super) struct Suspicions {
    /// In the order in which they came.
    reports: Vec<Suspicion>,
}

/// A report that one host cannot reach another.
struct Suspicion {
    by: HostId,
    lost: HostId,
    reason: String,
}

impl Suspicions {
    pub(super) fn add(&mut self, by: HostId, lost: HostId, reason: String) {
        self.reports.push(Suspicion { by, lost, reason });
    }

    /// The lost host, and the reason. It is the one that takes part in most reports, on either side; of several such
    /// hosts the one that most reports are about, and then the one that was reported first.
    pub(super) fn lost(&self) -> Option<(HostId, &str)> {
        let rank = |report: &Suspicion| (self.parts_of(report.lost), self.accusers_of(report.lost));
        // `max_by_key` finds the last of the greatest, hence backwards.
        let found = self.reports.iter().rev().max_by_key(|report| rank(report));
        found.map(|report| (report.lost, report.reason.as_str()))
    }

    /// Whether two hosts say the same of a third: no later report will change which host is lost.
    pub(super) fn are_settled(&self) -> bool {
        self.lost().is_some_and(|(lost, _)| self.accusers_of(lost) > 1)
    }

    fn accusers_of(&self, host: HostId) -> usize {
        self.reports.iter().filter(|report| report.lost == host).count()
    }

    fn parts_of(&self, host: HostId) -> usize {
        let takes_part = |report: &&Suspicion| report.lost == host || report.by == host;
        self.reports.iter().filter(takes_part).count()
    }
}

impl Supervisor<'_> {
    /// Host `by` cannot reach host `lost`.
    pub(super) fn suspect(&mut self, by: HostId, lost: HostId, reason: String) {
        match &mut self.phase {
            Phase::Arbitrating {
                suspicions,
                awaits_reports,
            } => {
                suspicions.add(by, lost, reason);
                if *awaits_reports && suspicions.are_settled() {
                    self.conclude_arbitration();
                }
            }
            Phase::Joining | Phase::Running => {
                let mut suspicions = Suspicions::default();
                suspicions.add(by, lost, reason);
                let time = match self.remote {
                    Some(_) => REMOTE_EXIT_DELAY,
                    None => EXIT_DELAY,
                };
                let phase = Phase::Arbitrating {
                    suspicions,
                    awaits_reports: false,
                };
                self.enter(phase, Some(time));
            }
            Phase::Leaving
            | Phase::Aborting { .. }
            | Phase::Asking(_)
            | Phase::Finishing
            | Phase::Ending
            | Phase::Killed => {}
        }
    }

    /// No process has ended in the time for that.
    pub(super) fn continue_arbitration(&mut self) {
        let peer_timeout = self.starter.spec().settings.get(Id::PeerTimeout).unwrap_or(0);
        let hosts = self.members.len();
        let Phase::Arbitrating {
            suspicions,
            awaits_reports,
        } = &self.phase
        else {
            return;
        };
        let lost = suspicions.lost().map(|(lost, _)| lost);
        // Of two hosts each can report only the other.
        let is_clear = *awaits_reports || hosts == 2 || suspicions.are_settled();
        let lost = lost.and_then(|lost| self.member_of(lost));
        if lost.is_some_and(|lost| self.members[lost].is_exiting()) {
            self.deadline = Some(Instant::now() + EXIT_DELAY);
            return;
        }
        if is_clear {
            return self.conclude_arbitration();
        }
        if let Phase::Arbitrating { awaits_reports, .. } = &mut self.phase {
            *awaits_reports = true;
        }
        self.deadline = Some(Instant::now() + Duration::from_millis(peer_timeout) / 2);
    }

    /// Ends the job with the name of the host that is lost.
    fn conclude_arbitration(&mut self) {
        let Phase::Arbitrating { suspicions, .. } = &self.phase else {
            return;
        };
        let Some((lost, reason)) = suspicions.lost() else {
            return;
        };
        let message = match self.member_of(lost) {
            Some(host) => format!("{}: {reason}", self.members[host]),
            None => format!("host {lost}: {reason}"),
        };
        self.conclude(Verdict { status: 1, message });
    }

    /// A program of another MPI ends the job, unless another program is found to have ended before.
    pub(super) fn abort(&mut self, by: usize, verdict: Verdict) {
        if self.members.len() == 1 {
            return self.conclude(verdict);
        }
        if let Phase::Joining | Phase::Running | Phase::Leaving = self.phase {
            // Reports from other nodes take longer.
            let time = if self.remote.is_some() { GRACE } else { EXIT_DELAY };
            self.enter(Phase::Aborting { by, verdict }, Some(time));
        }
    }

    /// No other program has ended in the time for that.
    pub(super) fn abort_unless_another_ends(&mut self) {
        let Phase::Aborting { by, verdict } = &self.phase else {
            return;
        };
        let mut others = (0..).zip(&self.members).filter(|(host, _)| host != by);
        if others.any(|(_, other)| other.is_exiting()) {
            self.deadline = Some(Instant::now() + EXIT_DELAY);
        } else {
            self.conclude(verdict.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(pairs: &[(HostId, HostId)]) -> Suspicions {
        let mut suspicions = Suspicions::default();
        for (by, lost) in pairs {
            suspicions.add(*by, *lost, format!("{by} of {lost}"));
        }
        suspicions
    }

    #[test]
    fn the_host_behind_a_cut_link_is_lost_even_if_it_reports_first() {
        assert_eq!(reported(&[(2, 3), (1, 2)]).lost(), Some((2, "1 of 2")));
        assert_eq!(
            reported(&[(2, 3), (2, 1), (2, 0), (1, 2)]).lost(),
            Some((2, "1 of 2"))
        );
        let all = reported(&[(2, 3), (3, 2), (2, 1), (1, 2)]);
        assert_eq!(all.lost(), Some((2, "3 of 2")));
        assert!(all.are_settled());
    }

    #[test]
    fn a_single_report_may_be_that_of_the_lost_host_itself() {
        assert!(!reported(&[(2, 3)]).are_settled());
        assert!(!reported(&[(2, 3), (2, 1), (2, 0)]).are_settled());
        assert!(!reported(&[]).are_settled());
        assert_eq!(reported(&[]).lost(), None);
    }

    #[test]
    fn a_stopped_host_is_lost_by_the_reports_of_the_others() {
        let suspicions = reported(&[(1, 2), (3, 2)]);
        assert_eq!(suspicions.lost(), Some((2, "1 of 2")));
        assert!(suspicions.are_settled());
        assert_eq!(reported(&[(1, 2)]).lost(), Some((2, "1 of 2")));
    }
}
