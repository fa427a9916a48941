//! Users' memory: the one place of the engine where it is touched, and the only one with `unsafe`.
//!
//! A [`Source`] or a [`Target`] says where data lies: address, count, datatype. Making one is unsafe and is the promise
//! that the memory stays valid until the operation that it is given to is complete; everything after that is safe and
//! stays inside the bytes described. Data goes from layout to layout in one pass ([`transfer()`]); the kernels are:
//! contiguous to contiguous (one `memmove`, inlined when short), strided blocks of equal length, lists of blocks, and
//! grids of these (`kernel.rs`). Layouts that are built differently are walked segment by segment (`transfer.rs`).
//!
//! Reductions see elements as numbers (`elements.rs`); their loops are compiled for several instruction sets, of which
//! the best is chosen as they run (`simd.rs`). Collectives too large for the caches write past them (`nontemporal.rs`).
//!
//! Races between a user's own accesses and an operation under way are errors of the program by the standard; they are
//! confined to the bytes of the buffer, since nothing here interprets user data as anything but numbers.
#![allow(unsafe_code)]

mod borrowed;
mod buffer;
mod complex;
mod copy;
mod elements;
mod f128;
mod f16;
mod f80;
mod kernel;
mod mixed_parts;
mod nontemporal;
mod numbers;
mod overlap;
mod packet;
mod parts;
mod pool;
mod scratch;
mod shape;
mod simd;
mod staging;
mod transfer;
mod view;

pub use borrowed::collect;
pub use buffer::{Source, Target};
pub use mixed_parts::{MixedParts, Place};
pub use nontemporal::{Writer, set_caches};
pub use numbers::Numbers;
pub use overlap::overlap;
pub use packet::Packet;
pub use parts::Parts;
pub use scratch::Scratch;
pub use staging::{ElementBuffer, StagingBuffer, as_bytes, bytes_of, source_as_bytes};
pub use transfer::{Transfer, pack, pack_from, transfer, transfer_at, unpack, unpack_at};

pub(crate) use complex::Complex;
pub(crate) use elements::{Element, Number, Pair, Plain, combine};
pub(crate) use f16::{ComplexHalf, Half};
pub(crate) use f80::F80;
pub(crate) use f128::F128;
