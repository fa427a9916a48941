//! The time for which an idle virtual processor spins before it sleeps, which adapts.
//!
//! An idle period that was short, sleep and wake-up included, doubles the time; another one halves it. How long it may
//! become depends on what is awaited ([`Longest`]).
//!
//! A provider that accesses memory for other nodes does not tell, so that a poller that serves them finds nothing and
//! sleeps again and again, and each sleep delays what comes next by a wake-up. A sleep that was over [at once](AT_ONCE)
//! shows that: then the time may become [`SERVING`].

use std::time::Duration;

/// Shortest time, unless spinning is switched off.
const SHORTEST: Duration = Duration::from_micros(1);
/// Longest time of one that serves other nodes: a wake-up, which takes up to 100 us where cores halt, is then little.
const SERVING: Duration = Duration::from_millis(8);
/// A sleep that is over sooner was ended by something that came. Naps, which poll where nothing wakes the sleeper, are
/// longer.
const AT_ONCE: Duration = Duration::from_micros(150);
/// An idle period that ends after so many times the longest time, by a wake-up, would have been over sooner without the
/// sleep.
const SHORT_SLEEPS: u32 = 3;

/// Longest time for which an idle virtual processor spins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Longest {
    /// About twice the cost of a wake-up.
    Usual,
    /// For one that polls a network that leads to other nodes: an answer takes longer than a wake-up, which would come
    /// on top of it.
    Far,
    /// For one that is dedicated to the network and has a core of its own: what it waits for may come from afar. It may
    /// lead to other nodes.
    Dedicated { is_far: bool },
}

impl Longest {
    fn time(self) -> Duration {
        match self {
            Self::Usual => Duration::from_micros(20),
            Self::Far => Duration::from_micros(500),
            Self::Dedicated { .. } => Duration::from_millis(1),
        }
    }

    /// Whether other nodes may be served without a word of it.
    fn may_serve(self) -> bool {
        matches!(self, Self::Far | Self::Dedicated { is_far: true })
    }
}

/// An idle period that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdlePeriod {
    /// Sleep and wake-up included.
    pub(super) length: Duration,
    /// The sleep, if there was one.
    pub(super) slept: Option<Duration>,
}

/// The time for which to spin next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpinTime(Duration);

impl SpinTime {
    pub(super) fn new() -> Self {
        Self(Longest::Usual.time())
    }

    pub(super) fn get(self) -> Duration {
        self.0
    }

    /// The time after an idle period.
    pub(super) fn after(self, period: IdlePeriod, longest: Longest) -> Self {
        let usual = longest.time();
        let longest = match period.slept {
            Some(slept) if longest.may_serve() && slept < AT_ONCE => SERVING,
            // What is found keeps the time that it took to find it.
            None if longest.may_serve() => usual.max(self.0),
            _ => usual,
        };
        let is_short = period.slept.is_none() || period.length < SHORT_SLEEPS * longest;
        Self(match is_short {
            true => (self.0 * 2).min(longest),
            false => (self.0 / 2).clamp(SHORTEST, longest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: IdlePeriod = IdlePeriod {
        length: Duration::from_micros(10),
        slept: None,
    };

    fn slept(micros: u64, spun: SpinTime) -> IdlePeriod {
        let slept = Duration::from_micros(micros);
        IdlePeriod {
            length: spun.get() + slept,
            slept: Some(slept),
        }
    }

    /// The time after many periods alike, with sleeps of so many microseconds.
    fn settled(mut time: SpinTime, micros: u64, longest: Longest) -> Duration {
        (0..40).for_each(|_| time = time.after(slept(micros, time), longest));
        time.get()
    }

    #[test]
    fn it_is_long_where_the_wait_is_short_and_short_where_it_is_long() {
        for longest in [Longest::Usual, Longest::Far, Longest::Dedicated { is_far: false }] {
            let time = (0..20).fold(SpinTime::new(), |time, _| time.after(FOUND, longest));
            assert_eq!(time.get(), longest.time());
            assert_eq!(settled(time, 10, Longest::Usual), Longest::Usual.time());
            assert_eq!(settled(time, 100_000, longest), SHORTEST);
        }
    }

    #[test]
    fn who_serves_other_nodes_sleeps_rarely_until_a_sleep_is_long() {
        for longest in [Longest::Far, Longest::Dedicated { is_far: true }] {
            assert_eq!(settled(SpinTime::new(), 50, longest), SERVING);
            assert_eq!(SpinTime(SERVING).after(FOUND, longest).get(), SERVING);
            let woken_late = SpinTime(SERVING).after(slept(5000, SpinTime(SERVING)), longest);
            assert_eq!(woken_late.get(), longest.time());
        }
        assert_eq!(settled(SpinTime::new(), 250, Longest::Far), Longest::Far.time());
        let near = Longest::Dedicated { is_far: false };
        assert_eq!(settled(SpinTime::new(), 50, near), near.time());
    }
}
