//! Datatypes of elements at equal distances, and of other bounds.

use simurgh_mpi::datatype::{Combiner, Contents, Datatype};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Number, Out, count_of, displacement_of, length_of};
use crate::error::Outcome;
use crate::handles::Rank;
use crate::types::MPI_Datatype;

/// `MPI_Type_contiguous`: `count` elements in a row.
#[mpi(large)]
fn type_contiguous(
    rank: Rank<'_>,
    count: Count,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let made = Datatype::contiguous(count_of("count", count)?, &old)?;
    let contents = Contents::new(Combiner::Contiguous, <Count>::WIDTH)
        .counts([count.wide()])
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}

/// `MPI_Type_vector`: blocks whose starts are `stride` elements apart.
#[mpi(large)]
fn type_vector(
    rank: Rank<'_>,
    count: Count,
    blocklength: Count,
    stride: Count,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let made = Datatype::vector(
        count_of("count", count)?,
        length_of("blocklength", blocklength)?,
        displacement_of("stride", stride)?,
        &old,
    )?;
    let contents = Contents::new(Combiner::Vector, <Count>::WIDTH)
        .counts([count.wide(), blocklength.wide(), stride.wide()])
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}

/// `MPI_Type_create_hvector`: blocks whose starts are `stride` bytes apart.
#[mpi(large, formerly = type_hvector)]
fn type_create_hvector(
    rank: Rank<'_>,
    count: Count,
    blocklength: Count,
    stride: Extent,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let made = Datatype::hvector(
        count_of("count", count)?,
        length_of("blocklength", blocklength)?,
        displacement_of("stride", stride)?,
        &old,
    )?;
    let contents = Contents::new(Combiner::Hvector, <Count>::WIDTH)
        .counts([count.wide(), blocklength.wide()])
        .addresses([stride.wide()])
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}

/// `MPI_Type_create_resized`: the same data with other bounds.
#[mpi(large)]
fn type_create_resized(
    rank: Rank<'_>,
    oldtype: MPI_Datatype,
    lb: Extent,
    extent: Extent,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let made = Datatype::resized(
        displacement_of("lb", lb)?,
        displacement_of("extent", extent)?,
        &old,
    )?;
    let contents = Contents::new(Combiner::Resized, <Extent>::WIDTH)
        .addresses([lb.wide(), extent.wide()])
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}
