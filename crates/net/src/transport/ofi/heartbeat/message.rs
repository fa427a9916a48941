//! A heartbeat on the wire: 48 bytes, little-endian.
//!
//! | bytes | contents |
//! |---|---|
//! | 0–7 | the code of the rest ([`mac`](crate::transport::ofi::mac)) |
//! | 8–11 | the host that sends it |
//! | 12–13 | ping or pong |
//! | 14–15 | whether the other host is to poll for packets, since some between the two are delayed |
//! | 16–23 | its number: later ones have higher numbers, so that none counts twice |
//! | 24–47 | packets that the host has sent to the other one, and received from it, and how often it has polled |

use crate::HostId;
use crate::transport::ofi::mac::MacKey;

/// Bytes of a heartbeat.
pub(super) const LENGTH: usize = 48;

/// The kind of a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// Asks for a pong.
    Ping = 1,
    /// Answers a ping.
    Pong = 2,
}

/// A heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeartbeatMessage {
    pub(super) from: HostId,
    pub(super) kind: MessageKind,
    pub(super) is_delayed: bool,
    pub(super) number: u64,
    pub(super) sent: u64,
    pub(super) received: u64,
    pub(super) polls: u64,
}

impl HeartbeatMessage {
    /// Encodes it.
    pub(super) fn to_bytes(self, mac_key: &MacKey) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[8..12].copy_from_slice(&self.from.to_le_bytes());
        bytes[12..14].copy_from_slice(&(self.kind as u16).to_le_bytes());
        bytes[14..16].copy_from_slice(&u16::from(self.is_delayed).to_le_bytes());
        let numbers = [self.number, self.sent, self.received, self.polls];
        for (room, number) in bytes[16..].chunks_exact_mut(8).zip(numbers) {
            room.copy_from_slice(&number.to_le_bytes());
        }
        let code = mac_key.code_of(&bytes[8..]);
        bytes[..8].copy_from_slice(&code.to_le_bytes());
        bytes
    }

    /// Decodes it; none unless it is genuine. `mac_key` gives the key of a host, if there is one.
    pub(super) fn read<'a>(bytes: &[u8], mac_key: impl FnOnce(HostId) -> Option<&'a MacKey>) -> Option<Self> {
        let bytes: &[u8; LENGTH] = bytes.try_into().ok()?;
        let (words, _) = bytes.as_chunks::<8>();
        let [code, who, number, sent, received, polls] =
            [0, 1, 2, 3, 4, 5].map(|at| u64::from_le_bytes(words[at]));
        let from = who as HostId;
        let kind = match who >> 32 & 0xffff {
            1 => MessageKind::Ping,
            2 => MessageKind::Pong,
            _ => return None,
        };
        let is_delayed = match who >> 48 {
            0 => false,
            1 => true,
            _ => return None,
        };
        let is_genuine = mac_key(from)?.code_of(&bytes[8..]) == code;
        is_genuine.then_some(Self {
            from,
            kind,
            is_delayed,
            number,
            sent,
            received,
            polls,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::ofi::protection::Protection;

    #[test]
    fn signs_come_back_and_changed_ones_are_none() {
        let mac_key = MacKey::of(&[9; 32], Protection::Nothing);
        for kind in [MessageKind::Ping, MessageKind::Pong] {
            let message = HeartbeatMessage {
                from: 7,
                kind,
                is_delayed: kind == MessageKind::Pong,
                number: 1,
                sent: 1 << 40,
                received: 3,
                polls: 4,
            };
            let bytes = message.to_bytes(&mac_key);
            let of_seven =
                |bytes: &[u8]| HeartbeatMessage::read(bytes, |from| (from == 7).then_some(&mac_key));
            assert_eq!(of_seven(&bytes), Some(message));
            for at in 0..LENGTH {
                let mut changed = bytes;
                changed[at] ^= 0x10;
                assert_eq!(of_seven(&changed), None);
            }
            assert_eq!(of_seven(&bytes[1..]), None);
        }
    }
}
