//! Running universes in tests: worlds that start others, in one process, with a launcher that is made for that.

use super::life;
use simurgh_core::Completion;
use simurgh_mpi::{Comm, Job, Launcher, Layout, Newcomer};
use simurgh_net::Fabric;
use simurgh_net::control::{Answer, Command, Question, Refusal};
use simurgh_net::transport::{Access, Conditions, HostId, Loopback, Simulated, Transport};
use simurgh_sched::{Builder, EcHandle, EcSpec, Runtime};
use simurgh_settings::Values;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// What each rank does, by the name of its program.
type Programs = dyn Fn(&str, &Arc<Comm>) + Send + Sync;

/// The longest time that a universe may take.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Runs `f` on each rank of a first world, program `"first"`, with hosts of so many ranks, over several networks on
/// which there is room for so many hosts, and on those of all worlds that it starts. A command that begins with a
/// number is spread over so many hosts.
pub(crate) fn run_universe(first: &[u32], room: u32, f: impl Fn(&str, &Arc<Comm>) + Send + Sync + 'static) {
    let f: Arc<Programs> = Arc::new(f);
    let access = Access {
        read: true,
        write: true,
    };
    let loopback = Loopback::hosts(room, access);
    Stage::new("loopback", loopback, Arc::clone(&f)).run(first);
    let simulated = Simulated::hosts(room, Conditions::default());
    Stage::new("simulated", simulated, f).run(first);
}

/// The launcher and all that it has started.
pub(crate) struct Stage {
    transport: &'static str,
    programs: Arc<Programs>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ways: Vec<Arc<dyn Transport>>,
    hosts: Vec<Host>,
    /// Numbers that have been used.
    worlds: u32,
    started: u32,
    processes: u32,
    /// Which host says that it is connected with which world.
    bonds: BTreeSet<(HostId, u32)>,
    ports: HashMap<String, VecDeque<Waiting>>,
    names: HashMap<String, String>,
    meetings: u64,
}

/// A host, until it has gone.
struct Host {
    place: Newcomer,
    job: Arc<Job>,
    runtime: Runtime,
    ranks: Vec<EcHandle>,
}

/// Who waits at a port.
struct Waiting {
    accepts: bool,
    process: u32,
    told: Arc<(Completion, Mutex<Option<Answer>>)>,
}

/// What one host asks.
struct Voice {
    stage: Weak<Stage>,
    host: HostId,
}

impl Stage {
    fn new<T: Transport + 'static>(
        transport: &'static str,
        ways: Vec<T>,
        programs: Arc<Programs>,
    ) -> Arc<Self> {
        let ways = ways.into_iter().map(|way| Arc::new(way) as Arc<dyn Transport>);
        let state = State {
            ways: ways.collect(),
            ..State::default()
        };
        Arc::new(Self {
            transport,
            programs,
            state: Mutex::new(state),
        })
    }

    fn run(self: &Arc<Self>, first: &[u32]) {
        let shares = first.iter().map(|&ranks| ("first".to_owned(), ranks)).collect();
        self.start(shares, None);
        let start = Instant::now();
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
            if start.elapsed() > TIME_LIMIT {
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

    /// Lets worlds go that have ended and are connected with nobody, apart from the first.
    fn let_go(&self, state: &mut State) -> Vec<Host> {
        let ended = |state: &State, world| {
            let mut hosts = state.hosts.iter().filter(|host| host.place.world == world);
            let own: Vec<_> = hosts.clone().map(|host| host.place.host).collect();
            let mut bonds = state.bonds.iter();
            hosts.all(|host| host.ranks.is_empty())
                && !bonds.any(|(host, other)| *other == world || own.contains(host))
        };
        let over: Vec<u32> = (1..state.worlds).filter(|&world| ended(state, world)).collect();
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

    /// Starts a world; its first process.
    fn start(self: &Arc<Self>, shares: Vec<(String, u32)>, parent: Option<&[u8]>) -> u32 {
        let mut guard = self.state.lock().unwrap();
        let state = &mut *guard;
        let (world, first) = (state.worlds, state.processes);
        let begin = state.started;
        let mut newcomers = Vec::new();
        for (host, (_, ranks)) in (begin..).zip(&shares) {
            let processes = state.processes..state.processes + ranks;
            state.processes = processes.end;
            newcomers.push(Newcomer {
                host,
                node: 0,
                world,
                processes,
                share: host,
            });
        }
        state.worlds += 1;
        state.started += newcomers.len() as u32;
        for host in &state.hosts {
            host.job.admit(&newcomers);
            let numbers = newcomers.iter().map(|newcomer| newcomer.host);
            match host.job.network() {
                Some(network) => numbers.for_each(|host| network.fabric().join(host, self.transport)),
                None => {
                    let own = host.place.host;
                    let way = Arc::clone(&state.ways[own as usize]);
                    let fabric = Fabric::new(own, own..own + 1, vec![(way, numbers.collect())]);
                    assert!(host.job.connect(fabric));
                    host.runtime.connect(host.job.driver().expect("it is connected"));
                }
            }
        }
        let mut all: Vec<_> = state.hosts.iter().map(|host| host.place.clone()).collect();
        all.extend(newcomers.iter().cloned());
        all.sort_by_key(|place| place.host);
        let range = begin..begin + newcomers.len() as u32;
        let mut made = Vec::new();
        for place in &newcomers {
            let job = Job::laid_out(Layout::among(place.host, &all), Values::default());
            // Who is alone has no network until others come.
            if all.len() > 1 {
                let way = Arc::clone(&state.ways[place.host as usize]);
                let others = all.iter().map(|other| other.host);
                let others = others.filter(|host| *host != place.host).collect();
                assert!(job.connect(Fabric::new(place.host, range.clone(), vec![(way, others)])));
            }
            job.set_launcher(Voice {
                stage: Arc::downgrade(self),
                host: place.host,
            });
            made.push(job);
        }
        drop(guard);
        for job in &made {
            if let Some(parent) = parent {
                job.set_parent(parent).expect("it is understood");
            }
        }
        let hosts = made.into_iter().zip(newcomers).zip(shares);
        let hosts: Vec<_> = hosts
            .map(|((job, place), (program, _))| self.start_host(job, place, &program))
            .collect();
        self.state.lock().unwrap().hosts.extend(hosts);
        first
    }

    fn start_host(&self, job: Arc<Job>, place: Newcomer, program: &str) -> Host {
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

    fn spawn(self: &Arc<Self>, commands: &[Command], parent: &[u8]) -> Answer {
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
        let first = self.start(shares, Some(parent));
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
            Question::Spawn { commands, parent } => stage.spawn(&commands, &parent.0),
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
            Question::Connect { port, process } => stage.wait_at(port, false, process),
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
        let mut state = stage.state.lock().unwrap();
        let changed = match so {
            true => state.bonds.insert((self.host, world)),
            false => state.bonds.remove(&(self.host, world)),
        };
        assert!(changed, "it is told when it changes");
    }
}

fn no_name() -> Answer {
    Answer::refused(Refusal::Name, "there is no such service")
}
