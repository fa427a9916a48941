//! A client of PMI-1, the protocol by which the launchers of MPICH and Intel MPI, and Slurm's pmi2, serve their
//! processes.
//!
//! Requests and answers are lines of words `key=value`, the first of which is `cmd`. Each process has a connection of
//! its own, and a space of keys and values that all processes of the job share.

use super::error::PmiError;
use rustix::io::Errno;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

/// Variables that say where the server is.
pub(super) const DESCRIPTOR: &str = "PMI_FD";
pub(super) const PORT: &str = "PMI_PORT";

/// Longest line that is read.
const LONGEST: usize = 1 << 20;

/// Longest value that is put, if the server does not say.
const LENGTH: usize = 256;

/// A connection with the server.
pub(super) struct Client {
    socket: OwnedFd,
    pending: Vec<u8>,
    space: String,
    /// Longest value.
    length: usize,
    pub(super) rank: u32,
    pub(super) size: u32,
}

/// An answer.
struct Answer(Vec<(String, String)>);

impl Answer {
    fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    fn number(&self, key: &str) -> Option<u32> {
        self.get(key)?.parse().ok()
    }

    fn is_refusal(&self) -> bool {
        self.get("rc").is_some_and(|code| code != "0") || self.get("found") == Some("FALSE")
    }
}

impl Client {
    /// Connects with the server that the environment speaks of.
    pub(super) fn connect() -> Result<Self, PmiError> {
        let variable = |name: &'static str| std::env::var(name).ok();
        let number = |name: &'static str| {
            let value = variable(name).unwrap_or_default();
            value
                .parse::<u32>()
                .map_err(|_| PmiError::Variable { name, value })
        };
        let mut client = match variable(DESCRIPTOR) {
            Some(value) => {
                let open = value.parse().ok().filter(|fd| super::is_socket(*fd));
                let fd: i32 = open.ok_or(PmiError::Variable {
                    name: DESCRIPTOR,
                    value,
                })?;
                // SAFETY:
                // - the descriptor is open, and the launcher has left it for us to own; nobody else has taken it, since
                //   the variable is removed once it is in use.
                let socket = unsafe { OwnedFd::from_raw_fd(fd) };
                Self::over(socket, number("PMI_RANK")?, number("PMI_SIZE")?)
            }
            None => {
                let value = variable(PORT).unwrap_or_default();
                let stream =
                    TcpStream::connect(&value).map_err(|_| PmiError::Variable { name: PORT, value })?;
                let mut client = Self::over(stream.into(), 0, 0);
                client.introduce(number("PMI_ID")?)?;
                client
            }
        };
        rustix::io::fcntl_setfd(&client.socket, rustix::io::FdFlags::CLOEXEC)?;
        client.begin()?;
        Ok(client)
    }

    fn over(socket: OwnedFd, rank: u32, size: u32) -> Self {
        Self {
            socket,
            pending: Vec::new(),
            space: String::new(),
            length: LENGTH,
            rank,
            size,
        }
    }

    /// Says over a connection of ours which process this is, and hears its rank.
    fn introduce(&mut self, id: u32) -> Result<(), PmiError> {
        self.ask(&format!("cmd=initack pmiid={id}"), "initack")?;
        for _ in 0..3 {
            let answer = self.answer("set")?;
            if let Some(size) = answer.number("size") {
                self.size = size;
            }
            if let Some(rank) = answer.number("rank") {
                self.rank = rank;
            }
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<(), PmiError> {
        self.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init")?;
        let most = self.ask("cmd=get_maxes", "maxes")?.number("vallen_max");
        // One place is for the end of a string in C.
        self.length = most.map_or(LENGTH, |most| most.saturating_sub(1).max(16) as usize);
        let name = self.ask("cmd=get_my_kvsname", "my_kvsname")?;
        let name = name.get("kvsname").map(str::to_owned);
        self.space = name.ok_or_else(|| PmiError::Strange {
            line: "my_kvsname".into(),
        })?;
        if self.size == 0 || self.rank >= self.size {
            return Err(PmiError::Place {
                rank: self.rank,
                size: self.size,
            });
        }
        Ok(())
    }

    /// Readable when the server says something, or is gone.
    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Shows all processes bytes under a key that nobody else uses.
    pub(super) fn put(&mut self, key: &str, bytes: &[u8]) -> Result<(), PmiError> {
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let parts: Vec<_> = text.as_bytes().chunks(self.length).collect();
        let count = parts.len().to_string();
        self.put_text(&format!("{key}-n"), &count)?;
        for (index, part) in parts.iter().enumerate() {
            self.put_text(&format!("{key}-{index}"), &String::from_utf8_lossy(part))?;
        }
        Ok(())
    }

    fn put_text(&mut self, key: &str, value: &str) -> Result<(), PmiError> {
        let request = format!("cmd=put kvsname={} key={key} value={value}", self.space);
        self.ask(&request, "put_result").map(drop)
    }

    /// What a process has shown under a key before the last [`meet`](Self::meet).
    pub(super) fn get(&mut self, key: &str) -> Result<Vec<u8>, PmiError> {
        let strange = || PmiError::Strange {
            line: format!("value of {key}"),
        };
        let count: usize = self
            .get_text(&format!("{key}-n"))?
            .parse()
            .map_err(|_| strange())?;
        let mut text = String::new();
        for index in 0..count.min(LONGEST) {
            text += &self.get_text(&format!("{key}-{index}"))?;
        }
        let digit = |byte: u8| {
            char::from(byte)
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        };
        let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?);
        text.as_bytes()
            .chunks(2)
            .map(byte)
            .collect::<Option<_>>()
            .ok_or_else(strange)
    }

    fn get_text(&mut self, key: &str) -> Result<String, PmiError> {
        let request = format!("cmd=get kvsname={} key={key}", self.space);
        let answer = self.ask(&request, "get_result")?;
        let value = answer.get("value").map(str::to_owned);
        value.ok_or_else(|| PmiError::Strange {
            line: format!("no value of {key}"),
        })
    }

    /// Waits until all processes have called it.
    pub(super) fn meet(&mut self) -> Result<(), PmiError> {
        self.arrive()?;
        self.answer("barrier_out").map(drop)
    }

    /// The first half of [`meet`](Self::meet): the server says something when all have come.
    pub(super) fn arrive(&mut self) -> Result<(), PmiError> {
        self.say("cmd=barrier_in")
    }

    /// The second half.
    pub(super) fn all_have_come(&mut self) -> Result<(), PmiError> {
        self.answer("barrier_out").map(drop)
    }

    /// Says that this process needs the server no more.
    pub(super) fn finish(&mut self) -> Result<(), PmiError> {
        self.ask("cmd=finalize", "finalize_ack").map(drop)
    }

    /// Ends all processes.
    pub(super) fn abort(&mut self, status: u8) {
        let _ = self.say(&format!("cmd=abort exitcode={status}"));
    }

    fn ask(&mut self, request: &str, expected: &'static str) -> Result<Answer, PmiError> {
        self.say(request)?;
        self.answer(expected)
    }

    fn say(&mut self, request: &str) -> Result<(), PmiError> {
        let line = format!("{request}\n");
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            match rustix::io::write(&self.socket, rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn answer(&mut self, expected: &'static str) -> Result<Answer, PmiError> {
        let line = self.line()?;
        let answer = parse(&line);
        match answer.get("cmd") {
            Some(command) if command == expected && !answer.is_refusal() => Ok(answer),
            _ => Err(PmiError::Strange { line }),
        }
    }

    fn line(&mut self) -> Result<String, PmiError> {
        loop {
            if let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line[..end]).into_owned());
            }
            let mut chunk = [0; 4096];
            match rustix::io::read(&self.socket, &mut chunk) {
                Ok(0) => return Err(PmiError::Gone),
                Ok(read) if self.pending.len() + read <= LONGEST => {
                    self.pending.extend_from_slice(&chunk[..read]);
                }
                Ok(_) => {
                    return Err(PmiError::Strange {
                        line: "a line without end".into(),
                    });
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The words of a line.
fn parse(line: &str) -> Answer {
    let words = line.split_whitespace().filter_map(|word| word.split_once('='));
    Answer(
        words
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::net::UnixStream;

    /// A server of one process, which answers what it is asked with these lines.
    fn served(answers: &'static [&'static str]) -> (Client, std::thread::JoinHandle<Vec<String>>) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let server = std::thread::spawn(move || {
            let mut lines = BufReader::new(theirs.try_clone().unwrap()).lines();
            let mut asked = Vec::new();
            for answer in answers {
                asked.push(lines.next().unwrap().unwrap());
                writeln!(&theirs, "{answer}").unwrap();
            }
            asked
        });
        (Client::over(ours.into(), 0, 1), server)
    }

    #[test]
    fn a_client_speaks_as_servers_expect() {
        let (mut client, server) = served(&[
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
            "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=17",
            "cmd=my_kvsname kvsname=space",
            "cmd=put_result rc=0 msg=success",
            "cmd=put_result rc=0 msg=success",
            "cmd=barrier_out",
            "cmd=get_result rc=0 msg=success value=1",
            "cmd=get_result rc=0 msg=success value=00ff",
            "cmd=finalize_ack",
        ]);
        client.begin().unwrap();
        client.put("k", &[0, 255]).unwrap();
        client.meet().unwrap();
        assert_eq!(client.get("k").unwrap(), [0, 255]);
        client.finish().unwrap();
        let asked = server.join().unwrap();
        assert_eq!(asked[3], "cmd=put kvsname=space key=k-n value=1");
        assert_eq!(asked[4], "cmd=put kvsname=space key=k-0 value=00ff");
        assert_eq!(asked[5], "cmd=barrier_in");
        assert!(matches!(client.meet(), Err(PmiError::Gone | PmiError::Io(_))));
    }

    #[test]
    fn what_is_refused_or_strange_is_shown() {
        for answer in ["cmd=response_to_init rc=-1", "hello", "", "cmd=other rc=0"] {
            let line: &'static [&'static str] = Box::leak(Box::new([answer]));
            let (mut client, _server) = served(line);
            let error = client.begin().unwrap_err().to_string();
            assert!(error.contains(&format!("{answer:?}")), "{error}");
        }
    }
}
