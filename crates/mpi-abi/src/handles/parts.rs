//! Buffers with a part for each rank, for the vector collectives.

use simurgh_core::sync::Arc;
use simurgh_mpi::ErrorClass;
use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{MixedParts, Numbers, Parts, Source, Target};

use super::Rank;
use super::lookup::check_address;
use crate::arguments::{Array, Buffer, BufferMut, Number};
use crate::error::{CallError, ResultOf};
use crate::types::MPI_Datatype;

/// The places of the ranks' parts in a buffer.
pub(crate) enum Places {
    /// Parts of one datatype, at the places that the program's arrays give.
    Listed {
        counts: Numbers,
        displacements: Numbers,
        datatype: Datatype,
    },
    /// Parts of different datatypes.
    Mixed(Arc<MixedParts>),
}

#[cold]
fn too_far(displacement: i64) -> Box<CallError> {
    CallError::new(
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
        let counts = counts.counts("counts", "count", size)?;
        let displacements = displs.numbers("displs", size)?;
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
        let each = counts.slice("counts", size)?.iter();
        let datatypes = each
            .zip(types.slice("types", size)?)
            .map(|(&count, &datatype)| self.counted(count, datatype).map(|(_, datatype)| datatype));
        let (counts, displacements) = (counts.numbers("counts", size)?, displs.numbers("displs", size)?);
        let mixed = self
            .tables
            .mixed_parts
            .take(|mixed| mixed.describe(counts, displacements, datatypes))?;
        Ok(Places::Mixed(mixed))
    }
}

/// Fails on a null pointer for parts that have data.
fn check_parts(buffer: Buffer, places: &Places) -> ResultOf<()> {
    match places {
        Places::Listed { counts, datatype, .. } => {
            check_address(buffer, counts.before(counts.len()), datatype)
        }
        Places::Mixed(mixed) => mixed.places().try_for_each(|place| {
            // A displacement in bytes may be an address of its own, relative to MPI_BOTTOM.
            let relative = if place.displacement == 0 { place.count } else { 0 };
            check_address(buffer, relative, place.datatype)
        }),
    }
}

/// The parts of a buffer that is read.
pub(crate) fn sources(buffer: Buffer, places: Places) -> ResultOf<Parts<Source>> {
    check_parts(buffer, &places)?;
    // SAFETY:
    // - the program passed the buffer with these parts, and leaves it alone until the operation is complete.
    let source = |datatype| unsafe { Source::new(buffer.address(), 0, datatype) };
    Ok(match places {
        Places::Listed {
            counts,
            displacements,
            datatype,
        } => Parts::Listed(source(datatype), counts, displacements),
        Places::Mixed(mixed) => Parts::Mixed(source(Datatype::Basic(Basic::Byte)), mixed),
    })
}

/// The parts of a buffer that is written.
pub(crate) fn targets(buffer: BufferMut, places: Places) -> ResultOf<Parts<Target>> {
    check_parts(buffer.as_const(), &places)?;
    // SAFETY:
    // - the program passed the buffer with these parts, and leaves it alone until the operation is complete.
    let target = |datatype| unsafe { Target::new(buffer.address(), 0, datatype) };
    Ok(match places {
        Places::Listed {
            counts,
            displacements,
            datatype,
        } => Parts::Listed(target(datatype), counts, displacements),
        Places::Mixed(mixed) => Parts::Mixed(target(Datatype::Basic(Basic::Byte)), mixed),
    })
}
