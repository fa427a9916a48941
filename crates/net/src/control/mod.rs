//! The control protocol over the out-of-band channel: how the hosts of a job find each other, and how the job ends on
//! all of them.
//!
//! # Wire-up and end
//!
//! Each host has a [`Channel`] to the launcher. It is the only connection of hosts before the transports are connected,
//! and the only one that remains when a host fails.
//!
//! 1. The host sends [`FromHost::Hello`]: the version of the protocol, the job's [`Secret`](crate::auth::Secret), and
//!    the addresses of those of its transports that need them. The launcher listens to nobody who does not begin so.
//! 2. When all hosts have done so, the launcher sends each the addresses of all ([`ToHost::Peers`]), and then
//!    [`ToHost::Go`]. So each address is received once, and sent once to each host. Hosts of a node need no addresses:
//!    they were started with the memory that they share ([`Control::memory`](crate::job::Control::memory)).
//! 3. The ranks run. When those of a host have ended, it sends [`FromHost::Ended`] and goes on serving the network.
//!    When those of all hosts have, the launcher sends [`ToHost::End`].
//! 4. A host that cannot go on sends [`FromHost::Abort`], or [`FromHost::Lost`] if it cannot reach another host. The
//!    launcher prints the first such message and sends [`ToHost::Die`] to all others. A host that loses its launcher
//!    ends.
//! 5. [`ToHost::Report`] asks what the ranks of a host wait for; [`FromHost::Waiting`] is the answer.
//!
//! # Dynamic processes
//!
//! A rank may ask for other programs ([`FromHost::Ask`]). They run on other hosts, and are a *world* of their own. All
//! worlds that one launcher has started are one universe, whose hosts and processes are numbered in the order in which
//! they start.
//!
//! 1. The new hosts send [`FromHost::Hello`], as above.
//! 2. When all have, the launcher sends [`ToHost::Grow`] to each host that is there already. The host answers with its
//!    addresses ([`FromHost::Opened`]).
//! 3. When all have, each of them is told of the new hosts ([`ToHost::Peers`] with a [`Place`](crate::job::Place)),
//!    gets the memory that those of its node share ([`ToHost::Memory`]), and then [`ToHost::Meet`]. When it has
//!    connected to the new hosts, it sends [`FromHost::Met`].
//! 4. When all have, the new hosts are told of all others and get the memory of those of their node, then
//!    [`ToHost::Go`]. The rank that asked gets its [`ToHost::Answer`]. The new hosts send [`FromHost::Met`], too; until
//!    then no host ends.
//!
//! A world ends together with the worlds that it is connected with. The other hosts get [`ToHost::Gone`].
//!
//! # Messages
//!
//! Messages are packets of a Unix socket, each a JSON value of limited length. A message that has not the right shape,
//! or comes out of turn, ends the job, and the user is told who sent it: only processes of the job have these sockets.

mod channel;
mod encoded;
mod error;
mod message;
mod question;
mod quiescence;

pub use channel::{Channel, Received};
pub use encoded::EncodedMessage;
pub use error::ControlError;
pub use message::{Address, FromHost, Hello, MAX_TEXT, Peer, ToHost, shortened};
pub use question::{Answer, Command, Question, Refusal};
pub use quiescence::{Conclusion, DEADLOCK, DEADLOCKED, Quiescence};

/// Version of the protocol. A launcher refuses all others.
pub const VERSION: u32 = 5;

/// Longest message, in bytes.
pub const MAX_BYTES: usize = 128 << 10;

/// Most descriptors with one message.
pub const MAX_DESCRIPTORS: usize = 1;

/// Most hosts in one [`ToHost::Peers`], so that it is not too long.
pub const MAX_PEERS: usize = 64;

#[cfg(test)]
mod tests;
