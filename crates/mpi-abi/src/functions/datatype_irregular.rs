//! Datatypes of blocks at any displacements, of one datatype or of several.

use simurgh_mpi::datatype::{Combiner, Contents, Datatype, Field};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Array, Number, Out, count_of, displacement_of, length_of};
use crate::error::{Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::MPI_Datatype;

/// The displacement and the length of each block, for the engine.
fn blocks<C: Number, D: Number>(displacements: &[D], lengths: &[C]) -> ResultOf<Vec<(isize, usize)>> {
    let pairs = displacements.iter().zip(lengths);
    pairs
        .map(|(&displacement, &length)| {
            Ok((
                displacement_of("displacement", displacement)?,
                length_of("blocklength", length)?,
            ))
        })
        .collect()
}

/// The displacements and the common length of blocks, for the engine. The length is checked even if there is no block.
fn blocks_of<C: Number, D: Number>(displacements: &[D], length: C) -> ResultOf<Vec<(isize, usize)>> {
    length_of("blocklength", length)?;
    blocks(displacements, &vec![length; displacements.len()])
}

/// The numbers of a list, in the width of the engine.
fn wide<N: Number>(numbers: &[N]) -> impl Iterator<Item = i64> {
    numbers.iter().map(|number| number.wide())
}

/// `MPI_Type_indexed`: blocks of several lengths, displaced by multiples of the extent.
#[mpi(large)]
fn type_indexed(
    rank: Rank<'_>,
    count: Count,
    array_of_blocklengths: Array<Count>,
    array_of_displacements: Array<Count>,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let blocks_count = count_of("count", count)?;
    let lengths = array_of_blocklengths.slice("array_of_blocklengths", blocks_count)?;
    let displacements = array_of_displacements.slice("array_of_displacements", blocks_count)?;
    let made = Datatype::indexed(blocks(displacements, lengths)?, &old)?;
    let contents = Contents::new(Combiner::Indexed, <Count>::WIDTH)
        .counts([count.wide()])
        .counts(wide(lengths))
        .counts(wide(displacements))
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}

/// `MPI_Type_create_hindexed`: blocks of several lengths, displaced by bytes.
#[mpi(large, formerly = type_hindexed)]
fn type_create_hindexed(
    rank: Rank<'_>,
    count: Count,
    array_of_blocklengths: Array<Count>,
    array_of_displacements: Array<Extent>,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let blocks_count = count_of("count", count)?;
    let lengths = array_of_blocklengths.slice("array_of_blocklengths", blocks_count)?;
    let displacements = array_of_displacements.slice("array_of_displacements", blocks_count)?;
    let made = Datatype::hindexed(blocks(displacements, lengths)?, &old)?;
    let contents = Contents::new(Combiner::Hindexed, <Count>::WIDTH)
        .counts([count.wide()])
        .counts(wide(lengths))
        .addresses(wide(displacements))
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}

/// `MPI_Type_create_indexed_block`: blocks of one length, displaced by multiples of the extent.
#[mpi(large)]
fn type_create_indexed_block(
    rank: Rank<'_>,
    count: Count,
    blocklength: Count,
    array_of_displacements: Array<Count>,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let displacements = array_of_displacements.slice("array_of_displacements", count_of("count", count)?)?;
    let made = Datatype::indexed(blocks_of(displacements, blocklength)?, &old)?;
    let contents = Contents::new(Combiner::IndexedBlock, <Count>::WIDTH)
        .counts([count.wide(), blocklength.wide()])
        .counts(wide(displacements))
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}

/// `MPI_Type_create_hindexed_block`: blocks of one length, displaced by bytes.
#[mpi(large)]
fn type_create_hindexed_block(
    rank: Rank<'_>,
    count: Count,
    blocklength: Count,
    array_of_displacements: Array<Extent>,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let displacements = array_of_displacements.slice("array_of_displacements", count_of("count", count)?)?;
    let made = Datatype::hindexed(blocks_of(displacements, blocklength)?, &old)?;
    let contents = Contents::new(Combiner::HindexedBlock, <Count>::WIDTH)
        .counts([count.wide(), blocklength.wide()])
        .addresses(wide(displacements))
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}

/// `MPI_Type_create_struct`: blocks of several lengths and datatypes, displaced by bytes.
#[mpi(large, formerly = type_struct)]
fn type_create_struct(
    rank: Rank<'_>,
    count: Count,
    array_of_blocklengths: Array<Count>,
    array_of_displacements: Array<Extent>,
    array_of_types: Array<MPI_Datatype>,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let blocks_count = count_of("count", count)?;
    let lengths = array_of_blocklengths.slice("array_of_blocklengths", blocks_count)?;
    let displacements = array_of_displacements.slice("array_of_displacements", blocks_count)?;
    let types = array_of_types.slice("array_of_types", blocks_count)?;
    let places = blocks(displacements, lengths)?.into_iter().zip(types);
    let fields: ResultOf<Vec<Field>> = places
        .map(|((offset, count), &handle)| {
            let datatype = rank.any_datatype("array_of_types", handle)?;
            Ok(Field {
                offset,
                count,
                datatype,
            })
        })
        .collect();
    let fields = fields?;
    let made = Datatype::structure(&fields)?;
    let contents = Contents::new(Combiner::Struct, <Count>::WIDTH)
        .counts([count.wide()])
        .counts(wide(lengths))
        .addresses(wide(displacements))
        .of(fields.into_iter().map(|field| field.datatype));
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}
