//! A rank in a process of its own: the process of the program, which the launcher started, or something that the
//! launcher started.
//!
//! Such a process has no virtual processors. The program's threads are execution contexts themselves, and drive the
//! network while they wait ([`PollLeader`]); while they compute, nobody does. One thread of the library sleeps until
//! the launcher sends something.
//!
//! The process takes its place in the job step by step:
//!
//! 1. The job description waits in its descriptor until the program calls MPI ([`adopt`]).
//! 2. The others hear of the process when it opens a session ([`register`]); that call waits for nobody.
//! 3. Messages can be sent to the others after [`connect`], which a communicator of a session's processes needs. On one
//!    node that waits for nobody either.
//! 4. `MPI_Init` waits until all others are there ([`join`]).
//! 5. The call that ends the use of MPI returns when nobody needs this process any more ([`leave`]). A process that
//!    uses sessions alone may always open another one, so it leaves when it ends.
//!
//! A process that was started without a launcher may get one later ([`continue_under_launcher`]).

use super::control::{self, Control};
use super::end::{end_job, exit};
use super::error::HostError;
use super::event_loop::EventLoop;
use super::output::say;
use super::state::Host;
use super::wire_up::{DynamicWireUp, IntroducedHosts, OpenTransports, Transports, hosts_outnumber_cores};
use super::{binding, crash, job, memory, pmi, quiescence, signal_sources, stats, threads};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use simurgh_core::sync::{AtomicBool, Ordering, begin_bias};
use simurgh_core::{Completion, Network, PollLeader, ProcessHooks};
use simurgh_mpi::{Abort, Process};
use simurgh_net::control::{FromHost, ToHost};
use simurgh_net::job::{FD_VARIABLE, JobSpec};
use simurgh_net::transport::ofi::leave_signals_alone;
use simurgh_settings::{Id, Values};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The number of polls before a waiting thread sleeps, where there is a core for each process. Without optimisation a
/// poll takes forty times as long, and would keep a core from the processes that are waited for.
const LOOKS: u32 = if cfg!(debug_assertions) { 100 } else { 4000 };

/// The rank of this process; there is one at most.
static OWN: OnceLock<OwnProcess> = OnceLock::new();

/// A rank in a process of its own.
struct OwnProcess {
    spec: JobSpec,
    host: &'static Host,
    control: &'static Control,
    /// The process id. Forked children have no place in the job.
    pid: u32,
    registered: OnceLock<()>,
    /// Complete when the launcher knows where this process can be reached.
    announced: Completion,
    /// Complete when messages can be sent to the others, whether they are there or not.
    connected: Completion,
    /// Complete when the others are there.
    complete: Completion,
    reached: OnceLock<()>,
    joined: OnceLock<()>,
    left: AtomicBool,
    poll_leader: OnceLock<&'static PollLeader>,
    /// Whether the transports have no threads of their own.
    no_transport_threads: OnceLock<bool>,
    /// Complete when no process of the job uses MPI any more.
    over: Completion,
    /// Whether the launcher has taken over a running process. Such a launcher ends when the rank has ceased to use MPI.
    is_taken_over: bool,
}

/// The rank of this process, if a launcher (also that of another MPI) has started the process as one.
pub fn adopt() -> Option<Arc<Process>> {
    if Host::running().is_some() {
        return None;
    }
    // SAFETY:
    // - that no thread looks at the environment while MPI is initialised is what a program has to see to, as with any
    //   library that changes it.
    unsafe { leave_signals_alone() };
    if !is_launched() {
        pmi::check_unserved().unwrap_or_else(|error| give_up(&error.into()));
        return None;
    }
    let own = begin().unwrap_or_else(|error| give_up(&error));
    let own = OWN.get_or_init(|| own);
    own.host.ranks().first().map(|rank| Arc::clone(rank.process()))
}

/// Whether a launcher has started this process for a job, of which nothing in the process has taken note yet.
pub(super) fn is_launched() -> bool {
    std::env::var_os(FD_VARIABLE).is_some() || pmi::is_launched()
}

/// Announces this process to the other processes of the job.
pub fn register() {
    if let Some(own) = OWN.get() {
        own.registered
            .get_or_init(|| own.register().unwrap_or_else(|error| give_up(&error)));
    }
}

/// Announces this process, and waits until messages can be sent to the others.
pub fn connect() {
    register();
    if let Some(own) = OWN.get() {
        own.reached.get_or_init(|| {
            own.connected.wait();
            // Who was woken by another process may be on the same core as that one.
            binding::use_own_share(&own.spec);
        });
    }
}

/// As [`connect`], and waits until the others are there.
pub fn join() {
    connect();
    if let Some(own) = OWN.get() {
        own.joined
            .get_or_init(|| simurgh_core::while_expecting(|| own.complete.wait()));
    }
}

/// If the calling rank's use of MPI has ended, waits until that of all others has.
pub fn leave(process: &Process) {
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

/// Tells the engine that locks may be skipped in this process, if that is so: the calling thread and those that take
/// turns with it are the only ones that use the engine as far as the program goes, and the library has no other such
/// threads.
pub fn bias_locks() {
    if OWN
        .get()
        .is_some_and(|own| own.no_transport_threads.get().is_some_and(|none| *none))
    {
        // SAFETY:
        // - the process has one rank, whose threads take turns; the bias is revoked before a higher level of
        //   thread support is promised (`Process::promise`), before another thread works for the engine (`delegate`),
        //   and before the listening thread looks at what these locks guard (`wait_report`, `wire_up::dynamic`);
        // - the transports have no threads, and threads that began before do nothing with the engine by themselves.
        unsafe { begin_bias() }
    }
}

/// Limits the memory of this process to what its ranks may have. Where `mpiexec` has started the process it has done so
/// before; another launcher, or a wrapper that sets limits itself, has not.
fn limit_memory(spec: &JobSpec) -> Result<(), HostError> {
    let Some(bytes) = spec.settings.get(Id::MemoryLimit) else {
        return Ok(());
    };
    let bytes = bytes.saturating_mul(spec.ranks().count.into());
    let now = getrlimit(Resource::Data);
    let current = now.current.map_or(bytes, |current| current.min(bytes));
    let limit = Rlimit {
        current: Some(current),
        ..now
    };
    setrlimit(Resource::Data, limit).map_err(HostError::system("limiting the memory of the process"))
}

fn begin() -> Result<OwnProcess, HostError> {
    let (spec, control) = take_over_job()?;
    if pmi::is_serving() {
        // No launcher has bound the process before it began.
        binding::bind_process(&spec)?;
    }
    Ok(OwnProcess::new(job::take_up(&spec)?, control, spec))
}

/// Takes note of the job for which a launcher has started this process, and applies its settings to the process.
pub(super) fn take_over_job() -> Result<(JobSpec, &'static Control), HostError> {
    let spec = match std::env::var_os(FD_VARIABLE) {
        Some(_) => job::unsealed()?,
        None => pmi::job(Values::from_environment(|name| std::env::var_os(name))?)?,
    };
    forget_launchers();
    let control = Control::take_over(&spec)?.ok_or(HostError::NoChannel)?;
    limit_memory(&spec)?;
    if spec.settings.is_on(Id::Relocatable) {
        return Err(HostError::NotThreads);
    }
    memory::place_process(&spec)?;
    if spec.settings.name(Id::HeapProfile).is_some() && spec.host == 0 {
        say("no heap profile is written: ranks that are not copies of a program have no heaps of ours");
    }
    let is_profiled = [Id::ProfileOut, Id::PlaceBy]
        .iter()
        .any(|id| spec.settings.name(*id).is_some());
    if is_profiled && spec.host == 0 {
        say("--profile-out and --place-by do nothing here: they are for ranks that are threads");
    }
    Ok((spec, control))
}

/// Goes on under a launcher, which has taken over this process, with its running rank, as the job that `spec`
/// describes.
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

/// Ends the job because the rank of this process wants it; a launcher may have taken the process over.
pub fn end_singleton(abort: &Abort) {
    match OWN.get() {
        Some(own) => job::end_by(own.host, &own.spec, abort),
        None => say(&format!(
            "rank {} ended the job with code {}: {}",
            abort.process, abort.code, abort.reason
        )),
    }
}

/// Ends the job, or the process if it has none yet.
pub(super) fn give_up(error: &HostError) -> ! {
    let message = error.to_string();
    match Host::running() {
        Some(host) => end_job(host, 1, &message),
        None => {
            control::give_up(1, &message);
            exit(1)
        }
    }
}

/// Removes the variables of launchers from the environment: programs that this process starts have no place in the job.
fn forget_launchers() {
    for name in std::iter::once(FD_VARIABLE).chain(pmi::OURS) {
        // SAFETY:
        // - the lock of the standard library keeps other threads of a Rust program away; that no thread of another
        //   program looks at the environment while MPI is initialised is what the program has to see to, as with any
        //   library that changes it.
        unsafe { std::env::remove_var(name) };
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
            no_transport_threads: OnceLock::new(),
            over: Completion::new(),
            is_taken_over: false,
        }
    }

    /// Starts the thread that talks to the launcher.
    fn register(&'static self) -> Result<(), HostError> {
        self.spawn_listener(|| self.connect())
    }

    /// Starts the thread that runs `begin` and then listens to the launcher.
    fn spawn_listener(
        &'static self,
        begin: impl FnOnce() -> Result<EventLoop, HostError> + Send + 'static,
    ) -> Result<(), HostError> {
        let thread = std::thread::Builder::new().name(threads::LISTENER.to_owned());
        let body = move || {
            crash::report_here();
            match begin() {
                Ok(event_loop) => self.listen(&event_loop),
                Err(error) => give_up(&error),
            }
        };
        simurgh_core::with_signals_blocked(|| thread.spawn(body))
            .map_err(HostError::system("starting a thread"))?;
        // From now on a crash can be reported. Without the handlers it is no more than the launcher sees.
        let _ = crash::install_in_program();
        // SAFETY:
        // - the function may be called at any time, and lives as long as the library, which is never unloaded.
        unsafe { libc::atexit(leave_at_exit) };
        Ok(())
    }

    /// Connects with all others. This waits for them only if messages to them have to wait until they are there.
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

    /// Takes up the connected transports; hosts may join from now on.
    fn finish_wire_up(
        &'static self,
        event_loop: EventLoop,
        transports: Transports,
    ) -> Result<EventLoop, HostError> {
        // Only libfabric starts threads. To list them leaves entries of /proc behind, over which the end of the last
        // thread and whoever waits for the process get in each other's way in the kernel.
        let of_transports = transports.ofi.as_ref().map_or(0, |_| threads::of_transports());
        if let Some(network) = self.host.job().driver() {
            self.drive_network(network, of_transports);
        }
        let _ = self
            .no_transport_threads
            .set(of_transports + simurgh_core::passive_threads() == 0);
        let attend = move |network| self.drive_network(network, threads::of_transports());
        event_loop.set_dynamic_wire_up(DynamicWireUp::new(self.spec.clone(), transports, attend))?;
        self.connected.complete();
        Ok(event_loop)
    }

    /// Prints the statistics, if the user asks for them.
    fn print_statistics(&self) {
        if !self.spec.settings.is_on(Id::Stats) {
            return;
        }
        for rank in self.host.ranks() {
            say(&stats::of_process(rank, self.host.job()));
        }
    }

    /// Lets waiting threads drive the network. `of_transports` threads belong to the transports, and wake nobody.
    fn drive_network(&'static self, network: Arc<dyn Network>, of_transports: usize) {
        let looks = if hosts_outnumber_cores(&self.spec) {
            0
        } else {
            LOOKS
        };
        let others = OtherThreads {
            host: self.host,
            of_transports,
            spec: &self.spec,
        };
        let _ = self.poll_leader.set(PollLeader::begin(network, looks, others));
        simurgh_core::set_native_handlers(signal_sources::have_handlers);
    }

    /// Handles the launcher's messages for as long as the process lives.
    fn listen(&self, event_loop: &EventLoop) {
        let is_quiet = |wave| {
            self.poll_leader
                .get()
                .is_some_and(|poll_leader| poll_leader.is_quiet(wave))
        };
        event_loop.attend(is_quiet, |message| {
            match message {
                ToHost::Go => self.complete.complete(),
                _ => self.over.complete(),
            }
            // The process of a singleton is its own again.
            match self.is_taken_over && *message == ToHost::End {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
    }
}

/// The other threads of a rank's own process.
struct OtherThreads {
    host: &'static Host,
    of_transports: usize,
    spec: &'static JobSpec,
}

impl ProcessHooks for OtherThreads {
    fn are_others_idle(&self) -> bool {
        let launcher_s = pmi::threads();
        let all_wait_in_mpi = simurgh_core::all_threads_wait(self.of_transports + launcher_s.len());
        let all_wait = all_wait_in_mpi || threads::all_wait(|thread| launcher_s.contains(&thread));
        all_wait && !signal_sources::timers_are_set()
    }

    fn on_quiescent(&self, question: u32) {
        quiescence::report(self.host, question, || true);
    }

    fn move_from_shared_core(&self) {
        binding::use_own_share(self.spec);
    }
}

extern "C" fn leave_at_exit() {
    let own = OWN.get().filter(|own| own.pid == std::process::id());
    if let Some(rank) = own.and_then(|own| own.host.ranks().first()) {
        leave(rank.process());
    }
}
