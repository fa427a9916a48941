//! Buffers with a part for each rank, as the collectives take them.

use simurgh_mpi::ErrorClass;
use simurgh_mpi::datatype::Datatype;
use simurgh_mpi::memory::{Numbers, Parts, Source, Target};

use super::Rank;
use super::lookup::check_address;
use crate::boundary::{Array, Buffer, BufferMut, Number, count_of};
use crate::fault::{Fault, ResultOf};
use crate::types::MPI_Datatype;

/// Where the ranks' parts of a buffer lie in it.
pub(crate) enum Places {
    /// As the program's arrays say.
    Listed {
        counts: Numbers,
        displacements: Numbers,
        datatype: Datatype,
    },
    /// Each part by itself.
    Each(Vec<Part>),
}

/// One rank's part of a buffer.
pub(crate) struct Part {
    /// Bytes from the buffer's address.
    offset: isize,
    count: usize,
    datatype: Datatype,
}

#[cold]
fn too_far(displacement: i64) -> Box<Fault> {
    Fault::new(
        ErrorClass::Arg,
        format!("displacement {displacement} is more than an address can reach"),
    )
}

impl Rank<'_> {
    /// Parts of one datatype, displaced by multiples of its extent.
    pub(crate) fn parts<C: Number, D: Number>(
        self,
        size: usize,
        counts: &Array<C>,
        displs: &Array<D>,
        datatype: MPI_Datatype,
    ) -> ResultOf<Places> {
        let datatype = self.datatype("datatype", datatype)?;
        let (counts, displacements) = (counts.numbers("counts", size)?, displs.numbers("displs", size)?);
        for count in counts.iter() {
            count_of("count", count)?;
        }
        let reach = |elements: i64| isize::try_from(elements).ok()?.checked_mul(datatype.extent());
        if let Some(far) = displacements.iter().find(|elements| reach(*elements).is_none()) {
            return Err(too_far(far));
        }
        Ok(Places::Listed {
            counts,
            displacements,
            datatype,
        })
    }

    /// Parts of different datatypes, displaced by bytes.
    pub(crate) fn typed_parts<C: Number, D: Number>(
        self,
        size: usize,
        counts: &Array<C>,
        displs: &Array<D>,
        types: &Array<MPI_Datatype>,
    ) -> ResultOf<Places> {
        let places = counts
            .slice("counts", size)?
            .iter()
            .zip(displs.slice("displs", size)?);
        let parts: ResultOf<Vec<Part>> = places
            .zip(types.slice("types", size)?)
            .map(|((&count, &displacement), &datatype)| {
                let offset =
                    isize::try_from(displacement.wide()).map_err(|_| too_far(displacement.wide()))?;
                let (count, datatype) = self.counted(count, datatype)?;
                Ok(Part {
                    offset,
                    count,
                    datatype,
                })
            })
            .collect();
        Ok(Places::Each(parts?))
    }
}

/// Refuses the null pointer for parts that have data.
fn check_parts(buffer: Buffer, places: &Places) -> ResultOf<()> {
    match places {
        Places::Listed { counts, datatype, .. } => {
            check_address(buffer, counts.before(counts.len()), datatype)
        }
        Places::Each(parts) => parts.iter().try_for_each(|part| {
            // A part displaced by bytes may have an address of its own, relative to MPI_BOTTOM.
            let relative = if part.offset == 0 { part.count } else { 0 };
            check_address(buffer, relative, &part.datatype)
        }),
    }
}

/// The parts of a buffer that is read.
pub(crate) fn sources(buffer: Buffer, places: Places) -> ResultOf<Parts<Source>> {
    check_parts(buffer, &places)?;
    // SAFETY:
    // - the program passed the buffer with these parts, and leaves it alone until the operation is complete.
    let source = |offset, count, datatype| unsafe {
        Source::new(buffer.address().wrapping_offset(offset), count, datatype)
    };
    Ok(match places {
        Places::Listed {
            counts,
            displacements,
            datatype,
        } => Parts::Listed(source(0, 0, datatype), counts, displacements),
        Places::Each(parts) => {
            let parts = parts.into_iter();
            Parts::Each(
                parts
                    .map(|part| source(part.offset, part.count, part.datatype))
                    .collect(),
            )
        }
    })
}

/// The parts of a buffer that is written.
pub(crate) fn targets(buffer: BufferMut, places: Places) -> ResultOf<Parts<Target>> {
    check_parts(buffer.as_const(), &places)?;
    // SAFETY:
    // - the program passed the buffer with these parts, and leaves it alone until the operation is complete.
    let target = |offset, count, datatype| unsafe {
        Target::new(buffer.address().wrapping_offset(offset), count, datatype)
    };
    Ok(match places {
        Places::Listed {
            counts,
            displacements,
            datatype,
        } => Parts::Listed(target(0, 0, datatype), counts, displacements),
        Places::Each(parts) => {
            let parts = parts.into_iter();
            Parts::Each(
                parts
                    .map(|part| target(part.offset, part.count, part.datatype))
                    .collect(),
            )
        }
    })
}
