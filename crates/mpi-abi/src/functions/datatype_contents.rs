//! Decoding a datatype: its constructor and its arguments.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi::datatype::{Combiner, Contents};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{ArrayMut, Number, Out, length_of};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::{MPI_Aint, MPI_Count, MPI_Datatype};

/// The numbers of arguments: integers, addresses, large counts, datatypes.
type Numbers = [usize; 4];

fn numbers_of(contents: &Contents) -> Numbers {
    [
        contents.integer_arguments().len(),
        contents.address_arguments().len(),
        contents.count_arguments().len(),
        contents.datatypes().len(),
    ]
}

/// Fails for a datatype with large counts, if the function cannot express them.
fn check_narrow(contents: &Contents) -> Outcome {
    if contents.count_arguments().is_empty() {
        return Ok(());
    }
    let reason = "datatype was made with large counts: call the function whose name ends in _c";
    Err(CallError::new(ErrorClass::Type, reason))
}

fn set_number<C: Number>(place: Out<C>, name: &str, number: usize) -> Outcome {
    match C::narrow(number as i64) {
        Some(number) => place.set(name, number),
        None => {
            let reason =
                format!("{name} is {number}, which does not fit: call the function whose name ends in _c");
            Err(CallError::new(ErrorClass::ValueTooLarge, reason))
        }
    }
}

/// `MPI_Type_get_envelope`: the constructor, and how many arguments it had.
#[mpi]
fn type_get_envelope(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    num_integers: Out<c_int>,
    num_addresses: Out<c_int>,
    num_datatypes: Out<c_int>,
    combiner: Out<c_int>,
) -> Outcome {
    let datatype = rank.any_datatype("datatype", datatype)?;
    let contents = datatype.contents();
    contents.map_or(Ok(()), check_narrow)?;
    let [integers, addresses, _, datatypes] = contents.map_or(Numbers::default(), numbers_of);
    set_number(num_integers, "num_integers", integers)?;
    set_number(num_addresses, "num_addresses", addresses)?;
    set_number(num_datatypes, "num_datatypes", datatypes)?;
    combiner.set(
        "combiner",
        contents.map_or(Combiner::Named, Contents::combiner) as c_int,
    )
}

/// `MPI_Type_get_envelope_c`: the constructor, and how many arguments it had, large counts included.
#[mpi]
fn type_get_envelope_c(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    num_integers: Out<MPI_Count>,
    num_addresses: Out<MPI_Count>,
    num_large_counts: Out<MPI_Count>,
    num_datatypes: Out<MPI_Count>,
    combiner: Out<c_int>,
) -> Outcome {
    let datatype = rank.any_datatype("datatype", datatype)?;
    let contents = datatype.contents();
    let [integers, addresses, counts, datatypes] = contents.map_or(Numbers::default(), numbers_of);
    set_number(num_integers, "num_integers", integers)?;
    set_number(num_addresses, "num_addresses", addresses)?;
    set_number(num_large_counts, "num_large_counts", counts)?;
    set_number(num_datatypes, "num_datatypes", datatypes)?;
    combiner.set(
        "combiner",
        contents.map_or(Combiner::Named, Contents::combiner) as c_int,
    )
}

/// Copies a list of arguments to the caller's array, which has room for `room` of them.
fn give<T: Copy>(name: &str, values: &[T], room: impl Number, mut array: ArrayMut<T>) -> Outcome {
    let room = length_of(name, room)?;
    if room < values.len() {
        let needed = values.len();
        let reason =
            format!("{name} has room for {room} of {needed} values: ask MPI_Type_get_envelope first");
        return Err(CallError::new(ErrorClass::Arg, reason));
    }
    array.slice(name, values.len())?.copy_from_slice(values);
    Ok(())
}

/// Stores the handles of the datatypes that another one was made of: predefined ones as they are, others as new
/// handles.
fn give_datatypes(
    rank: Rank<'_>,
    contents: &Contents,
    room: impl Number,
    array: ArrayMut<MPI_Datatype>,
) -> Outcome {
    let handles: ResultOf<Vec<MPI_Datatype>> = contents
        .datatypes()
        .iter()
        .map(|datatype| rank.datatype_handle(datatype.clone()))
        .collect();
    give("array_of_datatypes", &handles?, room, array)
}

fn give_integers(contents: &Contents, max: impl Number, room: ArrayMut<c_int>) -> Outcome {
    give("array_of_integers", contents.integer_arguments(), max, room)
}

fn give_addresses(contents: &Contents, max: impl Number, room: ArrayMut<MPI_Aint>) -> Outcome {
    give("array_of_addresses", contents.address_arguments(), max, room)
}

#[cold]
fn named() -> Box<CallError> {
    let reason = "datatype is predefined and has a name: it was not made of anything (MPI_COMBINER_NAMED)";
    CallError::new(ErrorClass::Type, reason)
}

/// `MPI_Type_get_contents`: the arguments that a datatype was made with.
#[mpi]
fn type_get_contents(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    max_integers: c_int,
    max_addresses: c_int,
    max_datatypes: c_int,
    array_of_integers: ArrayMut<c_int>,
    array_of_addresses: ArrayMut<MPI_Aint>,
    array_of_datatypes: ArrayMut<MPI_Datatype>,
) -> Outcome {
    let datatype = rank.any_datatype("datatype", datatype)?;
    let contents = datatype.contents().ok_or_else(named)?;
    check_narrow(contents)?;
    give_integers(contents, max_integers, array_of_integers)?;
    give_addresses(contents, max_addresses, array_of_addresses)?;
    give_datatypes(rank, contents, max_datatypes, array_of_datatypes)
}

/// `MPI_Type_get_contents_c`: the arguments that a datatype was made with, large counts included.
#[mpi]
fn type_get_contents_c(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    max_integers: MPI_Count,
    max_addresses: MPI_Count,
    max_large_counts: MPI_Count,
    max_datatypes: MPI_Count,
    array_of_integers: ArrayMut<c_int>,
    array_of_addresses: ArrayMut<MPI_Aint>,
    array_of_large_counts: ArrayMut<MPI_Count>,
    array_of_datatypes: ArrayMut<MPI_Datatype>,
) -> Outcome {
    let datatype = rank.any_datatype("datatype", datatype)?;
    let contents = datatype.contents().ok_or_else(named)?;
    give_integers(contents, max_integers, array_of_integers)?;
    give_addresses(contents, max_addresses, array_of_addresses)?;
    give(
        "array_of_large_counts",
        contents.count_arguments(),
        max_large_counts,
        array_of_large_counts,
    )?;
    give_datatypes(rank, contents, max_datatypes, array_of_datatypes)
}
