//! Packets of another host, while ranks send and receive.

use crate::input::Input;
use crate::wire::Wire;
use simurgh_core::Network;
use simurgh_mpi::constants::{ANY_SOURCE, ANY_TAG};
use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Source, Target};
use simurgh_mpi::packets::{
    ASSIST, ASSISTED, CANCEL, CANCEL_EAGER, CANCELLED, CLEAR_TO_SEND, EAGER, EAGER_SEGMENT, FRAGMENT,
    GET_DONE, HOST_BASE, KINDS, PUT_DONE, REQUEST_TO_SEND,
};
use simurgh_mpi::{Comm, Job, Layout, Mode, Process, Request};
use simurgh_net::Fabric;
use simurgh_net::transport::HEADER;
use simurgh_settings::{Id, Origin, Values};
use std::sync::Arc;

/// Bytes of the longest message.
const LONGEST: usize = 20_000;
/// The bytes between receives, and in their memory at first.
const GUARD: u8 = 0xa5;
/// Receives in one run.
const RECEIVES: usize = 8;
/// Bytes that the other host is granted.
const WINDOW: u64 = 8 << 10;
/// A number that no kind of packet has.
const UNKNOWN: u8 = 0;
/// The process number that stands for the host itself.
const HOST: u64 = HOST_BASE as u64;

/// A rank of host 0 of two hosts with two ranks each, and its operations.
struct Rank<'a> {
    wire: Wire,
    network: Arc<dyn Network>,
    world: Arc<Comm>,
    outgoing: &'a [u8],
    /// Memory for receives that have not been posted yet.
    areas: Vec<&'a mut [u8]>,
    requests: Vec<Arc<Request>>,
}

/// Takes these bytes for them.
///
/// # Panics
///
/// If something is wrong.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let outgoing = vec![5; LONGEST];
    let mut incoming = vec![GUARD; 2 * RECEIVES * LONGEST];
    let (areas, guards): (Vec<_>, Vec<_>) = incoming
        .chunks_mut(2 * LONGEST)
        .map(|chunk| chunk.split_at_mut(LONGEST))
        .unzip();
    let wire = Wire::default();
    let job = job(&wire);
    let process = Process::new(Arc::clone(&job), 0);
    process.init().expect("MPI starts");
    let mut rank = Rank {
        wire,
        network: job.driver().expect("it is joined"),
        world: process.comm_world().expect("there is a world"),
        outgoing: &outgoing,
        areas,
        requests: Vec::new(),
    };
    let mut packets = 0;
    while !input.is_over() {
        packets += rank.act(&mut input);
    }
    while rank.network.has_mail() && rank.network.poll() {}
    let stats = job.network().expect("it is joined").stats();
    assert_eq!(stats.packets_received, packets, "each packet is counted");
    assert!(stats.dropped <= packets);
    assert!(guards.iter().all(|guard| guard.iter().all(|byte| *byte == GUARD)));
    drop(rank);
    process.finalize().expect("MPI ends");
}

fn job(wire: &Wire) -> Arc<Job> {
    let mut settings = Values::default();
    settings
        .set(Id::EagerWindow, WINDOW, Origin::Preset)
        .expect("it may be so");
    let job = Job::laid_out(Layout::new(0, [(2, 0), (2, 0)]), settings);
    job.set_loss_hook(|host, _| assert_eq!(host, 1));
    let way = Arc::new(wire.clone());
    assert!(job.connect(Fabric::new(0, 0..2, vec![(way, vec![0, 1])])));
    job
}

impl Rank<'_> {
    /// Does what the next bytes mean. Gives the number of packets that follow from it.
    fn act(&mut self, input: &mut Input<'_>) -> u64 {
        match input.below(9) {
            choice @ (0..=2 | 8) => {
                let (header, data) = if choice == 0 {
                    self.packet(input)
                } else {
                    self.likely(input)
                };
                self.wire.arrive(header, data);
                self.look();
                return 1;
            }
            3 => self.receive(input),
            4 => self.send(input),
            5 => self.wire.decide(input.byte()),
            6 => self.wire.end_transfer(input.byte().is_multiple_of(2)),
            _ => self.give_up(input),
        }
        self.look();
        0
    }

    fn look(&self) {
        self.network.poll();
    }

    /// A packet that looks more or less like one of a host.
    fn packet(&self, input: &mut Input<'_>) -> ([u8; HEADER], Vec<u8>) {
        let mut header = [0; HEADER];
        let kind = input.below(1 + KINDS.len()).checked_sub(1);
        header[0] = kind.map_or(UNKNOWN, |kind| KINDS[kind]);
        let shape = input.byte();
        header[1] = if shape & 1 == 0 { 0 } else { input.byte() };
        if shape & 2 != 0 {
            header[2..8].copy_from_slice(&input.array::<6>());
        }
        for room in header[8..].chunks_exact_mut(8) {
            let word = self.word(input);
            room.copy_from_slice(&word.to_le_bytes());
        }
        let length = match shape >> 2 & 3 {
            0 => 0,
            1 => 24,
            2 => usize::from(input.byte()),
            _ => usize::from(input.short()) % 4097,
        };
        let mut data = vec![1; length];
        if length == 24 {
            for room in data.chunks_exact_mut(8) {
                room.copy_from_slice(&self.word(input).to_le_bytes());
            }
        }
        (header, data)
    }

    /// A number that makes sense, or any number.
    fn word(&self, input: &mut Input<'_>) -> u64 {
        match input.below(5) {
            0 => input.byte().into(),
            1 => u64::from(input.byte()) | u64::from(input.byte()) << 32,
            2 => HOST | u64::from(input.byte()) << 32,
            3 => input.short().into(),
            _ => input.word(),
        }
    }

    /// A packet as a host would send it, or one with a fault.
    fn likely(&self, input: &mut Input<'_>) -> ([u8; HEADER], Vec<u8>) {
        let (choice, shape, number) = (input.below(12), input.byte(), u64::from(input.byte()));
        let length = u64::from(input.short()) % (LONGEST as u64 + 1);
        // Where a message goes and comes from: rank 2 sends to rank 0, or host to host.
        let label = if shape & 1 == 0 {
            [0, 2 | number << 32]
        } else {
            [HOST, 1 | number << 32]
        };
        let [_, _, promised, sender] = self.wire.heard(REQUEST_TO_SEND, usize::from(shape >> 4));
        let [_, receiver, wanted, _] = self.wire.heard(CLEAR_TO_SEND, usize::from(shape >> 4));
        let whole = shape & 2 == 0;
        let (kind, words, data) = match choice {
            0 => {
                let rest = if whole { 0 } else { 4096 };
                (EAGER, [label[0], label[1], number, rest], length % 4097)
            }
            1 => (REQUEST_TO_SEND, [label[0], label[1], length, number], 0),
            2 => {
                let limit = if whole { promised } else { length };
                (CLEAR_TO_SEND, [sender, number, limit, 0], 0)
            }
            3 => {
                let offset = if whole { 0 } else { 4096 };
                (
                    FRAGMENT,
                    [receiver, offset, 0, 0],
                    wanted.saturating_sub(offset).min(4096),
                )
            }
            4 => (GET_DONE, [sender, 0, 0, 0], 0),
            5 => (PUT_DONE, [receiver, 0, 0, 0], 0),
            6 => (CANCELLED, [sender, 0, 0, 0], 0),
            7 => (CANCEL, [0, number, 0, 0], 0),
            8 => (ASSIST, [sender, receiver, number, promised], 0),
            9 => (EAGER_SEGMENT, [number, length % 4097, 0, 0], 4096 - length % 4097),
            10 => (ASSISTED, [receiver, number, 0, 0], 0),
            _ => (CANCEL_EAGER, [0, number, length, 0], 0),
        };
        let mut header = [0; HEADER];
        (header[0], header[1]) = (kind, u8::from(kind <= REQUEST_TO_SEND));
        for (room, word) in header[8..].chunks_exact_mut(8).zip(words) {
            room.copy_from_slice(&word.to_le_bytes());
        }
        let mut data = vec![2; data as usize];
        if kind == ASSIST || (kind == REQUEST_TO_SEND || kind == CLEAR_TO_SEND) && shape & 4 != 0 {
            data = [number, words[2], number].map(u64::to_le_bytes).concat();
        }
        if shape & 8 != 0 {
            header[input.below(HEADER)] ^= input.byte();
        }
        (header, data)
    }

    fn receive(&mut self, input: &mut Input<'_>) {
        let Some(area) = self.areas.pop() else {
            return;
        };
        // SAFETY:
        // - the area outlives the job and the wire, and nobody looks at it before their end.
        unsafe { self.wire.lend(area) };
        let length = usize::from(input.short()) % (LONGEST + 1);
        // SAFETY:
        // - as above.
        let target = unsafe { Target::new(area.as_mut_ptr(), length, Datatype::Basic(Basic::Byte)) };
        let how = input.byte();
        if how & 4 != 0 {
            let found = self.world.improbe(ANY_SOURCE, ANY_TAG).expect("it may be asked");
            if let Some((message, _)) = found {
                self.requests.push(message.irecv(self.world.process(), &target));
            }
            return;
        }
        let source = if how & 1 == 0 { ANY_SOURCE } else { 2 };
        let tag = if how & 2 == 0 {
            ANY_TAG
        } else {
            i32::from(input.byte())
        };
        let receive = self
            .world
            .irecv(&target, source, tag)
            .expect("the arguments are right");
        self.requests.push(receive);
    }

    fn send(&mut self, input: &mut Input<'_>) {
        let length = usize::from(input.short()) % (LONGEST + 1);
        let data = &self.outgoing[..length];
        // SAFETY:
        // - the data outlives the job.
        let source = unsafe { Source::new(data.as_ptr(), length, Datatype::Basic(Basic::Byte)) };
        let how = input.byte();
        let mode = if how & 1 == 0 {
            Mode::Standard
        } else {
            Mode::Synchronous
        };
        let (to, tag) = (2 + i32::from(how >> 1 & 1), i32::from(how >> 2));
        let started = self
            .world
            .isend(mode, &source, to, tag)
            .expect("the arguments are right");
        self.requests.push(started.into_request(self.world.process()));
    }

    /// Cancels or looks after what was begun.
    fn give_up(&mut self, input: &mut Input<'_>) {
        let how = input.byte();
        let Some(index) = usize::from(how >> 1).checked_rem(self.requests.len()) else {
            return;
        };
        let process = self.world.process();
        if how & 1 == 0 {
            // Sends that are complete cannot be cancelled.
            let _ = self.requests[index].cancel(process);
        } else if self.requests[index].is_done() {
            process.release(self.requests.swap_remove(index));
        }
    }
}
