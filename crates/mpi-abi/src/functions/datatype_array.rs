//! Datatypes of parts of multidimensional arrays.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi::datatype::{Combiner, Contents, Datatype, DistributedDim, Distribution, Order, SubarrayDim};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Array, Number, Out, length_of};
use crate::constants::{
    MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_NONE, MPI_ORDER_C,
    MPI_ORDER_FORTRAN,
};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::MPI_Datatype;

fn order_of(order: c_int) -> ResultOf<Order> {
    match order {
        MPI_ORDER_C => Ok(Order::C),
        MPI_ORDER_FORTRAN => Ok(Order::Fortran),
        _ => Err(CallError::new(
            ErrorClass::Arg,
            format!("order is {order}: pass MPI_ORDER_C or MPI_ORDER_FORTRAN"),
        )),
    }
}

/// A number that must not be zero.
fn positive(name: &str, number: impl Number) -> ResultOf<usize> {
    match length_of(name, number)? {
        0 => Err(CallError::new(
            ErrorClass::Arg,
            format!("{name} is 0: it must be positive"),
        )),
        number => Ok(number),
    }
}

fn distribution_of(distribution: c_int, argument: c_int) -> ResultOf<Distribution> {
    let argument = match argument {
        MPI_DISTRIBUTE_DFLT_DARG => None,
        _ if distribution == MPI_DISTRIBUTE_NONE => None,
        argument => Some(positive("array_of_dargs", argument)?),
    };
    match distribution {
        MPI_DISTRIBUTE_NONE => Ok(Distribution::None),
        MPI_DISTRIBUTE_BLOCK => Ok(Distribution::Block(argument)),
        MPI_DISTRIBUTE_CYCLIC => Ok(Distribution::Cyclic(argument)),
        _ => Err(CallError::new(
            ErrorClass::Arg,
            format!(
                "array_of_distribs has {distribution}: pass MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or \
                 MPI_DISTRIBUTE_NONE"
            ),
        )),
    }
}

/// `MPI_Type_create_subarray`: a block of an array.
#[mpi(large)]
fn type_create_subarray(
    rank: Rank<'_>,
    ndims: c_int,
    array_of_sizes: Array<Count>,
    array_of_subsizes: Array<Count>,
    array_of_starts: Array<Count>,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let dimensions = positive("ndims", ndims)?;
    let sizes = array_of_sizes.slice("array_of_sizes", dimensions)?;
    let subsizes = array_of_subsizes.slice("array_of_subsizes", dimensions)?;
    let starts = array_of_starts.slice("array_of_starts", dimensions)?;
    let spans: ResultOf<Vec<SubarrayDim>> = (0..dimensions)
        .map(|index| {
            Ok(SubarrayDim {
                size: positive("array_of_sizes", sizes[index])?,
                subsize: positive("array_of_subsizes", subsizes[index])?,
                start: length_of("array_of_starts", starts[index])?,
            })
        })
        .collect();
    let made = Datatype::subarray(&spans?, order_of(order)?, &old)?;
    let contents = Contents::new(Combiner::Subarray, <Count>::WIDTH)
        .integers([ndims])
        .counts(
            [sizes, subsizes, starts]
                .concat()
                .iter()
                .map(|number| number.wide()),
        )
        .integers([order])
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}

/// Fails unless the grid, which the caller has passed as `psizes`, has as many processes as `size` says.
fn check_grid(dimensions: &[DistributedDim], size: c_int, psizes: &[c_int]) -> Outcome {
    let grid = dimensions.iter().try_fold(1_usize, |product, dimension| {
        product.checked_mul(dimension.processes)
    });
    if grid == usize::try_from(size).ok() {
        return Ok(());
    }
    let reason = format!("array_of_psizes is {psizes:?}, whose product is not size, {size}");
    Err(CallError::new(ErrorClass::Arg, reason))
}

/// `MPI_Type_create_darray`: the part of a distributed array that one process of a grid owns.
#[mpi(large)]
fn type_create_darray(
    rank: Rank<'_>,
    size: c_int,
    rank_: c_int,
    ndims: c_int,
    array_of_gsizes: Array<Count>,
    array_of_distribs: Array<c_int>,
    array_of_dargs: Array<c_int>,
    array_of_psizes: Array<c_int>,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Outcome {
    newtype.check("newtype")?;
    let old = rank.any_datatype("oldtype", oldtype)?;
    let number = length_of("rank", rank_)?;
    if number >= positive("size", size)? {
        let reason = format!("rank is {rank_}: there are processes 0 to {}", size - 1);
        return Err(CallError::new(ErrorClass::Arg, reason));
    }
    let count = positive("ndims", ndims)?;
    let gsizes = array_of_gsizes.slice("array_of_gsizes", count)?;
    let distribs = array_of_distribs.slice("array_of_distribs", count)?;
    let dargs = array_of_dargs.slice("array_of_dargs", count)?;
    let psizes = array_of_psizes.slice("array_of_psizes", count)?;
    let dealt = |index: usize| {
        Ok(DistributedDim {
            size: positive("array_of_gsizes", gsizes[index])?,
            distribution: distribution_of(distribs[index], dargs[index])?,
            processes: positive("array_of_psizes", psizes[index])?,
        })
    };
    let dimensions = (0..count).map(dealt).collect::<ResultOf<Vec<DistributedDim>>>()?;
    check_grid(&dimensions, size, psizes)?;
    let made = Datatype::darray(number, &dimensions, order_of(order)?, &old)?;
    let contents = Contents::new(Combiner::Darray, <Count>::WIDTH)
        .integers([size, rank_, ndims])
        .counts(gsizes.iter().map(|number| number.wide()))
        .integers([distribs, dargs, psizes].concat())
        .integers([order])
        .of([old]);
    newtype.set("newtype", rank.datatype_handle(made.with_contents(contents))?)
}
