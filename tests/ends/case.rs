//! One job and its end.

use super::mode::{Mode, RANKS};
use super::sandbox::Sandbox;
use simurgh_testing::{
    Binary, Deadline, LIMIT, Random, Signal, Started, children, has_variable, signal, words,
};
use std::time::Duration;

/// The time limit of jobs that do not reach it.
const NEVER: Duration = Duration::from_secs(600);

/// The microseconds within which a job starts, or is ended once it has reached its stage.
const START: u64 = 150_000;
const SOON: u64 = 5_000;

/// The time limit of jobs that reach it.
const TIMEOUT: Duration = Duration::from_millis(300);

/// A variable in the environment of the processes in which ranks live.
const HOSTS_HAVE: &str = "SIMURGH_JOB_FD=";

/// The cause of a job's end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    /// SIGKILL of a process in which ranks live.
    Host,
    /// SIGKILL of mpiexec.
    Mpiexec,
    /// SIGKILL of mpiexec's child that supervises the job.
    Supervisor,
    /// SIGKILL of a node's agent.
    Agent,
    /// A signal to mpiexec.
    Told(Signal),
    /// The time limit.
    Timeout,
}

/// A case: what happens to a job.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) mode: Mode,
    pub(crate) event: Event,
    /// The stage that the ranks have reached then.
    pub(crate) stage: &'static str,
    /// The random numbers for the moment and the victim.
    pub(crate) number: u64,
}

impl Case {
    /// Ends a job; returns the time until nothing is left, in virtual time.
    #[track_caller]
    pub(crate) fn run(&self, sandbox: &Sandbox, program: &Binary) -> Duration {
        let mark = Sandbox::mark();
        let limit = match self.event {
            Event::Timeout => TIMEOUT,
            _ => NEVER,
        };
        let options = ["--timeout", &limit.as_secs_f64().to_string()];
        let command = sandbox.command(&self.mode.command(&options, program, self.stage), &mark);
        let mut mpiexec = Started::new(&command);
        let mut before = Duration::ZERO;
        match self.event {
            Event::Timeout => before = TIMEOUT,
            _ => self.strike(&mut mpiexec),
        }
        let outcome = mpiexec.ends(LIMIT);
        let mut deadline = Deadline::after(LIMIT);
        let left = sandbox.leftovers(&mark, &mut deadline);
        let took = (outcome.taken + deadline.passed()).saturating_sub(before);
        assert!(!outcome.timed_out && left.is_empty(), "{self:?}: {left:?}");
        assert_eq!(outcome.code(), self.status(), "{self:?}: {outcome}");
        self.judge(&outcome.stderr);
        took
    }

    /// Ends the job when its ranks have reached the stage.
    #[track_caller]
    fn strike(&self, mpiexec: &mut Started) {
        let mut random = Random::sequence(self.number);
        let mut within = START;
        if self.stage != "start" {
            mpiexec.says(&"up\n".repeat(RANKS));
            within = SOON;
        }
        std::thread::sleep(Duration::from_micros(random.below(within)));
        let (victim, blow) = self.victim(mpiexec.id(), &mut random);
        signal(victim, blow);
    }

    /// The process that gets a signal, and the signal. While a job starts, the process may not exist yet.
    fn victim(&self, mpiexec: u32, random: &mut Random) -> (u32, Signal) {
        let depth = match self.event {
            Event::Told(which) => return (mpiexec, which),
            Event::Mpiexec | Event::Timeout => 0,
            Event::Supervisor => 1,
            Event::Agent => 2,
            Event::Host => 2 + usize::from(self.mode.has_agents()),
        };
        loop {
            let below = |processes: Vec<u32>, _| processes.into_iter().flat_map(children).collect();
            let mut found = (0..depth).fold(vec![mpiexec], below);
            // mpiexec lets the dynamic loader look at the program first.
            match self.event {
                Event::Host => found.retain(|process| has_variable(*process, HOSTS_HAVE)),
                Event::Agent => found.retain(|process| words(*process).ends_with(" agent")),
                _ => {}
            }
            if !found.is_empty() {
                let chosen = random.below(found.len() as u64) as usize;
                return (found[chosen], Signal::KILL);
            }
        }
    }

    /// The status of the job.
    fn status(&self) -> i32 {
        match self.event {
            Event::Host | Event::Agent | Event::Mpiexec | Event::Supervisor => 137,
            Event::Told(which) => 128 + which.as_raw(),
            Event::Timeout => 124,
        }
    }

    /// Whether exactly one message told the user what happened.
    #[track_caller]
    fn judge(&self, said: &str) {
        let words: &[&str] = match self.event {
            Event::Host if self.mode.has_processes() => &["simurgh: rank ", ") was killed by signal 9\n"],
            Event::Host => &["simurgh: host ", ") was killed by signal 9\n"],
            Event::Supervisor => &[
                "simurgh: the process of ",
                " that supervises the job was killed by signal 9\n",
            ],
            Event::Agent => &["simurgh: node ", " was killed by signal 9\n"],
            Event::Timeout => &["simurgh: the job has run for 0.3 s, its time limit"],
            Event::Mpiexec | Event::Told(_) => &[],
        };
        let messages = usize::from(!words.is_empty());
        assert!(words.iter().all(|word| said.contains(word)), "{self:?}: {said}");
        assert_eq!(said.matches("simurgh: ").count(), messages, "{self:?}: {said}");
        if self.event != Event::Timeout {
            assert_eq!(said.lines().count(), messages, "{self:?}: {said}");
        }
    }
}
