//! Message authentication codes, which prove that a packet comes from the host that it names.
//!
//! Two hosts know the job's secret, and the nonces that each has told with its address by way of the launcher. A
//! [`Handshake`] makes of these and of their numbers a key for each direction and each of their two endpoints. So a
//! packet of one of them cannot be sent again to another host, in the other direction, or in another job.
//!
//! A code is SipHash-2-4 with 64 bits: somebody who does not know the key guesses one in 2^64. Costs for a short
//! packet: 18 of SipHash's rounds, about 30 ns. Long data, where it is protected, costs 0.4 ns for each byte.

use std::hash::Hasher;

use siphasher::sip::SipHasher24;

use super::protection::Protection;
use crate::auth::{Handshake, Nonce, Party, Role, Secret};

use crate::HostId;
use crate::transport::HEADER;

/// Data of at most so many bytes is protected together with the header. The messages in which hosts tell each other of
/// memory and transfers are not longer.
pub(super) const SHORT_DATA: usize = 64;

/// The purpose of keys for packets.
pub(super) const PACKETS: &str = "packets over libfabric";
/// The purpose of keys for heartbeats.
pub(super) const HEARTBEATS: &str = "signs of life over libfabric";

/// One end of a connection: its host, and the nonce of its endpoint.
#[derive(Clone, Copy)]
pub(super) struct End<'a> {
    pub(super) host: HostId,
    pub(super) nonce: &'a Nonce,
}

/// The key for packets in one direction between two hosts.
pub(super) struct MacKey {
    protection: Protection,
    headers: SipHasher24,
    data: SipHasher24,
    /// Stands in place of a code where nothing is protected.
    tag: u64,
}

/// The keys for both directions between two hosts.
pub(super) struct MacKeys {
    pub(super) outward: MacKey,
    pub(super) inward: MacKey,
}

impl MacKeys {
    /// The keys between two hosts with this secret, as `own` sees them.
    pub(super) fn between(
        secret: &Secret,
        purpose: &str,
        own: End<'_>,
        other: End<'_>,
        protection: Protection,
    ) -> Self {
        let is_first = own.host < other.host;
        let (first, second) = if is_first { (own, other) } else { (other, own) };
        let numbers = [first, second].map(|end| end.host.to_le_bytes());
        let met = Handshake {
            purpose,
            initiator: Party {
                name: &numbers[0],
                nonce: first.nonce,
            },
            responder: Party {
                name: &numbers[1],
                nonce: second.nonce,
            },
        };
        let mac_key = |side| MacKey::of(&met.key(secret, side), protection);
        let (of_first, of_second) = (mac_key(Role::Initiator), mac_key(Role::Responder));
        let (outward, inward) = if is_first {
            (of_first, of_second)
        } else {
            (of_second, of_first)
        };
        Self { outward, inward }
    }
}

impl MacKey {
    /// Takes the bytes of a key.
    pub(super) fn of(key: &[u8; 32], protection: Protection) -> Self {
        let (words, _) = key.as_chunks::<8>();
        let hasher = |at: usize| {
            let word = |at: usize| u64::from_le_bytes(words[at]);
            SipHasher24::new_with_keys(word(at), word(at + 1))
        };
        let headers = hasher(0);
        Self {
            protection,
            headers,
            data: hasher(2),
            tag: headers.hash(&[]),
        }
    }

    /// How much the codes protect.
    pub(super) fn protection(&self) -> Protection {
        self.protection
    }

    /// The digest of long data, which goes into the code; none where data is short or not protected.
    #[inline]
    pub(super) fn digest(&self, data: &[u8]) -> Option<u64> {
        (self.protection == Protection::Everything && data.len() > SHORT_DATA).then(|| self.data.hash(data))
    }

    /// The code of packet `number`. `body` is its header, of `header` bytes, followed by its data; `digest` is that of
    /// the data, by [`MacKey::digest`].
    #[inline]
    pub(super) fn code(&self, number: u64, header: usize, body: &[u8], digest: Option<u64>) -> u64 {
        if self.protection == Protection::Nothing {
            return self.tag;
        }
        let mut hasher = self.headers;
        // Bodies are shorter than 2^16 bytes, and a host sends fewer than 2^47 packets to another.
        let is_short = u64::from(header < HEADER);
        hasher.write_u64(number << 17 | is_short << 16 | body.len() as u64);
        if let Some(digest) = digest {
            hasher.write_u64(digest);
        }
        let has_short_data = body.len() - header <= SHORT_DATA;
        hasher.hash(if has_short_data { body } else { &body[..header] })
    }

    /// The code of a few bytes, which are protected at all levels.
    pub(super) fn code_of(&self, bytes: &[u8]) -> u64 {
        self.headers.hash(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An example of the authors of SipHash: the code of the bytes 0 to 14 with the key of the bytes 0 to 15.
    #[test]
    fn codes_are_those_of_siphash() {
        let mut key = [0; 32];
        (0..)
            .zip(&mut key[..16])
            .for_each(|(number, byte)| *byte = number);
        let data: Vec<u8> = (0..15).collect();
        assert_eq!(
            MacKey::of(&key, Protection::Headers).code_of(&data),
            0xa129_ca61_49be_45e5
        );
    }

    #[test]
    fn two_hosts_agree_and_no_two_ways_have_the_same_key() {
        let secret = Secret::random().unwrap();
        let nonces = [(); 3].map(|()| Nonce::random().unwrap());
        let end = |host: HostId| End {
            host,
            nonce: &nonces[host as usize],
        };
        let between = |purpose, own, other| {
            let mac_keys = MacKeys::between(&secret, purpose, end(own), end(other), Protection::Headers);
            [mac_keys.outward, mac_keys.inward].map(|mac_key| mac_key.code_of(b"something"))
        };
        let (here, there) = (between(PACKETS, 0, 1), between(PACKETS, 1, 0));
        assert_eq!((here[0], here[1]), (there[1], there[0]));
        assert_ne!(here[0], here[1]);
        assert_ne!(between(HEARTBEATS, 0, 1)[0], here[0]);
        assert_ne!(between(PACKETS, 0, 2)[0], here[0]);
    }

    #[test]
    fn whatever_is_protected_changes_the_code() {
        for (protection, length, is_protected) in [
            (Protection::Headers, SHORT_DATA, true),
            (Protection::Headers, SHORT_DATA + 1, false),
            (Protection::Everything, SHORT_DATA + 1, true),
            (Protection::Everything, 5000, true),
            (Protection::Nothing, 8, false),
        ] {
            let mac_key = MacKey::of(&[7; 32], protection);
            let body = vec![1; 40 + length];
            let code = |number, header: usize, body: &[u8]| {
                mac_key.code(number, header, body, mac_key.digest(&body[header..]))
            };
            let right = code(3, HEADER, &body);
            let changed = |at: usize| {
                let mut body = body.clone();
                body[at] ^= 1;
                code(3, HEADER, &body)
            };
            assert_eq!(changed(40 + length - 1) != right, is_protected, "{protection:?}");
            let others = [
                code(4, HEADER, &body),
                code(3, HEADER - 8, &body),
                changed(0),
                code(3, HEADER, &body[..HEADER]),
            ];
            assert!(
                others
                    .iter()
                    .all(|other| (*other != right) == (protection != Protection::Nothing))
            );
        }
    }
}
