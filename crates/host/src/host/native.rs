//! A native program: a Rust program, whose ranks are closures.
//!
//! The launcher has started the program itself. When the program calls `simurgh::run`, its process becomes a host
//! ([`claim`]): its ranks are execution contexts that call a function of the program, and nothing is loaded. A thread
//! of the library listens to the launcher, as in a rank's own process, and the calling thread waits until the job is
//! over ([`NativeJob::run`]). Then the process is the program's own again, and the launcher waits for its end.
//!
//! A program whose ranks are processes (`--mode processes`, or another launcher) is a host of one rank.
//!
//! The launcher knows such a program by a note in its file ([`NOTE`]), which is there if the program can call
//! [`claim`].

use super::control::Control;
use super::end::end_job;
use super::error::HostError;
use super::event_loop::EventLoop;
use super::job::{self, Entry, Ranks};
use super::own_process::{give_up, is_launched, take_over_job};
use super::state::{Host, Rank};
use super::wire_up::OpenTransports;
use super::{crash, pmi, rank, threads};
use simurgh_core::Completion;
use simurgh_core::sync::{AtomicBool, Ordering};
use simurgh_image::{NATIVE_KIND, NATIVE_OWNER, ProcessorSet};
use simurgh_mpi::Process;
use simurgh_net::control::ToHost;
use simurgh_net::job::JobSpec;
use simurgh_net::transport::ofi::leave_signals_alone;
use simurgh_profile::Profile;
use simurgh_sched::Topology;
use simurgh_sched::policy::Policy;
use simurgh_settings::Values;
use std::hint::black_box;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::time::Instant;

/// The note by which the launcher knows a native program.
#[repr(C, align(4))]
struct Note {
    owner_size: u32,
    size: u32,
    kind: u32,
    owner: [u8; NATIVE_OWNER.len()],
    version: u32,
}

// The name of the section makes it a note, which the linker keeps in a segment of its own, also in a stripped file.
// `claim` refers to it, so that it is in each program that can call that.
#[unsafe(link_section = ".note.simurgh")]
static NOTE: Note = Note {
    owner_size: NATIVE_OWNER.len() as u32,
    size: 4,
    kind: NATIVE_KIND,
    owner: *NATIVE_OWNER,
    version: 1,
};

/// Whether the job of this process has been claimed.
static CLAIMED: AtomicBool = AtomicBool::new(false);

/// The job for which a launcher has started this process.
pub enum Claim {
    /// No launcher has.
    Alone,
    /// The process has taken part in its job already, or does so now.
    Again,
    /// The job.
    Job(Box<NativeJob>),
}

/// Takes note of the job for which a launcher has started this process. A launcher that cannot serve the process ends
/// it, with a message.
#[must_use]
pub fn claim() -> Claim {
    black_box(&raw const NOTE);
    if CLAIMED.load(Ordering::Acquire) {
        return Claim::Again;
    }
    if !is_launched() {
        pmi::check_unserved().unwrap_or_else(|error| give_up(&error.into()));
        return Claim::Alone;
    }
    if CLAIMED.swap(true, Ordering::AcqRel) {
        return Claim::Again;
    }
    // SAFETY:
    // - the lock of the standard library keeps other threads of the program away from the environment.
    unsafe { leave_signals_alone() };
    let strangers = simurgh_core::kernel_threads().unwrap_or(1);
    let (spec, control) = take_over_job().unwrap_or_else(|error| give_up(&error));
    Claim::Job(Box::new(NativeJob {
        spec,
        control,
        strangers,
        known: 0,
        policy: None,
    }))
}

/// The job of a native program, in one of its processes.
pub struct NativeJob {
    spec: JobSpec,
    control: &'static Control,
    /// The number of threads that were there before. The calling one is among them: it waits attached to the runtime,
    /// and is counted there.
    strangers: usize,
    known: usize,
    policy: Option<Arc<dyn Policy>>,
}

impl NativeJob {
    /// The ranks of this process.
    #[must_use]
    pub fn ranks(&self) -> Range<usize> {
        let ranks = self.spec.ranks().iter();
        ranks.start as usize..ranks.end as usize
    }

    /// The number of ranks of the world.
    #[must_use]
    pub fn world_size(&self) -> usize {
        self.spec.hosts.iter().map(|host| host.ranks as usize).sum()
    }

    /// The settings of the job. Those that concern this process alone may be changed.
    pub fn settings_mut(&mut self) -> &mut Values {
        &mut self.spec.settings
    }

    /// Sets the scheduling policy.
    pub fn set_policy(&mut self, policy: Arc<dyn Policy>) {
        self.policy = Some(policy);
    }

    /// Sets how many of the threads that were there before will never wake a rank.
    pub fn set_known_threads(&mut self, known: usize) {
        self.known = known;
    }

    /// Runs the ranks of this process, and waits until the job is over. `main` is called as each of them, and has to
    /// initialise MPI and to finalize it. What goes wrong ends the job, and the process with it.
    pub fn run(self, main: impl Fn(&Arc<Process>) + Send + Sync + 'static) {
        let over: &'static Completion = Box::leak(Box::new(Completion::new()));
        let main: Arc<Main> = Arc::new(main);
        let body = move || {
            self.serve(main, over).unwrap_or_else(|error| give_up(&error));
        };
        let thread = std::thread::Builder::new().name(threads::LISTENER.to_owned());
        let started = simurgh_core::with_signals_blocked(|| thread.spawn(body));
        if let Err(error) = started {
            give_up(&HostError::system("starting a thread")(error));
        }
        over.wait();
    }

    /// The life of the listening thread.
    fn serve(self, main: Arc<Main>, over: &'static Completion) -> Result<(), HostError> {
        let Self {
            spec,
            control,
            strangers,
            known,
            policy,
        } = self;
        let host = job::take_up(&spec)?;
        crash::report_here();
        // Without the handlers a crash is no more than the launcher sees.
        let _ = crash::install_in_native_program();
        let event_loop = EventLoop::new(host, &spec.settings, Instant::now());
        let open = OpenTransports::open(control, &spec)?;
        let closures = Closures {
            main,
            strangers: strangers.saturating_sub(known),
            policy,
        };
        let runtime = job::start_ranks(&event_loop, host, &spec, Some(open), &closures)?;
        // What the function has captured goes with the last rank.
        drop(closures);
        event_loop.attend(runtime.quiescence(), |message| {
            if *message == ToHost::End {
                job::report(host, &spec, &runtime, &Profile::default());
                over.complete();
            }
            ControlFlow::Continue(())
        });
        Ok(())
    }
}

/// The function that the ranks call.
type Main = dyn Fn(&Arc<Process>) + Send + Sync;

/// Ranks that are closures.
struct Closures {
    main: Arc<Main>,
    strangers: usize,
    policy: Option<Arc<dyn Policy>>,
}

impl Ranks for Closures {
    fn place_memory(&self, _: &'static Host, _: &JobSpec, _: &Topology) -> Result<(), HostError> {
        // The policy of the process has been set when it took note of its job.
        Ok(())
    }

    fn policy(&self) -> Option<Arc<dyn Policy>> {
        self.policy.clone()
    }

    fn strangers(&self) -> usize {
        self.strangers
    }

    /// Other threads of the program may have a runtime of their own.
    fn are_alone(&self) -> bool {
        false
    }

    fn entry(&self, _: &JobSpec, rank: &'static Rank, _: ProcessorSet) -> Option<Entry> {
        let (host, main) = (Host::running()?, Arc::clone(&self.main));
        Some(Entry {
            has_executable_stack: false,
            run: Box::new(move || {
                Process::bind(Arc::clone(rank.process()));
                main(rank.process());
                drop(main);
                rank::finished(host, rank, 0);
            }),
        })
    }
}

/// Ends the job of this process before its ranks do, with a status and a message.
pub fn end_native_job(status: u8, message: &str) -> ! {
    match Host::running() {
        Some(host) => end_job(host, status, message),
        None => give_up(&HostError::NoChannel),
    }
}
