//! Hosts on other machines, over libfabric.
//!
//! One endpoint for reliable datagrams per host, whatever the provider: tcp, verbs, efa, cxi, psm3. What a provider can
//! do is asked of it (`offer`), which one is taken is a setting or the best there is (`choice`). The endpoint is opened
//! first ([`OfiPort`]), so that its address can be told to the others; with theirs it becomes the transport ([`Ofi`]).
//!
//! * **Packets** are a frame (`frame`): a code, the sender, a number, the engine's header, data. Short ones are made on
//!   the stack and injected, longer ones in a buffer that all ranks share (`outbound`); they come into buffers that all
//!   share (`inbound`). Sends are ordered (`FI_ORDER_SAS`). Those that a provider does not take yet are kept (`peer`).
//! * **Origin.** What a host sends to another is sealed with keys that only the two can compute (`identity`, `seal`),
//!   as far as is asked for (`cover`); what is not genuine is dropped and counted. Packets to a host are numbered: if
//!   one is missing, or comes twice, the host is lost, so that no packet is ever taken for another.
//! * **Transfers** are reads and writes of memory that its owner has registered (`memory`, `transfers`).
//!   Where that is dear, registrations are kept for later (`cache`).
//! * **Waiting** is for the completion queue's descriptor, where the provider has one.
//! * **Loss** of a host comes from errors of sends and transfers (`losses`), and from a thread that asks for signs of
//!   life (`watch`), with which hosts tell each other what they have sent and received (`stalls`).
//!
//! What libfabric is given stays where it is until it says so or the endpoint has been shut: that is why buffers and
//! operations are blocks of fixed size, made once, and why `Ofi` shuts the endpoint before it frees them.
//!
//! Costs, besides the provider's: a short packet, its copy to the stack; a long one, a locked instruction to take a
//! buffer and one to give it back, one copy into the buffer and none at the receiver, which reads it in place. Either
//! takes the lock of the host that it goes to, while it is numbered and given to the provider, and where packets are
//! protected its code is computed here and there. No allocation. A poll is one call of the provider: over tcp that is a
//! system call. A transfer is a lock of its own and a call on either end.

mod address;
mod buffers;
mod cache;
mod choice;
mod cover;
mod endpoint;
mod error;
mod frame;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod identity;
mod inbound;
mod losses;
mod marks;
mod memory;
mod offer;
mod operation;
mod outbound;
mod peer;
mod port;
mod pulses;
mod seal;
mod sending;
mod sign;
mod slots;
mod stalls;
mod transfers;
mod watch;

#[cfg(test)]
mod tests;

pub use choice::Choice;
pub use cover::Authenticate;
pub use error::OfiError;
pub use port::{Joining, OfiPort};
pub use watch::WATCH_THREAD;

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{Arc, AtomicBool, AtomicU64, Ordering};
use simurgh_fabric_sys as sys;

use self::cover::Cover;
use self::endpoint::{Completion, Endpoint};
use self::frame::{Arrived, FRAME, MARK};
use self::identity::Identity;
use self::inbound::{Inbound, Room};
use self::losses::Losses;
use self::marks::Marks;
use self::memory::Memory;
use self::operation::{Key, Kind};
use self::outbound::Outbound;
use self::peer::{Peer, Peers, Verdict};
use self::transfers::{Direction, Next, Transfer as Task, Transfers};
use self::watch::{Newcomer, Watch};
use super::{
    Access, Bell, Busy, Handler, Header, HostId, Region, Transfer, TransferError, Transport, Waiting,
};

/// Bytes of the longest frame: what providers send without asking the receiver first.
const LONGEST: usize = 16 << 10;
const _: () = assert!(LONGEST < 1 << 16, "codes have so much room for lengths");
/// The buffers that packets come into.
const ROOM: Room = Room {
    many: (4, 512 << 10),
    single: 128,
};
/// Times that the completion queue is read in one poll, if only sends are over.
const ROUNDS: usize = 4;

/// What libfabric says when something is to be tried again.
const AGAIN: isize = -(sys::FI_EAGAIN as isize);

/// The way to hosts on other machines.
pub struct Ofi {
    identity: Identity,
    peers: Arc<Peers>,
    /// Whether some peer may have packets kept.
    kept: AtomicBool,
    losses: Arc<Losses>,
    /// Ended before the rest; none if hosts are not watched.
    watch: Option<Watch>,
    dropped: AtomicU64,
    access: Access,
    transfers: Transfers,
    memory: Memory,
    outbound: Outbound,
    marks: Marks,
    inbound: Inbound,
    /// Closed last, save for the endpoint itself: see `drop`.
    endpoint: Endpoint,
}

impl Ofi {
    /// What hosts that come later need to know to reach this one: as [`OfiPort::address`].
    #[must_use]
    pub fn address(&self) -> Vec<u8> {
        self.identity.address.to_bytes()
    }

    /// Another host has come, which is reached by what [`OfiPort::address`] has given there. Nothing is sent to it, and
    /// nothing that it sends is handled, before.
    ///
    /// # Errors
    ///
    /// As [`OfiPort::connect`].
    pub fn admit(&self, host: HostId, address: &[u8]) -> Result<(), OfiError> {
        let theirs = self.identity.read(host, address)?;
        let contact = self.identity.packets(&self.endpoint, host, &theirs)?;
        self.losses.admit(host);
        if !self.peers.add(host, CachePadded::new(Peer::new(Some(contact)))) {
            return Err(OfiError::Malformed(host));
        }
        if let Some(watch) = &self.watch {
            watch.admit(Newcomer {
                host,
                seals: self.identity.signs(host, &theirs),
                address: theirs.watch,
            });
        }
        Ok(())
    }

    #[cold]
    fn lose(&self, host: HostId, message: &str) {
        self.losses
            .add(host, format!("libfabric cannot reach it: {message}"));
    }

    /// Deals with a completion; whether it was one that the handler waits for.
    fn act(&self, handler: &dyn Handler, completion: Completion) -> bool {
        match completion {
            Completion::Done { key, flags, data } => match key.kind {
                Kind::Receive => self.take(handler, key.number, flags, data),
                Kind::Send => {
                    self.outbound.give(key.number);
                    return false;
                }
                Kind::Transfer => self.go_on(handler, key.number, None),
                Kind::Mark => handler.transferred(self.marks.over(key.number).1, Ok(())),
            },
            Completion::Failed {
                key,
                flags,
                error,
                message,
            } => self.fail(handler, key, flags, error, &message),
        }
        true
    }

    /// Looks for completions until there is one that the handler waits for: another look, which is a system call or
    /// two, comes after what it does about that.
    fn look(&self, handler: &dyn Handler) -> bool {
        let mut found = false;
        let mut awaited = false;
        for _ in 0..ROUNDS {
            let any = self
                .endpoint
                .complete(&mut |completion| awaited |= self.act(handler, completion));
            found |= any;
            if awaited || !any {
                break;
            }
        }
        found
    }

    fn take(&self, handler: &dyn Handler, number: u32, flags: u64, data: (*const u8, usize)) {
        // SAFETY:
        // - that is what has just been completed; it is posted again below.
        let frame = unsafe { self.inbound.frame(number, data) };
        match frame::read(frame) {
            Some(arrived) => self.take_in(handler, &arrived),
            // The end of a buffer may be told without a packet.
            None if frame.is_empty() || *frame == MARK => {}
            None => self.drop_one(),
        }
        self.inbound.handled(&self.endpoint, number, flags);
    }

    /// Handles a packet if it is the next one of the host that it names.
    fn take_in(&self, handler: &dyn Handler, arrived: &Arrived<'_>) {
        let from = arrived.from;
        match self.peers.get(from).map(|peer| peer.judge(arrived)) {
            Some(Verdict::Next) => {
                self.meet(from);
                handler.packet(from, &arrived.header, arrived.data);
            }
            Some(Verdict::Astray(number, due)) => {
                self.drop_one();
                self.losses.add(from, astray(number, due));
            }
            Some(Verdict::Forged) | None => self.drop_one(),
        }
    }

    /// Something goes to or comes from a host.
    #[inline]
    fn meet(&self, host: HostId) {
        if let Some(watch) = &self.watch {
            watch.meet(host);
        }
    }

    fn go_on(&self, handler: &dyn Handler, number: u32, failed: Option<isize>) {
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
                    if is_about_the_way(error) {
                        self.lose(host, &message);
                    }
                    Err(TransferError::Refused(message))
                });
                handler.transferred(token, outcome);
            }
        }
    }

    #[cold]
    fn fail(&self, handler: &dyn Handler, key: Option<Key>, flags: u64, error: i32, message: &str) {
        match key {
            Some(Key {
                kind: Kind::Send,
                number,
            }) => {
                let host = self.outbound.give(number);
                self.lose(host, message);
            }
            Some(Key {
                kind: Kind::Mark,
                number,
            }) => {
                let (host, token) = self.marks.over(number);
                self.lose(host, message);
                // What has been sent before it will not leave any more.
                handler.transferred(token, Ok(()));
            }
            Some(Key {
                kind: Kind::Transfer,
                number,
            }) => self.go_on(handler, number, Some(error as isize)),
            Some(Key {
                kind: Kind::Receive,
                number,
            }) => {
                self.drop_one();
                self.inbound.handled(&self.endpoint, number, flags);
            }
            // What was injected, to whom the provider does not say.
            None => self.drop_one(),
        }
    }

    #[cold]
    fn drop_one(&self) {
        // Relaxed: a count.
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Goes on with transfers whose next piece the provider did not take.
    fn unstall(&self, handler: &dyn Handler) -> bool {
        let mut any = false;
        for _ in 0..Transfers::MOST {
            let Some(number) = self.transfers.stalled() else {
                return any;
            };
            any = true;
            self.go_on(handler, number, None);
        }
        any
    }

    /// Begins a transfer.
    ///
    /// # Safety
    ///
    /// * The memory is the transfer's until it is over.
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
            to: self.peers[host].contact().address,
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
        // What providers bind to an endpoint is closed before it, and what it works on afterwards.
        self.memory.clear();
        self.endpoint.shut();
    }
}

/// Why a host is lost of which a packet has come that is not the one that was due.
#[cold]
fn astray(number: u64, due: u64) -> String {
    let what = match number > due {
        true => format!("{} of its packets are lost on the way", number - due),
        false => "a packet of it has come twice".to_owned(),
    };
    format!("{what}; a connection has been broken, or somebody interferes with it")
}

/// Whether an error is about the way to a host, not about what was asked of it.
fn is_about_the_way(error: isize) -> bool {
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
        LONGEST - FRAME
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
        self.meet(to);
        let start = frame::start(header);
        if start + length <= self.outbound.short {
            self.send_short(to, header, (start, length), fill);
            return Ok(());
        }
        self.send_long(to, header, (start, length), fill)
    }

    fn drain(&self, to: HostId, token: u64) -> Result<Transfer, Busy> {
        let peer = &self.peers[to];
        if self.losses.has(to) {
            return Ok(Transfer::Done);
        }
        if peer.is_backed_up() {
            return Err(Busy);
        }
        match self
            .marks
            .send(&self.endpoint, (to, peer.contact().address), token)
        {
            Ok(()) => Ok(Transfer::Started),
            Err(AGAIN) => Err(Busy),
            Err(error) => {
                self.lose(to, &self.endpoint.message(error));
                Ok(Transfer::Done)
            }
        }
    }

    /// Always true: a provider does not say without being asked, which is what a poll does.
    fn has_mail(&self) -> bool {
        true
    }

    fn poll(&self, handler: &dyn Handler) -> bool {
        if let Some(watch) = &self.watch {
            watch.look();
        }
        let mut any = self.look(handler);
        if self.inbound.is_short() {
            // What cannot be posted now is tried again at the next poll.
            any |= self.inbound.replenish(&self.endpoint).is_ok();
        }
        any |= self.unstall(handler);
        // Relaxed: as in `keep`.
        if self.kept.load(Ordering::Relaxed) {
            any |= self.flush();
        }
        any | self.losses.tell(handler)
    }

    /// None where all data is protected: what providers read and write themselves is not.
    fn access(&self, host: HostId) -> Access {
        match self.peers.get(host).and_then(|peer| peer.cover()) {
            Some(Cover::Nothing | Cover::Headers) => self.access,
            Some(Cover::Everything) | None => Access::default(),
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

    fn bell(&self, waiting: Waiting) -> Option<Bell<'_>> {
        match waiting {
            Waiting::Futex => None,
            Waiting::Poll => {
                let queue = self.endpoint.descriptor()?;
                Some(Bell::Descriptors([queue, self.losses.bell()]))
            }
        }
    }

    fn arm(&self, _waiting: Waiting) -> bool {
        !self.losses.any() && self.endpoint.try_wait()
    }

    fn disarm(&self) {}

    fn part(&self, host: HostId) {
        self.losses.part(host);
    }

    fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}
