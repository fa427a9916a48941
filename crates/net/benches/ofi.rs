//! The transport over libfabric's tcp and the loopback interface, between two threads on two cores: what two processes
//! would have, too, and what `fi_pingpong -p tcp -e rdm` measures.
//!
//! `cargo bench -p simurgh-net --bench ofi`, on a quiet machine or with `chrt -r 1`. `PROVIDER=net` takes another
//! provider, `AUTHENTICATE=off` or `full` protects less or more.

mod pair;

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use simurgh_net::HostId;
use simurgh_net::auth::Secret;
use simurgh_net::transport::ofi::{Authenticate, ConnectOptions, Ofi, OfiOptions, OfiPort};
use simurgh_net::transport::{HEADER, Transport};

use pair::{Count, by_length, read, receive, send, together};

/// Two hosts in this process.
fn pair() -> [Ofi; 2] {
    let options = OfiOptions {
        provider: Some(std::env::var("PROVIDER").unwrap_or("tcp".to_owned())),
        interface: Some("lo".to_owned()),
        one_machine: true,
        authenticate: match std::env::var("AUTHENTICATE").as_deref() {
            Ok("off") => Authenticate::Off,
            Ok("full") => Authenticate::Full,
            _ => Authenticate::Auto,
        },
    };
    let secret = Secret::random().expect("random numbers");
    let ports = [0, 1].map(|_| OfiPort::open(&options).expect("tcp"));
    let addresses = [0, 1].map(|host: usize| ports[host].address());
    let [zero, one] = ports;
    let connect = |port: OfiPort, own: HostId| {
        let other = 1 - own;
        port.connect(&ConnectOptions {
            own,
            hosts: 0..2,
            secret: &secret,
            peers: vec![(other, &addresses[other as usize])],
            peer_timeout: None,
        })
        .expect("addresses")
    };
    [connect(zero, 0), connect(one, 1)]
}

/// Half the time of long data that is announced by a packet and read by its receiver, there and back.
fn reads(rounds: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let counts = [Count::new(), Count::new()];
    let (mut ours, mut theirs) = (vec![1u8; length], vec![2u8; length]);
    let (mut to_us, mut to_them) = (vec![0u8; length], vec![0u8; length]);
    let tell = |host: &Ofi, count: &Count, to: HostId| send(host, count, to, &[1; HEADER], &[]);
    // SAFETY:
    // - the memory lives longer than the region.
    let region = unsafe { here.expose(ours.as_mut_ptr(), length) }.expect("memory");
    // SAFETY:
    // - as above.
    let region_there = unsafe { there.expose(theirs.as_mut_ptr(), length) }.expect("memory");
    let mut ask = |first: u64, rounds: u64| {
        for round in first..first + rounds {
            tell(&here, &counts[0], 1);
            receive(&here, &counts[0], round + 1);
            read(&here, &counts[0], 1, region_there, &mut to_us);
        }
        tell(&here, &counts[0], 1);
    };
    let mut answer = |first: u64, rounds: u64| {
        let before = first / WARM;
        for round in first..first + rounds {
            receive(&there, &counts[1], before + round + 1);
            read(&there, &counts[1], 0, region, &mut to_them);
            tell(&there, &counts[1], 0);
        }
        // The other one reads from here until it says that it is over.
        receive(&there, &counts[1], before + first + rounds + 1);
    };
    together(|| ask(0, WARM), || answer(0, WARM));
    let time = together(|| ask(WARM, rounds), || answer(WARM, rounds));
    assert!(to_us == theirs && to_them == ours);
    time / 2
}

/// Rounds before those that count: connections are made meanwhile.
const WARM: u64 = 100;
/// Things done at a time, so that what comes before and after does not count.
const BATCH: u64 = 1000;
/// The same for long data.
const FEW: u64 = 20;

fn benches(criterion: &mut Criterion) {
    by_length(
        criterion,
        "ofi latency",
        &[8, 1024, 16000],
        (BATCH, false),
        |rounds, length| pair::latency(pair(), WARM, rounds, length),
    );
    by_length(criterion, "ofi read", &[64 << 10, 1 << 20], (FEW, true), reads);
}

criterion_group!(all, benches);
criterion_main!(all);
