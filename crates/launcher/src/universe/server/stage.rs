//! The state of wire-ups: the requests that wait, and the stage of the current one.

use crate::ports::Visitor;
use simurgh_net::control::Peer;
use simurgh_net::job::Realm;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// The time in which all members must answer. It is longer than hosts of a busy machine need to open a network.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// The wire-ups of a universe, one at a time.
#[derive(Debug, Default)]
pub(super) struct WireUps {
    pub(super) waiting: VecDeque<Request>,
    pub(super) current: Option<Stage>,
    /// When the current stage began.
    since: Option<Instant>,
}

/// Two visitors of a port that have met.
pub(super) type Pair = (Visitor, Visitor);

/// The reason of a wire-up.
#[derive(Debug)]
pub(super) enum Request {
    /// Ranks have met whose hosts may not know each other.
    Meeting(Pair),
    /// A member has a new world.
    Turn(Realm),
}

/// The stage of a wire-up.
#[derive(Debug)]
pub(super) enum Stage {
    Gathering(Gathering),
    /// Hosts connect to those of the other group.
    Meeting {
        pair: Pair,
        /// The members that have not done so.
        missing: BTreeSet<Realm>,
        /// All members that wait for the end.
        all: BTreeSet<Realm>,
    },
    /// A member wires up new hosts to its own.
    OwnHosts(Realm),
    /// Hosts of the group connect to the new ones of a member.
    GroupHosts {
        of: Realm,
        /// The members that have not done so.
        missing: BTreeSet<Realm>,
    },
}

/// The stage in which members of two groups send the addresses of their hosts.
#[derive(Debug)]
pub(super) struct Gathering {
    pub(super) pair: Pair,
    /// The members that have not done so.
    pub(super) missing: BTreeSet<Realm>,
    /// All members that wait for the end.
    pub(super) all: BTreeSet<Realm>,
    pub(super) said: BTreeMap<Realm, Vec<Peer>>,
    /// Why the wire-up fails.
    pub(super) declined: Option<String>,
}

impl WireUps {
    /// Goes on to a stage.
    pub(super) fn enter(&mut self, stage: Stage) {
        self.current = Some(stage);
        self.since = Some(Instant::now());
    }

    /// The members whose answers are missing.
    pub(super) fn missing(&self) -> BTreeSet<Realm> {
        match &self.current {
            Some(Stage::Gathering(Gathering { missing, .. }))
            | Some(Stage::Meeting { missing, .. } | Stage::GroupHosts { missing, .. }) => missing.clone(),
            Some(Stage::OwnHosts(realm)) => BTreeSet::from([*realm]),
            None => BTreeSet::new(),
        }
    }

    /// When they will have taken too long.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let since = self.since.filter(|_| self.current.is_some());
        since.map(|since| since + PATIENCE)
    }

    /// Whether the hosts of these two visitors are being wired up right now. Their members are of one group already,
    /// but not ready.
    pub(super) fn concerns(&self, (one, other): &Pair) -> bool {
        match &self.current {
            Some(Stage::Meeting { all, .. }) => {
                all.contains(&realm_of(one)) && all.contains(&realm_of(other))
            }
            _ => false,
        }
    }
}

impl Gathering {
    /// Takes the addresses of a member's hosts, or the reason why they cannot be reached.
    pub(super) fn take(&mut self, realm: Realm, said: Result<Vec<Peer>, String>) {
        self.missing.remove(&realm);
        match said {
            Ok(peers) => drop(self.said.insert(realm, peers)),
            Err(reason) => self.declined = Some(reason),
        }
    }
}

/// The realm of a visitor.
pub(super) fn realm_of(visitor: &Visitor) -> Realm {
    Realm::of(visitor.asker.host)
}

/// Whether one of the two visitors is of that realm.
pub(super) fn is_of(realm: Realm, (one, other): &Pair) -> bool {
    realm_of(one) == realm || realm_of(other) == realm
}
