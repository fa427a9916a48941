//! What there is to introduce, and how far that has come.

use crate::universe::ports::Visitor;
use simurgh_net::control::Peer;
use simurgh_net::job::Realm;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What there is to introduce.
#[derive(Debug, Default)]
pub(super) struct Introductions {
    pub(super) waiting: VecDeque<Occasion>,
    pub(super) current: Option<Introduction>,
}

/// Two visitors of a port who have met.
pub(super) type Pair = (Visitor, Visitor);

/// Why hosts are introduced.
#[derive(Debug)]
pub(super) enum Occasion {
    /// Ranks have met that may not know each other.
    Meeting(Pair),
    /// A member has a new world.
    Turn(Realm),
}

/// How far an introduction has come.
#[derive(Debug)]
pub(super) enum Introduction {
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

impl Introductions {
    /// Whether hosts of the two are being introduced to each other: they are acquaintances only when they have met.
    pub(super) fn concerns(&self, (one, other): &Pair) -> bool {
        match &self.current {
            Some(Introduction::Meeting { all, .. }) => all.contains(&home(one)) && all.contains(&home(other)),
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
