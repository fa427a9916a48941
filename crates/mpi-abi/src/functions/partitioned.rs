//! Partitioned communication.

use std::ffi::c_int;
use std::ops::Range;

use simurgh_mpi::{ErrorClass, Result};
use simurgh_mpi_abi_macros::mpi;

use super::nonblocking::give_out;
use crate::arguments::{Array, Buffer, BufferMut, Out, count_of};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{Rank, RequestEntry};
use crate::types::{MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Request};

/// The number of partitions, and the number of elements in all of them.
fn whole(partitions: c_int, count: MPI_Count) -> ResultOf<(usize, MPI_Count)> {
    let number = count_of("partitions", partitions)?;
    count_of("count", count)?;
    let total = count.checked_mul(i64::from(partitions)).ok_or_else(|| {
        let reason = format!("{partitions} partitions of {count} elements are more than 63 bits can count");
        CallError::new(ErrorClass::Count, reason)
    })?;
    Ok((number, total))
}

/// `MPI_Psend_init`: sets up a partitioned send.
#[mpi(raises = comm)]
fn psend_init(
    rank: Rank<'_>,
    buf: Buffer,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    rank.hints(info)?;
    let (partitions, total) = whole(partitions, count)?;
    let source = rank.source(buf, total, datatype)?;
    let made = rank.comm(comm)?.psend_init(&source, partitions, dest, tag)?;
    give_out(rank, made, comm, request)
}

/// `MPI_Precv_init`: sets up a partitioned receive.
#[mpi(raises = comm)]
fn precv_init(
    rank: Rank<'_>,
    buf: BufferMut,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    rank.hints(info)?;
    let (partitions, total) = whole(partitions, count)?;
    let target = rank.target(buf, total, datatype)?;
    let made = rank.comm(comm)?.precv_init(&target, partitions, source, tag)?;
    give_out(rank, made, comm, request)
}

/// The number of a partition.
fn number(name: &str, partition: c_int) -> ResultOf<usize> {
    usize::try_from(partition).map_err(|_| {
        let reason = format!("{name} is {partition}: partitions are counted from 0");
        CallError::new(ErrorClass::Arg, reason)
    })
}

/// Marks partitions as ready. Errors are raised on the communicator of the request.
fn say_ready(rank: Rank<'_>, handle: MPI_Request, mut ranges: impl Iterator<Item = Range<usize>>) -> Outcome {
    let Some(entry) = rank.request(handle)? else {
        let reason = "request is MPI_REQUEST_NULL: pass one that MPI_Psend_init has made";
        return Err(CallError::new(ErrorClass::Request, reason));
    };
    ranges.try_for_each(|range| on_object(entry, entry.request.ready(range)))
}

fn on_object<T>(entry: &RequestEntry, result: Result<T>) -> ResultOf<T> {
    result.map_err(|error| Box::<CallError>::from(error).on(entry.raised_on))
}

/// `MPI_Pready`: marks a partition of a send as ready.
#[mpi]
fn pready(rank: Rank<'_>, partition: c_int, request: MPI_Request) -> Outcome {
    let partition = number("partition", partition)?;
    say_ready(rank, request, std::iter::once(partition..partition + 1))
}

/// `MPI_Pready_range`: marks partitions in a row as ready.
#[mpi]
fn pready_range(
    rank: Rank<'_>,
    partition_low: c_int,
    partition_high: c_int,
    request: MPI_Request,
) -> Outcome {
    let low = number("partition_low", partition_low)?;
    let high = number("partition_high", partition_high)?;
    if low > high {
        let reason = format!("partition_low {low} is above partition_high {high}");
        return Err(CallError::new(ErrorClass::Arg, reason));
    }
    say_ready(rank, request, std::iter::once(low..high + 1))
}

/// `MPI_Pready_list`: marks the partitions of a list as ready.
#[mpi]
fn pready_list(
    rank: Rank<'_>,
    length: c_int,
    array_of_partitions: Array<c_int>,
    request: MPI_Request,
) -> Outcome {
    let list = array_of_partitions.slice("array_of_partitions", count_of("length", length)?)?;
    for &partition in list {
        number("array_of_partitions", partition)?;
    }
    say_ready(
        rank,
        request,
        list.iter()
            .map(|&partition| partition as usize)
            .map(|partition| partition..partition + 1),
    )
}

/// `MPI_Parrived`: whether a partition of a receive has arrived.
#[mpi]
fn parrived(rank: Rank<'_>, request: MPI_Request, partition: c_int, flag: Out<c_int>) -> Outcome {
    flag.check("flag")?;
    let partition = number("partition", partition)?;
    let arrived = match rank.request(request)? {
        Some(entry) => on_object(entry, entry.request.has_arrived(partition))?,
        None => true,
    };
    flag.set("flag", c_int::from(arrived))
}
