//! The active messages of windows, as numbers and bytes.
//!
//! The first number of a request has the window, the kind of the request, and an operation, the kind of a lock, or
//! where somebody sleeps; the
//! second one has the target and the origin, by their ranks in the window; of a lock that is granted they are the rank
//! of the lock and the one that has waited. The data of an operation on the target's
//! memory begins with a header of 16 bytes, little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0–3 | the predefined datatype of the elements: one number, or two for a pair without a name |
//! | 4–11 | where the data of the reply belongs in the origin's result |
//! | 12–15 | number of runs |
//!
//! Then come the runs, each an offset in the target's memory (in a dynamic window an address) and a number of elements,
//! and then the elements, packed.

use crate::memory::Run;
use simurgh_core::LockKind;

/// The kinds of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Put,
    Get,
    Accumulate,
    GetAccumulate,
    CompareAndSwap,
    Lock,
    Unlock,
    /// Shared locks of all ranks that the target's host reaches.
    LockAll,
    UnlockAll,
    Flush,
    Post,
    Complete,
    /// A rank has the lock for which it has waited.
    Granted,
    /// A rank that sleeps has to look again at what it shares with others.
    Wake,
    /// An access of the origin to the target's memory, for the check of conflicts.
    Access,
    /// Asks for the error of which the origin has not been told.
    Untold,
    /// Several requests (`batch`).
    Batch,
    /// Asks for access to the target's memory (`transfer`).
    Expose,
}

/// All of them, in the order of their numbers.
const KINDS: [Kind; 18] = [
    Kind::Put,
    Kind::Get,
    Kind::Accumulate,
    Kind::GetAccumulate,
    Kind::CompareAndSwap,
    Kind::Lock,
    Kind::Unlock,
    Kind::LockAll,
    Kind::UnlockAll,
    Kind::Flush,
    Kind::Post,
    Kind::Complete,
    Kind::Granted,
    Kind::Wake,
    Kind::Access,
    Kind::Untold,
    Kind::Batch,
    Kind::Expose,
];

impl Kind {
    /// Whether nobody waits for such a request, to which nothing is replied, before its origin sends another one to the
    /// same host.
    pub(super) fn may_wait(self) -> bool {
        matches!(self, Self::Put | Self::Accumulate | Self::Access)
    }
}

/// The numbers of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) window: u32,
    pub(super) kind: Kind,
    /// The number of a reduction operation, of the kind of a lock, of the place where a rank sleeps, of an access, or
    /// of what a flush ends.
    pub(super) detail: u16,
    pub(super) target: u32,
    pub(super) origin: u32,
}

impl Label {
    #[inline]
    pub(super) fn numbers(&self) -> [u64; 2] {
        let first = u64::from(self.window) | (self.kind as u64) << 32 | u64::from(self.detail) << 48;
        [first, u64::from(self.target) | u64::from(self.origin) << 32]
    }

    /// The label of these numbers; none if there is none.
    pub(super) fn read([first, second]: [u64; 2]) -> Option<Self> {
        Some(Self {
            window: first as u32,
            kind: *KINDS.get((first >> 32 & 0xffff) as usize)?,
            detail: (first >> 48) as u16,
            target: second as u32,
            origin: (second >> 32) as u32,
        })
    }

    /// The kind of the lock.
    pub(super) fn lock_kind(&self) -> LockKind {
        match self.detail & !ASSERTED {
            0 => LockKind::Shared,
            _ => LockKind::Exclusive,
        }
    }

    /// Whether the origin has asserted that it need not wait for the lock.
    pub(super) fn is_asserted(&self) -> bool {
        self.detail & ASSERTED != 0
    }
}

/// Added to the number of the kind of a lock that the origin has asserted to get at once.
pub(super) const ASSERTED: u16 = 2;

/// The number of the kind of a lock.
pub(super) fn detail_of(kind: LockKind) -> u16 {
    match kind {
        LockKind::Shared => 0,
        LockKind::Exclusive => 1,
    }
}

/// Bytes of the header of an operation, and of a run.
pub(super) const HEADER: usize = 16;
const RUN: usize = 16;

/// An operation on as many runs as fit in a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) runs: Vec<Run>,
    /// Where its elements begin in the packed data of the whole operation, in bytes.
    pub(super) position: usize,
    /// Bytes of its elements.
    pub(super) bytes: usize,
}

impl Chunk {
    /// Bytes of header and runs.
    pub(super) fn header_bytes(&self) -> usize {
        HEADER + RUN * self.runs.len()
    }

    /// Writes header and runs to the front of `room`, for elements of the datatype with these numbers; returns the rest
    /// of the room.
    pub(super) fn write<'a>(&self, unit: [u16; 2], displacement: i64, room: &'a mut [u8]) -> &'a mut [u8] {
        write_header((unit, self.position), &self.runs, displacement, room)
    }
}

/// Bytes of the header of an operation on one run.
pub(super) const SHORTEST_HEADER: usize = HEADER + RUN;

/// Writes the header of an operation on elements of the datatype with these numbers, with the data of its reply at a
/// position, and its runs to the front of `room`; returns the rest of the room.
pub(super) fn write_header<'a>(
    (unit, position): ([u16; 2], usize),
    runs: &[Run],
    displacement: i64,
    room: &'a mut [u8],
) -> &'a mut [u8] {
    let (header, rest) = room.split_at_mut(HEADER + RUN * runs.len());
    let unit = u32::from(unit[0]) | u32::from(unit[1]) << 16;
    header[..4].copy_from_slice(&unit.to_le_bytes());
    header[4..12].copy_from_slice(&(position as u64).to_le_bytes());
    header[12..16].copy_from_slice(&(runs.len() as u32).to_le_bytes());
    for (place, run) in header[HEADER..].chunks_exact_mut(RUN).zip(runs) {
        let offset = displacement.wrapping_add(run.offset as i64);
        place[..8].copy_from_slice(&offset.to_le_bytes());
        place[8..].copy_from_slice(&(run.count as u64).to_le_bytes());
    }
    rest
}

/// Cuts the runs of an operation into chunks that fit in packets of `capacity` bytes, in which the elements are
/// (`carried`) or not, and whose replies fit, too. `size` and `extent` are those of an element.
pub(super) fn chunks(
    runs: impl Iterator<Item = Run>,
    (size, extent): (usize, isize),
    carried: bool,
    capacity: usize,
) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut chunk = Chunk::default();
    for mut run in runs {
        while run.count > 0 {
            let taken = chunk.header_bytes() + RUN + if carried { chunk.bytes } else { 0 };
            let room = capacity.saturating_sub(taken);
            let of_reply = capacity.saturating_sub(chunk.bytes);
            let room = match carried {
                true => room.min(of_reply) / size,
                false if room == 0 => 0,
                false => of_reply / size,
            };
            let count = run.count.min(room);
            if count > 0 {
                let offset = run.offset;
                chunk.runs.push(Run { offset, count });
                chunk.bytes += count * size;
                run.count -= count;
                run.offset += count as isize * extent;
            } else {
                assert!(!chunk.runs.is_empty(), "a packet has room for an element");
                let position = chunk.position + chunk.bytes;
                let next = Chunk {
                    position,
                    ..Chunk::default()
                };
                chunks.push(std::mem::replace(&mut chunk, next));
            }
        }
    }
    if !chunk.runs.is_empty() {
        chunks.push(chunk);
    }
    chunks
}

/// An operation that has come.
pub(super) struct Incoming<'a> {
    pub(super) unit: [u16; 2],
    /// Where the data of the reply belongs.
    pub(super) position: u64,
    runs: &'a [u8],
    pub(super) elements: &'a [u8],
}

impl<'a> Incoming<'a> {
    /// Reads an operation; none if it is malformed.
    pub(super) fn read(data: &'a [u8]) -> Option<Self> {
        let (header, rest) = data.split_at_checked(HEADER)?;
        let word = |at: usize| {
            header[at..]
                .first_chunk::<4>()
                .map(|bytes| u32::from_le_bytes(*bytes))
        };
        let unit = word(0)?;
        let position = u64::from_le_bytes(*header[4..].first_chunk()?);
        let bytes = (word(12)? as usize).checked_mul(RUN)?;
        let (runs, elements) = rest.split_at_checked(bytes)?;
        Some(Self {
            unit: [unit as u16, (unit >> 16) as u16],
            position,
            runs,
            elements,
        })
    }

    /// The runs: offsets, and numbers of elements.
    pub(super) fn runs(&self) -> impl Iterator<Item = (i64, usize)> + 'a {
        self.runs.chunks_exact(RUN).map(|run| {
            let (offset, count) = run.split_at(8);
            let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("there are eight bytes"));
            (
                word(offset).cast_signed(),
                usize::try_from(word(count)).unwrap_or(usize::MAX),
            )
        })
    }

    /// Bytes of all elements of `size` bytes; none if they are more than fit in a packet of so many.
    pub(super) fn bytes(&self, size: usize, capacity: usize) -> Option<usize> {
        let mut all = self.runs();
        let bytes = all.try_fold(0_usize, |bytes, (_, count)| {
            bytes.checked_add(count.checked_mul(size)?)
        })?;
        (bytes <= capacity).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_they_were_written() {
        for kind in KINDS {
            let label = Label {
                window: 0xffff_fffe,
                kind,
                detail: 0x3d,
                target: 7,
                origin: 1 << 31,
            };
            assert_eq!(Label::read(label.numbers()), Some(label));
        }
        assert_eq!(Label::read([(KINDS.len() as u64) << 32, 0]), None);
    }

    #[test]
    fn operations_are_cut_to_the_length_of_packets() {
        let runs = [(0, 3), (100, 1000), (-50, 2)].map(|(offset, count)| Run { offset, count });
        for carried in [true, false] {
            for capacity in [64, 100, 200, 4096, 1 << 20] {
                let cut = chunks(runs.into_iter(), (8, 8), carried, capacity);
                let mut position = 0;
                let mut elements = Vec::new();
                for chunk in &cut {
                    let sent = chunk.header_bytes() + if carried { chunk.bytes } else { 0 };
                    assert!(sent <= capacity && chunk.bytes <= capacity);
                    assert_eq!(chunk.position, position);
                    position += chunk.bytes;
                    let mut data = vec![0; sent];
                    let rest = chunk.write([1, 2], 1000, &mut data).len();
                    assert_eq!(rest, if carried { chunk.bytes } else { 0 });
                    let read = Incoming::read(&data).expect("it is whole");
                    assert_eq!(
                        (read.unit, read.position, read.elements.len()),
                        ([1, 2], chunk.position as u64, rest)
                    );
                    assert_eq!(read.bytes(8, capacity), Some(chunk.bytes));
                    for (offset, count) in read.runs() {
                        elements.extend((0..count).map(|index| offset - 1000 + 8 * index as i64));
                    }
                }
                let expected = runs
                    .iter()
                    .flat_map(|run| (0..run.count).map(|index| run.offset as i64 + 8 * index as i64));
                assert!(elements.into_iter().eq(expected));
            }
        }
        assert!(Incoming::read(&[0; 15]).is_none() && Incoming::read(&[1; 40]).is_none());
    }
}
