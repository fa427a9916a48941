//! Which partitioned send goes with which partitioned receive.

use super::channel::{Channel, Side};
use crate::comm::{Comm, CommShared};
use crate::matching::{Envelope, Pattern};
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::{HashMap, VecDeque};

/// The channels to a rank of which one side has been set up, oldest first for each label.
///
/// A side stays here when its request is freed before it was paired: its counterpart, which may be freed likewise,
/// must not be paired with the next.
#[derive(Default)]
pub(crate) struct Unpaired(SpinLock<HashMap<Pattern, VecDeque<Waiting>>>);

/// A side that waits for its counterpart.
struct Waiting {
    channel: Arc<Channel>,
    /// Keeps the label from being used by another communicator.
    _label: Arc<CommShared>,
}

impl Unpaired {
    /// Adds one side for messages with this envelope: to the channel of the oldest counterpart that waits, or else to a
    /// channel that waits for one.
    pub(super) fn add(&self, envelope: Envelope, comm: &Comm, side: Side) -> Arc<Channel> {
        let mut labels = self.0.lock();
        let label = envelope.exactly();
        let waiting = labels.entry(label).or_default();
        if waiting.front().is_none_or(|first| !first.channel.lacks(&side)) {
            let channel = Arc::new(Channel::with(side));
            waiting.push_back(Waiting {
                channel: Arc::clone(&channel),
                _label: Arc::clone(comm.shared()),
            });
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
}
