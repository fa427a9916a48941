//! Values in the memory of a tool.

use std::ffi::c_int;

use simurgh_tool::Representation;
use simurgh_tool::event::Element;

use super::Outcome;
use crate::arguments::{Buffer, BufferMut};
use crate::constants::{MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_UNSIGNED_LONG};
use crate::types::MPI_Datatype;
use simurgh_tool::ToolResult;

/// The datatype of a value.
pub(crate) fn datatype_of(representation: Representation) -> MPI_Datatype {
    match representation {
        Representation::Int => MPI_INT,
        Representation::Unsigned => MPI_UNSIGNED_LONG,
        Representation::Double => MPI_DOUBLE,
        Representation::Text => MPI_CHAR,
    }
}

/// The bytes of a value.
fn size_of(representation: Representation) -> usize {
    match representation {
        Representation::Int => size_of_val(&(0 as c_int)),
        Representation::Unsigned | Representation::Double => size_of_val(&0_u64),
        Representation::Text => 1,
    }
}

fn append(bytes: &mut Vec<u8>, representation: Representation, value: u64) {
    match representation {
        Representation::Int => bytes.extend((value as c_int).to_ne_bytes()),
        // A double is held as its bits.
        Representation::Unsigned | Representation::Double => bytes.extend(value.to_ne_bytes()),
        Representation::Text => bytes.push(value as u8),
    }
}

/// Stores values.
pub(crate) fn to_memory(buffer: BufferMut, representation: Representation, values: &[u64]) -> Outcome {
    let mut bytes = Vec::with_capacity(values.len() * size_of(representation));
    for &value in values {
        append(&mut bytes, representation, value);
    }
    Ok(buffer.set_all("buf", &bytes)?)
}

/// Reads `count` values.
pub(crate) fn from_memory(
    buffer: Buffer,
    representation: Representation,
    count: usize,
) -> ToolResult<Vec<u64>> {
    let size = size_of(representation);
    let bytes = buffer.bytes("buf", count * size)?;
    let value = |bytes: &[u8]| match representation {
        Representation::Int => {
            let mut value = [0; 4];
            value.copy_from_slice(bytes);
            u64::from(c_int::from_ne_bytes(value).cast_unsigned())
        }
        Representation::Unsigned | Representation::Double => {
            let mut value = [0; 8];
            value.copy_from_slice(bytes);
            u64::from_ne_bytes(value)
        }
        Representation::Text => u64::from(bytes[0]),
    };
    Ok(bytes.chunks_exact(size).map(value).collect())
}

/// The elements of an event, laid out as in a structure of C.
pub(crate) fn structure_of(elements: &[Element], values: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for ((element, place), &value) in elements.iter().zip(displacements_of(elements)).zip(values) {
        bytes.resize(place, 0);
        append(&mut bytes, element.representation, value);
    }
    bytes
}

/// The displacements of the elements in that structure.
pub(crate) fn displacements_of(elements: &[Element]) -> Vec<usize> {
    let mut end = 0_usize;
    let places = elements.iter().map(|element| {
        let size = size_of(element.representation);
        let place = end.next_multiple_of(size);
        end = place + size;
        place
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_tool::event::TYPES;

    #[test]
    fn elements_lie_as_in_a_structure() {
        assert_eq!(displacements_of(TYPES[0].elements), [0, 4, 8, 16]);
        assert_eq!(displacements_of(TYPES[4].elements), [0, 8]);
        let bytes = structure_of(TYPES[4].elements, &[7, 1 << 40, 0, 0]);
        assert_eq!(bytes[..4], 7_i32.to_ne_bytes());
        assert_eq!(bytes[8..], (1_u64 << 40).to_ne_bytes());
    }
}
