//! The mappings that make an image.
//!
//! An image is a range of addresses in which the objects lie one behind the other, at the same distances in each rank.
//! Code and constants are mapped from the original files. Writable pages are mapped from the *master*, a file in
//! memory that all ranks share and in which everything stands that is the same in all of them: a page is a rank's own
//! only from its first change on.
//!
//! The kernel limits the number of mappings of a process, so there are as few as can be. Most linkers lay the headers,
//! the code and the constants of an object one behind the other, in its file as in memory, as three segments that
//! differ in their protection only. One mapping of the file shows all three. It is executable because the code is. So
//! headers and constants can be executed, too, as in each program that was linked before linkers began to separate
//! them from the code (binutils 2.31, 2018); nothing can write to them.

use crate::elf::{Segment, abi, page_down, page_up};
use crate::object::Object;

/// Zero-initialised memory up to this size shares a mapping with what precedes it. A page of it that is written costs a
/// page of the master, too, once for all ranks.
const SMALL_BSS: u64 = 64 << 10;

/// The contents of a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The file of this object, from this offset on.
    Original(usize, u64),
    /// The master, from the same offset on as in the image.
    Master,
    /// Zeros.
    Nothing,
}

/// A mapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Distance from the start of the image.
    pub(crate) start: u64,
    pub(crate) length: u64,
    pub(crate) protection: i32,
    pub(crate) origin: Origin,
}

/// The mappings of all objects, by address.
pub(crate) fn pieces(objects: &[Object<'_>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        for segment in object.elf().loads() {
            add(&mut pieces, index, object, segment);
        }
    }
    pieces
}

fn add(pieces: &mut Vec<Piece>, index: usize, object: &Object<'_>, segment: &Segment) {
    let start = page_down(segment.vaddr);
    let end = page_up(segment.end());
    let filled = if segment.file_size == 0 {
        start
    } else {
        page_up(segment.file_end())
    };
    let (origin, split) = if !segment.is_writable() {
        let offset = object.source.start + page_down(segment.offset);
        (Origin::Original(index, offset), filled)
    } else if end - filled <= SMALL_BSS {
        (Origin::Master, end)
    } else {
        (Origin::Master, filled)
    };
    for (from, to, origin) in [(start, split, origin), (split, end, Origin::Nothing)] {
        let piece = Piece {
            start: object.offset + from,
            length: to - from,
            protection: protection(segment),
            origin,
        };
        match pieces.last_mut() {
            _ if piece.length == 0 => {}
            Some(last) if continues(last, &piece) => last.take_in(&piece),
            _ => pieces.push(piece),
        }
    }
}

impl Piece {
    /// Makes this mapping show what the next one would, too.
    fn take_in(&mut self, next: &Piece) {
        self.length = next.start + next.length - self.start;
        self.protection |= next.protection;
    }
}

/// Whether one mapping can show both, and what lies between them in the file.
fn continues(last: &Piece, next: &Piece) -> bool {
    match (last.origin, next.origin) {
        (Origin::Master, Origin::Master) => {
            last.start + last.length == next.start && last.protection == next.protection
        }
        (Origin::Original(object, from), Origin::Original(other, to)) => {
            object == other && to.checked_sub(from) == next.start.checked_sub(last.start)
        }
        _ => false,
    }
}

/// Protection of a segment for mmap.
fn protection(segment: &Segment) -> i32 {
    let pairs = [
        (abi::PF_R, libc::PROT_READ),
        (abi::PF_W, libc::PROT_WRITE),
        (abi::PF_X, libc::PROT_EXEC),
    ];
    pairs
        .iter()
        .filter(|(flag, _)| segment.flags & flag != 0)
        .fold(0, |all, (_, bit)| all | bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::PAGE;

    const READ: i32 = libc::PROT_READ;
    const CODE: i32 = libc::PROT_READ | libc::PROT_EXEC;

    fn piece(pages: std::ops::Range<u64>, protection: i32, origin: Origin) -> Piece {
        Piece {
            start: pages.start * PAGE,
            length: (pages.end - pages.start) * PAGE,
            protection,
            origin,
        }
    }

    fn file(object: usize, page: u64) -> Origin {
        Origin::Original(object, page * PAGE)
    }

    #[test]
    fn segments_that_keep_their_distance_in_the_file_are_one_mapping() {
        let mut headers = piece(10..12, READ, file(0, 0));
        let code = piece(12..15, CODE, file(0, 2));
        let constants = piece(20..21, READ, file(0, 10));
        for next in [code, constants] {
            assert!(continues(&headers, &next));
            headers.take_in(&next);
        }
        assert_eq!(
            (headers.start, headers.length, headers.protection),
            (10 * PAGE, 11 * PAGE, CODE)
        );
    }

    #[test]
    fn other_pieces_stay_apart() {
        let headers = piece(10..12, READ, file(0, 0));
        for next in [
            // Shifted by a page: the page in between is there twice.
            piece(12..15, CODE, file(0, 1)),
            piece(12..15, CODE, file(1, 2)),
            piece(12..15, READ, Origin::Master),
            piece(12..15, READ, Origin::Nothing),
        ] {
            assert!(!continues(&headers, &next), "{next:?}");
        }
        let data = piece(10..12, READ, Origin::Master);
        assert!(continues(&data, &piece(12..13, READ, Origin::Master)));
        assert!(!continues(&data, &piece(13..14, READ, Origin::Master)));
        assert!(!continues(&data, &piece(12..13, CODE, Origin::Master)));
    }
}
