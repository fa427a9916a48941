//! Procedures that are written by hand, since a C prototype and the table do not say what they do.
//!
//! Each takes Fortran's arguments as they come, then the lengths of the strings, and returns the error code.

mod contents;
mod info;
mod session;
mod size;
mod status;

pub(crate) use contents::{type_get_contents, type_get_contents_c};
pub(crate) use info::{info_get, info_get_string};
pub(crate) use session::session_get_nth_pset;
pub(crate) use size::{f_sync_reg, sizeof};
pub(crate) use status::{status_f2f08, status_f082f};
