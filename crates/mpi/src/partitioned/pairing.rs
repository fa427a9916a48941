//! Which partitioned send goes with which partitioned receive.

use super::channel::{Channel, Side};
use crate::deadlock::Unmatched;
use crate::layout::Layout;
use crate::matching::{Envelope, Pattern};
use simurgh_core::sync::{Arc, SpinLock};
use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::sync::Weak;

/// A guard of a label. No other communicator uses the label while the guard lives.
type Label = Arc<dyn Any + Send + Sync>;

/// A partitioned send to a process of another host.
pub(crate) trait RemotePartitionedSend: Send + Sync {
    /// The send, if it is under way and not all partitions are ready.
    fn unmatched(&self, layout: &Layout) -> Option<Unmatched>;
}

/// How many partitioned operations with ranks of other hosts a rank has set up on a communicator, by direction and
/// label.
#[derive(Debug, Default)]
pub(crate) struct Pairs(SpinLock<HashMap<(bool, i32, i32), u32>>);

impl Pairs {
    /// Counts an operation with a rank and a tag; the number of those before it.
    pub(crate) fn count(&self, sends: bool, peer: i32, tag: i32) -> u32 {
        let mut pairs = self.0.lock();
        let count = pairs.entry((sends, peer, tag)).or_default();
        let before = *count;
        *count = before.wrapping_add(1);
        before
    }
}

/// The partitioned sends to a rank and its partitioned receives.
#[derive(Default)]
pub(crate) struct Pairing {
    unpaired: SpinLock<Unpaired>,
    /// All channels, with their labels, for deadlock reports.
    channels: SpinLock<Vec<(Pattern, Weak<Channel>)>>,
    /// Those of the rank's sends that go to other hosts.
    remote: SpinLock<Vec<Weak<dyn RemotePartitionedSend>>>,
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
    _label: Label,
}

impl Pairing {
    /// Adds one side for messages with this envelope: to the channel of the oldest counterpart that waits, or else to a
    /// channel that waits for one.
    ///
    /// `hold` gives what keeps the label from being used by another communicator.
    pub(crate) fn add(&self, envelope: Envelope, hold: impl FnOnce() -> Label, side: Side) -> Arc<Channel> {
        let mut labels = self.unpaired.lock();
        let label = envelope.exactly();
        let waiting = labels.entry(label).or_default();
        if waiting.front().is_none_or(|first| !first.channel.lacks(&side)) {
            let channel = Arc::new(Channel::with(side));
            waiting.push_back(Waiting {
                channel: Arc::clone(&channel),
                _label: hold(),
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
    pub(crate) fn note_remote(&self, side: &Arc<dyn RemotePartitionedSend>) {
        let mut remote = self.remote.lock();
        if remote.len() == remote.capacity() {
            remote.retain(|side| side.strong_count() > 0);
        }
        remote.push(Arc::downgrade(side));
    }

    /// The operations that wait here for their counterparts: those of the process with this name, sends to it, and its
    /// sends to other hosts.
    pub(crate) fn unmatched(&self, own: &str, layout: &Layout) -> Vec<Unmatched> {
        let channels = self.channels.lock();
        let stand = |(label, channel): &(Pattern, Weak<Channel>)| {
            let (operation, parts) = channel.upgrade()?.stands()?;
            Some(Unmatched::in_parts(own.to_owned(), *label, operation, parts))
        };
        let remote = self.remote.lock();
        let sends = remote.iter().filter_map(|side| side.upgrade()?.unmatched(layout));
        channels.iter().filter_map(stand).chain(sends).collect()
    }
}
