//! The settings of Simurgh, in one table.
//!
//! The options of `mpiexec` and its help, the environment variables `SIMURGH_*`, the settings in a job description,
//! `simurgh info`, the control variables of MPI_T and `docs/settings.md` all follow from [`SETTINGS`]. [`Values`] are
//! the settings of one job, with the origin of each.
//!
//! A number that cannot be changed at all is not a setting but a [`Limit`], which stands beside the code that it
//! limits.
//!
//! # Layers
//!
//! Each module imports only from those above it in this list:
//!
//! | module | what it is |
//! |---|---|
//! | `id` | [`Id`], the names of settings in code |
//! | `item` | [`Item`], a word that is a value of a setting |
//! | `bad_value` | [`BadValue`], the error of a value that a setting cannot have |
//! | [`placement`] | the words of `--map-by`, `--rank-by` and `--bind-to`, and the plan that follows from them |
//! | `kind` | [`Kind`], the values of a setting as numbers and as text |
//! | [`rules`] | rules that choose algorithms of collective operations |
//! | `setting` | [`Setting`], a row of the table |
//! | `table` | [`SETTINGS`], the table |
//! | `values` | [`Values`], the settings of one job |
//! | `limit` | [`Limit`], a number that is compiled in |
//! | `reference` | the text of `docs/settings.md` |
//!
//! The crate depends on no other and is safe Rust.

#![forbid(unsafe_code)]

mod bad_value;
mod id;
mod item;
mod kind;
mod limit;
pub mod placement;
mod reference;
pub mod rules;
mod setting;
mod table;
mod values;

pub use bad_value::BadValue;
pub use id::Id;
pub use item::Item;
pub use kind::Kind;
pub use limit::Limit;
pub use reference::reference;
pub use setting::{Category, Preset, Scope, Setting, Spelling, Verbosity};
pub use table::SETTINGS;
pub use values::{Origin, Value, Values};
