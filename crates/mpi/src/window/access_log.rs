//! The accesses to the memory of a rank that may not be complete, for `--check`.

use super::access::{Access, Role};
use std::collections::BTreeMap;
use std::ops::Range;

/// Which accesses of an origin are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// None that would be told: what follows may still conflict with all of them.
    Nothing,
    /// All.
    All,
    /// Those that are complete when they are so at the origin.
    AtOrigin,
}

/// All of them, in the order of their numbers.
const ENDS: [Ends; 3] = [Ends::Nothing, Ends::All, Ends::AtOrigin];

impl Ends {
    /// The one with a number; none if there is none.
    pub(super) fn of_number(number: u16) -> Option<Self> {
        ENDS.get(usize::from(number)).copied()
    }
}

/// The accesses to the memory of one rank since its last fence, by their first byte and the order in which they came.
#[derive(Default)]
pub(super) struct AccessLog {
    entries: BTreeMap<(i64, u64), Entry>,
    /// Bytes of the longest entry so far.
    longest: i64,
    next: u64,
    phase: u32,
}

struct Entry {
    end: i64,
    access: Access,
}

impl AccessLog {
    /// Notes an access to some ranges of bytes. If it conflicts with one that is noted, it is not noted, and the result
    /// is what conflicts: the range, the other access and its range.
    pub(super) fn admit(
        &mut self,
        access: Access,
        ranges: &[Range<i64>],
    ) -> Result<(), (Range<i64>, Access, Range<i64>)> {
        if access.phase != self.phase {
            // All accesses before a fence are complete.
            self.entries.clear();
            self.longest = 0;
            self.phase = access.phase;
        }
        for range in ranges {
            let found = self.overlapping(range).find(|(_, other)| other.excludes(&access));
            if let Some((place, other)) = found {
                return Err((range.clone(), *other, place));
            }
        }
        if !access.ends_with_request() {
            ranges.iter().for_each(|range| self.note(access, range));
        }
        Ok(())
    }

    /// The noted accesses that have bytes of a range.
    fn overlapping<'a>(&'a self, range: &Range<i64>) -> impl Iterator<Item = (Range<i64>, &'a Access)> + 'a {
        let Range { start, end } = *range;
        let first = start.saturating_sub(self.longest);
        let near = self.entries.range((first, 0)..(end.max(first), 0));
        let places = near.map(|((from, _), entry)| (*from..entry.end, &entry.access));
        places.filter(move |(place, _)| place.end > start)
    }

    fn note(&mut self, access: Access, range: &Range<i64>) {
        let mut same = self.entries.range((range.start, 0)..=(range.start, u64::MAX));
        if range.is_empty() || same.any(|(_, entry)| entry.end == range.end && entry.access == access) {
            return;
        }
        let end = range.end;
        self.entries
            .insert((range.start, self.next), Entry { end, access });
        self.next += 1;
        self.longest = self.longest.max(range.end - range.start);
    }

    /// Forgets accesses of an origin by its calls on a target, or on all.
    pub(super) fn end(&mut self, ends: Ends, origin: u32, target: Option<u32>) {
        self.entries.retain(|_, Entry { access, .. }| {
            let is_meant = access.origin == origin && target.is_none_or(|target| access.target == target);
            let is_complete = match ends {
                Ends::Nothing => false,
                Ends::All => true,
                Ends::AtOrigin => access.ends_at_origin(),
            };
            !(is_meant && is_complete)
        });
    }

    /// Forgets what was done in an exposure epoch of the rank `own` that has ended. The origin buffers of an access
    /// epoch of its own stay.
    pub(super) fn end_exposure(&mut self, own: u32) {
        self.entries
            .retain(|_, Entry { access, .. }| access.origin == own && access.role != Role::Target);
    }
}

#[cfg(test)]
mod tests {
    use super::super::access::{Call, Operation};
    use super::*;
    use crate::op::BuiltinOp;
    use std::slice::from_ref;

    fn access(origin: u32, call: Call) -> Access {
        Access {
            origin,
            target: 0,
            call,
            role: Role::Target,
            operation: None,
            phase: 0,
        }
    }

    fn accumulate(origin: u32, op: BuiltinOp, unit: u16) -> Access {
        let operation = Some(Operation {
            op: Some(op),
            unit: [unit, 0],
        });
        Access {
            operation,
            ..access(origin, Call::Accumulate)
        }
    }

    #[test]
    fn accesses_conflict_where_they_have_bytes_in_common() {
        let mut log = AccessLog::default();
        let put = access(1, Call::Put);
        assert_eq!(log.admit(put, &[0..8, 100..200]), Ok(()));
        assert_eq!(log.admit(access(2, Call::Get), &[8..100, 200..300]), Ok(()));
        assert_eq!(log.admit(access(3, Call::Get), &[0..0, 50..60]), Ok(()));
        let conflict = Err((199..201, put, 100..200));
        assert_eq!(log.admit(access(3, Call::Get), &[20..30, 199..201]), conflict);
        assert_eq!(log.admit(put, from_ref(&(7..8))), Err((7..8, put, 0..8)));
        log.end(Ends::AtOrigin, 1, None);
        assert!(log.admit(access(3, Call::Get), from_ref(&(0..1))).is_err());
        log.end(Ends::All, 1, Some(0));
        assert_eq!(log.admit(access(3, Call::Get), from_ref(&(0..1))), Ok(()));
        let next = Access { phase: 1, ..put };
        assert_eq!(log.admit(next, from_ref(&(0..300))), Ok(()));
    }

    #[test]
    fn accumulates_go_together_with_the_same_operation_and_datatype() {
        use BuiltinOp::{Max, NoOp, Sum};
        let int = crate::op::numbers_of(&crate::datatype::Datatype::Basic(crate::datatype::Basic::Int))[0];
        let float =
            crate::op::numbers_of(&crate::datatype::Datatype::Basic(crate::datatype::Basic::Float))[0];
        let excludes = |first: Access, second: Access| {
            assert_eq!(first.excludes(&second), second.excludes(&first));
            first.excludes(&second)
        };
        let sum = accumulate(1, Sum, int);
        assert!(!excludes(sum, accumulate(2, Sum, int)) && !excludes(sum, accumulate(2, NoOp, int)));
        assert!(!excludes(sum, accumulate(1, Max, int)) && excludes(sum, accumulate(2, Max, int)));
        assert!(excludes(sum, accumulate(2, Sum, float)) && excludes(sum, access(2, Call::Get)));
        assert!(excludes(sum, access(1, Call::Put)));
        assert!(!excludes(accumulate(1, NoOp, int), access(2, Call::Get)));
        assert!(!excludes(access(1, Call::Get), access(2, Call::Rget)));
    }
}
