//! A universe: jobs of several `mpiexec`s that can meet.
//!
//! `simurgh universe FILE` is a server ([`serve`]) that lives beside the jobs. It writes its addresses and a secret
//! into a file that only its user can read. An `mpiexec` that is given the file enrolls before it starts its hosts.
//! Each of the two proves to the other that it knows the secret, which is not sent, and from then on nobody else can
//! send anything in their names. The `mpiexec` gets a [`Realm`](simurgh_net::job::Realm), the upper part of the numbers
//! of all its hosts, processes and worlds, which no other has. Its job has the secret of the universe. It goes on
//! starting, supervising and ending its own hosts.
//!
//! # Wire-up
//!
//! The server keeps the ports and names of all enrolled jobs. A *group* is a set of jobs whose hosts are all wired up
//! to each other: each host knows the addresses of each other one. When two ranks of different groups meet at a port,
//! all hosts of both groups are wired up first, and the groups become one:
//!
//! 1. Each mpiexec of the two groups *gathers*. It releases no host and admits no new one, has all its hosts open a
//!    transport that leads to other nodes, and sends their addresses.
//! 2. Each has its hosts *meet* those which they do not know: they connect.
//! 3. When all have, the mpiexecs hear that their hosts are *introduced*, and the two ranks hear of each other. From
//!    then on the server has no part in their messages.
//!
//! When an mpiexec of a group of several spawns a world, it asks for its *turn*, and wires the new hosts up to the
//! group before they run. In the whole universe one wire-up follows the other, so all hosts hear of new ones in the
//! same order.
//!
//! Costs: a wire-up takes two messages to and from each mpiexec of the group, and within each job as much as the
//! wire-up of a spawned world. A second meeting of jobs of one group takes a question and an answer.
//!
//! # Termination
//!
//! Connected worlds end together, whoever has started them. The mpiexecs report connections and ends to the server, and
//! release worlds when it says so. When an mpiexec fails, the jobs whose worlds are connected with its own, directly or
//! by chains, fail with it; the others of its group forget its hosts. Without the server, each mpiexec goes by what it
//! knows itself.

mod client;
mod connect;
mod file;
mod machine;
mod message;
mod server;

pub(crate) use client::{Universe, UniverseEvent};
pub(crate) use message::{FromServer, ToServer};
pub use server::serve;
