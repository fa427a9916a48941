//! Datatypes: what lies where in an element of a user's buffer.
//!
//! * [`Basic`]: the predefined datatypes, a table. [`Kind`]: their representations.
//! * [`Datatype`]: a predefined or a derived one. A derived one is immutable once made, and shared.
//! * `form.rs`: the normal form in which all datatypes are moved.

mod basic;
mod form;
mod kind;
mod layout;
mod predefined;
mod record;

pub use basic::{Basic, Class};
pub use kind::Kind;
pub use layout::Layout;
pub use record::Field;

pub(crate) use form::{Form, Stretch};

use layout::{Bounds, Grid};
use simurgh_core::sync::Arc;

use crate::error::Result;

/// A datatype: a predefined one, or one that the user has built.
#[derive(Clone, Debug)]
pub enum Datatype {
    /// Predefined.
    Basic(Basic),
    /// Derived.
    Derived(Arc<Layout>),
}

impl PartialEq for Datatype {
    /// Whether both are the same object, not merely alike.
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
    /// `count` elements of `element` behind each other.
    ///
    /// # Errors
    ///
    /// When the result is larger than the address space.
    pub fn contiguous(count: usize, element: &Datatype) -> Result<Datatype> {
        element.on_grid(Grid {
            count: 1,
            block: count,
            stride: 0,
        })
    }

    /// `count` blocks of `block` elements, the blocks' starts `stride` elements apart.
    ///
    /// # Errors
    ///
    /// When the result is larger than the address space.
    pub fn vector(count: usize, block: usize, stride: isize, element: &Datatype) -> Result<Datatype> {
        let stride = stride.saturating_mul(element.extent());
        element.on_grid(Grid { count, block, stride })
    }

    /// `count` blocks of `block` elements, the blocks' starts `stride` bytes apart.
    ///
    /// # Errors
    ///
    /// When the result is larger than the address space.
    pub fn hvector(count: usize, block: usize, stride: isize, element: &Datatype) -> Result<Datatype> {
        element.on_grid(Grid { count, block, stride })
    }

    fn on_grid(&self, grid: Grid) -> Result<Datatype> {
        let bounds = Bounds {
            lb: self.lb(),
            ub: self.ub(),
        };
        let layout = Layout::on_grid(self.form(), bounds, self.element(), grid)?;
        Ok(Datatype::Derived(Arc::new(layout)))
    }

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
    #[must_use]
    pub fn lb(&self) -> isize {
        match self {
            Datatype::Basic(_) => 0,
            Datatype::Derived(layout) => layout.lb,
        }
    }

    /// Upper bound.
    #[must_use]
    pub fn ub(&self) -> isize {
        self.lb() + self.extent()
    }

    /// Where the data of an element begins.
    #[must_use]
    pub fn true_lb(&self) -> isize {
        match self {
            Datatype::Basic(_) => 0,
            Datatype::Derived(layout) => layout.true_lb,
        }
    }

    /// Bytes from the first byte of data of an element to its last.
    #[must_use]
    pub fn true_extent(&self) -> isize {
        match self {
            Datatype::Basic(basic) => basic.true_extent() as isize,
            Datatype::Derived(layout) => layout.true_ub - layout.true_lb,
        }
    }

    /// Whether an array of these is one stretch of data that begins at its address.
    #[inline]
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        match self {
            Datatype::Basic(basic) => basic.is_dense(),
            Datatype::Derived(layout) => match layout.form {
                Form::Empty => true,
                Form::Run { offset: 0, len } => len as isize == layout.ub - layout.lb,
                _ => false,
            },
        }
    }

    /// The name: the standard's for a predefined datatype, and none for a derived one.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Datatype::Basic(basic) => basic.name(),
            Datatype::Derived(_) => "",
        }
    }

    /// The predefined datatype this is.
    #[inline]
    #[must_use]
    pub fn basic(&self) -> Option<Basic> {
        match self {
            Datatype::Basic(basic) => Some(*basic),
            Datatype::Derived(_) => None,
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
        if self.size() == 0 {
            return (bytes == 0).then_some(0);
        }
        let basic = self.element();
        let size = basic.size() as u64;
        let whole = bytes / size * basic.elements() as u64;
        match bytes % size {
            0 => Some(whole),
            rest => (basic.kind().value_len() == Some(rest as usize)).then_some(whole + 1),
        }
    }

    /// Where the data of an element lies.
    #[inline]
    pub(crate) fn form(&self) -> &Form {
        match self {
            Datatype::Basic(basic) => basic.form(),
            Datatype::Derived(layout) => &layout.form,
        }
    }

    /// The predefined datatype that this one consists of.
    fn element(&self) -> Basic {
        match self {
            Datatype::Basic(basic) => *basic,
            Datatype::Derived(layout) => layout.element,
        }
    }
}
