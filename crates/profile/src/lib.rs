//! Heap profiles as files: the form of pprof, and flame graphs.
//!
//! A [`Profile`] is a list of samples: a call site, and what was allocated there. [`Profile::write_pprof`] writes it as
//! pprof reads it, and [`Profile::write_flame_graph`] as a picture. It depends on no other crate of the workspace.
//!
//! # Layers
//!
//! * `profile`: the contents of a profile
//! * `proto`: the messages of pprof's `profile.proto`
//! * `encode`: a profile as such messages
//! * `flame_graph`: a profile as a picture

#![forbid(unsafe_code)]

mod encode;
mod flame_graph;
mod profile;
mod proto;

pub use profile::{Frame, Function, Profile, Sample, Values};
