//! Running universes in tests: worlds that start others, in one process, with a launcher that is made for that, or
//! several whose jobs can meet.

use super::life;
use simurgh_core::Completion;
use simurgh_mpi::{Comm, HostRecord, Job, Launcher, Layout};
use simurgh_net::control::{Answer, Command, Question, Refusal};
use simurgh_net::job::Realm;
use simurgh_net::transport::{Access, Conditions, Loopback, Simulated, Transport};
use simurgh_net::{Fabric, HostId};
use simurgh_sched::{Builder, EcHandle, EcSpec, Runtime};
use simurgh_settings::Values;
use simurgh_testing::{Deadline, LIMIT};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The function that each rank runs, which gets the name of its program.
type Programs = dyn Fn(&str, &Arc<Comm>) + Send + Sync;

/// Runs `f` on each rank of a first world, program `"first"`, with hosts of so many ranks, over several networks on
/// which there is room for so many hosts, and on those of all worlds that it starts. A command that begins with a
/// number is spread over so many hosts.
pub(crate) fn run_universe(first: &[u32], room: u32, f: impl Fn(&str, &Arc<Comm>) + Send + Sync + 'static) {
    run_realms(&[(Realm::default(), "first", first)], room, f);
}

/// Runs `f` on each rank of the first worlds of several launchers, with the realm of each, its program, and so many
/// ranks on its hosts, and on those of all worlds that they start; there is room for so many hosts in each realm.
pub(crate) fn run_realms(
    first: &[(Realm, &str, &[u32])],
    room: u32,
    f: impl Fn(&str, &Arc<Comm>) + Send + Sync + 'static,
) {
    let f: Arc<Programs> = Arc::new(f);
    let access = Access {
        read: true,
        write: true,
    };
    let numbers = || {
        let realms = first.iter().map(|(realm, ..)| *realm);
        let all = realms.flat_map(|realm| (0..room).map(move |host| realm.number(host)));
        all.collect::<BTreeSet<_>>()
    };
    let loopback = numbers().into_iter().zip(Loopback::numbered(numbers(), access));
    Stage::new("loopback", loopback, Arc::clone(&f)).run(first);
    let simulated = Simulated::numbered(numbers(), Conditions::default());
    Stage::new("simulated", numbers().into_iter().zip(simulated), f).run(first);
}

/// The launchers and all that they have started.
pub(crate) struct Stage {
    transport: &'static str,
    programs: Arc<Programs>,
    state: Mutex<State>,
    /// Which host says that it is connected with which world.
    bonds: Mutex<BTreeSet<(HostId, u32)>>,
}

#[derive(Default)]
struct State {
    ways: HashMap<HostId, Arc<dyn Transport>>,
    hosts: Vec<Host>,
    realms: BTreeMap<Realm, Numbers>,
    /// Of all hosts that have been started.
    shares: u32,
    ports: HashMap<String, VecDeque<Waiting>>,
    names: HashMap<String, String>,
    meetings: u64,
}

/// The numbers of a realm that have been used.
#[derive(Default)]
struct Numbers {
    worlds: u32,
    hosts: u32,
    processes: u32,
    /// Other realms whose hosts its hosts know.
    acquaintances: BTreeSet<Realm>,
}

/// A host, until it has gone.
struct Host {
    place: HostRecord,
    job: Arc<Job>,
    runtime: Runtime,
    ranks: Vec<EcHandle>,
}

/// A process that waits at a port.
struct Waiting {
    accepts: bool,
    process: u32,
    told: Arc<(Completion, Mutex<Option<Answer>>)>,
}

/// A host's connection to the stage, by which it asks questions.
struct Voice {
    stage: Weak<Stage>,
    realm: Realm,
    host: HostId,
}

impl Stage {
    fn new<T: Transport + 'static>(
        transport: &'static str,
        ways: impl Iterator<Item = (HostId, T)>,
        programs: Arc<Programs>,
    ) -> Arc<Self> {
        let ways = ways.map(|(host, way)| (host, Arc::new(way) as Arc<dyn Transport>));
        let state = State {
            ways: ways.collect(),
            ..State::default()
        };
        Arc::new(Self {
            transport,
            programs,
            state: Mutex::new(state),
            bonds: Mutex::default(),
        })
    }

    fn run(self: &Arc<Self>, first: &[(Realm, &str, &[u32])]) {
        for (realm, program, hosts) in first {
            let shares = hosts.iter().map(|&ranks| ((*program).to_owned(), ranks));
            self.start(*realm, shares.collect(), None);
        }
        let mut deadline = Deadline::after(LIMIT);
        loop {
            let mut state = self.state.lock().unwrap();
            let Some(place) = state.hosts.iter().position(|host| !host.ranks.is_empty()) else {
                break;
            };
            let ended = state.hosts[place]
                .ranks
                .iter()
                .position(|rank| rank.is_finished());
            match ended {
                Some(rank) => drop(state.hosts[place].ranks.swap_remove(rank)),
                None => {
                    let others = state.hosts.len();
                    if others > 1 {
                        state.hosts.rotate_left(1);
                    }
                }
            }
            if deadline.has_passed() {
                for host in &state.hosts {
                    eprintln!(
                        "{:?}: {:?}, {:?}",
                        host.place,
                        host.job.network(),
                        host.job.unmatched(9)
                    );
                }
                std::process::exit(101);
            }
            let gone = self.let_go(&mut state);
            drop(state);
            drop(gone);
            std::thread::park_timeout(Duration::from_millis(1));
        }
        let hosts = std::mem::take(&mut self.state.lock().unwrap().hosts);
        drop(hosts);
    }

    /// Lets worlds go that have ended and are connected with nobody, apart from the first ones.
    fn let_go(&self, state: &mut State) -> Vec<Host> {
        let ended = |state: &State, world| {
            let mut hosts = state.hosts.iter().filter(|host| host.place.world == world);
            let own: Vec<_> = hosts.clone().map(|host| host.place.host).collect();
            let bonds = self.bonds.lock().unwrap();
            hosts.all(|host| host.ranks.is_empty())
                && !bonds
                    .iter()
                    .any(|(host, other)| *other == world || own.contains(host))
        };
        let worlds = |(realm, numbers): (&Realm, &Numbers)| {
            let realm = *realm;
            (1..numbers.worlds).map(move |world| realm.number(world))
        };
        let later = state.realms.iter().flat_map(worlds);
        let over: Vec<u32> = later.filter(|&world| ended(state, world)).collect();
        let (gone, there): (Vec<_>, Vec<_>) = std::mem::take(&mut state.hosts)
            .into_iter()
            .partition(|host| over.contains(&host.place.world));
        let numbers: Vec<_> = gone.iter().map(|host| host.place.host).collect();
        for host in &there {
            host.job.dismiss(&numbers);
        }
        state.hosts = there;
        gone
    }

    /// Starts a world of a realm; its first process.
    fn start(self: &Arc<Self>, realm: Realm, shares: Vec<(String, u32)>, parent: Option<&[u8]>) -> u32 {
        let mut guard = self.state.lock().unwrap();
        let state = &mut *guard;
        let newcomers = state.place(realm, shares.iter().map(|(_, ranks)| *ranks));
        let first = newcomers[0].processes.start;
        state.introduce(self.transport, realm, &newcomers);
        let mut all = state.known_in(realm);
        all.extend(newcomers.iter().cloned());
        all.sort_by_key(|place| place.host);
        let begin = newcomers[0].host;
        let range = begin..begin + newcomers.len() as u32;
        let mut made = Vec::new();
        for place in &newcomers {
            let job = Job::laid_out(Layout::among(place.host, &all), Values::default());
            // A host that is alone has no network until others come.
            if all.len() > 1 {
                let way = Arc::clone(&state.ways[&place.host]);
                let others = all.iter().map(|other| other.host);
                let others = others.filter(|host| *host != place.host).collect();
                assert!(job.connect(Fabric::new(place.host, range.clone(), vec![(way, others)])));
            }
            job.set_launcher(Voice {
                stage: Arc::downgrade(self),
                realm,
                host: place.host,
            });
            made.push(job);
        }
        for job in &made {
            if let Some(parent) = parent {
                job.set_parent(parent).expect("it is understood");
            }
        }
        // Nobody else comes until all are there.
        for ((job, place), (program, _)) in made.into_iter().zip(newcomers).zip(shares) {
            state.hosts.push(self.start_host(job, place, &program));
        }
        first
    }

    fn start_host(&self, job: Arc<Job>, place: HostRecord, program: &str) -> Host {
        let builder = Builder::new().vps(Some(1));
        let builder = match job.driver() {
            Some(network) => builder.network(network),
            None => builder,
        };
        let runtime = builder.start().expect("the runtime starts");
        let spec = EcSpec {
            stack_size: 256 << 10,
            ..EcSpec::default()
        };
        let rank = |id| {
            let (f, program) = (Arc::clone(&self.programs), program.to_owned());
            let rank = runtime.spawn(spec, 0, life(&job, id, move |world| f(&program, world)));
            rank.expect("there is a stack")
        };
        let ranks = job.layout().here().map(rank).collect();
        Host {
            place,
            job,
            runtime,
            ranks,
        }
    }

    fn spawn(self: &Arc<Self>, realm: Realm, commands: &[Command], parent: &[u8]) -> Answer {
        let mut shares = Vec::new();
        for command in commands {
            let program = command.program.to_string();
            if program == "missing" {
                return Answer::refused(Refusal::Spawn, "there is no program \"missing\"");
            }
            let hosts = program
                .chars()
                .next()
                .and_then(|first| first.to_digit(10))
                .unwrap_or(1);
            assert!(command.processes.is_multiple_of(hosts));
            shares.extend((0..hosts).map(|_| (program.clone(), command.processes / hosts)));
        }
        let first = self.start(realm, shares, Some(parent));
        Answer::Spawned {
            first,
            processes: commands.iter().map(|command| command.processes).collect(),
        }
    }

    fn wait_at(&self, port: String, accepts: bool, process: u32) -> Answer {
        let told = Arc::default();
        let mut guard = self.state.lock().unwrap();
        let state = &mut *guard;
        let Some(waiting) = state.ports.get_mut(&port) else {
            return no_port();
        };
        match waiting.iter().position(|other| other.accepts != accepts) {
            None => waiting.push_back(Waiting {
                accepts,
                process,
                told: Arc::clone(&told),
            }),
            Some(place) => {
                let other = waiting.remove(place).expect("it is there");
                state.acquaint(self.transport, other.process, process);
                state.meetings += 1;
                let partner = |process| Answer::Partner {
                    process,
                    meeting: state.meetings,
                };
                tell(&other.told, partner(process));
                return partner(other.process);
            }
        }
        drop(guard);
        told.0.wait();
        let answer = told.1.lock().unwrap().take();
        answer.unwrap_or_else(no_port)
    }
}

impl State {
    /// Numbers for a new world, whose hosts have so many processes.
    fn place(&mut self, realm: Realm, ranks: impl Iterator<Item = u32>) -> Vec<HostRecord> {
        let numbers = self.realms.entry(realm).or_default();
        let world = realm.number(numbers.worlds);
        numbers.worlds += 1;
        let place = |ranks| {
            let (host, share, first) = (numbers.hosts, self.shares, numbers.processes);
            numbers.hosts += 1;
            numbers.processes += ranks;
            self.shares += 1;
            HostRecord {
                host: realm.number(host),
                node: realm.number(host % 2),
                world,
                processes: realm.number(first)..realm.number(first + ranks),
                share,
            }
        };
        ranks.map(place).collect()
    }

    /// The hosts of those realms whose hosts know each other, this one among them, in the order of their numbers.
    fn known_in(&self, realm: Realm) -> Vec<HostRecord> {
        let others = &self.realms[&realm].acquaintances;
        let places = self.hosts.iter().map(|host| host.place.clone());
        let mut known: Vec<_> = places
            .filter(|place| realm.has(place.host) || others.contains(&Realm::of(place.host)))
            .collect();
        known.sort_by_key(|place| place.host);
        known
    }

    /// Has the hosts of these realms know others.
    fn introduce(&self, transport: &'static str, realm: Realm, newcomers: &[HostRecord]) {
        let there = self.known_in(realm);
        let is_there = |host: &&Host| there.iter().any(|place| place.host == host.place.host);
        for host in self.hosts.iter().filter(is_there) {
            host.job.admit(newcomers).expect("they are in order");
            let numbers = newcomers.iter().map(|newcomer| newcomer.host);
            match host.job.network() {
                Some(network) => numbers.for_each(|host| network.fabric().add_host(host, transport)),
                None => {
                    let own = host.place.host;
                    let way = Arc::clone(&self.ways[&own]);
                    let fabric = Fabric::new(own, own..own + 1, vec![(way, numbers.collect())]);
                    assert!(host.job.connect(fabric));
                    host.runtime.connect(host.job.driver().expect("it is connected"));
                }
            }
        }
    }

    /// Has the hosts of the realms of two processes know each other, and those that know them.
    fn acquaint(&mut self, transport: &'static str, one: u32, other: u32) {
        let (one, other) = match self.realms.keys().next() {
            Some(realm) if realm.is_alone() => return,
            _ => (Realm::of(one), Realm::of(other)),
        };
        if one == other || self.realms[&one].acquaintances.contains(&other) {
            return;
        }
        let (ours, theirs) = (self.known_in(one), self.known_in(other));
        self.introduce(transport, one, &theirs);
        self.introduce(transport, other, &ours);
        let mut all = BTreeSet::from([one, other]);
        for realm in [one, other] {
            all.extend(&self.realms[&realm].acquaintances);
        }
        for realm in &all {
            let known = all.iter().copied().filter(|known| known != realm).collect();
            self.realms.entry(*realm).or_default().acquaintances = known;
        }
    }
}

fn tell(told: &(Completion, Mutex<Option<Answer>>), answer: Answer) {
    *told.1.lock().unwrap() = Some(answer);
    told.0.complete();
}

fn no_port() -> Answer {
    Answer::refused(Refusal::Port, "there is no such port")
}

impl Launcher for Voice {
    fn ask(&self, question: Question) -> Answer {
        let stage = self.stage.upgrade().expect("the stage is there");
        let state = || stage.state.lock().unwrap();
        match question {
            Question::Spawn { commands, parent } => stage.spawn(self.realm, &commands, &parent.0),
            Question::OpenPort => {
                let mut state = state();
                let name = format!("port {}", state.ports.len());
                state.ports.insert(name.clone(), VecDeque::new());
                Answer::Port(name)
            }
            Question::ClosePort { port } => {
                let Some(waiting) = state().ports.remove(&port) else {
                    return no_port();
                };
                waiting.into_iter().for_each(|waiting| waiting.told.0.complete());
                Answer::Done
            }
            Question::Accept { port, process } => stage.wait_at(port, true, process),
            Question::Connect { port, process, .. } => stage.wait_at(port, false, process),
            Question::Publish { service, port } => {
                state().names.insert(service, port);
                Answer::Done
            }
            Question::Unpublish { service, .. } => {
                let known = state().names.remove(&service);
                known.map_or_else(no_name, |_| Answer::Done)
            }
            Question::Lookup { service } => {
                let port = state().names.get(&service).cloned();
                port.map_or_else(no_name, Answer::Port)
            }
        }
    }

    fn universe(&self) -> u64 {
        7
    }

    fn connected(&self, world: u32, so: bool) {
        let Some(stage) = self.stage.upgrade() else { return };
        let mut bonds = stage.bonds.lock().unwrap();
        let changed = match so {
            true => bonds.insert((self.host, world)),
            false => bonds.remove(&(self.host, world)),
        };
        assert!(changed, "it is told when it changes");
    }
}

fn no_name() -> Answer {
    Answer::refused(Refusal::Name, "there is no such service")
}
