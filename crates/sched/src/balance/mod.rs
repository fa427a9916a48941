//! Rebalancing: execution contexts move from virtual processors with much to do to those with little.
//!
//! A thread samples what runs on each virtual processor ([`meter`]). That costs the virtual processors nothing: what it
//! reads, they write in any case. When the measurement is settled, it decides on moves ([`plan`]). It moves nothing
//! unless that makes the largest load smaller by a certain share. So contexts do not move to and fro. A context moves
//! when its virtual processor comes to it next, which in a program with collectives is mostly after one of these. If
//! nothing is to be gained, the thread rests for some time: it takes little of the cores of a program that is balanced.

mod meter;
mod plan;

use std::sync::Arc;
use std::time::{Duration, Instant};

use simurgh_core::sync::{AtomicU64, Ordering, SpinLock};
use simurgh_core::{PassiveThread, Watched, kernel_thread_time};

use crate::policy::Rebalancing;
use crate::vp::Shared;
use crate::worker_status::WorkerStatus;
use meter::{Meter, Times};
use plan::Load;

/// The mean time between two samples.
const PERIOD: Duration = Duration::from_micros(250);
/// The time between two looks while nothing runs.
const PERIOD_IDLE: Duration = Duration::from_millis(100);

/// After a measurement that has found nothing to gain, so many times the time that it took pass before the next one; at
/// most so long.
const REST: u32 = 10;
const REST_MAX: Duration = Duration::from_secs(2);

/// How often moves are asked for: contexts that have waited all that time have no load.
const ASKED_MAX: u32 = 8000;

/// The execution contexts whose load is evened out.
#[derive(Default)]
pub(crate) struct Members {
    all: SpinLock<Vec<Watched>>,
    moves: AtomicU64,
}

impl Members {
    /// Adds one.
    pub(crate) fn add(&self, member: Watched) {
        self.all.lock().push(member);
    }

    /// The number of moves that have been decided on.
    pub(crate) fn moves(&self) -> u64 {
        self.moves.load(Ordering::Relaxed)
    }

    /// Those that have not ended.
    fn alive(&self) -> Vec<Watched> {
        let mut all = self.all.lock();
        all.retain(|member| member.vp().is_some());
        all.clone()
    }
}

/// Evens out the load.
pub(crate) struct Balancer {
    shared: Arc<Shared>,
    statuses: Vec<Arc<WorkerStatus>>,
    members: Arc<Members>,
    rule: Rebalancing,
    /// The moves that are wanted and have not been made.
    wanted: Vec<(Watched, usize)>,
    /// How often they have been asked for.
    asked: u32,
    /// The state of the sequence that makes samples come at uneven times: a program's own period must not hide
    /// anything.
    random: u64,
}

impl Balancer {
    pub(crate) fn new(
        shared: Arc<Shared>,
        statuses: Vec<Arc<WorkerStatus>>,
        members: Arc<Members>,
        rule: Rebalancing,
    ) -> Self {
        Self {
            shared,
            statuses,
            members,
            rule,
            wanted: Vec::new(),
            asked: 0,
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// The body of the kernel thread, which is unparked when the runtime ends.
    pub(crate) fn run(mut self) {
        self.shared.note_thread();
        let _passive = PassiveThread::new();
        let mut meter = Meter::new(self.statuses.len(), self.rule.period);
        let (mut pause, mut begin) = (PERIOD, Instant::now());
        while !self.shared.substitutes.are_over() {
            std::thread::park_timeout(self.uneven(pause));
            pause = match self.sample(&mut meter) {
                Duration::ZERO => (2 * pause).min(PERIOD_IDLE),
                _ => PERIOD,
            };
            self.ask_again();
            if self.wanted.is_empty()
                && let Some(times) = meter.settled()
            {
                if !self.decide(&times) {
                    std::thread::park_timeout((REST * begin.elapsed()).min(REST_MAX));
                }
                meter.restart();
                begin = Instant::now();
            }
        }
    }

    /// From half to one and a half times this pause.
    fn uneven(&mut self, pause: Duration) -> Duration {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        pause / 2 + pause.mul_f64((self.random >> 32) as f64 / f64::from(u32::MAX))
    }

    /// Samples all virtual processors. Returns the processor time that they have used since the last time.
    fn sample(&self, meter: &mut Meter) -> Duration {
        let sample = |(vp, status): (usize, &Arc<WorkerStatus>)| {
            let thread = Some(status.thread()).filter(|&thread| thread != 0)?;
            let time = kernel_thread_time(thread)?;
            Some(meter.sample(vp, time, status.worker.running_mark()))
        };
        self.statuses.iter().enumerate().filter_map(sample).sum()
    }

    /// Decides on moves, by the times for which contexts have run. Returns whether there are any.
    fn decide(&mut self, times: &Times) -> bool {
        let members = self.members.alive();
        let load = |member: &Watched| {
            let time = times.get(&member.mark()).copied().unwrap_or(0.0);
            Some(Load {
                // One that is about I/O at the moment is on no virtual processor that has a load.
                vp: member.vp().filter(|&vp| vp < self.statuses.len())?,
                time,
            })
        };
        let known: Vec<(Watched, Load)> = members
            .iter()
            .filter_map(|member| Some((*member, load(member)?)))
            .collect();
        let loads: Vec<Load> = known.iter().map(|(_, load)| *load).collect();
        let topology = &self.shared.topology;
        let core = |vp: usize| vp % topology.cores().len();
        let joins = |vp: usize, other: usize| topology.joins(core(vp), core(other));
        let moves = plan::moves(&loads, self.statuses.len(), self.rule.least_gain, joins);
        self.members
            .moves
            .fetch_add(moves.len() as u64, Ordering::Relaxed);
        self.wanted = moves.iter().map(|&(place, vp)| (known[place].0, vp)).collect();
        self.asked = 0;
        !self.wanted.is_empty()
    }

    /// Asks once more for the moves that have not been made, unless contexts have waited for too long.
    fn ask_again(&mut self) {
        self.asked += 1;
        if self.asked > ASKED_MAX {
            self.wanted.clear();
        }
        self.wanted
            .retain(|(member, target)| member.vp().is_some_and(|vp| vp != *target));
        self.wanted
            .iter()
            .for_each(|(member, target)| member.ask_to_move(*target));
    }
}
