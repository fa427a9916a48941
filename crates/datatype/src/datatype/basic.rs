//! The predefined datatypes of the standard ABI: a table.

use super::kind::Kind;

/// The groups of section 6.9.2 of the standard, which say what operations a datatype takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// C integer.
    CInteger,
    /// Fortran integer.
    FortranInteger,
    /// Floating point.
    Floating,
    /// Logical.
    Logical,
    /// Complex.
    Complex,
    /// Byte.
    Byte,
    /// Multi-language types: addresses, counts and offsets.
    MultiLanguage,
    /// Printable characters: moved and converted, never reduced.
    Character,
    /// C's `char`. The standard counts it among the printable characters, which are not reduced; programs and other
    /// MPIs take it for an integer.
    Char,
    /// A value and an index.
    Pair,
    /// Packed messages.
    Packed,
}

/// The properties of a predefined datatype.
#[derive(Clone, Copy)]
pub(crate) struct Info {
    /// The datatype in its usual size, whose value is that of the handle.
    pub(crate) usual: Basic,
    pub(crate) name: &'static str,
    pub(crate) class: Class,
    pub(crate) kind: Kind,
}

/// Handles of predefined datatypes lie in a page of this many values from [`FIRST`] on.
const PAGE: usize = 256;
const FIRST: u16 = 0x200;

macro_rules! basics {
    (
        usual {
            $($variant:ident = $value:literal, $name:literal, $class:ident, $kind:ident;)*
        }
        resized {
            $($resized:ident = $slot:literal, $as:ident, $as_name:literal, $as_class:ident, $as_kind:ident;)*
        }
    ) => {
        /// A predefined datatype.
        ///
        /// Its value is that of the handle in the standard ABI. The exceptions are Fortran's types of other sizes than
        /// usual, whose values no handle has.
        ///
        /// It is as wide as the pointer of a derived datatype, so that a [`Datatype`](super::Datatype) is a pair of
        /// words, which is moved in registers. What is written in small parts and read as a whole stalls the core.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u64)]
        #[expect(clippy::doc_markdown, reason = "the names are those of the standard")]
        pub enum Basic {
            $(#[doc = $name] $variant = $value,)*
            $(#[doc = $as_name] #[doc = " of another size."] $resized = $slot,)*
        }

        impl Basic {
            /// The predefined datatypes in their usual sizes: one for each handle.
            pub const ALL: &'static [Basic] = &[$(Basic::$variant,)*];

            /// Fortran's types of other sizes than usual.
            pub const RESIZED: &'static [Basic] = &[$(Basic::$resized,)*];

            const TABLE: [Info; PAGE] = {
                let none = Info { usual: Basic::Byte, name: "", class: Class::Byte, kind: Kind::Byte };
                let mut table = [none; PAGE];
                $(table[$value - FIRST as usize] = Info {
                    usual: Basic::$variant,
                    name: $name,
                    class: Class::$class,
                    kind: Kind::$kind,
                };)*
                $(table[$slot - FIRST as usize] = Info {
                    usual: Basic::$as,
                    name: $as_name,
                    class: Class::$as_class,
                    kind: Kind::$as_kind,
                };)*
                table
            };
        }
    };
}

basics! {
    usual {
        Aint = 0x201, "MPI_AINT", MultiLanguage, I64;
        Count = 0x202, "MPI_COUNT", MultiLanguage, I64;
        Offset = 0x203, "MPI_OFFSET", MultiLanguage, I64;
        Packed = 0x207, "MPI_PACKED", Packed, Byte;
        Short = 0x208, "MPI_SHORT", CInteger, I16;
        Int = 0x209, "MPI_INT", CInteger, I32;
        Long = 0x20a, "MPI_LONG", CInteger, I64;
        LongLong = 0x20b, "MPI_LONG_LONG_INT", CInteger, I64;
        UnsignedShort = 0x20c, "MPI_UNSIGNED_SHORT", CInteger, U16;
        Unsigned = 0x20d, "MPI_UNSIGNED", CInteger, U32;
        UnsignedLong = 0x20e, "MPI_UNSIGNED_LONG", CInteger, U64;
        UnsignedLongLong = 0x20f, "MPI_UNSIGNED_LONG_LONG", CInteger, U64;
        Float = 0x210, "MPI_FLOAT", Floating, F32;
        CFloatComplex = 0x212, "MPI_C_COMPLEX", Complex, C32;
        CxxFloatComplex = 0x213, "MPI_CXX_FLOAT_COMPLEX", Complex, C32;
        Double = 0x214, "MPI_DOUBLE", Floating, F64;
        CDoubleComplex = 0x216, "MPI_C_DOUBLE_COMPLEX", Complex, C64;
        CxxDoubleComplex = 0x217, "MPI_CXX_DOUBLE_COMPLEX", Complex, C64;
        Logical = 0x218, "MPI_LOGICAL", Logical, L32;
        Integer = 0x219, "MPI_INTEGER", FortranInteger, I32;
        Real = 0x21a, "MPI_REAL", Floating, F32;
        Complex = 0x21b, "MPI_COMPLEX", Complex, C32;
        DoublePrecision = 0x21c, "MPI_DOUBLE_PRECISION", Floating, F64;
        DoubleComplex = 0x21d, "MPI_DOUBLE_COMPLEX", Complex, C64;
        Character = 0x21e, "MPI_CHARACTER", Character, Byte;
        LongDouble = 0x220, "MPI_LONG_DOUBLE", Floating, F80;
        CLongDoubleComplex = 0x224, "MPI_C_LONG_DOUBLE_COMPLEX", Complex, C80;
        CxxLongDoubleComplex = 0x225, "MPI_CXX_LONG_DOUBLE_COMPLEX", Complex, C80;
        FloatInt = 0x228, "MPI_FLOAT_INT", Pair, F32I32;
        DoubleInt = 0x229, "MPI_DOUBLE_INT", Pair, F64I32;
        LongInt = 0x22a, "MPI_LONG_INT", Pair, I64I32;
        TwoInt = 0x22b, "MPI_2INT", Pair, I32I32;
        ShortInt = 0x22c, "MPI_SHORT_INT", Pair, I16I32;
        LongDoubleInt = 0x22d, "MPI_LONG_DOUBLE_INT", Pair, F80I32;
        TwoReal = 0x230, "MPI_2REAL", Pair, F32F32;
        TwoDoublePrecision = 0x231, "MPI_2DOUBLE_PRECISION", Pair, F64F64;
        TwoInteger = 0x232, "MPI_2INTEGER", Pair, I32I32;
        CBool = 0x238, "MPI_C_BOOL", Logical, L8;
        CxxBool = 0x239, "MPI_CXX_BOOL", Logical, L8;
        Wchar = 0x23c, "MPI_WCHAR", Character, I32;
        Int8 = 0x240, "MPI_INT8_T", CInteger, I8;
        Uint8 = 0x241, "MPI_UINT8_T", CInteger, U8;
        Char = 0x243, "MPI_CHAR", Char, C_CHAR;
        SignedChar = 0x244, "MPI_SIGNED_CHAR", CInteger, I8;
        UnsignedChar = 0x245, "MPI_UNSIGNED_CHAR", CInteger, U8;
        Byte = 0x247, "MPI_BYTE", Byte, Byte;
        Int16 = 0x248, "MPI_INT16_T", CInteger, I16;
        Uint16 = 0x249, "MPI_UINT16_T", CInteger, U16;
        Int32 = 0x250, "MPI_INT32_T", CInteger, I32;
        Uint32 = 0x251, "MPI_UINT32_T", CInteger, U32;
        Int64 = 0x258, "MPI_INT64_T", CInteger, I64;
        Uint64 = 0x259, "MPI_UINT64_T", CInteger, U64;
        Logical1 = 0x2c0, "MPI_LOGICAL1", Logical, L8;
        Integer1 = 0x2c1, "MPI_INTEGER1", FortranInteger, I8;
        Logical2 = 0x2c8, "MPI_LOGICAL2", Logical, L16;
        Integer2 = 0x2c9, "MPI_INTEGER2", FortranInteger, I16;
        Real2 = 0x2ca, "MPI_REAL2", Floating, F16;
        Logical4 = 0x2d0, "MPI_LOGICAL4", Logical, L32;
        Integer4 = 0x2d1, "MPI_INTEGER4", FortranInteger, I32;
        Real4 = 0x2d2, "MPI_REAL4", Floating, F32;
        Complex4 = 0x2d3, "MPI_COMPLEX4", Complex, C16;
        Logical8 = 0x2d8, "MPI_LOGICAL8", Logical, L64;
        Integer8 = 0x2d9, "MPI_INTEGER8", FortranInteger, I64;
        Real8 = 0x2da, "MPI_REAL8", Floating, F64;
        Complex8 = 0x2db, "MPI_COMPLEX8", Complex, C32;
        Logical16 = 0x2e0, "MPI_LOGICAL16", Logical, L128;
        Integer16 = 0x2e1, "MPI_INTEGER16", FortranInteger, I128;
        Real16 = 0x2e2, "MPI_REAL16", Floating, F128;
        Complex16 = 0x2e3, "MPI_COMPLEX16", Complex, C64;
        Complex32 = 0x2eb, "MPI_COMPLEX32", Complex, C128;
    }
    // The values from 0x280 to 0x2bf belong to no handle of the standard ABI.
    resized {
        LogicalOf1 = 0x280, Logical, "MPI_LOGICAL", Logical, L8;
        LogicalOf2 = 0x281, Logical, "MPI_LOGICAL", Logical, L16;
        LogicalOf8 = 0x282, Logical, "MPI_LOGICAL", Logical, L64;
        LogicalOf16 = 0x283, Logical, "MPI_LOGICAL", Logical, L128;
        IntegerOf1 = 0x284, Integer, "MPI_INTEGER", FortranInteger, I8;
        IntegerOf2 = 0x285, Integer, "MPI_INTEGER", FortranInteger, I16;
        IntegerOf8 = 0x286, Integer, "MPI_INTEGER", FortranInteger, I64;
        IntegerOf16 = 0x287, Integer, "MPI_INTEGER", FortranInteger, I128;
        RealOf2 = 0x288, Real, "MPI_REAL", Floating, F16;
        RealOf8 = 0x289, Real, "MPI_REAL", Floating, F64;
        RealOf16 = 0x28a, Real, "MPI_REAL", Floating, F128;
        ComplexOf4 = 0x28b, Complex, "MPI_COMPLEX", Complex, C16;
        ComplexOf16 = 0x28c, Complex, "MPI_COMPLEX", Complex, C64;
        ComplexOf32 = 0x28d, Complex, "MPI_COMPLEX", Complex, C128;
        DoublePrecisionOf2 = 0x28e, DoublePrecision, "MPI_DOUBLE_PRECISION", Floating, F16;
        DoublePrecisionOf4 = 0x28f, DoublePrecision, "MPI_DOUBLE_PRECISION", Floating, F32;
        DoublePrecisionOf16 = 0x290, DoublePrecision, "MPI_DOUBLE_PRECISION", Floating, F128;
        DoubleComplexOf4 = 0x291, DoubleComplex, "MPI_DOUBLE_COMPLEX", Complex, C16;
        DoubleComplexOf8 = 0x292, DoubleComplex, "MPI_DOUBLE_COMPLEX", Complex, C32;
        DoubleComplexOf32 = 0x293, DoubleComplex, "MPI_DOUBLE_COMPLEX", Complex, C128;
        TwoRealOf4 = 0x294, TwoReal, "MPI_2REAL", Pair, F16F16;
        TwoRealOf16 = 0x295, TwoReal, "MPI_2REAL", Pair, F64F64;
        TwoRealOf32 = 0x296, TwoReal, "MPI_2REAL", Pair, F128F128;
        TwoDoublePrecisionOf4 = 0x297, TwoDoublePrecision, "MPI_2DOUBLE_PRECISION", Pair, F16F16;
        TwoDoublePrecisionOf8 = 0x298, TwoDoublePrecision, "MPI_2DOUBLE_PRECISION", Pair, F32F32;
        TwoDoublePrecisionOf32 = 0x299, TwoDoublePrecision, "MPI_2DOUBLE_PRECISION", Pair, F128F128;
        TwoIntegerOf2 = 0x29a, TwoInteger, "MPI_2INTEGER", Pair, I8I8;
        TwoIntegerOf4 = 0x29b, TwoInteger, "MPI_2INTEGER", Pair, I16I16;
        TwoIntegerOf16 = 0x29c, TwoInteger, "MPI_2INTEGER", Pair, I64I64;
        TwoIntegerOf32 = 0x29d, TwoInteger, "MPI_2INTEGER", Pair, I128I128;
    }
}

static TABLE: [Info; PAGE] = Basic::TABLE;

/// Sizes and extents, which every message needs, in a table of their own: eight cache lines.
static MEASURES: [Measures; PAGE] = {
    let mut measures = [Measures { size: 0, extent: 0 }; PAGE];
    let mut index = 0;
    while index < PAGE {
        let kind = Basic::TABLE[index].kind;
        measures[index] = Measures {
            size: kind.size() as u8,
            extent: kind.extent() as u8,
        };
        index += 1;
    }
    measures
};

/// The datatypes by their places, in all sizes.
static BY_PLACE: [Option<Basic>; PAGE] = {
    let mut table = [None; PAGE];
    let mut next = 0;
    while next < Basic::ALL.len() + Basic::RESIZED.len() {
        let basic = match next < Basic::ALL.len() {
            true => Basic::ALL[next],
            false => Basic::RESIZED[next - Basic::ALL.len()],
        };
        table[basic as usize - FIRST as usize] = Some(basic);
        next += 1;
    }
    table
};

#[derive(Clone, Copy)]
struct Measures {
    size: u8,
    extent: u8,
}

impl Basic {
    /// The number of places in a table of predefined datatypes.
    pub(crate) const PAGE: usize = PAGE;

    /// The place of the datatype in such a table.
    #[inline]
    pub(crate) fn place(self) -> usize {
        (self as u16 - FIRST) as usize & (PAGE - 1)
    }

    fn info(self) -> &'static Info {
        &TABLE[self.place()]
    }

    /// The datatype of a handle of the standard ABI, if it is a predefined one.
    #[must_use]
    pub fn from_handle(value: usize) -> Option<Basic> {
        Self::of_number(value).filter(|basic| *basic == basic.usual())
    }

    /// The datatype with this value, in its usual size or another one.
    #[inline]
    pub(crate) fn of_number(value: usize) -> Option<Basic> {
        BY_PLACE
            .get(value.wrapping_sub(usize::from(FIRST)))
            .copied()
            .flatten()
    }

    /// The value of its handle in the standard ABI.
    #[inline]
    #[must_use]
    pub fn handle(self) -> usize {
        self.usual() as usize
    }

    /// The datatype of the same name that has `size` bytes. Only types whose size a Fortran compiler's options change
    /// have another size than the usual one.
    #[must_use]
    pub fn resized(self, size: usize) -> Option<Basic> {
        let fits = |basic: &Basic| basic.usual() == self.usual() && basic.size() == size;
        Self::RESIZED.iter().copied().chain([self.usual()]).find(fits)
    }

    /// The datatype of the same name in its usual size.
    #[inline]
    #[must_use]
    pub fn usual(self) -> Basic {
        self.info().usual
    }

    /// The name the standard gives it. Two have a second one, `MPI_LONG_LONG` and `MPI_C_FLOAT_COMPLEX`; this is the
    /// one that MPICH and Open MPI give.
    #[inline]
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The group it belongs to in reductions.
    #[inline]
    #[must_use]
    pub fn class(self) -> Class {
        self.info().class
    }

    /// Its representation in memory.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        self.info().kind
    }

    /// Bytes of data.
    #[inline]
    #[must_use]
    pub fn size(self) -> usize {
        MEASURES[self.place()].size.into()
    }

    /// Bytes from one element of an array to the next.
    #[inline]
    #[must_use]
    pub fn extent(self) -> usize {
        MEASURES[self.place()].extent.into()
    }

    /// Whether an array of these is one stretch of data.
    #[inline]
    #[must_use]
    pub fn is_dense(self) -> bool {
        self.size() == self.extent()
    }

    /// Alignment the language gives it.
    #[inline]
    #[must_use]
    pub fn alignment(self) -> usize {
        self.kind().alignment()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_datatype_is_found_by_its_handle() {
        for &basic in Basic::ALL {
            assert_eq!(Basic::from_handle(basic.handle()), Some(basic));
            assert!(basic.name().starts_with("MPI_"), "{basic:?}");
            assert!(basic.size() <= basic.extent() && basic.extent().is_multiple_of(basic.alignment()));
        }
        assert_eq!(Basic::from_handle(0x200), None);
        assert_eq!(Basic::from_handle(0x211), None);
        assert_eq!(Basic::ALL.len(), 70);
    }

    #[test]
    fn types_of_other_sizes_differ_by_nothing_else() {
        for &basic in Basic::RESIZED {
            let usual = basic.usual();
            assert_eq!(Basic::from_handle(basic as usize), None, "{basic:?}");
            assert_eq!(Basic::of_number(basic as usize), Some(basic));
            assert_eq!((basic.name(), basic.class()), (usual.name(), usual.class()));
            assert_eq!(format!("{basic:?}"), format!("{usual:?}Of{}", basic.size()));
            assert_eq!(usual.resized(basic.size()), Some(basic));
            assert!(basic.is_dense() && basic.size() != usual.size(), "{basic:?}");
        }
        assert_eq!(Basic::Real.resized(4), Some(Basic::Real));
        assert_eq!(Basic::Real.resized(10), None);
        assert_eq!(Basic::Int.resized(8), None);
    }

    #[test]
    fn layouts_are_those_of_c() {
        let layouts = [
            (Basic::Int, 4, 4),
            (Basic::LongDouble, 16, 16),
            (Basic::CLongDoubleComplex, 32, 32),
            (Basic::ShortInt, 6, 8),
            (Basic::DoubleInt, 12, 16),
            (Basic::LongInt, 12, 16),
            (Basic::LongDoubleInt, 20, 32),
            (Basic::TwoInt, 8, 8),
            (Basic::Real2, 2, 2),
            (Basic::Complex32, 32, 32),
        ];
        for (basic, size, extent) in layouts {
            assert_eq!((basic.size(), basic.extent()), (size, extent), "{}", basic.name());
        }
    }
}
