//! Parts of multidimensional arrays: subarrays, and the part that a process of a grid owns of a distributed array.

use std::borrow::Cow;

use super::Datatype;
use super::builder::DataloopBuilder;
use super::dataloop::Dataloop;
use super::layout::{Bounds, Outline, fitting, too_large};
use simurgh_base::error::{Error, ErrorClass, Result};

/// Which dimension of an array varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The last.
    C,
    /// The first.
    Fortran,
}

/// One dimension of a block of an array.
#[derive(Clone, Copy, Debug)]
pub struct SubarrayDim {
    /// Elements of the array.
    pub size: usize,
    /// Elements of the block.
    pub subsize: usize,
    /// The first element of the block.
    pub start: usize,
}

/// How one dimension of an array is distributed over the processes along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Not distributed: each process has all of it.
    None,
    /// One block for each process, of the given number of elements or of the least number that covers the dimension.
    Block(Option<usize>),
    /// Blocks of the given number of elements, or of one, that go to the processes in turn.
    Cyclic(Option<usize>),
}

/// One dimension of a distributed array.
#[derive(Clone, Copy, Debug)]
pub struct DistributedDim {
    /// Elements of the array.
    pub size: usize,
    /// How they are distributed.
    pub distribution: Distribution,
    /// Processes along this dimension.
    pub processes: usize,
}

impl Datatype {
    /// A block of an array, with the bounds of the array (`MPI_Type_create_subarray`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if the block is not inside the array; [`ErrorClass::Count`] if the array is larger than the
    /// address space.
    pub fn subarray(dimensions: &[SubarrayDim], order: Order, element: &Datatype) -> Result<Datatype> {
        let mut array = ArrayBuilder::new(element);
        for (index, dimension) in in_order(dimensions, order) {
            let SubarrayDim { size, subsize, start } = *dimension;
            if subsize == 0 || subsize > size || start > size - subsize {
                return Err(Error::new(
                    ErrorClass::Arg,
                    format!(
                        "dimension {index} has {size} elements, of which no {subsize} begin at {start}: \
                         1 <= subsize and start + subsize <= size must hold"
                    ),
                ));
            }
            array.grow(
                size,
                &[OwnedBlocks {
                    first: start,
                    len: subsize,
                    count: 1,
                    step: 0,
                }],
            )?;
        }
        array.finish()
    }

    /// The part of an array that the process `rank` of a grid owns (`MPI_Type_create_darray`). The processes are
    /// numbered with the last dimension of the grid varying fastest, whatever the order of the array.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if a block distribution does not cover its dimension, or one without distribution has
    /// several processes; [`ErrorClass::Count`] if the array is larger than the address space.
    pub fn darray(
        rank: usize,
        dimensions: &[DistributedDim],
        order: Order,
        element: &Datatype,
    ) -> Result<Datatype> {
        let mut coordinates = vec![0; dimensions.len()];
        let mut rest = rank;
        for (coordinate, dimension) in coordinates.iter_mut().zip(dimensions).rev() {
            *coordinate = rest % dimension.processes;
            rest /= dimension.processes;
        }
        let mut array = ArrayBuilder::new(element);
        for (index, dimension) in in_order(dimensions, order) {
            let owned = dimension
                .owned(coordinates[index])
                .map_err(|reason| Error::new(ErrorClass::Arg, format!("dimension {index}: {reason}")))?;
            array.grow(dimension.size, &owned)?;
        }
        array.finish()
    }
}

/// The dimensions from the fastest to the slowest, with their numbers.
fn in_order<T>(dimensions: &[T], order: Order) -> Box<dyn Iterator<Item = (usize, &T)> + '_> {
    let numbered = dimensions.iter().enumerate();
    match order {
        Order::C => Box::new(numbered.rev()),
        Order::Fortran => Box::new(numbered),
    }
}

/// Blocks of a dimension: `count` blocks of `len` elements each, whose starts are `step` elements apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OwnedBlocks {
    first: usize,
    len: usize,
    count: usize,
    step: usize,
}

impl DistributedDim {
    /// The blocks that the process at `coordinate` owns: the whole ones, and the last, shorter one, if it is its own.
    fn owned(&self, coordinate: usize) -> std::result::Result<Vec<OwnedBlocks>, String> {
        let Self { size, processes, .. } = *self;
        match self.distribution {
            Distribution::None if processes != 1 => Err(format!(
                "it is not distributed (MPI_DISTRIBUTE_NONE), but has {processes} processes, not 1"
            )),
            Distribution::None => Ok(owned_blocks(size, size, 1, 0)),
            Distribution::Block(len) => {
                let len = len.unwrap_or(size.div_ceil(processes));
                if len.saturating_mul(processes) < size {
                    return Err(format!(
                        "blocks of {len} for {processes} processes do not cover {size} elements"
                    ));
                }
                Ok(owned_blocks(size, len, processes, coordinate))
            }
            Distribution::Cyclic(len) => Ok(owned_blocks(size, len.unwrap_or(1), processes, coordinate)),
        }
    }
}

/// The blocks of `len` elements that the process at `coordinate` is dealt of `size` elements.
fn owned_blocks(size: usize, len: usize, processes: usize, coordinate: usize) -> Vec<OwnedBlocks> {
    let step = len.saturating_mul(processes);
    let first = len.saturating_mul(coordinate);
    let rounds = size / step;
    let rest = (size % step).saturating_sub(first).min(len);
    let (count, partial) = match rest == len {
        true => (rounds + 1, 0),
        false => (rounds, rest),
    };
    let last = OwnedBlocks {
        first: first.saturating_add(rounds.saturating_mul(step)),
        len: partial,
        count: 1,
        step: 0,
    };
    let whole = OwnedBlocks {
        first,
        len,
        count,
        step,
    };
    [whole, last]
        .into_iter()
        .filter(|owned| owned.len * owned.count > 0)
        .collect()
}

/// Builds the datatype of a part of an array, dimension by dimension, the fastest first.
struct ArrayBuilder<'a> {
    element: Outline<'a>,
    dataloop: Dataloop,
    /// Elements chosen so far.
    chosen: usize,
    /// Elements of the array so far.
    elements: usize,
}

impl<'a> ArrayBuilder<'a> {
    fn new(element: &'a Datatype) -> Self {
        let element = element.outline();
        Self {
            dataloop: element.dataloop.clone().into_owned(),
            element,
            chosen: 1,
            elements: 1,
        }
    }

    /// Adds a dimension of `size` elements, of which the given blocks are chosen.
    fn grow(&mut self, size: usize, owned: &[OwnedBlocks]) -> Result<()> {
        let stride = self.element.bounds.extent() * self.elements as isize;
        let far = || too_large("the elements of the array");
        self.elements = self.elements.checked_mul(size).ok_or_else(far)?;
        fitting(self.elements, self.element.bounds.extent().unsigned_abs()).ok_or_else(far)?;
        fitting(self.elements, self.element.dataloop.size()).ok_or_else(far)?;
        let mut builder = DataloopBuilder::default();
        for owned in owned {
            let block = self.dataloop.repeat(owned.len, stride);
            let blocks = block.repeat(owned.count, stride.saturating_mul(owned.step as isize));
            builder.push(stride * owned.first as isize, &blocks);
        }
        self.dataloop = builder.finish();
        self.chosen *= owned.iter().map(|owned| owned.len * owned.count).sum::<usize>();
        Ok(())
    }

    fn finish(self) -> Result<Datatype> {
        let bounds = Bounds {
            lb: 0,
            ub: self.element.bounds.extent() * self.elements as isize,
        };
        Ok(Datatype::of(Outline {
            dataloop: Cow::Owned(self.dataloop),
            bounds,
            marked: true,
            alignment: self.element.alignment,
            signature: self.element.signature.repeat(self.chosen),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_dealt_in_turn() {
        for (size, len, processes) in [(10, 3, 2), (7, 1, 3), (12, 4, 3), (5, 8, 2), (13, 2, 4)] {
            let mut owner = vec![usize::MAX; size];
            for coordinate in 0..processes {
                for owned in owned_blocks(size, len, processes, coordinate) {
                    for block in 0..owned.count {
                        for index in 0..owned.len {
                            owner[owned.first + block * owned.step + index] = coordinate;
                        }
                    }
                }
            }
            let expected: Vec<usize> = (0..size).map(|index| index / len % processes).collect();
            assert_eq!(owner, expected, "{size} in blocks of {len} for {processes}");
        }
    }

    #[test]
    fn a_block_of_whole_rows_is_one_run() {
        let rows = [
            SubarrayDim {
                size: 8,
                subsize: 2,
                start: 3,
            },
            SubarrayDim {
                size: 10,
                subsize: 10,
                start: 0,
            },
        ];
        let int = Datatype::Basic(crate::datatype::Basic::Int);
        let block = Datatype::subarray(&rows, Order::C, &int).unwrap();
        assert_eq!(*block.dataloop(), Dataloop::Contiguous { offset: 120, len: 80 });
        assert_eq!((block.lb(), block.extent()), (0, 320));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let int = Datatype::Basic(crate::datatype::Basic::Int);
        let dimension = SubarrayDim {
            size: 4,
            subsize: 3,
            start: 2,
        };
        assert!(Datatype::subarray(&[dimension], Order::C, &int).is_err());
        let dimension = |distribution| DistributedDim {
            size: 9,
            distribution,
            processes: 2,
        };
        for distribution in [Distribution::Block(Some(4)), Distribution::None] {
            assert!(Datatype::darray(0, &[dimension(distribution)], Order::C, &int).is_err());
        }
    }
}
