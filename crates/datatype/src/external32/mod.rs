//! The representation "external32" of the standard: big-endian, without gaps, the same on all machines.
//!
//! Data goes through two small buffers: it is packed in the native representation, converted element by element, and
//! unpacked at its place. `number.rs` converts the numbers, those of IEEE formats with `floating.rs`.

mod floating;
mod number;

use crate::datatype::{Basic, Datatype};
use crate::memory::{Source, Target, pack_from, unpack, unpack_at};
use number::Number;

/// The most elements that are converted at a time.
const CHUNK: usize = 128;
/// Bytes of the largest element, a complex number of two 128-bit numbers.
const LARGEST: usize = 32;

/// Bytes that `count` elements of `datatype` take; `None` if they are more than can be counted.
#[must_use]
pub fn size(count: usize, datatype: &Datatype) -> Option<usize> {
    let element = datatype
        .signature()
        .bytes_by(&|basic| Number::of(basic).external());
    element.checked_mul(count)
}

/// Converts the data of `src` to external32, at the front of `into`, as much as fits.
pub fn pack(src: &Source, into: &Target) {
    let (mut read, mut written) = (0, 0);
    let mut native = [0; CHUNK * LARGEST];
    let mut external = [0; CHUNK * LARGEST];
    each_chunk(src.datatype(), src.count(), &mut |number, count| {
        let native = &mut native[..count * number.native()];
        let external = &mut external[..count * number.external()];
        pack_from(src, read, native);
        number.to_external(native, external);
        unpack(external, &into.slice(written, external.len()));
        read += native.len();
        written += external.len();
    });
}

/// Converts the external32 data at the front of `from` to the layout of `dst`, as many elements as `dst` has.
pub fn unpack_into(from: &Source, dst: &Target) {
    let (mut read, mut written) = (0, 0);
    let mut native = [0; CHUNK * LARGEST];
    let mut external = [0; CHUNK * LARGEST];
    each_chunk(dst.datatype(), dst.count(), &mut |number, count| {
        let native = &mut native[..count * number.native()];
        let external = &mut external[..count * number.external()];
        pack_from(from, read, external);
        number.to_native(external, native);
        unpack_at(native, dst, written);
        read += external.len();
        written += native.len();
    });
}

/// Calls `visit` with the numbers that the elements consist of, in order, at most [`CHUNK`] of one kind at a time.
fn each_chunk(datatype: &Datatype, count: usize, visit: &mut impl FnMut(Number, usize)) {
    let signature = datatype.signature().repeat(count);
    signature.for_each(&mut |basic: Basic, count: usize| {
        let number = Number::of(basic);
        for start in (0..count).step_by(CHUNK) {
            visit(number, CHUNK.min(count - start));
        }
    });
}
