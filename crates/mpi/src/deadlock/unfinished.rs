//! Collectives that do not end because ranks have not called them.

use crate::members::Members;
use simurgh_core::sync::{Arc, SpinLock};
use std::sync::Weak;

/// A collective that some ranks have called and others have not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The name of the collective, in its blocking form.
    pub call: String,
    /// Whether ranks wait in the call itself, not for a request.
    pub blocking: bool,
    /// Number of the communicator; the world is 0.
    pub communicator: u32,
    /// The processes that have called it.
    pub started: Vec<u32>,
    /// The processes that have not.
    pub missing: Vec<u32>,
    /// Other hosts have members, too, of which nothing is known here.
    pub elsewhere: bool,
}

/// A collective that does not end, by seats.
pub(crate) struct StalledCollective {
    pub(crate) call: String,
    pub(crate) blocking: bool,
    pub(crate) started: Vec<usize>,
    pub(crate) missing: Vec<usize>,
}

/// A meeting point of a communicator: where its ranks wait for each other in collectives.
pub(crate) trait MeetingPoint: Send + Sync {
    /// The collectives that do not end there; called when nothing moves any more.
    fn stalls(&self) -> Vec<StalledCollective>;
}

/// The meeting points of all communicators of a job.
#[derive(Default)]
pub(crate) struct MeetingPoints(SpinLock<Vec<Noted>>);

struct Noted {
    place: Weak<dyn MeetingPoint>,
    members: Members,
    elsewhere: bool,
    communicator: u32,
}

impl MeetingPoints {
    /// Adds a meeting point of a communicator, for these members. `elsewhere` says whether others are on other hosts.
    pub(crate) fn add(
        &self,
        place: &Arc<dyn MeetingPoint>,
        members: &Members,
        elsewhere: bool,
        communicator: u32,
    ) {
        let mut places = self.0.lock();
        if places.len() == places.capacity() {
            places.retain(|noted| noted.place.strong_count() > 0);
        }
        places.push(Noted {
            place: Arc::downgrade(place),
            members: members.clone(),
            elsewhere,
            communicator,
        });
    }

    /// All collectives that do not end.
    pub(crate) fn unfinished(&self) -> Vec<Unfinished> {
        let places = self.0.lock();
        places.iter().flat_map(Noted::unfinished).collect()
    }
}

impl Noted {
    fn unfinished(&self) -> Vec<Unfinished> {
        let stalls = self.place.upgrade().map_or_else(Vec::new, |place| place.stalls());
        let processes = |seats: Vec<usize>| {
            seats
                .into_iter()
                .filter_map(|seat| self.members.process(seat))
                .collect()
        };
        let told = |stall: StalledCollective| Unfinished {
            elsewhere: self.elsewhere,
            call: stall.call,
            blocking: stall.blocking,
            communicator: self.communicator,
            started: processes(stall.started),
            missing: processes(stall.missing),
        };
        stalls.into_iter().map(told).collect()
    }
}

impl std::fmt::Debug for MeetingPoints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MeetingPoints").finish_non_exhaustive()
    }
}
