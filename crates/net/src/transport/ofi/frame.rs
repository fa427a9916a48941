//! What stands before a packet on the wire.
//!
//! A prefix of eight bytes: the sum of the job's token and the number of the host that sends. A stranger's guess is
//! taken for a host's with a chance of the number of hosts in 2^64. With the engine's header and 16 bytes of data, as
//! of a short message or of what announces a long one, that makes 64 bytes: what providers take without a buffer of
//! ours, and without a completion that rings at its sender.

use crate::transport::{HEADER, Header, HostId};

/// Bytes before the engine's header.
const PREFIX: usize = 8;
/// Bytes before the data.
pub(super) const FRAME: usize = PREFIX + HEADER;

/// Bytes of a mark: a prefix alone.
pub(super) const MARK: usize = PREFIX;

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

/// Writes what stands before the data.
///
/// # Panics
///
/// When there is no room for it.
#[inline]
pub(super) fn write(frame: &mut [u8], token: Token, from: HostId, header: &Header) {
    write_mark(&mut frame[..MARK], token, from);
    frame[PREFIX..FRAME].copy_from_slice(header);
}

/// Writes a mark.
#[inline]
pub(super) fn write_mark(mark: &mut [u8], token: Token, from: HostId) {
    let shown = token.0.wrapping_add(from.into());
    mark.copy_from_slice(&shown.to_le_bytes());
}

/// Who sent a mark; none if the bytes are not one of the job's.
pub(super) fn read_mark(mark: &[u8], token: Token) -> Option<HostId> {
    sender(mark.try_into().ok()?, token)
}

/// Whose a prefix is.
#[inline]
fn sender(prefix: &[u8; PREFIX], token: Token) -> Option<HostId> {
    HostId::try_from(u64::from_le_bytes(*prefix).wrapping_sub(token.0)).ok()
}

/// Takes a packet apart: who sent it, which the caller compares with the number of hosts, the header, the data; none if
/// it is not one of the job.
#[inline]
pub(super) fn read(frame: &[u8], token: Token) -> Option<(HostId, &Header, &[u8])> {
    let (shown, rest) = frame.split_first_chunk::<PREFIX>()?;
    let (header, data) = rest.split_first_chunk::<HEADER>()?;
    Some((sender(shown, token)?, header, data))
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
            write(&mut frame, Token(token), from, &header);
            frame[FRAME..].copy_from_slice(&data);
            prop_assert_eq!(read(&frame, Token(token)), Some((from, &header, &data[..])));
            prop_assert_eq!(read(&frame, Token(token ^ 1 << 63)), None);
            prop_assert_eq!(read(&frame[..FRAME - 1], Token(token)), None);
        }

        #[test]
        fn anything_can_be_read(frame in proptest::collection::vec(any::<u8>(), 0..200), token: u64) {
            let _ = (read(&frame, Token(token)), read_mark(&frame, Token(token)));
        }

        #[test]
        fn a_mark_is_no_packet(token: u64, from: u32) {
            let mut mark = [0; MARK];
            write_mark(&mut mark, Token(token), from);
            prop_assert_eq!(read_mark(&mark, Token(token)), Some(from));
            prop_assert_eq!(read(&mark, Token(token)), None);
            prop_assert_eq!(read_mark(&mark, Token(token ^ 1 << 63)), None);
        }
    }
}
