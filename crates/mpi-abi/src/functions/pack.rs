//! Packing data into a buffer of the program, and unpacking.

use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Source, Target, transfer};
use simurgh_mpi::{ErrorClass, external32};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Buffer, BufferMut, InOut, Number, Out, Text, count_of, length_of};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Datatype};

/// A place in a buffer of packed data.
struct Place {
    position: usize,
    len: usize,
}

impl Place {
    /// The `len` bytes from the position on, which must lie within the buffer of `size` bytes.
    fn new(position: InOut<impl Number>, size: impl Number, len: usize) -> ResultOf<Self> {
        let position = length_of("position", position.get("position")?)?;
        let size = length_of("the size of the packed buffer", size)?;
        if position.checked_add(len).is_none_or(|end| end > size) {
            let reason =
                format!("{len} bytes from position {position} on do not fit into a buffer of {size} bytes");
            return Err(CallError::new(ErrorClass::Truncate, reason));
        }
        Ok(Self { position, len })
    }

    /// These bytes, to be written.
    fn target(&self, buffer: BufferMut) -> Target {
        let address = buffer.address().wrapping_add(self.position);
        // SAFETY:
        // - the program passed a buffer of the size that has been checked, and leaves it alone until the call returns.
        unsafe { Target::new(address, self.len, Datatype::Basic(Basic::Packed)) }
    }

    /// These bytes, to be read.
    fn source(&self, buffer: Buffer) -> Source {
        let address = buffer.address().wrapping_add(self.position);
        // SAFETY:
        // - the program passed a buffer of the size that has been checked, and leaves it alone until the call returns.
        unsafe { Source::new(address, self.len, Datatype::Basic(Basic::Packed)) }
    }

    /// Moves the caller's position behind these bytes.
    fn advance<C: Number>(&self, position: InOut<C>) {
        if let Some(end) = C::narrow((self.position + self.len) as i64) {
            position.set(end);
        }
    }
}

/// Stores a number of bytes; one that does not fit is an error.
fn set_size<C: Number>(size: Out<C>, bytes: Option<usize>) -> Outcome {
    let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok());
    match bytes.and_then(C::narrow) {
        Some(bytes) => size.set("size", bytes),
        None => Err(CallError::new(
            ErrorClass::ValueTooLarge,
            "the packed data is larger than size can express: call the function whose name ends in _c",
        )),
    }
}

/// Fails unless the representation is the one that the standard defines.
fn check_representation(datarep: Text) -> Outcome {
    match &*datarep.read("datarep")? {
        "external32" => Ok(()),
        other => Err(CallError::new(
            ErrorClass::Arg,
            format!("datarep is \"{other}\": pass \"external32\""),
        )),
    }
}

/// The bytes of `count` elements in the external representation.
fn external_size(count: usize, datatype: &Datatype) -> ResultOf<usize> {
    external32::size(count, datatype).ok_or_else(|| {
        let reason = format!("{count} elements are more bytes than 64 bits can count");
        CallError::new(ErrorClass::ValueTooLarge, reason)
    })
}

/// `MPI_Pack`: appends data to a packed buffer.
#[mpi(large, raises = comm)]
fn pack(
    rank: Rank<'_>,
    inbuf: Buffer,
    incount: Count,
    datatype: MPI_Datatype,
    outbuf: BufferMut,
    outsize: Count,
    position: InOut<Count>,
    comm: MPI_Comm,
) -> Outcome {
    rank.comm(comm)?;
    let source = rank.source(inbuf, incount, datatype)?;
    let place = Place::new(position, outsize, source.bytes())?;
    transfer(&source, &place.target(outbuf));
    place.advance(position);
    Ok(())
}

/// `MPI_Unpack`: takes the next data out of a packed buffer.
#[mpi(large, raises = comm)]
fn unpack(
    rank: Rank<'_>,
    inbuf: Buffer,
    insize: Count,
    position: InOut<Count>,
    outbuf: BufferMut,
    outcount: Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> Outcome {
    rank.comm(comm)?;
    let target = rank.target(outbuf, outcount, datatype)?;
    let place = Place::new(position, insize, target.bytes())?;
    transfer(&place.source(inbuf), &target);
    place.advance(position);
    Ok(())
}

/// `MPI_Pack_size`: the bytes that `MPI_Pack` needs at most.
#[mpi(large, raises = comm)]
fn pack_size(
    rank: Rank<'_>,
    incount: Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: Out<Count>,
) -> Outcome {
    rank.comm(comm)?;
    let datatype = rank.datatype("datatype", datatype)?;
    set_size(size, count_of("incount", incount)?.checked_mul(datatype.size()))
}

/// `MPI_Pack_external`: appends data in the external representation to a packed buffer.
#[mpi(large)]
fn pack_external(
    rank: Rank<'_>,
    datarep: Text,
    inbuf: Buffer,
    incount: Count,
    datatype: MPI_Datatype,
    outbuf: BufferMut,
    outsize: Extent,
    position: InOut<Extent>,
) -> Outcome {
    check_representation(datarep)?;
    let source = rank.source(inbuf, incount, datatype)?;
    let place = Place::new(
        position,
        outsize,
        external_size(source.count(), source.datatype())?,
    )?;
    external32::pack(&source, &place.target(outbuf));
    place.advance(position);
    Ok(())
}

/// `MPI_Unpack_external`: takes the next data in the external representation out of a packed buffer.
#[mpi(large)]
fn unpack_external(
    rank: Rank<'_>,
    datarep: Text,
    inbuf: Buffer,
    insize: Extent,
    position: InOut<Extent>,
    outbuf: BufferMut,
    outcount: Count,
    datatype: MPI_Datatype,
) -> Outcome {
    check_representation(datarep)?;
    let target = rank.target(outbuf, outcount, datatype)?;
    let place = Place::new(
        position,
        insize,
        external_size(target.count(), target.datatype())?,
    )?;
    external32::unpack_into(&place.source(inbuf), &target);
    place.advance(position);
    Ok(())
}

/// `MPI_Pack_external_size`: the bytes that `MPI_Pack_external` needs.
#[mpi(large)]
fn pack_external_size(
    rank: Rank<'_>,
    datarep: Text,
    incount: Count,
    datatype: MPI_Datatype,
    size: Out<Extent>,
) -> Outcome {
    check_representation(datarep)?;
    let datatype = rank.datatype("datatype", datatype)?;
    set_size(size, external32::size(count_of("incount", incount)?, &datatype))
}
