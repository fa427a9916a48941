//! A universe: jobs of several `mpiexec`s that can meet.
//!
//! `simurgh universe FILE` is a server ([`serve`]) that lives beside the jobs. It writes where it can be reached, and a
//! secret, into a file that only its user can read. An `mpiexec` that is given the file enrolls before it starts its
//! hosts: each shows the other that it knows the secret, which is not sent, and from then on nobody else can say
//! anything in their names. It has the universe's secret and a [`Realm`](simurgh_net::job::Realm) from then on: the
//! upper part of the numbers of all its hosts, processes and worlds, which no other has. It goes on starting,
//! supervising and ending its own hosts.
//!
//! # Meetings
//!
//! Ports and names of all enrolled jobs are kept by the server. When two of their ranks meet at a port whose mpiexecs
//! are not *acquainted*, all hosts of both, and of all acquaintances of each, are introduced to each other first, so
//! that to be acquainted is to know all hosts of all of a *circle*:
//!
//! 1. Each mpiexec of the two circles is asked to *gather*: it lets no host go and none come, opens ways that lead to
//!    other nodes in all its hosts, and tells where these can be reached.
//! 2. Each has its hosts *meet* those which they do not know.
//! 3. When all have, they hear that they are *introduced*, and the two ranks hear of each other. From then on the
//!    server has no part in what they say.
//!
//! A world that is started by an mpiexec with acquaintances is introduced to them before it runs: its mpiexec asks for
//! its *turn*. One introduction follows the other in the whole universe, so that nobody is told of hosts in another
//! order than others. One costs two messages to and from each mpiexec of the circle, and within each of these what the
//! introduction of a spawned world costs; a second meeting of acquaintances costs a question and an answer.
//!
//! # Ends
//!
//! Worlds that have to do with each other end together, whoever has started them: mpiexecs tell the server of connections and
//! ends, and let go of worlds when it says so. An mpiexec that fails takes those with it whose worlds are tied to its
//! own, by chains as well; the others forget its hosts. Without the server each mpiexec does what it knows itself.

mod client;
mod connect;
mod file;
mod machine;
mod message;
mod server;

pub(crate) use client::{Universe, UniverseEvent};
pub(crate) use message::{FromServer, ToServer};
pub use server::serve;
