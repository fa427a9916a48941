//! Realms: the numbers that one launcher gives to hosts, processes, worlds and nodes, where jobs of several launchers
//! can meet.

use serde::{Deserialize, Serialize};
use simurgh_core::HostTable;
use std::ops::Range;

/// Bits of a number within its realm.
const BITS: u32 = HostTable::<()>::REALM_BITS;

/// The realm of a launcher: everything that it has started, among what several launchers have started whose jobs can
/// meet. Their universe gives each launcher a realm, as Open MPI gives each a job family.
///
/// The upper bits of a number are its realm. Without a universe there is one realm, the default, which has all numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Realm(pub u32);

impl Realm {
    /// The highest realm: all numbers are less than 2^31.
    pub const MAX: Self = Self((1 << (31 - BITS)) - 1);

    /// The most hosts, processes, worlds or nodes, each, that a realm of a universe can have; also the most hosts of
    /// the realm without a universe.
    pub const SIZE: u32 = 1 << BITS;

    /// The realm of a number in a universe.
    #[must_use]
    pub fn of(number: u32) -> Self {
        Self(number >> BITS)
    }

    /// Whether it is the realm without a universe, which has all numbers.
    #[must_use]
    pub fn is_alone(self) -> bool {
        self.0 == 0
    }

    /// Whether a number belongs to it.
    #[must_use]
    pub fn has(self, number: u32) -> bool {
        self.is_alone() || Self::of(number) == self
    }

    /// The number in the universe of what has the number `local` in the realm.
    #[must_use]
    pub fn number(self, local: u32) -> u32 {
        debug_assert!(
            self.is_alone() || local < Self::SIZE,
            "a realm has so many numbers"
        );
        self.0 << BITS | local
    }

    /// The number in the realm of what has this number in the universe; none if it belongs to another realm.
    #[must_use]
    pub fn local(self, number: u32) -> Option<u32> {
        self.has(number).then(|| number - (self.0 << BITS))
    }

    /// The name of a host for users, as those of this realm see it.
    #[must_use]
    pub fn name_of(self, number: u32) -> String {
        match self.local(number) {
            Some(local) => local.to_string(),
            None => format!("{} of another mpiexec", number % Self::SIZE),
        }
    }

    /// Whether all these numbers of the universe belong to the realm.
    pub(super) fn has_all(self, numbers: Range<u64>) -> bool {
        let begin = u64::from(self.0) << BITS;
        begin <= numbers.start && (self.is_alone() || numbers.end <= begin + u64::from(Self::SIZE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_belong_to_one_realm() {
        let realm = Realm(3);
        let number = realm.number(5);
        assert_eq!(
            (Realm::of(number), realm.local(number), Realm(2).local(number)),
            (realm, Some(5), None)
        );
        assert_eq!(
            (realm.name_of(number), Realm(2).name_of(number)),
            ("5".into(), "5 of another mpiexec".into())
        );
        assert!(realm.has_all(number.into()..u64::from(Realm(4).number(0))));
        assert!(!realm.has_all(number.into()..u64::from(Realm(4).number(1))));
        assert!(!realm.has_all(0..2));
        assert_eq!(Realm::MAX.number(Realm::SIZE - 1), (1 << 31) - 1);
    }

    #[test]
    fn all_numbers_are_of_the_one_that_is_alone() {
        let realm = Realm::default();
        assert_eq!(
            (realm.number(1 << 23), realm.local(1 << 23)),
            (1 << 23, Some(1 << 23))
        );
    }
}
