//! A client of PMI-1 or PMI-2.

use super::connection::{Connection, is_good};
use super::dialect::{Dialect, Request};
use crate::host::pmi::error::PmiError;
use crate::host::pmi::launcher::{Launcher, Place};
use simurgh_net::pmi::{Form, Message};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

/// The variables that say where the server is.
pub(in crate::host::pmi) const DESCRIPTOR: &str = "PMI_FD";
pub(in crate::host::pmi) const PORT: &str = "PMI_PORT";

/// The most parts that a published value may have.
const PARTS: usize = 1 << 20;

/// The longest value, if the server does not say.
const LENGTH: usize = 256;

/// The longest value in PMI-2, whose servers do not say.
const LENGTH_OF_TWO: usize = 1023;

/// A process that the launcher knows by PMI-1 or PMI-2.
pub(in crate::host::pmi) struct Client {
    connection: Connection,
    dialect: Dialect,
    /// The name of the key-value space (PMI-1) or of the job (PMI-2).
    space: String,
    /// The longest value.
    length: usize,
    place: Place,
}

impl Client {
    /// Connects to the server that the environment names; speaks `wanted`, if it is given.
    pub(in crate::host::pmi) fn connect(wanted: Option<Dialect>) -> Result<Self, PmiError> {
        let mut client = match variable(DESCRIPTOR) {
            Some(value) => Self::over(
                inherited(value)?,
                Place::new(number("PMI_RANK")?, number("PMI_SIZE")?)?,
            ),
            None => {
                let value = variable(PORT).unwrap_or_default();
                let stream =
                    TcpStream::connect(&value).map_err(|_| PmiError::Variable { name: PORT, value })?;
                let mut client = Self::over(stream.into(), Place { rank: 0, size: 1 });
                client.introduce(number("PMI_ID")?)?;
                client
            }
        };
        rustix::io::fcntl_setfd(client.connection.as_fd(), rustix::io::FdFlags::CLOEXEC)?;
        client.agree(wanted)?;
        client.begin()?;
        Ok(client)
    }

    fn over(socket: OwnedFd, place: Place) -> Self {
        Self {
            connection: Connection::over(socket),
            dialect: Dialect::One,
            space: String::new(),
            length: LENGTH,
            place,
        }
    }

    /// Announces this process on a connection that it has opened itself, and receives its rank.
    fn introduce(&mut self, id: u32) -> Result<(), PmiError> {
        self.ask_line(
            &[("cmd", "initack".to_owned()), ("pmiid", id.to_string())],
            "initack",
        )?;
        let (mut rank, mut size) = (0, 0);
        for _ in 0..3 {
            let answer = self.connection.answer(Form::Line, "set")?;
            size = answer.number("size").unwrap_or(size);
            rank = answer.number("rank").unwrap_or(rank);
        }
        self.place = Place::new(rank, size)?;
        Ok(())
    }

    /// Agrees with the server on a dialect.
    fn agree(&mut self, wanted: Option<Dialect>) -> Result<(), PmiError> {
        if wanted != Some(Dialect::Two) {
            let answer = self.greet(Dialect::One)?;
            if is_agreed(&answer, Dialect::One) {
                return Ok(());
            }
            // A server that speaks PMI-2 alone says so, or refuses.
            let knows_lines = answer.get("cmd").as_deref() == Some("response_to_init");
            if wanted == Some(Dialect::One) || !knows_lines {
                return Err(answer.into());
            }
        }
        let answer = self.greet(Dialect::Two)?;
        if !is_agreed(&answer, Dialect::Two) {
            return Err(answer.into());
        }
        self.dialect = Dialect::Two;
        Ok(())
    }

    fn greet(&mut self, dialect: Dialect) -> Result<Message, PmiError> {
        self.connection.say(Form::Line, &dialect.greeting())?;
        self.connection.hear(Form::Line)
    }

    fn begin(&mut self) -> Result<(), PmiError> {
        match self.dialect {
            Dialect::One => {
                let most = self.ask_line(&[("cmd", "get_maxes".to_owned())], "maxes")?;
                // One character is for the end of a C string.
                let most = most.number("vallen_max");
                self.length = most.map_or(LENGTH, |most| most.saturating_sub(1).max(16) as usize);
                let answer = self.ask_line(&[("cmd", "get_my_kvsname".to_owned())], "my_kvsname")?;
                match answer.get("kvsname") {
                    Some(name) => self.space = name,
                    None => return Err(answer.into()),
                }
            }
            Dialect::Two => {
                self.length = LENGTH_OF_TWO;
                self.space = variable("PMI_JOBID").unwrap_or_default();
                let words = [
                    ("cmd", "fullinit".to_owned()),
                    ("pmijobid", self.space.clone()),
                    ("pmirank", self.place.rank.to_string()),
                    ("threaded", "FALSE".to_owned()),
                ];
                self.connection.say(Form::Frame, &words)?;
                let answer = self.connection.answer(Form::Frame, "fullinit-response")?;
                match (answer.number("rank"), answer.number("size")) {
                    (Some(rank), Some(size)) => self.place = Place::new(rank, size)?,
                    _ => return Err(answer.into()),
                }
            }
        }
        Ok(())
    }

    fn put_text(&mut self, key: &str, value: &str) -> Result<(), PmiError> {
        self.ask(&Request::Put { key, value }).map(drop)
    }

    fn get_text(&mut self, rank: u32, key: &str) -> Result<String, PmiError> {
        let answer = self.ask(&Request::Get { rank, key })?;
        match answer.get("value") {
            Some(value) => Ok(value),
            None => Err(answer.into()),
        }
    }

    fn say(&mut self, request: &Request<'_>) -> Result<(), PmiError> {
        let words = self.dialect.words(request, &self.space);
        self.connection.say(self.dialect.form(), &words)
    }

    fn hear(&mut self, request: &Request<'_>) -> Result<Message, PmiError> {
        let command = self.dialect.answer(request);
        self.connection.answer(self.dialect.form(), command)
    }

    fn ask(&mut self, request: &Request<'_>) -> Result<Message, PmiError> {
        self.say(request)?;
        self.hear(request)
    }

    fn ask_line(&mut self, words: &[(&str, String)], answer: &str) -> Result<Message, PmiError> {
        self.connection.say(Form::Line, words)?;
        self.connection.answer(Form::Line, answer)
    }
}

impl Launcher for Client {
    fn place(&self) -> Place {
        self.place
    }

    /// The value goes as hexadecimal digits, in parts that are no longer than the server takes.
    fn put(&mut self, key: &str, bytes: &[u8]) -> Result<(), PmiError> {
        let rank = self.place.rank;
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let parts: Vec<_> = text.as_bytes().chunks(self.length).collect();
        self.put_text(&format!("{key}-{rank}-n"), &parts.len().to_string())?;
        for (index, part) in parts.iter().enumerate() {
            self.put_text(&format!("{key}-{rank}-{index}"), &String::from_utf8_lossy(part))?;
        }
        Ok(())
    }

    fn get(&mut self, rank: u32, key: &str) -> Result<Vec<u8>, PmiError> {
        let strange = || PmiError::Strange {
            line: format!("value of {key}"),
        };
        let count = self.get_text(rank, &format!("{key}-{rank}-n"))?;
        let count: usize = count.parse().map_err(|_| strange())?;
        let mut text = String::new();
        for index in 0..count.min(PARTS) {
            text += &self.get_text(rank, &format!("{key}-{rank}-{index}"))?;
        }
        bytes(&text).ok_or_else(strange)
    }

    fn begin_fence(&mut self) -> Result<(), PmiError> {
        self.say(&Request::Fence)
    }

    fn end_fence(&mut self) -> Result<(), PmiError> {
        self.hear(&Request::Fence).map(drop)
    }

    fn event_fd(&self) -> BorrowedFd<'_> {
        self.connection.as_fd()
    }

    fn finalize(&mut self) -> Result<(), PmiError> {
        self.ask(&Request::Finalize).map(drop)
    }

    fn abort(&mut self, status: u8, why: &str) {
        let _ = self.say(&Request::Abort { status, why });
    }
}

fn variable(name: &'static str) -> Option<String> {
    std::env::var(name).ok()
}

fn number(name: &'static str) -> Result<u32, PmiError> {
    let value = variable(name).unwrap_or_default();
    value.parse().map_err(|_| PmiError::Variable { name, value })
}

/// The socket that the launcher has left to this process.
fn inherited(value: String) -> Result<OwnedFd, PmiError> {
    match value.parse().ok().filter(|fd| is_socket(*fd)) {
        // SAFETY:
        // - the descriptor is open, and the launcher has left it for us to own; nobody else has taken it, since the
        //   variable is removed once it is in use.
        Some(fd) => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        None => Err(PmiError::Variable {
            name: DESCRIPTOR,
            value,
        }),
    }
}

/// Whether the socket that the environment names is there.
pub(in crate::host::pmi) fn has_descriptor() -> bool {
    variable(DESCRIPTOR).is_some_and(|value| value.parse().is_ok_and(is_socket))
}

/// Whether a descriptor is an open socket.
fn is_socket(fd: i32) -> bool {
    std::fs::read_link(format!("/proc/self/fd/{fd}"))
        .is_ok_and(|target| target.to_string_lossy().starts_with("socket:"))
}

fn is_agreed(answer: &Message, dialect: Dialect) -> bool {
    let version = answer.number("pmi_version");
    is_good(answer, "response_to_init") && version.is_none_or(|version| version == dialect.version())
}

/// The bytes that hexadecimal digits stand for.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16)?).ok();
    let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?);
    text.as_bytes().chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::thread::JoinHandle;

    const ALONE: Place = Place { rank: 0, size: 1 };

    /// A server for one client. It answers the requests with these lines, and then with these frames.
    fn served(
        lines: &'static [&'static str],
        frames: &'static [&'static str],
    ) -> (Client, JoinHandle<Vec<String>>) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let server = std::thread::spawn(move || {
            let mut said = BufReader::new(theirs.try_clone().unwrap());
            let mut asked = Vec::new();
            for answer in lines {
                let mut line = String::new();
                said.read_line(&mut line).unwrap();
                asked.push(line.trim_end().to_owned());
                writeln!(&theirs, "{answer}").unwrap();
            }
            for answer in frames {
                let mut head = [0; 6];
                said.read_exact(&mut head).unwrap();
                let length: usize = String::from_utf8_lossy(&head).trim().parse().unwrap();
                let mut frame = vec![0; length];
                said.read_exact(&mut frame).unwrap();
                asked.push(String::from_utf8(frame).unwrap());
                write!(&theirs, "{:6}{answer}", answer.len()).unwrap();
            }
            asked
        });
        (Client::over(ours.into(), ALONE), server)
    }

    fn begun(client: &mut Client) -> Result<(), PmiError> {
        client.agree(None)?;
        client.begin()
    }

    #[test]
    fn a_client_speaks_as_servers_expect() {
        let (mut client, server) = served(
            &[
                "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
                "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=17",
                "cmd=my_kvsname kvsname=space",
                "cmd=put_result rc=0 msg=success",
                "cmd=put_result rc=0 msg=success",
                "cmd=barrier_out",
                "cmd=get_result rc=0 msg=success value=1",
                "cmd=get_result rc=0 msg=success value=00ff",
                "cmd=finalize_ack",
            ],
            &[],
        );
        begun(&mut client).unwrap();
        client.put("k", &[0, 255]).unwrap();
        client.fence().unwrap();
        assert_eq!(client.get(0, "k").unwrap(), [0, 255]);
        client.finalize().unwrap();
        let asked = server.join().unwrap();
        assert_eq!(asked[0], "cmd=init pmi_version=1 pmi_subversion=1");
        assert_eq!(asked[3], "cmd=put kvsname=space key=k-0-n value=1");
        assert_eq!(asked[4], "cmd=put kvsname=space key=k-0-0 value=00ff");
        assert_eq!(asked[5], "cmd=barrier_in");
        assert!(matches!(client.fence(), Err(PmiError::Gone | PmiError::Io(_))));
    }

    #[test]
    fn a_client_speaks_the_second_version_where_the_first_is_not_spoken() {
        let (mut client, server) = served(
            &[
                "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=-1",
                "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0",
            ],
            &[
                "cmd=fullinit-response;rc=0;pmi-version=2;pmi-subversion=0;rank=2;size=5;appnum=0;debugged=FALSE;",
                "cmd=kvs-put-response;rc=0;",
                "cmd=kvs-put-response;rc=0;",
                "cmd=kvs-fence-response;rc=0;",
                "cmd=kvs-get-response;rc=0;flag=TRUE;value=1;",
                "cmd=kvs-get-response;rc=0;flag=TRUE;value=07;",
                "cmd=kvs-get-response;rc=0;flag=FALSE;",
                "cmd=finalize-response;rc=0;",
            ],
        );
        begun(&mut client).unwrap();
        assert_eq!(client.place(), Place { rank: 2, size: 5 });
        client.put("k", &[7]).unwrap();
        client.fence().unwrap();
        assert_eq!(client.get(2, "k").unwrap(), [7]);
        let missing = client.get(2, "k").unwrap_err().to_string();
        assert!(missing.contains("flag=FALSE"), "{missing}");
        client.finalize().unwrap();
        let asked = server.join().unwrap();
        assert_eq!(asked[1], "cmd=init pmi_version=2 pmi_subversion=0");
        assert!(asked[2].ends_with("pmirank=0;threaded=FALSE;"), "{}", asked[2]);
        assert_eq!(asked[3], "cmd=kvs-put;key=k-2-n;value=1;");
        assert_eq!(asked[5], "cmd=kvs-fence;");
        assert!(asked[6].ends_with(";srcid=2;key=k-2-n;"), "{}", asked[6]);
        assert_eq!(asked[9], "cmd=finalize;");
    }

    #[test]
    fn what_is_refused_or_strange_is_shown() {
        for answer in ["cmd=response_to_init rc=-1", "hello", "", "cmd=other rc=0"] {
            let lines: &'static [&'static str] = Box::leak(Box::new([answer, answer]));
            let (mut client, _server) = served(lines, &[]);
            let error = begun(&mut client).unwrap_err().to_string();
            assert!(error.contains(&format!("{answer:?}")), "{error}");
        }
    }
}
