//! A derived datatype: its bounds, its dataloop and its type signature.

use std::borrow::Cow;

use simurgh_core::sync::{AtomicBool, Ordering};

use super::basic::Basic;
use super::contents::Contents;
use super::dataloop::Dataloop;
use super::logical::TruthValues;
use super::signature::Signature;
use simurgh_base::error::{Error, ErrorClass, Result};

/// A derived datatype.
#[derive(Debug)]
pub struct Layout {
    pub(crate) dataloop: Dataloop,
    pub(crate) size: usize,
    pub(crate) lb: isize,
    pub(crate) ub: isize,
    pub(crate) true_lb: isize,
    pub(crate) true_ub: isize,
    pub(crate) marked: bool,
    pub(crate) alignment: usize,
    pub(crate) signature: Signature,
    /// The role of the datatype, if it is not an ordinary derived datatype.
    pub(crate) role: Role,
    /// The call of the C interface that made it, if one did.
    pub(crate) contents: Option<Contents>,
    /// What stands for true and false, in logicals of a Fortran compiler that does not do as C does.
    pub(crate) truth_values: Option<Box<TruthValues>>,
    committed: AtomicBool,
}

/// The role of a datatype that is not in the table of the predefined ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Itself: only operations of the user reduce it.
    Derived,
    /// A duplicate of a predefined datatype.
    Duplicate(Basic),
    /// A predefined datatype that a constructor returns, with the elements of a named one (Fortran 90 kinds).
    Kind(Basic),
    /// A predefined logical with a name, of a Fortran compiler with its own values of true and false.
    Logical(Basic),
    /// A predefined pair of a value and an index, without a name.
    Pair { value: Basic, index: Basic },
}

/// The properties of an element datatype that a constructor needs, and that it determines for the datatype it makes.
#[derive(Clone, Debug)]
pub(crate) struct Outline<'a> {
    pub(crate) dataloop: Cow<'a, Dataloop>,
    pub(crate) bounds: Bounds,
    /// Whether the user has set the bounds. In a struct, bounds that were set take precedence over those that follow
    /// from the data.
    pub(crate) marked: bool,
    /// Strictest alignment of its elements.
    pub(crate) alignment: usize,
    pub(crate) signature: Signature,
}

/// Bounds of a datatype: `[lb, ub)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) lb: isize,
    pub(crate) ub: isize,
}

impl Bounds {
    /// The bounds of a datatype without data.
    pub(crate) const NONE: Self = Self { lb: 0, ub: 0 };

    pub(crate) fn extent(self) -> isize {
        self.ub - self.lb
    }

    /// The bounds of `count` copies, at least one, that begin `stride` bytes apart; `None` if they leave the address
    /// space.
    pub(crate) fn repeat(self, count: usize, stride: isize) -> Option<Self> {
        let far = isize::try_from(count - 1).ok()?.checked_mul(stride)?;
        Self {
            lb: self.lb.checked_add(far.min(0))?,
            ub: self.ub.checked_add(far.max(0))?,
        }
        .checked()
    }

    /// The same bounds, displaced by `by` bytes; `None` if they leave the address space.
    pub(crate) fn shifted(self, by: isize) -> Option<Self> {
        Some(Self {
            lb: self.lb.checked_add(by)?,
            ub: self.ub.checked_add(by)?,
        })
    }

    /// The least bounds around both; `None` if their extent cannot be represented.
    pub(crate) fn union(self, other: Self) -> Option<Self> {
        Self {
            lb: self.lb.min(other.lb),
            ub: self.ub.max(other.ub),
        }
        .checked()
    }

    fn checked(self) -> Option<Self> {
        self.ub.checked_sub(self.lb).map(|_| self)
    }
}

impl Layout {
    /// A derived datatype, not committed yet.
    pub(crate) fn new(outline: Outline<'_>) -> Self {
        let Outline {
            dataloop,
            bounds,
            marked,
            alignment,
            signature,
        } = outline;
        let (true_lb, true_ub) = dataloop.bounds().unwrap_or((0, 0));
        Self {
            size: dataloop.size(),
            dataloop: dataloop.into_owned(),
            lb: bounds.lb,
            ub: bounds.ub,
            true_lb,
            true_ub,
            marked,
            alignment,
            signature,
            role: Role::Derived,
            contents: None,
            truth_values: None,
            committed: AtomicBool::new(false),
        }
    }

    pub(crate) fn outline(&self) -> Outline<'_> {
        Outline {
            dataloop: Cow::Borrowed(&self.dataloop),
            bounds: Bounds {
                lb: self.lb,
                ub: self.ub,
            },
            marked: self.marked,
            alignment: self.alignment,
            signature: self.signature.clone(),
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

impl Outline<'_> {
    /// This datatype `count` times, `stride` bytes apart.
    pub(crate) fn repeat(&self, count: usize, stride: isize) -> Result<Outline<'static>> {
        let far = || too_large(format!("{count} copies, {stride} bytes apart,"));
        let dataloop = Cow::Owned(
            self.dataloop
                .repeat(fitting(count, self.dataloop.size()).ok_or_else(far)?, stride),
        );
        let bounds = match count {
            0 => Bounds::NONE,
            _ => self.bounds.repeat(count, stride).ok_or_else(far)?,
        };
        Ok(Outline {
            dataloop,
            bounds,
            marked: self.marked && count > 0,
            alignment: self.alignment,
            signature: self.signature.repeat(count),
        })
    }

    /// This datatype `count` times, one extent apart.
    pub(crate) fn row(&self, count: usize) -> Result<Outline<'static>> {
        self.repeat(count, self.bounds.extent())
    }
}

/// `count`, if `count` times `size` bytes fit into the address space.
pub(crate) fn fitting(count: usize, size: usize) -> Option<usize> {
    let bytes = count.checked_mul(size)?;
    isize::try_from(bytes).ok().map(|_| count)
}

#[cold]
pub(crate) fn too_large(what: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorClass::Count,
        format!("{what} are more than an address can reach: make the datatype of fewer elements"),
    )
}
