//! The kinds of Fortran's default types, which options for the compiler change (`-fdefault-real-8`).
//!
//! The modules are compiled once, without such options, and constants of the kinds in them would say nothing about the
//! program. So where the wrapper links with such an option, it compiles this source with the same options and links it,
//! too. It gives a common block of the library its values.

use crate::model::DEFAULT_KINDS;

use super::lines::BothForms;

/// The source, which is fixed form and free form.
pub(super) fn source() -> String {
    let mut source = BothForms::default();
    source.comment("The kinds of this program's default types, for the MPI library.");
    source.comment("Generated; SPDX-License-Identifier: MIT OR Apache-2.0");
    source.statement("BLOCK DATA SIMURGH_DEFAULT_KINDS");
    source.statement("INTEGER(4) L, I, R, D");
    source.statement("PARAMETER (L=KIND(.TRUE.), I=KIND(1))");
    source.statement("PARAMETER (R=KIND(1.0), D=KIND(1D0))");
    source.statement("INTEGER(4) KINDS(4)");
    source.statement(&format!("COMMON /{DEFAULT_KINDS}/ KINDS"));
    source.statement("DATA KINDS /L, I, R, D/");
    source.statement("END");
    source.finish()
}
