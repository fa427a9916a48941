//! A program that is linked with its libraries, or libraries that ranks load later: what all images share.

use std::fs::File;
use std::path::PathBuf;

use crate::link::{Relocations, Scope};
use crate::object::Object;
use crate::pieces::Piece;
use crate::ranges::ImageRanges;
use crate::shim::Symbols;
use crate::tls::{Allocator, Layout};

/// Index of the program among the objects.
pub(crate) const PROGRAM: usize = 0;
/// Index of the shim.
pub(crate) const SHIM: usize = 1;
/// Index of the first library.
pub(crate) const LIBRARIES: usize = 2;

/// A linked program: what all its images share. Running programs and the unwinder point into it, so it is never freed.
///
/// Libraries that ranks load while they run are linked in the same way. The first object is then the library that was
/// asked for, and there is no shim.
#[derive(Debug)]
pub(crate) struct LinkedProgram {
    pub(crate) path: PathBuf,
    /// The program, the shim, then the libraries in the order of the lookup scope, which is also their order by
    /// address.
    pub(crate) objects: Vec<Object<'static>>,
    pub(crate) scope: Scope,
    /// Objects other than the shim by the order in which their constructors run; the program last.
    pub(crate) order: Vec<usize>,
    pub(crate) layout: Layout,
    /// The thread-local storage that is taken, that of earlier images of the rank included.
    pub(crate) storage: Allocator,
    /// The shim's functions and data.
    pub(crate) symbols: Symbols,
    pub(crate) template: Template,
    /// The ranges of addresses of ranks, if they have such.
    pub(crate) ranges: Option<ImageRanges>,
    /// Whether a debugger was watching this process when it was prepared.
    pub(crate) is_watched: bool,
}

/// What images are made from: what is mapped, and which words of it depend on the image.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) relocations: Relocations,
    pub(crate) master: File,
}
