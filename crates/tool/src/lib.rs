//! The tool information interface: what a tool may set, read and be told of (chapter 15.3 of the standard).
//!
//! Control variables ([`control`]) are the settings and limits of the library. Performance variables ([`variable`]) are
//! read from the data that the library keeps in any case, or from the counters of the rank. An event is put into the
//! queue of the rank that it concerns, by the thread that causes it, and is delivered at the end of one of the calls of
//! that rank. Counters and events are kept by the layer below ([`simurgh_instrument`]), since every other layer calls
//! it.
//!
//! May depend on core, sched, settings, instrument and mpi.
//!
//! # Layers
//!
//! * `enumeration`: names for the values of variables and for the elements of events.
//! * `control`: control variables.
//! * `variable`: performance variables.
//! * `category`: a tree over all variables and events.
//! * `handle`: a performance variable as one tool sees it.

#![forbid(unsafe_code)]

pub mod category;
pub mod control;
pub mod enumeration;
mod handle;
pub mod variable;

pub use handle::Handle;
pub use simurgh_instrument::{
    Queue, Record, Representation, Tool, ToolError, ToolResult, Watch, Wish, event, on,
};
