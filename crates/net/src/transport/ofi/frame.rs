//! What stands before a packet on the wire.
//!
//! A prefix of 16 bytes: the job's token, then the number of the host that sends, then the length of the data. With the
//! engine's header and eight bytes of data that makes 64 bytes, which is what providers take without a buffer of ours.

use crate::transport::{HEADER, Header, HostId};

/// Bytes before the engine's header.
const PREFIX: usize = 16;
/// Bytes before the data.
pub(super) const FRAME: usize = PREFIX + HEADER;

/// What proves that a packet belongs to the job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Token(pub(super) u64);

impl Token {
    /// The token of a job with this secret. It travels in the clear, so it keeps strangers out, not who can listen.
    pub(super) fn of(secret: &[u8]) -> Self {
        // FNV-1a: every bit of the secret counts.
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        Self(secret.iter().fold(0xcbf2_9ce4_8422_2325, step))
    }
}

/// Writes what stands before `length` bytes of data.
///
/// # Panics
///
/// When there is no room for it.
#[inline]
pub(super) fn write(frame: &mut [u8], token: Token, from: HostId, length: usize, header: &Header) {
    frame[..8].copy_from_slice(&token.0.to_le_bytes());
    frame[8..12].copy_from_slice(&from.to_le_bytes());
    frame[12..16].copy_from_slice(&(length as u32).to_le_bytes());
    frame[PREFIX..FRAME].copy_from_slice(header);
}

/// Takes a packet apart: who sent it, the header, the data; none if it is not one of the job.
#[inline]
pub(super) fn read(frame: &[u8], token: Token) -> Option<(HostId, &Header, &[u8])> {
    let (prefix, rest) = frame.split_first_chunk::<PREFIX>()?;
    let (shown, rest_of_prefix) = prefix.split_first_chunk::<8>()?;
    let (from, length) = rest_of_prefix.split_first_chunk::<4>()?;
    let (header, data) = rest.split_first_chunk::<HEADER>()?;
    let length = u32::from_le_bytes(*length.first_chunk::<4>()?);
    let authentic = u64::from_le_bytes(*shown) == token.0 && length as usize == data.len();
    authentic.then_some((u32::from_le_bytes(*from), header, data))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_written_is_read(
            token: u64,
            from: u32,
            header: [u8; HEADER],
            data in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let mut frame = vec![0; FRAME + data.len()];
            write(&mut frame, Token(token), from, data.len(), &header);
            frame[FRAME..].copy_from_slice(&data);
            prop_assert_eq!(read(&frame, Token(token)), Some((from, &header, &data[..])));
            prop_assert_eq!(read(&frame, Token(token ^ 1)), None);
            prop_assert_eq!(read(&frame[..frame.len() - 1], Token(token)), None);
        }

        #[test]
        fn anything_can_be_read(frame in proptest::collection::vec(any::<u8>(), 0..200), token: u64) {
            let _ = read(&frame, Token(token));
        }
    }
}
