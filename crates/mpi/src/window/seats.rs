//! Some ranks of a window, ascending.

use std::ops::Deref;

/// Ranks, without an allocation if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seats {
    One(u32),
    Some(Vec<u32>),
}

impl Deref for Seats {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            Self::One(seat) => std::slice::from_ref(seat),
            Self::Some(seats) => seats,
        }
    }
}

impl FromIterator<u32> for Seats {
    #[inline]
    fn from_iter<T: IntoIterator<Item = u32>>(seats: T) -> Self {
        let mut seats = seats.into_iter();
        match (seats.next(), seats.next()) {
            (Some(seat), None) => Self::One(seat),
            (first, second) => {
                let mut all: Vec<u32> = first.into_iter().chain(second).chain(seats).collect();
                all.sort_unstable();
                Self::Some(all)
            }
        }
    }
}
