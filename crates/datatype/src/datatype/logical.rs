//! Logicals of Fortran, whose compilers choose the words that stand for true and false.

use super::Datatype;
use super::basic::{Basic, Class};
use super::layout::{Layout, Role};
use simurgh_core::sync::Arc;

/// The words that stand for true and false in the logicals of a Fortran compiler, extended to 128 bits. A logical of
/// fewer bits has their lowest ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthValues {
    /// `.true.`
    pub yes: u128,
    /// `.false.`
    pub no: u128,
}

impl TruthValues {
    /// The values in C, which are those of most Fortran compilers.
    pub const C: Self = Self { yes: 1, no: 0 };

    /// The values in words of `size` bytes; those of C if these words cannot tell true from false.
    #[must_use]
    pub fn in_words_of(self, size: usize) -> Self {
        let unused = u128::BITS - 8 * size as u32;
        let cut = |value: u128| value << unused >> unused;
        match (cut(self.yes), cut(self.no)) {
            (yes, no) if yes != no => Self { yes, no },
            _ => Self::C,
        }
    }
}

impl Datatype {
    /// A predefined datatype of logicals in which these words stand for true and false.
    ///
    /// Logical operations on it take the word for false, and all other words for true; they write these two.
    #[must_use]
    pub fn logical(basic: Basic, values: TruthValues) -> Datatype {
        debug_assert_eq!(basic.class(), Class::Logical);
        match values.in_words_of(basic.size()) {
            TruthValues::C => Datatype::Basic(basic),
            values => {
                let mut layout = Layout::new(Datatype::Basic(basic).outline());
                layout.role = Role::Logical(basic);
                layout.truth_values = Some(Box::new(values));
                layout.commit();
                Datatype::Derived(Arc::new(layout))
            }
        }
    }

    /// The words that stand for true and false, if they are not those of C.
    #[inline]
    pub(crate) fn truth_values(&self) -> Option<&TruthValues> {
        match self {
            Datatype::Basic(_) => None,
            Datatype::Derived(layout) => layout.truth_values.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_to_the_words() {
        let ones = TruthValues {
            yes: u128::MAX,
            no: 0,
        };
        assert_eq!(ones.in_words_of(2), TruthValues { yes: 0xffff, no: 0 });
        assert_eq!(ones.in_words_of(16), ones);
        let high = TruthValues { yes: 0x100, no: 0 };
        assert_eq!(high.in_words_of(2), high);
        assert_eq!(high.in_words_of(1), TruthValues::C);
    }

    #[test]
    fn a_logical_is_predefined_whatever_its_values() {
        let usual = Datatype::logical(Basic::Logical4, TruthValues::C);
        assert_eq!(usual, Datatype::Basic(Basic::Logical4));
        let values = TruthValues {
            yes: u128::MAX,
            no: 0,
        };
        let logical = Datatype::logical(Basic::LogicalOf8, values);
        assert!(logical.is_predefined() && logical.is_committed() && logical.contents().is_none());
        assert_eq!((logical.size(), logical.name()), (8, "MPI_LOGICAL"));
        assert_eq!(logical.named(), Some(Basic::LogicalOf8));
        let duplicate = Datatype::duplicate(&logical);
        assert!(!duplicate.is_predefined() && duplicate.named().is_none());
        assert_eq!(duplicate.truth_values(), logical.truth_values());
    }
}
