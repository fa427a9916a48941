//! The event loop: the main thread waits for what ends the job, and for messages of the launcher, while ranks run.

use super::control::Control;
use super::crash;
use super::end::{conclude, end_job, exit, wait_for_the_end};
use super::error::HostError;
use super::flush::flush;
use super::output::say;
use super::self_pipe::{Event, News};
use super::state::Host;
use super::wait_report::wait_report;
use super::wire_up::{DynamicWireUp, IntroducedHosts};
use super::{questions, quiescence, threads};
use simurgh_net::control::{ControlError, FromHost, Received, ToHost, shortened};
use simurgh_settings::{Id, Values};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The exit status after the time limit, as that of `timeout(1)`.
const TIMED_OUT: u8 = 124;

/// The state of the event loop.
pub(super) struct EventLoop {
    host: &'static Host,
    control: Option<&'static Control>,
    limit: Option<Duration>,
    deadline: Option<Instant>,
    /// The wire-up with hosts that start later, once that is possible.
    dynamic_wire_up: RefCell<Option<DynamicWireUp>>,
}

impl EventLoop {
    /// The event loop of a job that began at `start`.
    pub(super) fn new(host: &'static Host, settings: &Values, start: Instant) -> Self {
        let control = Control::get();
        // Where there are several hosts, the launcher enforces the limit.
        let limit = settings.time(Id::Timeout).filter(|_| control.is_none());
        Self {
            host,
            control,
            limit,
            deadline: limit.map(|limit| start + limit),
            dynamic_wire_up: RefCell::new(None),
        }
    }

    /// Lets hosts join from now on, and tells the engine which processes have started the job.
    pub(super) fn set_dynamic_wire_up(&self, wire_up: DynamicWireUp) -> Result<(), HostError> {
        wire_up.begin_among_others(self.host)?;
        self.dynamic_wire_up.replace(Some(wire_up));
        Ok(())
    }

    /// Waits until the launcher has introduced all other hosts.
    pub(super) fn until_introduced(&self) -> Result<IntroducedHosts, HostError> {
        let mut others = IntroducedHosts::default();
        loop {
            let news = match self.next() {
                News::Launcher(received) => match others.note(received) {
                    Some(Received {
                        message: ToHost::Go, ..
                    }) => return Ok(others),
                    Some(received) => News::Launcher(received),
                    None => continue,
                },
                news => news,
            };
            self.act_on(news);
        }
    }

    /// Waits until the job has ended; returns the exit status of the process.
    ///
    /// `is_quiet` answers the launcher's question whether nothing has happened in this process since the wave with this
    /// number.
    pub(super) fn until_end(&self, is_quiet: impl Fn(u32) -> bool) -> u8 {
        loop {
            let news = self.next();
            if let News::Launcher(Received {
                message: ToHost::StillQuiet { wave },
                ..
            }) = news
            {
                quiescence::report(self.host, wave, || is_quiet(wave));
            } else if let Some(status) = self.act_on(news) {
                return status;
            }
        }
    }

    /// Handles the events of a program's process for as long as it lives, or until `follow` breaks off. That is called
    /// when the launcher lets the ranks go, or the process end.
    pub(super) fn attend(
        &self,
        is_quiet: impl Fn(u32) -> bool,
        mut follow: impl FnMut(&ToHost) -> ControlFlow<()>,
    ) {
        loop {
            match self.next() {
                News::Launcher(Received {
                    message: ToHost::StillQuiet { wave },
                    ..
                }) => quiescence::report(self.host, wave, || is_quiet(wave)),
                News::Launcher(Received {
                    message: message @ (ToHost::Go | ToHost::End),
                    ..
                }) => {
                    if follow(&message).is_break() {
                        return;
                    }
                }
                news => drop(self.act_on(news)),
            }
        }
    }

    /// The next event; the calling thread sleeps until there is one.
    fn next(&self) -> News {
        threads::listen(|| self.host.self_pipe().receive(self.control, self.deadline))
    }

    /// Handles an event. Returns the exit status of the process if the job has ended.
    fn act_on(&self, news: News) -> Option<u8> {
        match news {
            News::Event(Event::Ended) => self.ranks_ended(),
            News::Event(Event::Crash) => {
                let (text, signal) = crash::report(self.host);
                conclude(self.host, crash::status_of(signal), &text);
                crash::end_by_signal()
            }
            News::Event(Event::Signal(number)) => self.end_silently(crash::status_of(number.into())),
            News::Launcher(received) => self.obey(received),
            // The rest of the launcher tells the user.
            News::ChannelFailed(ControlError::Closed) => self.end_silently(1),
            News::ChannelFailed(error) => {
                say(&error.to_string());
                self.end_silently(1)
            }
            News::TimedOut => {
                let seconds = self.limit.unwrap_or_default().as_secs_f64();
                let waiting = wait_report(self.host, true);
                let message = format!("the job has run for {seconds} s, its time limit; {waiting}");
                end_job(self.host, TIMED_OUT, &message)
            }
        }
    }

    /// The last rank has ended. Ranks of other hosts, if there are any, may still need this host.
    fn ranks_ended(&self) -> Option<u8> {
        let status = self.host.status();
        flush(self.host);
        match self.control {
            Some(control) => {
                control.say(&FromHost::Ended { status });
                None
            }
            None => Some(self.end_in_order()),
        }
    }

    /// The exit status of the process. If another thread is ending the job, this one waits for that.
    fn end_in_order(&self) -> u8 {
        if !self.host.begin_end() {
            wait_for_the_end();
        }
        self.host.status()
    }

    /// Handles a message of the launcher. Returns the exit status of the process if the launcher wants its end.
    fn obey(&self, received: Received<ToHost>) -> Option<u8> {
        let Received { message, descriptors } = received;
        match message {
            ToHost::End => return Some(self.end_in_order()),
            ToHost::Answer { number, answer } => questions::answer(number, answer),
            ToHost::Die => self.die(),
            ToHost::Report { moving } => {
                let text = shortened(&wait_report(self.host, moving));
                if let Some(control) = self.control {
                    control.say(&FromHost::Waiting { text });
                }
            }
            message @ (ToHost::Peers(_) | ToHost::Memory { .. }) => self.with_dynamic_wire_up(|wire_up| {
                wire_up.introduce(Received { message, descriptors });
                Ok(())
            }),
            ToHost::Grow { far } => self.with_dynamic_wire_up(|wire_up| wire_up.open(far)),
            ToHost::Meet => self.with_dynamic_wire_up(|wire_up| wire_up.meet(self.host)),
            ToHost::Gone { first, hosts } => {
                let hosts: Vec<_> = (first..first.saturating_add(hosts)).collect();
                self.host.job().dismiss(&hosts);
            }
            // These mean nothing at this time, or concern another thread.
            ToHost::Go | ToHost::StillQuiet { .. } | ToHost::Pmi(_) => {}
        }
        None
    }

    /// Lets the wire-up with later hosts act. If that fails, the job ends.
    fn with_dynamic_wire_up(&self, act: impl FnOnce(&mut DynamicWireUp) -> Result<(), HostError>) {
        if let Some(wire_up) = &mut *self.dynamic_wire_up.borrow_mut() {
            act(wire_up).unwrap_or_else(|error| end_job(self.host, 1, &error.to_string()));
        }
    }

    /// Ends the process; the user knows why. If another thread is ending the job already, it is about to write out what
    /// the ranks have written, and the launcher waits a moment for that.
    fn die(&self) -> ! {
        if !self.host.begin_end() {
            wait_for_the_end();
        }
        flush(self.host);
        exit(1)
    }

    /// Ends the process; the user knows why, or needs no reason. Incomplete lines are written out unless another thread
    /// is doing so.
    fn end_silently(&self, status: u8) -> ! {
        if self.host.begin_end() {
            flush(self.host);
        }
        exit(status)
    }
}
