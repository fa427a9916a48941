//! Dissemination barrier: after round *k* each host has heard, directly or through others, of the 2^k hosts before it.
//!
//! Cost: a message of one word in each of log2 H rounds, rounded up.

use super::channel::Channel;
use super::transport::Transport;
use crate::error::Result;
use crate::memory::{StagingBuffer, bytes_of};

/// Waits until all hosts have come.
pub(super) fn barrier<W: Transport>(channel: &Channel<'_, W>) -> Result<()> {
    let (hosts, own, nothing) = (channel.hosts(), channel.own(), StagingBuffer::new(0));
    let mut step = 1;
    while step < hosts {
        let (to, from) = ((own + step) % hosts, (own + hosts - step) % hosts);
        channel.exchange(to, &bytes_of(&[]), from, &nothing.target(0, 0))?;
        step *= 2;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::mock::on_hosts;
    use simurgh_core::sync::{AtomicUsize, Ordering};

    #[test]
    fn no_host_leaves_before_all_have_come() {
        for hosts in 1..=17 {
            let came = AtomicUsize::new(0);
            let seen = on_hosts(hosts, |channel| {
                came.fetch_add(1, Ordering::SeqCst);
                super::barrier(channel).unwrap();
                came.load(Ordering::SeqCst)
            });
            assert_eq!(seen, vec![hosts; hosts]);
        }
    }
}
