//! What passes between the processes of a Simurgh job.
//!
//! * [`control`]: how the hosts of a job find each other through `mpiexec`, and how the job ends on all of them.
//! * [`job`]: the description that `mpiexec` writes and each host reads.
//! * [`pmi`]: what launchers of other MPIs say, and what programs of other MPIs say to our launcher.
//! * [`proof`]: how two processes show each other that they know a secret, without sending it.
//! * [`transport`]: the ways from host to host, behind one contract: active messages and access to remote memory.
//! * [`Fabric`]: all hosts of a job as one of them sees them, whichever transport leads to each.
//!
//! What comes from outside the process is checked before it is believed.
//!
//! Depends on `simurgh-core` (`sync`) and `simurgh-settings`. `unsafe` in the transports only.

#![deny(unsafe_code)]

// The models are of what hosts share; the rest is not built with them.
#[cfg(not(loom))]
pub mod control;
#[cfg(not(loom))]
mod fabric;
#[cfg(not(loom))]
pub mod job;
#[cfg(not(loom))]
pub mod pmi;
#[cfg(not(loom))]
pub mod proof;
pub mod transport;

#[cfg(not(loom))]
pub use fabric::{Fabric, Way};
