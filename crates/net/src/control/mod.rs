//! The control protocol: how the hosts of a job find each other, and how the job ends on all of them.
//!
//! # Protocol
//!
//! Each host has a [`Channel`] to the launcher. It is the only way between hosts before they are connected, and the
//! only one that remains when one of them fails.
//!
//! 1. The host says [`FromHost::Hello`]: the version of the protocol, the job's [`Secret`](crate::auth::Secret), and under which address
//!    each of its transports can be reached, if it has such that others have to be told of. The launcher hears nobody
//!    who does not begin so.
//! 2. When all hosts have done so, the launcher tells each of the addresses of all ([`ToHost::Peers`]), and then
//!    [`ToHost::Go`]. So each address is handed in once, and given out once per host. Hosts of a node need none: they
//!    have been started with the memory that they share ([`Control::memory`](crate::job::Control::memory)).
//! 3. The ranks run. When those of a host have ended, it says [`FromHost::Ended`] and goes on serving the network. When
//!    all have, the launcher says [`ToHost::End`].
//! 4. A host that cannot go on says [`FromHost::Abort`], or [`FromHost::Lost`] if it cannot reach another one. The
//!    launcher prints the first such message and says [`ToHost::Die`] to all others. A host without a launcher ends.
//! 5. [`ToHost::Report`] asks what the ranks of a host are waiting for; [`FromHost::Waiting`] is the answer.
//!
//! # Growth
//!
//! A rank may ask for other programs ([`FromHost::Ask`]), which run on other hosts: a *world* of their own. All that
//! one launcher has started is one universe, whose hosts and processes are numbered in the order in which they start.
//!
//! 1. The new hosts say [`FromHost::Hello`], as above.
//! 2. When all have, each host that is there hears [`ToHost::Grow`], and says where it can be reached by them
//!    ([`FromHost::Opened`]).
//! 3. When all have, each is told of the new ones ([`ToHost::Peers`] with a [`Place`](crate::job::Place)), given the
//!    memory that those of its node share ([`ToHost::Memory`]), and then told to [`ToHost::Meet`] them; when it has
//!    connected to them it says [`FromHost::Met`].
//! 4. When all have, the new ones are told of all others, given the memory of those of their node, and hear
//!    [`ToHost::Go`], and who asked has its [`ToHost::Answer`]. They say [`FromHost::Met`], too: until then nobody
//!    ends.
//!
//! Worlds end with those that they have to do with: who is left hears [`ToHost::Gone`].
//!
//! Messages are packets of a Unix socket, each a JSON value of limited length. What does not have the right shape, or
//! comes out of turn, ends the job with a word on who sent it: only processes of the job have these sockets.

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

/// Version of the protocol; a launcher refuses any other.
pub const VERSION: u32 = 5;

/// Longest message in bytes.
pub const MAX_BYTES: usize = 128 << 10;

/// Most descriptors that come with a message.
pub const MAX_DESCRIPTORS: usize = 1;

/// Most hosts of which one message tells: so it is not too long.
pub const MAX_PEERS: usize = 64;

#[cfg(test)]
mod tests;
