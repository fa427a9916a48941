//! Eager messages in segments.
//!
//! A message longer than a segment ([`Route::segment`]) is sent in several packets: the sender writes one while the
//! receiver reads the one before. The first packet is matched as any eager message is, and the data of all goes
//! straight to the target of the receive. If there is none yet, it goes to an eager buffer, and the message is matched
//! again when all of it has come. That keeps the order of messages: a rank sends all segments of one before it sends
//! the next one.
//!
//! Costs, beside a packet with all data: a header and a search among the messages that are arriving for each segment.

use super::Network;
use super::cancel::origin;
use super::credit::Account;
use super::dispatch::PacketHandler;
use super::frequent::{Eager, EagerSegment};
use super::send::OutgoingMessage;
use super::wire::Packet;
use crate::endpoint::{EagerBuffer, PostedReceive, status_of};
use crate::instrument;
use crate::memory::{self, Source, Transfer};
use simurgh_core::sync::SpinLock;
use simurgh_core::time_stamp;
use simurgh_net::{HostId, Route};

/// The most bytes of an eager message to another host.
pub(super) const LONGEST: usize = 1 << 20;

/// Messages of so many bytes and fewer are not timed: nobody chooses how they begin.
const TIMED: usize = 16 << 10;

/// Segments begin at multiples of so many bytes, a cache line: no line is read and written in two parts.
const LINE: usize = 64;
/// The same for segments of long messages: copies between places that lie alike in pages are faster.
const PAGE: usize = 4 << 10;

/// Messages of fewer segments of the usual length are sent in equal parts: each of the next message finds the buffer of
/// one that was as long, with all its lines where they are needed.
const FEW: usize = 4;
/// So many segments are many: each costs as much as the copy of some KiB.
const MANY: usize = 8;

/// The messages that are arriving in segments.
#[derive(Default)]
pub(super) struct Arrivals(SpinLock<Vec<Arrival>>);

/// A message of which some segments have come.
struct Arrival {
    from: HostId,
    eager: Eager,
    /// Bytes of all segments.
    length: usize,
    /// Bytes that have come.
    received: usize,
    destination: Destination,
    /// When the first segment came, if the time that the message takes matters.
    begin: Option<u64>,
}

/// Where the data of an arriving message goes.
enum Destination {
    /// To the target of its receive.
    Receive(PostedReceive),
    /// To a buffer, since no receive was there.
    Buffer(EagerBuffer),
}

impl Arrival {
    /// Takes the next data; none if it is not the next, or more than there is.
    fn take(&mut self, offset: usize, data: &[u8]) -> Option<()> {
        let end = offset + data.len();
        (offset == self.received && !data.is_empty() && end <= self.length).then_some(())?;
        match &mut self.destination {
            Destination::Receive(receive) => drop(memory::unpack_at(data, &receive.target, offset)),
            Destination::Buffer(buffer) => memory::copy(data, &mut buffer.bytes_mut()[offset..end]),
        }
        self.received = end;
        Some(())
    }

    fn is_complete(&self) -> bool {
        self.received == self.length
    }
}

/// The usual length of a segment, of what the transport recommends. `rep movsb` takes longer to begin than a copy by
/// vectors, and the receiver sees none of its lines before the last: longer segments pay. On Zen 5, where cores have no
/// cache in common, a message of 16 KiB takes 1.0 instead of 1.35 us, 64 KiB 3.1 instead of 4.0, 128 KiB 5.1 instead of
/// 6.6; where they have one, as long or up to 8 % less. On Zen 3, which copies by vectors, they would take 4 to 8 %
/// more.
#[inline]
fn usual_length(way: &Route<'_>) -> usize {
    match memory::writes_whole_lines() {
        true => way.segment().saturating_mul(2).min(way.capacity()),
        false => way.segment(),
    }
}

/// The data of the first segment of a message, and of each that follows but the last. The first one of a long message
/// is as long as segments usually are, so that the receiver begins soon. Those that follow are twice as long, or longer
/// if there would be many.
#[inline]
fn lengths(bytes: usize, usual: usize, longest: usize) -> (usize, usize) {
    if bytes <= usual {
        return (bytes, bytes);
    }
    if bytes < FEW * usual {
        let count = bytes.div_ceil(usual);
        let part = bytes.div_ceil(count).next_multiple_of(LINE).min(longest);
        return (part, part);
    }
    let most = (2 * usual).max(bytes / MANY).next_multiple_of(PAGE);
    (usual, most.min(longest))
}

/// Sends a packet with so many bytes of a message from byte `offset` on.
#[inline(always)]
fn send_part(
    (way, account): (&Route<'_>, &Account<'_>),
    packet: &Packet,
    source: &Source,
    (offset, length): (usize, usize),
) {
    way.send(&packet.header(account.acknowledge()), length, &mut |room| {
        memory::pack_from(source, offset, room);
    });
}

impl Network {
    /// Sends the message with this number, in as many packets as bring it soonest.
    #[inline]
    pub(super) fn send_segments(
        way: &Route<'_>,
        account: &Account<'_>,
        message: &OutgoingMessage<'_>,
        number: u32,
    ) {
        let source = message.source();
        let bytes = source.bytes();
        let (label, origin) = (message.label, origin(message.sender, number));
        let (first, following) = lengths(bytes, usual_length(way), way.capacity());
        let rest = (bytes - first) as u32;
        let packet = Packet::Eager(Eager { label, origin, rest });
        send_part((way, account), &packet, source, (0, first));
        if rest > 0 {
            Self::send_rest(way, account, source, origin, (first, following));
        }
    }

    /// Sends what follows the first segment.
    #[inline(never)]
    fn send_rest(
        way: &Route<'_>,
        account: &Account<'_>,
        source: &Source,
        origin: u64,
        (first, following): (usize, usize),
    ) {
        for offset in (first..source.bytes()).step_by(following) {
            let packet = Packet::EagerSegment(EagerSegment {
                origin,
                offset: offset as u32,
            });
            let length = following.min(source.bytes() - offset);
            send_part((way, account), &packet, source, (offset, length));
        }
    }
}

impl PacketHandler<'_> {
    /// The first segment of an eager message has come; none if the message makes no sense.
    #[inline(never)]
    pub(super) fn accept_first_segment(&self, from: HostId, eager: Eager, data: &[u8]) -> Option<()> {
        let Eager { label, rest, .. } = eager;
        let length = data.len() + rest as usize;
        // It has no effect: no receive may be taken for it.
        (!data.is_empty() && length <= LONGEST).then_some(())?;
        let to = self.endpoint(label.process)?;
        let mut table = to.table();
        let destination = match table.take_receive(label.envelope) {
            Some(receive) => {
                drop(table);
                instrument::matched(to, label.envelope, || length);
                Destination::Receive(receive)
            }
            None => Destination::Buffer(self.buffer_for(from, table, length)?),
        };
        // What a receive has to come for may lie there for long. Only processes of a node choose by these times.
        let is_timed = length > TIMED
            && matches!(destination, Destination::Receive(_))
            && self.network.is_synchronous(from);
        let mut arrival = Arrival {
            from,
            eager,
            length,
            received: 0,
            destination,
            begin: is_timed.then(time_stamp),
        };
        arrival.take(0, data)?;
        self.network.arrivals.0.lock_biased().push(arrival);
        Some(())
    }

    /// Another segment has come; none if no message waits for it.
    #[inline(never)]
    pub(super) fn accept_segment(
        &self,
        (from, account): (HostId, &Account<'_>),
        EagerSegment { origin, offset }: EagerSegment,
        data: &[u8],
    ) -> Option<()> {
        let mut arrivals = self.network.arrivals.0.lock_biased();
        let is_it = |arrival: &Arrival| arrival.from == from && arrival.eager.origin == origin;
        let place = arrivals.iter().position(is_it)?;
        let arrival = &mut arrivals[place];
        arrival.take(offset as usize, data)?;
        if arrival.is_complete() {
            let arrival = arrivals.swap_remove(place);
            drop(arrivals);
            self.finish_arrival(account, arrival);
        }
        Some(())
    }

    /// All segments of a message have come.
    fn finish_arrival(&self, account: &Account<'_>, arrival: Arrival) {
        let Arrival {
            from,
            eager: Eager { label, origin, rest },
            length,
            destination,
            begin,
            ..
        } = arrival;
        if let Some(begin) = begin {
            let first = length - rest as usize;
            self.network
                .protocol_choice
                .note_eager(length as u64, first as u64, begin);
        }
        match destination {
            Destination::Receive(PostedReceive { target, waiter }) => {
                let bytes = length.min(target.bytes());
                let transfer = Transfer {
                    bytes,
                    truncated: length > bytes,
                };
                waiter.finish(self.local, &status_of(label.envelope, &transfer));
                self.network.delivered(from, account, length);
            }
            Destination::Buffer(buffer) => {
                if let Some(to) = self.endpoint(label.process) {
                    self.match_or_queue(from, (to, label), origin, buffer);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_segments_have_all_data_and_lie_well() {
        const LONGEST: usize = 32 << 10;
        for usual in [8 << 10, 16 << 10] {
            for bytes in (1..600_000).step_by(13).chain([4096, 8192, 65536, 1 << 20]) {
                let (first, following) = lengths(bytes, usual, LONGEST);
                assert!(first <= bytes && first.max(following) <= LONGEST, "{bytes}");
                let count = 1 + (bytes - first).div_ceil(following);
                let most = match bytes < FEW * usual {
                    true => bytes.div_ceil(usual),
                    false => 1 + (bytes - usual).div_ceil((2 * usual).max(bytes / MANY).min(LONGEST)),
                };
                assert!(count <= most, "{bytes} in {count}");
                let unit = if bytes < FEW * usual { LINE } else { PAGE };
                let lie_well = first.is_multiple_of(unit) && following.is_multiple_of(unit);
                assert!(count == 1 || lie_well, "{bytes}: {first}, {following}");
            }
        }
        const USUAL: usize = 16 << 10;
        assert_eq!(lengths(20 << 10, USUAL, LONGEST), (10 << 10, 10 << 10));
        assert_eq!(lengths(48 << 10, USUAL, LONGEST), (USUAL, USUAL));
        assert_eq!(lengths(64 << 10, USUAL, LONGEST), (USUAL, LONGEST));
        assert_eq!(lengths(256 << 10, 8 << 10, LONGEST), (8 << 10, LONGEST));
    }

    #[test]
    fn a_transport_whose_packets_are_not_longer_gets_such_segments() {
        assert_eq!(lengths(20_000, 8000, 8000), (6720, 6720));
        assert_eq!(lengths(100_000, 8000, 8000), (8000, 8000));
    }
}
