//! From the job description to the status of the job.

use super::crash::{self, altstack};
use super::end::{end_job, failure_status, flush};
use super::error::HostError;
use super::output::say;
use super::rank::{self, Program};
use super::state::Host;
use super::waiting::waiting;
use super::wake::{Event, Wake};
use super::{environment, launch, signals, stats};
use simurgh_image::{Options, Prepared};
use simurgh_mpi::{Abort, Hardware, Job, Process};
use simurgh_net::job::{self, FD_VARIABLE, JobSpec, Section};
use simurgh_sched::{Builder, EcSpec, Runtime, policy};
use simurgh_settings::{Id, Values};
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Status when the time is over, as that of `timeout(1)`.
const TIMED_OUT: u8 = 124;

/// Status when all ranks wait for each other.
const DEADLOCKED: u8 = 125;

/// Runs the job that the launcher has described; the status is the process's.
pub(super) fn run() -> Result<u8, HostError> {
    let start = Instant::now();
    let spec = job::unseal(descriptor()?)?;
    follow_parent(&spec)?;
    if let Some(wdir) = &spec.wdir {
        std::env::set_current_dir(wdir.as_path()).map_err(HostError::system("the working directory"))?;
    }
    let host = begin(&spec)?;
    let runtime = start_runtime(host, &spec.settings)?;
    if let Some(rank) = host.ranks().first() {
        let _ = rank.process().job().set_processors_hook(runtime.observer());
    }
    let programs = prepare(&spec.sections)?;
    spawn_ranks(host, &runtime, &spec, programs)?;
    let status = wait(host, &spec.settings, start);
    if spec.settings.is_on(Id::Stats) {
        say(&stats::text(&runtime, host.ranks().len()));
    }
    // Its threads may be running ranks that will never end: the process's end is theirs.
    std::mem::forget(runtime);
    Ok(status)
}

/// The descriptor of the job description.
fn descriptor() -> Result<OwnedFd, HostError> {
    let value = std::env::var(FD_VARIABLE).unwrap_or_default();
    let valid = |fd: &i32| std::fs::metadata(format!("/proc/self/fd/{fd}")).is_ok() && *fd > 2;
    let fd = value.parse().ok().filter(valid).ok_or(HostError::NoJob {
        variable: FD_VARIABLE,
        value,
    })?;
    // SAFETY:
    // - the descriptor is open, and the launcher has passed it for us to own.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Makes the process end with the launcher's, however that one ends.
fn follow_parent(spec: &JobSpec) -> Result<(), HostError> {
    let Some(parent) = spec.parent else { return Ok(()) };
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(HostError::system("watching mpiexec"))?;
    let alive =
        rustix::process::getppid().is_some_and(|pid| pid.as_raw_nonzero().get().cast_unsigned() == parent);
    if alive { Ok(()) } else { Err(HostError::Orphan) }
}

/// Makes the ranks' processes (in MPI's sense) and what is known of them.
fn begin(spec: &JobSpec) -> Result<&'static Host, HostError> {
    // An executable in a memory file has a name that tells nothing.
    rustix::thread::set_name(c"simurgh-host").map_err(HostError::system("naming the process"))?;
    let wake = Wake::new().map_err(HostError::system("making a pipe"))?;
    let job = Job::with_settings(spec.total_ranks()? as usize, spec.settings.clone());
    let processes: Vec<_> = spec
        .ranks
        .iter()
        .map(|rank| Process::new(Arc::clone(&job), rank))
        .collect();
    launch::tell(spec, &processes);
    let host = Host::begin(spec, processes, wake);
    let _ = job.set_abort_hook(|abort| end_job(host, failure_status(abort.code), &abort_message(abort)));
    signals::install()
        .and_then(|()| crash::install())
        .map_err(HostError::system("installing signal handlers"))?;
    Ok(host)
}

fn abort_message(abort: &Abort) -> String {
    let Abort {
        process,
        code,
        reason,
    } = abort;
    let separator = if reason.is_empty() { "" } else { ": " };
    format!("rank {process} ended the job with code {code}{separator}{reason}")
}

/// Starts the virtual processors, each with a stack for signal handlers.
fn start_runtime(host: &'static Host, settings: &Values) -> Result<Runtime, HostError> {
    let policy = policy::by_name(&settings.show(Id::Policy))?;
    let runtime = Builder::new()
        .vps(settings.get(Id::Vps).map(|vps| vps as usize))
        .seed(settings.get(Id::Seed))
        .policy(policy)
        .on_deadlock(move || deadlocked(host))
        .start()?;
    let vps = runtime.vps();
    let prepare = move || {
        (0..vps).try_for_each(|vp| {
            simurgh_core::migrate(vp);
            altstack::add()
        })
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    let done = move || {
        // The receiver waits below.
        let _ = sender.send(prepare());
    };
    let _ = runtime.spawn(EcSpec::default(), 0, done)?;
    let added = receiver
        .recv()
        .unwrap_or_else(|_| Err(std::io::Error::other("a thread of the runtime has failed")));
    added.map_err(HostError::system("stacks for signal handlers"))?;
    Ok(runtime)
}

/// Makes what the ranks of each program share; programs that stand there twice are made once.
fn prepare(sections: &[Section]) -> Result<Vec<Program>, HostError> {
    let mut programs: Vec<Program> = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        let same = |other: &Section| other.program == section.program && other.preload == section.preload;
        let prepared = match sections[..index].iter().position(same) {
            Some(earlier) => programs[earlier].prepared.clone(),
            None => prepare_one(section)?,
        };
        programs.push(Program {
            prepared,
            argv: section.argv.iter().map(job::Text::to_c_string).collect(),
            environment: environment::with_changes(std::env::vars_os(), &section.env),
        });
    }
    Ok(programs)
}

fn prepare_one(section: &Section) -> Result<Prepared, HostError> {
    let program = simurgh_image::Program::open(section.program.as_path())?;
    let preload = section
        .preload
        .iter()
        .map(|library| library.as_path().to_path_buf())
        .collect();
    Ok(Prepared::new(&program, Options { preload })?)
}

/// Starts one execution context per rank.
fn spawn_ranks(
    host: &'static Host,
    runtime: &Runtime,
    spec: &JobSpec,
    programs: Vec<Program>,
) -> Result<(), HostError> {
    let programs: Vec<_> = programs.into_iter().map(Arc::new).collect();
    let ranks = host.ranks();
    if let Some(rank) = ranks.first() {
        let hardware = Hardware::of_members(runtime, ranks.len());
        rank.process().job().set_hardware(hardware);
    }
    let stack_size = match spec.settings.amount(Id::StackSize) {
        0 => EcSpec::default().stack_size,
        bytes => bytes,
    };
    for (index, rank) in ranks.iter().enumerate() {
        let Some(program) = spec
            .section_of(rank.id())
            .and_then(|section| programs.get(section))
        else {
            continue;
        };
        let program = Arc::clone(program);
        let ec = EcSpec {
            stack_size,
            executable_stack: program.prepared.fit().needs_exec_stack,
            ..EcSpec::default()
        };
        let _ = runtime.spawn_member(ec, (index, ranks.len()), move || rank::run(host, rank, &program))?;
    }
    Ok(())
}

/// Waits for the end of the job.
fn wait(host: &Host, settings: &Values, start: Instant) -> u8 {
    let limit = settings.get(Id::Timeout).map(Duration::from_millis);
    let deadline = limit.map(|limit| start + limit);
    match simurgh_core::while_blocked(|| host.wake().receive(deadline)) {
        Some(Event::Ended) => {
            if !host.begin_end() {
                super::end::wait_for_the_end();
            }
            flush(host);
            host.status()
        }
        Some(Event::Crash) => {
            let (text, signal) = crash::report(host);
            end_job(host, crash::status_of(signal), &text)
        }
        Some(Event::Signal(number)) => {
            if host.begin_end() {
                flush(host);
            }
            crash::status_of(number.into())
        }
        None => end_job(host, TIMED_OUT, &timeout_message(host, limit.unwrap_or_default())),
    }
}

fn timeout_message(host: &Host, limit: Duration) -> String {
    let seconds = limit.as_secs_f64();
    format!(
        "the job has run for {seconds} s, its time limit; {}",
        waiting(host)
    )
}

/// All execution contexts wait, and nobody is left to wake one.
fn deadlocked(host: &Host) {
    if host.is_running() {
        let message = format!("deadlock: every rank waits and none can go on; {}", waiting(host));
        end_job(host, DEADLOCKED, &message)
    }
}
