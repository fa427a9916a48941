//! Every setting of Simurgh, in one table.
//!
//! From [`SETTINGS`] follow the options of `mpiexec` and its help, the environment variables `SIMURGH_*`, what a job
//! description may contain, `simurgh info`, the control variables of MPI_T, and `docs/settings.md`. [`Values`] is
//! what the settings of one job are and where each value comes from.
//!
//! What cannot be changed at all is no setting but a [`Limit`], which stands beside the code it limits.
//!
//! The crate depends on no other and is safe Rust.

#![forbid(unsafe_code)]

mod id;
mod kind;
mod limit;
pub mod placement;
mod reference;
pub mod rules;
mod setting;
mod table;
mod values;

pub use id::Id;
pub use kind::{BadValue, Item, Kind};
pub use limit::Limit;
pub use reference::reference;
pub use setting::{Category, Preset, Scope, Setting, Spelling, Verbosity};
pub use table::SETTINGS;
pub use values::{Origin, Value, Values};
