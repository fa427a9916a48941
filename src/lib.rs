//! The API of Simurgh for native Rust programs: MPI whose ranks are user-level threads.
//!
//! [`run`] runs a closure as every rank of the world. The ranks are coroutines on one pinned kernel thread
//! per core; a message between two of them is one copy, and a blocked rank costs nothing. [`Builder`] chooses how many.
//!
//! ```
//! use simurgh::{Builder, Source, Tag};
//!
//! let results = Builder::new().ranks(4).run(|world| {
//!     let next = (world.rank() + 1) % world.size();
//!     let mut token = 0_u64;
//!     let status = world.send_receive(&(world.rank() as u64), next, 0, &mut token, Source::Any, Tag::Any)?;
//!     assert_eq!(status.source(), Some(token as usize));
//!     Ok::<_, simurgh::Error>(token)
//! })?;
//! assert_eq!(results, [Ok(3), Ok(0), Ok(1), Ok(2)]);
//! # Ok::<(), simurgh::RunError>(())
//! ```
//!
//! On one machine a program is simply run. Started by `mpiexec`, `srun` or the launcher of another MPI it is a part of
//! that job, on any number of nodes: each process has some of the ranks ([`Builder::run`]).
//!
//! # Data
//!
//! Types whose values can be sent implement [`Equivalence`]: numbers, arrays of them, and structs that derive it. Calls
//! take a value, a slice or a vector ([`Buffer`]). A receive never writes outside its buffer and never makes an invalid
//! value, whatever was sent.
//!
//! With the feature `ndarray`, arrays and views of them are data as well, whatever their strides ([`View`]): a column,
//! a border, every second value. The library copies them from where they are to where they go, once:
//!
//! ```
//! # #[cfg(feature = "ndarray")] {
//! use ndarray::{Array2, s};
//!
//! let results = simurgh::Builder::new().ranks(2).run(|world| {
//!     if world.rank() == 0 {
//!         let table = Array2::from_shape_fn((3, 4), |(i, j)| 10 * i + j);
//!         world.send(&table.column(2), 1, 0)?;
//!         world.send(&table.slice(s![..;-1, 1..3]), 1, 0)?;
//!     } else {
//!         let mut table = Array2::<usize>::zeros((4, 3));
//!         world.recv(&mut table.row_mut(0), 0, 0)?;
//!         world.recv(&mut table.slice_mut(s![1.., ..2]), 0, 0)?;
//!         assert_eq!(table, ndarray::array![[2, 12, 22], [21, 22, 0], [11, 12, 0], [1, 2, 0]]);
//!     }
//!     Ok::<_, simurgh::Error>(())
//! })?;
//! # results.into_iter().collect::<Result<(), _>>().unwrap();
//! # }
//! # Ok::<(), simurgh::RunError>(())
//! ```
//!
//! # Nonblocking operations
//!
//! They live in a scope ([`Communicator::scope`]), like the threads of [`std::thread::scope`], and borrow
//! their buffers for as long:
//!
//! ```
//! # simurgh::Builder::new().ranks(2).run(|world| {
//! let (mine, mut theirs) = ([world.rank(); 1000], [0; 1000]);
//! let other = 1 - world.rank();
//! world.scope(|scope| {
//!     scope.irecv(&mut theirs[..], other, 0)?;
//!     scope.isend(&mine[..], other, 0)?;
//!     Ok(())
//! })?;
//! assert_eq!(theirs, [other; 1000]);
//! # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
//! # Ok::<(), simurgh::RunError>(())
//! ```
//!
//! So do collectives; the buffer of one that is waited for can be used while others are under way:
//!
//! ```
//! # use simurgh::Op;
//! # simurgh::Builder::new().ranks(4).run(|world| {
//! let (mine, mut all, mut sum) = ([world.rank(); 1000], vec![0; 4000], vec![0; 1000]);
//! world.scope(|scope| {
//!     let gathering = scope.iall_gather(&mine, &mut all)?;
//!     let adding = scope.iall_reduce(&mine[..], &mut sum[..], &Op::sum())?;
//!     let all = gathering.wait()?;
//!     assert!(all.chunks(1000).enumerate().all(|(rank, part)| part == [rank; 1000]));
//!     assert_eq!(adding.wait()?, [6; 1000]);
//!     Ok(())
//! })
//! # })?.into_iter().collect::<Result<(), _>>().unwrap();
//! # Ok::<(), simurgh::RunError>(())
//! ```
//!
//! Requests are waited for one by one, in sets ([`RequestSet`]), or as futures ([`Communicator::block_on`]).
//!
//! Operations that are started again and again own their buffers ([`Communicator::persistent_send`],
//! [`Communicator::persistent_all_reduce`]), and so do messages that are sent in parts
//! ([`Communicator::partitioned_send`]).
//!
//! # Data of unknown size
//!
//! Receivers need not know how long a vector or a text is ([`Communicator::recv_vec`],
//! [`Communicator::all_gather_vec`]). With the feature `serde`, values of any type that serde can write are sent
//! (`Communicator::send_value`).
//!
//! # Neighbours
//!
//! Ranks that form a grid ([`Communicator::cart_create`]) or a graph ([`Communicator::dist_graph_create`],
//! [`Communicator::dist_graph_create_adjacent`]) exchange data with all their neighbours in one call
//! ([`Communicator::neighbor_all_to_all`]).
//!
//! # Sessions
//!
//! A library opens a session of its own ([`Communicator::session`]), and makes communicators of the groups that it
//! finds there. A program can do without the world ([`Builder::run_sessions`]).
//!
//! # Dynamic processes
//!
//! Ranks start programs ([`Communicator::spawn`]), which find them as their [`parent`](Communicator::parent). Jobs of
//! one universe meet at ports ([`Communicator::open_port`]).
//!
//! # Windows
//!
//! One-sided communication ([`Communicator::allocate_window`]): ranks read, write and update each other's memory, and
//! its owner takes no part. A rank borrows its own part as a slice while nobody else has access ([`Window`]).
//!
//! # Files
//!
//! All ranks open a file together ([`FileOptions`]), and read and write values at offsets, each by itself or together
//! ([`File`]).
//!
//! # Memory
//!
//! With the allocator of this crate each rank has a heap of its own, and can ask what it has in use:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: simurgh::Allocator = simurgh::Allocator;
//!
//! simurgh::Builder::new().ranks(2).run(|world| {
//!     let values = vec![1.0; 100_000 * (1 + world.rank())];
//!     let statistics = simurgh::Allocator::statistics().expect("a rank has a heap");
//!     assert!(statistics.in_use().bytes >= 8 * values.len() as u64);
//! })?;
//! # Ok::<(), simurgh::RunError>(())
//! ```
//!
//! # Features
//!
//! | feature | what it brings |
//! |---|---|
//! | `derive` (default) | `#[derive(Equivalence)]` and `#[derive(Code)]` |
//! | `serde` | values of any type that serde can write: `Communicator::send_value` and its relatives |
//! | `ndarray` | arrays of the crate `ndarray`, and views of them, as data |
//! | `vendored-hwloc` | hwloc is compiled from its sources and linked statically |
//!
//! Without `vendored-hwloc` a program needs hwloc (version 2.8 or later): its header and `pkg-config` where it is
//! built, and its library where it runs. With it, cargo downloads hwloc's sources from `download.open-mpi.org` and
//! compiles them, which takes autoconf, automake, libtool and make.
//!
//! # Errors
//!
//! A wrong argument is an [`Error`] with the class of the standard and a line that says what is wrong. A rank
//! that panics, and a deadlock, end the run with a [`RunError`] ([`Builder::run`]).
#![deny(unsafe_code)]

// The modules stand in layers; each imports only from those before it:
//
// * `activity`: the call that each rank is in
// * `op`: reduction operations
// * `peer`: destinations, sources and tags
// * `status`: statuses of receives and probes
// * `message`: messages of matched probes
// * `error`: the errors of a run
// * `hints`: hints
// * `group`: groups of processes
// * `settings`: settings from the environment
// * `results`: the results of a run
// * `rank_heaps`: the heaps of ranks
// * `panic_place`: where ranks panic
// * `run_state`: the state of a run, and its end
// * `open_session`: a session that is open
// * `communicator`: communicators, and their blocking calls
// * `session`: sessions
// * `port`: ports, and the names of services
// * `scope`: nonblocking operations
// * `event`: what happens to ranks
// * `variable`: what the library tells of itself
// * `persistent`: operations that are set up once
// * `window`: one-sided communication
// * `file`: files
// * `builder`: running a closure as ranks

mod activity;
mod builder;
mod communicator;
mod error;
mod event;
mod file;
mod group;
mod hints;
mod message;
mod op;
mod open_session;
mod panic_place;
mod peer;
mod persistent;
mod port;
mod rank_heaps;
mod results;
mod run_state;
mod scope;
mod session;
mod settings;
mod status;
mod variable;
mod window;

pub use activity::Wait;
pub use builder::{Builder, run, try_run};
pub use communicator::{
    Attribute, BSEND_OVERHEAD, Command, Communicator, InterCommunicator, InterRoot, SendBuffer, Spawned,
    dims_create,
};
pub use error::{RANKS_MAX, RunError};
pub use event::{Event, EventType, Events};
pub use file::{File, FileOptions, FileView, Representation};
pub use group::Group;
pub use message::Message;
pub use op::{Bits, Integer, Logical, Number, Op};
pub use peer::{Destination, Source, Tag};
pub use persistent::{
    PartitionedReceive, PartitionedSend, PersistentCollective, PersistentReceive, PersistentSend,
};
pub use port::{Port, Service};
pub use results::Results;
pub use scope::{
    AnyRequest, CollectiveRequest, ReceiveRequest, RequestSet, Scope, ScopeRequest, SendRequest,
};
pub use session::{ProcessSet, Rank, Session};
pub use status::Status;
pub use variable::{ControlValue, ControlVariable, PerformanceVariable};
pub use window::{
    Access, AllLocks, Exposure, FenceEpoch, LockEpoch, Part, RankLock, ReadEpoch, SharedLockEpoch,
    SharedWindow, Window,
};

pub use simurgh_core::{Purpose, move_to, set_purpose};
pub use simurgh_heap::{Allocator, Blocks as HeapBlocks, Statistics as HeapStatistics};
pub use simurgh_mpi::{Comparison, Error, ErrorClass, Result};
pub use simurgh_sched::{DomainStats, VpStats};
pub use simurgh_tool::variable::Class as VariableClass;
pub use simurgh_typed::{
    Attached, Buffer, BufferMut, Code, Coded, Conversion, Equivalence, Filetype, Locatable, Located,
    LockKind, ReadGuard, View, ViewMut, WriteGuard,
};

/// The virtual processor of its process on which the calling rank runs; none outside of ranks.
#[must_use]
pub fn virtual_processor() -> Option<usize> {
    simurgh_core::try_current().and_then(simurgh_core::EcRef::vp)
}

/// Scheduling policies: where ranks start, which ranks idle virtual processors take over, and who drives the network
/// ([`Builder::policy`]).
pub mod policy {
    pub use simurgh_sched::policy::{
        Affine, Anticipate, Balance, ByPurpose, Dedicated, Driving, Machine, Policy, Rebalancing, WorkQueue,
    };
    pub use simurgh_sched::{Domain, DomainKind, Topology};
}

/// Makes a `#[repr(C)]` struct one whose values can be sent and received; its fields must be [`Equivalence`]
/// themselves. Padding is neither sent nor overwritten (section 5.1.2 of the standard, `MPI_Type_create_struct`).
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq, simurgh::Equivalence)]
/// #[repr(C)]
/// struct Particle {
///     kind: u8,
///     position: [f64; 3],
/// }
///
/// let results = simurgh::Builder::new().ranks(2).run(|world| {
///     let mut particle = Particle { kind: world.rank() as u8, position: [world.rank() as f64; 3] };
///     world.broadcast(&mut particle, 1)?;
///     Ok::<_, simurgh::Error>(particle)
/// })?;
/// assert_eq!(results[0], Ok(Particle { kind: 1, position: [1.0; 3] }));
/// # Ok::<(), simurgh::RunError>(())
/// ```
///
/// A struct may have parameters:
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq, simurgh::Equivalence)]
/// #[repr(C)]
/// struct Sample<T, const N: usize> {
///     time: f64,
///     values: [T; N],
/// }
///
/// let results = simurgh::Builder::new().ranks(2).run(|world| {
///     let mut sample = Sample { time: 0.5, values: [world.rank() as u16; 5] };
///     world.broadcast(&mut sample, 1)?;
///     Ok::<_, simurgh::Error>(sample.values)
/// })?;
/// assert_eq!(results[0], Ok([1; 5]));
/// # Ok::<(), simurgh::RunError>(())
/// ```
///
/// A field whose type has invalid bit patterns is refused; it can be [`Coded`]:
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy, simurgh::Equivalence)]
/// #[repr(C)]
/// struct Flagged {
///     value: f64,
///     valid: bool,
/// }
/// ```
///
/// And so is a struct whose layout the compiler may choose:
///
/// ```compile_fail
/// #[derive(Clone, Copy, simurgh::Equivalence)]
/// struct Pair(u8, f64);
/// ```
#[cfg(feature = "derive")]
pub use simurgh_derive::Equivalence;

/// Gives each value of an enum without fields its number, so that it can be sent as [`Coded`].
///
/// ```
/// use simurgh::{Code, Coded, Equivalence};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Code)]
/// #[repr(u8)]
/// enum Cell {
///     Empty,
///     Fish,
///     Shark = 7,
/// }
///
/// #[derive(Clone, Copy, Equivalence)]
/// #[repr(C)]
/// struct Sighting {
///     place: [f64; 2],
///     animal: Coded<Cell>,
///     is_certain: Coded<bool>,
/// }
///
/// let seen = simurgh::Builder::new().ranks(2).run(|world| {
///     let mut sighting = Sighting { place: [0.0; 2], animal: Cell::Empty.into(), is_certain: false.into() };
///     if world.rank() == 0 {
///         sighting = Sighting { animal: Cell::Shark.into(), is_certain: true.into(), ..sighting };
///     }
///     world.broadcast(&mut sighting, 0)?;
///     Ok::<_, simurgh::Error>((sighting.animal.get()?, sighting.is_certain.get()?))
/// })?;
/// assert_eq!(seen[1], Ok((Cell::Shark, true)));
/// # Ok::<(), simurgh::RunError>(())
/// ```
///
/// The enum needs a representation, which is the type of the numbers:
///
/// ```compile_fail
/// #[derive(Clone, Copy, simurgh::Code)]
/// enum Cell { Empty, Fish }
/// ```
///
/// and no fields:
///
/// ```compile_fail
/// #[derive(Clone, Copy, simurgh::Code)]
/// #[repr(u8)]
/// enum Cell { Empty, Fish(u8) }
/// ```
#[cfg(feature = "derive")]
pub use simurgh_derive::Code;

/// Items that the code of `#[derive(Equivalence)]` uses.
#[cfg(feature = "derive")]
#[doc(hidden)]
pub mod derive_support {
    pub use simurgh_mpi::datatype::{Datatype, Field};
    pub use simurgh_typed::once_for;
}

/// The name of the node (`MPI_Get_processor_name`).
///
/// ```
/// assert!(!simurgh::processor_name().is_empty());
/// ```
#[must_use]
pub fn processor_name() -> String {
    let node = rustix::system::uname();
    node.nodename().to_string_lossy().into_owned()
}

/// Seconds since some moment in the past (`MPI_Wtime`).
#[must_use]
pub fn wtime() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
