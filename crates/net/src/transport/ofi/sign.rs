//! A sign of life on the wire: 48 bytes, little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | the code of the rest ([`seal`](super::seal)) |
//! | 8–11 | the host that says it |
//! | 12–13 | question or answer |
//! | 14–15 | whether the other one is to look for packets, since something is due between the two |
//! | 16–23 | its number: later ones have higher numbers, so none counts twice |
//! | 24–47 | packets that the host has sent to the other one, and received from it, and how often it has looked |

use super::seal::Seal;
use crate::transport::HostId;

/// Bytes of a sign.
pub(super) const LENGTH: usize = 48;

/// What a sign says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Answer.
    Question = 1,
    /// Here I am.
    Answer = 2,
}

/// A sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sign {
    pub(super) from: HostId,
    pub(super) word: Word,
    pub(super) is_due: bool,
    pub(super) number: u64,
    pub(super) sent: u64,
    pub(super) received: u64,
    pub(super) looks: u64,
}

impl Sign {
    /// As bytes.
    pub(super) fn to_bytes(self, seal: &Seal) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[8..12].copy_from_slice(&self.from.to_le_bytes());
        bytes[12..14].copy_from_slice(&(self.word as u16).to_le_bytes());
        bytes[14..16].copy_from_slice(&u16::from(self.is_due).to_le_bytes());
        let numbers = [self.number, self.sent, self.received, self.looks];
        for (room, number) in bytes[16..].chunks_exact_mut(8).zip(numbers) {
            room.copy_from_slice(&number.to_le_bytes());
        }
        let code = seal.code_of(&bytes[8..]);
        bytes[..8].copy_from_slice(&code.to_le_bytes());
        bytes
    }

    /// Of bytes, if they are a sign of a host with a seal.
    pub(super) fn read<'a>(bytes: &[u8], seal: impl FnOnce(HostId) -> Option<&'a Seal>) -> Option<Self> {
        let bytes: &[u8; LENGTH] = bytes.try_into().ok()?;
        let (words, _) = bytes.as_chunks::<8>();
        let [code, who, number, sent, received, looks] =
            [0, 1, 2, 3, 4, 5].map(|at| u64::from_le_bytes(words[at]));
        let from = who as HostId;
        let word = match who >> 32 & 0xffff {
            1 => Word::Question,
            2 => Word::Answer,
            _ => return None,
        };
        let is_due = match who >> 48 {
            0 => false,
            1 => true,
            _ => return None,
        };
        let is_genuine = seal(from)?.code_of(&bytes[8..]) == code;
        is_genuine.then_some(Self {
            from,
            word,
            is_due,
            number,
            sent,
            received,
            looks,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cover::Cover;
    use super::*;

    #[test]
    fn signs_come_back_and_changed_ones_are_none() {
        let seal = Seal::of(&[9; 32], Cover::Nothing);
        for word in [Word::Question, Word::Answer] {
            let sign = Sign {
                from: 7,
                word,
                is_due: word == Word::Answer,
                number: 1,
                sent: 1 << 40,
                received: 3,
                looks: 4,
            };
            let bytes = sign.to_bytes(&seal);
            let of_seven = |bytes: &[u8]| Sign::read(bytes, |from| (from == 7).then_some(&seal));
            assert_eq!(of_seven(&bytes), Some(sign));
            for at in 0..LENGTH {
                let mut changed = bytes;
                changed[at] ^= 0x10;
                assert_eq!(of_seven(&changed), None);
            }
            assert_eq!(of_seven(&bytes[1..]), None);
        }
    }
}
