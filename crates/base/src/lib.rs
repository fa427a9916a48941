//! The objects of MPI that need no running process, which all parts of the engine share.
//!
//! May depend on core.
//!
//! # Layers
//!
//! * `constants`: special values of arguments, with the numbers of the standard ABI.
//! * `limits`: the longest texts.
//! * `error`: errors with the standard's classes, the codes that a program adds, and [`Status`].
//! * `portable`: serialisation of values for other hosts.
//! * `info`: info objects.
//! * `group`: ordered sets of processes, named by their numbers in the job.
//! * `attribute`: attributes, which programs attach to objects.

#![forbid(unsafe_code)]

pub mod attribute;
pub mod constants;
pub mod error;
pub mod group;
pub mod info;
pub mod limits;
pub mod portable;

pub use error::{Error, ErrorClass, ErrorCode, ErrorCodes, Result, Status};
pub use group::{Comparison, Group, RankRange, SessionId};
pub use info::Info;
