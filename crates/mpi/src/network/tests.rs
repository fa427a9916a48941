//! Messages of hosts as such, and packets that nobody should send.

use super::frequent::Eager;
use super::wire::{Label, Packet};
use crate::comm::Comm;
use crate::common::{into, out, run_hosts};
use crate::constants::{ANY_SOURCE, ANY_TAG};
use crate::error::ErrorClass;
use crate::job::Job;
use crate::layout::Layout;
use crate::matching::{Envelope, PatternKinds};
use crate::network::{ActiveMessageHandler, ActiveRequest, Rounds, Service};
use crate::point2point::Mode;
use crate::process::Process;
use crate::request::{Request, Waiter};
use proptest::prelude::*;
use simurgh_core::sync::{Arc, AtomicUsize, Ordering, SpinLock};
use simurgh_net::transport::{Access, HEADER, Handler, Header, Loopback, Region, TransferError, Transport};
use simurgh_net::{Fabric, HostId};
use simurgh_settings::{Id, Origin, Values};

/// The host of a rank, and the number of hosts.
fn place(world: &Comm) -> (u32, u32) {
    let layout = world.process().job().layout();
    (layout.own(), layout.hosts().end)
}

fn single(context: u32, first: i32) -> Rounds {
    let (count, turn) = (1, 0);
    Rounds {
        context,
        first,
        count,
        turn,
    }
}

#[test]
fn bytes_of_any_number_go_round_all_hosts() {
    run_hosts(3, 1, |world| {
        let (own, hosts) = place(world);
        let (next, previous) = ((own + 1) % hosts, (own + hosts - 1) % hosts);
        for (round, size) in (0..).zip([0, 1, 100, 4096, 5000, 100_000]) {
            let host_channel = world.process().job().host_channel(single(7, round));
            if own == 0 {
                let mine = vec![round as u8; size];
                assert_eq!(host_channel.start_send(next, &out(&mine)).wait(), Ok(size));
                assert_eq!(host_channel.recv_bytes(previous).unwrap(), mine);
            } else {
                let theirs = host_channel.recv_bytes(previous).unwrap();
                assert_eq!(host_channel.start_send(next, &out(&theirs)).wait(), Ok(size));
            }
        }
    });
}

#[test]
fn lines_do_not_mix_and_both_ways_work_at_once() {
    run_hosts(2, 2, |world| {
        let (own, _) = place(world);
        let other = 1 - own;
        let local = world.rank() as u32 % 2;
        for round in 0..20 {
            let host_channel = world.process().job().host_channel(single(local, round));
            let length = [3, 2000, 20_000][round as usize % 3];
            let mine = vec![(own * 2 + local) as i32 * 100 + round; length];
            let mut theirs = vec![0; length];
            let target = into(&mut theirs);
            let receive = host_channel.start_recv(other, &target);
            let send = host_channel.start_send(other, &out(&mine));
            assert_eq!(receive.wait(), Ok(4 * length));
            assert_eq!(send.wait(), Ok(4 * length));
            assert_eq!(theirs, vec![(other * 2 + local) as i32 * 100 + round; length]);
        }
    });
}

/// A counter that other hosts add to. A request whose first number is not 0 is refused.
#[derive(Default)]
struct Counter(AtomicUsize);

impl ActiveMessageHandler for Counter {
    fn handle(&self, request: &ActiveRequest<'_>) -> Option<()> {
        let [refused, more] = request.numbers;
        if refused != 0 {
            request.refuse(ErrorClass::RmaRange.into());
            return Some(());
        }
        let before = self.0.fetch_add(more as usize, Ordering::SeqCst) as u64;
        request.reply(8, request.data.len(), &mut |room| {
            room.copy_from_slice(request.data)
        });
        request.reply(0, 8, &mut |room| room.copy_from_slice(&before.to_le_bytes()));
        Some(())
    }
}

#[test]
fn requests_are_handled_in_order_and_replied_to() {
    const ROUNDS: u64 = 300;
    run_hosts(3, 2, |world| {
        let (process, (own, hosts)) = (world.process(), place(world));
        let job = process.job();
        let network = job.connected();
        network.register(Service::Files, || Arc::new(Counter::default()));
        world.barrier().run().expect("all have come");
        let next = (own + 1) % hosts;
        // More than may be under way at a time, none of which is waited for.
        for _ in 0..ROUNDS {
            network.request(Service::Files, next, [0, 1], None, 3, &mut |room| room.fill(1));
        }
        let mut answer = [0_u8; 13];
        let target = into(&mut answer);
        let request = Request::task();
        let waiter = Waiter::Request(Arc::clone(&request));
        let replies = network.expect(process.id() as usize, next, Some(target), 2, Some(waiter));
        network.request(Service::Files, next, [0, 0], Some(replies), 5, &mut |room| {
            room.fill(7)
        });
        assert_eq!(request.wait().bytes, 13);
        assert_eq!(answer[8..], [7; 5]);
        let before = u64::from_le_bytes(answer[..8].try_into().unwrap());
        assert!((ROUNDS..=2 * ROUNDS).contains(&before), "{before}");
        let mut nothing = [0_u8; 0];
        let refused = network.ask(Service::Files, next, [1, 0], &[], &into(&mut nothing));
        assert_eq!(refused.unwrap_err().class(), ErrorClass::RmaRange);
        world.barrier().run().expect("all have come");
    });
}

/// A job of two hosts, as host 0 sees it; host 1 says nothing of its own accord.
fn two_hosts() -> (Arc<Job>, Vec<Loopback>) {
    two_hosts_with(Values::default())
}

/// As [`two_hosts`], with these settings.
fn two_hosts_with(settings: Values) -> (Arc<Job>, Vec<Loopback>) {
    let access = Access {
        read: false,
        write: false,
    };
    let mut ways = Loopback::hosts(2, access);
    let other = ways.split_off(1);
    let own = ways
        .pop()
        .map(|way| simurgh_core::sync::Arc::new(way) as simurgh_core::sync::Arc<dyn Transport>);
    let job = Job::laid_out(Layout::new(0, [(2, 0), (2, 0)]), settings);
    assert!(job.connect(Fabric::new(0, 0..2, vec![(own.unwrap(), vec![0, 1])])));
    (job, other)
}

/// Packets that look more or less like ours.
fn packets() -> impl Strategy<Value = Vec<(Header, Vec<u8>)>> {
    // Small numbers find processes, handles and lengths that there are.
    let byte = || prop_oneof![4 => Just(0_u8), 2 => 0_u8..4, 1 => any::<u8>()];
    let header = proptest::collection::vec(byte(), HEADER - 1);
    let packet = (0_u8..20, header, proptest::collection::vec(any::<u8>(), 0..80));
    let packet = packet.prop_map(|(kind, rest, data)| {
        let mut header = [0; HEADER];
        header[0] = kind;
        header[1..].copy_from_slice(&rest);
        (header, data)
    });
    proptest::collection::vec(packet, 1..60)
}

/// The label of a message from rank 2 to rank 0.
fn label_from_rank_2(world: &Comm) -> Label {
    let envelope = Envelope {
        context: world.context(),
        source: 2,
        tag: 0,
    };
    Label {
        process: 0,
        envelope,
        kinds: PatternKinds::ALL,
    }
}

/// The header of a message of which so many bytes follow in segments.
fn eager(label: Label, rest: u32) -> Header {
    let origin = 0;
    Packet::Eager(Eager { label, origin, rest }).header(0)
}

/// Sends 100 messages of this many bytes, of which only the first packet of `first` bytes comes, against a window of
/// 10 KB. Returns how many are kept, and how many are dropped.
fn flood(bytes: usize, first: usize) -> (usize, u64) {
    let mut settings = Values::default();
    settings.set(Id::EagerWindow, 10 << 10, Origin::Preset).unwrap();
    let (job, other) = two_hosts_with(settings);
    let losses = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&losses);
    job.set_loss_hook(move |host, reason| {
        assert!(host == 1 && reason.contains("granted"), "{host}: {reason}");
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let process = Process::new(Arc::clone(&job), 0);
    process.init().unwrap();
    let world = process.comm_world().unwrap();
    let label = label_from_rank_2(&world);
    let rest = (bytes - first) as u32;
    let header = eager(label, rest);
    for _ in 0..100 {
        while other[0]
            .send(0, &header, first, &mut |room| room.fill(1))
            .is_err()
        {
            job.driver().unwrap().poll();
        }
    }
    let network = job.network().unwrap();
    let driver = job.driver().unwrap();
    while driver.has_mail() && driver.poll() {}
    assert_eq!(losses.load(Ordering::Relaxed), 1, "it is told once");
    let mut kept = 0;
    let mut room = vec![0_u8; bytes];
    while world.iprobe(2, ANY_TAG).unwrap().is_some() {
        world.recv(into(&mut room), 2, ANY_TAG).unwrap();
        kept += 1;
    }
    let dropped = network.stats().dropped;
    drop(world);
    process.finalize().unwrap();
    (kept, dropped)
}

#[test]
fn a_host_that_sends_more_than_it_was_granted_does_not_fill_memory() {
    for bytes in [0, 8, 1000] {
        let (kept, dropped) = flood(bytes, bytes);
        assert!(
            kept > 0 && kept * (bytes + 128) <= 10 << 10,
            "{kept} messages of {bytes} bytes"
        );
        assert_eq!(kept as u64 + dropped, 100);
    }
    let (whole, dropped) = flood(4000, 1000);
    assert_eq!(whole, 0, "the rest of no message has come");
    assert!((98..100).contains(&dropped), "{dropped} of 100 were dropped");
}

#[test]
fn a_first_segment_without_data_takes_no_receive() {
    let (job, other) = two_hosts();
    let process = Process::new(Arc::clone(&job), 0);
    process.init().unwrap();
    let world = process.comm_world().unwrap();
    let label = label_from_rank_2(&world);
    let mut room = [0_u8; 8];
    let receive = world.irecv(&into(&mut room), 2, 0).unwrap();
    let send = |rest, length| {
        let fill = &mut |room: &mut [u8]| room.fill(1);
        other[0].send(0, &eager(label, rest), length, fill).unwrap();
    };
    send(8, 0);
    send(0, 8);
    let driver = job.driver().unwrap();
    while driver.has_mail() && driver.poll() {}
    assert_eq!(
        (receive.wait().bytes, job.network().unwrap().stats().dropped),
        (8, 1)
    );
    assert_eq!(room, [1; 8]);
    process.release(receive);
    drop(world);
    process.finalize().unwrap();
}

/// Notes packets as they come, and the data of fragments.
#[derive(Default)]
struct Notes {
    packets: SpinLock<Vec<Packet>>,
    fragments: AtomicUsize,
}

impl Handler for Notes {
    fn packet(&self, _from: HostId, header: &Header, data: &[u8]) {
        let (packet, _) = Packet::read(header, data).expect("a packet of ours");
        if matches!(packet, Packet::Fragment(_)) {
            self.fragments.fetch_add(data.len(), Ordering::Relaxed);
        }
        self.packets.lock().push(packet);
    }

    fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {}

    fn lost(&self, _host: HostId, _reason: &str) {}
}

#[test]
fn no_memory_is_written_that_this_host_cannot_access() {
    const BYTES: usize = 100_000;
    let (job, other) = two_hosts();
    let process = Process::new(Arc::clone(&job), 0);
    process.init().unwrap();
    let world = process.comm_world().unwrap();
    let sent = vec![5_u8; BYTES];
    let send = world.isend(Mode::Synchronous, &out(&sent), 2, 0).unwrap();
    let (notes, driver) = (Notes::default(), job.driver().unwrap());
    other[0].poll(&notes);
    let sender = match notes.packets.lock().as_slice() {
        [Packet::RequestToSend { sender, .. }] => *sender,
        packets => panic!("{packets:?}"),
    };
    // Nobody can write there, and the transport has not said that this host could.
    let region = Region {
        address: 16,
        length: BYTES as u64,
        key: 0,
    };
    let packet = Packet::ClearToSend {
        sender,
        receiver: sender,
        limit: BYTES as u64,
        region: Some(region),
    };
    let place = packet.region().unwrap();
    let fill = &mut |room: &mut [u8]| room.copy_from_slice(&place);
    other[0].send(0, &packet.header(0), place.len(), fill).unwrap();
    while driver.poll() | other[0].poll(&notes) {}
    assert_eq!(notes.fragments.load(Ordering::Relaxed), BYTES);
    drop((send, world));
    process.finalize().unwrap();
}

proptest! {
    #[test]
    fn whatever_a_host_sends_does_nothing_but_what_packets_can_do(packets in packets()) {
        let (job, other) = two_hosts();
        let process = Process::new(Arc::clone(&job), 0);
        process.init().unwrap();
        let world = process.comm_world().unwrap();
        // Something for the packets to meet: receives of both kinds, and a message that waits to be asked for.
        let mut room = [[7_u8; 32]; 3];
        let [first, middle, last] = &mut room;
        let receives = [first, last].map(|room| world.irecv(&into(room), ANY_SOURCE, ANY_TAG).unwrap());
        let sent = vec![5_u8; 100_000];
        let send = world.isend(Mode::Synchronous, &out(&sent), 2, 0).unwrap();
        for (header, data) in &packets {
            while other[0].send(0, header, data.len(), &mut |room| room.copy_from_slice(data)).is_err() {
                job.driver().unwrap().poll();
            }
        }
        let network = job.network().unwrap();
        let driver = job.driver().unwrap();
        while driver.has_mail() && driver.poll() {}
        prop_assert_eq!(*middle, [7; 32]);
        let (_, received) = network.fabric().counts();
        prop_assert_eq!(received, packets.len() as u64);
        prop_assert!(network.stats().dropped <= received);
        // The remaining messages are dropped with the job, and their memory lives until then.
        drop((send, receives, world));
        process.finalize().unwrap();
    }
}
