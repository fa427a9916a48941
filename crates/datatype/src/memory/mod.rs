//! Users' buffers. This module alone accesses the memory of users, and it alone of this crate has `unsafe` code.
//!
//! A [`Source`] or a [`Target`] says where data lies: address, count, datatype. Making one is unsafe: the caller
//! promises that the memory stays valid until the operation that gets it is complete. Everything after that is safe and
//! stays within the bytes described. Data goes from layout to layout in one pass ([`transfer()`]). The copy kernels
//! know contiguous data (one `memmove`, inlined when short), blocks of equal length at equal distances, lists of
//! blocks, and repetitions of these (`kernel.rs`). Layouts of different structure are walked segment by segment
//! (`transfer.rs`).
//!
//! Reductions see elements as numbers (`elements.rs`). Their loops are compiled for several instruction sets, of which
//! the best is chosen at run time (`simd.rs`). Collectives that are too large for the caches use non-temporal stores
//! (`nontemporal.rs`).
//!
//! Windows are memory that several processes change at the same time: [`Region`] keeps accesses within it, [`Update`]
//! is an atomic change of elements.
//!
//! Races between the accesses of a program and an operation under way are errors of the program by the standard. They
//! are confined to the bytes of the buffer, since nothing here interprets user data as anything but numbers.
#![allow(unsafe_code)]

mod atomic;
mod borrowed;
mod buffer;
mod compare_and_swap;
mod complex;
mod copy;
mod elements;
mod f128;
mod f16;
mod f80;
mod kernel;
mod mixed_parts;
mod node_control;
mod nontemporal;
mod numbers;
mod overlap;
mod packet;
mod parts;
mod pool;
mod region;
mod runs;
mod scratch;
mod shape;
mod shared_memory;
mod simd;
mod staging;
mod stripes;
mod transfer;
mod vectors;
mod view;
mod window;
mod word;
mod words;

pub use atomic::Update;
pub use borrowed::collect;
pub use buffer::{Source, Target};
pub use compare_and_swap::{compare_and_swap, compare_and_swap_packed};
pub use copy::copy;
pub use mixed_parts::{MixedParts, Place};
pub use node_control::{ControlSize, NodeControl};
pub use nontemporal::{Writer, set_caches};
pub use numbers::Numbers;
pub use overlap::overlap;
pub use packet::Packet;
pub use parts::Parts;
pub use region::{Dense, Operands, Region, is_within, span};
pub use runs::{Run, Runs};
pub use scratch::Scratch;
pub use shared_memory::{Block, FileName, NodeMemory};
pub use staging::{ElementBuffer, StagingBuffer, as_bytes, bytes_of, source_as_bytes};
pub use stripes::Stripes;
pub use transfer::{Transfer, pack, pack_from, transfer, transfer_at, unpack, unpack_at};
pub use vectors::{PAGE, writes_whole_lines};

pub use window::{Tiling, part_of_mut, slice_of, slice_of_mut};
pub use words::{bytes_of_words, bytes_of_words_mut};

pub(crate) use atomic::{Action, CombineBytes};
pub(crate) use complex::Complex;
pub(crate) use elements::{Element, Number, Operation, Pair, Plain, combine, combine_bytes};
pub(crate) use f16::{ComplexHalf, Half};
pub(crate) use f80::F80;
pub(crate) use f128::F128;
