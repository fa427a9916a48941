//! The envelope and the contents of a datatype: the constructor that made it, and the arguments of that call
//! (`MPI_Type_get_envelope`, `MPI_Type_get_contents`).

use super::Datatype;

macro_rules! combiners {
    ($($(#[$doc:meta])* $name:ident = $value:literal,)*) => {
        /// A constructor of datatypes; its value is the combiner of the standard ABI.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(i32)]
        pub enum Combiner {
            $($(#[$doc])* $name = $value,)*
        }
    };
}

combiners! {
    /// None: the datatype is predefined and has a name.
    Named = 101,
    /// `MPI_Type_dup`.
    Dup = 102,
    /// `MPI_Type_contiguous`.
    Contiguous = 103,
    /// `MPI_Type_vector`.
    Vector = 104,
    /// `MPI_Type_create_hvector`.
    Hvector = 105,
    /// `MPI_Type_indexed`.
    Indexed = 106,
    /// `MPI_Type_create_hindexed`.
    Hindexed = 107,
    /// `MPI_Type_create_indexed_block`.
    IndexedBlock = 108,
    /// `MPI_Type_create_hindexed_block`.
    HindexedBlock = 109,
    /// `MPI_Type_create_struct`.
    Struct = 110,
    /// `MPI_Type_create_subarray`.
    Subarray = 111,
    /// `MPI_Type_create_darray`.
    Darray = 112,
    /// `MPI_Type_create_f90_real`.
    F90Real = 113,
    /// `MPI_Type_create_f90_complex`.
    F90Complex = 114,
    /// `MPI_Type_create_f90_integer`.
    F90Integer = 115,
    /// `MPI_Type_create_resized`.
    Resized = 116,
    /// `MPI_Type_get_value_index`, for a pair that has no name.
    ValueIndex = 117,
}

/// The interface by which a datatype was made: that with integer counts, or that with large counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Counts are integers, displacements addresses.
    Narrow,
    /// Counts and displacements are large counts.
    Large,
}

/// A constructor and its arguments, in the order of the standard.
#[derive(Clone, Debug)]
pub struct Contents {
    combiner: Combiner,
    width: Width,
    integers: Vec<i32>,
    addresses: Vec<isize>,
    counts: Vec<i64>,
    datatypes: Vec<Datatype>,
}

impl Contents {
    /// A call of a constructor, so far without arguments.
    #[must_use]
    pub fn new(combiner: Combiner, width: Width) -> Self {
        Self {
            combiner,
            width,
            integers: Vec::new(),
            addresses: Vec::new(),
            counts: Vec::new(),
            datatypes: Vec::new(),
        }
    }

    /// Adds arguments that are integers in both interfaces.
    #[must_use]
    pub fn integers(mut self, values: impl IntoIterator<Item = i32>) -> Self {
        self.integers.extend(values);
        self
    }

    /// Adds counts: integers in the narrow interface.
    #[must_use]
    pub fn counts(mut self, values: impl IntoIterator<Item = i64>) -> Self {
        match self.width {
            Width::Narrow => self.integers.extend(values.into_iter().map(|value| value as i32)),
            Width::Large => self.counts.extend(values),
        }
        self
    }

    /// Adds displacements in bytes: addresses in the narrow interface.
    #[must_use]
    pub fn addresses(mut self, values: impl IntoIterator<Item = i64>) -> Self {
        match self.width {
            Width::Narrow => self
                .addresses
                .extend(values.into_iter().map(|value| value as isize)),
            Width::Large => self.counts.extend(values),
        }
        self
    }

    /// Adds the datatypes.
    #[must_use]
    pub fn of(mut self, datatypes: impl IntoIterator<Item = Datatype>) -> Self {
        self.datatypes.extend(datatypes);
        self
    }

    /// The constructor.
    #[must_use]
    pub fn combiner(&self) -> Combiner {
        self.combiner
    }

    /// Integer arguments.
    #[must_use]
    pub fn integer_arguments(&self) -> &[i32] {
        &self.integers
    }

    /// Arguments that are addresses.
    #[must_use]
    pub fn address_arguments(&self) -> &[isize] {
        &self.addresses
    }

    /// Arguments that are large counts.
    #[must_use]
    pub fn count_arguments(&self) -> &[i64] {
        &self.counts
    }

    /// The datatypes it was made of.
    #[must_use]
    pub fn datatypes(&self) -> &[Datatype] {
        &self.datatypes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_go_where_the_interface_has_them() {
        let contents = |width| {
            Contents::new(Combiner::Hvector, width)
                .integers([7])
                .counts([2, 3])
                .addresses([40])
        };
        let narrow = contents(Width::Narrow);
        assert_eq!(narrow.integer_arguments(), [7, 2, 3]);
        assert_eq!(narrow.address_arguments(), [40]);
        assert!(narrow.count_arguments().is_empty());
        let large = contents(Width::Large);
        assert_eq!(large.integer_arguments(), [7]);
        assert_eq!(large.count_arguments(), [2, 3, 40]);
        assert!(large.address_arguments().is_empty());
    }
}
