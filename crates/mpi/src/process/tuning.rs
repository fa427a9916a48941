//! The settings that a rank may change while it runs.

use crate::limits::INLINE_LIMIT;
use simurgh_core::sync::{AtomicUsize, Ordering};
use simurgh_settings::{Id, Values};

/// The eager limit between hosts is so many times the one within a host.
///
/// Longer messages go by the rendezvous protocol: the sender computes on while other threads move them.
const REMOTE: usize = 16;

/// The settings of one rank, each for what this rank sends.
///
/// Relaxed throughout: each is a number on its own, and a send that overlaps a change may use either value.
#[derive(Debug)]
pub(crate) struct Tuning {
    /// Fixed, for an entry has no room for more than its preset.
    inline_limit: usize,
    eager_limit: AtomicUsize,
    backlog_limit: AtomicUsize,
}

impl Tuning {
    pub(super) fn new(settings: &Values) -> Self {
        let initial = |id| AtomicUsize::new(settings.amount(id));
        Self {
            inline_limit: settings.amount(Id::InlineLimit).min(INLINE_LIMIT),
            eager_limit: initial(Id::EagerLimit),
            backlog_limit: initial(Id::BacklogLimit),
        }
    }

    /// A message up to this size that finds no receive is kept inside its entry; never more than [`INLINE_LIMIT`].
    #[inline]
    pub(crate) fn inline_limit(&self) -> usize {
        self.inline_limit
    }

    /// A standard send up to this size that finds no receive is copied out.
    #[inline]
    pub(crate) fn eager_limit(&self) -> usize {
        self.eager_limit.load(Ordering::Relaxed)
    }

    /// A standard send to another host of up to this size is eager. Waiting for the receive would take a round trip,
    /// and most transports copy the data in any case.
    #[inline]
    pub(crate) fn eager_limit_remote(&self) -> usize {
        self.eager_limit().saturating_mul(REMOTE)
    }

    /// Bytes of copied-out messages that may lie unreceived at a rank when this one sends.
    #[inline]
    pub(crate) fn backlog_limit(&self) -> usize {
        self.backlog_limit.load(Ordering::Relaxed)
    }

    fn place(&self, id: Id) -> Option<&AtomicUsize> {
        match id {
            Id::EagerLimit => Some(&self.eager_limit),
            Id::BacklogLimit => Some(&self.backlog_limit),
            _ => None,
        }
    }

    /// The value of a setting that a rank may change; none for all others.
    pub(crate) fn get(&self, id: Id) -> Option<u64> {
        self.place(id).map(|place| place.load(Ordering::Relaxed) as u64)
    }

    /// Changes a setting; `false` if it is not one that a rank may change.
    pub(crate) fn set(&self, id: Id, value: usize) -> bool {
        let place = self.place(id);
        if let Some(place) = place {
            place.store(value, Ordering::Relaxed);
        }
        place.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_settings::{SETTINGS, Scope};

    #[test]
    fn what_a_rank_may_change_is_here() {
        let tuning = Tuning::new(&Values::default());
        for setting in SETTINGS {
            let here = tuning.get(setting.id);
            // A rank's memory is the host's business.
            let is_ours = setting.scope == Scope::Rank && setting.id != Id::MemoryPlacement;
            assert_eq!(here.is_some(), is_ours, "{}", setting.name);
            assert!(here.is_none() || here == setting.id.preset());
        }
        assert!(tuning.set(Id::EagerLimit, 7) && !tuning.set(Id::Vps, 7));
        assert_eq!(
            (tuning.eager_limit(), tuning.eager_limit_remote()),
            (7, 7 * REMOTE)
        );
    }

    #[test]
    fn an_entry_has_room_for_what_the_setting_allows() {
        assert_eq!(*Id::InlineLimit.setting().kind.range().end(), INLINE_LIMIT as u64);
    }
}
