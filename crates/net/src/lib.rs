//! What passes between the processes of a Simurgh job.
//!
//! * [`job`]: the description that `mpiexec` writes and each host reads.
//! * [`transport`]: the ways from host to host, behind one contract: active messages and access to remote memory.
//! * [`Fabric`]: all hosts of a job as one of them sees them, whichever transport leads to each.
//!
//! What comes from outside the process is checked before it is believed.
//!
//! Depends on `simurgh-core` (`sync`) and `simurgh-settings`. `unsafe` in the transports only.

#![deny(unsafe_code)]

mod fabric;
pub mod job;
pub mod transport;

pub use fabric::Fabric;
