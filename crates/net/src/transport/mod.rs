//! Transports between hosts: active messages, and access to remote memory.
//!
//! The model is Phoenix's: an active message is a short header and some data, for which a handler runs at the receiver;
//! longer data is read from or written to memory that its owner has exposed. A [`Transport`] carries both over one kind
//! of network. The engine's protocols are written once, over [`Fabric`](crate::Fabric), and rely on this contract
//! alone:
//!
//! * **Order.** Packets from one host to another are handled exactly once, in the order in which [`Transport::send`]
//!   returned, if one thread sent them or the sends are ordered otherwise. There is no order among packets of different
//!   hosts, nor between packets and transfers.
//! * **Completion.** A send is complete when it returns: its memory may be reused. A transfer is complete when `read`
//!   or `write` returns [`Transfer::Done`], or later, when [`Handler::transferred`] is called with its token, once.
//!   After a write, the data is in the remote memory; the remote host learns of it by a packet that is sent afterwards.
//! * **Buffers.** They belong to the transport. The sender writes a packet's data straight into one, and the handler
//!   reads it from one while it runs.
//! * **Blocking.** No call blocks. A call that cannot be served now returns [`Busy`] and has no effect; it is to be
//!   repeated after a [`Transport::poll`].
//! * **Progress.** It is made in calls only. `poll` is called by one thread at a time, everything else by any thread.
//! * **Trust.** Packets come from hosts of the job only: nobody else who can reach the network can make one. Packets
//!   that cannot be attributed or understood are dropped and counted. A host whose packets do not come in order, each
//!   once, is lost.

#[cfg(not(loom))]
mod loopback;
#[cfg(not(loom))]
mod network_interface;
#[cfg(not(loom))]
#[allow(unsafe_code, reason = "calls a C library")]
pub mod ofi;
mod shm;
#[cfg(not(loom))]
mod simulated;

#[cfg(not(loom))]
pub use loopback::{Cooperation, Loopback};
#[cfg(not(loom))]
pub use network_interface::is_local_only;
#[cfg(not(loom))]
pub use shm::{CrossMemory, SHM_BUFFER_SIZE, SHM_BUFFERS, SHM_SLOTS, Shm, ShmError, ShmGroup, shared_memory};
#[cfg(not(loom))]
pub use simulated::{Conditions, Simulated};

use std::os::fd::BorrowedFd;

use simurgh_core::sync::AtomicU32;

use crate::HostId;

/// Bytes of an active message's header. The engine defines what is in it.
pub const HEADER: usize = 40;

/// The header of an active message, which tells the receiver what to do with the packet.
pub type Header = [u8; HEADER];

/// The transport has no room just now. The call has had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no room just now")]
pub struct Busy;

/// Memory of a host that others may access. The owner sends this description to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The beginning, in the terms of the owner's transport.
    pub address: u64,
    /// The length in bytes.
    pub length: u64,
    /// The transport's key, which proves that the memory was exposed.
    pub key: u64,
}

/// The kinds of access to remote memory that work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// [`Transport::read`] works.
    pub read: bool,
    /// [`Transport::write`] works.
    pub write: bool,
}

/// How far a transfer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// It is complete.
    Done,
    /// It is under way. [`Handler::transferred`] will be called with its token.
    Started,
}

/// Why a transfer failed for good.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// Try again later.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// It cannot be done.
    #[error("remote memory cannot be accessed: {0}")]
    Refused(String),
}

/// Handles what arrives. Its calls are short and never block; they may send.
pub trait Handler {
    /// Handles a packet of a host.
    fn packet(&self, from: HostId, header: &Header, data: &[u8]);

    /// Notes that the transfer or drain that was started with this token is complete.
    fn transferred(&self, token: u64, outcome: Result<(), TransferError>);

    /// Notes that a host is lost: no packet of it will come any more. The reason reads on after "host 3: ".
    fn lost(&self, host: HostId, reason: &str);

    /// Called when a host of another world has ended as it should and all its packets have been handled, so that what
    /// is kept about it can be freed.
    fn removed(&self, _host: HostId) {}
}

/// An object on which a thread can sleep until a packet arrives.
#[derive(Debug)]
pub enum WaitObject<'a> {
    /// A word that senders change before they wake its shared futex. The sleeper reads it before [`Transport::arm`],
    /// and waits until it is different.
    Word(&'a AtomicU32),
    /// A descriptor that becomes readable.
    Descriptor(BorrowedFd<'a>),
    /// Two descriptors, one of which becomes readable.
    Descriptors([BorrowedFd<'a>; 2]),
}

/// How a thread is going to wait for a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitMethod {
    /// With a futex, if the transport has a word.
    Futex,
    /// With `poll(2)`.
    Poll,
}

/// Carries packets and data to some hosts of the job. The module's documentation has the contract.
pub trait Transport: Send + Sync {
    /// Its name in settings and reports.
    fn name(&self) -> &'static str;

    /// The most data of a packet, in bytes.
    fn capacity(&self) -> usize;

    /// The data of each packet, in bytes, by which long data arrives soonest, if the receiver works on one packet while
    /// the sender writes the next. At most the capacity.
    fn segment(&self) -> usize {
        self.capacity()
    }

    /// Sends a packet with `length` bytes of data, which `fill` writes. `fill` is called once, or not at all if the
    /// result is [`Busy`].
    ///
    /// # Errors
    ///
    /// [`Busy`].
    fn send(
        &self,
        to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy>;

    /// Announces that a packet is about to be sent to a host, so that the transport can begin with what takes time.
    #[inline]
    fn prepare(&self, _to: HostId) {}

    /// Makes all packets sent to a host leave this one, so that they arrive even if nothing is called here afterwards.
    /// It completes as a transfer does, with this token. The default is for transports that hold nothing back.
    ///
    /// # Errors
    ///
    /// [`Busy`].
    fn drain(&self, _to: HostId, _token: u64) -> Result<Transfer, Busy> {
        Ok(Transfer::Done)
    }

    /// Whether [`Transport::poll`] may find a packet. A cheap hint.
    fn has_incoming(&self) -> bool;

    /// Handles what has arrived, up to a limit. False if there was nothing. One thread at a time.
    fn poll(&self, handler: &dyn Handler) -> bool;

    /// The kinds of access to the memory of a host that work.
    fn access(&self, host: HostId) -> Access;

    /// Whether packets may bring long data sooner than an access does, so that it is worth while to find out.
    fn packets_compete(&self) -> bool {
        false
    }

    /// Whether [`Transport::read`] and [`Transport::write`] are over when they return, unless they fail.
    fn is_synchronous(&self) -> bool {
        false
    }

    /// Whether it leads to other nodes.
    fn is_far(&self) -> bool {
        false
    }

    /// Tells other hosts whether somebody looks for packets here again and again: a hint.
    fn watch(&self, _is_watched: bool) {}

    /// Tells a host a number in place of the one before, if the host can look for it: see [`Transport::told_by`].
    fn tell(&self, _host: HostId, _number: u32) {}

    /// The number that a host has told this one last, 0 at first; none if it cannot tell any. What it did before is
    /// visible.
    fn told_by(&self, _host: HostId) -> Option<u32> {
        None
    }

    /// Tells a host a word as an answer, in place of the one before, if that host [can](Transport::can_answer) look for
    /// it.
    fn answer(&self, _host: HostId, _word: u64) {}

    /// Whether a host can tell this one answers.
    fn can_answer(&self, _host: HostId) -> bool {
        false
    }

    /// How many answers a host has told this one, modulo 2^32, and the last one.
    fn answer_of(&self, _host: HostId) -> (u32, u64) {
        (0, 0)
    }

    /// Whether it takes longer to access so many bytes of a host's memory than to send them in a packet.
    fn is_slow_to_access(&self, _host: HostId, _length: usize) -> bool {
        false
    }

    /// Whether a host seems to answer a packet sooner than it takes to access so many bytes of its memory.
    fn answers_sooner(&self, _host: HostId, _length: usize) -> bool {
        false
    }

    /// Opens a counter by which this host and another share out the chunks of a transfer. None if the transport has no
    /// counters, or all are open.
    fn open_counter(&self) -> Option<u64> {
        None
    }

    /// Closes a counter of this host: no more chunks are taken by it.
    fn close_counter(&self, _counter: u64) {}

    /// Takes the next of the chunks below `end` by a counter that its owner has opened. None if all are taken, or the
    /// counter is closed.
    fn take_chunk(&self, _owner: HostId, _counter: u64, _end: u32) -> Option<u32> {
        None
    }

    /// Lets other hosts access memory until [`Transport::conceal`].
    ///
    /// # Safety
    ///
    /// * The memory stays valid until then, and may be read and written by others meanwhile.
    ///
    /// # Errors
    ///
    /// [`TransferError`], if it cannot be done.
    #[allow(unsafe_code, reason = "raw memory is what it is about")]
    unsafe fn expose(&self, address: *mut u8, length: usize) -> Result<Region, TransferError>;

    /// Ends the access that [`Transport::expose`] allowed.
    fn conceal(&self, region: Region);

    /// Promises that memory stays mapped until [`Transport::release`], so that the transport may keep it registered
    /// between transfers.
    ///
    /// # Safety
    ///
    /// * The memory is not given back to the system before then.
    #[allow(unsafe_code, reason = "raw memory is what it is about")]
    unsafe fn hold(&self, _address: *const u8, _length: usize) {}

    /// Ends the promise of [`Transport::hold`] about the memory that begins here, since it is going to be given back.
    /// Transfers from and to it are complete, and it is no longer exposed.
    fn release(&self, _address: *const u8) {}

    /// Forgets memory that is held, and goes on to be: other pages are about to appear there. Transfers from and to it
    /// are complete, and it is not exposed.
    fn withdraw(&self, _address: *const u8, _length: usize) {}

    /// Reads `length` bytes of a host's region from `offset` on.
    ///
    /// # Safety
    ///
    /// * `to` has room for so many bytes and is used by nobody else until the transfer is over.
    ///
    /// # Errors
    ///
    /// [`TransferError`].
    #[allow(unsafe_code, reason = "raw memory is what it is about")]
    unsafe fn read(
        &self,
        from: HostId,
        region: Region,
        offset: u64,
        to: *mut u8,
        length: usize,
        token: u64,
    ) -> Result<Transfer, TransferError>;

    /// Writes `length` bytes to a host's region from `offset` on.
    ///
    /// # Safety
    ///
    /// * `from` has so many bytes, which nobody changes until the transfer is over.
    ///
    /// # Errors
    ///
    /// [`TransferError`].
    #[allow(unsafe_code, reason = "raw memory is what it is about")]
    unsafe fn write(
        &self,
        to: HostId,
        region: Region,
        offset: u64,
        from: *const u8,
        length: usize,
        token: u64,
    ) -> Result<Transfer, TransferError>;

    /// The object that wakes a thread when a packet arrives after [`Transport::arm`]. None if the transport cannot wake
    /// a thread that waits in this way.
    fn wait_object(&self, waiting: WaitMethod) -> Option<WaitObject<'_>>;

    /// Announces that a thread is going to sleep on the wait object. False if it must not, since a packet is there
    /// already.
    fn arm(&self, waiting: WaitMethod) -> bool;

    /// Ends what [`Transport::arm`] began: the thread is awake.
    fn disarm(&self);

    /// Removes a host that has ended as it should, and all of whose packets have been handled. Nothing is sent to it
    /// any more. Called by the thread that polls.
    fn remove_host(&self, _host: HostId) {}

    /// Packets that could not be attributed or understood.
    fn dropped(&self) -> u64;
}
