//! A program that is linked with its libraries: what all its images share.

use std::fs::File;
use std::path::PathBuf;

use crate::link::{Relocations, Scope};
use crate::object::Object;
use crate::pieces::Piece;
use crate::shim::Symbols;
use crate::tls::Layout;

/// Index of the program among the objects.
pub(crate) const PROGRAM: usize = 0;
/// Index of the shim.
pub(crate) const SHIM: usize = 1;
/// Index of the first library.
pub(crate) const LIBRARIES: usize = 2;

/// A linked program: what all its images share. Running programs and the unwinder point into it, so it is never freed.
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
    pub(crate) symbols: Symbols,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) relocations: Relocations,
    pub(crate) master: File,
    /// Whether a debugger was watching this process when it was prepared.
    pub(crate) is_watched: bool,
}
