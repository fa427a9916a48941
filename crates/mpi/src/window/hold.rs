//! How ranks have locked targets.

use simurgh_core::LockKind;

/// How a rank has locked a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hold {
    pub(super) kind: LockKind,
    /// Whether the lock has been taken. It is not where the rank has asserted that nobody else wants it in a
    /// conflicting way.
    pub(super) is_taken: bool,
}

impl Hold {
    /// All of them.
    const ALL: [Self; 4] = [
        Self::new(LockKind::Shared, true),
        Self::new(LockKind::Exclusive, true),
        Self::new(LockKind::Shared, false),
        Self::new(LockKind::Exclusive, false),
    ];

    #[inline]
    pub(super) const fn new(kind: LockKind, is_taken: bool) -> Self {
        Self { kind, is_taken }
    }

    /// Its place in [`Hold::ALL`].
    #[inline]
    pub(super) fn number(self) -> u32 {
        u32::from(self.kind == LockKind::Exclusive) + 2 * u32::from(!self.is_taken)
    }

    #[inline]
    pub(super) fn of_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places() {
        for (number, hold) in (0..).zip(Hold::ALL) {
            assert_eq!((hold.number(), Hold::of_number(number)), (number, Some(hold)));
        }
        assert_eq!(Hold::of_number(Hold::ALL.len() as u32), None);
    }
}
