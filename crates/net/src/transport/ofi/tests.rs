//! Tests of the transport over the provider tcp, on the loopback interface.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use simurgh_core::sync::SpinLock;
use simurgh_testing::{Deadline, LIMIT};

use super::*;
use crate::auth::{Nonce, Secret};
use crate::transport::HEADER;

/// Records what comes.
#[derive(Default)]
struct Notes {
    packets: SpinLock<Vec<(HostId, Header, Vec<u8>)>>,
    transfers: SpinLock<Vec<(u64, Result<(), TransferError>)>>,
    lost: SpinLock<Vec<(HostId, String)>>,
}

impl Handler for Notes {
    fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
        self.packets.lock().push((from, *header, data.to_vec()));
    }

    fn transferred(&self, token: u64, outcome: Result<(), TransferError>) {
        self.transfers.lock().push((token, outcome));
    }

    fn lost(&self, host: HostId, reason: &str) {
        self.lost.lock().push((host, reason.to_owned()));
    }
}

fn tcp() -> OfiOptions {
    named("tcp")
}

fn named(provider: &str) -> OfiOptions {
    OfiOptions {
        provider: Some(provider.into()),
        interface: Some("lo".into()),
        one_machine: true,
        authenticate: Authenticate::Auto,
    }
}

/// A secret that the number decides.
fn secret(number: u8) -> Secret {
    Secret::from_bytes(&[number; 32]).expect("as long as one")
}

/// The providers on the loopback interface that libfabric has. `net` is in 1.17 only, where it is better than tcp.
fn providers() -> impl Iterator<Item = OfiOptions> {
    let all = ["tcp", "net"].map(named).into_iter();
    all.filter(|options| OfiPort::open(options).is_ok() || options.provider.as_deref() == Some("tcp"))
}

/// Hosts in this process that monitor each other.
fn watched_hosts(count: u32, peer_timeout: Option<Duration>) -> Vec<Ofi> {
    hosts_of(&tcp(), count, peer_timeout)
}

fn hosts_of(options: &OfiOptions, count: u32, peer_timeout: Option<Duration>) -> Vec<Ofi> {
    let ports = (0..count).map(|_| OfiPort::open(options).unwrap()).collect();
    joined(ports, peer_timeout)
}

/// Hosts that all know each other.
fn joined(ports: Vec<OfiPort>, peer_timeout: Option<Duration>) -> Vec<Ofi> {
    let addresses: Vec<Vec<u8>> = ports.iter().map(OfiPort::address).collect();
    let connect = |(own, port): (HostId, OfiPort)| {
        let secret = secret(1);
        let joining = joining(own, &secret, &addresses);
        port.connect(&ConnectOptions {
            peer_timeout,
            ..joining
        })
        .unwrap()
    };
    (0..).zip(ports).map(connect).collect()
}

fn joining<'a>(own: HostId, secret: &'a Secret, addresses: &'a [Vec<u8>]) -> ConnectOptions<'a> {
    let peers = (0..).zip(addresses).map(|(host, address)| (host, &address[..]));
    ConnectOptions {
        own,
        hosts: 0..addresses.len() as u32,
        secret,
        peers: peers.filter(|(host, _)| *host != own).collect(),
        peer_timeout: None,
    }
}

/// Polls all hosts until something is so.
fn poll_until(hosts: &[Ofi], notes: &[Notes], done: impl Fn() -> bool) {
    let mut deadline = Deadline::after(LIMIT);
    while !done() {
        assert!(!deadline.has_passed(), "it takes too long");
        poll_all(hosts, notes);
    }
}

fn poll_all(hosts: &[Ofi], notes: &[Notes]) {
    for (host, notes) in hosts.iter().zip(notes) {
        host.poll(notes);
    }
}

fn notes(count: u32) -> Vec<Notes> {
    (0..count).map(|_| Notes::default()).collect()
}

/// The data of a packet: its number decides length and content.
fn data(number: u64, capacity: usize) -> Vec<u8> {
    let length = match number % 5 {
        0 => 0,
        1 => 8,
        2 => number as usize % 300,
        3 => (number as usize * 7919) % capacity,
        _ => capacity,
    };
    (0..length).map(|index| (index as u64 + number) as u8).collect()
}

#[test]
fn packets_of_all_lengths_arrive_once_and_in_order() {
    providers().for_each(|options| exchange_packets(&hosts_of(&options, 3, None)));
}

fn exchange_packets(hosts: &[Ofi]) {
    const COUNT: u64 = 500;
    let notes = notes(3);
    let capacity = hosts[0].capacity();
    for number in 0..COUNT {
        let mut header = [7; HEADER];
        header[..8].copy_from_slice(&number.to_le_bytes());
        let data = data(number, capacity);
        for (own, host) in (0..).zip(hosts) {
            for to in (0..3).filter(|to| *to != own) {
                let send = || host.send(to, &header, data.len(), &mut |room| room.copy_from_slice(&data));
                let mut deadline = Deadline::after(LIMIT);
                while send() == Err(Busy) {
                    assert!(!deadline.has_passed());
                    poll_all(hosts, &notes);
                }
            }
        }
    }
    poll_until(hosts, &notes, || {
        notes
            .iter()
            .all(|notes| notes.packets.lock().len() as u64 == 2 * COUNT)
    });
    for (own, notes) in (0..).zip(&notes) {
        for from in (0..3).filter(|from| *from != own) {
            let packets = notes.packets.lock();
            let of_host = packets.iter().filter(|(sender, ..)| *sender == from);
            for (number, (_, header, got)) in (0..).zip(of_host) {
                assert_eq!(header[..8], u64::to_le_bytes(number));
                assert_eq!(*got, data(number, capacity));
            }
        }
        assert!(notes.lost.lock().is_empty());
    }
    assert!(hosts.iter().all(|host| host.dropped() == 0));
}

#[test]
fn what_has_been_drained_arrives_though_its_sender_calls_nothing_more() {
    providers().for_each(|options| drain(&hosts_of(&options, 2, None)));
}

fn drain(hosts: &[Ofi]) {
    const COUNT: usize = 200;
    let notes = notes(2);
    let again = |act: &mut dyn FnMut() -> Result<Transfer, Busy>| {
        let mut deadline = Deadline::after(LIMIT);
        loop {
            match act() {
                Ok(transfer) => return transfer,
                Err(Busy) => assert!(!deadline.has_passed()),
            }
            poll_all(hosts, &notes);
        }
    };
    for number in 0..COUNT {
        // Long ones, and one that is injected behind them.
        let length = if number + 1 < COUNT {
            hosts[0].capacity()
        } else {
            0
        };
        let send = || hosts[0].send(1, &[1; HEADER], length, &mut |room| room.fill(2));
        again(&mut || send().map(|()| Transfer::Done));
    }
    assert_eq!(again(&mut || hosts[0].drain(1, 7)), Transfer::Started);
    poll_until(hosts, &notes, || !notes[0].transfers.lock().is_empty());
    assert_eq!(*notes[0].transfers.lock(), [(7, Ok(()))]);
    poll_until(&hosts[1..], &notes[1..], || {
        notes[1].packets.lock().len() == COUNT
    });
    assert_eq!(hosts[1].dropped(), 0);
}

#[test]
fn memory_is_read_and_written_while_it_is_exposed() {
    providers().for_each(|options| read_and_write(&hosts_of(&options, 2, None)));
}

fn read_and_write(hosts: &[Ofi]) {
    const LENGTH: usize = 3_000_000;
    const OFFSET: usize = 1000;
    let notes = notes(2);
    assert_eq!(
        hosts[0].access(1),
        Access {
            read: true,
            write: true
        }
    );
    let mut theirs: Vec<u8> = (0..LENGTH).map(|index| (index % 251) as u8).collect();
    let mut ours = vec![0u8; LENGTH - OFFSET];
    let over = |token| {
        poll_until(hosts, &notes, || {
            notes[0].transfers.lock().iter().any(|(told, _)| *told == token)
        });
        notes[0].transfers.lock().pop().unwrap().1
    };
    let retry = |begin: &mut dyn FnMut() -> Result<Transfer, TransferError>| {
        let mut deadline = Deadline::after(LIMIT);
        loop {
            match begin() {
                Err(TransferError::Busy(_)) => assert!(!deadline.has_passed()),
                other => return other,
            }
            poll_all(hosts, &notes);
        }
    };
    // SAFETY:
    // - the vectors outlive the transfers, and nobody looks at them meanwhile.
    let region = unsafe { hosts[1].expose(theirs.as_mut_ptr(), LENGTH) }.unwrap();
    let (to, length) = (ours.as_mut_ptr(), ours.len());
    // SAFETY:
    // - as above.
    let begun = retry(&mut || unsafe { hosts[0].read(1, region, OFFSET as u64, to, length, 5) });
    assert_eq!(begun, Ok(Transfer::Started));
    assert_eq!(over(5), Ok(()));
    assert!(ours == theirs[OFFSET..]);

    ours.iter_mut().for_each(|byte| *byte ^= 0x55);
    // SAFETY:
    // - as above.
    let begun = retry(&mut || unsafe { hosts[0].write(1, region, 0, to, length, 6) });
    assert_eq!(begun, Ok(Transfer::Started));
    assert_eq!(over(6), Ok(()));
    assert!(ours == theirs[..length]);

    // SAFETY:
    // - as above.
    let beyond = unsafe { hosts[0].read(1, region, OFFSET as u64 + 1, to, length, 7) };
    assert!(matches!(beyond, Err(TransferError::Refused(_))));
    hosts[1].conceal(region);
    // SAFETY:
    // - as above.
    let begun = retry(&mut || unsafe { hosts[0].read(1, region, 0, to, length, 8) });
    assert_eq!(begun, Ok(Transfer::Started));
    assert!(matches!(over(8), Err(TransferError::Refused(_))));
}

#[test]
fn registrations_of_memory_that_is_held_are_used_again() {
    let mut hosts = hosts_of(&tcp(), 2, None);
    for host in &mut hosts {
        host.memory = Memory::new(&host.endpoint, 1).cached();
    }
    read_and_write(&hosts);
    let mut memory = vec![1u8; 10_000];
    let start = memory.as_mut_ptr();
    // SAFETY:
    // - the vector is neither freed nor used before the end.
    let expose = |from: usize, length: usize| unsafe { hosts[0].expose(start.wrapping_add(from), length) };
    let unknown = [expose(0, 100).unwrap(), expose(0, 100).unwrap()];
    assert_ne!(unknown[0].key, unknown[1].key);
    unknown.into_iter().for_each(|region| hosts[0].conceal(region));
    // SAFETY:
    // - as above.
    unsafe { hosts[0].hold(start, 10_000) };
    let whole = expose(1000, 4000).unwrap();
    hosts[0].conceal(whole);
    let part = expose(2000, 100).unwrap();
    assert_eq!((part.key, part.address, part.length), (whole.key, 1000, 100));
    let same = expose(2000, 100).unwrap();
    assert_eq!(same, part);
    hosts[0].conceal(same);
    hosts[0].conceal(part);
    let wider = expose(500, 1000).unwrap();
    assert_ne!(wider.key, whole.key);
    hosts[0].conceal(wider);
    // The union is registered as a whole.
    assert_eq!(expose(500, 4500).map(|region| region.key), Ok(wider.key));
    hosts[0].conceal(wider);
    // What overlaps with memory whose pages go is registered anew; the rest stays.
    let apart = expose(8000, 1000).unwrap();
    hosts[0].conceal(apart);
    hosts[0].withdraw(start.wrapping_add(4000), 10);
    assert_eq!(expose(8000, 1000).map(|region| region.key), Ok(apart.key));
    hosts[0].conceal(apart);
    let anew = expose(500, 1000).unwrap();
    assert_ne!(anew.key, wider.key);
    hosts[0].conceal(anew);
    assert_eq!(expose(500, 1000).map(|region| region.key), Ok(anew.key));
    hosts[0].conceal(anew);
    hosts[0].release(start);
    assert_ne!(expose(500, 1000).unwrap().key, anew.key);
}

#[test]
fn a_sleeper_is_woken_by_a_packet() {
    for length in [0, 8, 1000, 10_000] {
        sleep_and_wake(&hosts_of(&tcp(), 2, None), length);
    }
}

fn sleep_and_wake(hosts: &[Ofi], length: usize) {
    let notes = notes(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut deadline = Deadline::after(LIMIT);
            for _ in 0..20 {
                let count = notes[1].packets.lock().len();
                while notes[1].packets.lock().len() == count {
                    assert!(!deadline.has_passed());
                    if hosts[1].poll(&notes[1]) || !hosts[1].arm(WaitMethod::Poll) {
                        continue;
                    }
                    let Some(WaitObject::Descriptors(bells)) = hosts[1].wait_object(WaitMethod::Poll) else {
                        panic!("tcp has a descriptor");
                    };
                    let mut fds = bells.map(|bell| PollFd::from_borrowed_fd(bell, PollFlags::IN));
                    let limit = Timespec {
                        tv_sec: LIMIT.as_secs() as i64,
                        tv_nsec: 0,
                    };
                    assert_eq!(poll(&mut fds, Some(&limit)), Ok(1), "nothing has woken it");
                    hosts[1].disarm();
                }
                while hosts[1].send(0, &[1; HEADER], length, &mut |_| {}).is_err() {
                    hosts[1].poll(&notes[1]);
                }
            }
            while notes[0].packets.lock().len() < 20 {
                hosts[1].poll(&notes[1]);
            }
        });
        for turn in 1..=20 {
            while hosts[0].send(1, &[1; HEADER], length, &mut |_| {}).is_err() {
                hosts[0].poll(&notes[0]);
            }
            poll_until(&hosts[..1], &notes[..1], || notes[0].packets.lock().len() == turn);
        }
    });
}

#[test]
fn strangers_are_dropped_and_counted() {
    let ports: Vec<OfiPort> = (0..2).map(|_| OfiPort::open(&tcp()).unwrap()).collect();
    let addresses: Vec<Vec<u8>> = ports.iter().map(OfiPort::address).collect();
    let mut ports = ports.into_iter();
    let ours = ports
        .next()
        .unwrap()
        .connect(&joining(0, &secret(1), &addresses))
        .unwrap();
    let stranger = ports
        .next()
        .unwrap()
        .connect(&joining(1, &secret(2), &addresses))
        .unwrap();
    let hosts = [ours, stranger];
    let notes = notes(2);
    while hosts[1]
        .send(0, &[1; HEADER], 8, &mut |room| room.fill(3))
        .is_err()
    {
        hosts[1].poll(&notes[1]);
    }
    poll_until(&hosts, &notes, || hosts[0].dropped() == 1);
    assert!(notes[0].packets.lock().is_empty());
}

#[test]
fn the_stricter_of_two_hosts_says_what_is_protected() {
    let choices =
        [Authenticate::Full, Authenticate::Auto, Authenticate::Auto].map(|authenticate| OfiOptions {
            authenticate,
            ..tcp()
        });
    let ports: Vec<OfiPort> = choices
        .iter()
        .map(|options| OfiPort::open(options).unwrap())
        .collect();
    let hosts = joined(ports, None);
    exchange_packets(&hosts);
    let reads = |own: usize, other| hosts[own].access(other).read;
    assert_eq!([reads(0, 1), reads(1, 0), reads(2, 0)], [false; 3]);
    assert!(reads(1, 2) && reads(2, 1));
}

#[test]
fn threads_that_send_at_the_same_time_lose_nothing() {
    const COUNT: u64 = 300;
    const THREADS: usize = 3;
    let hosts = hosts_of(&tcp(), 2, None);
    let notes = notes(2);
    let capacity = hosts[0].capacity();
    let send_all = || {
        for number in 0..COUNT {
            let data = data(number, capacity);
            let mut fill = |room: &mut [u8]| room.copy_from_slice(&data);
            let mut deadline = Deadline::after(LIMIT);
            while hosts[0].send(1, &[1; HEADER], data.len(), &mut fill) == Err(Busy) {
                assert!(!deadline.has_passed());
                std::thread::yield_now();
            }
        }
    };
    std::thread::scope(|scope| {
        (0..THREADS).for_each(|_| drop(scope.spawn(send_all)));
        poll_until(&hosts, &notes, || {
            notes[1].packets.lock().len() == THREADS * COUNT as usize
        });
    });
    assert!(notes[1].lost.lock().is_empty());
    assert_eq!(hosts[1].dropped(), 0);
}

#[test]
fn what_is_not_there_is_named() {
    let none = OfiOptions {
        provider: Some("carrier_pigeon".into()),
        ..OfiOptions::default()
    };
    let Err(error) = OfiPort::open(&none) else {
        panic!("there is none");
    };
    let text = error.to_string();
    assert!(text.contains("of provider carrier_pigeon; there are"), "{text}");
    assert!(
        text.contains("tcp;ofi_rxm/lo") || text.contains("tcp/lo"),
        "{text}"
    );
}

#[test]
fn hosts_of_another_kind_are_refused() {
    let open = || OfiPort::open(&tcp()).unwrap();
    let port = open();
    let good = port.address();
    assert_eq!(
        port.connect(&joining(0, &secret(1), &[good.clone(), vec![1, 2, 3]]))
            .err(),
        Some(OfiError::Malformed(1))
    );
    let other = address::Address {
        provider: "verbs".into(),
        main: vec![0; 16],
        heartbeat: Vec::new(),
        nonce: Nonce::random().unwrap(),
        protection: Protection::Nothing,
    };
    let error = open()
        .connect(&joining(0, &secret(1), &[good, other.to_bytes()]))
        .err();
    assert!(
        matches!(error, Some(OfiError::Mismatch { host: 1, .. })),
        "{error:?}"
    );
}

/// The time after which a silent host is lost, in tests.
const PEER_TIMEOUT: Duration = Duration::from_secs(2);

#[test]
fn a_host_that_is_gone_is_lost_and_the_others_are_not() {
    let mut hosts = watched_hosts(3, Some(PEER_TIMEOUT));
    let notes = notes(3);
    let send = |from: &Ofi, to| from.send(to, &[1; HEADER], 8, &mut |room| room.fill(3));
    for (from, to) in [(0, 1), (0, 2)] {
        while send(&hosts[from], to).is_err() {
            poll_all(&hosts, &notes);
        }
    }
    poll_until(&hosts, &notes, || !notes[2].packets.lock().is_empty());
    let begun = Instant::now();
    drop(hosts.pop());
    // Host 0 has exchanged packets with it; host 1 is the one before it by number.
    poll_until(&hosts, &notes, || {
        notes[..2].iter().all(|notes| !notes.lost.lock().is_empty())
    });
    assert!(begun.elapsed() > PEER_TIMEOUT / 2);
    for notes in &notes[..2] {
        let lost = notes.lost.lock();
        assert_eq!(lost.len(), 1);
        assert_eq!(lost[0].0, 2);
        assert!(lost[0].1.contains("no sign of life"), "{}", lost[0].1);
    }
    // Packets to it are lost with it, and do not wait for ever.
    poll_until(&hosts, &notes, || send(&hosts[0], 2) == Ok(()));
    assert_eq!(send(&hosts[0], 1), Ok(()));
}

#[test]
fn a_sleeper_is_woken_by_a_loss() {
    let mut hosts = watched_hosts(2, Some(PEER_TIMEOUT));
    let notes = notes(1);
    drop(hosts.pop());
    let mut deadline = Deadline::after(LIMIT);
    while notes[0].lost.lock().is_empty() {
        assert!(!deadline.has_passed());
        if !hosts[0].poll(&notes[0]) && hosts[0].arm(WaitMethod::Poll) {
            let Some(WaitObject::Descriptors(bells)) = hosts[0].wait_object(WaitMethod::Poll) else {
                panic!("tcp has a descriptor");
            };
            let limit = Timespec {
                tv_sec: LIMIT.as_secs() as i64,
                tv_nsec: 0,
            };
            let mut fds = bells.map(|bell| PollFd::from_borrowed_fd(bell, PollFlags::IN));
            let rung = poll(&mut fds, Some(&limit));
            assert_eq!(rung, Ok(1), "nothing has woken it");
            hosts[0].disarm();
        }
    }
}

#[test]
fn hosts_that_compute_without_a_poll_are_not_lost() {
    let hosts = watched_hosts(2, Some(Duration::from_millis(400)));
    let notes = notes(2);
    let begun = Instant::now();
    while hosts[0].send(1, &[1; HEADER], 0, &mut |_| {}).is_err() {
        poll_all(&hosts, &notes);
    }
    // Nothing but time passes: only the heartbeat threads of the two act meanwhile.
    std::thread::sleep(Duration::from_secs(2).saturating_sub(begun.elapsed()));
    poll_all(&hosts, &notes);
    assert!(notes.iter().all(|notes| notes.lost.lock().is_empty()));
}

#[test]
fn hosts_come_later_and_go() {
    let timeout = Duration::from_secs(1);
    let ports: Vec<OfiPort> = (0..2).map(|_| OfiPort::open(&tcp()).unwrap()).collect();
    let addresses: Vec<Vec<u8>> = ports.iter().map(OfiPort::address).collect();
    let [first, second] = <[OfiPort; 2]>::try_from(ports).ok().unwrap();
    let alone = ConnectOptions {
        own: 0,
        hosts: 0..1,
        secret: &secret(1),
        peers: Vec::new(),
        peer_timeout: Some(timeout),
    };
    let first = first.connect(&alone).unwrap();
    assert!(matches!(
        first.add_host(9, b"nonsense"),
        Err(OfiError::Malformed(9))
    ));
    first.add_host(9, &addresses[1]).unwrap();
    let late = ConnectOptions {
        own: 9,
        hosts: 9..10,
        peers: vec![(0, &addresses[0])],
        ..alone
    };
    let hosts = [first, second.connect(&late).unwrap()];
    let notes = notes(2);
    for (from, to) in [(0, 9), (1, 0)] {
        hosts[from]
            .send(to, &[1; HEADER], 3000, &mut |room| room.fill(7))
            .unwrap();
    }
    poll_until(&hosts, &notes, || {
        notes.iter().all(|notes| notes.packets.lock().len() == 1)
    });
    assert_eq!(notes[0].packets.lock()[0].0, 9);
    // It is watched, and yet its end is no loss.
    let [first, second] = hosts;
    first.remove_host(9);
    drop(second);
    let begun = Instant::now();
    while begun.elapsed() < 3 * timeout {
        first.poll(&notes[0]);
    }
    assert!(notes[0].lost.lock().is_empty());
}
