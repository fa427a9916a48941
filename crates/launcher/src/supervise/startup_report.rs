//! The report to the user when a job takes long to start.

use super::Supervisor;
use super::phase::Phase;
use super::remote::RemoteNodes;
use simurgh_net::job::JobSpec;
use simurgh_settings::Id;
use std::time::{Duration, Instant};

/// The time after which the user is told what the job waits for, if the time to start is at least twice as long; and
/// the time between reports.
const FIRST: Duration = Duration::from_secs(5);

/// Most names that are listed.
const LISTED: usize = 4;

/// When the user is told next.
pub(super) struct StartupReport {
    start: Instant,
    interval: Duration,
    next: Option<Instant>,
}

impl StartupReport {
    /// The reports of a job that starts now.
    pub(super) fn new(start: Instant, spec: &JobSpec) -> Self {
        let limit = spec.settings.time(Id::StartTimeout);
        let interval = limit.map_or(FIRST, |limit| FIRST.min(limit / 2));
        Self {
            start,
            interval,
            next: Some(start + interval),
        }
    }

    /// When the next report is due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.next
    }
}

impl Supervisor<'_> {
    /// Tells the user what the job waits for, if a report is due.
    pub(super) fn report_startup(&mut self) {
        let Some(next) = self.startup_report.next else {
            return;
        };
        let is_due = next <= Instant::now();
        if !matches!(self.phase, Phase::Joining) || is_due && self.waits_for_programs() {
            self.startup_report.next = None;
        } else if is_due {
            let seconds = self.startup_report.start.elapsed().as_secs_f64();
            let text = format!("starting for {seconds:.1} s: {}", self.waited_for());
            self.print_message(&text);
            self.startup_report.next = Some(Instant::now() + self.startup_report.interval);
        }
    }

    /// Whether only programs are missing, which begin to use MPI when they like.
    fn waits_for_programs(&self) -> bool {
        let started = self.remote.as_ref().is_none_or(RemoteNodes::are_here);
        let mut missing = self.members.iter().filter(|member| !member.has_joined());
        started && missing.all(crate::hosts::Member::is_program)
    }

    /// A description of what the job waits for before the ranks can run.
    pub(super) fn waited_for(&self) -> String {
        let absent = self.remote.as_ref().map(RemoteNodes::absent).unwrap_or_default();
        if !absent.is_empty() {
            let launcher = self.remote.as_ref().map_or("", RemoteNodes::launcher);
            return format!("{} has not answered {launcher}", listed("node ", &absent));
        }
        let missing = self.members.iter().filter(|member| !member.has_joined());
        let names: Vec<_> = missing.map(ToString::to_string).collect();
        format!("{} has not joined the job", listed("", &names))
    }
}

/// The first of several names, and the number of the others.
fn listed(kind: &str, names: &[String]) -> String {
    let shown = names[..names.len().min(LISTED)].join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => format!("{kind}{shown}"),
        more => format!("{kind}{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<_> = (0..6).map(|n| format!("n{n}")).collect();
        assert_eq!(listed("node ", &names[..2]), "node n0, n1");
        assert_eq!(listed("node ", &names), "node n0, n1, n2, n3 and 2 more");
    }
}
