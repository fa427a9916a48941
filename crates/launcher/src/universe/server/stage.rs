//! What there is to introduce, and how far that has come.

use crate::ports::Visitor;
use simurgh_net::control::Peer;
use simurgh_net::job::Realm;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// How long all may take to say one word: longer than hosts of a busy machine need to open a network.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// What there is to introduce.
#[derive(Debug, Default)]
pub(super) struct WireUps {
    pub(super) waiting: VecDeque<Request>,
    pub(super) current: Option<Stage>,
    /// Since when those who are missing have been waited for.
    since: Option<Instant>,
}

/// Two visitors of a port who have met.
pub(super) type Pair = (Visitor, Visitor);

/// Why hosts are introduced.
#[derive(Debug)]
pub(super) enum Request {
    /// Ranks have met that may not know each other.
    Meeting(Pair),
    /// A member has a new world.
    Turn(Realm),
}

/// How far an introduction has come.
#[derive(Debug)]
pub(super) enum Stage {
    Gathering(Gathering),
    /// Hosts connect to those of the other circle.
    Meeting {
        pair: Pair,
        /// Who has yet to.
        missing: BTreeSet<Realm>,
        /// Who waits for the end.
        all: BTreeSet<Realm>,
    },
    /// A member introduces new hosts to its own.
    Growing(Realm),
    /// Hosts connect to the new ones of a member.
    Spreading {
        of: Realm,
        /// Who has yet to.
        missing: BTreeSet<Realm>,
    },
}

/// Members of two circles say where their hosts are.
#[derive(Debug)]
pub(super) struct Gathering {
    pub(super) pair: Pair,
    /// Who has yet to.
    pub(super) missing: BTreeSet<Realm>,
    /// Who waits for the end.
    pub(super) all: BTreeSet<Realm>,
    pub(super) said: BTreeMap<Realm, Vec<Peer>>,
    /// Why it comes to nothing.
    pub(super) declined: Option<String>,
}

impl WireUps {
    /// Goes on to an introduction, or to the next step of one.
    pub(super) fn enter(&mut self, introduction: Stage) {
        self.current = Some(introduction);
        self.since = Some(Instant::now());
    }

    /// Whose word is waited for.
    pub(super) fn missing(&self) -> BTreeSet<Realm> {
        match &self.current {
            Some(Stage::Gathering(Gathering { missing, .. }))
            | Some(Stage::Meeting { missing, .. } | Stage::Spreading { missing, .. }) => missing.clone(),
            Some(Stage::Growing(realm)) => BTreeSet::from([*realm]),
            None => BTreeSet::new(),
        }
    }

    /// When they will have been waited for long enough.
    pub(super) fn patient_until(&self) -> Option<Instant> {
        let since = self.since.filter(|_| self.current.is_some());
        since.map(|since| since + PATIENCE)
    }

    /// Whether hosts of the two are being introduced to each other: they are acquaintances only when they have met.
    pub(super) fn concerns(&self, (one, other): &Pair) -> bool {
        match &self.current {
            Some(Stage::Meeting { all, .. }) => all.contains(&home(one)) && all.contains(&home(other)),
            _ => false,
        }
    }
}

impl Gathering {
    /// Somebody says where its hosts are, or why they cannot be reached.
    pub(super) fn take(&mut self, realm: Realm, said: Result<Vec<Peer>, String>) {
        self.missing.remove(&realm);
        match said {
            Ok(peers) => drop(self.said.insert(realm, peers)),
            Err(reason) => self.declined = Some(reason),
        }
    }
}

/// The realm of a visitor.
pub(super) fn home(visitor: &Visitor) -> Realm {
    Realm::of(visitor.asker.host)
}

/// Whether one of the two has come from there.
pub(super) fn is_of(realm: Realm, (one, other): &Pair) -> bool {
    home(one) == realm || home(other) == realm
}
