//! The exchange of pieces between hosts in a collective access (two-phase access).
//!
//! 1. The range of the access is cut into file domains that begin at blocks of the file system, one for each
//!    aggregator. An aggregator is a host, or rather its leader in this access.
//! 2. All aggregators go through their domains at the same time, a window of `cb_buffer_size` bytes in each round.
//! 3. In a write each host sends each aggregator the list of its pieces in the aggregator's window and, in a second
//!    message, their data. The aggregator puts the data of all hosts into the window and writes it in runs. The gaps
//!    between runs are not touched, so no lock is needed and nobody's bytes are lost. It writes one window while it
//!    collects the next.
//! 4. In a read the lists go the same way, those of one round before the data of the round before. The aggregator reads
//!    what is on any list while it answers the lists of the round before with the data and the end of the file.
//! 5. Every host knows the spans of all others, so each knows who sends something in which round.
//! 6. A fault of the file system does not end the exchange: messages come and go as agreed, and the leaders tell each
//!    other of the fault when they are through (`among_hosts`).
//!
//! Costs: two messages for each host, aggregator and round, whose lengths are those of the pieces, and a few bytes for
//! pieces at equal distances; a copy of the data at each end, besides that into the window.

use super::open_file::OpenFile;
use super::parts::Parts;
use super::task::Task;
use crate::error::{Error, ErrorClass, Result};
use crate::members::HostMap;
use crate::memory::{Source, StagingBuffer, Target, bytes_of, slice_of, slice_of_mut};
use crate::network::{HostChannel, Pending};
use simurgh_core::sync::Arc;
use simurgh_file::{Domains, PieceList, SHORT, Together, Window};
use std::io;
use std::ops::Range;

/// One exchange, as the leader of a host sees it.
pub(super) struct Exchange<'a> {
    pub(super) channel: HostChannel<'a>,
    pub(super) host_map: &'a HostMap,
    pub(super) domains: Domains,
    /// The bytes of the file that each host accesses, by position.
    pub(super) spans: Vec<Range<u64>>,
    pub(super) open: &'a Arc<OpenFile>,
}

/// A message to another host, with the memory that it needs. The message ends before its memory goes.
struct Sent<'a> {
    pending: Pending<'a>,
    _memory: Memory,
}

/// The memory of a message to another host.
enum Memory {
    List(PieceList),
    /// Data, and its bytes.
    Data(StagingBuffer, usize),
}

/// Data that another host sends for a window of its domain.
struct Answer<'a> {
    pending: Pending<'a>,
    memory: StagingBuffer,
    window: Range<u64>,
    bytes: usize,
}

/// A round of a read that has begun.
struct Reading<'a> {
    sent: Vec<Sent<'a>>,
    answers: Vec<Answer<'a>>,
    /// The window of this host, if it has one in this round.
    own: Option<Wanted>,
}

/// A window that is being read, and what other hosts want of it.
struct Wanted {
    read: Task<(Window, io::Result<()>)>,
    lists: Vec<(usize, PieceList)>,
}

/// Bytes of a window up to which a leader writes or reads it in less time than it takes to wake an I/O thread.
const SHORT_WINDOW: u64 = 16 << 10;

/// The conversation of lists, and that of data: two hosts may send each other both at the same time.
const LISTS: i32 = 1;
const DATA: i32 = 2;

/// Bytes of an answer before its data: the end of the file.
const END: usize = 8;

impl<'a> Exchange<'a> {
    /// Moves all parts. Returns what the file system said at this host, if it has failed.
    ///
    /// # Errors
    ///
    /// When another host cannot go on, or what it sends makes no sense.
    pub(super) fn run(&self, parts: &Parts) -> Result<io::Result<()>> {
        match parts {
            Parts::Write(parts) => self.write(parts),
            Parts::Read(parts) => self.read(parts),
        }
    }

    fn write(&self, parts: &Together<Source>) -> Result<io::Result<()>> {
        let mut outcome = Ok(());
        let mut before: Option<Task<io::Result<()>>> = None;
        for round in 0..self.domains.rounds() {
            let sent = self.send_pieces(parts, round);
            if let Some(window) = self.own_window(round) {
                let window = self.or_fail(self.collect(parts, window))?;
                let done = before.take().map_or(Ok(()), Task::wait);
                outcome = outcome.and(done);
                if outcome.is_ok() {
                    let open = Arc::clone(self.open);
                    before = Some(Task::of(self.is_short(&window), move || window.write(&open.file)));
                }
            }
            self.or_fail(finish(sent))?;
        }
        let done = before.map_or(Ok(()), Task::wait);
        Ok(outcome.and(done))
    }

    /// Begins to send the pieces in the windows of other aggregators.
    fn send_pieces(&self, parts: &Together<Source>, round: u64) -> Vec<Sent<'a>> {
        let mut sent = Vec::new();
        for (host, window) in self.other_windows(round) {
            let list = parts.list(&window);
            let bytes = list.bytes();
            sent.push(self.send(LISTS, host, Memory::List(list)));
            if bytes > 0 {
                let memory = StagingBuffer::new(bytes);
                parts.pack(&window, writable(&mut memory.target(0, bytes)));
                sent.push(self.send(DATA, host, Memory::Data(memory, bytes)));
            }
        }
        sent
    }

    /// The own window with the pieces of all hosts.
    fn collect(&self, parts: &Together<Source>, range: Range<u64>) -> Result<Window> {
        let mut window = Window::new(range);
        parts.store(&mut window);
        for host in self.others_in(window.range()) {
            let list = self.receive_list(host, window.range())?;
            let bytes = list.bytes();
            if bytes > 0 {
                let memory = StagingBuffer::new(bytes);
                let data = memory.target(0, bytes);
                self.receive(DATA, host, &data).wait().and_then(check(bytes))?;
                window.store(&list, readable(&data.as_source()));
            }
        }
        Ok(window)
    }

    fn read(&self, parts: &Together<Target>) -> Result<io::Result<()>> {
        let mut outcome = Ok(());
        let mut next = Some(self.begin_read(parts, 0)?);
        for round in 0..self.domains.rounds() {
            let reading = next.take();
            if round + 1 < self.domains.rounds() {
                next = Some(self.begin_read(parts, round + 1)?);
            }
            if let Some(reading) = reading {
                let done = self.or_fail(reading.finish(self, parts))?;
                outcome = outcome.and(done);
            }
        }
        Ok(outcome)
    }

    /// Begins a round: asks other aggregators, takes their lists, and has the own window read.
    fn begin_read(&self, parts: &Together<Target>, round: u64) -> Result<Reading<'a>> {
        let (sent, answers) = self.ask(parts, round);
        let window = self.own_window(round);
        let own = window.map(|range| self.begin_window(parts, range)).transpose();
        Ok(Reading {
            sent,
            answers,
            own: self.or_fail(own)?,
        })
    }

    /// Sends the lists of what is wanted of the windows of other aggregators.
    fn ask(&self, parts: &Together<Target>, round: u64) -> (Vec<Sent<'a>>, Vec<Answer<'a>>) {
        let (mut sent, mut answers) = (Vec::new(), Vec::new());
        for (host, window) in self.other_windows(round) {
            let list = parts.list(&window);
            let bytes = list.bytes();
            sent.push(self.send(LISTS, host, Memory::List(list)));
            if bytes > 0 {
                let memory = StagingBuffer::new(END + bytes);
                let pending = self.receive(DATA, host, &memory.target(0, END + bytes));
                answers.push(Answer {
                    pending,
                    memory,
                    window,
                    bytes,
                });
            }
        }
        (sent, answers)
    }

    /// Takes the lists of other hosts for the own window, and has it read.
    fn begin_window(&self, parts: &Together<Target>, range: Range<u64>) -> Result<Wanted> {
        let mut window = Window::new(range);
        parts.mark(&mut window);
        let mut lists = Vec::new();
        for host in self.others_in(window.range()) {
            let list = self.receive_list(host, window.range())?;
            window.mark(&list);
            lists.push((host, list));
        }
        let open = Arc::clone(self.open);
        let read = Task::of(self.is_short(&window), move || {
            let outcome = window.read(&open.file);
            (window, outcome)
        });
        Ok(Wanted { read, lists })
    }

    /// The position of the host that is an aggregator.
    fn host_of(&self, aggregator: usize) -> usize {
        aggregator * self.host_map.hosts() / self.domains.aggregators()
    }

    /// The window of this host in a round, if it is an aggregator and not through.
    fn own_window(&self, round: u64) -> Option<Range<u64>> {
        let own = self.host_map.own();
        let aggregator =
            (0..self.domains.aggregators()).find(|aggregator| self.host_of(*aggregator) == own)?;
        let window = self.domains.window(aggregator, round);
        (!window.is_empty()).then_some(window)
    }

    /// The windows of other hosts in which this host may have pieces. Not all hosts begin with the same.
    fn other_windows(&self, round: u64) -> impl Iterator<Item = (usize, Range<u64>)> + '_ {
        let (own, aggregators) = (self.host_map.own(), self.domains.aggregators());
        let in_turn = (0..aggregators).map(move |step| (own + step) % aggregators);
        let windows = in_turn.map(move |aggregator| {
            let window = self.domains.window(aggregator, round);
            (self.host_of(aggregator), window)
        });
        windows.filter(move |(host, window)| *host != own && self.is_in(own, window))
    }

    /// The other hosts that may have pieces in a window.
    fn others_in(&self, window: &Range<u64>) -> impl Iterator<Item = usize> + use<'_> {
        let (own, hosts, window) = (self.host_map.own(), self.host_map.hosts(), window.clone());
        let others = (1..hosts).map(move |step| (own + step) % hosts);
        others.filter(move |host| self.is_in(*host, &window))
    }

    fn is_in(&self, host: usize, window: &Range<u64>) -> bool {
        let span = &self.spans[host];
        span.start.max(window.start) < span.end.min(window.end)
    }

    /// Whether the leader moves a window by itself: an I/O thread would take longer to wake up, or there is nothing
    /// else to be done meanwhile.
    fn is_short(&self, window: &Window) -> bool {
        let bytes = window.range().end - window.range().start;
        bytes <= SHORT_WINDOW || self.domains.rounds() == 1 && bytes <= SHORT as u64
    }

    /// Begins to send to the host at a position.
    fn send(&self, conversation: i32, host: usize, memory: Memory) -> Sent<'a> {
        let source = match &memory {
            Memory::List(list) => bytes_of(list.records()),
            Memory::Data(buffer, bytes) => buffer.source(0, *bytes),
        };
        let channel = self.channel.beside(conversation);
        Sent {
            pending: channel.start_send(self.host_map.host(host), &source),
            _memory: memory,
        }
    }

    fn receive_list(&self, host: usize, window: &Range<u64>) -> Result<PieceList> {
        let channel = self.channel.beside(LISTS);
        let records = channel.recv_bytes(self.host_map.host(host))?;
        PieceList::read(records, window).ok_or_else(malformed)
    }

    fn receive(&self, conversation: i32, host: usize, target: &Target) -> Pending<'a> {
        let channel = self.channel.beside(conversation);
        channel.start_recv(self.host_map.host(host), target)
    }

    /// Tells all other hosts of a fault, so that none waits for this one.
    fn or_fail<T>(&self, result: Result<T>) -> Result<T> {
        result.inspect_err(|fault| {
            let others = self.host_map.all().iter().copied();
            let own = self.host_map.host(self.host_map.own());
            self.channel.fail(fault, others.filter(|host| *host != own));
        })
    }
}

impl<'a> Reading<'a> {
    /// Answers the lists of other hosts, and gives the parts what comes. Returns what the file system has said here.
    fn finish(self, exchange: &Exchange<'a>, parts: &Together<Target>) -> Result<io::Result<()>> {
        let mut sent = self.sent;
        let outcome = match self.own {
            Some(own) => own.answer(exchange, parts, &mut sent),
            None => Ok(()),
        };
        for answer in self.answers {
            answer.take(parts)?;
        }
        finish(sent)?;
        Ok(outcome)
    }
}

impl Wanted {
    /// Waits for the window, and sends each host what it wants of it.
    fn answer<'a>(
        self,
        exchange: &Exchange<'a>,
        parts: &Together<Target>,
        sent: &mut Vec<Sent<'a>>,
    ) -> io::Result<()> {
        let (window, outcome) = self.read.wait();
        for (host, list) in self.lists.into_iter().filter(|(_, list)| list.bytes() > 0) {
            let bytes = END + list.bytes();
            let memory = StagingBuffer::new(bytes);
            let mut target = memory.target(0, bytes);
            let (end, data) = writable(&mut target).split_at_mut(END);
            end.copy_from_slice(&window.end().to_le_bytes());
            window.load(&list, data);
            sent.push(exchange.send(DATA, host, Memory::Data(memory, bytes)));
        }
        parts.load(&window);
        outcome
    }
}

impl Answer<'_> {
    /// Gives the parts what has come.
    fn take(self, parts: &Together<Target>) -> Result<()> {
        self.pending.wait().and_then(check(END + self.bytes))?;
        let all = self.memory.source(0, END + self.bytes);
        let (end, data) = readable(&all).split_first_chunk().ok_or_else(malformed)?;
        parts.unpack(&self.window, data, u64::from_le_bytes(*end));
        Ok(())
    }
}

/// Waits until all messages have been sent.
fn finish(sent: Vec<Sent<'_>>) -> Result<()> {
    sent.into_iter()
        .try_for_each(|sent| sent.pending.wait().map(drop))
}

/// Refuses data of another length than announced.
fn check(expected: usize) -> impl FnOnce(usize) -> Result<()> {
    move |came| {
        if came == expected {
            Ok(())
        } else {
            Err(malformed())
        }
    }
}

/// The bytes of a buffer, which is contiguous.
fn readable(source: &Source) -> &[u8] {
    slice_of(source).unwrap_or_default()
}

/// As [`readable`], to be written.
fn writable(target: &mut Target) -> &mut [u8] {
    slice_of_mut(target).unwrap_or_default()
}

#[cold]
pub(super) fn malformed() -> Error {
    Error::new(
        ErrorClass::Intern,
        "what another host has sent in a collective access to a file makes no sense; run the same version of Simurgh \
         everywhere",
    )
}
