//! Shared memory, between the hosts of a node.
//!
//! # Protocol
//!
//! 1. Whoever starts hosts makes one [`arena`] for those of a node, a segment of memory for each, without a name, and
//!    hands them its descriptor ([`ShmGroup`]). Nothing is left when the processes are gone, however they go.
//! 2. Each host maps it ([`Shm::join`]), as it does with that of each world that comes later ([`Shm::add_hosts`]), and says
//!    in its own segment who it is. It may send to others before they have come.
//! 3. A packet goes into a slot of the receiver's [`ring`]; up to 72 bytes of data with it, longer data in a
//!    buffer of the sender's [`pool`]. A receiver that sleeps has said so at its [`doorbell`]; if it does so in
//!    `poll(2)`, its [`bell`] is rung.
//! 4. Long data is read or written by [`cross_memory`], in one copy, where that is allowed, which a host tries when it
//!    first could do so with the other. It is done when the call returns.
//!
//! What is read from another's segment is numbers, which are checked before use, and data, which is the engine's to
//! check: a broken or dying peer can send nonsense and stop sending, no more.
//!
//! # Costs
//!
//! Of a packet of 8 bytes while the receiver polls: one line of data to the receiver, two locked instructions at the
//! sender, no system call. Bench: `benches/shm.rs`.
//!
//! Of joining n others: one mapping, one descriptor of a socket, n entries of a table, and no page of theirs until
//! something is sent to them. Hosts of another world may part while this one goes on, so that their memory is
//! [`revocable`]: two locked instructions more for each packet to them; nothing is left mapped when they have gone.

#![allow(unsafe_code, reason = "memory that other processes write")]
#![cfg_attr(
    loom,
    allow(dead_code, unreachable_pub, reason = "models use a part of what there is")
)]

#[cfg(not(loom))]
mod arena;
#[cfg(not(loom))]
mod cross_memory;
mod doorbell;
#[cfg(all(any(test, fuzzing), not(loom)))]
mod fault_injection;
#[cfg(not(loom))]
mod group;
#[cfg(not(loom))]
mod peer;
mod pool;
mod revocable;
mod ring;
#[cfg(not(loom))]
mod segment;
mod slot;
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
pub use transport::Shm;

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
    /// A descriptor is not what it should be.
    #[error("a descriptor passed by the launcher is not memory that these hosts share")]
    NotAnArena,
    /// A host joins that is there.
    #[error("the launcher tells of host {0} twice")]
    Twice(crate::HostId),
    /// Who has made it runs another version.
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
