//! Datatypes: what lies where in an element of a user's buffer.
//!
//! * [`Basic`]: the predefined datatypes, a table. [`Kind`]: their representations.
//! * [`Datatype`]: a predefined or a derived one. A derived one is immutable once made, and shared.
//! * Constructors: `vector.rs`, `indexed.rs`, `array.rs`, `f90.rs`, `value_index.rs`. How a program called them:
//!   [`Contents`].
//! * [`TruthValues`]: what stands for true and false in Fortran's logicals.
//! * `dataloop.rs`: the normal form in which all datatypes are moved. `signature.rs`: type signatures; `digest.rs`:
//!   by which they are compared.

mod array;
mod basic;
mod builder;
mod contents;
mod dataloop;
mod digest;
mod f90;
mod indexed;
mod kind;
mod layout;
mod logical;
mod predefined;
mod repeat;
mod segment;
mod signature;
mod value_index;
mod vector;

pub use array::{DistributedDim, Distribution, Order, SubarrayDim};
pub use basic::{Basic, Class};
pub use contents::{Combiner, Contents, Width};
pub use f90::{HasKind, MatchClass, match_size};
pub use indexed::Field;
pub use kind::Kind;
pub use layout::Layout;
pub use logical::TruthValues;

pub(crate) use dataloop::{Block, Dataloop, Part};
pub use digest::Digest;
pub use segment::Segment;
pub use signature::Signature;

use layout::Role;
use simurgh_core::sync::Arc;

/// A datatype: a predefined one, or one that the user has built.
#[derive(Clone, Debug)]
pub enum Datatype {
    /// Predefined.
    Basic(Basic),
    /// Derived.
    Derived(Arc<Layout>),
}

impl PartialEq for Datatype {
    /// Whether both are the same object. Equal datatypes that were made separately are different.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Datatype::Basic(left), Datatype::Basic(right)) => left == right,
            (Datatype::Derived(left), Datatype::Derived(right)) => Arc::ptr_eq(left, right),
            _ => false,
        }
    }
}

impl From<Basic> for Datatype {
    fn from(basic: Basic) -> Self {
        Datatype::Basic(basic)
    }
}

impl Datatype {
    /// Bytes of data in an element.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Datatype::Basic(basic) => basic.size(),
            Datatype::Derived(layout) => layout.size,
        }
    }

    /// Bytes from one element of an array to the next.
    #[inline]
    #[must_use]
    pub fn extent(&self) -> isize {
        match self {
            Datatype::Basic(basic) => basic.extent() as isize,
            Datatype::Derived(layout) => layout.ub - layout.lb,
        }
    }

    /// Lower bound.
    #[inline]
    #[must_use]
    pub fn lb(&self) -> isize {
        match self {
            Datatype::Basic(_) => 0,
            Datatype::Derived(layout) => layout.lb,
        }
    }

    /// Upper bound.
    #[inline]
    #[must_use]
    pub fn ub(&self) -> isize {
        self.lb() + self.extent()
    }

    /// Where the data of an element begins.
    #[inline]
    #[must_use]
    pub fn true_lb(&self) -> isize {
        match self {
            Datatype::Basic(_) => 0,
            Datatype::Derived(layout) => layout.true_lb,
        }
    }

    /// Bytes from the first byte of data of an element to the byte after its last.
    #[inline]
    #[must_use]
    pub fn true_extent(&self) -> isize {
        match self {
            Datatype::Basic(basic) => basic.true_extent() as isize,
            Datatype::Derived(layout) => layout.true_ub - layout.true_lb,
        }
    }

    /// Whether an array of these is one contiguous run of data that begins at its address.
    #[inline]
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        match self {
            Datatype::Basic(basic) => basic.is_dense(),
            Datatype::Derived(layout) => match layout.dataloop {
                Dataloop::Empty => true,
                Dataloop::Contiguous { offset: 0, len } => len as isize == layout.ub - layout.lb,
                _ => false,
            },
        }
    }

    /// The name: the standard's for a predefined datatype, and none for any other.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Datatype::Basic(basic) => basic.name(),
            Datatype::Derived(layout) => match layout.role {
                Role::Logical(basic) => basic.name(),
                _ => "",
            },
        }
    }

    /// The predefined datatype that this is, or that it differs from by name only.
    #[inline]
    #[must_use]
    pub fn basic(&self) -> Option<Basic> {
        match self {
            Datatype::Basic(basic) => Some(*basic),
            Datatype::Derived(layout) => match layout.role {
                Role::Duplicate(basic) | Role::Kind(basic) | Role::Logical(basic) => Some(basic),
                Role::Derived | Role::Pair { .. } => None,
            },
        }
    }

    /// The predefined datatype of all elements of which this consists; none if they are of several.
    #[must_use]
    pub fn unit(&self) -> Option<Self> {
        if self.basic().is_some() || self.pair().is_some() {
            return Some(self.clone());
        }
        let Some(contents) = self.contents() else {
            return match self.signature() {
                Signature::Run { basic, .. } => Some(basic.into()),
                _ => None,
            };
        };
        // Parts without data do not count.
        let mut parts = contents.datatypes().iter().filter(|part| part.size() > 0);
        let first = parts.next()?.unit()?;
        let is_same = |part: &Self| {
            let unit = part.unit();
            unit.is_some_and(|unit| unit.basic() == first.basic() && unit.pair() == first.pair())
        };
        parts.all(is_same).then_some(first)
    }

    /// Whether the datatype is predefined, so that it cannot be freed.
    #[inline]
    #[must_use]
    pub fn is_predefined(&self) -> bool {
        match self {
            Datatype::Basic(_) => true,
            Datatype::Derived(layout) => {
                matches!(layout.role, Role::Kind(_) | Role::Logical(_) | Role::Pair { .. })
            }
        }
    }

    /// The predefined datatype with a handle of its own that this is.
    #[inline]
    #[must_use]
    pub fn named(&self) -> Option<Basic> {
        match self {
            Datatype::Basic(basic) => Some(*basic),
            Datatype::Derived(layout) => match layout.role {
                Role::Logical(basic) => Some(basic),
                _ => None,
            },
        }
    }

    /// The constructor that made it, with its arguments; none for a named datatype, and for one made in Rust.
    #[inline]
    #[must_use]
    pub fn contents(&self) -> Option<&Contents> {
        match self {
            Datatype::Basic(_) => None,
            Datatype::Derived(layout) => layout.contents.as_ref(),
        }
    }

    /// Notes the call that made this datatype, which must be new: a datatype that is shared already stays as it is.
    #[must_use]
    pub fn with_contents(mut self, contents: Contents) -> Self {
        if let Datatype::Derived(layout) = &mut self
            && let Some(layout) = Arc::get_mut(layout)
        {
            layout.contents = Some(contents);
        }
        self
    }

    /// The predefined elements it consists of.
    #[must_use]
    pub fn signature(&self) -> Signature {
        match self {
            Datatype::Basic(basic) => Signature::of(*basic),
            Datatype::Derived(layout) => layout.signature.clone(),
        }
    }

    fn role(&self) -> Role {
        match self {
            Datatype::Basic(_) => Role::Derived,
            Datatype::Derived(layout) => layout.role,
        }
    }

    /// Declares that the datatype will be used in communication.
    pub fn commit(&self) {
        if let Datatype::Derived(layout) = self {
            layout.commit();
        }
    }

    /// Whether the datatype may be used in communication; predefined ones always.
    #[inline]
    #[must_use]
    pub fn is_committed(&self) -> bool {
        match self {
            Datatype::Basic(_) => true,
            Datatype::Derived(layout) => layout.is_committed(),
        }
    }

    /// Elements of this datatype in `bytes` of received data; `None` if the last one is not whole.
    #[inline]
    #[must_use]
    pub fn count_in(&self, bytes: u64) -> Option<u64> {
        let size = self.size() as u64;
        match (size, bytes) {
            (0, 0) => Some(0),
            (0, _) => None,
            _ => bytes.is_multiple_of(size).then(|| bytes / size),
        }
    }

    /// Predefined elements in `bytes` of received data; `None` if the last one is not whole.
    #[must_use]
    pub fn elements_in(&self, bytes: u64) -> Option<u64> {
        let size = self.size() as u64;
        if size == 0 {
            return (bytes == 0).then_some(0);
        }
        let signature = self.signature();
        let rest = signature.elements_in((bytes % size) as usize)?;
        Some(bytes / size * signature.elements() as u64 + rest as u64)
    }

    /// Bytes of data in the first `elements` predefined elements of an array of this; `None` if they are more than can
    /// be counted.
    #[must_use]
    pub fn bytes_of(&self, elements: u64) -> Option<u64> {
        let signature = self.signature();
        let each = signature.elements() as u64;
        if each == 0 {
            return (elements == 0).then_some(0);
        }
        let whole = (elements / each).checked_mul(self.size() as u64)?;
        whole.checked_add(signature.bytes_of((elements % each) as usize) as u64)
    }

    /// Whether the bytes of an array of these lie in the order of the type map, none on another. Takes time in
    /// proportion to the blocks that are listed in the datatype.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.true_extent() <= self.extent() && self.dataloop().is_ordered()
    }

    /// Whether the blocks of an element begin one behind the other, in the order of the type map.
    #[must_use]
    pub fn is_ascending(&self) -> bool {
        self.dataloop().is_ascending()
    }

    /// Whether some bytes of an element are described twice, of a datatype whose blocks ascend.
    #[must_use]
    pub fn overlaps_itself(&self) -> bool {
        !self.dataloop().is_ordered()
    }

    /// Where the data of an element lies.
    #[inline]
    pub(crate) fn dataloop(&self) -> &Dataloop {
        match self {
            Datatype::Basic(basic) => basic.dataloop(),
            Datatype::Derived(layout) => &layout.dataloop,
        }
    }
}
