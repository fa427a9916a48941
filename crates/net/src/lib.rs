//! The communication between the processes of a Simurgh job.
//!
//! # Layers
//!
//! Each module imports only from those above it in this list:
//!
//! | module | what it is |
//! |---|---|
//! | `host` | [`HostId`], the number of a host |
//! | [`encoding`] | JSON encodings of bytes and of operating-system strings |
//! | [`auth`] | secrets, nonces, and the handshake by which two processes prove that they share a secret |
//! | [`pmi`] | messages of PMI-1 and PMI-2, which launchers and programs of other MPIs speak |
//! | [`job`] | the job description that `mpiexec` writes and each host reads |
//! | [`control`] | the out-of-band channel between `mpiexec` and each host: wire-up, deadlock detection, end |
//! | [`transport`] | the transports between hosts: active messages and access to remote memory |
//! | `fabric` | [`Fabric`], all hosts as one of them sees them, whichever transport leads to each |
//!
//! Everything that comes from outside the process is checked before it is believed.
//!
//! Depends on `simurgh-core` (`sync`), `simurgh-fabric-sys` and `simurgh-settings`. `unsafe` in the transports only.

#![deny(unsafe_code)]

// Models of the memory that hosts share are checked with loom; the other modules are not built for that.
#[cfg(not(loom))]
pub mod auth;
#[cfg(not(loom))]
pub mod control;
#[cfg(not(loom))]
pub mod encoding;
#[cfg(not(loom))]
mod fabric;
mod host;
#[cfg(not(loom))]
pub mod job;
#[cfg(not(loom))]
pub mod pmi;
pub mod transport;

#[cfg(not(loom))]
pub use fabric::{Fabric, Route};
pub use host::HostId;
