//! How a job ends before its ranks do.

use super::doubts::Doubts;
use super::{GRACE, Member, Supervisor};
use rustix::process::Signal;
use simurgh_net::control::ToHost;
use simurgh_net::transport::HostId;
use simurgh_settings::Id;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Status when the time is over, as that of `timeout(1)`.
const TIMED_OUT: u8 = 124;

/// Time in which the end of a process is noticed after others have lost their connection with it.
const DOUBT: Duration = Duration::from_millis(200);

/// The same where word of that comes from the agent of another node: as long as it does not, the job would end all the
/// same, but for a worse reason.
const FAR_DOUBT: Duration = Duration::from_secs(1);

/// Time that hosts have to say what their ranks wait for: on a busy machine they need some. Only who has been stopped
/// takes all of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is said of a program that uses MPI and cannot be asked.
const FOREIGN: &str = "is linked with another MPI, which does not say what it waits for";

/// What is said of a rank in a process of its own that waits for the others at the end.
const FINALIZED: &str = "has finalized MPI, and waits for the others to do so";

/// How far a job has come.
pub(super) enum Phase {
    /// Not all hosts have joined.
    Joining,
    /// The ranks run.
    Running,
    /// All ranks have ceased to use MPI; programs may go on for as long as they like.
    Leaving,
    /// Hosts are said to be lost. If a process has ended, that says more.
    Doubting {
        doubts: Doubts,
        /// No process has ended in time: what is waited for is the word of more hosts.
        alone: bool,
    },
    /// A program of another MPI ends the job, and waits for that. If another one has ended, of which this one has only
    /// seen that it is gone, that says more.
    Aborting {
        /// Its host.
        by: usize,
        /// What comes of it.
        verdict: Verdict,
    },
    /// The job is going to end, and the hosts are asked what their ranks wait for.
    Asking(Verdict),
    /// All have been told to end.
    Ending,
    /// All have been killed.
    Killed,
}

impl Phase {
    /// Whether it is decided how the job ends.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Ending | Self::Killed)
    }
}

/// Why a job ends before its ranks do.
#[derive(Clone)]
pub(super) struct Verdict {
    /// Status of the launcher.
    pub(super) status: u8,
    /// For the user.
    pub(super) message: String,
}

impl Supervisor<'_> {
    /// Goes on to a phase, which may take so long.
    pub(super) fn enter(&mut self, phase: Phase, time: Option<Duration>) {
        self.phase = phase;
        self.deadline = time.map(|time| Instant::now() + time);
    }

    /// Ends the job, unless it is ending.
    pub(super) fn conclude(&mut self, verdict: Verdict) {
        if self.phase.is_over() {
            return;
        }
        self.say(&verdict.message);
        self.tell_failure(&verdict.message);
        self.status = Some(verdict.status);
        self.tell_all(&ToHost::Die);
        self.members.iter().for_each(Member::end_unless_it_hears);
        self.enter(Phase::Ending, Some(GRACE));
    }

    /// A host cannot reach host `lost`.
    pub(super) fn doubt(&mut self, by: HostId, lost: HostId, reason: String) {
        match &mut self.phase {
            Phase::Doubting { doubts, alone } => {
                doubts.add(by, lost, reason);
                if *alone && doubts.are_settled() {
                    self.conclude_by_doubts();
                }
            }
            Phase::Joining | Phase::Running => {
                let mut doubts = Doubts::default();
                doubts.add(by, lost, reason);
                let time = if self.far.is_some() { FAR_DOUBT } else { DOUBT };
                self.enter(Phase::Doubting { doubts, alone: false }, Some(time));
            }
            Phase::Leaving | Phase::Aborting { .. } | Phase::Asking(_) | Phase::Ending | Phase::Killed => {}
        }
    }

    /// No process has ended in the time for that.
    fn go_on_doubting(&mut self) {
        let peer_timeout = self.starter.spec().settings.get(Id::PeerTimeout).unwrap_or(0);
        let hosts = self.members.len();
        let Phase::Doubting { doubts, alone } = &self.phase else {
            return;
        };
        let lost = doubts.lost().map(|(lost, _)| lost);
        // Of two hosts each has only the other.
        let is_clear = *alone || hosts == 2 || doubts.are_settled();
        let lost = lost.and_then(|lost| self.member_of(lost));
        if lost.is_some_and(|lost| self.members[lost].is_exiting()) {
            self.deadline = Some(Instant::now() + DOUBT);
            return;
        }
        if is_clear {
            return self.conclude_by_doubts();
        }
        if let Phase::Doubting { alone, .. } = &mut self.phase {
            *alone = true;
        }
        self.deadline = Some(Instant::now() + Duration::from_millis(peer_timeout) / 2);
    }

    /// Ends the job with the name of the host that is lost.
    fn conclude_by_doubts(&mut self) {
        let Phase::Doubting { doubts, .. } = &self.phase else {
            return;
        };
        let Some((lost, reason)) = doubts.lost() else {
            return;
        };
        let message = match self.member_of(lost) {
            Some(host) => format!("{}: {reason}", self.members[host]),
            None => format!("host {lost}: {reason}"),
        };
        self.conclude(Verdict { status: 1, message });
    }

    /// A program of another MPI ends the job, unless another one is found to have ended.
    pub(super) fn abort(&mut self, by: usize, verdict: Verdict) {
        if self.members.len() == 1 {
            return self.conclude(verdict);
        }
        if let Phase::Joining | Phase::Running | Phase::Leaving = self.phase {
            // Word from other nodes takes longer.
            let time = if self.far.is_some() { GRACE } else { DOUBT };
            self.enter(Phase::Aborting { by, verdict }, Some(time));
        }
    }

    /// No other program has ended in the time for that.
    fn abort_unless_another_ends(&mut self) {
        let Phase::Aborting { by, verdict } = &self.phase else {
            return;
        };
        let mut others = (0..).zip(&self.members).filter(|(host, _)| host != by);
        if others.any(|(_, other)| other.is_exiting()) {
            self.deadline = Some(Instant::now() + DOUBT);
        } else {
            self.conclude(verdict.clone());
        }
    }

    /// Asks all hosts what their ranks are waiting for, before the job ends; they may be `moving` meanwhile.
    pub(super) fn ask(&mut self, verdict: Verdict, moving: bool) {
        for member in &mut self.members {
            member.waiting = match (member.has_joined() || member.is_gone(), member.is_program()) {
                (false, true) => Some("has not called MPI_Init".to_owned()),
                (false, false) => Some("has not joined the job".to_owned()),
                _ if member.is_foreign() && member.ended.is_none() => Some(FOREIGN.to_owned()),
                _ if member.waits_for_the_others() => Some(FINALIZED.to_owned()),
                _ => member.ended.map(|_| String::new()),
            };
        }
        self.tell_all(&ToHost::Report { moving });
        self.enter(Phase::Asking(verdict), Some(PATIENCE));
        self.answer_if_all_have();
    }

    /// A host has said what its ranks are waiting for. Of those whose ranks do not use MPI any more enough is known.
    pub(super) fn reported(&mut self, host: usize, text: String) {
        self.members[host].waiting.get_or_insert(text);
        self.answer_if_all_have();
    }

    fn answer_if_all_have(&mut self) {
        if self.members.iter().all(|member| member.waiting.is_some()) {
            self.answer();
        }
    }

    /// Ends the job with what the hosts have said.
    fn answer(&mut self) {
        let Phase::Asking(verdict) = &self.phase else {
            return;
        };
        let mut verdict = verdict.clone();
        for member in &self.members {
            let _ = match &member.waiting {
                Some(text) if text.is_empty() => Ok(()),
                Some(text) if member.is_program() => write!(verdict.message, "\n{member} {text}"),
                Some(text) => write!(verdict.message, "\n{member}: {text}"),
                None => write!(verdict.message, "\n{member} does not answer"),
            };
        }
        self.conclude(verdict);
    }

    /// Acts when something has taken too long.
    pub(super) fn watch_time(&mut self) {
        let now = Instant::now();
        if self.limit.is_some_and(|limit| limit <= now) {
            self.limit = None;
            if let Phase::Joining | Phase::Running | Phase::Leaving = self.phase {
                return self.time_is_over();
            }
        }
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.deadline = None;
            self.phase_is_over();
        }
    }

    fn time_is_over(&mut self) {
        let limit = self.starter.spec().settings.get(Id::Timeout).unwrap_or(0);
        let seconds = Duration::from_millis(limit).as_secs_f64();
        let message = format!("the job has run for {seconds} s, its time limit");
        let verdict = Verdict {
            status: TIMED_OUT,
            message,
        };
        self.ask(verdict, true);
    }

    fn phase_is_over(&mut self) {
        match &self.phase {
            Phase::Joining => self.conclude(Verdict {
                status: 1,
                message: self.missing(),
            }),
            Phase::Doubting { .. } => self.go_on_doubting(),
            Phase::Aborting { .. } => self.abort_unless_another_ends(),
            Phase::Asking(_) => self.answer(),
            Phase::Ending => {
                self.signal_all(Signal::KILL);
                // Nodes that cannot be reached do not answer.
                let patience = self.far.is_some().then_some(GRACE);
                self.enter(Phase::Killed, patience);
            }
            Phase::Killed => self.give_up_nodes(),
            Phase::Running | Phase::Leaving => {}
        }
    }

    fn missing(&self) -> String {
        let settings = &self.starter.spec().settings;
        format!(
            "{} within {} s; --start-timeout gives it more time",
            self.waited_for(),
            settings.show(Id::StartTimeout)
        )
    }
}
