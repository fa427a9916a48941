//! Recursive doubling: what a host knows doubles from round to round.
//!
//! Cost: log2 H rounds of messages with all of the data: the fewest messages, for short data.

use super::growing::{Growing, Order};
use super::powers::Powers;
use super::talk::Talk;
use super::way::Way;
use crate::error::Result;
use crate::memory::{Elements, transfer};

/// Combines the values of all hosts at all of them, in their order.
pub(super) fn combine<W: Way>(talk: &Talk<'_, W>, growing: &Growing<'_>) -> Result<()> {
    let (powers, all) = (Powers::of(talk.hosts()), growing.all());
    powers.gather(talk, growing)?;
    if let Some(place) = powers.place(talk.own()) {
        let mut step = 1;
        while step < powers.places {
            let other = powers.host(place ^ step);
            let (value, incoming) = (growing.value(all), growing.incoming(all));
            talk.exchange(other, &value.as_source(), other, &incoming)?;
            // Both combine the same operands in the same order, so that all get the same bits.
            growing.join(
                all,
                if place & step == 0 {
                    Order::Behind
                } else {
                    Order::Before
                },
            );
            step *= 2;
        }
    }
    powers.give_back(talk, growing)
}

/// Combines at each host the values of those before it: none at the first. What each host has is used up.
pub(super) fn combine_before<W: Way>(talk: &Talk<'_, W>, growing: &Growing<'_>) -> Result<Option<Elements>> {
    let (hosts, own, all) = (talk.hosts(), talk.own(), growing.all());
    let value = growing.value(all);
    let before = Elements::new(value.datatype(), value.count());
    let (mut known, mut step) = (false, 1);
    while step < hosts {
        // The value stands for the last `step` hosts up to this one.
        let sending = (own + step < hosts).then(|| talk.start_send(own + step, &value.as_source()));
        let received = match own.checked_sub(step) {
            Some(from) => talk.recv(from, &growing.incoming(all)).map(|()| true),
            None => Ok(false),
        };
        // It must not change while it is being sent.
        sending.map_or(Ok(()), |sending| sending.wait())?;
        if received? {
            let incoming = growing.incoming(all).as_source();
            if known {
                growing.bound().apply(&incoming, &before.target());
            } else {
                transfer(&incoming, &before.target());
            }
            known = true;
            growing.join(all, Order::Before);
        }
        step *= 2;
    }
    Ok(known.then_some(before))
}
