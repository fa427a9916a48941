//! Ways from one host to others: active messages, and access to remote memory.
//!
//! The model is Phoenix's: an active message is a short header and some data that run a handler at the receiver; longer
//! data is read from or written to memory that its owner has exposed. A [`Transport`] is one way to do so; the
//! engine's protocols are written once, over [`Fabric`](crate::Fabric), and rest on this contract alone:
//!
//! * **Order.** Packets from one host to another are handled in the order in which [`Transport::send`] returned, if
//!   one thread sent them or the sends are ordered otherwise; each exactly once. Packets of different hosts, and
//!   packets and transfers, are not ordered among each other.
//! * **Completion.** A send is over when it returns: its memory may be reused. A transfer is over when `read` or
//!   `write` says so, or later, when [`Handler::transferred`] is called with its token, once. After a write, data is
//!   in the remote memory; the remote host learns of it by a packet that is sent afterwards.
//! * **Buffers.** Belong to the transport: a packet's data is written straight into one by the sender, and is read from
//!   one by the handler, for as long as the call takes.
//! * **Blocking.** Nothing blocks, `Sleep` excepted. What cannot be done now says [`Busy`] and has had no effect; it is
//!   to be tried again after a [`Transport::poll`].
//! * **Progress.** Nothing happens but in calls. `poll` is called by one thread at a time, all else by any.
//! * **Trust.** A transport gives packets only from hosts of the job: whoever else can reach its network cannot make
//!   any. What it cannot attribute or understand it drops and counts; a host whose packets do not come in their order,
//!   each once, is lost.

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
pub use loopback::Loopback;
#[cfg(not(loom))]
pub use network_interface::is_local_only;
#[cfg(not(loom))]
pub use shm::{SHM_BUFFER_SIZE, SHM_BUFFERS, SHM_SLOTS, Shm, ShmError, ShmGroup, shared_memory};
#[cfg(not(loom))]
pub use simulated::{Conditions, Simulated};

use std::os::fd::BorrowedFd;

use simurgh_core::sync::AtomicU32;

use crate::HostId;

/// Bytes of an active message's header, which is the engine's to define.
pub const HEADER: usize = 40;

/// What says what to do with a packet.
pub type Header = [u8; HEADER];

/// There is no room just now: nothing has been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no room just now")]
pub struct Busy;

/// Memory of a host that others may access, as its owner tells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where it begins, in the owner's terms.
    pub address: u64,
    /// Its length in bytes.
    pub length: u64,
    /// What proves that it was exposed; the transport's.
    pub key: u64,
}

/// What can be done with remote memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// [`Transport::read`] works.
    pub read: bool,
    /// [`Transport::write`] works.
    pub write: bool,
}

/// What became of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// It is over.
    Done,
    /// It goes on; its token will be told.
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

/// Who acts on what arrives. Its calls are short and never block; they may send.
pub trait Handler {
    /// A packet has come from a host.
    fn packet(&self, from: HostId, header: &Header, data: &[u8]);

    /// The transfer or draining that was started with this token is over.
    fn transferred(&self, token: u64, outcome: Result<(), TransferError>);

    /// A host will not be heard of any more. The reason reads on after "host 3: ".
    fn lost(&self, host: HostId, reason: &str);
}

/// What tells a sleeping thread that something has arrived.
#[derive(Debug)]
pub enum WaitObject<'a> {
    /// A word that other processes change and then wake with a shared futex. What it is to be is read before
    /// [`Transport::arm`].
    Word(&'a AtomicU32),
    /// A descriptor that becomes readable.
    Descriptor(BorrowedFd<'a>),
    /// Two descriptors, one of which becomes readable.
    Descriptors([BorrowedFd<'a>; 2]),
}

/// How a thread is going to wait for a transport's bell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitMethod {
    /// With a futex, if the transport has a word.
    Futex,
    /// With `poll(2)`.
    Poll,
}

/// A way to some hosts of the job.
///
/// The module's documentation has the contract.
pub trait Transport: Send + Sync {
    /// Its name in settings and reports.
    fn name(&self) -> &'static str;

    /// The most data of a packet, in bytes.
    fn capacity(&self) -> usize;

    /// Sends a packet with `length` bytes of data, which `fill` writes; it is called once, or not at all if the result
    /// is [`Busy`].
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

    /// A packet is about to be sent to a host: what takes time can begin.
    #[inline]
    fn prepare(&self, _to: HostId) {}

    /// Has all that has been sent to a host leave this one, so that it arrives whether or not anything is called here
    /// from then on. It is over as a transfer is, with this token. By default nothing that has been taken is held.
    ///
    /// # Errors
    ///
    /// [`Busy`].
    fn drain(&self, _to: HostId, _token: u64) -> Result<Transfer, Busy> {
        Ok(Transfer::Done)
    }

    /// Whether [`Transport::poll`] would find something: a cheap hint.
    fn has_incoming(&self) -> bool;

    /// Handles what has arrived, up to a limit; false if there was nothing. One thread at a time.
    fn poll(&self, handler: &dyn Handler) -> bool;

    /// What can be done with the memory of a host.
    fn access(&self, host: HostId) -> Access;

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

    /// Takes back what [`Transport::expose`] allowed.
    fn conceal(&self, region: Region);

    /// Memory stays as it is until [`Transport::release`]: a transport may leave it registered between transfers.
    ///
    /// # Safety
    ///
    /// * It is not given back to the system before then.
    #[allow(unsafe_code, reason = "raw memory is what it is about")]
    unsafe fn hold(&self, _address: *const u8, _length: usize) {}

    /// Memory of which [`Transport::hold`] was told, by its beginning, is going to be given back. Transfers from and to
    /// it are over, and it is exposed no more.
    fn release(&self, _address: *const u8) {}

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

    /// What rings when something arrives, after [`Transport::arm`].
    fn wait_object(&self, waiting: WaitMethod) -> Option<WaitObject<'_>>;

    /// Announces that a thread is going to sleep until the bell rings; false if something is there already: do not.
    fn arm(&self, waiting: WaitMethod) -> bool;

    /// The thread is awake again.
    fn disarm(&self);

    /// A host has ended as it should, and all its packets have been handled: what is kept for it can go. Nothing is
    /// sent to it any more. Called by whoever polls.
    fn remove_host(&self, _host: HostId) {}

    /// Packets that could not be attributed or understood.
    fn dropped(&self) -> u64;
}
