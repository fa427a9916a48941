//! Proofs that two processes know the same secret, which is never sent.
//!
//! Two that meet have an [`Encounter`]: what it is for, who they are, and a [`Nonce`] of each, made for this encounter
//! alone. From that and the secret comes, by HMAC-SHA-256,
//!
//! * what each shows to the other ([`Encounter::proof`], [`Encounter::accepts`]): it holds in this encounter only, for
//!   this side only, so that it is no use to who has seen it or has had it sent back;
//! * a key for what each says from then on ([`Encounter::key`]): nobody else can compute it, and it is another for
//!   each side.
//!
//! The usual way over a connection: the caller says its nonce; who answers says its own, and its proof; the caller
//! checks that and shows its proof. So the caller knows whom it talks to before it says anything else, and who answers
//! holds nothing for callers that have not proved themselves. Where the nonces come by a way that is trusted already,
//! the key is enough.
//!
//! A proof says nothing about what is said after it. Who can change what is on its way has to be kept out by codes that
//! are made with the key.

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::control::{Secret, fixed};

/// Bytes of nonces, proofs and keys.
const LENGTH: usize = 32;

/// A number that is used once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nonce(#[serde(with = "fixed")] [u8; LENGTH]);

impl Nonce {
    /// A new one, from the kernel's random numbers.
    ///
    /// # Errors
    ///
    /// When the kernel has none.
    pub fn random() -> std::io::Result<Self> {
        fixed::random().map(Self)
    }

    /// That of these bytes, if they can be one.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }
}

/// What shows that its sender knows the secret: see [`Encounter::accepts`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Proof(#[serde(with = "fixed")] [u8; LENGTH]);

impl PartialEq for Proof {
    fn eq(&self, other: &Self) -> bool {
        fixed::equal(&self.0, &other.0)
    }
}

impl Eq for Proof {}

/// Who of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Who has begun; where nobody has, who comes first by name.
    Caller,
    /// The other one.
    Answerer,
}

/// One of the two.
#[derive(Clone, Copy, Debug)]
pub struct Party<'a> {
    /// Who it says to be, or nothing where that does not matter.
    pub name: &'a [u8],
    /// Its nonce, made for this encounter.
    pub nonce: &'a Nonce,
}

/// Two processes that meet.
#[derive(Clone, Copy, Debug)]
pub struct Encounter<'a> {
    /// What for: a proof or key for one purpose is none for another.
    pub purpose: &'a str,
    /// Who has begun.
    pub caller: Party<'a>,
    /// Who has answered.
    pub answerer: Party<'a>,
}

impl Encounter<'_> {
    /// What a side shows.
    #[must_use]
    pub fn proof(&self, secret: &Secret, side: Side) -> Proof {
        Proof(self.code(secret, "proof", side).finalize().into_bytes().into())
    }

    /// Whether that is what this side would show if it knows the secret.
    #[must_use]
    pub fn accepts(&self, secret: &Secret, side: Side, proof: &Proof) -> bool {
        self.proof(secret, side) == *proof
    }

    /// The key for what a side says to the other.
    #[must_use]
    pub fn key(&self, secret: &Secret, side: Side) -> [u8; LENGTH] {
        self.code(secret, "key", side).finalize().into_bytes().into()
    }

    /// The code of all that is known, each part behind its length, so that no two encounters have the same.
    fn code(&self, secret: &Secret, kind: &str, side: Side) -> Hmac<Sha256> {
        let side: &[u8] = match side {
            Side::Caller => b"caller",
            Side::Answerer => b"answerer",
        };
        let parts = [
            kind.as_bytes(),
            self.purpose.as_bytes(),
            side,
            self.caller.name,
            self.caller.nonce.as_bytes(),
            self.answerer.name,
            self.answerer.nonce.as_bytes(),
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
    fn a_proof_holds_for_one_secret_one_side_one_purpose_and_one_encounter() {
        let [secret, wrong] = [(); 2].map(|()| Secret::random().unwrap());
        let [ours, theirs, other] = [(); 3].map(|()| Nonce::random().unwrap());
        let party = |name: &'static str, nonce| Party {
            name: name.as_bytes(),
            nonce,
        };
        let encounter = |purpose, caller, answerer| Encounter {
            purpose,
            caller,
            answerer,
        };
        let met = encounter("test", party("a", &ours), party("bc", &theirs));
        let proof = met.proof(&secret, Side::Caller);
        assert!(met.accepts(&secret, Side::Caller, &proof));
        assert!(!met.accepts(&wrong, Side::Caller, &proof));
        assert!(!met.accepts(&secret, Side::Answerer, &proof));
        for different in [
            encounter("other", party("a", &ours), party("bc", &theirs)),
            encounter("test", party("a", &other), party("bc", &theirs)),
            encounter("test", party("a", &ours), party("bc", &other)),
            encounter("test", party("a", &theirs), party("bc", &ours)),
            encounter("test", party("ab", &ours), party("c", &theirs)),
        ] {
            assert!(!different.accepts(&secret, Side::Caller, &proof));
            assert_ne!(
                different.key(&secret, Side::Caller),
                met.key(&secret, Side::Caller)
            );
        }
        assert_ne!(met.key(&secret, Side::Caller), met.key(&secret, Side::Answerer));
        assert_ne!(met.key(&secret, Side::Caller), proof.0);
    }

    #[test]
    fn nonces_and_proofs_travel_and_what_has_another_length_is_none() {
        let nonce = Nonce::random().unwrap();
        assert_ne!(nonce, Nonce::random().unwrap());
        let text = serde_json::to_string(&nonce).unwrap();
        assert_eq!(serde_json::from_str::<Nonce>(&text).unwrap(), nonce);
        assert!(serde_json::from_str::<Proof>(&text).is_ok());
        assert!(serde_json::from_str::<Proof>("\"00\"").is_err());
        assert_eq!(Nonce::from_bytes(nonce.as_bytes()), Some(nonce));
        assert_eq!(Nonce::from_bytes(&[0; 31]), None);
    }
}
