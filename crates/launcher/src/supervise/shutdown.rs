//! Ending a job before its ranks do: the verdict, and what the ranks are waiting for.

use super::phase::{Phase, Verdict};
use super::{GRACE, Supervisor};
use crate::hosts::Member;
use simurgh_net::control::ToHost;
use std::fmt::Write;
use std::time::Duration;

/// Time that hosts have to say what their ranks wait for. On a busy machine they need some; only a stopped host takes
/// all of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The report about a program that uses another MPI and cannot be asked.
const FOREIGN: &str = "is linked with another MPI, which does not say what it waits for";

/// The report about a rank in a process of its own that waits for the others at the end.
const FINALIZED: &str = "has finalized MPI, and waits for the others to do so";

impl Supervisor<'_> {
    /// Ends the job, unless it is ending.
    pub(super) fn conclude(&mut self, verdict: Verdict) {
        if self.phase.is_over() {
            return;
        }
        self.print_message(&verdict.message);
        self.report_failure(&verdict.message);
        self.status = Some(verdict.status);
        self.send_to_all(&ToHost::Die);
        self.members.iter().for_each(Member::signal_unless_it_reads);
        self.enter(Phase::Ending, Some(GRACE));
    }

    /// Asks all hosts what their ranks are waiting for, before the job ends. The ranks may be `moving` meanwhile.
    pub(super) fn ask(&mut self, verdict: Verdict, moving: bool) {
        for member in &mut self.members {
            member.waiting = match (member.has_joined() || member.is_gone(), member.is_program()) {
                (false, true) if member.is_native() => Some("has not called simurgh::run".to_owned()),
                (false, true) => Some("has not called MPI_Init".to_owned()),
                (false, false) => Some("has not joined the job".to_owned()),
                _ if member.is_foreign() && member.ended.is_none() => Some(FOREIGN.to_owned()),
                _ if member.waits_for_the_others() => Some(FINALIZED.to_owned()),
                _ => member.ended.map(|_| String::new()),
            };
        }
        self.send_to_all(&ToHost::Report { moving });
        self.enter(Phase::Asking(verdict), Some(PATIENCE));
        self.answer_if_all_have();
    }

    /// A host has said what its ranks are waiting for. It counts only where nothing is known yet: about ranks that have
    /// ceased to use MPI, enough is known.
    pub(super) fn reported(&mut self, host: usize, text: String) {
        self.members[host].waiting.get_or_insert(text);
        self.answer_if_all_have();
    }

    fn answer_if_all_have(&mut self) {
        if self.members.iter().all(|member| member.waiting.is_some()) {
            self.answer();
        }
    }

    /// Ends the job with the reports of the hosts.
    pub(super) fn answer(&mut self) {
        let Phase::Asking(verdict) = &self.phase else {
            return;
        };
        let mut verdict = verdict.clone();
        for member in &self.members {
            let _ = match &member.waiting {
                Some(text) if text.is_empty() => Ok(()),
                Some(text) if member.says_of_itself() => write!(verdict.message, "\n{member} {text}"),
                Some(text) => write!(verdict.message, "\n{member}: {text}"),
                None => write!(verdict.message, "\n{member} does not answer"),
            };
        }
        self.conclude(verdict);
    }
}
