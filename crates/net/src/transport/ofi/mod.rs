//! The transport between machines: libfabric.
//!
//! Each host has one endpoint for reliable datagrams, whatever the provider: tcp, verbs, efa, cxi, psm3. The provider
//! says what it can do (`provider`); which one is taken is a setting, or the best there is (`options`). The endpoint is
//! opened first ([`OfiPort`]), so that its address can be told to the other hosts. With their addresses it becomes the
//! transport ([`Ofi`]).
//!
//! * **Packets** are frames (`frame`): a code, the sender, a number, the engine's header, data. Short frames are made
//!   on the stack and injected, longer ones in a send buffer (`send_buffers`). They arrive in `receive_buffers`. All
//!   ranks share both. Sends are ordered (`FI_ORDER_SAS`). Frames that the provider does not take yet are kept
//!   (`peer`).
//! * **Origin.** A packet carries a code made with a key that only its sender and its receiver can compute (`identity`,
//!   `mac`). How much the code protects is a setting (`protection`). Packets that are not genuine are dropped and
//!   counted. Packets to a host are numbered: if one is missing or comes twice, the host is lost, so that no packet is
//!   ever taken for another.
//! * **Transfers** are reads and writes of memory that its owner has registered (`memory`, `transfers`). Where
//!   registering is expensive, registrations are kept for later (`registration_cache`).
//! * **Waiting** is for the descriptor of the completion queue, where the provider has one.
//! * **Loss** of a host is found by errors of sends and transfers (`lost_hosts`), and by a thread that exchanges
//!   heartbeats with other hosts (`heartbeat`). The heartbeats also tell how many packets each host has sent and
//!   received.
//!
//! Memory that is given to libfabric stays where it is until libfabric says so, or the endpoint has been shut. That is
//! why buffers and operations are blocks of fixed size that are made once, and why `Ofi` shuts the endpoint before it
//! frees them.
//!
//! # Costs
//!
//! Besides the provider's own: a short packet is copied to the stack. A long packet is copied once into a buffer, which
//! takes a locked instruction to take and one to give back; the receiver reads it in place. Either takes the lock of
//! its destination while it is numbered and given to the provider. Where packets are protected, the code is computed on
//! either side. Nothing is allocated. A poll is one call of the provider; over tcp that is a system call. A transfer is
//! a lock and a call on either end.

mod address;
mod buffers;
mod endpoint;
mod error;
mod flush;
mod frame;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod heartbeat;
mod identity;
mod lost_hosts;
mod mac;
mod memory;
mod operation;
mod options;
mod peer;
mod port;
mod protection;
mod provider;
mod receive_buffers;
mod registration_cache;
mod send;
mod send_buffers;
mod slots;
mod transfers;

#[cfg(test)]
mod tests;

pub use error::OfiError;
pub use heartbeat::HEARTBEAT_THREAD;
pub use options::OfiOptions;
pub use port::{ConnectOptions, OfiPort};
pub use protection::Authenticate;
pub use simurgh_fabric_sys::leave_signals_alone;

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{Arc, AtomicBool, AtomicU64, Ordering};
use simurgh_fabric_sys as sys;

use self::endpoint::{Completion, Endpoint};
use self::flush::FlushMarkers;
use self::frame::{FLUSH_MARKER, FRAME, ReceivedFrame};
use self::heartbeat::{Heartbeat, NewPeer};
use self::identity::Identity;
use self::lost_hosts::LostHosts;
use self::memory::Memory;
use self::operation::{Key, Kind};
use self::peer::{Peer, Peers, Verdict};
use self::protection::Protection;
use self::receive_buffers::{BufferCounts, ReceiveBuffers};
use self::send_buffers::SendBuffers;
use self::transfers::{Direction, Next, Transfer as Task, Transfers};
use super::{
    Access, Busy, Handler, Header, Region, Transfer, TransferError, Transport, WaitMethod, WaitObject,
};
use crate::HostId;

/// Bytes of the longest frame. Providers send so much without asking the receiver first.
const MAX_FRAME: usize = 16 << 10;
const _: () = assert!(MAX_FRAME < 1 << 16, "codes have so much room for lengths");
/// The buffers that packets come into.
const RECEIVE_BUFFERS: BufferCounts = BufferCounts {
    many: (4, 512 << 10),
    single: 128,
};
/// Most reads of the completion queue in one poll, as long as they find completed sends only.
const ROUNDS: usize = 4;

/// libfabric's error for a call that is to be repeated later.
const AGAIN: isize = -(sys::FI_EAGAIN as isize);

/// The transport to hosts on other machines.
pub struct Ofi {
    identity: Identity,
    peers: Arc<Peers>,
    /// Whether frames to some peer may be pending.
    has_pending: AtomicBool,
    lost_hosts: Arc<LostHosts>,
    /// The heartbeat thread, ended before the rest; none if hosts are not monitored.
    heartbeat: Option<Heartbeat>,
    dropped: AtomicU64,
    access: Access,
    transfers: Transfers,
    memory: Memory,
    send_buffers: SendBuffers,
    flush_markers: FlushMarkers,
    receive_buffers: ReceiveBuffers,
    /// Closed last: see `drop`.
    endpoint: Endpoint,
}

impl Ofi {
    /// The address of this host, for hosts that come later: as [`OfiPort::address`].
    #[must_use]
    pub fn address(&self) -> Vec<u8> {
        self.identity.address.to_bytes()
    }

    /// Adds a host by its address, as [`OfiPort::address`] has given it there. Before that, nothing may be sent to the
    /// host, and packets of it are dropped.
    ///
    /// # Errors
    ///
    /// As [`OfiPort::connect`].
    pub fn add_host(&self, host: HostId, address: &[u8]) -> Result<(), OfiError> {
        let theirs = self.identity.read(host, address)?;
        let connection = self.identity.connection(&self.endpoint, host, &theirs)?;
        self.lost_hosts.add_host(host);
        if !self
            .peers
            .add(host, CachePadded::new(Peer::new(Some(connection))))
        {
            return Err(OfiError::Malformed(host));
        }
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.add_peer(NewPeer {
                host,
                mac_keys: self.identity.heartbeat_keys(host, &theirs),
                address: theirs.heartbeat,
            });
        }
        Ok(())
    }

    #[cold]
    fn lose(&self, host: HostId, message: &str) {
        self.lost_hosts
            .add(host, format!("libfabric cannot reach it: {message}"));
    }

    /// Handles a completion. Whether it is one that the handler waits for, as all but completed sends are.
    fn handle_completion(&self, handler: &dyn Handler, completion: Completion) -> bool {
        match completion {
            Completion::Done { key, flags, data } => match key.kind {
                Kind::Receive => self.receive(handler, key.number, flags, data),
                Kind::Send => {
                    self.send_buffers.give(key.number);
                    return false;
                }
                Kind::Transfer => self.continue_transfer(handler, key.number, None),
                Kind::FlushMarker => handler.transferred(self.flush_markers.over(key.number).1, Ok(())),
            },
            Completion::Failed {
                key,
                flags,
                error,
                message,
            } => self.handle_failure(handler, key, flags, error, &message),
        }
        true
    }

    /// Reads completions until there is one that the handler waits for. Another read, which may be a system call or
    /// two, is left for later, when the handler has acted on that one.
    fn poll_completions(&self, handler: &dyn Handler) -> bool {
        let mut found = false;
        let mut awaited = false;
        for _ in 0..ROUNDS {
            let any = self
                .endpoint
                .complete(&mut |completion| awaited |= self.handle_completion(handler, completion));
            found |= any;
            if awaited || !any {
                break;
            }
        }
        found
    }

    fn receive(&self, handler: &dyn Handler, number: u32, flags: u64, data: (*const u8, usize)) {
        // SAFETY:
        // - that is what has just been completed; it is posted again below.
        let frame = unsafe { self.receive_buffers.frame(number, data) };
        match frame::read(frame) {
            Some(arrived) => self.receive_packet(handler, &arrived),
            // The end of a buffer may be reported without a packet.
            None if frame.is_empty() || *frame == FLUSH_MARKER => {}
            None => self.count_dropped(),
        }
        self.receive_buffers.handled(&self.endpoint, number, flags);
    }

    /// Handles a packet if it is the one that is due from the host that it names.
    fn receive_packet(&self, handler: &dyn Handler, arrived: &ReceivedFrame<'_>) {
        let from = arrived.from;
        match self.peers.get(from).map(|peer| peer.judge(arrived)) {
            Some(Verdict::InOrder) => {
                self.monitor(from);
                handler.packet(from, &arrived.header, arrived.data);
            }
            Some(Verdict::OutOfOrder(number, due)) => {
                self.count_dropped();
                self.lost_hosts.add(from, out_of_order(number, due));
            }
            Some(Verdict::Forged) | None => self.count_dropped(),
        }
    }

    /// Has the heartbeat monitor a host, with which packets are exchanged.
    #[inline]
    fn monitor(&self, host: HostId) {
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.monitor(host);
        }
    }

    fn continue_transfer(&self, handler: &dyn Handler, number: u32, failed: Option<isize>) {
        match self.transfers.piece_over(&self.endpoint, number, failed) {
            Next::Waits => {}
            Next::Goes(host) => {
                self.peers[host].transfer_begun();
                self.peers[host].transfer_over();
            }
            Next::Over(task, failed) => {
                let (token, host) = (task.token, task.host);
                drop(task);
                self.peers[host].transfer_over();
                let outcome = failed.map_or(Ok(()), |error| {
                    let message = self.endpoint.message(error);
                    if is_connection_error(error) {
                        self.lose(host, &message);
                    }
                    Err(TransferError::Refused(message))
                });
                handler.transferred(token, outcome);
            }
        }
    }

    #[cold]
    fn handle_failure(&self, handler: &dyn Handler, key: Option<Key>, flags: u64, error: i32, message: &str) {
        match key {
            Some(Key {
                kind: Kind::Send,
                number,
            }) => {
                let host = self.send_buffers.give(number);
                self.lose(host, message);
            }
            Some(Key {
                kind: Kind::FlushMarker,
                number,
            }) => {
                let (host, token) = self.flush_markers.over(number);
                self.lose(host, message);
                // The packets before it will not leave any more.
                handler.transferred(token, Ok(()));
            }
            Some(Key {
                kind: Kind::Transfer,
                number,
            }) => self.continue_transfer(handler, number, Some(error as isize)),
            Some(Key {
                kind: Kind::Receive,
                number,
            }) => {
                self.count_dropped();
                self.receive_buffers.handled(&self.endpoint, number, flags);
            }
            // An injected packet: the provider does not say whose.
            None => self.count_dropped(),
        }
    }

    #[cold]
    fn count_dropped(&self) {
        // Relaxed: a count.
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Continues transfers whose next piece the provider did not take.
    fn retry_stalled_transfers(&self, handler: &dyn Handler) -> bool {
        let mut any = false;
        for _ in 0..Transfers::MOST {
            let Some(number) = self.transfers.stalled() else {
                return any;
            };
            any = true;
            self.continue_transfer(handler, number, None);
        }
        any
    }

    /// Begins a transfer.
    ///
    /// # Safety
    ///
    /// * The memory belongs to the transfer until it is complete.
    unsafe fn begin(
        &self,
        direction: Direction,
        host: HostId,
        (region, offset): (Region, u64),
        (local, length): (*mut u8, usize),
        token: u64,
    ) -> Result<Transfer, TransferError> {
        let end = offset.checked_add(length as u64);
        if end.is_none_or(|end| end > region.length) {
            return Err(TransferError::Refused("it is beyond the region".to_owned()));
        }
        if length == 0 {
            return Ok(Transfer::Done);
        }
        // SAFETY:
        // - the memory is valid as long as the transfer, which holds the registration.
        let registration = unsafe { self.memory.lend(&self.endpoint, local, length) }?;
        let task = Task {
            direction,
            host,
            to: self.peers[host].connection().address,
            local,
            remote: region.address.wrapping_add(offset),
            key: region.key,
            left: length,
            token,
            registration,
        };
        // SAFETY:
        // - by the caller's word.
        match unsafe { self.transfers.begin(&self.endpoint, task) } {
            Ok(()) => {
                self.peers[host].transfer_begun();
                Ok(Transfer::Started)
            }
            Err(AGAIN) => Err(Busy.into()),
            Err(error) => Err(TransferError::Refused(self.endpoint.message(error))),
        }
    }
}

impl Drop for Ofi {
    fn drop(&mut self) {
        // Registrations, which providers bind to an endpoint, are closed before it; the memory that it works on is
        // freed after it.
        self.memory.clear();
        self.endpoint.shut();
    }
}

/// Why a host is lost whose packet was not the one that was due.
#[cold]
fn out_of_order(number: u64, due: u64) -> String {
    let what = match number > due {
        true => format!("{} of its packets are lost on the way", number - due),
        false => "a packet of it has come twice".to_owned(),
    };
    format!("{what}; a connection has been broken, or somebody interferes with it")
}

/// Whether an error is about the connection to a host, not about the operation.
fn is_connection_error(error: isize) -> bool {
    const ERRORS: [u64; 9] = [
        sys::FI_ECONNRESET,
        sys::FI_ECONNREFUSED,
        sys::FI_ECONNABORTED,
        sys::FI_ENOTCONN,
        sys::FI_EHOSTUNREACH,
        sys::FI_ENETUNREACH,
        sys::FI_ETIMEDOUT,
        sys::FI_ESHUTDOWN,
        sys::FI_EIO,
    ];
    ERRORS.contains(&(error.unsigned_abs() as u64))
}

#[allow(unsafe_code, reason = "raw memory is what transfers are about")]
impl Transport for Ofi {
    fn name(&self) -> &'static str {
        "ofi"
    }

    fn capacity(&self) -> usize {
        MAX_FRAME - FRAME
    }

    #[inline]
    fn send(
        &self,
        to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        if self.peers[to].is_backed_up() {
            return Err(Busy);
        }
        self.monitor(to);
        let start = frame::start(header);
        if start + length <= self.send_buffers.short {
            self.send_short(to, header, (start, length), fill);
            return Ok(());
        }
        self.send_long(to, header, (start, length), fill)
    }

    fn drain(&self, to: HostId, token: u64) -> Result<Transfer, Busy> {
        let peer = &self.peers[to];
        if self.lost_hosts.has(to) {
            return Ok(Transfer::Done);
        }
        if peer.is_backed_up() {
            return Err(Busy);
        }
        match self
            .flush_markers
            .send(&self.endpoint, (to, peer.connection().address), token)
        {
            Ok(()) => Ok(Transfer::Started),
            Err(AGAIN) => Err(Busy),
            Err(error) => {
                self.lose(to, &self.endpoint.message(error));
                Ok(Transfer::Done)
            }
        }
    }

    fn is_far(&self) -> bool {
        true
    }

    /// Always true: a provider says only when it is polled.
    fn has_incoming(&self) -> bool {
        true
    }

    fn poll(&self, handler: &dyn Handler) -> bool {
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.count_poll();
        }
        let mut any = self.poll_completions(handler);
        if self.receive_buffers.is_short() {
            // A buffer that cannot be posted now is posted at a later poll.
            any |= self.receive_buffers.replenish(&self.endpoint).is_ok();
        }
        any |= self.retry_stalled_transfers(handler);
        // Relaxed: as in `keep`.
        if self.has_pending.load(Ordering::Relaxed) {
            any |= self.flush_pending();
        }
        any | self.lost_hosts.report(handler)
    }

    /// None where all data is protected: providers read and write memory without codes.
    fn access(&self, host: HostId) -> Access {
        match self.peers.get(host).and_then(|peer| peer.protection()) {
            Some(Protection::Nothing | Protection::Headers) => self.access,
            Some(Protection::Everything) | None => Access::default(),
        }
    }

    unsafe fn expose(&self, address: *mut u8, length: usize) -> Result<Region, TransferError> {
        // SAFETY:
        // - by the caller's word.
        unsafe { self.memory.expose(&self.endpoint, address, length) }
    }

    fn conceal(&self, region: Region) {
        self.memory.conceal(region);
    }

    unsafe fn hold(&self, address: *const u8, length: usize) {
        // SAFETY:
        // - by the caller's word.
        unsafe { self.memory.hold(address, length) };
    }

    fn release(&self, address: *const u8) {
        self.memory.release(address);
    }

    fn withdraw(&self, address: *const u8, length: usize) {
        self.memory.withdraw(address, length);
    }

    unsafe fn read(
        &self,
        from: HostId,
        region: Region,
        offset: u64,
        to: *mut u8,
        length: usize,
        token: u64,
    ) -> Result<Transfer, TransferError> {
        // SAFETY:
        // - by the caller's word.
        unsafe { self.begin(Direction::Read, from, (region, offset), (to, length), token) }
    }

    unsafe fn write(
        &self,
        to: HostId,
        region: Region,
        offset: u64,
        from: *const u8,
        length: usize,
        token: u64,
    ) -> Result<Transfer, TransferError> {
        // SAFETY:
        // - by the caller's word; what is written remotely is only read here.
        unsafe {
            self.begin(
                Direction::Write,
                to,
                (region, offset),
                (from.cast_mut(), length),
                token,
            )
        }
    }

    fn wait_object(&self, waiting: WaitMethod) -> Option<WaitObject<'_>> {
        match waiting {
            WaitMethod::Futex => None,
            WaitMethod::Poll => {
                let queue = self.endpoint.descriptor()?;
                Some(WaitObject::Descriptors([queue, self.lost_hosts.descriptor()]))
            }
        }
    }

    fn arm(&self, _waiting: WaitMethod) -> bool {
        !self.lost_hosts.any() && self.endpoint.try_wait()
    }

    fn disarm(&self) {}

    fn remove_host(&self, host: HostId) {
        self.lost_hosts.remove_host(host);
    }

    fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}
