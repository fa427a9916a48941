//! The transport between the hosts of a node: shared memory.
//!
//! # Protocol
//!
//! 1. The process that starts the hosts of a node makes one [`arena`], with a segment of memory for each of them and
//!    without a name, and hands them its descriptor ([`ShmGroup`]). Nothing is left when the processes are gone,
//!    however they end.
//! 2. Each host maps the arena ([`Shm::join`]) and introduces itself in its own segment. It may send to others before
//!    they have come. The arena of each later world is mapped in the same way ([`Shm::add_hosts`]).
//! 3. A packet goes into a slot of the receiver's [`ring`]. Up to 8 bytes of data lie in the slot, up to 512 in its
//!    cell, and longer data in a buffer of the sender's [`pool`], or in one that it has [kept](kept_buffers). A
//!    receiver that sleeps has said so at its [`doorbell`]; one that sleeps in `poll(2)` is woken through its
//!    [`wakeup_socket`].
//! 4. Long data is read or written by [`cross_memory`], in one copy, where the kernel allows it. A host tries that once
//!    for each other host. Short data goes by way of the other process's [`memory_file`] instead. The transfer is
//!    complete when the call returns. Where such calls take long, short data had better go in packets, as long as the
//!    other host looks for them, which it says in its segment. Two hosts that both copy share out the chunks by a
//!    [`chunk_counter`].
//! 5. What a host has handled of the requests of another one, it tells in its own segment ([`tallies`]).
//!
//! A host reads only numbers and data from another's segment. Numbers are checked before use, and checking data is up
//! to the engine. So a broken or dying peer can send nonsense and stop sending, but no more.
//!
//! # Costs
//!
//! A packet of 8 bytes while the receiver polls: one cache line to the receiver, two locked instructions at the sender,
//! no system call. Bench: `benches/shm.rs`.
//!
//! Joining n others: one mapping, one descriptor of a socket, n entries of a table, and no page of theirs until
//! something is sent to them.
//!
//! Hosts of another world may leave while this one goes on, so what is known of them is
//! [`Revocable`](simurgh_core::Revocable). That costs two more plain stores for each packet to them. Nothing of theirs
//! stays mapped after they have left, and each keeps an entry of 16 bytes and a word.

#![allow(unsafe_code, reason = "memory that other processes write")]
#![cfg_attr(
    loom,
    allow(dead_code, unreachable_pub, reason = "models use a part of what there is")
)]

#[cfg(not(loom))]
mod arena;
#[cfg(not(loom))]
mod buffer_place;
mod chunk_counter;
#[cfg(not(loom))]
mod cross_memory;
mod doorbell;
#[cfg(all(any(test, feature = "fuzzing"), not(loom)))]
mod fault_injection;
#[cfg(not(loom))]
mod group;
#[cfg(not(loom))]
mod kept_buffers;
#[cfg(not(loom))]
mod memory_file;
#[cfg(not(loom))]
mod observed_sleep;
#[cfg(not(loom))]
mod peer;
mod place_use;
mod pool;
#[cfg(not(loom))]
mod receive;
#[cfg(not(loom))]
mod remote_process;
mod ring;
#[cfg(not(loom))]
mod segment;
mod slot;
#[cfg(not(loom))]
mod tallies;
#[cfg(not(loom))]
mod transport;
#[cfg(not(loom))]
mod wakeup_socket;

#[cfg(not(loom))]
pub use group::{ShmGroup, shared_memory};
#[cfg(not(loom))]
pub use pool::{BUFFERS as SHM_BUFFERS, ROOM as SHM_BUFFER_SIZE};
#[cfg(not(loom))]
pub use ring::SLOTS as SHM_SLOTS;
#[cfg(not(loom))]
pub use transport::{CrossMemory, Shm};

/// Why hosts cannot share memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShmError {
    /// No memory or descriptors.
    #[error(
        "the kernel gives no memory to share with other processes ({0}); raise the limits, or set transport=ofi"
    )]
    Create(rustix::io::Errno),
    /// Another's memory cannot be mapped.
    #[error("memory of another process cannot be shared ({0}); raise the limits, or set transport=ofi")]
    Map(rustix::io::Errno),
    /// A descriptor is not that of an arena for these hosts.
    #[error("a descriptor passed by the launcher is not memory that these hosts share")]
    NotAnArena,
    /// A host is added twice.
    #[error("the launcher tells of host {0} twice")]
    Twice(crate::HostId),
    /// The arena was made by another version.
    #[error(
        "the memory of this node's hosts has been made by another version of Simurgh; start all with the same \
         installation"
    )]
    OtherVersion,
}

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;
