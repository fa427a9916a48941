//! Which way long data goes to and from other processes of the node: by the kernel, which copies it at once, or in
//! packets.
//!
//! Where system calls take long, packets are the faster way, as long as the other process looks for them: it reads one
//! while the next is written. But both cores touch all lines of the data then. If these take long from one core to the
//! other, the kernel is faster, which reads and writes on one of them. So both ways are timed, and packets that have
//! taken longer are avoided for a while.
//!
//! Costs: two readings of the clock for an operation on 16 KiB or more.

use super::Window;
use super::transfer::LEAST;
use simurgh_core::sync::{SpinGuard, SpinLock};
use simurgh_net::HostId;
use std::time::{Duration, Instant};

/// The most data that goes in packets if the other process looks for them.
const LOOKED_FOR: usize = 1 << 20;

/// The same for puts of an epoch at whose end the target waits for them, if it has handled what was sent before: so one
/// that computes is not left with much to do.
const AWAITED: usize = 128 << 10;

/// Operations on fewer bytes are not timed.
const TIMED: usize = 16 << 10;

/// So often packets are timed before they are judged: the first ones after a while take longer.
const TRIALS: u32 = 8;

/// For so long packets are avoided that have taken longer than the kernel would have.
const AVOIDANCE: Duration = Duration::from_millis(50);

/// What a rank knows of both ways in a window. The threads of the rank share it.
#[derive(Debug, Default)]
pub(super) struct LongData(SpinLock<Times>);

#[derive(Debug, Default)]
struct Times {
    /// What the kernel takes for a byte, in picoseconds; none before it was first timed.
    kernel: Option<u64>,
    /// When data first went in packets since the rank last waited for all, and how much has gone since.
    sent: Option<(Instant, usize)>,
    /// What packets have taken for a byte each time since they were last judged: how often, and the sum.
    trials: (u32, u64),
    avoids_packets_until: Option<Instant>,
}

/// What a byte takes, in picoseconds.
fn of_a_byte(took: Duration, bytes: usize) -> u64 {
    took.as_nanos() as u64 * 1000 / bytes as u64
}

impl Times {
    /// Whether packets may be the faster way.
    fn may_send(&self) -> bool {
        let avoids = || {
            self.avoids_packets_until
                .is_some_and(|until| Instant::now() < until)
        };
        self.kernel.is_some() && !avoids()
    }

    /// The kernel has taken so long.
    fn copied(&mut self, bytes: usize, took: Duration) {
        let now = of_a_byte(took, bytes);
        let before = self.kernel.unwrap_or(now);
        self.kernel = Some((3 * before + now) / 4);
    }

    /// So many bytes are being sent in packets.
    fn sent(&mut self, bytes: usize) {
        let (_, sum) = self.sent.get_or_insert_with(|| (Instant::now(), 0));
        *sum += bytes;
    }

    /// The data that has been sent in packets is there.
    fn arrived(&mut self, now: Instant) {
        let (Some((began, bytes)), Some(kernel)) = (self.sent.take(), self.kernel) else {
            return;
        };
        let (trials, sum) = &mut self.trials;
        *trials += 1;
        *sum += of_a_byte(now - began, bytes);
        if *trials == TRIALS {
            let is_slower = 4 * *sum > 5 * kernel * u64::from(TRIALS);
            self.avoids_packets_until = is_slower.then(|| now + AVOIDANCE);
            self.trials = (0, 0);
        }
    }
}

impl Window {
    fn times(&self) -> SpinGuard<'_, Times> {
        self.long_data.0.lock_serialized(self.process.serialized())
    }

    /// Whether so much data for a process of this node, or of one, is there sooner in packets than by the kernel.
    pub(super) fn goes_in_packets(&self, host: HostId, length: usize, is_put: bool) -> bool {
        let network = self.network();
        if !(LEAST..=LOOKED_FOR).contains(&length) || !network.is_slow_to_access(host, length) {
            return false;
        }
        if is_put && self.ends_at_targets() {
            return length <= AWAITED && network.has_caught_up(host) || network.answers_sooner(host, length);
        }
        network.answers_sooner(host, length) && (length < TIMED || self.times().may_send())
    }

    /// Notes that so much data is being sent in packets.
    pub(super) fn sends_packets(&self, length: usize) {
        // The rank does not wait for those of other epochs.
        if length >= TIMED && !self.ends_at_targets() {
            self.times().sent(length);
        }
    }

    /// Has the kernel copy so many bytes. Whether it has.
    #[inline]
    pub(super) fn copy_now(&self, length: usize, copy: impl FnOnce() -> bool) -> bool {
        if length < TIMED {
            return copy();
        }
        let began = Instant::now();
        let is_done = copy();
        if is_done {
            self.times().copied(length, began.elapsed());
        }
        is_done
    }

    /// All that the rank has sent in packets is there.
    pub(super) fn packets_arrived(&self) {
        let mut times = self.times();
        if times.sent.is_some() {
            times.arrived(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_that_take_longer_than_the_kernel_are_avoided_for_a_while() {
        let (mut times, now) = (Times::default(), Instant::now());
        let sent = |times: &mut Times, microseconds: u64| {
            for trial in 0..TRIALS {
                assert!(times.may_send() || times.kernel.is_none(), "{trial}");
                times.sent = Some((now, 64 << 10));
                times.arrived(now + Duration::from_micros(microseconds));
            }
            times.may_send()
        };
        assert!(!sent(&mut times, 1), "the kernel is timed first");
        times.copied(64 << 10, Duration::from_micros(10));
        assert!(times.may_send());
        assert!(sent(&mut times, 5) && sent(&mut times, 12));
        assert!(!sent(&mut times, 13));
        times.avoids_packets_until = Some(now);
        assert!(times.may_send());
        // It has become slower since then.
        for _ in 0..10 {
            times.copied(64 << 10, Duration::from_micros(20));
        }
        assert!(sent(&mut times, 20));
    }
}
