//! The operations of the standard.

macro_rules! builtins {
    ($($variant:ident = $value:literal, $name:literal;)*) => {
        /// A predefined operation; its value is that of the handle in the standard ABI.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[expect(clippy::doc_markdown, reason = "the names are those of the standard")]
        pub enum BuiltinOp {
            $(#[doc = $name] $variant = $value,)*
        }

        impl BuiltinOp {
            /// All predefined operations.
            pub const ALL: &'static [BuiltinOp] = &[$(BuiltinOp::$variant,)*];

            /// The name the standard gives it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(BuiltinOp::$variant => $name,)*
                }
            }
        }
    };
}

builtins! {
    Sum = 0x21, "MPI_SUM";
    Min = 0x22, "MPI_MIN";
    Max = 0x23, "MPI_MAX";
    Prod = 0x24, "MPI_PROD";
    Band = 0x28, "MPI_BAND";
    Bor = 0x29, "MPI_BOR";
    Bxor = 0x2a, "MPI_BXOR";
    Land = 0x30, "MPI_LAND";
    Lor = 0x31, "MPI_LOR";
    Lxor = 0x32, "MPI_LXOR";
    Minloc = 0x38, "MPI_MINLOC";
    Maxloc = 0x39, "MPI_MAXLOC";
    Replace = 0x3c, "MPI_REPLACE";
    NoOp = 0x3d, "MPI_NO_OP";
}

/// Handles of predefined operations lie in a page of this many values from [`FIRST`] on.
pub(super) const PAGE: usize = 32;
const FIRST: usize = 0x20;

/// The operations by their places in the page.
static BY_PLACE: [Option<BuiltinOp>; PAGE] = {
    let mut table = [None; PAGE];
    let mut next = 0;
    while next < BuiltinOp::ALL.len() {
        let op = BuiltinOp::ALL[next];
        table[op as usize - FIRST] = Some(op);
        next += 1;
    }
    table
};

impl BuiltinOp {
    /// The operation of a handle of the standard ABI, if it is a predefined one.
    #[inline]
    #[must_use]
    pub fn from_handle(value: usize) -> Option<BuiltinOp> {
        BY_PLACE.get(value.wrapping_sub(FIRST)).copied().flatten()
    }

    /// The place of its handle in the page.
    #[inline]
    pub(super) fn place(self) -> usize {
        self as usize - FIRST
    }

    /// The value of its handle in the standard ABI.
    #[inline]
    #[must_use]
    pub fn handle(self) -> usize {
        self as usize
    }

    /// Whether the operation is commutative, which all are but `MPI_REPLACE` and `MPI_NO_OP`.
    #[inline]
    #[must_use]
    pub fn is_commutative(self) -> bool {
        !matches!(self, BuiltinOp::Replace | BuiltinOp::NoOp)
    }
}
