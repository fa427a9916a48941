//! A transport between hosts within one process over a simulated network, which is slow, busy or cut as a seed decides.
//!
//! Time is counted in polls, so that a run depends on nothing but the seed and the order of calls, and is the same on
//! every machine. Everything that the contract of transports leaves open happens: packets of different hosts overtake
//! each other, transfers complete late and in any order, sends are refused as busy at times, and a link may be cut, of
//! which both ends hear some time later.

use std::collections::BTreeMap;

use simurgh_core::sync::{Arc, AtomicBool, AtomicU32, Ordering, SpinLock, futex_wake_shared};

use super::{
    Access, Busy, Handler, Header, Region, Transfer, TransferError, Transport, WaitMethod, WaitObject,
};
use crate::HostId;

/// Most data of a packet, in bytes: small, so that little data makes many packets.
const CAPACITY: usize = 512;
/// Events handled in one poll.
const BATCH: usize = 8;

/// The properties of a simulated network.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// Seed of all random decisions.
    pub seed: u64,
    /// Longest time that a packet or transfer takes, in polls.
    pub delay: u64,
    /// One of so many sends, on average, finds no room; 0 for none.
    pub busy: u64,
    /// Time from a cut to its discovery, in polls.
    pub notice: u64,
    /// The kinds of access to remote memory that work.
    pub access: Access,
}

impl Default for Conditions {
    /// Delays of up to 50 polls, every tenth send busy, and remote memory out of reach.
    fn default() -> Self {
        Self {
            seed: 0,
            delay: 50,
            busy: 10,
            notice: 200,
            access: Access::default(),
        }
    }
}

/// One of several hosts of a simulated network.
pub struct Simulated {
    own: HostId,
    /// Its place among all.
    place: usize,
    network: Arc<Network>,
}

struct Network {
    conditions: Conditions,
    /// All hosts, ascending. A host's place is its index here.
    hosts: Box<[HostId]>,
    state: SpinLock<State>,
    bells: Box<[AtomicU32]>,
    mail: Box<[AtomicBool]>,
}

struct State {
    clock: u64,
    random: u64,
    serial: u64,
    /// Future events at each host, by time and then in the order in which they were planned.
    coming: Box<[BTreeMap<(u64, u64), Event>]>,
    /// When the last packet of each link is due, by the places of sender and receiver.
    last: Box<[u64]>,
    cut: Box<[bool]>,
}

enum Event {
    Packet {
        from: HostId,
        header: Header,
        data: Box<[u8]>,
    },
    Transferred {
        copy: Copying,
        token: u64,
    },
    Lost(HostId),
}

/// A transfer under way, with addresses whose provenance is exposed.
struct Copying {
    from: usize,
    to: usize,
    length: usize,
}

impl Simulated {
    /// `count` hosts, numbered from 0, joined by a network of these conditions.
    #[must_use]
    pub fn hosts(count: u32, conditions: Conditions) -> Vec<Self> {
        Self::numbered(0..count, conditions)
    }

    /// Hosts with these numbers, in ascending order.
    #[must_use]
    pub fn numbered(numbers: impl IntoIterator<Item = HostId>, conditions: Conditions) -> Vec<Self> {
        let mut hosts: Vec<_> = numbers.into_iter().collect();
        hosts.sort_unstable();
        let links = hosts.len() * hosts.len();
        let state = State {
            clock: 0,
            random: conditions.seed,
            serial: 0,
            coming: hosts.iter().map(|_| BTreeMap::new()).collect(),
            last: vec![0; links].into(),
            cut: vec![false; links].into(),
        };
        let network = Arc::new(Network {
            conditions,
            state: SpinLock::new(state),
            bells: hosts.iter().map(|_| AtomicU32::new(0)).collect(),
            mail: hosts.iter().map(|_| AtomicBool::new(false)).collect(),
            hosts: hosts.into(),
        });
        let host = |(place, &own)| Self {
            own,
            place,
            network: Arc::clone(&network),
        };
        network.hosts.iter().enumerate().map(host).collect()
    }

    /// Cuts the link to a host in both directions. Packets under way there are lost.
    pub fn cut(&self, other: HostId) {
        let network = &*self.network;
        for (here, there) in [(self.own, other), (other, self.own)] {
            let mut state = network.state.lock();
            let link = network.link(here, there);
            state.cut[link] = true;
            let crosses = |event: &Event| matches!(event, Event::Packet { from, .. } if *from == there);
            state.coming[network.place(here)].retain(|_, event| !crosses(event));
            let due = state.clock + network.conditions.notice;
            drop(state);
            network.plan(here, due, Event::Lost(there));
        }
    }

    /// Starts a transfer with a host, which ends some time later.
    fn transfer(&self, other: HostId, copy: Copying, token: u64) -> Result<Transfer, TransferError> {
        let network = &*self.network;
        let mut state = network.state.lock();
        if state.cut[network.link(self.own, other)] {
            return Err(TransferError::Refused(format!("the link to host {other} is cut")));
        }
        if state.one_in(network.conditions.busy) {
            return Err(Busy.into());
        }
        let due = state.later(network.conditions.delay);
        drop(state);
        network.plan(self.own, due, Event::Transferred { copy, token });
        Ok(Transfer::Started)
    }

    /// The next event whose time has come.
    fn next(&self) -> Option<Event> {
        let mut state = self.network.state.lock();
        let clock = state.clock;
        let coming = &mut state.coming[self.place];
        let due = coming
            .first_key_value()
            .is_some_and(|((due, _), _)| *due <= clock);
        let event = due.then(|| coming.pop_first()).flatten();
        // Under the lock, so that an event that is planned meanwhile is not forgotten.
        self.network.mail[self.place].store(!coming.is_empty(), Ordering::Relaxed);
        Some(event?.1)
    }
}

impl Network {
    /// The place of a host.
    fn place(&self, host: HostId) -> usize {
        self.hosts.binary_search(&host).expect("there is such a host")
    }

    fn link(&self, from: HostId, to: HostId) -> usize {
        self.place(from) * self.hosts.len() + self.place(to)
    }

    /// Plans an event at a host.
    fn plan(&self, host: HostId, due: u64, event: Event) {
        let place = self.place(host);
        let mut state = self.state.lock();
        state.serial += 1;
        let key = (due, state.serial);
        state.coming[place].insert(key, event);
        self.mail[place].store(true, Ordering::Relaxed);
        drop(state);
        let bell = &self.bells[place];
        // SeqCst: the sleeper arms, then looks for mail.
        bell.fetch_add(1, Ordering::SeqCst);
        futex_wake_shared(bell, u32::MAX);
    }
}

impl State {
    /// The next random number (SplitMix64).
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn one_in(&mut self, chances: u64) -> bool {
        chances > 0 && self.draw().is_multiple_of(chances)
    }

    /// A time from now on, at most `delay` away.
    fn later(&mut self, delay: u64) -> u64 {
        self.clock + self.draw() % (delay + 1)
    }
}

#[allow(unsafe_code, reason = "copies between the hosts' memories")]
impl Copying {
    fn run(&self) {
        let from = std::ptr::with_exposed_provenance::<u8>(self.from);
        let to = std::ptr::with_exposed_provenance_mut::<u8>(self.to);
        // SAFETY:
        // - whoever started the transfer has promised that its memory is valid and unused until the transfer is
        //   complete, and the owner of the region has promised the same of the other side.
        unsafe { to.copy_from_nonoverlapping(from, self.length) };
    }
}

#[allow(unsafe_code, reason = "takes raw memory, as the trait demands")]
impl Transport for Simulated {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn capacity(&self) -> usize {
        CAPACITY
    }

    fn send(
        &self,
        to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let (network, link) = (&*self.network, self.network.link(self.own, to));
        let mut state = network.state.lock();
        if state.one_in(network.conditions.busy) {
            return Err(Busy);
        }
        let due = state.later(network.conditions.delay).max(state.last[link]);
        state.last[link] = due;
        let cut = state.cut[link];
        drop(state);
        let mut data = vec![0; length].into_boxed_slice();
        fill(&mut data);
        if !cut {
            let (from, header) = (self.own, *header);
            network.plan(to, due, Event::Packet { from, header, data });
        }
        Ok(())
    }

    fn has_incoming(&self) -> bool {
        self.network.mail[self.place].load(Ordering::Relaxed)
    }

    fn poll(&self, handler: &dyn Handler) -> bool {
        self.network.state.lock().clock += 1;
        let mut any = false;
        for event in std::iter::from_fn(|| self.next()).take(BATCH) {
            any = true;
            match event {
                Event::Packet { from, header, data } => handler.packet(from, &header, &data),
                Event::Transferred { copy, token } => {
                    copy.run();
                    handler.transferred(token, Ok(()));
                }
                Event::Lost(host) => handler.lost(host, "the link to it is cut"),
            }
        }
        // While events are planned, time has to pass.
        any || self.has_incoming()
    }

    fn access(&self, _host: HostId) -> Access {
        self.network.conditions.access
    }

    unsafe fn expose(&self, address: *mut u8, length: usize) -> Result<Region, TransferError> {
        Ok(Region {
            address: address.expose_provenance() as u64,
            length: length as u64,
            key: 0,
        })
    }

    fn conceal(&self, _region: Region) {}

    unsafe fn read(
        &self,
        from: HostId,
        region: Region,
        offset: u64,
        to: *mut u8,
        length: usize,
        token: u64,
    ) -> Result<Transfer, TransferError> {
        let copy = Copying {
            from: (region.address + offset) as usize,
            to: to.expose_provenance(),
            length,
        };
        self.transfer(from, copy, token)
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
        let copy = Copying {
            from: from.expose_provenance(),
            to: (region.address + offset) as usize,
            length,
        };
        self.transfer(to, copy, token)
    }

    fn wait_object(&self, waiting: WaitMethod) -> Option<WaitObject<'_>> {
        (waiting == WaitMethod::Futex).then(|| WaitObject::Word(&self.network.bells[self.place]))
    }

    fn arm(&self, _waiting: WaitMethod) -> bool {
        !self.has_incoming()
    }

    fn disarm(&self) {}

    fn dropped(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::super::HEADER;
    use super::*;

    /// Records what happens.
    #[derive(Default)]
    struct Notes(SpinLock<Vec<String>>);

    impl Notes {
        fn taken(&self) -> Vec<String> {
            std::mem::take(&mut self.0.lock())
        }
    }

    impl Handler for Notes {
        fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
            self.0.lock().push(format!("{from}:{}:{}", header[0], data.len()));
        }

        fn transferred(&self, token: u64, outcome: Result<(), TransferError>) {
            self.0.lock().push(format!("transfer {token} {outcome:?}"));
        }

        fn lost(&self, host: HostId, reason: &str) {
            self.0.lock().push(format!("host {host}: {reason}"));
        }
    }

    /// The packets that host 2 gets when hosts 0 and 1 send it a hundred each.
    fn received(seed: u64) -> Vec<String> {
        let hosts = Simulated::hosts(
            3,
            Conditions {
                seed,
                ..Conditions::default()
            },
        );
        for number in 0..100 {
            for host in &hosts[..2] {
                let send = || host.send(2, &[number; HEADER], 3, &mut |room| room.fill(number));
                while send().is_err() {}
            }
        }
        let notes = Notes::default();
        while hosts[2].poll(&notes) {}
        notes.taken()
    }

    #[test]
    fn a_seed_decides_the_order_and_no_link_reorders() {
        let got = received(7);
        assert_eq!(got, received(7));
        assert_ne!(got, received(8));
        for host in 0..2 {
            let of_host: Vec<_> = got
                .iter()
                .filter(|note| note.starts_with(&format!("{host}:")))
                .collect();
            let wanted: Vec<_> = (0..100).map(|number| format!("{host}:{number}:3")).collect();
            assert!(of_host.into_iter().eq(&wanted));
        }
    }

    #[test]
    #[allow(unsafe_code, reason = "transfers take raw memory")]
    fn transfers_move_their_data_before_they_are_over() {
        let access = Access {
            read: true,
            write: true,
        };
        let conditions = Conditions {
            access,
            busy: 0,
            ..Conditions::default()
        };
        let hosts = Simulated::hosts(2, conditions);
        let (mut remote, mut local) = ([1_u8, 2, 3, 4], [0_u8; 2]);
        // SAFETY:
        // - both arrays live, and are left alone, until the last transfer is over.
        let started = unsafe {
            let region = hosts[1].expose(remote.as_mut_ptr(), 4).unwrap();
            hosts[0].read(1, region, 1, local.as_mut_ptr(), 2, 9)
        };
        assert_eq!(started, Ok(Transfer::Started));
        let notes = Notes::default();
        while hosts[0].poll(&notes) {}
        assert_eq!(notes.taken(), ["transfer 9 Ok(())"]);
        assert_eq!(local, [2, 3]);
    }

    #[test]
    fn both_ends_hear_of_a_cut() {
        let hosts = Simulated::hosts(2, Conditions::default());
        while hosts[0].send(1, &[0; HEADER], 0, &mut |_| {}).is_err() {}
        hosts[0].cut(1);
        while hosts[1].send(0, &[0; HEADER], 0, &mut |_| {}).is_err() {}
        let notes = [Notes::default(), Notes::default()];
        while hosts[0].poll(&notes[0]) | hosts[1].poll(&notes[1]) {}
        assert_eq!(notes[0].taken(), ["host 1: the link to it is cut"]);
        assert_eq!(notes[1].taken(), ["host 0: the link to it is cut"]);
    }
}
