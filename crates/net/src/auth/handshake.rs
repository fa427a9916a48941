//! Mutual authentication: two processes prove to each other that they know the same secret, which is never sent.
//!
//! A [`Handshake`] is one meeting of two processes: its purpose, the names of the two, and a [`Nonce`] of each that was
//! made for this meeting alone. HMAC-SHA-256 of all that, under the secret, gives
//!
//! * a proof for each side ([`Handshake::proof`], [`Handshake::accepts`]). It holds for this handshake and this side
//!   only, so it is of no use to somebody who has overheard it or has had it sent back;
//! * a key for what each side sends afterwards ([`Handshake::key`]). Nobody else can compute it, and the two sides have
//!   different ones.
//!
//! Over a connection the usual order is: the initiator sends its nonce; the responder sends its own nonce and its
//! proof; the initiator checks the proof and sends its own. So the initiator knows whom it talks to before it says
//! anything else, and the responder keeps nothing for strangers. Where the nonces come over a channel that is trusted
//! already, the keys are enough.
//!
//! A proof does not protect what is sent after it. Messages have to carry codes made with the key to keep out somebody
//! who can change them on the way.

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::{Nonce, Secret};
use crate::encoding::array;

/// Bytes of secrets, nonces, proofs and keys.
pub(super) const LENGTH: usize = 32;

/// Shows that its sender knows the secret: see [`Handshake::accepts`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Proof(#[serde(with = "array")] [u8; LENGTH]);

impl PartialEq for Proof {
    /// Takes a time that does not depend on where the two differ.
    fn eq(&self, other: &Self) -> bool {
        array::equal(&self.0, &other.0)
    }
}

impl Eq for Proof {}

/// One of the two sides of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The side that began; where neither did, the one whose name is the lower.
    Initiator,
    /// The other one.
    Responder,
}

/// The data of one side.
#[derive(Clone, Copy, Debug)]
pub struct Party<'a> {
    /// The name it claims; empty where names do not matter.
    pub name: &'a [u8],
    /// Its nonce, made for this handshake.
    pub nonce: &'a Nonce,
}

/// One meeting of two processes.
#[derive(Clone, Copy, Debug)]
pub struct Handshake<'a> {
    /// The purpose of the meeting. A proof or key for one purpose is worth nothing for another.
    pub purpose: &'a str,
    /// The side that began.
    pub initiator: Party<'a>,
    /// The side that answered.
    pub responder: Party<'a>,
}

impl Handshake<'_> {
    /// The proof that a side sends.
    #[must_use]
    pub fn proof(&self, secret: &Secret, role: Role) -> Proof {
        Proof(self.code(secret, "proof", role).finalize().into_bytes().into())
    }

    /// Whether a proof is the one that this side would send if it knows the secret.
    #[must_use]
    pub fn accepts(&self, secret: &Secret, role: Role, proof: &Proof) -> bool {
        self.proof(secret, role) == *proof
    }

    /// The key for the messages that a side sends.
    #[must_use]
    pub fn key(&self, secret: &Secret, role: Role) -> [u8; LENGTH] {
        self.code(secret, "key", role).finalize().into_bytes().into()
    }

    /// The code of all that is known of the handshake. Each part follows its length, so that no two handshakes have the
    /// same code.
    fn code(&self, secret: &Secret, kind: &str, role: Role) -> Hmac<Sha256> {
        let role_name: &[u8] = match role {
            // The words on the wire of all versions so far.
            Role::Initiator => b"caller",
            Role::Responder => b"answerer",
        };
        let parts = [
            kind.as_bytes(),
            self.purpose.as_bytes(),
            role_name,
            self.initiator.name,
            self.initiator.nonce.as_bytes(),
            self.responder.name,
            self.responder.nonce.as_bytes(),
        ];
        let mut code = keyed(secret.as_bytes());
        for part in parts {
            code.update(&(part.len() as u64).to_le_bytes());
            code.update(part);
        }
        code
    }
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("keys of any length are taken")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first test cases of RFC 4231: key, data, HMAC-SHA-256.
    const VECTORS: [(&[u8], &[u8], &str); 4] = [
        (
            &[0x0b; 20],
            b"Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        ),
        (
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (
            &[0xaa; 20],
            &[0xdd; 50],
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        ),
        (
            &[0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
    ];

    #[test]
    fn codes_are_those_of_the_standard() {
        for (key, data, code) in VECTORS {
            let made = keyed(key).chain_update(data).finalize().into_bytes();
            let made: String = made.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(made, code);
        }
    }

    #[test]
    fn a_proof_holds_for_one_secret_one_role_one_purpose_and_one_handshake() {
        let [secret, wrong] = [(); 2].map(|()| Secret::random().unwrap());
        let [ours, theirs, other] = [(); 3].map(|()| Nonce::random().unwrap());
        let party = |name: &'static str, nonce| Party {
            name: name.as_bytes(),
            nonce,
        };
        let handshake = |purpose, initiator, responder| Handshake {
            purpose,
            initiator,
            responder,
        };
        let met = handshake("test", party("a", &ours), party("bc", &theirs));
        let proof = met.proof(&secret, Role::Initiator);
        assert!(met.accepts(&secret, Role::Initiator, &proof));
        assert!(!met.accepts(&wrong, Role::Initiator, &proof));
        assert!(!met.accepts(&secret, Role::Responder, &proof));
        for different in [
            handshake("other", party("a", &ours), party("bc", &theirs)),
            handshake("test", party("a", &other), party("bc", &theirs)),
            handshake("test", party("a", &ours), party("bc", &other)),
            handshake("test", party("a", &theirs), party("bc", &ours)),
            handshake("test", party("ab", &ours), party("c", &theirs)),
        ] {
            assert!(!different.accepts(&secret, Role::Initiator, &proof));
            assert_ne!(
                different.key(&secret, Role::Initiator),
                met.key(&secret, Role::Initiator)
            );
        }
        assert_ne!(
            met.key(&secret, Role::Initiator),
            met.key(&secret, Role::Responder)
        );
        assert_ne!(met.key(&secret, Role::Initiator), proof.0);
    }

    #[test]
    fn proofs_are_encoded_and_decoded_and_another_length_is_an_error() {
        let text = serde_json::to_string(&Nonce::random().unwrap()).unwrap();
        assert!(serde_json::from_str::<Proof>(&text).is_ok());
        assert!(serde_json::from_str::<Proof>("\"00\"").is_err());
    }
}
