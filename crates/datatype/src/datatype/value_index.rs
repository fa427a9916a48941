//! Pairs of a value and an index, for the operations that look for the place of an extreme value.

use super::Datatype;
use super::basic::{Basic, Class};
use super::contents::{Combiner, Contents, Width};
use super::indexed::Field;
use super::kind::Kind;
use super::layout::{Layout, Role};
use simurgh_base::error::Result;
use simurgh_core::sync::Arc;

impl Basic {
    /// Value and index of a pair; `None` if this is no pair.
    #[inline]
    #[must_use]
    pub fn pair(self) -> Option<(Basic, Basic)> {
        Some(match self {
            Basic::FloatInt => (Basic::Float, Basic::Int),
            Basic::DoubleInt => (Basic::Double, Basic::Int),
            Basic::LongInt => (Basic::Long, Basic::Int),
            Basic::TwoInt => (Basic::Int, Basic::Int),
            Basic::ShortInt => (Basic::Short, Basic::Int),
            Basic::LongDoubleInt => (Basic::LongDouble, Basic::Int),
            Basic::TwoReal => (Basic::Real, Basic::Real),
            Basic::TwoDoublePrecision => (Basic::DoublePrecision, Basic::DoublePrecision),
            Basic::TwoInteger => (Basic::Integer, Basic::Integer),
            Basic::TwoRealOf4 => (Basic::RealOf2, Basic::RealOf2),
            Basic::TwoRealOf16 => (Basic::RealOf8, Basic::RealOf8),
            Basic::TwoRealOf32 => (Basic::RealOf16, Basic::RealOf16),
            Basic::TwoDoublePrecisionOf4 => (Basic::DoublePrecisionOf2, Basic::DoublePrecisionOf2),
            Basic::TwoDoublePrecisionOf8 => (Basic::DoublePrecisionOf4, Basic::DoublePrecisionOf4),
            Basic::TwoDoublePrecisionOf32 => (Basic::DoublePrecisionOf16, Basic::DoublePrecisionOf16),
            Basic::TwoIntegerOf2 => (Basic::IntegerOf1, Basic::IntegerOf1),
            Basic::TwoIntegerOf4 => (Basic::IntegerOf2, Basic::IntegerOf2),
            Basic::TwoIntegerOf16 => (Basic::IntegerOf8, Basic::IntegerOf8),
            Basic::TwoIntegerOf32 => (Basic::IntegerOf16, Basic::IntegerOf16),
            _ => return None,
        })
    }

    /// Whether it can be the value of a pair without a name.
    fn is_pair_value(self) -> bool {
        use Class::{CInteger, Floating, FortranInteger, MultiLanguage};
        matches!(self.class(), CInteger | FortranInteger | Floating | MultiLanguage)
    }

    /// Whether it can be the index of a pair without a name.
    fn is_pair_index(self) -> bool {
        use Class::{CInteger, FortranInteger, MultiLanguage};
        matches!(self.class(), CInteger | FortranInteger | MultiLanguage)
            && matches!(self.kind(), Kind::I32 | Kind::I64)
    }
}

impl Datatype {
    /// The predefined datatype of pairs of these (`MPI_Type_get_value_index`): one with a name if there is, otherwise
    /// `struct { value; index; }` as C lays it out; `None` if values and indices of these kinds are not compared.
    ///
    /// # Errors
    ///
    /// None that a pair can have.
    pub fn value_index(value: Basic, index: Basic) -> Result<Option<Datatype>> {
        let mut all = Basic::ALL.iter().chain(Basic::RESIZED).copied();
        let named = all.find(|basic| basic.pair() == Some((value, index)));
        match named {
            Some(basic) => Ok(Some(Datatype::Basic(basic))),
            None if value.is_pair_value() && index.is_pair_index() => unnamed(value, index).map(Some),
            None => Ok(None),
        }
    }

    /// Value and index of a predefined datatype of pairs.
    #[inline]
    pub(crate) fn pair(&self) -> Option<(Basic, Basic)> {
        match self.role() {
            Role::Pair { value, index } => Some((value, index)),
            _ => self.basic()?.pair(),
        }
    }
}

fn unnamed(value: Basic, index: Basic) -> Result<Datatype> {
    let field = |offset: usize, basic: Basic| Field {
        offset: offset as isize,
        count: 1,
        datatype: basic.into(),
    };
    let second = value.size().next_multiple_of(index.alignment());
    let pair = Datatype::structure(&[field(0, value), field(second, index)])?;
    let mut layout = Layout::new(pair.outline());
    layout.role = Role::Pair { value, index };
    let contents = Contents::new(Combiner::ValueIndex, Width::Narrow);
    layout.contents = Some(contents.of([value.into(), index.into()]));
    layout.commit();
    Ok(Datatype::Derived(Arc::new(layout)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_names_or_are_made() {
        let pair = |value, index| Datatype::value_index(value, index).unwrap();
        assert_eq!(pair(Basic::Double, Basic::Int), Some(Basic::DoubleInt.into()));
        let made = pair(Basic::Float, Basic::Long).expect("floats are compared");
        assert_eq!((made.size(), made.extent()), (12, 16));
        assert_eq!(made.pair(), Some((Basic::Float, Basic::Long)));
        assert!(made.is_predefined() && made.is_committed());
        assert_eq!(pair(Basic::Byte, Basic::Int), None);
        assert_eq!(pair(Basic::Double, Basic::Double), None);
        let wide = pair(Basic::IntegerOf8, Basic::IntegerOf8);
        assert_eq!(wide, Some(Basic::TwoIntegerOf16.into()));
    }

    #[test]
    fn every_pair_is_its_value_and_its_index() {
        for &basic in Basic::ALL.iter().chain(Basic::RESIZED) {
            assert_eq!(basic.pair().is_some(), basic.class() == Class::Pair, "{basic:?}");
            if let Some((value, index)) = basic.pair() {
                assert_eq!(basic.size(), value.size() + index.size(), "{basic:?}");
            }
        }
    }
}
