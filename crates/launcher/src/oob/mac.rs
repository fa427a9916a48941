//! Message authentication codes for the frames of a connection.
//!
//! The handshake gives each direction a key that nobody else has, not even a third party that has relayed the
//! handshake. Each frame is followed by its code: HMAC-SHA-256 of its number and all its bytes. So no frame can be
//! changed, left out, repeated or added. Costs: hashing the frames, at some hundred MB/s.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use simurgh_net::auth::{Handshake, Role, Secret};

/// Bytes of a code.
pub(super) const LENGTH: usize = 32;

/// The keys and counters of both directions.
pub(super) struct Authenticator {
    own: Direction,
    other: Direction,
}

/// One direction.
struct Direction {
    key: [u8; 32],
    /// The number of the next frame.
    next: u64,
}

impl Authenticator {
    /// The codes of one side of an encounter, after both sides have proved that they know the secret.
    pub(super) fn of(met: &Handshake<'_>, secret: &Secret, role: Role) -> Self {
        let direction = |side| Direction {
            key: met.key(secret, side),
            next: 0,
        };
        let (own, other) = match role {
            Role::Initiator => (Role::Initiator, Role::Responder),
            Role::Responder => (Role::Responder, Role::Initiator),
        };
        Self {
            own: direction(own),
            other: direction(other),
        }
    }

    /// The code of a frame that is sent now.
    pub(super) fn code(&mut self, frame: &[u8]) -> [u8; LENGTH] {
        self.own.mac(frame).finalize().into_bytes().into()
    }

    /// Whether a frame is the next that the other end has sent.
    pub(super) fn accepts(&mut self, frame: &[u8], code: &[u8]) -> bool {
        self.other.mac(frame).verify_slice(code).is_ok()
    }
}

impl Direction {
    fn mac(&mut self, frame: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::new_from_slice(&self.key).expect("a key may have any length");
        mac.update(&self.next.to_le_bytes());
        mac.update(frame);
        self.next += 1;
        mac
    }
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authenticator").finish_non_exhaustive()
    }
}
