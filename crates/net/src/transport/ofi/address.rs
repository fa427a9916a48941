//! The address of a host, which it tells the others.
//!
//! It has the provider, the addresses of the two endpoints, their nonce, and how much the host wants protected. Each
//! part is a length in four bytes, followed by so many bytes. The version of the wire-up protocol fixes their order and
//! meaning.

use super::error::OfiError;
use super::protection::Protection;
use crate::HostId;
use crate::auth::Nonce;

/// Most bytes of one part. libfabric's addresses are far shorter.
const LONGEST: usize = 1024;

/// The address of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The name of the provider.
    pub(super) provider: String,
    /// The endpoint for packets and transfers.
    pub(super) main: Vec<u8>,
    /// The endpoint for heartbeats.
    pub(super) heartbeat: Vec<u8>,
    /// The nonce of these endpoints, from which keys are derived.
    pub(super) nonce: Nonce,
    /// The protection that it wants at least.
    pub(super) protection: Protection,
}

impl Address {
    /// Encodes it.
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

    /// Decodes it; none if the bytes are no address.
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

    /// Decodes the address of a host that has to have this provider.
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

/// Splits off the first part.
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
