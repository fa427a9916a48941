//! Hosts in processes of their own, over libfabric's tcp on the loopback interface: hosts that stop, die or compute.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use simurgh_core::sync::SpinLock;
use simurgh_net::HostId;
use simurgh_net::auth::Secret;
use simurgh_net::transport::ofi::{Authenticate, ConnectOptions, Ofi, OfiOptions, OfiPort};
use simurgh_net::transport::{HEADER, Handler, Header, TransferError, Transport};
use simurgh_testing::{Deadline, LIMIT};

/// After which time a silent host is lost.
const PEER_TIMEOUT: Duration = Duration::from_secs(2);
/// Tells a process of this test that it is the other host.
const ROLE: &str = "SIMURGH_TEST_OTHER_HOST";
/// The text before an address on a line.
const FLUSH_MARKER: &str = "address ";

/// Notes what comes.
#[derive(Default)]
struct Notes {
    packets: SpinLock<Vec<Vec<u8>>>,
    lost: SpinLock<Vec<(HostId, String)>>,
}

impl Handler for Notes {
    fn packet(&self, _from: HostId, _header: &Header, data: &[u8]) {
        self.packets.lock().push(data.to_vec());
    }

    fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {}

    fn lost(&self, host: HostId, reason: &str) {
        self.lost.lock().push((host, reason.to_owned()));
    }
}

fn open() -> OfiPort {
    let options = OfiOptions {
        provider: Some("tcp".into()),
        interface: Some("lo".into()),
        one_machine: true,
        authenticate: Authenticate::Auto,
    };
    OfiPort::open(&options).expect("tcp")
}

fn connect(port: OfiPort, own: HostId, other: &[u8]) -> Ofi {
    let joining = ConnectOptions {
        own,
        hosts: 0..2,
        secret: &Secret::from_bytes(&[1; 32]).expect("as long as one"),
        peers: vec![(1 - own, other)],
        peer_timeout: Some(PEER_TIMEOUT),
    };
    port.connect(&joining).expect("an address")
}

fn send(host: &Ofi, notes: &Notes, to: HostId, data: &[u8]) {
    let mut deadline = Deadline::after(LIMIT);
    let mut fill = |room: &mut [u8]| room.copy_from_slice(data);
    while host.send(to, &[1; HEADER], data.len(), &mut fill).is_err() {
        assert!(!deadline.has_passed(), "nothing can be sent");
        host.poll(notes);
    }
}

fn show(address: &[u8]) -> String {
    let digits = address.iter().map(|byte| format!("{byte:02x}"));
    format!("{FLUSH_MARKER}{}\n", digits.collect::<String>())
}

/// The address on the next line that has one.
fn read_address(lines: &mut impl BufRead) -> Vec<u8> {
    let line = lines
        .lines()
        .map(|line| line.expect("text"))
        .find_map(|line| Some(line.split_once(FLUSH_MARKER)?.1.to_owned()))
        .expect("the other host tells its address");
    let byte = |at: usize| u8::from_str_radix(&line[at..at + 2], 16).expect("digits");
    (0..line.len()).step_by(2).map(byte).collect()
}

/// The other host: sends back what it gets, until its input is closed.
#[test]
fn other_host() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let port = open();
    print!("{}", show(&port.address()));
    std::io::stdout().flush().expect("somebody reads");
    let mut input = BufReader::new(std::io::stdin());
    let host = connect(port, 1, &read_address(&mut input));
    std::thread::spawn(move || {
        let _ = input.read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let notes = Notes::default();
    loop {
        host.poll(&notes);
        let got = std::mem::take(&mut *notes.packets.lock());
        got.iter().for_each(|data| send(&host, &notes, 0, data));
    }
}

/// The other process, which ends with this.
struct Other {
    process: Child,
    _input: ChildStdin,
}

impl Other {
    fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.process);
        kill_process(pid, signal).expect("it is there");
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A host here and one in another process, which have traffic packets.
fn pair(notes: &Notes) -> (Ofi, Other) {
    let mut process = Command::new(std::env::current_exe().expect("this test"))
        .args(["other_host", "--exact", "--nocapture"])
        .env(ROLE, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let mut input = process.stdin.take().expect("a pipe");
    let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
    let port = open();
    input
        .write_all(show(&port.address()).as_bytes())
        .expect("it reads");
    let host = connect(port, 0, &read_address(&mut output));
    let other = Other {
        process,
        _input: input,
    };
    let mut deadline = Deadline::after(LIMIT);
    for length in (0..40).map(|step| step * 400) {
        send(&host, notes, 1, &vec![length as u8; length]);
        while notes.packets.lock().is_empty() {
            assert!(!deadline.has_passed(), "nothing comes back");
            host.poll(notes);
        }
        assert_eq!(notes.packets.lock().pop().unwrap(), vec![length as u8; length]);
    }
    (host, other)
}

/// Polls until the other host is lost; how long that took.
fn await_loss(host: &Ofi, notes: &Notes) -> Duration {
    let (begun, mut deadline) = (Instant::now(), Deadline::after(LIMIT));
    while notes.lost.lock().is_empty() {
        assert!(!deadline.has_passed(), "it is not noticed");
        host.poll(notes);
    }
    assert_eq!(notes.lost.lock()[0].0, 1);
    begun.elapsed()
}

#[test]
fn a_stopped_host_is_lost_after_the_time() {
    let notes = Notes::default();
    let (host, other) = pair(&notes);
    other.signal(Signal::STOP);
    assert!(await_loss(&host, &notes) > PEER_TIMEOUT / 2);
}

#[test]
fn a_killed_host_is_lost_also_while_much_is_sent_to_it() {
    let notes = Notes::default();
    let (host, other) = pair(&notes);
    other.signal(Signal::KILL);
    let mut deadline = Deadline::after(LIMIT);
    while notes.lost.lock().is_empty() {
        assert!(!deadline.has_passed(), "it is not noticed");
        let _ = host.send(1, &[1; HEADER], 10_000, &mut |room| room.fill(1));
        host.poll(&notes);
    }
}
