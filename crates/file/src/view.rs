//! Views: which bytes of a file a rank sees.
//!
//! A view tiles the file with a datatype, from a displacement on. Positions count the bytes of data in the tiles, as
//! they are in memory. The datatype is never taken apart as a whole: [`Pieces`] walks it from any position on, in time
//! that is linear in the pieces walked, after a search in logarithmic time.

use simurgh_base::error::{Error, ErrorClass, Result};
use simurgh_datatype::memory::Tiling;
use simurgh_datatype::{Basic, Datatype, Segment};

use crate::hints::Sieving;
use crate::representation::Representation;

/// A view of a file.
#[derive(Clone, Debug)]
pub struct View {
    displacement: u64,
    etype: Datatype,
    filetype: Datatype,
    representation: Representation,
    /// Whether the bytes of the tiles lie in the file in the order of their positions.
    ordered: bool,
    /// Bytes in the file for so many bytes in memory.
    scale: (usize, usize),
    sieving: Sieving,
}

/// Contiguous bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Where they begin.
    pub offset: u64,
    /// Their number.
    pub len: usize,
}

/// The pieces of a file that hold some positions of a view, in the order of the positions.
pub struct Pieces<'a> {
    tiling: Tiling<'a>,
    hint: usize,
    position: usize,
    end: usize,
    /// The rest of the blocks that were found last.
    segment: Option<Segment>,
    displacement: u64,
    scale: (usize, usize),
    /// A piece that does not continue the one before.
    next: Option<Piece>,
}

impl Default for View {
    /// The view of a file that has just been opened: its bytes.
    fn default() -> Self {
        let byte = Datatype::Basic(Basic::Byte);
        Self {
            displacement: 0,
            etype: byte.clone(),
            filetype: byte,
            representation: Representation::Native,
            ordered: true,
            scale: (1, 1),
            sieving: Sieving::default(),
        }
    }
}

impl View {
    /// A view.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if the filetype does not consist of whole etypes; [`ErrorClass::Io`] if a type begins before
    /// its own place, or its displacements do not ascend;
    /// [`ErrorClass::UnsupportedDatarep`] if its data cannot be laid out in the representation; what a function of the
    /// program returns.
    pub fn new(
        displacement: u64,
        etype: Datatype,
        filetype: Datatype,
        representation: Representation,
    ) -> Result<Self> {
        check_types(&etype, &filetype)?;
        let scale = scale_of(&etype, &filetype, &representation)?;
        Ok(Self {
            displacement,
            ordered: filetype.is_ordered(),
            etype,
            filetype,
            representation,
            scale,
            sieving: Sieving::default(),
        })
    }

    /// The same view, whose gaps are dealt with like this.
    #[must_use]
    pub fn with_sieving(self, sieving: Sieving) -> Self {
        Self { sieving, ..self }
    }

    /// How the gaps between pieces are dealt with.
    #[must_use]
    pub fn sieving(&self) -> &Sieving {
        &self.sieving
    }

    /// Refuses a view through which some bytes would be written twice.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Io`] if the blocks of a tile overlap.
    pub fn check_writable(&self) -> Result<()> {
        match self.etype.overlaps_itself() || self.filetype.overlaps_itself() {
            true => Err(Error::new(
                ErrorClass::Io,
                "blocks of the etype or the filetype overlap, but the file was opened to be written",
            )),
            false => Ok(()),
        }
    }

    /// Where the first tile begins.
    #[must_use]
    pub fn displacement(&self) -> u64 {
        self.displacement
    }

    /// The unit of positions and accesses.
    #[must_use]
    pub fn etype(&self) -> &Datatype {
        &self.etype
    }

    /// The tile.
    #[must_use]
    pub fn filetype(&self) -> &Datatype {
        &self.filetype
    }

    /// The representation of the data.
    #[must_use]
    pub fn representation(&self) -> &Representation {
        &self.representation
    }

    /// Whether there are bytes in a tile that are not visible.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        self.filetype.size() != self.filetype.extent().cast_unsigned()
    }

    /// Whether nothing is visible.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filetype.size() == 0
    }

    /// Whether data of several views can be put together by their offsets: bytes are in the file as in memory, and in
    /// the order of their positions.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.ordered
            && matches!(
                self.representation,
                Representation::Native | Representation::Internal
            )
    }

    /// Bytes in the file for bytes in memory.
    #[must_use]
    pub fn in_file(&self, bytes: usize) -> usize {
        scaled(bytes, self.scale)
    }

    /// Bytes in memory for bytes in the file.
    #[must_use]
    pub fn in_memory(&self, bytes: usize) -> usize {
        scaled(bytes, (self.scale.1, self.scale.0))
    }

    /// The tiling.
    pub(crate) fn tiling(&self) -> Tiling<'_> {
        Tiling::new(&self.filetype, self.ordered)
    }

    /// Where a position lies in the file. A view in which nothing is visible has all positions at its beginning.
    #[must_use]
    pub fn offset_of(&self, position: usize) -> u64 {
        if self.is_empty() {
            return self.displacement;
        }
        self.displacement + offset(self.tiling().offset_of(position), self.scale)
    }

    /// The number of positions that lie before an offset in the file, if the view is ordered. Otherwise the number that
    /// lie in the tiles which end before it.
    #[must_use]
    pub fn position_at(&self, at: u64) -> usize {
        let within = at.saturating_sub(self.displacement);
        let within = scaled(
            usize::try_from(within).unwrap_or(usize::MAX),
            (self.scale.1, self.scale.0),
        );
        let within = isize::try_from(within).unwrap_or(isize::MAX);
        match (self.is_empty(), self.ordered) {
            (true, _) => 0,
            (false, true) => self.tiling().position_at(within),
            (false, false) => (within / self.filetype.extent().max(1)) as usize * self.filetype.size(),
        }
    }

    /// The pieces that hold so many bytes from a position on.
    #[must_use]
    pub fn pieces(&self, position: usize, bytes: usize) -> Pieces<'_> {
        let bytes = if self.is_empty() { 0 } else { bytes };
        Pieces {
            tiling: self.tiling(),
            hint: 0,
            position,
            end: position + bytes,
            segment: None,
            displacement: self.displacement,
            scale: self.scale,
            next: None,
        }
    }
}

fn check_types(etype: &Datatype, filetype: &Datatype) -> Result<()> {
    let has_data = filetype.size() > 0;
    let (class, reason) = if etype.size() == 0 {
        (ErrorClass::Arg, "the etype has no data")
    } else if !filetype.size().is_multiple_of(etype.size()) {
        let reason = "the filetype does not consist of whole etypes: their sizes do not fit";
        (ErrorClass::Arg, reason)
    } else if etype.true_lb() < 0 || has_data && filetype.true_lb() < 0 {
        (ErrorClass::Io, "a type has data before its beginning")
    } else if !etype.is_ascending() || !filetype.is_ascending() {
        (ErrorClass::Io, "the displacements in a type do not ascend")
    } else if has_data && filetype.extent() <= 0 {
        let reason = "the filetype has no extent, so that the file cannot be tiled with it";
        (ErrorClass::Arg, reason)
    } else {
        return Ok(());
    };
    Err(Error::new(class, reason))
}

/// Bytes in a file for so many bytes in memory, of data with these types.
fn scale_of(
    etype: &Datatype,
    filetype: &Datatype,
    representation: &Representation,
) -> Result<(usize, usize)> {
    let (wide, narrow) = match representation {
        Representation::Native | Representation::Internal => return Ok((1, 1)),
        Representation::External32 => {
            let external = |datatype| simurgh_datatype::external32::size(1, datatype).unwrap_or(0);
            let (wide, narrow) = (external(etype), etype.size());
            if external(filetype) * narrow != filetype.size() * wide {
                return Err(unlike(representation));
            }
            (wide, narrow)
        }
        Representation::User(conversion) => {
            let extent = etype.extent().max(1).cast_unsigned();
            (conversion.extent(etype)?, extent)
        }
    };
    if wide == 0 {
        return Err(unlike(representation));
    }
    Ok((wide, narrow))
}

#[cold]
fn unlike(representation: &Representation) -> Error {
    let name = representation.name();
    Error::new(
        ErrorClass::UnsupportedDatarep,
        format!(
            "the elements of the filetype do not all change their sizes alike in the representation \"{name}\": \
             make the view of elements of one kind"
        ),
    )
}

fn scaled(bytes: usize, (wide, narrow): (usize, usize)) -> usize {
    if wide == narrow {
        return bytes;
    }
    let product = bytes as u128 * wide as u128 / narrow as u128;
    usize::try_from(product).unwrap_or(usize::MAX)
}

/// The place in a file of a byte of the tiling.
fn offset(of_tiling: isize, scale: (usize, usize)) -> u64 {
    scaled(of_tiling.max(0).cast_unsigned(), scale) as u64
}

impl Pieces<'_> {
    /// The next block of the datatype.
    fn block(&mut self) -> Option<Piece> {
        if self.position == self.end {
            return None;
        }
        let segment = match self.segment {
            Some(segment) => segment,
            None => self.tiling.at(self.position, &mut self.hint),
        };
        let len = segment.head.min(self.end - self.position);
        self.position += len;
        self.segment = (segment.count > 1).then(|| Segment {
            offset: segment.offset + segment.stride - (segment.len - segment.head) as isize,
            head: segment.len,
            count: segment.count - 1,
            ..segment
        });
        Some(Piece {
            offset: self.displacement + offset(segment.offset, self.scale),
            len: scaled(len, self.scale),
        })
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let mut piece = self.next.take().or_else(|| self.block())?;
        while let Some(next) = self.block() {
            if next.offset == piece.offset + piece.len as u64 {
                piece.len += next.len;
            } else {
                self.next = Some(next);
                break;
            }
        }
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int() -> Datatype {
        Datatype::Basic(Basic::Int)
    }

    fn pieces(view: &View, position: usize, bytes: usize) -> Vec<(u64, usize)> {
        view.pieces(position, bytes)
            .map(|piece| (piece.offset, piece.len))
            .collect()
    }

    #[test]
    fn a_file_without_a_view_is_one_piece() {
        let view = View::default();
        assert_eq!(pieces(&view, 7, 1 << 40), [(7, 1 << 40)]);
        assert_eq!((view.offset_of(5), view.position_at(5)), (5, 5));
        assert_eq!(pieces(&view, 7, 0), []);
    }

    #[test]
    fn pieces_are_those_of_the_tiles() {
        let pairs = Datatype::vector(2, 2, 3, &int()).unwrap();
        let tile = Datatype::resized(0, 24, &pairs).unwrap();
        let view = View::new(100, int(), tile, Representation::Native).unwrap();
        assert_eq!(pieces(&view, 4, 20), [(104, 4), (112, 8), (124, 8)]);
        assert_eq!(pieces(&view, 6, 3), [(106, 2), (112, 1)]);
        for position in 0..40 {
            assert_eq!(view.position_at(view.offset_of(position)), position);
        }
        assert_eq!((view.position_at(0), view.position_at(109)), (0, 8));
    }

    #[test]
    fn types_that_do_not_fit_are_refused() {
        let class = |etype, filetype| {
            let view = View::new(0, etype, filetype, Representation::Native);
            view.map(drop).map_err(|error| error.class())
        };
        let bytes = Datatype::contiguous(6, &Datatype::Basic(Basic::Byte)).unwrap();
        assert_eq!(class(int(), bytes), Err(ErrorClass::Arg));
        let before = Datatype::hindexed([(-4, 2)], &int()).unwrap();
        assert_eq!(class(int(), before), Err(ErrorClass::Io));
        let falling = Datatype::hindexed([(8, 1), (0, 1)], &int()).unwrap();
        assert_eq!(class(int(), falling), Err(ErrorClass::Io));
        let twice = Datatype::hindexed([(0, 2), (4, 1)], &int()).unwrap();
        let twice = View::new(0, int(), twice, Representation::Native).unwrap();
        assert!(twice.check_writable().is_err() && View::default().check_writable().is_ok());
        let nothing = Datatype::contiguous(0, &int()).unwrap();
        assert_eq!(class(int(), nothing.clone()), Ok(()));
        assert_eq!(class(nothing.clone(), nothing), Err(ErrorClass::Arg));
    }

    #[test]
    fn longs_are_half_as_long_in_external32() {
        let long = Datatype::Basic(Basic::Long);
        let pairs = Datatype::vector(2, 1, 2, &long).unwrap();
        let view = View::new(3, long.clone(), pairs, Representation::External32).unwrap();
        assert_eq!(pieces(&view, 0, 24), [(3, 4), (11, 8)]);
        assert_eq!((view.in_file(16), view.in_memory(8)), (8, 16));
        let mixed = Datatype::hindexed([(0, 1)], &int()).unwrap();
        assert_eq!(
            View::new(0, int(), mixed, Representation::External32)
                .unwrap()
                .in_file(4),
            4
        );
    }
}
