//! Filetypes: which values of a file a rank sees.

use super::Equivalence;
use simurgh_datatype::{Basic, Datatype, Field, Order, SubarrayDim};
use simurgh_mpi::{Error, ErrorClass, Result};

/// Which values of a file a rank sees: a tile, with which the file is covered from some place on (section 14.1.1 of the
/// standard). All counts are numbers of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filetype(Tile);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Tile {
    All,
    Blocks {
        blocks: Vec<(usize, usize)>,
        len: usize,
    },
    Subarray {
        sizes: Vec<usize>,
        subsizes: Vec<usize>,
        starts: Vec<usize>,
    },
}

impl Filetype {
    /// All values.
    #[must_use]
    pub fn all() -> Self {
        Self(Tile::All)
    }

    /// The first `block` of each `stride` values (`MPI_Type_vector`). The displacement of the view says where the
    /// values of a rank begin.
    #[must_use]
    pub fn strided(block: usize, stride: usize) -> Self {
        Self::blocks([(0, block)], stride)
    }

    /// Of each `len` values some blocks, each by its first value and its length, in ascending order
    /// (`MPI_Type_indexed`).
    #[must_use]
    pub fn blocks(blocks: impl IntoIterator<Item = (usize, usize)>, len: usize) -> Self {
        let blocks = blocks.into_iter().collect();
        Self(Tile::Blocks { blocks, len })
    }

    /// The block of a multidimensional array that has `subsizes` values from `starts` on, of `sizes` in each dimension;
    /// the last dimension varies fastest (`MPI_Type_create_subarray`).
    #[must_use]
    pub fn subarray(sizes: &[usize], subsizes: &[usize], starts: &[usize]) -> Self {
        Self(Tile::Subarray {
            sizes: sizes.to_vec(),
            subsizes: subsizes.to_vec(),
            starts: starts.to_vec(),
        })
    }

    /// The datatype, of values that have this one in the file.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] for a block that is not inside its tile or array; [`ErrorClass::Count`] for a tile that is
    /// larger than addresses reach.
    pub fn datatype(&self, etype: &Datatype) -> Result<Datatype> {
        match &self.0 {
            Tile::All => Ok(etype.clone()),
            Tile::Blocks { blocks, len } => tile_of_blocks(blocks, *len, etype),
            Tile::Subarray {
                sizes,
                subsizes,
                starts,
            } => {
                if sizes.is_empty() || [subsizes, starts].iter().any(|list| list.len() != sizes.len()) {
                    return Err(wrong(format!(
                        "the array has {} sizes, {} subsizes and {} starts: it needs one of each for a dimension",
                        sizes.len(),
                        subsizes.len(),
                        starts.len()
                    )));
                }
                let dimensions = sizes.iter().zip(subsizes).zip(starts);
                let dimensions =
                    dimensions.map(|((&size, &subsize), &start)| SubarrayDim { size, subsize, start });
                Datatype::subarray(&dimensions.collect::<Vec<_>>(), Order::C, etype)
            }
        }
    }
}

fn tile_of_blocks(blocks: &[(usize, usize)], len: usize, etype: &Datatype) -> Result<Datatype> {
    let mut end = 0;
    for &(first, count) in blocks {
        let next = first
            .checked_add(count)
            .filter(|&next| first >= end && next <= len);
        end = next.ok_or_else(|| {
            wrong(format!(
                "the block of {count} values from value {first} on is not inside the tile of {len} values, behind the \
                 blocks before it"
            ))
        })?;
    }
    let extent = isize::try_from(len)
        .ok()
        .and_then(|len| len.checked_mul(etype.extent()));
    let extent = extent.ok_or_else(|| {
        let message = format!("a tile of {len} values is larger than addresses reach");
        Error::new(ErrorClass::Count, message)
    })?;
    let blocks = blocks.iter().map(|&(first, count)| (first as isize, count));
    Datatype::resized(0, extent, &Datatype::indexed(blocks, etype)?)
}

#[cold]
fn wrong(message: String) -> Error {
    Error::new(ErrorClass::Arg, message)
}

/// The datatype of a value in a file: its elements, without the padding that it has in memory.
///
/// # Errors
///
/// [`ErrorClass::Type`] for values without bytes.
pub fn etype<T: Equivalence>() -> Result<Datatype> {
    let datatype = T::datatype();
    let mut fields: Vec<Field> = Vec::new();
    let mut bytes = 0;
    datatype
        .signature()
        .repeat(T::COUNT)
        .for_each(&mut |basic: Basic, count| {
            let datatype = Datatype::Basic(basic);
            fields.push(Field {
                offset: bytes as isize,
                count,
                datatype,
            });
            bytes += count * basic.size();
        });
    if bytes == 0 {
        let message = format!(
            "{} has no bytes: a file has no such values",
            std::any::type_name::<T>()
        );
        return Err(Error::new(ErrorClass::Type, message));
    }
    Ok(Datatype::record(&fields, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_no_padding_in_a_file() {
        let shape = |etype: Datatype| (etype.size(), etype.extent(), etype.is_contiguous());
        assert_eq!(shape(etype::<u16>().unwrap()), (2, 2, true));
        assert_eq!(shape(etype::<[[f64; 2]; 3]>().unwrap()), (48, 48, true));
        assert_eq!(etype::<[u8; 0]>().unwrap_err().class(), ErrorClass::Type);
    }

    #[test]
    fn tiles_have_the_extent_of_all_their_values() {
        let etype = etype::<u32>().unwrap();
        let shape = |filetype: Filetype| {
            let datatype = filetype.datatype(&etype).unwrap();
            (datatype.size(), datatype.extent())
        };
        assert_eq!(shape(Filetype::all()), (4, 4));
        assert_eq!(shape(Filetype::strided(2, 5)), (8, 20));
        assert_eq!(shape(Filetype::blocks([(1, 2), (4, 1)], 6)), (12, 24));
        assert_eq!(shape(Filetype::subarray(&[4, 5], &[2, 3], &[1, 2])), (24, 80));
    }

    #[test]
    fn blocks_outside_of_their_tile_are_refused() {
        let etype = etype::<u32>().unwrap();
        for (filetype, class) in [
            (Filetype::strided(3, 2), ErrorClass::Arg),
            (Filetype::blocks([(2, 2), (1, 1)], 6), ErrorClass::Arg),
            (Filetype::blocks([(usize::MAX, 2)], 6), ErrorClass::Arg),
            (Filetype::strided(1, usize::MAX), ErrorClass::Count),
            (Filetype::subarray(&[4], &[2], &[3]), ErrorClass::Arg),
            (Filetype::subarray(&[4, 4], &[2], &[3]), ErrorClass::Arg),
        ] {
            let refused = filetype.datatype(&etype).unwrap_err();
            assert_eq!(refused.class(), class, "{filetype:?}");
        }
    }
}
