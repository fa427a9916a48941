//! Secrets, and proofs that two processes know the same one.
//!
//! * [`Secret`]: the secret of a job or of a universe. Whoever knows it belongs to it.
//! * [`Nonce`]: a random number that is used once.
//! * [`Handshake`]: mutual authentication by challenge and response, and the keys that come of it.

mod handshake;
mod random;

pub use handshake::{Handshake, Party, Proof, Role};
pub use random::{Nonce, Secret};

pub(crate) use random::random;
