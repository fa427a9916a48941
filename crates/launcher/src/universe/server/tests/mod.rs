//! A running server, and mpiexecs whose messages the tests choose.

mod ending;
mod enrolling;
mod meeting;
mod naming;
mod patience;
mod turns;

use super::{Server, Written};
use crate::ports::Asker;
use crate::process::PollSet;
use crate::universe::{FromServer, ToServer, Universe, UniverseEvent};
use simurgh_net::control::{Answer, Peer, Question};
use simurgh_net::encoding::Bytes;
use simurgh_net::job::{Place, Realm};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long anything may take that is certain to happen.
const PATIENCE: Duration = simurgh_testing::LIMIT;

/// A directory of a test's own.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::SeqCst);
        let name = format!("simurgh-universe-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("universe")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server in a thread of its own, until it is dropped.
struct Served {
    folder: Folder,
    /// The server ends when this is closed.
    life: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn new() -> Self {
        let folder = Folder::new();
        let (life, end) = UnixStream::pair().unwrap();
        end.set_nonblocking(true).unwrap();
        let (server, written) = Server::open(&folder.file(), Some("lo")).unwrap();
        let thread = std::thread::spawn(move || serve(server, written, &end));
        Self {
            folder,
            life: Some(life),
            thread: Some(thread),
        }
    }

    /// An mpiexec whose job has so many hosts.
    fn enroll(&self, hosts: usize) -> Fake {
        let universe = Universe::enroll(&self.folder.file(), hosts, Some(PATIENCE)).unwrap();
        Fake {
            realm: universe.realm(),
            hosts,
            universe,
            asked: 0,
        }
    }

    fn end(&mut self) {
        self.life = None;
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end();
    }
}

fn serve(mut server: Server, _written: Written, end: &UnixStream) {
    loop {
        server.sleep(end).unwrap();
        if matches!(std::io::Read::read(&mut &*end, &mut [0]), Ok(0)) {
            return;
        }
        server.work();
    }
}

/// An mpiexec.
struct Fake {
    universe: Universe,
    realm: Realm,
    hosts: usize,
    asked: u64,
}

impl Fake {
    fn send(&mut self, message: &ToServer) {
        self.universe.send(message);
    }

    /// The next event, if it comes within a time.
    fn event(&mut self, patience: Duration) -> Option<UniverseEvent> {
        let until = Instant::now() + patience;
        loop {
            if let Some(event) = self.universe.next_event() {
                return Some(event);
            }
            if Instant::now() >= until {
                return None;
            }
            let mut set = PollSet::default();
            self.universe.watch(&mut set);
            set.wait(Some(until)).unwrap();
        }
    }

    fn next_message(&mut self) -> FromServer {
        match self.event(PATIENCE) {
            Some(UniverseEvent::Said(message)) => message,
            other => panic!("{:?} receives {other:?}", self.realm),
        }
    }

    fn receives(&mut self, message: &FromServer) {
        assert_eq!(self.next_message(), *message, "{:?}", self.realm);
    }

    /// Asserts that this mpiexec has been sent nothing. The answer to another question shows that the server has
    /// handled all messages before.
    fn receives_nothing(&mut self) {
        let asker = self.ask(Question::OpenPort);
        match self.next_message() {
            FromServer::Answer { asker: to, .. } if to == asker => {}
            other => panic!("{:?} receives {other:?}", self.realm),
        }
    }

    fn number(&self, local: u32) -> u32 {
        self.realm.number(local)
    }

    /// Asks a question in the name of a host.
    fn ask(&mut self, question: Question) -> Asker {
        self.asked += 1;
        let asker = Asker {
            host: self.number(0),
            number: self.asked,
        };
        self.send(&ToServer::Ask { asker, question });
        asker
    }

    /// The answer to the last question.
    fn answer(&mut self) -> Answer {
        match self.next_message() {
            FromServer::Answer { asker, answer } if asker.number == self.asked => answer,
            other => panic!("{:?} receives {other:?}", self.realm),
        }
    }

    fn answer_to(&mut self, question: Question) -> Answer {
        self.ask(question);
        self.answer()
    }

    fn open_port(&mut self) -> String {
        match self.answer_to(Question::OpenPort) {
            Answer::Port(port) => port,
            other => panic!("{other:?}"),
        }
    }

    fn accept(&mut self, port: &str) -> Asker {
        let process = self.number(7);
        let port = port.to_owned();
        self.ask(Question::Accept { port, process })
    }

    fn connect(&mut self, port: &str) -> Asker {
        let process = self.number(8);
        let port = port.to_owned();
        self.ask(Question::Connect {
            port,
            process,
            patience: None,
        })
    }

    /// All hosts of its first world.
    fn peers(&self) -> Vec<Peer> {
        (0..self.hosts as u32).map(|host| self.peer(host, 0)).collect()
    }

    fn peer(&self, host: u32, world: u32) -> Peer {
        let address = simurgh_net::control::Address {
            transport: "ofi".to_owned(),
            bytes: Bytes(vec![7; 40]),
        };
        Peer {
            host: self.number(host),
            addresses: vec![address],
            place: Some(Place {
                node: self.number(0),
                world: self.number(world),
                first: self.number(host),
                processes: 1,
                share: self.universe.shares()[host as usize],
            }),
        }
    }

    fn gather(&mut self) {
        self.receives(&FromServer::Gather);
        let peers = self.peers();
        self.send(&ToServer::Gathered { peers });
    }

    fn meet(&mut self, peers: Vec<Peer>) {
        self.receives(&FromServer::Meet { peers });
        self.send(&ToServer::Met);
    }

    fn refused(&mut self) -> String {
        match self.answer() {
            Answer::Refused { reason, .. } => reason,
            other => panic!("{other:?}"),
        }
    }
}

/// Has ranks of two members, whose hosts do not know each other, meet at a port of the first.
fn visit(a: &mut Fake, b: &mut Fake) {
    let port = a.open_port();
    a.accept(&port);
    b.connect(&port);
}

/// Wires up two members for such a meeting.
fn wire_up(a: &mut Fake, b: &mut Fake) {
    visit(a, b);
    a.gather();
    b.gather();
    a.meet(b.peers());
    b.meet(a.peers());
    are_wired_up(a, b);
}

/// Asserts that two members hear the end of their wire-up, and their ranks of each other.
fn are_wired_up(a: &mut Fake, b: &mut Fake) {
    for fake in [&mut *a, &mut *b] {
        fake.receives(&FromServer::Introduced);
    }
    are_partners(a, b);
}

/// Asserts that ranks of two members hear of each other.
fn are_partners(a: &mut Fake, b: &mut Fake) {
    let answers = [a.answer(), b.answer()];
    let Answer::Partner { meeting, .. } = answers[0] else {
        panic!("{answers:?}");
    };
    let partner = |process| Answer::Partner { process, meeting };
    assert_eq!(answers, [partner(b.number(8)), partner(a.number(7))]);
}
