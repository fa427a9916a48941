//! What passes between the processes of a Simurgh job.
//!
//! Today that is one thing: the [job description](job::JobSpec) that `mpiexec` writes and each host reads. It is data
//! from outside the process that reads it, so nothing in it is believed before [`job::JobSpec::parse`] has checked it.
//!
//! The crate is safe Rust and depends on no other crate of the workspace but `simurgh-settings`.

#![forbid(unsafe_code)]

pub mod job;
