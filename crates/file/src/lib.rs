//! Files of MPI, as far as they need no communicator.
//!
//! A [`Storage`] is an open file of a [`FileSystem`], of which [`Posix`] is the one there is. The ranks of a host share
//! it as a [`SharedFile`]. A [`View`] says which
//! bytes of it a rank sees. [`read()`], [`write()`] and their collective form [`Together`] move data between users'
//! buffers and what views show. They block the kernel thread, so they are [jobs](submit) of the I/O threads unless they
//! are short. What ranks agree on is the business of `simurgh-mpi`.
//!
//! May depend on base, core (`sync`, and what threads have to tell it) and datatype.
//!
//! # Layers
//!
//! * `limits`: sizes of buffers and lengths of pieces from which on something is worth its while.
//! * `fault`: what the system says, as errors of MPI.
//! * `storage`: the trait of file systems and of open files.
//! * `posix`: the file system of the operating system.
//! * `faulty`: an open file that fails as tests want.
//! * `whole`: reads and writes that are not short.
//! * `lock_table`: byte ranges that accesses of this process have locked.
//! * `threads`: the I/O threads.
//! * `shared_file`: an open file, and what keeps accesses to it apart.
//! * `hints`: the hints of info objects.
//! * `representation`: data representations.
//! * `view`: views, and the pieces of a file that they show.
//! * `part`: the part of a rank in an access.
//! * `piecewise`: bytes to and from pieces, one after the other.
//! * `buffer`: buffers for data on its way.
//! * `sieve`: data sieving.
//! * `transfer`: the data of one rank.
//! * `piece_list`: lists of pieces, as hosts tell them to each other.
//! * `marks`: the bytes of a window that somebody has or wants.
//! * `window`: windows, through which the data of several ranks goes.
//! * `pattern`: what hosts tell each other of an access, to decide whether they exchange pieces.
//! * `domains`: file domains, of which each aggregator has one.
//! * `together`: the data of several ranks, in long pieces.

#![deny(unsafe_code)]

mod buffer;
mod domains;
mod fault;
mod faulty;
mod hints;
mod limits;
mod lock_table;
mod marks;
mod part;
mod pattern;
mod piece_list;
mod piecewise;
mod posix;
mod representation;
mod shared_file;
mod sieve;
mod storage;
mod threads;
mod together;
mod transfer;
mod view;
mod whole;
mod window;

pub use domains::Domains;
pub use fault::{fault, path_fault};
pub use faulty::{Faults, Faulty};
pub use hints::{Choice, Hints, Sieving};
pub use limits::SHORT;
pub use part::{Moved, Part};
pub use pattern::Pattern;
pub use piece_list::PieceList;
pub use posix::Posix;
pub use representation::{Conversion, Representation};
pub use shared_file::SharedFile;
pub use storage::{Access, FileSystem, Mode, Storage, path_of};
pub use threads::{place_threads, prepare_threads, submit};
pub use together::Together;
pub use transfer::{read, write};
pub use view::{Piece, Pieces, View};
pub use window::Window;
