//! Datatypes, and the copying, conversion and reduction of the data in users' buffers.
//!
//! Nothing here knows a rank, a communicator or a request. May depend on base and core; safe Rust, except for the
//! [`memory`] module, which touches the users' buffers.
//!
//! # Layers
//!
//! * `limits`: thresholds of copies and reductions.
//! * `datatype`: predefined and derived datatypes, their layouts and type signatures; exported from the crate's root.
//! * `memory`: users' buffers, and the kernels that copy and combine what lies in them.
//! * `op`: reduction operations.
//! * `external32`: the standard's representation for other machines.

#![deny(unsafe_code)]

mod datatype;
pub mod external32;
pub mod limits;
pub mod memory;
pub mod op;

pub use datatype::{
    Basic, Class, Combiner, Contents, Datatype, Digest, DistributedDim, Distribution, Field, HasKind, Kind,
    Layout, MatchClass, Order, Segment, Signature, SubarrayDim, TruthValues, Width, match_size,
};
