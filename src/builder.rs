//! Running a closure as the ranks of an MPI program.

use std::fmt::Display;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use simurgh_core::sync::SpinLock;
use simurgh_host::{Claim, CommunicationProfile, Moment, NativeJob};
use simurgh_mpi::{Hardware, Job, Process};
use simurgh_sched::policy::Policy;
use simurgh_sched::{EcSpec, Runtime};
use simurgh_settings::{Id, Origin, Values};

use crate::communicator::Communicator;
use crate::error::{RANKS_MAX, RunError};
use crate::panic_place;
use crate::rank_heaps::OwnHeaps;
use crate::results::Results;
use crate::run_state::RunState;
use crate::session::Rank;
use crate::settings;

/// Runs `f` as every rank of the world, with the settings of the environment; see [`Builder::run`].
///
/// # Errors
///
/// As [`Builder::run`].
///
/// ```
/// let ranks = simurgh::run(|world| world.rank())?;
/// assert!(ranks.iter().copied().eq(0..ranks.len()));
/// # Ok::<(), simurgh::RunError>(())
/// ```
pub fn run<T, F>(f: F) -> Result<Results<T>, RunError>
where
    F: Fn(&Communicator) -> T + Send + Sync + 'static,
    T: Send + 'static,
{
    Builder::new().run(f)
}

/// Runs `f` as every rank of the world, with the settings of the environment, and fails with the first error that it
/// returns; see [`Builder::try_run`].
///
/// # Errors
///
/// As [`Builder::try_run`].
///
/// ```
/// let sums = simurgh::try_run(|world| {
///     let mut sum = 0;
///     world.all_reduce(&world.rank(), &mut sum, &simurgh::Op::sum())?;
///     Ok::<_, simurgh::Error>(sum)
/// })?;
/// assert!(sums.iter().all(|sum| 2 * sum == sums.len() * (sums.len() - 1)));
/// # Ok::<(), simurgh::RunError>(())
/// ```
pub fn try_run<T, E, F>(f: F) -> Result<Results<T>, RunError>
where
    F: Fn(&Communicator) -> Result<T, E> + Send + Sync + 'static,
    T: Send + 'static,
    E: Display,
{
    Builder::new().try_run(f)
}

/// Chooses what a run is like. What is not chosen here is taken from the environment, and else by default:
///
/// | setting | environment variable | default |
/// |---|---|---|
/// | [`ranks`](Self::ranks) | `SIMURGH_RANKS` | one per virtual processor |
/// | [`vps`](Self::vps) | `SIMURGH_VPS` | one per core |
/// | [`policy`](Self::policy) | `SIMURGH_POLICY` | `wq`, the work queue |
/// | [`stack_size`](Self::stack_size) | `SIMURGH_STACK_SIZE` | 8 MiB, of which only the touched part costs memory |
/// | [`seed`](Self::seed) | `SIMURGH_SEED` | none: ranks run in the order they become ready |
///
/// All other settings (`docs/settings.md`) are taken from the environment.
///
/// ```
/// let sums = simurgh::Builder::new().ranks(7).vps(2).run(|world| {
///     let mut sum = 0;
///     world.all_reduce(&world.rank(), &mut sum, &simurgh::Op::sum())?;
///     Ok::<_, simurgh::Error>(sum)
/// })?;
/// assert!(sums.into_iter().all(|sum| sum == Ok(21)));
/// # Ok::<(), simurgh::RunError>(())
/// ```
#[derive(Default)]
#[must_use = "a builder does nothing until it runs something"]
pub struct Builder {
    ranks: Option<usize>,
    vps: Option<usize>,
    policy: Option<Arc<dyn Policy>>,
    stack_size: Option<usize>,
    seed: Option<u64>,
    other_threads: usize,
}

impl Builder {
    /// A builder with all defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of ranks.
    pub fn ranks(mut self, ranks: usize) -> Self {
        self.ranks = Some(ranks);
        self
    }

    /// Sets the number of virtual processors: kernel threads that run the ranks, each pinned to a core.
    pub fn vps(mut self, vps: usize) -> Self {
        self.vps = Some(vps);
        self
    }

    /// Sets the scheduling policy: one of those of [`policy`](crate::policy), or one of your own.
    ///
    /// ```
    /// use simurgh::policy::{Machine, Policy};
    ///
    /// /// Ranks are dealt out to the virtual processors like cards, and stay where they are.
    /// struct Cyclic;
    ///
    /// impl Policy for Cyclic {
    ///     fn name(&self) -> &str {
    ///         "cyclic"
    ///     }
    ///
    ///     fn place(&self, index: usize, _count: usize, machine: &Machine<'_>) -> usize {
    ///         index % machine.vps()
    ///     }
    ///
    ///     fn victims(&self, _vp: usize, _machine: &Machine<'_>) -> Vec<usize> {
    ///         Vec::new()
    ///     }
    /// }
    ///
    /// let ranks = simurgh::Builder::new().ranks(7).vps(2).policy(Cyclic).run(|world| world.rank())?;
    /// assert_eq!(ranks.len(), 7);
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn policy(mut self, policy: impl Policy + 'static) -> Self {
        self.policy = Some(Arc::new(policy));
        self
    }

    /// Sets the bytes of stack for each rank.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = Some(bytes);
        self
    }

    /// Makes ranks run in a random order that the seed determines. With one virtual processor, every run with the same
    /// seed is the same, as long as no rank keeps it from others for longer than the setting `patience`. For tests.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the number of threads of the process, besides the calling one, that will never wake a rank. If they are
    /// known, deadlocks of the ranks are recognised in spite of them. An unknown thread might still wake a rank, so
    /// nothing is concluded. Those of another run of the process are unknown, too: two runs at a time, whose ranks
    /// wait for ever, wait for each other's end.
    pub fn other_threads(mut self, count: usize) -> Self {
        self.other_threads = count;
        self
    }

    /// Runs `f` as every rank of the world that lives in this process, and returns their results (`MPI_Init` to
    /// `MPI_Finalize`, chapter 11 of the standard).
    ///
    /// The ranks are coroutines of this process: they share its memory, and a blocked rank costs no thread. The calling
    /// thread waits.
    ///
    /// # Without a launcher
    ///
    /// All ranks of the world live in this process. A program may run as many worlds as it likes, one after the other.
    ///
    /// # Under a launcher
    ///
    /// In a process that `mpiexec`, `srun` or the launcher of another MPI has started, the call joins that job.
    /// Simurgh's `mpiexec` starts one process for each node, or as many as `--hosts-per-node` says, and divides the
    /// ranks among them; with other launchers each process is a rank. The launcher decides the number of ranks,
    /// whatever [`ranks`](Self::ranks) says. Its options take the place of the environment, and what is chosen here
    /// goes before both. `f` has the same meaning in all processes, as the program is the same in all of them; what it
    /// captures are values of its own process.
    ///
    /// The call returns when all ranks of the job have ended. If one panics or aborts, or all of them wait for each
    /// other, the job ends, and all its processes with it: the launcher prints the reason, and its exit status is that
    /// of the failure (101 after a panic).
    ///
    /// A process takes part in one run. The threads that it has when it calls `run` go on beside the ranks; while one
    /// of them could wake a rank, no deadlock is reported, except if it is one of the
    /// [`other_threads`](Self::other_threads). A process that ends without calling `run` fails the job if others call
    /// it.
    ///
    /// # Errors
    ///
    /// Without a launcher the first failure ends the run: a rank that panics or aborts, or a deadlock. The call then
    /// returns at once. (An error that `f` returns is a result as any other one; [`try_run`](Self::try_run) ends the
    /// run with it.) The other ranks leave, unwinding, with their next call of this interface. Ranks that are blocked
    /// stay so for good, and what they own is leaked. If the settings are wrong, no rank is started.
    ///
    /// Under a launcher: wrong settings, and [`RunError::Again`] in the second run of a process.
    pub fn run<T, F>(self, f: F) -> Result<Results<T>, RunError>
    where
        F: Fn(&Communicator) -> T + Send + Sync + 'static,
        T: Send + 'static,
    {
        self.run_ranks(move |rank| rank.in_world(&f))
    }

    /// Runs `f` as every rank of the world that lives in this process, as [`run`](Self::run) does. The first error that
    /// `f` returns ends the run, as a panic does: other ranks, which may wait for the one that has failed, are not left
    /// waiting.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run); [`RunError::Failed`] with the error of `f`.
    ///
    /// ```
    /// use simurgh::{Builder, RunError};
    ///
    /// let ended = Builder::new().ranks(3).try_run(|world| {
    ///     if world.rank() == 1 {
    ///         return Err("no flour".to_owned());
    ///     }
    ///     // The others wait for it in vain.
    ///     world.barrier().map_err(|error| error.to_string())
    /// });
    /// assert!(matches!(ended, Err(RunError::Failed { rank: 1, message }) if message == "no flour"));
    /// ```
    pub fn try_run<T, E, F>(self, f: F) -> Result<Results<T>, RunError>
    where
        F: Fn(&Communicator) -> Result<T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: Display,
    {
        self.run(move |world| f(world).unwrap_or_else(|error| world.fail(&error)))
    }

    /// Runs `f` as every rank of this process, as [`run`](Self::run) does, but does not initialise the world: ranks
    /// communicate in sessions ([`Rank::session`]).
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run); [`RunError::Engine`] if a rank has leaked a session.
    pub fn run_sessions<T, F>(self, f: F) -> Result<Results<T>, RunError>
    where
        F: Fn(&Rank) -> T + Send + Sync + 'static,
        T: Send + 'static,
    {
        self.run_ranks(move |rank| Ok(f(rank)))
    }

    fn run_ranks<T, F>(self, f: F) -> Result<Results<T>, RunError>
    where
        F: Fn(&Rank) -> simurgh_mpi::Result<T> + Send + Sync + 'static,
        T: Send + 'static,
    {
        let settings = self.settings()?;
        panic_place::watch();
        match simurgh_host::claim() {
            Claim::Alone => self.run_alone(settings, f),
            Claim::Again => Err(RunError::Again),
            Claim::Job(job) => self.run_in_job(*job, f),
        }
    }

    /// Runs a world of this process.
    fn run_alone<T, F>(self, settings: Values, f: F) -> Result<Results<T>, RunError>
    where
        F: Fn(&Rank) -> simurgh_mpi::Result<T> + Send + Sync + 'static,
        T: Send + 'static,
    {
        let run_state = Arc::new(RunState::default());
        let spec = spec(&settings);
        let ranks = match self.ranks {
            Some(ranks) => Some(ranks),
            None => settings::ranks()?,
        };
        let runtime = self.start(&settings, &run_state)?;
        let ranks = ranks.unwrap_or_else(|| runtime.vps());
        if !(1..=RANKS_MAX).contains(&ranks) {
            return Err(RunError::Ranks { asked: ranks });
        }
        let profile = CommunicationProfile::of_settings(&settings);
        let crew = Arc::new(Crew::new(0..ranks, run_state, profile, f));
        crew.start(&runtime, &Job::with_settings(ranks, settings), spec);
        let result = crew.run_state.wait();
        stop(runtime, &crew.run_state);
        if let Some(profile) = &crew.profile {
            profile.write(ranks);
        }
        result.map(|()| Results::new(0, ranks, crew.results()))
    }

    /// Runs the ranks that this process has in a launcher's job.
    fn run_in_job<T, F>(self, mut job: NativeJob, f: F) -> Result<Results<T>, RunError>
    where
        F: Fn(&Rank) -> simurgh_mpi::Result<T> + Send + Sync + 'static,
        T: Send + 'static,
    {
        self.choose(job.settings_mut())?;
        job.set_known_threads(self.other_threads);
        if let Some(policy) = self.policy {
            job.set_policy(policy);
        }
        let (ranks, world) = (job.ranks(), job.world_size());
        let crew = Arc::new(Crew::new(ranks.clone(), Arc::new(RunState::of_job()), None, f));
        let serving = Arc::clone(&crew);
        job.run(move |process| serving.serve(process));
        Ok(Results::new(ranks.start, world, crew.results()))
    }

    /// The settings that have been chosen here, and those of the environment for the rest.
    fn settings(&self) -> Result<Values, RunError> {
        let mut settings = Values::default();
        self.choose(&mut settings)?;
        settings.read_environment(|name| std::env::var_os(name))?;
        Ok(settings)
    }

    /// Sets the settings that have been chosen here.
    fn choose(&self, settings: &mut Values) -> Result<(), RunError> {
        let chosen = [
            (Id::Vps, "Builder::vps", self.vps.map(|vps| vps as u64)),
            (
                Id::StackSize,
                "Builder::stack_size",
                self.stack_size.map(|bytes| bytes as u64),
            ),
            (Id::Seed, "Builder::seed", self.seed),
        ];
        for (id, method, value) in chosen {
            if let Some(value) = value {
                settings.set(id, value, Origin::Given(method.to_owned()))?;
            }
        }
        Ok(())
    }

    fn start(self, settings: &Values, run_state: &Arc<RunState>) -> Result<Runtime, RunError> {
        let policy = match self.policy {
            Some(policy) => policy,
            None => simurgh_host::policy_of_settings(settings)?,
        };
        let told = Arc::clone(run_state);
        let builder = simurgh_sched::Builder::new()
            .vps(settings.get(Id::Vps).map(|vps| vps as usize))
            .seed(settings.get(Id::Seed))
            .policy(policy)
            .patience(settings.time(Id::Patience))
            .known_threads(self.other_threads)
            .on_deadlock(move |_| told.report_deadlock());
        Ok(builder.start()?)
    }
}

fn spec(settings: &Values) -> EcSpec {
    let default = EcSpec::default();
    EcSpec {
        stack_size: settings
            .get(Id::StackSize)
            .map_or(default.stack_size, |bytes| bytes as usize),
        ..default
    }
}

/// Stops the virtual processors. Ranks that are left may compute for a long time yet; nobody waits for them.
fn stop(runtime: Runtime, run_state: &RunState) {
    if run_state.is_empty() {
        drop(runtime);
    } else {
        std::thread::spawn(move || drop(runtime));
    }
}

/// The ranks of a run that live in this process.
struct Crew<T, F> {
    run_state: Arc<RunState>,
    /// The first of them.
    first: usize,
    results: Box<[SpinLock<Option<T>>]>,
    /// Under a launcher the host has the profile, if the user wants one.
    profile: Option<CommunicationProfile>,
    f: F,
}

impl<T, F> Crew<T, F>
where
    F: Fn(&Rank) -> simurgh_mpi::Result<T> + Send + Sync + 'static,
    T: Send + 'static,
{
    fn new(
        ranks: Range<usize>,
        run_state: Arc<RunState>,
        profile: Option<CommunicationProfile>,
        f: F,
    ) -> Self {
        run_state.begin(ranks.len());
        Self {
            run_state,
            first: ranks.start,
            results: ranks.map(|_| SpinLock::new(None)).collect(),
            profile,
            f,
        }
    }

    fn start(self: &Arc<Self>, runtime: &Runtime, job: &Arc<Job>, spec: EcSpec) {
        let ranks = self.results.len();
        let _ = job.set_processors_hook(runtime.observer());
        let _ = job.set_domains_hook(runtime.domain_observer());
        job.set_hardware(Hardware::of_members(runtime, ranks));
        for rank in 0..ranks {
            let (crew, job) = (Arc::clone(self), Arc::clone(job));
            let body = move || {
                let number = u32::try_from(rank).expect("fewer ranks than the limit");
                let process = Process::new(job, number);
                Process::bind(Arc::clone(&process));
                crew.serve(&process);
            };
            if let Err(error) = runtime.spawn_member(spec, (rank, ranks), body) {
                return self.run_state.fail(error.into());
            }
        }
    }

    /// The life of a rank.
    fn serve(&self, process: &Arc<Process>) {
        let _heaps = OwnHeaps::enter();
        let rank = process.rank() as usize;
        let place = rank - self.first;
        if let Some(profile) = &self.profile {
            profile.begin(process);
        }
        let ended = catch_unwind(AssertUnwindSafe(|| self.sail(process, place)));
        if let Some(profile) = &self.profile {
            profile.end(process);
        }
        match ended {
            Ok(Ok(value)) => *self.results[place].lock() = Some(value),
            Ok(Err(error)) => self.run_state.fail(RunError::Engine { rank, error }),
            Err(payload) => {
                if let Some(failure) = RunState::failure_of(rank, &*payload) {
                    self.run_state.fail(failure);
                }
            }
        }
        panic_place::forget();
        simurgh_host::note_heap(Moment::Ended);
        self.run_state.leave(place);
    }

    fn sail(&self, process: &Arc<Process>, place: usize) -> simurgh_mpi::Result<T> {
        let rank = Rank::new(process, &self.run_state, place);
        let value = (self.f)(&rank)?;
        rank.check_ended()?;
        Ok(value)
    }

    /// The results of the ranks, all of which have ended.
    fn results(&self) -> Vec<T> {
        self.results
            .iter()
            .filter_map(|result| result.lock().take())
            .collect()
    }
}
