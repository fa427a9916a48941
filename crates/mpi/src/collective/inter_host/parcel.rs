//! The format of parcels: the data that one host sends to another in one message, with its senders.
//!
//! A parcel is a list of entries and, behind it, the data of short parts in the same order. Long data is only
//! announced: it follows in a message of its own, straight from the sender's buffer to the receiver's. So a receiver
//! need not know how much comes, and has a place for everything when it comes.
//!
//! Costs 16 bytes for each entry, and a copy of short data at each end.

use std::ops::Range;

use super::super::pattern::Edge;
use super::super::task::Task;
use super::channel::malformed;
use crate::error::Result;
use crate::limits::IN_PARCEL;
use crate::memory::{Source, StagingBuffer, bytes_of, transfer};

/// The key that identifies a part within a parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The seat that sends it.
    pub(super) from: u32,
    /// Index among the seat's parts, or [`Key::WHOLE`] or [`Key::ROOM`].
    pub(super) part: u32,
}

/// A part of a parcel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) content: Content,
}

/// Where the data of an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// In the parcel.
    Here(Range<usize>),
    /// So many bytes follow in a message of their own.
    Follows(usize),
}

impl Key {
    /// All data of a seat.
    pub(super) const WHOLE: u32 = u32::MAX;

    /// Not data, but the number of elements for which the seat has room.
    pub(super) const ROOM: u32 = u32::MAX - 1;

    /// The key of the data of an edge. Edges on which the same data goes have the same key.
    pub(super) fn on(task: &Task, edge: Edge) -> Self {
        let part = match task.gives_whole() {
            true => Self::WHOLE,
            false => u32::try_from(edge.send_part).expect("fewer parts than there are ranks"),
        };
        Self::new(edge.from, part)
    }

    pub(super) fn new(from: usize, part: u32) -> Self {
        let from = u32::try_from(from).expect("no communicator has more seats");
        Self { from, part }
    }
}

/// Bytes of the number of entries.
const COUNT: usize = 4;

/// Bytes of an entry: seat, part, length.
const ENTRY: usize = 16;

/// The bit of a length that says that the data follows.
const FOLLOWS: u64 = 1 << 63;

/// The length of a parcel of so many parts, with so many bytes of data.
pub(super) fn length(parts: usize, data: usize) -> usize {
    COUNT + parts * ENTRY + data
}

/// Packs parts into a parcel. If `may_follow`, long parts stay outside. Returns the parcel, its length, and the data
/// that follows.
pub(super) fn pack(parts: Vec<(Key, Source)>, may_follow: bool) -> (StagingBuffer, usize, Vec<Source>) {
    let is_long = |source: &Source| may_follow && source.bytes() > IN_PARCEL;
    let short = parts.iter().filter(|(_, source)| !is_long(source));
    let length = length(parts.len(), short.map(|(_, source)| source.bytes()).sum());
    let store = StagingBuffer::new(length);
    let (mut entry, mut data) = (COUNT, COUNT + parts.len() * ENTRY);
    let count = u32::try_from(parts.len()).expect("fewer parts than a rank has seats to send to, squared");
    transfer(&bytes_of(&count.to_le_bytes()), &store.target(0, COUNT));
    let mut following = Vec::new();
    for (key, source) in parts {
        let (bytes, long) = (source.bytes(), is_long(&source));
        let flag = if long { FOLLOWS } else { 0 };
        transfer(
            &bytes_of(&encode(key, bytes as u64 | flag)),
            &store.target(entry, ENTRY),
        );
        entry += ENTRY;
        if long {
            following.push(source);
        } else {
            transfer(&source, &store.target(data, bytes));
            data += bytes;
        }
    }
    (store, length, following)
}

fn encode(key: Key, length: u64) -> [u8; ENTRY] {
    let mut entry = [0; ENTRY];
    entry[..4].copy_from_slice(&key.from.to_le_bytes());
    entry[4..8].copy_from_slice(&key.part.to_le_bytes());
    entry[8..].copy_from_slice(&length.to_le_bytes());
    entry
}

/// The entries of a parcel.
///
/// # Errors
///
/// When it is malformed: the entries have to describe all of it and no more.
pub(super) fn unpack(parcel: &[u8]) -> Result<Vec<Entry>> {
    entries(parcel).ok_or_else(malformed)
}

fn entries(parcel: &[u8]) -> Option<Vec<Entry>> {
    let (count, rest) = parcel.split_first_chunk::<COUNT>()?;
    let count = u32::from_le_bytes(*count) as usize;
    let table = rest.get(..count.checked_mul(ENTRY)?)?;
    let mut data = COUNT + table.len();
    let mut entries = Vec::with_capacity(count);
    for entry in table.chunks_exact(ENTRY) {
        let number = |range: Range<usize>| Some(u32::from_le_bytes(entry[range].try_into().ok()?));
        let key = Key {
            from: number(0..4)?,
            part: number(4..8)?,
        };
        let length = u64::from_le_bytes(entry[8..].try_into().ok()?);
        let bytes = usize::try_from(length & !FOLLOWS).ok()?;
        let content = if length & FOLLOWS != 0 {
            Content::Follows(bytes)
        } else {
            let end = data.checked_add(bytes).filter(|end| *end <= parcel.len())?;
            Content::Here(std::mem::replace(&mut data, end)..end)
        };
        entries.push(Entry { key, content });
    }
    (data == parcel.len()).then_some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn packed_parts_are_unpacked() {
        let long = vec![7; IN_PARCEL + 1];
        let parts = [(3, &[1, 2][..]), (Key::WHOLE, &long), (Key::ROOM, &[]), (4, &[5])];
        let sources = parts
            .iter()
            .map(|(part, data)| (Key::new(9, *part), bytes_of(data)));
        let (store, length, following) = pack(sources.collect(), true);
        assert_eq!(
            following.iter().map(Source::bytes).collect::<Vec<_>>(),
            [IN_PARCEL + 1]
        );
        let mut parcel = vec![0; length];
        crate::memory::pack(&store.source(0, length), &mut parcel);
        let found = unpack(&parcel).unwrap();
        for (entry, (part, data)) in found.iter().zip(parts) {
            assert_eq!(entry.key, Key::new(9, part));
            match &entry.content {
                Content::Here(range) => assert_eq!(&parcel[range.clone()], data),
                Content::Follows(bytes) => assert_eq!(*bytes, data.len()),
            }
        }
        for cut in 0..length {
            assert!(unpack(&parcel[..cut]).is_err(), "{cut}");
        }
    }

    proptest! {
        #[test]
        fn malformed_parcels_are_refused(parcel in proptest::collection::vec(any::<u8>(), 0..200), count in 0..12_u8) {
            let mut parcel = parcel;
            if let Some(first) = parcel.first_chunk_mut::<4>() {
                *first = [count, 0, 0, 0];
            }
            for entry in entries(&parcel).unwrap_or_default() {
                if let Content::Here(range) = entry.content {
                    prop_assert!(parcel.get(range).is_some());
                }
            }
        }
    }
}
