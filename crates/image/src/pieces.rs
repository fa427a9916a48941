//! The mappings that make an image.
//!
//! An image is a range of addresses in which the objects lie one behind the other, at the same distances in each rank.
//! Code and constants are mapped from the original files. Writable pages are mapped from the *master*, a file in
//! memory that all ranks share and in which everything stands that is the same in all of them: a page is a rank's own
//! only from its first change on. The kernel limits the number of mappings, so there are as few as can be.

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
            Some(last) if continues(last, &piece) => last.length += piece.length,
            _ => pieces.push(piece),
        }
    }
}

/// Whether one mapping can show both.
fn continues(last: &Piece, next: &Piece) -> bool {
    last.start + last.length == next.start
        && last.protection == next.protection
        && last.origin == next.origin
        && last.origin == Origin::Master
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
