//! Recursive doubling: the number of hosts whose values a host has combined doubles from round to round.
//!
//! Cost: log2 H rounds of messages with all of the data. That is the fewest messages, so it suits short data.

use super::accumulator::{Accumulator, Order};
use super::channel::Channel;
use super::power_of_two::PowerOfTwo;
use super::transport::Transport;
use crate::error::Result;
use crate::memory::{ElementBuffer, transfer};

/// Combines the values of all hosts at all of them, in the order of the hosts.
pub(super) fn allreduce<W: Transport>(channel: &Channel<'_, W>, accumulator: &Accumulator<'_>) -> Result<()> {
    let (power, all) = (PowerOfTwo::of(channel.hosts()), accumulator.all());
    power.fold_in(channel, accumulator)?;
    if let Some(slot) = power.slot(channel.own()) {
        let mut step = 1;
        while step < power.slots {
            let other = power.host(slot ^ step);
            let (value, incoming) = (accumulator.value(all), accumulator.incoming(all));
            channel.exchange(other, &value.as_source(), other, &incoming)?;
            // Both combine the same operands in the same order, so that all hosts get the same bits.
            accumulator.join(
                all,
                if slot & step == 0 {
                    Order::Behind
                } else {
                    Order::Before
                },
            );
            step *= 2;
        }
    }
    power.fold_out(channel, accumulator)
}

/// Combines at each host the values of the hosts before it; `None` at the first host. The accumulator's own value is
/// overwritten.
pub(super) fn exscan<W: Transport>(
    channel: &Channel<'_, W>,
    accumulator: &Accumulator<'_>,
) -> Result<Option<ElementBuffer>> {
    let (hosts, own, all) = (channel.hosts(), channel.own(), accumulator.all());
    let value = accumulator.value(all);
    let before = ElementBuffer::new(value.datatype(), value.count());
    let (mut known, mut step) = (false, 1);
    while step < hosts {
        // The value is the combination of the last `step` hosts up to this one.
        let sending = (own + step < hosts).then(|| channel.start_send(own + step, &value.as_source()));
        let received = match own.checked_sub(step) {
            Some(from) => channel.recv(from, &accumulator.incoming(all)).map(|()| true),
            None => Ok(false),
        };
        // The value must not change while it is being sent.
        sending.map_or(Ok(()), |sending| sending.wait())?;
        if received? {
            let incoming = accumulator.incoming(all).as_source();
            if known {
                accumulator.bound().apply(&incoming, &before.target());
            } else {
                transfer(&incoming, &before.target());
            }
            known = true;
            accumulator.join(all, Order::Before);
        }
        step *= 2;
    }
    Ok(known.then_some(before))
}
