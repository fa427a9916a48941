//! Counting who has arrived, first on each worker and then altogether.
//!
//! A gate counts the arrivals on one worker and knows how many to expect there. Only when it has all of them does it
//! report to the common count, so that a meeting moves the common line once per worker and not once per party. What a
//! gate expects follows the parties as they wander between workers: one that arrives at another gate than last time
//! is expected there from then on, and no longer at the old one. Whoever makes a gate complete, be it by arriving or
//! by not being expected any more, claims in the same step the arrivals that nobody has reported, and reports them; so
//! no arrival is counted late, twice or not at all. (With the claim in a step of its own a slow reporter could count
//! into the next meeting: the model in `tests/loom.rs` finds it.)

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Parties for each gate, at least: fewer are counted at one. The model checker cannot afford that many.
const PARTIES_PER_GATE: usize = if cfg!(loom) { 1 } else { 4 };

/// Arrivals at one meeting.
pub(super) struct Arrivals {
    parties: usize,
    gates: Box<[CachePadded<Gate>]>,
    total: CachePadded<AtomicUsize>,
}

/// The arrivals on one worker.
#[derive(Default)]
struct Gate {
    count: AtomicU64,
    /// What the first party came for; zero before.
    topic: AtomicU64,
}

/// The state of a gate, in one word: it changes as a whole, so that each arrival is reported by exactly one party.
#[derive(Clone, Copy)]
struct Count {
    expected: u64,
    arrived: u64,
    /// Arrivals that somebody has reported, or is about to.
    claimed: u64,
}

/// Bits of each number in the word.
const BITS: u32 = 21;
const MASK: u64 = (1 << BITS) - 1;

impl Count {
    #[inline]
    fn unpack(word: u64) -> Self {
        Self {
            expected: word >> (2 * BITS),
            arrived: word >> BITS & MASK,
            claimed: word & MASK,
        }
    }

    #[inline]
    fn pack(self) -> u64 {
        self.expected << (2 * BITS) | self.arrived << BITS | self.claimed
    }
}

/// Where a party is expected: 0 nowhere yet, or 1 + the number of a gate. Only the party itself uses it.
#[derive(Default)]
pub(super) struct Home(AtomicU32);

/// How an arrival ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Others are still to come.
    Early,
    /// Everybody is here.
    Last,
}

impl Arrivals {
    /// Arrivals of `parties`, on up to `workers` workers.
    ///
    /// # Panics
    ///
    /// When there are more parties than the word of a gate can count.
    pub(super) fn new(parties: usize, workers: usize) -> Self {
        assert!(parties as u64 <= MASK, "no more than {MASK} parties can meet");
        let gates = workers.min(parties / PARTIES_PER_GATE).max(1);
        Self {
            parties,
            gates: std::iter::repeat_with(CachePadded::default).take(gates).collect(),
            total: CachePadded::default(),
        }
    }

    /// A party arrives on a worker.
    pub(super) fn arrive(&self, home: &Home, worker: usize, topic: u64) -> Arrival {
        if let [gate] = &*self.gates {
            gate.note(topic);
            return self.report(1);
        }
        let index = worker % self.gates.len();
        let gate = &self.gates[index];
        gate.note(topic);
        // Relaxed here and below: only the party uses it.
        let old = home.0.load(Ordering::Relaxed) as usize;
        if old == index + 1 {
            return self.report(gate.change(|count| count.arrived += 1));
        }
        home.0.store(index as u32 + 1, Ordering::Relaxed);
        self.move_in(gate, old)
    }

    /// A party arrives at a gate that does not expect it.
    #[cold]
    fn move_in(&self, gate: &Gate, old: usize) -> Arrival {
        let mut claimed = gate.change(|count| {
            count.expected += 1;
            count.arrived += 1;
        });
        if let Some(old) = old.checked_sub(1) {
            claimed += self.gates[old].change(|count| count.expected -= 1);
        }
        self.report(claimed)
    }

    /// Adds arrivals to the total.
    #[inline]
    fn report(&self, arrivals: usize) -> Arrival {
        if arrivals == 0 {
            return Arrival::Early;
        }
        // AcqRel: the last one sees what all others brought; pairs with the same of the others.
        self.verdict(self.total.fetch_add(arrivals, Ordering::AcqRel) + arrivals)
    }

    #[inline]
    fn verdict(&self, arrived: usize) -> Arrival {
        if arrived == self.parties {
            Arrival::Last
        } else {
            Arrival::Early
        }
    }

    /// Whether all parties came for the same. Asked by the last one.
    pub(super) fn agree(&self) -> bool {
        // Relaxed: ordered by the counts. A gate without arrivals has no topic.
        let mut topics = self
            .gates
            .iter()
            .map(|gate| gate.topic.load(Ordering::Relaxed))
            .filter(|topic| *topic != 0);
        let first = topics.next();
        first != Some(DISPUTED) && topics.all(|topic| Some(topic) == first)
    }

    /// Prepares for the next meeting. Called by the last one, before anybody is let go.
    pub(super) fn reset(&self) {
        // Relaxed throughout: whoever lets the parties go publishes it, and nobody arrives before.
        for gate in &self.gates {
            let count = Count::unpack(gate.count.load(Ordering::Relaxed));
            let fresh = Count {
                arrived: 0,
                claimed: 0,
                ..count
            };
            gate.count.store(fresh.pack(), Ordering::Relaxed);
            gate.topic.store(0, Ordering::Relaxed);
        }
        self.total.store(0, Ordering::Relaxed);
    }
}

/// The topic of a gate whose parties came for different things.
const DISPUTED: u64 = u64::MAX;

impl Gate {
    /// Notes what a party came for, or that it is not what another came for.
    #[inline]
    fn note(&self, topic: u64) {
        // Relaxed throughout: the counts order it.
        let seen = self.topic.load(Ordering::Relaxed);
        if seen != topic {
            self.note_first(topic);
        }
    }

    fn note_first(&self, topic: u64) {
        let first = self
            .topic
            .compare_exchange(0, topic, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_err_and(|seen| seen != topic) {
            self.topic.store(DISPUTED, Ordering::Relaxed);
        }
    }

    /// Changes the counts; returns how many arrivals the caller has to report: if the gate is complete, those that
    /// nobody else reports.
    #[inline]
    fn change(&self, change: impl Fn(&mut Count)) -> usize {
        let mut word = self.count.load(Ordering::Relaxed);
        loop {
            let mut count = Count::unpack(word);
            change(&mut count);
            let mut claim = 0;
            if count.arrived == count.expected {
                claim = count.arrived - count.claimed;
                count.claimed = count.arrived;
            }
            // AcqRel: whoever reports has seen what the gate's parties brought; pairs with the same of the others.
            match self
                .count
                .compare_exchange_weak(word, count.pack(), Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => return claim as usize,
                Err(now) => word = now,
            }
        }
    }
}
