//! What a host tells the others about how to reach it.
//!
//! Its provider, then the addresses of its endpoints, their nonce, and how much it wants protected: each a length in
//! four bytes and as many bytes, in an order and of a meaning that are fixed by the version of the wire-up protocol.

use super::error::OfiError;
use super::protection::Protection;
use crate::HostId;
use crate::auth::Nonce;

/// The most bytes of one part: libfabric's addresses are far shorter.
const LONGEST: usize = 1024;

/// How to reach a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The provider by name.
    pub(super) provider: String,
    /// The endpoint for packets and transfers.
    pub(super) main: Vec<u8>,
    /// The endpoint for signs of life.
    pub(super) heartbeat: Vec<u8>,
    /// A number of these endpoints alone, of which keys are made.
    pub(super) nonce: Nonce,
    /// How much it wants protected at least.
    pub(super) protection: Protection,
}

impl Address {
    /// As bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let protection = [self.protection.to_byte()];
        for part in [
            self.provider.as_bytes(),
            &self.main,
            &self.heartbeat,
            self.nonce.as_bytes(),
            &protection,
        ] {
            bytes.extend((part.len() as u32).to_le_bytes());
            bytes.extend(part);
        }
        bytes
    }

    /// Of bytes, if they are one.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (provider, rest) = part(bytes)?;
        let (main, rest) = part(rest)?;
        let (heartbeat, rest) = part(rest)?;
        let (nonce, rest) = part(rest)?;
        let (protection, rest) = part(rest)?;
        let &[protection] = protection else { return None };
        let address = Self {
            provider: String::from_utf8(provider.to_vec()).ok()?,
            main: main.to_vec(),
            heartbeat: heartbeat.to_vec(),
            nonce: Nonce::from_bytes(nonce)?,
            protection: Protection::from_byte(protection)?,
        };
        rest.is_empty().then_some(address)
    }

    /// A host's address, if it is one that can be reached with this provider.
    pub(super) fn checked(host: HostId, bytes: &[u8], provider: &str) -> Result<Self, OfiError> {
        let address = Self::from_bytes(bytes).ok_or(OfiError::Malformed(host))?;
        if address.provider == provider {
            return Ok(address);
        }
        Err(OfiError::Mismatch {
            host,
            theirs: address.provider,
            ours: provider.to_owned(),
        })
    }
}

/// The first part, and the rest.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    (length <= LONGEST).then(|| rest.split_at_checked(length))?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::port::OfiPort;
    use super::*;

    proptest! {
        #[test]
        fn addresses_come_back(provider in "[a-z;_]{0,20}", main: [u8; 16], heartbeat: Vec<u8>, nonce: [u8; 32]) {
            let nonce = Nonce::from_bytes(&nonce).expect("as long as one");
            let protection = Protection::Headers;
            let address = Address { provider, main: main.to_vec(), heartbeat, nonce, protection };
            let bytes = address.to_bytes();
            prop_assert_eq!(OfiPort::provider_of(&bytes), Some(address.provider.clone()));
            prop_assert_eq!(Address::from_bytes(&bytes), Some(address));
            prop_assert_eq!(Address::from_bytes(&bytes[..bytes.len() - 1]), None);
        }

        #[test]
        fn anything_can_be_read(bytes: Vec<u8>) {
            let _ = Address::from_bytes(&bytes);
        }
    }
}
