//! The life of a job in a host: from the job description to the exit status.

use super::control::{self, Control};
use super::crash::{self, altstack};
use super::end::{end_job, failure_status};
use super::error::HostError;
use super::event_loop::EventLoop;
use super::output::say;
use super::rank::{self, Program};
use super::relocation::{self, Ranges};
use super::self_pipe::SelfPipe;
use super::state::{Host, Rank};
use super::wait_report::wait_report;
use super::wire_up::{DynamicWireUp, OpenTransports, Transports, own_world};
use super::{
    binding, communication, descriptor, heap_profile, launch, memory, pmi, policies, programs, questions,
    quiescence, signals, stats, threads,
};
use simurgh_core::sync::begin_bias;
use simurgh_image::ProcessorSet;
use simurgh_mpi::storage::{place_threads, prepare_threads};
use simurgh_mpi::{Abort, Hardware, HostRecord, Job, Layout, Process};
use simurgh_net::HostId;
use simurgh_net::control::{DEADLOCK, DEADLOCKED};
use simurgh_net::job::{self, FD_VARIABLE, JobSpec, OutputFiles, Place};
use simurgh_net::transport::ofi::leave_signals_alone;
use simurgh_profile::Profile;
use simurgh_sched::policy::Policy;
use simurgh_sched::{Affinity, Builder, EcSpec, Runtime, Topology};
use simurgh_settings::{Id, Values};
use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Instant;

/// The message that tells the user that the order of a seeded run has been disturbed.
const DISORDER: &str = "a rank has kept its virtual processor for longer than --patience, so others went on beside it: \
                        from here on another run with this --seed may take another order";

/// Runs the job that the launcher has described. Returns the exit status of the process.
pub(super) fn run() -> Result<u8, HostError> {
    let start = Instant::now();
    // SAFETY:
    // - the process has no other threads yet.
    unsafe { leave_signals_alone() };
    let spec = unsealed()?;
    let control = Control::take_over(&spec)?;
    follow_parent(&spec)?;
    if let Some(wdir) = spec.wdir_of(spec.host) {
        std::env::set_current_dir(wdir.as_path()).map_err(HostError::system("the working directory"))?;
    }
    let host = begin(&spec)?;
    make_files(&spec)?;
    let event_loop = EventLoop::new(host, &spec.settings, start);
    let open = control
        .map(|control| OpenTransports::open(control, &spec))
        .transpose()?;
    relocation::reserve(&spec)?;
    let programs = programs::prepare(&spec)?;
    heap_profile::begin(&spec.settings);
    let runtime = start_ranks(&event_loop, host, &spec, open, &programs)?;
    let status = event_loop.until_end(runtime.quiescence());
    let profile = heap_profile::profile(&spec.settings);
    if let Err((path, error)) = heap_profile::write(&spec, &profile) {
        say(&format!(
            "the heap profile cannot be written to {}: {error}",
            path.display()
        ));
    }
    report(host, &spec, &runtime, &profile);
    // The runtime's threads may be running ranks that never end: they end with the process.
    std::mem::forget(runtime);
    Ok(status)
}

/// What the ranks of a host are, and what they find in its process.
pub(super) trait Ranks {
    /// Chooses where the memory of the ranks comes from, before any of them begins.
    fn place_memory(&self, host: &'static Host, spec: &JobSpec, machine: &Topology) -> Result<(), HostError>;

    /// The policy by which they are scheduled, if it is not that of the settings.
    fn policy(&self) -> Option<Arc<dyn Policy>>;

    /// The number of threads that were there before the host, and may wake ranks or are attached to the runtime.
    fn strangers(&self) -> usize;

    /// Whether nobody but them uses the engine in this process.
    fn are_alone(&self) -> bool;

    /// What a rank runs; none if that is nothing.
    fn entry(&self, spec: &JobSpec, rank: &'static Rank, processors: ProcessorSet) -> Option<Entry>;
}

/// What a rank runs on its execution context.
pub(super) struct Entry {
    pub(super) has_executable_stack: bool,
    pub(super) run: Box<dyn FnOnce() + Send>,
}

impl Ranks for Vec<Option<Arc<Program>>> {
    fn place_memory(&self, host: &'static Host, spec: &JobSpec, machine: &Topology) -> Result<(), HostError> {
        memory::place(host, spec, machine)
    }

    fn policy(&self) -> Option<Arc<dyn Policy>> {
        None
    }

    fn strangers(&self) -> usize {
        0
    }

    fn are_alone(&self) -> bool {
        true
    }

    fn entry(&self, spec: &JobSpec, rank: &'static Rank, processors: ProcessorSet) -> Option<Entry> {
        let program = self.get(spec.section_of(rank.id())?)?.clone()?;
        let host = Host::running()?;
        Some(Entry {
            has_executable_stack: program.prepared.fit().needs_exec_stack,
            run: Box::new(move || rank::run(host, rank, &program, processors)),
        })
    }
}

/// Connects the host with the others, starts its virtual processors, and on them its ranks. Hosts may join from then
/// on.
pub(super) fn start_ranks(
    event_loop: &EventLoop,
    host: &'static Host,
    spec: &JobSpec,
    open: Option<OpenTransports>,
    ranks: &impl Ranks,
) -> Result<Arc<Runtime>, HostError> {
    let transports = match open {
        Some(open) => open.connect(spec, host.job(), &event_loop.until_introduced()?)?,
        None => Transports::default(),
    };
    let place = binding::place(spec)?;
    ranks.place_memory(host, spec, &place.topology)?;
    let processors = place.processors.clone();
    let runtime = Arc::new(start_runtime(host, spec, place, ranks)?);
    let scheduler = Arc::clone(&runtime);
    event_loop.set_dynamic_wire_up(DynamicWireUp::new(spec.clone(), transports, move |network| {
        scheduler.connect(network)
    }))?;
    let _ = host.job().set_processors_hook(runtime.observer());
    let _ = host.job().set_domains_hook(runtime.domain_observer());
    if ranks.are_alone() {
        bias_locks(host, &runtime);
    }
    spawn_ranks(host, &runtime, spec, ranks, &processors)?;
    Ok(runtime)
}

/// Tells the engine that locks may be skipped in this process, whose ranks are alone, if they take turns on one virtual
/// processor.
fn bias_locks(host: &Host, runtime: &Runtime) {
    let vps = runtime.vps() + runtime.network_vps() + runtime.io_vps();
    if vps == 1 && host.job().network().is_none() {
        // SAFETY:
        // - no rank has begun, and all will run on the kernel thread of the virtual processor. The bias is revoked
        //   before some of them run beside it (`Worker::evict`), before a kernel thread calls MPI for one of them
        //   (`hooks::thread_started`), before an I/O thread works for them, and before the listening thread looks at
        //   what these locks guard (`wait_report`, `wire_up::dynamic`).
        unsafe { begin_bias() }
    }
}

/// Writes the communication profile, and prints the statistics, if the user asks for them.
pub(super) fn report(host: &Host, spec: &JobSpec, runtime: &Runtime, profile: &Profile) {
    communication::write(host, spec);
    if !spec.settings.is_on(Id::Stats) {
        return;
    }
    let name = match spec.hosts.len() {
        1 if spec.origin.parent.is_none() => String::new(),
        _ => format!("host {}, ", spec.origin.realm.name_of(spec.host_in_universe())),
    };
    say(&stats::text(runtime, &name, host.ranks(), host.job(), profile));
}

/// The job description that the launcher has left.
pub(super) fn unsealed() -> Result<JobSpec, HostError> {
    Ok(job::unseal(description()?)?)
}

/// The descriptor of the job description, named by the environment.
fn description() -> Result<OwnedFd, HostError> {
    let value = std::env::var(FD_VARIABLE).unwrap_or_default();
    let fd = value.parse().ok().and_then(descriptor::owned);
    fd.ok_or(HostError::NoJob {
        variable: FD_VARIABLE,
        value,
    })
}

/// Makes this process end when the launcher ends, for whatever reason.
fn follow_parent(spec: &JobSpec) -> Result<(), HostError> {
    let Some(parent) = spec.parent else { return Ok(()) };
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(HostError::system("watching mpiexec"))?;
    let alive =
        rustix::process::getppid().is_some_and(|pid| pid.as_raw_nonzero().get().cast_unsigned() == parent);
    if alive {
        Ok(())
    } else {
        Err(HostError::LauncherEnded)
    }
}

/// Names the process, makes the MPI processes of the ranks, and installs the signal handlers.
fn begin(spec: &JobSpec) -> Result<&'static Host, HostError> {
    // The process would otherwise be called after its executable, a file in memory with a meaningless name.
    let name = CString::new(threads::HOST).expect("a name without zeros");
    rustix::thread::set_name(&name).map_err(HostError::system("naming the process"))?;
    let host = take_up(spec)?;
    signals::install()
        .and_then(|()| crash::install())
        .map_err(HostError::system("installing signal handlers"))?;
    Ok(host)
}

/// Makes the files for the output of ranks, if there are to be any.
fn make_files(spec: &JobSpec) -> Result<(), HostError> {
    let files = spec.ranks().iter().filter_map(|rank| OutputFiles::of(spec, rank));
    for files in files {
        files
            .create()
            .map_err(|(path, source)| HostError::Output { path, source })?;
    }
    Ok(())
}

/// Makes the MPI processes of this host's ranks, in whatever kind of process.
pub(super) fn take_up(spec: &JobSpec) -> Result<&'static Host, HostError> {
    let hosts: Vec<_> = own_world(spec).map(host_record).collect();
    let layout = Layout::among(spec.host_in_universe(), &hosts);
    let job = Job::laid_out(layout, spec.settings.clone());
    let processes: Vec<_> = spec
        .ranks()
        .iter()
        .map(|rank| Process::new(Arc::clone(&job), spec.origin.first_process + rank))
        .collect();
    launch::tell(spec, &processes);
    let host = take_on(spec, &job, processes)?;
    if Control::get().is_some() {
        let _ = job.set_launcher(questions::ControlLauncher);
    }
    Ok(host)
}

/// Makes the record of this host, for MPI processes that exist.
pub(super) fn take_on(
    spec: &JobSpec,
    job: &Arc<Job>,
    processes: Vec<Arc<Process>>,
) -> Result<&'static Host, HostError> {
    let wake = SelfPipe::new().map_err(HostError::system("making a pipe"))?;
    let host = Host::begin(spec, Arc::clone(job), processes, wake);
    let own = spec.clone();
    let _ = job.set_abort_hook(move |abort| end_by(host, &own, abort));
    let _ = job.set_loss_hook(control::lost);
    Ok(host)
}

/// Ends the job because a rank has asked for it.
pub(super) fn end_by(host: &Host, spec: &JobSpec, abort: &Abort) -> ! {
    end_job(host, failure_status(abort.code), &abort_message(spec, abort))
}

/// The engine's description of a host.
pub(super) fn host_record((host, place): (HostId, Place)) -> HostRecord {
    HostRecord {
        host,
        node: place.node,
        world: place.world,
        processes: place.first..place.end(),
        share: place.share,
    }
}

fn abort_message(spec: &JobSpec, abort: &Abort) -> String {
    let Abort {
        process,
        code,
        reason,
    } = abort;
    let separator = if reason.is_empty() { "" } else { ": " };
    let rank = spec.name_of(process.saturating_sub(spec.origin.first_process));
    format!("rank {rank} ended the job with code {code}{separator}{reason}")
}

/// Starts the virtual processors, each with an alternate stack for signal handlers.
fn start_runtime(
    host: &'static Host,
    spec: &JobSpec,
    place: binding::Place,
    ranks: &impl Ranks,
) -> Result<Runtime, HostError> {
    let settings = &spec.settings;
    let policy = match ranks.policy() {
        Some(policy) => policy,
        None => policies::policy_of_settings(settings)?,
    };
    binding::leave_reserved(&place.topology);
    if place.topology.binds() || !place.topology.reserved().is_empty() {
        let all = match place.topology.reserved() {
            [] => Affinity::of(&place.topology.processors()),
            _ => Affinity::of(&place.topology.processors_of_library()),
        };
        // A thread that stays where it began is slower, but correct.
        prepare_threads(move || all.bind(None).unwrap_or_default());
    }
    let moves_threads = place.topology.binds() && place.topology.reserved().is_empty();
    let mut builder = Builder::new();
    if let Some(network) = host.job().driver() {
        builder = builder.network(network);
    }
    let mut runtime = builder
        .topology(place.topology)
        .homes(place.homes)
        .vps(settings.get(Id::Vps).map(|vps| vps as usize))
        .seed(settings.get(Id::Seed))
        .policy(policy)
        .network_core(settings.get(Id::NetworkCore).map(|core| core as usize))
        .patience(settings.time(Id::Patience))
        .on_disorder(|| say(DISORDER))
        .prepare(|| {
            // Without an alternate stack, a stack overflow on this thread ends the process without a report.
            let _ = altstack::add();
        })
        .known_threads(other_threads(ranks.strangers()))
        .others_wait(|runtime_s| {
            let launcher_s = pmi::threads();
            threads::all_wait(|thread| runtime_s.contains(&thread) || launcher_s.contains(&thread))
        })
        .on_deadlock(move |question| deadlocked(host, question))
        .start()?;
    binding::use_reserved(runtime.topology());
    if moves_threads {
        let (idle_core, all) = (
            runtime.idle_core(),
            Affinity::of(&runtime.topology().processors()),
        );
        place_threads(move || {
            if let Some(core) = idle_core() {
                // It may leave that core again, if the kernel wants it to.
                let _ = core.bind(None).and_then(|()| all.bind(None));
            }
        });
    }
    place.report.iter().for_each(|line| say(line));
    communication::place(host, spec, &mut runtime)?;
    communication::begin(host, settings);
    let vps = runtime.vps() + runtime.network_vps() + runtime.io_vps();
    let prepare = move || {
        (0..vps).try_for_each(|vp| {
            simurgh_core::migrate(vp);
            altstack::add()
        })
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    let done = move || {
        // The receiver below waits for it.
        let _ = sender.send(prepare());
    };
    let _ = runtime.spawn(EcSpec::default(), 0, done)?;
    let added = receiver
        .recv()
        .unwrap_or_else(|_| Err(std::io::Error::other("a thread of the runtime has failed")));
    added.map_err(HostError::system("stacks for signal handlers"))?;
    Ok(runtime)
}

/// The number of threads besides the calling one and the `strangers` that belong to transports or to the launcher, and
/// are not counted as passive threads.
fn other_threads(strangers: usize) -> usize {
    let all = simurgh_core::kernel_threads().unwrap_or_default();
    all.saturating_sub(1 + strangers + simurgh_core::passive_threads())
}

/// Starts an execution context for each rank.
fn spawn_ranks(
    host: &'static Host,
    runtime: &Runtime,
    spec: &JobSpec,
    entries: &impl Ranks,
    processors: &[ProcessorSet],
) -> Result<(), HostError> {
    let ranks = host.ranks();
    let hardware = Hardware::of_members(runtime, ranks.len());
    host.job().set_hardware(hardware);
    let ranges = Ranges::of_job(&spec.settings);
    for (index, (rank, &processors)) in ranks.iter().zip(processors).enumerate() {
        let Some(entry) = entries.entry(spec, rank, processors) else {
            continue;
        };
        let ec = EcSpec {
            stack_size: stack_size(&spec.settings),
            executable_stack: entry.has_executable_stack,
            stack_place: ranges.map(|ranges| ranges.stack(rank.range())),
            ..EcSpec::default()
        };
        let _ = runtime.spawn_member(ec, (index, ranks.len()), entry.run)?;
    }
    Ok(())
}

/// The size of the stacks of ranks.
pub(super) fn stack_size(settings: &Values) -> usize {
    match settings.amount(Id::StackSize) {
        0 => EcSpec::default().stack_size,
        bytes => bytes,
    }
}

/// Handles a deadlock of this host: all execution contexts wait, and no thread of this process is left to wake one.
fn deadlocked(host: &Host, question: u32) {
    if host.job().network().is_some() || questions::have_waited_at_ports() {
        quiescence::report(host, question, || true);
    } else if host.is_running() {
        let message = format!("{DEADLOCK}; {}", wait_report(host, false));
        end_job(host, DEADLOCKED, &message)
    }
}
