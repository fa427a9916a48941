//! The phases of a job, and the time that each may take.

use super::arbitration::Suspicions;
use super::{GRACE, Supervisor};
use rustix::process::Signal;
use simurgh_settings::Id;
use std::time::{Duration, Instant};

/// The status of a job whose time is over, as that of `timeout(1)`.
const TIMED_OUT: u8 = 124;

/// The time that hosts have to write what they collect, such as statistics and profiles, when all their ranks have
/// ended. Much of that may be written to a slow disk, but a host that hangs is not waited for.
pub(super) const TIME_TO_FINISH: Duration = Duration::from_secs(60);

/// How far a job has come.
///
/// ```text
/// Joining → Running → Leaving (programs) or Finishing (hosts)  the ranks end
///    └─────────┴─→ Arbitrating, Aborting, Asking → Ending      something else ends the job
///                           Finishing, Ending → Killed        the time to end is over
/// ```
pub(super) enum Phase {
    /// Not all hosts have joined.
    Joining,
    /// The ranks run.
    Running,
    /// All ranks have ceased to use MPI. Programs may go on for as long as they like.
    Leaving,
    /// Hosts are said to be lost. If a process has ended, that says more.
    Arbitrating {
        suspicions: Suspicions,
        /// No process has ended in time: the reports of more hosts are waited for.
        awaits_reports: bool,
    },
    /// A program of another MPI wants to end the job, and waits for that. It may have seen only that another program is
    /// gone; if that one has ended, its end says more.
    Aborting {
        /// The host of the program.
        by: usize,
        /// How the job ends if no other program has ended.
        verdict: Verdict,
    },
    /// The job is going to end, and the hosts are asked what their ranks wait for.
    Asking(Verdict),
    /// All ranks have ended well or badly, and the hosts have been released: they write what they have collected.
    Finishing,
    /// All hosts have been told to end.
    Ending,
    /// All hosts have been killed.
    Killed,
}

impl Phase {
    /// Whether the ranks have ended, or have been told to. What their hosts say no longer changes how the job ends.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Finishing | Self::Ending | Self::Killed)
    }

    /// Whether the hosts have been told to end at once. The user can still have that while they finish.
    pub(super) fn is_ending(&self) -> bool {
        matches!(self, Self::Ending | Self::Killed)
    }
}

/// Why a job ends before its ranks do.
#[derive(Clone)]
pub(super) struct Verdict {
    /// The status of the launcher.
    pub(super) status: u8,
    /// The message for the user.
    pub(super) message: String,
}

impl Supervisor<'_> {
    /// Goes on to a phase, which may take `time`.
    pub(super) fn enter(&mut self, phase: Phase, time: Option<Duration>) {
        self.phase = phase;
        self.deadline = time.map(|time| Instant::now() + time);
    }

    /// Acts when the job or its phase has taken too long.
    pub(super) fn check_deadlines(&mut self) {
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
            Phase::Arbitrating { .. } => self.continue_arbitration(),
            Phase::Aborting { .. } => self.abort_unless_another_ends(),
            Phase::Asking(_) => self.answer(),
            Phase::Finishing => {
                self.report_unfinished();
                self.kill_all();
            }
            Phase::Ending => self.kill_all(),
            Phase::Killed => self.give_up_nodes(),
            Phase::Running | Phase::Leaving => {}
        }
    }

    fn kill_all(&mut self) {
        self.signal_all(Signal::KILL);
        // A node that cannot be reached does not answer.
        let patience = self.remote.is_some().then_some(GRACE);
        self.enter(Phase::Killed, patience);
    }

    /// Tells the user of hosts that have not ended in time after their ranks.
    fn report_unfinished(&mut self) {
        let unfinished = self.members.iter().filter(|member| !member.is_gone());
        let names: Vec<_> = unfinished.map(ToString::to_string).collect();
        let message = format!(
            "killed {} s after the end of all ranks: {}. What was being written, such as a heap profile, is incomplete",
            TIME_TO_FINISH.as_secs(),
            names.join(", ")
        );
        self.print_message(&message);
        self.report_failure(&message);
        self.status = self.status.filter(|status| *status != 0).or(Some(1));
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
