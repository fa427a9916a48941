//! The out-of-band channel: how the processes of a launcher talk to each other outside MPI.
//!
//! `mpiexec` and its agents, and a universe and the `mpiexec`s in it, exchange frames over pipes or TCP ([`Link`]). A
//! server listens for them ([`Listener`]). Whoever connects over TCP proves that it knows the job's secret
//! (`handshake`), and each later frame carries an authentication code (`mac`). Connections that have proved nothing yet
//! are few, short-lived and limited in what they may send (`admission`).

mod addresses;
mod admission;
mod connect;
mod handshake;
mod link;
mod listener;
mod mac;

pub(crate) use addresses::{addresses_of, listening_addresses};
pub(crate) use connect::connect_any;
pub(crate) use handshake::{HandshakeError, Protocol};
pub(crate) use link::{Frame, Link, LinkError, MAX_PAYLOAD};
pub(crate) use listener::Listener;
