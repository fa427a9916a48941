//! Buffers with a part for each rank, as the collectives take them.

use simurgh_mpi::ErrorClass;
use simurgh_mpi::datatype::Datatype;
use simurgh_mpi::memory::{Parts, Source, Target};

use super::Rank;
use super::lookup::check_address;
use crate::boundary::{Array, Buffer, BufferMut, Number, count_of};
use crate::fault::{Fault, ResultOf};
use crate::types::MPI_Datatype;

/// One rank's part of a buffer.
pub(crate) struct Part {
    /// Bytes from the buffer's address.
    offset: isize,
    count: usize,
    datatype: Datatype,
    /// Whether it may begin at an address of its own, relative to `MPI_BOTTOM`.
    absolute: bool,
}

impl Part {
    /// Refuses a buffer that is none.
    fn check(&self, buffer: Buffer) -> ResultOf<()> {
        let relative = if self.absolute { 0 } else { self.count };
        check_address(buffer, relative, &self.datatype)
    }
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
    ) -> ResultOf<Vec<Part>> {
        let datatype = self.datatype("datatype", datatype)?;
        let places = counts
            .slice("counts", size)?
            .iter()
            .zip(displs.slice("displs", size)?);
        places
            .map(|(&count, &displacement)| {
                let elements = isize::try_from(displacement.wide()).ok();
                let offset = elements.and_then(|elements| elements.checked_mul(datatype.extent()));
                let offset = offset.ok_or_else(|| too_far(displacement.wide()))?;
                Ok(Part {
                    offset,
                    count: count_of("count", count)?,
                    datatype: datatype.clone(),
                    absolute: false,
                })
            })
            .collect()
    }

    /// Parts of different datatypes, displaced by bytes.
    pub(crate) fn typed_parts<C: Number, D: Number>(
        self,
        size: usize,
        counts: &Array<C>,
        displs: &Array<D>,
        types: &Array<MPI_Datatype>,
    ) -> ResultOf<Vec<Part>> {
        let places = counts
            .slice("counts", size)?
            .iter()
            .zip(displs.slice("displs", size)?);
        places
            .zip(types.slice("types", size)?)
            .map(|((&count, &displacement), &datatype)| {
                let offset =
                    isize::try_from(displacement.wide()).map_err(|_| too_far(displacement.wide()))?;
                let datatype = self.datatype("datatype", datatype)?;
                Ok(Part {
                    offset,
                    count: count_of("count", count)?,
                    datatype,
                    absolute: offset != 0,
                })
            })
            .collect()
    }
}

/// The parts of a buffer that is read.
pub(crate) fn sources(buffer: Buffer, parts: Vec<Part>) -> ResultOf<Parts<Source>> {
    let parts: ResultOf<Box<[Source]>> = parts
        .into_iter()
        .map(|part| {
            part.check(buffer)?;
            let address = buffer.address().wrapping_offset(part.offset);
            // SAFETY:
            // - the program passed the buffer with these parts, and leaves it alone until the call returns.
            Ok(unsafe { Source::new(address, part.count, part.datatype) })
        })
        .collect();
    Ok(Parts::Each(parts?))
}

/// The parts of a buffer that is written.
pub(crate) fn targets(buffer: BufferMut, parts: Vec<Part>) -> ResultOf<Parts<Target>> {
    let parts: ResultOf<Box<[Target]>> = parts
        .into_iter()
        .map(|part| {
            part.check(buffer.as_const())?;
            let address = buffer.address().wrapping_offset(part.offset);
            // SAFETY:
            // - the program passed the buffer with these parts, and leaves it alone until the call returns.
            Ok(unsafe { Target::new(address, part.count, part.datatype) })
        })
        .collect();
    Ok(Parts::Each(parts?))
}
