//! Gets in which the sender takes part: both hosts copy at the same time.
//!
//! One core copies half as fast as two while the data is not in its caches. The sender of a long message usually waits
//! for the end of it, and its core with it. So the receiver asks the sender for help, and each of them copies chunk
//! after chunk until all are taken. A sender that computes takes none, and holds nothing up.
//!
//! 1. The receiver opens a counter of chunks and tells the sender of it, and of its own memory ([`Packet::Assist`]). It
//!    begins to get chunks from the sender's memory.
//! 2. The sender puts chunks to the receiver's memory, and tells how many in the end ([`Packet::Assisted`]). It tells
//!    nothing if it has found none.
//! 3. The message has come when both have told of all chunks. If one could not copy, the data comes in fragments.
//!
//! Source: S. Chakraborty et al., "Cooperative Rendezvous Protocols for Improved Performance and Overlap", SC 2018.
//!
//! Costs: a packet to the sender, and mostly one back, and a locked instruction for each chunk.

use super::Network;
use super::exposed;
use super::progress::Step;
use super::protocol_choice::Protocol;
use super::rdma::Get;
use super::rendezvous::PendingReceive;
use super::wire::Packet;
use crate::endpoint::Handle;
use crate::host::Host;
use crate::memory::{Source, Target};
use simurgh_core::time_stamp;
use simurgh_net::HostId;
use simurgh_net::transport::{Region, Transfer, TransferError, Transport};
use std::ops::Range;

/// Data with fewer bytes is copied by the receiver alone before the sender has begun.
const LEAST: u64 = 16 << 10;
/// The bytes of a chunk: half of the data within these limits.
const CHUNK: [u64; 2] = [8 << 10, 128 << 10];

/// The chunks of so many bytes of data.
#[derive(Clone, Copy, Debug)]
struct Chunks {
    bytes: u64,
    size: u64,
}

/// The receiver's account of a get in which the sender takes part.
#[derive(Debug)]
pub(super) struct Cooperation {
    counter: u64,
    /// Chunks of which nobody has told.
    left: u32,
    has_failed: bool,
    /// When this host began to copy, once it has told of its own chunks.
    begin: Option<u64>,
}

/// How a get has ended in which the sender takes part.
#[derive(Clone, Copy, Debug)]
enum End {
    /// All data has come by the receiver's and the sender's copies.
    Done { begin: u64 },
    /// Some could not be copied.
    Refused,
}

/// What one host has done of a get.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    /// Chunks that it has taken.
    pub(super) chunks: u32,
    /// Whether it has failed to copy one of them.
    pub(super) has_failed: bool,
}

/// The sender's part in a get.
#[derive(Debug)]
pub(super) struct Assist {
    pub(super) to: HostId,
    pub(super) receiver: Handle,
    /// The counter of the receiver's host.
    pub(super) counter: u64,
    /// The receiver's memory, as long as the data that it wants.
    pub(super) region: Region,
    pub(super) source: Source,
}

impl Chunks {
    fn of(bytes: u64) -> Self {
        let [least, most] = CHUNK;
        let size = bytes.div_ceil(2).clamp(least, most);
        Self { bytes, size }
    }

    /// How many there are; none if there are too many to be counted.
    fn count(self) -> Option<u32> {
        self.bytes.div_ceil(self.size).try_into().ok()
    }

    /// Where a chunk lies.
    fn range(self, chunk: u32) -> Range<u64> {
        let start = u64::from(chunk) * self.size;
        start..self.bytes.min(start + self.size)
    }
}

impl Cooperation {
    /// The counter of its chunks.
    pub(super) fn counter(&self) -> u64 {
        self.counter
    }

    /// Notes what a host has done; the receiver's own host tells when it began.
    fn note(&mut self, share: Share, begin: Option<u64>) {
        let left = self.left.checked_sub(share.chunks);
        self.has_failed |= share.has_failed || left.is_none();
        self.left = left.unwrap_or(0);
        self.begin = self.begin.or(begin);
    }

    /// How it has ended, if it has.
    fn end(&self) -> Option<End> {
        let begin = self.begin.filter(|_| self.left == 0)?;
        Some(match self.has_failed {
            true => End::Refused,
            false => End::Done { begin },
        })
    }
}

impl Network {
    /// Whether both hosts can copy so many bytes, which this one can get, and that may be faster.
    pub(super) fn may_cooperate(&self, from: HostId, bytes: u64) -> bool {
        bytes >= LEAST && self.way(from).is_synchronous() && self.access(from).write
    }

    /// Begins the account of a get of so many bytes to a target in one piece, and lets the sender write there. None if
    /// this host has too many such gets under way.
    pub(super) fn begin_cooperation(
        &self,
        from: HostId,
        target: &Target,
        bytes: u64,
    ) -> Option<(Region, Cooperation)> {
        let left = Chunks::of(bytes).count()?;
        let way = self.way(from);
        let counter = way.open_counter()?;
        let Some(region) = exposed::expose_target(way, target) else {
            way.close_counter(counter);
            return None;
        };
        let cooperation = Cooperation {
            counter,
            left,
            has_failed: false,
            begin: None,
        };
        Some((region, cooperation))
    }

    /// Asks the sender for its help, and gets what it leaves.
    pub(super) fn get_with_sender(&self, local: &Host, get: &Get, target: Region, counter: u64) {
        let begin = time_stamp();
        let (from, way) = (get.from, self.way(get.from));
        self.tell(
            from,
            &Packet::Assist {
                sender: get.sender,
                receiver: get.receiver,
                counter,
                region: Region {
                    length: get.limit,
                    ..target
                },
            },
        );
        let own = self.fabric.own();
        let share = self.copy_chunks((way, own, counter), get.limit, |part| {
            let place = (get.region, part.start);
            exposed::read(way, from, place, &get.target, whole(part), get.receiver.0)
        });
        let noted = self.note_share(local, from, get.receiver, share, Some(begin));
        debug_assert!(noted.is_some(), "the receive waits for this");
    }

    /// Helps the receiver of a message to copy it.
    pub(super) fn assist(&self, assist: &Assist) -> Step {
        let Assist {
            to,
            receiver,
            counter,
            region,
            ref source,
        } = *assist;
        let way = self.way(to);
        let share = self.copy_chunks((way, to, counter), region.length, |part| {
            exposed::write(way, to, (region, part.start), source, whole(part), receiver.0)
        });
        if share.chunks > 0 {
            let Share { chunks, has_failed } = share;
            self.tell(
                to,
                &Packet::Assisted {
                    receiver,
                    chunks,
                    has_failed,
                },
            );
        }
        Step::Done
    }

    /// The sender of a message has told of its share; none if it was not asked to.
    pub(super) fn take_share(
        &self,
        local: &Host,
        from: HostId,
        receiver: Handle,
        share: Share,
    ) -> Option<()> {
        self.note_share(local, from, receiver, share, None)
    }

    /// Takes chunks by a counter of `owner` until none is left, and copies them until a copy fails.
    fn copy_chunks(
        &self,
        (way, owner, counter): (&dyn Transport, HostId, u64),
        bytes: u64,
        copy: impl Fn(Range<u64>) -> Result<Transfer, TransferError>,
    ) -> Share {
        let chunks = Chunks::of(bytes);
        let end = chunks.count().unwrap_or(0);
        let mut share = Share::default();
        while let Some(chunk) = way.take_chunk(owner, counter, end) {
            share.chunks += 1;
            if !share.has_failed {
                let outcome = self.begin_transfer(|| copy(chunks.range(chunk)));
                share.has_failed = outcome != Ok(Transfer::Done);
            }
        }
        share
    }

    /// Notes a share of a get; none if no such get is under way.
    fn note_share(
        &self,
        local: &Host,
        from: HostId,
        receiver: Handle,
        share: Share,
        begin: Option<u64>,
    ) -> Option<()> {
        let note = |incoming: &mut PendingReceive| {
            let cooperation = incoming.cooperation.as_mut()?;
            cooperation.note(share, begin);
            let end = cooperation.end().map(|end| (end, cooperation.counter));
            if end.is_some() {
                incoming.cooperation = None;
                incoming.mark_written();
            }
            Some((end, incoming.limit()))
        };
        let (end, limit) = self.pending_receives.visit(receiver, from, note)??;
        if let Some((end, counter)) = end {
            self.way(from).close_counter(counter);
            match end {
                End::Done { begin } => {
                    self.protocol_choice
                        .note_get(Protocol::CooperativeGet, limit, begin);
                    self.get_done(local, receiver);
                }
                End::Refused => self.get_refused(receiver),
            }
        }
        Some(())
    }
}

/// The same range of data in memory.
fn whole(part: Range<u64>) -> Range<usize> {
    part.start as usize..part.end as usize
}
