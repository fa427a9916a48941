//! Which partitioned send goes with which partitioned receive.

use super::away::SendingAway;
use super::channel::{Channel, Side};
use crate::comm::{Comm, CommShared};
use crate::deadlock::Unmatched;
use crate::layout::Layout;
use crate::matching::{Envelope, Pattern};
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::{HashMap, VecDeque};
use std::sync::Weak;

/// The partitioned sends to a rank and its partitioned receives.
#[derive(Default)]
pub(crate) struct Pairing {
    unpaired: SpinLock<Unpaired>,
    /// All, with their labels: what to tell of a deadlock.
    channels: SpinLock<Vec<(Pattern, Weak<Channel>)>>,
    /// Those of the rank's sends that go to other hosts.
    away: SpinLock<Vec<Weak<SendingAway>>>,
}

/// The channels of which one side has been set up, oldest first for each label.
///
/// A side stays here when its request is freed before it was paired: its counterpart, which may be freed likewise,
/// must not be paired with the next.
type Unpaired = HashMap<Pattern, VecDeque<Waiting>>;

/// A side that waits for its counterpart.
struct Waiting {
    channel: Arc<Channel>,
    /// Keeps the label from being used by another communicator.
    _label: Arc<CommShared>,
}

impl Pairing {
    /// Adds one side for messages with this envelope: to the channel of the oldest counterpart that waits, or else to a
    /// channel that waits for one.
    pub(super) fn add(&self, envelope: Envelope, comm: &Comm, side: Side) -> Arc<Channel> {
        let mut labels = self.unpaired.lock();
        let label = envelope.exactly();
        let waiting = labels.entry(label).or_default();
        if waiting.front().is_none_or(|first| !first.channel.lacks(&side)) {
            let channel = Arc::new(Channel::with(side));
            waiting.push_back(Waiting {
                channel: Arc::clone(&channel),
                _label: Arc::clone(comm.shared()),
            });
            drop(labels);
            self.note(label, &channel);
            return channel;
        }
        let first = waiting.pop_front();
        if waiting.is_empty() {
            labels.remove(&label);
        }
        drop(labels);
        let channel = first.map(|first| first.channel).expect("there is a first one");
        channel.join(side);
        channel
    }

    fn note(&self, label: Pattern, channel: &Arc<Channel>) {
        let mut channels = self.channels.lock();
        if channels.len() == channels.capacity() {
            channels.retain(|(_, channel)| channel.strong_count() > 0);
        }
        channels.push((label, Arc::downgrade(channel)));
    }

    /// Notes a send of the rank to another host.
    pub(super) fn note_away(&self, side: &Arc<SendingAway>) {
        let mut away = self.away.lock();
        if away.len() == away.capacity() {
            away.retain(|side| side.strong_count() > 0);
        }
        away.push(Arc::downgrade(side));
    }

    /// The operations that wait here for their counterparts: those of the process that users call so, sends to it, and
    /// its sends to other hosts.
    pub(crate) fn unmatched(&self, own: &str, layout: &Layout) -> Vec<Unmatched> {
        let channels = self.channels.lock();
        let stand = |(label, channel): &(Pattern, Weak<Channel>)| {
            let (operation, parts) = channel.upgrade()?.stands()?;
            Some(Unmatched::in_parts(own.to_owned(), *label, operation, parts))
        };
        let away = self.away.lock();
        let sends = away.iter().filter_map(|side| side.upgrade()?.unmatched(layout));
        channels.iter().filter_map(stand).chain(sends).collect()
    }
}
