//! A rank in a process of its own: that of the program, which the launcher, or something that it has started, began.
//!
//! There are no virtual processors here. Threads of the program are execution contexts as they are, and look after the
//! network while they wait ([`PollLeader`]); while they compute nobody does. One thread of ours sleeps until the
//! launcher has something to say.
//!
//! The job description waits in its descriptor until the program calls MPI ([`adopt`]). The others hear of the process
//! when it opens a session ([`register`]), for which it waits for nobody, or initialises MPI, which waits until all
//! others are there ([`join`]); for a communicator of a session's processes it is enough that messages can be sent to
//! them ([`connect`]), which on one node needs nobody. They are told when it needs them no more ([`leave`]): the call
//! that ends the use of MPI returns when nobody does. A process that uses sessions alone may always begin another one:
//! it leaves when it ends.
//!
//! A process that nobody has started as one of a job may get a launcher later on ([`continue_under_launcher`]).

use super::control::{self, Control};
use super::end::{end_job, exit};
use super::error::HostError;
use super::event_loop::EventLoop;
use super::output::say;
use super::self_pipe::News;
use super::state::Host;
use super::wire_up::{DynamicWireUp, IntroducedHosts, OpenTransports, Transports, hosts_outnumber_cores};
use super::{binding, crash, job, pmi, quiescence, signal_sources, stats, threads};
use simurgh_core::sync::{AtomicBool, Ordering, begin_bias};
use simurgh_core::{Completion, Network, PollLeader, ProcessHooks};
use simurgh_mpi::{Abort, Process};
use simurgh_net::control::{FromHost, Received, ToHost};
use simurgh_net::job::{FD_VARIABLE, JobSpec};
use simurgh_settings::{Id, Values};
use std::ffi::CString;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// How often a thread looks at what it waits for before it sleeps, where there is a core for each process. A look that
/// is not optimised takes forty times as long, and would keep a core from those who are waited for.
const LOOKS: u32 = if cfg!(debug_assertions) { 100 } else { 4000 };

/// The rank of this process; there is one at most.
static OWN: OnceLock<OwnProcess> = OnceLock::new();

/// A rank in a process of its own.
struct OwnProcess {
    spec: JobSpec,
    host: &'static Host,
    control: &'static Control,
    /// The process that has taken the place in the job; those that it forks have none.
    pid: u32,
    registered: OnceLock<()>,
    /// The launcher has been told where this process can be reached.
    announced: Completion,
    /// The others can be reached, whether they are there or not.
    connected: Completion,
    /// The others are there.
    complete: Completion,
    reached: OnceLock<()>,
    joined: OnceLock<()>,
    left: AtomicBool,
    poll_leader: OnceLock<&'static PollLeader>,
    /// Whether the transports have no threads of their own.
    alone: OnceLock<bool>,
    /// Nobody in the job uses MPI any more.
    over: Completion,
    /// The launcher has taken over a process that was there, and goes when its rank has ceased to use MPI.
    is_taken_over: bool,
}

/// The rank of this process, if the launcher, or that of another MPI, has meant it to be one.
pub(crate) fn adopt() -> Option<Arc<Process>> {
    if Host::running().is_some() {
        return None;
    }
    if std::env::var_os(FD_VARIABLE).is_none() && !pmi::is_launched() {
        pmi::check_unserved().unwrap_or_else(|error| give_up(&error.into()));
        return None;
    }
    let own = begin().unwrap_or_else(|error| give_up(&error));
    let own = OWN.get_or_init(|| own);
    own.host.ranks().first().map(|rank| Arc::clone(rank.process()))
}

/// Lets the other processes of the job know of this one.
pub(crate) fn register() {
    if let Some(own) = OWN.get() {
        own.registered
            .get_or_init(|| own.register().unwrap_or_else(|error| give_up(&error)));
    }
}

/// Lets the other processes of the job know of this one, and waits until they can be reached.
pub(crate) fn connect() {
    register();
    if let Some(own) = OWN.get() {
        own.reached.get_or_init(|| own.connected.wait());
    }
}

/// As [`connect`], and waits until they are there.
pub(crate) fn join() {
    connect();
    if let Some(own) = OWN.get() {
        own.joined
            .get_or_init(|| simurgh_core::while_expecting(|| own.complete.wait()));
    }
}

/// If the calling rank's use of MPI has ended, waits until that of all others has.
pub(crate) fn leave(process: &Process) {
    let Some(own) = OWN.get().filter(|_| process.check_active().is_err()) else {
        return;
    };
    if own.registered.get().is_some() && !own.left.swap(true, Ordering::Relaxed) {
        own.print_statistics();
        own.announced.wait();
        own.control.say(&FromHost::Ended { status: 0 });
        own.over.wait();
    }
}

/// The calling thread and those that it takes turns with are the only ones that use the engine, as far as the program
/// goes: then locks are a matter of form, if that goes for all of the process.
pub(crate) fn be_alone() {
    if OWN
        .get()
        .is_some_and(|own| own.alone.get().is_some_and(|alone| *alone))
    {
        // SAFETY:
        // - the process has one rank, whose threads take turns; who is promised more ends the solitude first
        //   (`Process::promise`), as do those who begin another thread that works for the engine (`delegate`), and the
        //   thread that listens to the launcher before it looks at what is locked so (`waiting`);
        // - the transports have no threads, and what began before does nothing with the engine by itself.
        unsafe { begin_bias() }
    }
}

fn begin() -> Result<OwnProcess, HostError> {
    let spec = match std::env::var_os(FD_VARIABLE) {
        Some(_) => job::unsealed()?,
        None => pmi::job(Values::from_environment(|name| std::env::var_os(name))?)?,
    };
    forget_launchers();
    let control = Control::take_over(&spec)?.ok_or(HostError::NoChannel)?;
    if pmi::is_serving() {
        // Nobody has done so before it began.
        binding::bind_process(&spec)?;
    }
    Ok(OwnProcess::new(job::take_up(&spec)?, control, spec))
}

/// The process has a launcher from now on, which has taken it over as the job of this description while its rank runs.
pub(super) fn continue_under_launcher(
    spec: JobSpec,
    control: &'static Control,
    process: Arc<Process>,
) -> Result<(), HostError> {
    let job = Arc::clone(process.job());
    let own = OwnProcess {
        is_taken_over: true,
        ..OwnProcess::new(job::take_on(&spec, &job, vec![process])?, control, spec)
    };
    let own = OWN.get_or_init(|| own);
    let _ = own.registered.set(());
    own.announced.complete();
    let event_loop = EventLoop::new(own.host, &own.spec.settings, Instant::now());
    own.spawn_listener(move || own.finish_wire_up(event_loop, Transports::default()))
}

/// Ends the job, as the rank of this process wants, which may have been taken over by a launcher.
pub(crate) fn end_singleton(abort: &Abort) {
    match OWN.get() {
        Some(own) => job::end_by(own.host, &own.spec, abort),
        None => say(&format!(
            "rank {} ended the job with code {}: {}",
            abort.process, abort.code, abort.reason
        )),
    }
}

fn give_up(error: &HostError) -> ! {
    let message = error.to_string();
    match Host::running() {
        Some(host) => end_job(host, 1, &message),
        None => {
            control::give_up(1, &message);
            exit(1)
        }
    }
}

/// What this process starts is another program, with no place in the job.
fn forget_launchers() {
    for name in std::iter::once(FD_VARIABLE).chain(pmi::OURS) {
        let Ok(name) = CString::new(name) else { continue };
        // SAFETY:
        // - the name is a C string; that no thread looks at the environment while MPI is initialised is what a program
        //   has to see to, as with any library that changes it.
        unsafe { libc::unsetenv(name.as_ptr()) };
    }
}

impl OwnProcess {
    fn new(host: &'static Host, control: &'static Control, spec: JobSpec) -> Self {
        Self {
            host,
            control,
            spec,
            pid: std::process::id(),
            registered: OnceLock::new(),
            announced: Completion::new(),
            connected: Completion::new(),
            complete: Completion::new(),
            reached: OnceLock::new(),
            joined: OnceLock::new(),
            left: AtomicBool::new(false),
            poll_leader: OnceLock::new(),
            alone: OnceLock::new(),
            over: Completion::new(),
            is_taken_over: false,
        }
    }

    /// Leaves all that others have to do with to a thread.
    fn register(&'static self) -> Result<(), HostError> {
        self.spawn_listener(|| self.connect())
    }

    /// Has a thread listen to the launcher as soon as this process can be told of others.
    fn spawn_listener(
        &'static self,
        begin: impl FnOnce() -> Result<EventLoop, HostError> + Send + 'static,
    ) -> Result<(), HostError> {
        let thread = std::thread::Builder::new().name(threads::LISTENER.to_owned());
        let body = move || match begin() {
            Ok(event_loop) => self.listen(&event_loop),
            Err(error) => give_up(&error),
        };
        simurgh_core::with_signals_blocked(|| thread.spawn(body))
            .map_err(HostError::system("starting a thread"))?;
        // It is of use from then on; without it a crash is no more than the launcher sees.
        let _ = crash::install_in_program();
        // SAFETY:
        // - the function may be called at any time, and lives as long as the library, which is never unloaded.
        unsafe { libc::atexit(leave_at_exit) };
        Ok(())
    }

    /// Connects with all others: when they are there, unless messages to them may wait until they are.
    fn connect(&'static self) -> Result<EventLoop, HostError> {
        let event_loop = EventLoop::new(self.host, &self.spec.settings, Instant::now());
        let open = OpenTransports::open(self.control, &self.spec)?;
        self.announced.complete();
        let waits = !open.reach_all_early(&self.spec);
        let others = match waits {
            true => event_loop.until_introduced()?,
            false => IntroducedHosts::default(),
        };
        let transports = open.connect(&self.spec, self.host.job(), &others)?;
        let event_loop = self.finish_wire_up(event_loop, transports)?;
        if waits {
            self.complete.complete();
        }
        Ok(event_loop)
    }

    /// All others that there are can be reached in these transports; more may come.
    fn finish_wire_up(
        &'static self,
        event_loop: EventLoop,
        transports: Transports,
    ) -> Result<EventLoop, HostError> {
        let attend = move |network| self.drive_network(network, threads::of_transports());
        if let Some(network) = self.host.job().driver() {
            attend(network);
        }
        let _ = self
            .alone
            .set(threads::of_transports() + simurgh_core::passive_threads() == 0);
        event_loop.set_dynamic_wire_up(DynamicWireUp::new(self.spec.clone(), transports, attend))?;
        self.connected.complete();
        Ok(event_loop)
    }

    /// Prints what there is to count, if the user asks.
    fn print_statistics(&self) {
        if !self.spec.settings.is_on(Id::Stats) {
            return;
        }
        let network = self.host.job().network().map(|network| network.stats());
        for rank in self.host.ranks() {
            say(&stats::of_process(rank, network.as_ref()));
        }
    }

    /// Has waiting threads look after the network; so many others are the transports', which wake nobody.
    fn drive_network(&self, network: Arc<dyn Network>, of_transports: usize) {
        let looks = if hosts_outnumber_cores(&self.spec) {
            0
        } else {
            LOOKS
        };
        let others = OtherThreads {
            host: self.host,
            of_transports,
        };
        let _ = self.poll_leader.set(PollLeader::begin(network, looks, others));
        simurgh_core::set_native_handlers(signal_sources::have_handlers);
    }

    /// Does what the launcher says, for as long as the process lives.
    fn listen(&self, event_loop: &EventLoop) {
        crash::report_here();
        loop {
            match event_loop.next() {
                News::Launcher(Received {
                    message: ToHost::StillQuiet { wave },
                    ..
                }) => quiescence::report(event_loop.host(), wave, || {
                    self.poll_leader
                        .get()
                        .is_some_and(|poll_leader| poll_leader.is_quiet(wave))
                }),
                News::Launcher(Received {
                    message: ToHost::Go, ..
                }) => self.complete.complete(),
                News::Launcher(Received {
                    message: ToHost::End, ..
                }) => {
                    self.over.complete();
                    if self.is_taken_over {
                        return;
                    }
                }
                news => drop(event_loop.act_on(news)),
            }
        }
    }
}

/// Who else there is in the process of a rank.
struct OtherThreads {
    host: &'static Host,
    of_transports: usize,
}

impl ProcessHooks for OtherThreads {
    fn are_others_idle(&self) -> bool {
        // In this order: a thread that is attached meanwhile is counted as a thread at most.
        let known = simurgh_core::attached_count() + simurgh_core::passive_threads();
        let launcher_s = pmi::threads();
        let all_wait_in_mpi = simurgh_core::external_wakers() == 0
            && threads::count() == known + self.of_transports + launcher_s.len();
        let all_wait = all_wait_in_mpi || threads::all_wait(|thread| launcher_s.contains(&thread));
        all_wait && !signal_sources::timers_are_set()
    }

    fn on_quiescent(&self, question: u32) {
        quiescence::report(self.host, question, || true);
    }
}

extern "C" fn leave_at_exit() {
    let own = OWN.get().filter(|own| own.pid == std::process::id());
    if let Some(rank) = own.and_then(|own| own.host.ranks().first()) {
        leave(rank.process());
    }
}
