//! The frame of a packet on the wire.
//!
//! | bytes | contents |
//! |---|---|
//! | 0–7 | the code ([`mac`](super::mac)) |
//! | 8–11 | the host that sends; the highest bit says that the header is a short one |
//! | 12–15 | the packet's number among those from this host to that one, modulo 2^32 |
//! | 16– | the engine's header, whose last eight bytes are left out if they are zero, and the data |
//!
//! With 16 bytes of data that makes 64 bytes for a short message, the most frequent packet. Providers take so much
//! without a buffer of ours, and without a completion at the sender.

use super::MAX_FRAME;
use super::mac::MacKey;
use crate::HostId;
use crate::transport::{HEADER, Header};

/// Bytes before the engine's header.
const PREFIX: usize = 16;
/// Bytes at the end of a header that may be left out.
const TAIL: usize = 8;
/// Bytes before the data, at most.
pub(super) const FRAME: usize = PREFIX + HEADER;
/// The bit that says that the header is a short one.
const SHORT: u32 = 1 << 31;

/// A flush marker, which says nothing: only that it has left matters. No frame is as short.
pub(super) const FLUSH_MARKER: [u8; 4] = *b"mark";

/// A frame that has come. Nothing in it has been checked but its form.
pub(super) struct ReceivedFrame<'a> {
    /// The host that it claims to be of.
    pub(super) from: HostId,
    /// The header.
    pub(super) header: Header,
    /// The data.
    pub(super) data: &'a [u8],
    /// Its number modulo 2^32.
    pub(super) number: u32,
    code: u64,
    /// Header and data as they came.
    body: &'a [u8],
}

/// Where the data begins after this header.
#[inline]
pub(super) fn start(header: &Header) -> usize {
    match header.last_chunk::<TAIL>() {
        Some([0, 0, 0, 0, 0, 0, 0, 0]) => FRAME - TAIL,
        _ => FRAME,
    }
}

/// Writes the header of a frame whose data begins at `start`.
///
/// # Panics
///
/// When there is no room for it.
#[inline]
pub(super) fn write(frame: &mut [u8], header: &Header, start: usize) {
    let room = &mut frame[PREFIX..start];
    // Copies of fixed length: they take no call.
    match room.as_mut_array::<HEADER>() {
        Some(room) => *room = *header,
        None => room.copy_from_slice(&header[..HEADER - TAIL]),
    }
}

/// Writes sender and number into a frame whose header and data have been written, and its code. `digest` is that of the
/// data, by [`MacKey::digest`].
#[inline]
pub(super) fn close(
    frame: &mut [u8],
    start: usize,
    (from, number): (HostId, u64),
    mac_key: &MacKey,
    digest: Option<u64>,
) {
    let (prefix, body) = frame.split_at_mut(PREFIX);
    let code = mac_key.code(number, start - PREFIX, body, digest);
    let short = if start < FRAME { SHORT } else { 0 };
    let who = u64::from(from | short) | u64::from(number as u32) << 32;
    // In whole words, as they are read.
    prefix[..8].copy_from_slice(&code.to_le_bytes());
    prefix[8..].copy_from_slice(&who.to_le_bytes());
}

/// Parses a frame; none if it cannot be one.
#[inline]
pub(super) fn read(frame: &[u8]) -> Option<ReceivedFrame<'_>> {
    let (words, _) = frame.get(..PREFIX)?.as_chunks::<8>();
    let [code, who] = [0, 1].map(|at| u64::from_le_bytes(words[at]));
    let body = &frame[PREFIX..];
    let (header, data) = match who as u32 & SHORT {
        0 => {
            let (told, data) = body.split_first_chunk::<HEADER>()?;
            (*told, data)
        }
        _ => {
            let (told, data) = body.split_first_chunk::<{ HEADER - TAIL }>()?;
            let mut header = [0; HEADER];
            header[..HEADER - TAIL].copy_from_slice(told);
            (header, data)
        }
    };
    (frame.len() <= MAX_FRAME).then_some(ReceivedFrame {
        from: who as u32 & !SHORT,
        header,
        data,
        number: (who >> 32) as u32,
        code,
        body,
    })
}

impl ReceivedFrame<'_> {
    /// Whether the host with this key has sent it as packet `number`.
    #[inline]
    pub(super) fn is_genuine(&self, number: u64, mac_key: &MacKey) -> bool {
        let header = self.body.len() - self.data.len();
        let due = mac_key.code(number, header, self.body, mac_key.digest(self.data));
        // Compares all bytes at once, so that the time does not tell how many are right.
        due == self.code
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::protection::Protection;
    use super::*;

    fn made(mac_key: &MacKey, from: HostId, header: &Header, number: u64, data: &[u8]) -> Vec<u8> {
        let start = start(header);
        let mut frame = vec![0; start + data.len()];
        write(&mut frame, header, start);
        frame[start..].copy_from_slice(data);
        close(&mut frame, start, (from, number), mac_key, mac_key.digest(data));
        frame
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_and_what_was_changed_is_not_genuine(
            from in 0u32..1 << 31,
            mut header: [u8; HEADER],
            is_short: bool,
            number: u64,
            data in proptest::collection::vec(any::<u8>(), 0..200),
            at: prop::sample::Index,
            bit in 0u8..8,
        ) {
            if is_short {
                header[HEADER - TAIL..].fill(0);
            }
            let mac_key = MacKey::of(&[5; 32], Protection::Everything);
            let mut frame = made(&mac_key, from, &header, number, &data);
            prop_assert_eq!(frame.len(), 16 + if is_short { 32 } else { 40 } + data.len());
            let read_again = read(&frame).expect("a frame");
            prop_assert_eq!((read_again.from, read_again.header, read_again.data), (from, header, &data[..]));
            prop_assert_eq!(read_again.number, number as u32);
            prop_assert!(read_again.is_genuine(number, &mac_key));
            prop_assert!(!read_again.is_genuine(number.wrapping_add(1 << 32), &mac_key));
            prop_assert!(!read_again.is_genuine(number, &MacKey::of(&[6; 32], Protection::Everything)));

            let at = at.index(frame.len());
            frame[at] ^= 1u8 << bit;
            // Sender and number only decide which key and which number are checked.
            if !(8..16).contains(&at) || (at, bit) == (11, 7) {
                prop_assert!(read(&frame).is_none_or(|frame| !frame.is_genuine(number, &mac_key)));
            }
        }

        #[test]
        fn anything_can_be_read(frame in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mac_key = MacKey::of(&[5; 32], Protection::Everything);
            prop_assert!(read(&frame).is_none_or(|frame| !frame.is_genuine(0, &mac_key)));
        }
    }

    #[test]
    fn a_mark_is_no_packet() {
        assert!(read(&FLUSH_MARKER).is_none());
    }
}
