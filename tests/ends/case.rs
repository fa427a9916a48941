//! One job and its end.

use crate::mode::{Mode, RANKS};
use crate::room::Room;
use simurgh_testing::{Binary, Deadline, LIMIT, Signal, Started, children, has_variable, signal, words};
use std::time::Duration;

/// The time limit of jobs that reach none.
const NEVER: Duration = Duration::from_secs(600);

/// Within so many microseconds a job starts, or is ended when it has got where it is to be.
const START: u64 = 150_000;
const SOON: u64 = 5_000;

/// The time limit of jobs that reach it.
const TIMEOUT: Duration = Duration::from_millis(300);

/// A variable that the processes have in which ranks live.
const HOSTS_HAVE: &str = "SIMURGH_JOB_FD=";

/// What ends a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    /// SIGKILL of a process in which ranks live.
    Host,
    /// SIGKILL of mpiexec.
    Mpiexec,
    /// SIGKILL of the process behind it that supervises the job.
    Supervisor,
    /// SIGKILL of a node's agent.
    Agent,
    /// A signal to mpiexec.
    Told(Signal),
    /// The time limit.
    Timeout,
}

/// Numbers that a seed decides on.
pub(crate) struct Dice(u64);

impl Dice {
    /// Another seed for each number; the first part of it is `SIMURGH_TEST_SEED`.
    pub(crate) fn new(number: u64) -> Self {
        let seed = std::env::var("SIMURGH_TEST_SEED").map_or(1, |seed| seed.parse().unwrap());
        Self(seed << 32 | number)
    }

    /// A number below `end`, by SplitMix64.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % end
    }
}

/// What is done to a job.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) mode: Mode,
    pub(crate) event: Event,
    /// Where the ranks are then.
    pub(crate) stage: &'static str,
    /// What decides on the moment and the victim.
    pub(crate) number: u64,
}

impl Case {
    /// Ends a job; how long that takes until nothing is left, in virtual time.
    #[track_caller]
    pub(crate) fn run(&self, room: &Room, program: &Binary) -> Duration {
        let mark = Room::mark();
        let limit = match self.event {
            Event::Timeout => TIMEOUT,
            _ => NEVER,
        };
        let options = ["--timeout", &limit.as_secs_f64().to_string()];
        let command = room.command(&self.mode.command(&options, program, self.stage), &mark);
        let mut mpiexec = Started::new(&command);
        let mut before = Duration::ZERO;
        match self.event {
            Event::Timeout => before = TIMEOUT,
            _ => self.strike(&mut mpiexec),
        }
        let outcome = mpiexec.ends(LIMIT);
        let mut deadline = Deadline::after(LIMIT);
        let left = room.leftovers(&mark, &mut deadline);
        let took = (outcome.taken + deadline.passed()).saturating_sub(before);
        assert!(!outcome.timed_out && left.is_empty(), "{self:?}: {left:?}");
        assert_eq!(outcome.code(), self.status(), "{self:?}: {outcome}");
        self.judge(&outcome.stderr);
        took
    }

    /// Ends the job when its ranks are where they shall be.
    #[track_caller]
    fn strike(&self, mpiexec: &mut Started) {
        let mut dice = Dice::new(self.number);
        let mut within = START;
        if self.stage != "start" {
            mpiexec.says(&"up\n".repeat(RANKS));
            within = SOON;
        }
        std::thread::sleep(Duration::from_micros(dice.below(within)));
        let (victim, blow) = self.victim(mpiexec.id(), &mut dice);
        signal(victim, blow);
    }

    /// The process that gets a signal, and which. While a job starts it may not be there yet.
    fn victim(&self, mpiexec: u32, dice: &mut Dice) -> (u32, Signal) {
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
            // mpiexec has the dynamic loader look at the program first.
            match self.event {
                Event::Host => found.retain(|process| has_variable(*process, HOSTS_HAVE)),
                Event::Agent => found.retain(|process| words(*process).ends_with(" agent")),
                _ => {}
            }
            if !found.is_empty() {
                let chosen = dice.below(found.len() as u64) as usize;
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

    /// Whether the user has been told what happened, once.
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
