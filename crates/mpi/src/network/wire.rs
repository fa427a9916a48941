//! Packets of the protocols between hosts, as bytes.
//!
//! A header is 40 bytes, little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0 | kind: one of [`packets`](super::packets) |
//! | 1 | flags |
//! | 2–3 | zero |
//! | 4–7 | credits: the cost of all that the sender of the packet has received from its receiver, modulo 2^32 |
//! | 8–23 | receiving process, context, source, tag; or two numbers |
//! | 24–31, 32–39 | two more numbers |
//!
//! [`Packet::read`] looks at every byte that it does not pass on as data, and refuses what no host of this version can
//! have sent.

use super::failures::Rounds;
use super::frequent::{Active, Eager, EagerSegment, Fragment};
use super::packets::{
    ACTIVE, ASSIST, ASSISTED, CANCEL, CANCEL_EAGER, CANCELLED, CLEAR_TO_SEND, CONTEXT, CREDIT, EAGER,
    EAGER_CANCELLED, EAGER_SEGMENT, FAILED, FRAGMENT, GET_DONE, HANDLED, PUT_DONE, REQUEST_TO_SEND,
};
use crate::context::ContextMessage;
use crate::endpoint::Handle;
use crate::matching::{Envelope, PatternKinds};
use simurgh_net::transport::{HEADER, Header, Region};

/// The content of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packet {
    /// A message, which is the data, or the first segment of one.
    Eager(Eager),
    /// Further data of a message.
    EagerSegment(EagerSegment),
    /// A request to send: a message of `length` bytes waits in its sender's memory, which may be accessible.
    RequestToSend {
        label: Label,
        length: u64,
        sender: Handle,
        region: Option<Region>,
    },
    /// A clear to send: the receiver wants the first `limit` bytes of a message. It may let the sender put them.
    ClearToSend {
        sender: Handle,
        receiver: Handle,
        limit: u64,
        region: Option<Region>,
    },
    /// A fragment of a message.
    Fragment(Fragment),
    /// The receiver has got the data of the message.
    GetDone { sender: Handle },
    /// The sender has put the data of the message.
    PutDone { receiver: Handle },
    /// The receiver copies a message, as much of it as the region is long, and asks its sender to copy some of the
    /// chunks to that region, by this counter of the receiver's host.
    Assist {
        sender: Handle,
        receiver: Handle,
        counter: u64,
        region: Region,
    },
    /// The sender has taken so many chunks of a message, and copied them unless it has failed to.
    Assisted {
        receiver: Handle,
        chunks: u32,
        has_failed: bool,
    },
    /// The sender cancels a message whose data waits at its own host.
    Cancel { process: u32, sender: Handle },
    /// The message has been cancelled.
    Cancelled { sender: Handle },
    /// The sender cancels a message that it has sent eagerly.
    CancelEager {
        process: u32,
        origin: u64,
        answer: Handle,
    },
    /// The answer: whether the message was still queued and has been withdrawn.
    EagerCancelled { answer: Handle, was_there: bool },
    /// Nothing but credits.
    Credit,
    /// An active message.
    Active(Active),
    /// Nothing but the number of requests that the sender has handled.
    Handled { handled: u32 },
    /// A message about context ids.
    Context(ContextMessage),
    /// The sender has failed in something that several hosts do together. The data says why.
    Failed(Rounds),
}

/// The receiver of a message and its envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// The receiving process, or host.
    pub(super) process: u32,
    pub(super) envelope: Envelope,
    pub(super) kinds: PatternKinds,
}

/// The data of a packet whose only data is a region.
pub(super) type RegionBytes = [u8; 16];

impl Packet {
    /// The header, with the credits of the host that gets it.
    #[inline]
    pub(super) fn header(&self, credit: u32) -> Header {
        let (kind, flags, words) = self.words();
        // Written in whole words, as it will be read: a load waits for all stores that wrote its bytes.
        let first = u64::from(kind) | u64::from(flags) << 8 | u64::from(credit) << 32;
        let mut header = [0; HEADER];
        let (places, _) = header.as_chunks_mut();
        for (place, word) in places.iter_mut().zip(std::iter::once(first).chain(words)) {
            *place = word.to_le_bytes();
        }
        header
    }

    /// Kind, flags, and four numbers.
    #[inline]
    fn words(&self) -> (u8, u8, [u64; 4]) {
        match *self {
            Self::Eager(Eager { label, origin, rest }) => {
                let [to, from] = label.words();
                (EAGER, label.kinds.bits(), [to, from, origin, rest.into()])
            }
            Self::EagerSegment(EagerSegment { origin, offset }) => {
                (EAGER_SEGMENT, 0, [origin, offset.into(), 0, 0])
            }
            Self::RequestToSend {
                label,
                length,
                sender,
                ..
            } => {
                let [to, from] = label.words();
                (REQUEST_TO_SEND, label.kinds.bits(), [to, from, length, sender.0])
            }
            Self::ClearToSend {
                sender,
                receiver,
                limit,
                region,
            } => {
                let length = region.map_or(0, |region| region.length);
                (CLEAR_TO_SEND, 0, [sender.0, receiver.0, limit, length])
            }
            Self::Fragment(Fragment { receiver, offset }) => (FRAGMENT, 0, [receiver.0, offset, 0, 0]),
            Self::GetDone { sender } => (GET_DONE, 0, [sender.0, 0, 0, 0]),
            Self::PutDone { receiver } => (PUT_DONE, 0, [receiver.0, 0, 0, 0]),
            Self::Assist {
                sender,
                receiver,
                counter,
                region,
            } => (ASSIST, 0, [sender.0, receiver.0, counter, region.length]),
            Self::Assisted {
                receiver,
                chunks,
                has_failed,
            } => (ASSISTED, has_failed.into(), [receiver.0, chunks.into(), 0, 0]),
            Self::Cancel { process, sender } => (CANCEL, 0, [process.into(), sender.0, 0, 0]),
            Self::Cancelled { sender } => (CANCELLED, 0, [sender.0, 0, 0, 0]),
            Self::CancelEager {
                process,
                origin,
                answer,
            } => (CANCEL_EAGER, 0, [process.into(), origin, answer.0, 0]),
            Self::EagerCancelled { answer, was_there } => {
                (EAGER_CANCELLED, was_there.into(), [answer.0, 0, 0, 0])
            }
            Self::Credit => (CREDIT, 0, [0; 4]),
            Self::Active(Active {
                service,
                is_reply,
                words: [first, second, third],
                handled,
            }) => {
                let flags = service | u8::from(is_reply) << 7;
                (ACTIVE, flags, [first, second, third, handled.into()])
            }
            Self::Handled { handled } => (HANDLED, 0, [handled.into(), 0, 0, 0]),
            Self::Context(notice) => (CONTEXT, 0, notice.words()),
            Self::Failed(rounds) => {
                let numbers = [
                    rounds.context,
                    rounds.first.cast_unsigned(),
                    rounds.count,
                    rounds.turn,
                ];
                (FAILED, 0, numbers.map(u64::from))
            }
        }
    }

    /// The region in the packet, as its data, without the length: for a request to send that is the length of the
    /// message, and for the others it is in the header. So the packet is short enough for providers to take it without
    /// a buffer.
    pub(super) fn region(&self) -> Option<RegionBytes> {
        let region = match *self {
            Self::RequestToSend { region, .. } | Self::ClearToSend { region, .. } => region,
            Self::Assist { region, .. } => Some(region),
            _ => None,
        };
        region.map(|Region { address, key, .. }| {
            let mut bytes = RegionBytes::default();
            for (room, word) in bytes.chunks_exact_mut(8).zip([address, key]) {
                room.copy_from_slice(&word.to_le_bytes());
            }
            bytes
        })
    }

    /// The packet and the credits that came with it; none if no host of this version can have sent it.
    #[inline]
    pub(super) fn read(header: &Header, data: &[u8]) -> Option<(Self, u32)> {
        let fields = Fields::of(header)?;
        let packet = match fields.kind {
            EAGER => Self::Eager(Eager::of(&fields)?),
            EAGER_SEGMENT => Self::EagerSegment(EagerSegment::of(&fields)?),
            FRAGMENT => Self::Fragment(Fragment::of(&fields)?),
            ACTIVE => Self::Active(Active::of(&fields)?),
            _ => fields.rare(header, data)?,
        };
        Some((packet, fields.credit))
    }
}

/// The fields that all headers have.
pub(super) struct Fields {
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) credit: u32,
    pub(super) words: [u64; 4],
}

impl Fields {
    /// The fields of a header; none if bytes are not zero that have to be.
    #[inline]
    pub(super) fn of(header: &Header) -> Option<Self> {
        let (words, _) = header.as_chunks();
        let word = |index: usize| u64::from_le_bytes(words[index]);
        let first = word(0);
        (first & 0xffff_0000 == 0).then_some(Self {
            kind: first as u8,
            flags: (first >> 8) as u8,
            credit: (first >> 32) as u32,
            words: [word(1), word(2), word(3), word(4)],
        })
    }

    /// The two numbers of a packet that has no flags and no more numbers; none if bytes are not zero that have to be.
    #[inline]
    pub(super) fn only_two(&self) -> Option<[u64; 2]> {
        let [first, second, third, fourth] = self.words;
        (self.flags == 0 && third | fourth == 0).then_some([first, second])
    }

    /// A packet of a kind that is not read by itself.
    fn rare(&self, header: &Header, data: &[u8]) -> Option<Packet> {
        let packet = self.transfer(data).or_else(|| self.note())?;
        // The packet is written again and has to be the same, so that bytes without a meaning are zero.
        let carries_data = matches!(packet, Packet::Failed(_));
        let whole = carries_data || data.len() == packet.region().map_or(0, |region| region.len());
        (whole && packet.header(self.credit) == *header).then_some(packet)
    }

    /// A packet that moves a long message.
    fn transfer(&self, data: &[u8]) -> Option<Packet> {
        let [first, second, third, fourth] = self.words;
        Some(match self.kind {
            REQUEST_TO_SEND => Packet::RequestToSend {
                label: Label::read([first, second], self.flags)?,
                length: third,
                sender: Handle(fourth),
                region: region(data, third)?,
            },
            CLEAR_TO_SEND => Packet::ClearToSend {
                sender: Handle(first),
                receiver: Handle(second),
                limit: third,
                region: region(data, fourth)?,
            },
            GET_DONE => Packet::GetDone {
                sender: Handle(first),
            },
            PUT_DONE => Packet::PutDone {
                receiver: Handle(first),
            },
            ASSIST => Packet::Assist {
                sender: Handle(first),
                receiver: Handle(second),
                counter: third,
                region: region(data, fourth)??,
            },
            ASSISTED => Packet::Assisted {
                receiver: Handle(first),
                chunks: u32::try_from(second).ok()?,
                has_failed: self.flags != 0,
            },
            _ => return None,
        })
    }

    /// Any other packet.
    fn note(&self) -> Option<Packet> {
        let [first, second, third, _] = self.words;
        Some(match self.kind {
            HANDLED => Packet::Handled {
                handled: u32::try_from(first).ok()?,
            },
            CANCEL => Packet::Cancel {
                process: u32::try_from(first).ok()?,
                sender: Handle(second),
            },
            CANCELLED => Packet::Cancelled {
                sender: Handle(first),
            },
            CANCEL_EAGER => Packet::CancelEager {
                process: u32::try_from(first).ok()?,
                origin: second,
                answer: Handle(third),
            },
            EAGER_CANCELLED => Packet::EagerCancelled {
                answer: Handle(first),
                was_there: self.flags != 0,
            },
            CREDIT => Packet::Credit,
            CONTEXT => Packet::Context(ContextMessage::read(self.words)?),
            FAILED => Packet::Failed(self.rounds()?),
            _ => return None,
        })
    }

    /// The rounds in which the sender has failed.
    fn rounds(&self) -> Option<Rounds> {
        let number = |index: usize| u32::try_from(self.words[index]).ok();
        let rounds = Rounds {
            context: number(0)?,
            first: number(1)?.cast_signed(),
            count: number(2)?,
            turn: number(3)?,
        };
        (rounds.first >= 0 && rounds.count > 0 && rounds.turn < Rounds::TURNS).then_some(rounds)
    }
}

impl Label {
    #[inline]
    fn words(&self) -> [u64; 2] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let Envelope { context, source, tag } = self.envelope;
        [
            pair(self.process, context),
            pair(source.cast_unsigned(), tag.cast_unsigned()),
        ]
    }

    #[inline]
    pub(super) fn read([to, from]: [u64; 2], kinds: u8) -> Option<Self> {
        let halves = |word: u64| (word as u32, (word >> 32) as u32);
        let ((process, context), (source, tag)) = (halves(to), halves(from));
        let (source, tag) = (source.cast_signed(), tag.cast_signed());
        (source >= 0 && tag >= 0).then_some(())?;
        Some(Self {
            process,
            envelope: Envelope { context, source, tag },
            kinds: PatternKinds::from_bits(kinds)?,
        })
    }
}

/// The number in eight bytes.
fn le(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("there are eight bytes"))
}

/// No region, or one of so many bytes; none if it is something else.
fn region(data: &[u8], length: u64) -> Option<Option<Region>> {
    if data.is_empty() {
        return Some(None);
    }
    let bytes: &RegionBytes = data.try_into().ok()?;
    Some(Some(Region {
        address: le(&bytes[..8]),
        length,
        key: le(&bytes[8..]),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::packets::KINDS;
    use super::*;
    use proptest::prelude::*;

    fn label() -> impl Strategy<Value = Label> {
        let numbers = (any::<u32>(), any::<u32>(), 0..i32::MAX, 0..i32::MAX, 0_u8..4);
        numbers.prop_map(|(process, context, source, tag, hints)| Label {
            process,
            envelope: Envelope { context, source, tag },
            kinds: PatternKinds::without(hints & 1 != 0, hints & 2 != 0),
        })
    }

    fn some_region() -> impl Strategy<Value = Region> {
        (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(address, length, key)| Region {
            address,
            length,
            key,
        })
    }

    fn maybe_region() -> impl Strategy<Value = Option<Region>> {
        proptest::option::of(some_region())
    }

    fn rounds(context: u32, first: i32, count: u32) -> Rounds {
        let turn = count % Rounds::TURNS;
        Rounds {
            context,
            first,
            count,
            turn,
        }
    }

    fn packet() -> impl Strategy<Value = Packet> {
        let handle = || any::<u64>().prop_map(Handle);
        prop_oneof![
            (label(), any::<u64>(), any::<u32>()).prop_map(|(label, origin, rest)| Packet::Eager(Eager {
                label,
                origin,
                rest
            })),
            (any::<u64>(), any::<u32>())
                .prop_map(|(origin, offset)| Packet::EagerSegment(EagerSegment { origin, offset })),
            (label(), any::<u64>(), handle(), maybe_region()).prop_map(|(label, length, sender, region)| {
                Packet::RequestToSend {
                    label,
                    length,
                    sender,
                    region: region.map(|region| Region { length, ..region }),
                }
            }),
            (handle(), handle(), any::<u64>(), maybe_region()).prop_map(
                |(sender, receiver, limit, region)| {
                    Packet::ClearToSend {
                        sender,
                        receiver,
                        limit,
                        region,
                    }
                }
            ),
            (handle(), any::<u64>())
                .prop_map(|(receiver, offset)| Packet::Fragment(Fragment { receiver, offset })),
            handle().prop_map(|sender| Packet::GetDone { sender }),
            handle().prop_map(|receiver| Packet::PutDone { receiver }),
            (handle(), handle(), any::<u64>(), some_region()).prop_map(
                |(sender, receiver, counter, region)| {
                    Packet::Assist {
                        sender,
                        receiver,
                        counter,
                        region,
                    }
                }
            ),
            (handle(), any::<u32>(), any::<bool>()).prop_map(|(receiver, chunks, has_failed)| {
                Packet::Assisted {
                    receiver,
                    chunks,
                    has_failed,
                }
            }),
            (any::<u32>(), handle()).prop_map(|(process, sender)| Packet::Cancel { process, sender }),
            handle().prop_map(|sender| Packet::Cancelled { sender }),
            (any::<u32>(), any::<u64>(), handle()).prop_map(|(process, origin, answer)| {
                Packet::CancelEager {
                    process,
                    origin,
                    answer,
                }
            }),
            (handle(), any::<bool>())
                .prop_map(|(answer, was_there)| Packet::EagerCancelled { answer, was_there }),
            Just(Packet::Credit),
            (0_u8..128, any::<bool>(), any::<[u64; 3]>(), any::<u32>()).prop_map(
                |(service, is_reply, words, handled)| Packet::Active(Active {
                    service,
                    is_reply,
                    words,
                    handled,
                })
            ),
            any::<u32>().prop_map(|handled| Packet::Handled { handled }),
            (any::<u32>(), 0..i32::MAX, 1..u32::MAX)
                .prop_map(|(context, first, count)| Packet::Failed(rounds(context, first, count))),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(packet in packet(), credit in any::<u32>()) {
            let region = packet.region();
            let data: &[u8] = region.as_ref().map_or(&[], |region| region);
            prop_assert_eq!(Packet::read(&packet.header(credit), data), Some((packet, credit)));
        }

        #[test]
        fn what_is_read_from_anything_writes_the_same(
            header in proptest::array::uniform32(any::<u8>()),
            kind in prop_oneof![proptest::sample::select(KINDS), any::<u8>()],
            data in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut whole = [0; HEADER];
            whole[0] = kind;
            whole[8..].copy_from_slice(&header);
            if let Some((packet, credit)) = Packet::read(&whole, &data) {
                prop_assert_eq!(packet.header(credit), whole);
            }
        }
    }
}
