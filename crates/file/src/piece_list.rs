//! Lists of pieces of a file, as one host tells them to another.
//!
//! A list consists of records: the way from the end of the piece before to the next one, the length of that, and how
//! often both repeat. The first way begins at the beginning of a window. Numbers take a byte for every seven bits. So
//! pieces at equal distances take a few bytes altogether, and others three to five bytes each.

use std::ops::Range;

use crate::view::Piece;

/// The pieces of some parts of an access in a window, in the order in which their data follows each other.
#[derive(Debug, Default)]
pub struct PieceList {
    records: Vec<u8>,
    /// Bytes of all pieces.
    bytes: usize,
}

/// A piece that repeats.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Record {
    /// From the end of the piece before.
    way: i64,
    len: u64,
    times: u64,
}

/// Takes a list apart.
struct Reader<'a> {
    input: &'a [u8],
    record: Record,
    /// The end of the piece before.
    end: u64,
}

impl PieceList {
    /// The list of pieces in a window that begins at `origin`.
    pub(crate) fn of(pieces: impl Iterator<Item = Piece>, origin: u64) -> Self {
        let (mut list, mut record, mut end) = (Self::default(), Record::default(), origin);
        for piece in pieces {
            let (way, len) = (piece.offset.wrapping_sub(end).cast_signed(), piece.len as u64);
            if (way, len) == (record.way, record.len) && way >= 0 {
                record.times += 1;
            } else {
                record.write(&mut list.records);
                record = Record { way, len, times: 1 };
            }
            end = piece.offset + len;
            list.bytes += piece.len;
        }
        record.write(&mut list.records);
        list
    }

    /// The list that another host has sent; none if it is malformed, or a piece lies outside of the window.
    #[must_use]
    pub fn read(records: Vec<u8>, window: &Range<u64>) -> Option<Self> {
        let mut reader = Reader::new(&records, window.start);
        let mut bytes = 0_u64;
        while !reader.input.is_empty() {
            let Record { way, len, times } = reader.next_record()?;
            let first = reader.end.checked_add_signed(way)?;
            let further = times.checked_sub(1)?;
            // Pieces that repeat do not go back, so the window limits their number.
            let step = if further == 0 {
                0
            } else {
                len.checked_add_signed(way.max(0))?
            };
            let end = first.checked_add(len)?.checked_add(step.checked_mul(further)?)?;
            let fits = len > 0 && first >= window.start && end <= window.end && (further == 0 || way >= 0);
            bytes = bytes.checked_add(len.checked_mul(times)?)?;
            reader.end = fits.then_some(end)?;
        }
        let bytes = usize::try_from(bytes).ok()?;
        Some(Self { records, bytes })
    }

    /// The list as another host reads it.
    #[must_use]
    pub fn records(&self) -> &[u8] {
        &self.records
    }

    /// Bytes of all pieces.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The pieces, in a window that begins at `origin`.
    pub(crate) fn pieces(&self, origin: u64) -> impl Iterator<Item = Piece> + '_ {
        Reader::new(&self.records, origin)
    }
}

impl Record {
    fn write(self, out: &mut Vec<u8>) {
        if self.times > 0 {
            // The sign is the lowest bit, so that short ways back are short, too.
            write_number((self.way << 1 ^ self.way >> 63).cast_unsigned(), out);
            write_number(self.len, out);
            write_number(self.times, out);
        }
    }
}

impl<'a> Reader<'a> {
    fn new(input: &'a [u8], origin: u64) -> Self {
        Self {
            input,
            record: Record::default(),
            end: origin,
        }
    }

    fn next_record(&mut self) -> Option<Record> {
        let way = read_number(&mut self.input)?;
        Some(Record {
            way: (way >> 1).cast_signed() ^ -(way & 1).cast_signed(),
            len: read_number(&mut self.input)?,
            times: read_number(&mut self.input)?,
        })
    }
}

impl Iterator for Reader<'_> {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        if self.record.times == 0 {
            self.record = self.next_record()?;
        }
        self.record.times -= 1;
        let offset = self.end.wrapping_add_signed(self.record.way);
        self.end = offset + self.record.len;
        Some(Piece {
            offset,
            len: self.record.len as usize,
        })
    }
}

fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_number(input: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = input.split_first()?;
        *input = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pieces: &[(u64, usize)], origin: u64) -> PieceList {
        let pieces = pieces.iter().map(|&(offset, len)| Piece { offset, len });
        PieceList::of(pieces, origin)
    }

    #[test]
    fn a_list_says_the_same_at_the_other_end() {
        let all = [(100, 1), (103, 7), (210, 300), (110, 5), (115, 5), (1 << 40, 9)];
        let told = list(&all, 100);
        assert_eq!(told.bytes(), 327);
        let heard = PieceList::read(told.records().to_vec(), &(100..1 << 41)).unwrap();
        let pieces: Vec<_> = heard.pieces(100).map(|piece| (piece.offset, piece.len)).collect();
        assert_eq!((pieces.as_slice(), heard.bytes()), (all.as_slice(), 327));
    }

    #[test]
    fn equal_distances_take_a_few_bytes() {
        let all: Vec<_> = (0..100_000).map(|number| (number * 4096, 512)).collect();
        let told = list(&all, 0);
        assert!(told.records().len() < 16);
        assert_eq!(told.pieces(0).count(), all.len());
    }

    #[test]
    fn lists_that_make_no_sense_are_refused() {
        let sound = list(&[(4, 2), (8, 2), (12, 2)], 0).records().to_vec();
        let read = |records: &[u8], end| PieceList::read(records.to_vec(), &(0..end));
        assert!(read(&sound, 14).is_some() && read(&sound, 13).is_none());
        assert!(read(&sound[..sound.len() - 1], 14).is_none());
        // Way, length, times: nothing, never, before the window, going back for ever, too much.
        let long = u64::MAX / 2;
        for (way, len, times) in [
            (0, 0, 1),
            (0, 1, 0),
            (-1, 1, 1),
            (-1, 1, 1 << 60),
            (0, 3, long),
            (long as i64, long, 9),
        ] {
            let mut records = Vec::new();
            write_number((way << 1 ^ way >> 63).cast_unsigned(), &mut records);
            write_number(len, &mut records);
            write_number(times, &mut records);
            assert!(read(&records, 1000).is_none(), "{way} {len} {times}");
        }
        assert!(read(&[0xff; 20], 1000).is_none());
    }
}
