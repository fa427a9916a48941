//! Constructors that repeat a datatype at equal distances, or change its bounds.

use std::borrow::Cow;

use super::Datatype;
use super::layout::{Bounds, Layout, Outline, Role, too_large};
use super::signature::Signature;
use simurgh_base::error::Result;
use simurgh_core::sync::Arc;

impl Datatype {
    /// `count` elements of `element`, one after the other (`MPI_Type_contiguous`).
    ///
    /// # Errors
    ///
    /// When the result is larger than the address space.
    pub fn contiguous(count: usize, element: &Datatype) -> Result<Datatype> {
        element.outline().row(count).map(Datatype::of)
    }

    /// `count` blocks of `block` elements, the blocks' starts `stride` elements apart (`MPI_Type_vector`).
    ///
    /// # Errors
    ///
    /// When the result is larger than the address space.
    pub fn vector(count: usize, block: usize, stride: isize, element: &Datatype) -> Result<Datatype> {
        let bytes = stride.checked_mul(element.extent());
        let bytes = bytes.or((count <= 1).then_some(0));
        let bytes = bytes.ok_or_else(|| too_large(format!("strides of {stride} elements")))?;
        Self::hvector(count, block, bytes, element)
    }

    /// `count` blocks of `block` elements, the blocks' starts `stride` bytes apart (`MPI_Type_create_hvector`).
    ///
    /// # Errors
    ///
    /// When the result is larger than the address space.
    pub fn hvector(count: usize, block: usize, stride: isize, element: &Datatype) -> Result<Datatype> {
        if block == 0 {
            return Self::contiguous(0, element);
        }
        element
            .outline()
            .row(block)?
            .repeat(count, stride)
            .map(Datatype::of)
    }

    /// The same data with other bounds (`MPI_Type_create_resized`).
    ///
    /// # Errors
    ///
    /// When the upper bound is no address.
    pub fn resized(lb: isize, extent: isize, element: &Datatype) -> Result<Datatype> {
        let ub = lb.checked_add(extent);
        let ub = ub.ok_or_else(|| too_large(format!("{extent} bytes from {lb} on")))?;
        Ok(Datatype::of(Outline {
            bounds: Bounds { lb, ub },
            marked: true,
            ..element.outline()
        }))
    }

    /// A new datatype like `element`, committed if `element` is (`MPI_Type_dup`).
    #[must_use]
    pub fn duplicate(element: &Datatype) -> Datatype {
        let mut layout = Layout::new(element.outline());
        layout.role = element.basic().map_or(Role::Derived, Role::Duplicate);
        layout.truth_values = element.truth_values().copied().map(Box::new);
        if element.is_committed() {
            layout.commit();
        }
        Datatype::Derived(Arc::new(layout))
    }

    /// The datatype with this outline.
    pub(crate) fn of(outline: Outline<'_>) -> Datatype {
        Datatype::Derived(Arc::new(Layout::new(outline)))
    }

    /// The properties that constructors need of their elements.
    pub(crate) fn outline(&self) -> Outline<'_> {
        match self {
            Datatype::Basic(basic) => Outline {
                dataloop: Cow::Borrowed(basic.dataloop()),
                bounds: Bounds {
                    lb: 0,
                    ub: basic.extent() as isize,
                },
                marked: false,
                alignment: basic.alignment(),
                signature: Signature::of(*basic),
            },
            Datatype::Derived(layout) => layout.outline(),
        }
    }
}
