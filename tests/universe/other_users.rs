//! Other users of the machine, who can connect to the port of a universe but cannot read its file.

use super::{LIMIT, Universe, build};
use simurgh_testing::{Signal, Started, passed, signal, until};
use std::process::Command;

/// A user without a universe.
const NOBODY: &str = "65534";

/// A script that takes a port, answers the first connection with a frame, and prints what it receives.
const IMPOSTOR: &str = "
import socket, struct, sys
address, port, answer = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
server = socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET)
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind((address, port))
server.listen()
print('up', flush=True)
caller = server.accept()[0]
heard = caller.recv(65536)
caller.sendall(b'SMRG' + struct.pack('<II', len(answer), 0) + answer)
while True:
    more = caller.recv(65536)
    if not more:
        break
    heard += more
print(heard.decode(errors='replace'), flush=True)
";

/// A script that connects so many times, sends nothing, and stays.
const IDLER: &str = "
import socket, sys, time
address, port, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
idle = [socket.create_connection((address, port)) for _ in range(number)]
print('up', flush=True)
time.sleep(600)
";

/// The same repeatedly; the earlier connections are closed.
const FLOOD: &str = "
import socket, sys, time
address, port, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
idle = [socket.create_connection((address, port)) for _ in range(number)]
print('up', flush=True)
while True:
    for place in range(number):
        idle[place] = socket.create_connection((address, port))
        time.sleep(0.001)
";

/// A script that another user runs, and that has printed that it is up.
fn stranger(script: &str, arguments: &[&str]) -> Started {
    let mut command = Command::new("setpriv");
    command.args([
        "--reuid",
        NOBODY,
        "--clear-groups",
        "/usr/bin/python3",
        "-c",
        script,
    ]);
    let mut started = Started::new(command.args(arguments));
    started.says("up\n");
    started
}

/// The content of a universe's file.
struct Contact(String);

impl Contact {
    /// Reads the file of a universe, which may have yet to write it.
    fn of(universe: &Universe) -> Self {
        let read = || std::fs::read_to_string(&universe.file);
        assert!(until(LIMIT, || read().is_ok()), "there is a file");
        Self(read().unwrap())
    }

    /// The text behind a name, up to one of these characters.
    fn value(&self, name: &str, ends: &[char]) -> &str {
        let (_, rest) = self.0.split_once(&format!("\"{name}\":")).unwrap();
        let rest = rest.trim_start_matches(['[', '"']);
        rest.split(ends).next().unwrap()
    }

    fn address(&self) -> &str {
        self.value("addresses", &['"'])
    }

    fn port(&self) -> &str {
        self.value("port", &[',', '}'])
    }

    fn secret(&self) -> &str {
        self.value("secret", &['"'])
    }
}

#[test]
fn who_takes_the_port_of_a_universe_that_is_gone_learns_nothing_and_is_not_believed() {
    let zeros = "0".repeat(64);
    let answers = [
        "{\"Enrolled\":{\"realm\":1,\"shares\":[0,1,2,3,4,5,6,7]}}".to_owned(),
        format!("{{\"Challenge\":{{\"nonce\":\"{zeros}\",\"proof\":\"{zeros}\"}}}}"),
    ];
    let program = build("universe_ports");
    for answer in answers {
        let mut universe = Universe::new("universe-impostor");
        let contact = Contact::of(&universe);
        universe.hit(Signal::KILL);
        let impostor = stranger(IMPOSTOR, &[contact.address(), contact.port(), &answer]);
        let outcome = universe.mpiexec(1).args(["keep", "service"]).run(&program);
        let heard = impostor.ends(LIMIT).stdout;
        assert!(!heard.contains(contact.secret()), "{heard}");
        outcome
            .expect_code(1)
            .expect_stderr("the universe does not take up this job: ");
        assert_eq!(outcome.stdout, "", "{outcome}");
    }
}

#[test]
fn strangers_who_say_nothing_keep_nobody_out() {
    let program = build("universe_ports");
    for script in [IDLER, FLOOD] {
        let mut universe = Universe::new("universe-strangers");
        let contact = Contact::of(&universe);
        let strangers = stranger(script, &[contact.address(), contact.port(), "400"]);
        let outcome = universe.mpiexec(2).args(["keep", "service"]).run(&program);
        assert_eq!(outcome.expect_success().stdout, passed(2), "{outcome}");
        signal(strangers.id(), Signal::KILL);
        strangers.ends(LIMIT);
        universe.end();
    }
}

/// All jobs of this universe are on this machine, where nobody else can reach it.
#[test]
fn a_universe_listens_where_it_is_told_to() {
    let mut universe = Universe::listening("universe-interface", &["--interface", "lo"]);
    let program = build("universe_ports");
    let outcome = universe.mpiexec(1).args(["keep", "service"]).run(&program);
    assert_eq!(outcome.expect_success().stdout, passed(1), "{outcome}");
    let contact = Contact::of(&universe);
    assert_eq!(contact.address(), "127.0.0.1");
    // Addresses and ports in hexadecimal.
    let port = contact.port().parse::<u16>().unwrap();
    let everywhere = [
        format!(" 00000000:{port:04X} "),
        format!(" {}:{port:04X} ", "0".repeat(32)),
    ];
    let listening =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    assert!(
        listening[0].contains(&format!(" 0100007F:{port:04X} ")),
        "{listening:?}"
    );
    let holds = |place: &String| listening.iter().any(|lines| lines.contains(place));
    assert!(!everywhere.iter().any(holds), "{listening:?}");
    universe.end();
}
