//! A derived datatype: its bounds, its form and what it is made of.

use simurgh_core::sync::{AtomicBool, Ordering};

use super::basic::Basic;
use super::form::Form;
use crate::error::{Error, ErrorClass, Result};

/// A derived datatype.
#[derive(Debug)]
pub struct Layout {
    pub(crate) form: Form,
    pub(crate) size: usize,
    pub(crate) lb: isize,
    pub(crate) ub: isize,
    pub(crate) true_lb: isize,
    pub(crate) true_ub: isize,
    /// The predefined datatype that it consists of.
    pub(crate) element: Basic,
    committed: AtomicBool,
}

/// Copies of a datatype at regular places: `count` blocks, `stride` bytes apart, of `block` copies each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) count: usize,
    pub(crate) block: usize,
    pub(crate) stride: isize,
}

/// Bounds of a datatype: `[lb, ub)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) lb: isize,
    pub(crate) ub: isize,
}

impl Layout {
    /// Copies of a datatype of `form` and `bounds` that consists of `element`, laid out on a `grid`.
    pub(crate) fn on_grid(form: &Form, bounds: Bounds, element: Basic, grid: Grid) -> Result<Self> {
        let extent = bounds.ub - bounds.lb;
        let copies = grid
            .count
            .checked_mul(grid.block)
            .ok_or_else(|| too_large(grid))?;
        form.size()
            .checked_mul(copies)
            .filter(|size| isize::try_from(*size).is_ok())
            .ok_or_else(|| too_large(grid))?;
        let place = place(bounds, extent, grid).ok_or_else(|| too_large(grid))?;
        let block = form.repeat(grid.block, extent);
        let form = block.repeat(grid.count, grid.stride);
        Ok(Self::of_form(form, place, element))
    }

    /// A datatype of any form that consists of `element`.
    pub(crate) fn of_form(form: Form, bounds: Bounds, element: Basic) -> Self {
        let (true_lb, true_ub) = form.bounds().unwrap_or((0, 0));
        Self {
            size: form.size(),
            form,
            lb: bounds.lb,
            ub: bounds.ub,
            true_lb,
            true_ub,
            element,
            committed: AtomicBool::new(false),
        }
    }

    pub(crate) fn commit(&self) {
        // Relaxed: a flag that orders nothing; the layout is complete since its construction.
        self.committed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_committed(&self) -> bool {
        // Relaxed: as in `commit`.
        self.committed.load(Ordering::Relaxed)
    }
}

/// The bounds of all copies on a grid; `None` when they leave the address space.
fn place(bounds: Bounds, extent: isize, grid: Grid) -> Option<Bounds> {
    if grid.count == 0 || grid.block == 0 {
        return Some(Bounds { lb: 0, ub: 0 });
    }
    let last = |count: usize, step: isize| isize::try_from(count - 1).ok()?.checked_mul(step);
    let (across, along) = (last(grid.block, extent)?, last(grid.count, grid.stride)?);
    let low = across.min(0).checked_add(along.min(0))?;
    let high = across.max(0).checked_add(along.max(0))?;
    let (lb, ub) = (bounds.lb.checked_add(low)?, bounds.ub.checked_add(high)?);
    ub.checked_sub(lb)?;
    Some(Bounds { lb, ub })
}

#[cold]
fn too_large(grid: Grid) -> Error {
    let Grid { count, block, stride } = grid;
    Error::new(
        ErrorClass::Count,
        format!(
            "{count} blocks of {block} elements, {stride} bytes apart, are more than an address can reach"
        ),
    )
}
