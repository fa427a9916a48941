//! Parts of a buffer that have different datatypes, as in `MPI_Alltoallw`.

use super::numbers::Numbers;
use crate::datatype::Datatype;

/// Where parts of different datatypes lie in a buffer.
#[derive(Clone, Debug, Default)]
pub struct MixedParts {
    counts: Numbers,
    displacements: Numbers,
    datatypes: Vec<Datatype>,
}

/// Where one of them lies.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Number of elements.
    pub count: usize,
    /// Bytes from the buffer's address.
    pub displacement: isize,
    /// Datatype of the elements.
    pub datatype: &'a Datatype,
}

impl MixedParts {
    /// Describes other parts: for each a count, a displacement in bytes and a datatype. The memory of the old
    /// description is used again.
    ///
    /// # Errors
    ///
    /// The error of the first datatype that is one.
    pub fn describe<E>(
        &mut self,
        counts: Numbers,
        displacements: Numbers,
        datatypes: impl IntoIterator<Item = Result<Datatype, E>>,
    ) -> Result<(), E> {
        self.datatypes.clear();
        for datatype in datatypes {
            self.datatypes.push(datatype?);
        }
        (self.counts, self.displacements) = (counts, displacements);
        Ok(())
    }

    /// Where part `index` lies, if it exists.
    #[inline]
    #[must_use]
    pub fn place(&self, index: usize) -> Option<Place<'_>> {
        Some(Place {
            count: self.counts.count(index),
            displacement: self.displacements.get(index)? as isize,
            datatype: self.datatypes.get(index)?,
        })
    }

    /// Where all lie, in order.
    #[inline]
    pub fn places(&self) -> impl Iterator<Item = Place<'_>> {
        (0..self.datatypes.len()).filter_map(|index| self.place(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Basic;

    fn numbers(numbers: &[i64]) -> Numbers {
        numbers.iter().copied().collect()
    }

    #[test]
    fn a_new_description_replaces_the_old_one() {
        let mut mixed = MixedParts::default();
        assert!(mixed.place(0).is_none());
        let basic = |basic| Ok::<_, ()>(Datatype::Basic(basic));
        let (counts, displacements) = (numbers(&[1, 2]), numbers(&[-8, 4]));
        let two = [basic(Basic::Int), basic(Basic::Double)];
        mixed.describe(counts, displacements, two).unwrap();
        let lie = |place: Place<'_>| (place.count, place.displacement, place.datatype.size());
        assert!(mixed.places().map(lie).eq([(1, -8, 4), (2, 4, 8)]));
        mixed
            .describe(numbers(&[3]), numbers(&[0]), [basic(Basic::Byte)])
            .unwrap();
        assert!(mixed.places().map(lie).eq([(3, 0, 1)]));
        let none = mixed.describe(numbers(&[1]), numbers(&[0]), [Err("no datatype")]);
        assert_eq!(none, Err("no datatype"));
    }
}
