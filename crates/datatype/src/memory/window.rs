//! Data between users' buffers and windows of files.
//!
//! A file's view tiles the file with a datatype. A window is a part of the file that is held in memory. Data goes
//! between a buffer and the tiles in a window in one pass, layout to layout, by the same kernels as messages.

use std::ops::Range;
use std::slice;

use super::buffer::{Source, Target};
use super::transfer::{Side, move_segments};
use super::view::View;
use crate::datatype::{Datatype, Segment};

/// A datatype repeated without end, one extent apart. Its bytes are numbered in the order of the type map.
pub struct Tiling<'a> {
    datatype: &'a Datatype,
    view: View<'a>,
    ordered: bool,
}

/// A part of the file in memory: which bytes, counted from the beginning of the first tile.
struct Window {
    address: *mut u8,
    bytes: Range<isize>,
}

impl<'a> Tiling<'a> {
    /// The tiling with a datatype that has data. `ordered` is what [`Datatype::is_ordered`] has said of it.
    #[must_use]
    pub fn new(datatype: &'a Datatype, ordered: bool) -> Self {
        Self {
            datatype,
            view: View::endless(datatype),
            ordered,
        }
    }

    /// The segment that begins at byte `position`. `hint` is where an earlier search in a list of blocks ended; any
    /// value is correct.
    #[inline]
    #[must_use]
    pub fn at(&self, position: usize, hint: &mut usize) -> Segment {
        self.view.at(position, hint)
    }

    /// Where byte `position` lies.
    #[must_use]
    pub fn offset_of(&self, position: usize) -> isize {
        self.at(position, &mut 0).offset
    }

    /// The number of bytes before an offset, of an ordered tiling. Takes logarithmic time.
    #[must_use]
    pub fn position_at(&self, offset: isize) -> usize {
        let (size, extent) = (self.datatype.size(), self.datatype.extent());
        let within = offset - self.datatype.true_lb();
        if within <= 0 || extent <= 0 {
            return 0;
        }
        // The byte is in this tile or behind its data.
        let first = (within / extent) as usize * size;
        let (mut low, mut high) = (first, first + size);
        while low < high {
            let middle = low + (high - low) / 2;
            let segment = self.at(middle, &mut 0);
            // The rest of the block is skipped at once.
            if segment.offset >= offset {
                high = middle;
            } else {
                let left = (offset - segment.offset) as usize;
                low = middle + left.min(segment.head.min(high - middle)).max(1);
            }
        }
        low
    }

    /// Copies the data of `src` from byte `skip` on to the bytes `positions` of the tiling, in a window that begins at
    /// `origin`.
    ///
    /// # Panics
    ///
    /// When the tiling is not ordered, the source is too short, or a byte lies outside of the window.
    pub fn store(
        &self,
        (src, skip): (&Source, usize),
        positions: Range<usize>,
        window: &mut [u8],
        origin: isize,
    ) {
        if positions.is_empty() {
            return;
        }
        assert!(skip + positions.len() <= src.bytes(), "the source has the data");
        let window = Window {
            address: window.as_mut_ptr(),
            bytes: origin..origin + window.len() as isize,
        };
        let from = Side {
            base: src.address().cast_mut(),
            view: View::new(src.datatype(), src.count()),
            skip,
        };
        // SAFETY:
        // - the source has so many bytes behind `skip`, valid by the promise of its maker;
        // - `side` has checked that all positions lie within the window, which is borrowed.
        unsafe { move_segments(&from, &self.side(&positions, &window), positions.len()) };
    }

    /// Copies the bytes `positions` of the tiling, in a window that begins at `origin`, to the data of `dst` from byte
    /// `skip` on.
    ///
    /// # Panics
    ///
    /// When the tiling is not ordered, the target is too short, or a byte lies outside of the window.
    pub fn load(&self, window: &[u8], origin: isize, positions: Range<usize>, (dst, skip): (&Target, usize)) {
        if positions.is_empty() {
            return;
        }
        assert!(skip + positions.len() <= dst.bytes(), "the target has room");
        let window = Window {
            address: window.as_ptr().cast_mut(),
            bytes: origin..origin + window.len() as isize,
        };
        let to = Side {
            base: dst.address(),
            view: View::new(dst.datatype(), dst.count()),
            skip,
        };
        // SAFETY:
        // - as in `store`; the window is only read.
        unsafe { move_segments(&self.side(&positions, &window), &to, positions.len()) };
    }

    /// The bytes `positions`, as one end of a transfer.
    fn side(&self, positions: &Range<usize>, window: &Window) -> Side<'a> {
        assert!(self.ordered, "the first and the last byte are those at the ends");
        let (first, last) = (self.offset_of(positions.start), self.offset_of(positions.end - 1));
        assert!(
            window.bytes.start <= first && last < window.bytes.end,
            "all lies within the window"
        );
        Side {
            base: window.address.wrapping_offset(-window.bytes.start),
            view: View::endless(self.datatype),
            skip: positions.start,
        }
    }
}

/// The data as a slice, if it lies in one piece.
#[must_use]
pub fn slice_of(src: &Source) -> Option<&[u8]> {
    if src.bytes() == 0 {
        return Some(&[]);
    }
    // SAFETY:
    // - contiguous data is `bytes()` bytes from the address on, valid by the promise of the maker.
    src.is_contiguous()
        .then(|| unsafe { slice::from_raw_parts(src.address(), src.bytes()) })
}

/// The memory as a slice, if it lies in one piece.
#[must_use]
pub fn slice_of_mut(dst: &mut Target) -> Option<&mut [u8]> {
    if dst.bytes() == 0 {
        return Some(&mut []);
    }
    // SAFETY:
    // - as above; the operation that the target was made for is the only one that uses the memory.
    dst.is_contiguous()
        .then(|| unsafe { slice::from_raw_parts_mut(dst.address(), dst.bytes()) })
}

/// Some of the memory's bytes of data as a slice, if it lies in one piece.
///
/// # Panics
///
/// When the memory has fewer bytes.
#[must_use]
pub fn part_of_mut(dst: &mut Target, bytes: Range<usize>) -> Option<&mut [u8]> {
    assert!(
        bytes.start <= bytes.end && bytes.end <= dst.bytes(),
        "the bytes are there"
    );
    if bytes.is_empty() {
        return Some(&mut []);
    }
    // SAFETY:
    // - as above: the bytes lie within those of the target. Others may be in use by somebody else for the same
    //   operation.
    dst.is_contiguous()
        .then(|| unsafe { slice::from_raw_parts_mut(dst.address().add(bytes.start), bytes.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Basic;

    fn tile() -> Datatype {
        // Bytes 1, 2, 5, 6 of 8.
        let pairs = Datatype::vector(2, 2, 4, &Datatype::Basic(Basic::Byte)).unwrap();
        let shifted = Datatype::hindexed([(1, 1)], &pairs).unwrap();
        Datatype::resized(0, 8, &shifted).unwrap()
    }

    #[test]
    fn positions_and_offsets_are_inverse() {
        let tile = tile();
        assert!(tile.is_ordered());
        let tiling = Tiling::new(&tile, true);
        let expected: Vec<isize> = (0..5)
            .flat_map(|tile| [1, 2, 5, 6].map(|at| tile * 8 + at))
            .collect();
        for (position, &offset) in expected.iter().enumerate() {
            assert_eq!(tiling.offset_of(position), offset);
        }
        for offset in 0..40 {
            let before = expected.iter().filter(|&&at| at < offset).count();
            assert_eq!(tiling.position_at(offset), before, "{offset}");
        }
    }

    #[test]
    fn data_goes_through_a_window() {
        let tile = tile();
        let tiling = Tiling::new(&tile, true);
        let data = [1_u8, 2, 3, 4, 5, 6];
        let source = super::super::bytes_of(&data);
        let mut window = [0; 10];
        // Bytes 2 to 6 of the tiling lie at 5, 6, 9, 10 and 13.
        tiling.store((&source, 1), 2..7, &mut window, 5);
        assert_eq!(window, [2, 3, 0, 0, 4, 5, 0, 0, 6, 0]);
        let read = crate::memory::collect::<()>(6, |target| {
            tiling.load(&window, 5, 3..6, (target, 2));
            Ok(())
        });
        assert_eq!(read, Ok(vec![0, 0, 3, 4, 5, 0]));
    }

    #[test]
    fn parts_of_memory_in_one_piece_are_slices() {
        let read = crate::memory::collect::<()>(6, |target| {
            let mut memory = target.clone();
            part_of_mut(&mut memory, 2..4).ok_or(())?.fill(7);
            assert_eq!(part_of_mut(&mut memory, 6..6), Some(&mut [][..]));
            Ok(())
        });
        assert_eq!(read, Ok(vec![0, 0, 7, 7, 0, 0]));
    }

    #[test]
    #[should_panic(expected = "within the window")]
    fn nothing_is_written_beside_the_window() {
        let (tile, data) = (tile(), [0; 8]);
        let source = super::super::bytes_of(&data);
        Tiling::new(&tile, true).store((&source, 0), 0..5, &mut [0; 9], 0);
    }
}
