//! The tool information interface: what a tool may set, read and be told of (chapter 15.3 of the standard).
//!
//! Control variables ([`control`]) are the settings and limits of the library. Performance variables ([`variable`]) are
//! read from where the library keeps them anyway, or from the counters of the rank. Events are put into the queue of
//! the rank that they concern by whoever causes them, and are taken out at the end of one of the calls of that rank.
//! Counters and events are kept by the layer below ([`simurgh_instrument`]), since every other layer calls it.
//!
//! May depend on core, sched, settings, instrument and mpi.
//!
//! # Layers
//!
//! * `enumeration`: what the numbers of variables and the elements of events mean.
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
