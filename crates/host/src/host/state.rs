//! The running job and its ranks, for code that is given no pointer to them: hooks and signal handlers.

use super::heap_use::HeapUse;
use super::heaps;
use super::output::{self, LineBuffer, Stream};
use super::rank_memory::MemoryEnd;
use super::self_pipe::{Event, SelfPipe};
use super::threads;
use simurgh_core::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering, SpinLock};
use simurgh_core::{EcRef, current, park};
use simurgh_heap::RankHeaps;
use simurgh_image::{Flusher, ImageState, Signals};
use simurgh_mpi::{Job, Process};
use simurgh_net::job::{JobSpec, Mode, OutputFiles};
use simurgh_settings::Id;
use std::io::IsTerminal;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The running job; there is one per process, until the process ends.
static HOST: OnceLock<Host> = OnceLock::new();

/// A running job.
#[derive(Debug)]
pub(super) struct Host {
    job: Arc<Job>,
    mode: Mode,
    ranks: Box<[Rank]>,
    wake: SelfPipe,
    running: AtomicU32,
    status: AtomicU32,
    ending: AtomicBool,
}

/// One rank.
#[derive(Debug)]
pub(super) struct Rank {
    process: Arc<Process>,
    /// The name that the user gave for its program.
    program: String,
    output: LineBuffer,
    errors: LineBuffer,
    heaps: RankHeaps,
    heap_use: HeapUse,
    flusher: OnceLock<Flusher>,
    signals: OnceLock<Signals>,
    place: OnceLock<RankPlace>,
    /// The number of its range of addresses, where it has one: that of the process in its realm.
    range: usize,
    /// The kernel threads that it has had; some of those that have gone are left out.
    threads: SpinLock<Vec<u32>>,
    /// How often it has been dumped, where it is relocatable.
    dumps: AtomicU64,
    ended: AtomicBool,
    memory_end: MemoryEnd,
    /// The execution context that waits for a thread of the rank to end.
    joiner: SpinLock<Option<EcRef>>,
}

/// The main execution context of a rank, and the addresses of its stack and of its image.
#[derive(Clone, Debug)]
pub(super) struct RankPlace {
    pub(super) ec: EcRef,
    pub(super) stack: Range<usize>,
    pub(super) image: Range<usize>,
    pub(super) images: ImageState,
}

impl Host {
    /// Records the job. Called once.
    pub(super) fn begin(
        spec: &JobSpec,
        job: Arc<Job>,
        processes: Vec<Arc<Process>>,
        wake: SelfPipe,
    ) -> &'static Self {
        let ranks: Box<[Rank]> = processes
            .into_iter()
            .map(|process| Rank::new(spec, process))
            .collect();
        let running = AtomicU32::new(spec.ranks().count);
        let (status, ending) = (AtomicU32::new(0), AtomicBool::new(false));
        let mode = spec.mode_of(spec.host);
        HOST.get_or_init(|| Self {
            job,
            mode,
            ranks,
            wake,
            running,
            status,
            ending,
        })
    }

    /// The running job, if there is one.
    pub(super) fn running() -> Option<&'static Self> {
        HOST.get()
    }

    pub(super) fn job(&self) -> &Arc<Job> {
        &self.job
    }

    /// Whether this process is one of a program that the launcher has started: of a single rank (`--mode processes`),
    /// or of a native program.
    pub(super) fn is_program(&self) -> bool {
        self.mode.starts_program()
    }

    /// Whether all threads of this process are those of a single rank.
    pub(super) fn is_one_rank(&self) -> bool {
        self.mode == Mode::Processes
    }

    pub(super) fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    /// The rank of this process, if it is a thread of this host.
    pub(super) fn rank_of(&self, process: &Process) -> Option<&Rank> {
        let is_it = |rank: &&Rank| !self.is_program() && rank.process().id() == process.id();
        self.ranks.iter().find(is_it)
    }

    pub(super) fn self_pipe(&self) -> &SelfPipe {
        &self.wake
    }

    /// The first exit status of a rank that is not zero. If there is none: 0, or 1 if output of ranks has been lost.
    pub(super) fn status(&self) -> u8 {
        // Acquire pairs with the Release in `rank_ended`.
        match self.status.load(Ordering::Acquire) as u8 {
            0 => u8::from(output::is_lost()),
            status => status,
        }
    }

    /// Whether a rank has yet to end.
    pub(super) fn is_running(&self) -> bool {
        // Acquire pairs with the Release in `rank_ended`.
        self.running.load(Ordering::Acquire) > 0
    }

    /// Notes the end of a rank.
    pub(super) fn rank_ended(&self, rank: &Rank, status: u8) {
        // The rank cannot learn of a loss any more; the user has been told.
        let _ = rank.output.finish().and(rank.errors.finish());
        // A rank with several threads may end more than once. SeqCst: see `begin_end`.
        if rank.ended.swap(true, Ordering::SeqCst) {
            return;
        }
        if status != 0 {
            // The first failure counts; if the exchange fails, there is one already.
            let _ = self
                .status
                .compare_exchange(0, u32::from(status), Ordering::Release, Ordering::Relaxed);
        }
        // AcqRel: the thread that counts the last rank has seen what all others did.
        if self.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.wake.send(Event::Ended);
        }
    }

    /// Whether the caller is the first to end the job. All other callers have to wait for the end of the process.
    pub(super) fn begin_end(&self) -> bool {
        // SeqCst, here, in `is_ending`, `rank_ended` and `has_ended`: either who ends the job sees that a rank has
        // ended, or the rank sees that the job ends.
        !self.ending.swap(true, Ordering::SeqCst)
    }

    /// Whether somebody ends the job.
    pub(super) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }
}

impl Rank {
    fn new(spec: &JobSpec, process: Arc<Process>) -> Self {
        let id = process.rank();
        let tag = match spec.settings.is_on(Id::TagOutput) {
            false => String::new(),
            true => format!("[{}] ", spec.name_of(id)),
        };
        // Rank 0 reads the terminal, so its prompts have to appear before their line is complete.
        let prompts =
            id == 0 && tag.is_empty() && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let range = spec.origin.realm.local(process.id()).unwrap_or(process.id()) as usize;
        let section = spec.section_of(id).and_then(|index| spec.sections.get(index));
        let (output, errors) = match OutputFiles::of(spec, id) {
            Some(OutputFiles { output, errors }) => {
                (LineBuffer::into_file(output), LineBuffer::into_file(errors))
            }
            None => (
                LineBuffer::new(Stream::Out, tag.clone(), prompts),
                LineBuffer::new(Stream::Error, tag, false),
            ),
        };
        Self {
            program: section.map_or_else(String::new, |section| section.argv[0].to_string()),
            output,
            errors,
            heaps: heaps::of_rank(spec, id, range),
            heap_use: HeapUse::new(spec.settings.is_on(Id::Stats)),
            flusher: OnceLock::new(),
            signals: OnceLock::new(),
            place: OnceLock::new(),
            range,
            threads: SpinLock::default(),
            dumps: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            memory_end: MemoryEnd::default(),
            joiner: SpinLock::default(),
            process,
        }
    }

    pub(super) fn process(&self) -> &Arc<Process> {
        &self.process
    }

    /// The rank's number in its world.
    pub(super) fn id(&self) -> u32 {
        self.process.rank()
    }

    /// The name that the user gave for its program.
    pub(super) fn program(&self) -> &str {
        &self.program
    }

    /// The memory that its program allocates.
    pub(super) fn heaps(&self) -> &RankHeaps {
        &self.heaps
    }

    /// What is noted of that.
    pub(super) fn heap_use(&self) -> &HeapUse {
        &self.heap_use
    }

    /// The buffer of a stream.
    pub(super) fn stream(&self, stream: Stream) -> &LineBuffer {
        match stream {
            Stream::Out => &self.output,
            Stream::Error => &self.errors,
        }
    }

    /// Stores the means to flush the stdio of the rank's image, and to send it signals.
    pub(super) fn set_image(&self, flusher: Flusher, signals: Signals) {
        // A rank has one image, so they are set once.
        let _ = self.flusher.set(flusher);
        let _ = self.signals.set(signals);
    }

    /// Stores the place of a rank whose program is about to begin.
    pub(super) fn set_place(&self, place: RankPlace) {
        let _ = self.place.set(place);
    }

    /// The place of the rank, if its program has begun.
    pub(super) fn place(&self) -> Option<&RankPlace> {
        self.place.get()
    }

    /// The number of its range of addresses.
    pub(super) fn range(&self) -> usize {
        self.range
    }

    /// How far the end of its memory has come.
    pub(super) fn memory_end(&self) -> &MemoryEnd {
        &self.memory_end
    }

    /// Notes that a kernel thread runs for the rank. Before the list grows, those that have gone are forgotten.
    pub(super) fn note_thread(&self, thread: u32) {
        let mut threads = self.threads.lock();
        if threads.len() == threads.capacity() {
            threads.retain(|thread| threads::is_there(*thread));
        }
        threads.push(thread);
    }

    /// The number of the rank's kernel threads that are still there; the others are forgotten.
    pub(super) fn count_threads(&self) -> usize {
        let mut threads = self.threads.lock();
        threads.retain(|thread| threads::is_there(*thread));
        threads.len()
    }

    /// Notes that the rank has been dumped and restored.
    pub(super) fn count_dump(&self) {
        // Relaxed: a counter.
        self.dumps.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the rank has been dumped and restored.
    pub(super) fn dumps(&self) -> u64 {
        self.dumps.load(Ordering::Relaxed)
    }

    /// The means to send the rank signals, if its program has begun.
    pub(super) fn signals(&self) -> Option<Signals> {
        self.signals.get().copied()
    }

    /// Writes out what the rank's program holds in its buffers, at the end of the job. May last; see
    /// [`Flusher::flush`].
    pub(super) fn flush_program(&self) {
        if let Some(flusher) = self.flusher.get().filter(|_| !self.has_ended()) {
            flusher.flush();
        }
    }

    /// Writes out the incomplete lines of the rank, at the end of the job.
    pub(super) fn finish_lines(&self) {
        self.output.finish_if_possible();
        self.errors.finish_if_possible();
    }

    /// Suspends the rank's execution context until `has_come` is true, which happens before [`Rank::wake_joiner`] is
    /// called.
    pub(super) fn await_thread(&self, has_come: impl Fn() -> bool) {
        while !has_come() {
            *self.joiner.lock() = Some(current());
            // The second look is needed: a thread that ended before the line above has woken nobody.
            if !has_come() {
                park();
            }
        }
    }

    /// Called when a thread of the rank has ended, as far as the program can see, or has waited for what the rank's
    /// main thread waits for.
    pub(super) fn wake_joiner(&self) {
        let joiner = self.joiner.lock().take();
        if let Some(joiner) = joiner {
            joiner.unpark();
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        // SeqCst: see `Host::begin_end`.
        self.ended.load(Ordering::SeqCst)
    }
}
