//! A transport whose other end is the fuzzer.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use simurgh_net::HostId;
use simurgh_net::transport::{
    Access, Busy, Handler, Header, Region, Transfer, TransferError, Transport, WaitMethod, WaitObject,
};

/// Most data of a packet, in bytes.
const CAPACITY: usize = 4096;
/// Headers of packets from the host that are remembered.
const REMEMBERED: usize = 32;

/// A transport to a host that does whatever the fuzzer wants.
#[derive(Clone, Default)]
pub(crate) struct Wire(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    arriving: VecDeque<Event>,
    /// The last packets that came from the host under test.
    sent: VecDeque<Header>,
    /// Outcomes of the next transfers and sends; then as if they were zeros.
    outcomes: VecDeque<u8>,
    /// Transfers under way.
    transfers: VecDeque<Underway>,
    /// Memory that transfers may write.
    room: Vec<Range<usize>>,
    exposed: HashSet<u64>,
    keys: u64,
}

/// An event that the host finds at its next poll.
enum Event {
    Packet(Header, Vec<u8>),
    /// The oldest transfer is complete; whether it has succeeded.
    TransferOver(bool),
}

/// A transfer under way.
struct Underway {
    token: u64,
    /// The memory that a read writes.
    room: Range<usize>,
}

impl Wire {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a packet arrive at the next poll.
    pub(crate) fn arrive(&self, header: Header, data: Vec<u8>) {
        self.state().arriving.push_back(Event::Packet(header, data));
    }

    /// The words of a packet of a kind that came from the host, so many before the last one; zeros if there is none.
    #[must_use]
    pub(crate) fn heard(&self, kind: u8, back: usize) -> [u64; 4] {
        let state = self.state();
        let mut of_kind = state.sent.iter().filter(|header| header[0] == kind);
        let header = of_kind.nth(back).copied().unwrap_or([0; _]);
        let (words, _) = header.as_chunks();
        std::array::from_fn(|index| u64::from_le_bytes(words[1 + index]))
    }

    /// Decides the outcome of the next transfer or send.
    pub(crate) fn decide(&self, outcome: u8) {
        self.state().outcomes.push_back(outcome);
    }

    /// Allows transfers to write memory.
    ///
    /// # Safety
    ///
    /// * Nobody else uses the memory as long as the wire exists.
    pub(crate) unsafe fn lend(&self, memory: &mut [u8]) {
        let memory = memory.as_mut_ptr_range();
        let range = memory.start.expose_provenance()..memory.end.expose_provenance();
        self.state().room.push(range);
    }

    /// Completes the oldest transfer under way at the next poll.
    pub(crate) fn end_transfer(&self, well: bool) {
        self.state().arriving.push_back(Event::TransferOver(well));
    }

    fn transfer_is_over(&self, handler: &dyn Handler, well: bool) {
        let Some(Underway { token, room }) = self.state().transfers.pop_front() else {
            return;
        };
        if well {
            fill(&room);
        }
        let failed = || Err(TransferError::Refused("as the fuzzer wants".to_owned()));
        handler.transferred(token, if well { Ok(()) } else { failed() });
    }

    fn begin(&self, token: u64, room: Range<usize>) -> Result<Transfer, TransferError> {
        let mut state = self.state();
        match state.outcomes.pop_front().unwrap_or(0) % 4 {
            0 => {
                fill(&room);
                Ok(Transfer::Done)
            }
            1 => {
                state.transfers.push_back(Underway { token, room });
                Ok(Transfer::Started)
            }
            2 => Err(TransferError::Busy(Busy)),
            _ => Err(TransferError::Refused("as the fuzzer wants".to_owned())),
        }
    }
}

/// Writes to memory that has been lent.
fn fill(room: &Range<usize>) {
    let start = std::ptr::with_exposed_provenance_mut::<u8>(room.start);
    // SAFETY:
    // - `read` has found the range within memory that was lent; an empty one is fine wherever it is.
    unsafe { start.write_bytes(0x5a, room.len()) };
}

impl Transport for Wire {
    fn name(&self) -> &'static str {
        "wire"
    }

    fn capacity(&self) -> usize {
        CAPACITY
    }

    fn send(
        &self,
        _to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let mut state = self.state();
        if state.outcomes.front() == Some(&0xff) {
            state.outcomes.pop_front();
            return Err(Busy);
        }
        state.sent.push_front(*header);
        state.sent.truncate(REMEMBERED);
        drop(state);
        fill(&mut vec![0; length]);
        Ok(())
    }

    fn has_incoming(&self) -> bool {
        !self.state().arriving.is_empty()
    }

    fn poll(&self, handler: &dyn Handler) -> bool {
        let mut any = false;
        loop {
            let next = self.state().arriving.pop_front();
            match next {
                None => return any,
                Some(Event::Packet(header, data)) => handler.packet(1, &header, &data),
                Some(Event::TransferOver(well)) => self.transfer_is_over(handler, well),
            }
            any = true;
        }
    }

    fn access(&self, _host: HostId) -> Access {
        Access {
            read: true,
            write: true,
        }
    }

    #[allow(unsafe_code, reason = "the trait's")]
    unsafe fn expose(&self, address: *mut u8, length: usize) -> Result<Region, TransferError> {
        let mut state = self.state();
        state.keys += 1;
        let key = state.keys;
        state.exposed.insert(key);
        Ok(Region {
            address: address.expose_provenance() as u64,
            length: length as u64,
            key,
        })
    }

    fn conceal(&self, region: Region) {
        assert!(
            self.state().exposed.remove(&region.key),
            "what is concealed has been exposed, once"
        );
    }

    unsafe fn read(
        &self,
        _from: HostId,
        region: Region,
        offset: u64,
        to: *mut u8,
        length: usize,
        token: u64,
    ) -> Result<Transfer, TransferError> {
        let start = to.expose_provenance();
        let room = start..start + length;
        let within = |lent: &Range<usize>| lent.start <= room.start && room.end <= lent.end;
        assert!(self.state().room.iter().any(within), "it reads to where it may");
        assert!(offset + length as u64 <= region.length, "it reads what is there");
        self.begin(token, room)
    }

    unsafe fn write(
        &self,
        _to: HostId,
        region: Region,
        offset: u64,
        _from: *const u8,
        length: usize,
        token: u64,
    ) -> Result<Transfer, TransferError> {
        assert!(
            offset + length as u64 <= region.length,
            "it writes where there is room"
        );
        self.begin(token, 0..0)
    }

    fn wait_object(&self, _waiting: WaitMethod) -> Option<WaitObject<'_>> {
        None
    }

    fn arm(&self, _waiting: WaitMethod) -> bool {
        false
    }

    fn disarm(&self) {}

    fn dropped(&self) -> u64 {
        0
    }
}
