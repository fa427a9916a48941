//! The sources in Fortran: the include file `mpif.h`, and the modules `mpi` and `mpi_f08`.
//!
//! Modules hold interfaces, types and constants. The procedures themselves are in the library, which serves all
//! compilers, so a program that uses a module needs little or nothing of the module's object.
//!
//! # Layers
//!
//! * `lines`: statements in lines of a length that compilers accept
//! * `declarations`: parameters and interfaces
//! * `sentinels`: the variables whose addresses have meanings of their own
//! * `types`: the module with what both others share
//! * `f08_callbacks`: the abstract interfaces of `mpi_f08`
//! * `default_kinds`: what an option for the compiler may change
//! * `f08`, `mpi`: the modules
//! * `mpif`: the include file

mod declarations;
mod default_kinds;
mod f08;
mod f08_callbacks;
mod lines;
mod mpi;
mod mpif;
mod sentinels;
mod types;

use crate::constants::Constant;
use crate::model::Procedure;

/// A file of the installation.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name.
    pub name: &'static str,
    /// Its content.
    pub text: String,
}

/// The include file.
pub fn include_file(procedures: &[Procedure], constants: &[Constant]) -> Source {
    Source {
        name: "mpif.h",
        text: mpif::include_file(procedures, constants),
    }
}

/// A file that tells the library the kinds of default types. It is compiled with the options of the program that it is
/// linked to.
pub fn default_kinds() -> Source {
    Source {
        name: "simurgh_default_kinds.f90",
        text: default_kinds::source(),
    }
}

/// The sources of the modules, in the order in which they have to be compiled.
pub fn modules(procedures: &[Procedure], constants: &[Constant]) -> [Source; 3] {
    let source = |name, text| Source { name, text };
    [
        source("simurgh_mpi_types.F90", types::module(constants)),
        source("mpi_f08.F90", f08::module(procedures, constants)),
        source("mpi.F90", mpi::module(procedures, constants)),
    ]
}
