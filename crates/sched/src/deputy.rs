//! Kernel threads that run what is ready on a virtual processor while one execution context keeps it.
//!
//! A deputy stands in for its principal, a virtual processor or another deputy, during one stint: while the principal
//! runs the one execution context that it ran when the deputy was called. Before each one that it resumes the deputy
//! looks whether that is still so; if not, it gives back all that is ready, and sleeps. Those of its execution contexts
//! that wait then come to it when they are woken, and are passed on at once.
//!
//! A deputy runs on all cores between which those of its principal may move: nobody asks it for work, so it is the
//! system that evens out what deputies do. Deputies do not count as virtual processors, but while one is awake nobody
//! takes all for asleep.

use std::sync::Arc;
use std::thread::JoinHandle;

use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering, SpinLock};
use simurgh_core::{Entry, Evicted};

use crate::affinity::Affinity;
use crate::lookout::Lookout;
use crate::post::Post;
use crate::vp::Common;

/// A stint that there never is.
const NONE: u64 = u64::MAX;

/// All deputies of a runtime.
#[derive(Default)]
pub(crate) struct Deputies {
    posts: SpinLock<Vec<Arc<Deputy>>>,
    threads: SpinLock<Vec<JoinHandle<()>>>,
    /// Other threads that wake nobody by themselves.
    others: AtomicU64,
    over: AtomicBool,
}

impl Deputies {
    /// Threads of the runtime that are no virtual processors.
    pub(crate) fn threads(&self) -> usize {
        self.posts.lock().len() + self.others.load(Ordering::SeqCst) as usize
    }

    /// There is one more thread of the runtime.
    pub(crate) fn count_other(&self) {
        self.others.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether nothing waits for any of them.
    pub(crate) fn are_quiet(&self) -> bool {
        self.posts
            .lock()
            .iter()
            .all(|deputy| deputy.post.worker.is_quiet())
    }

    /// Starts one for a principal, called by one thread; none if the system has no thread for it.
    pub(crate) fn appoint(&self, principal: &Arc<Post>, common: &Arc<Common>) -> Option<Arc<Deputy>> {
        let deputy = Arc::new(Deputy {
            post: Arc::new(Post::new(principal.worker.deputy())),
            principal: Arc::clone(principal),
            stint: AtomicU64::new(NONE),
        });
        // It is asleep, and so it begins.
        deputy.post.idle.begin();
        let (own, common) = (Arc::clone(&deputy), Arc::clone(common));
        self.posts.lock().push(Arc::clone(&deputy));
        let thread = std::thread::Builder::new().name("deputy".to_owned());
        let Ok(thread) = thread.spawn(move || own.run(&common)) else {
            self.posts.lock().pop();
            return None;
        };
        self.threads.lock().push(thread);
        Some(deputy)
    }

    /// Whether they are to end, and who appoints them.
    pub(crate) fn are_over(&self) -> bool {
        // Acquire pairs with the Release in `end`.
        self.over.load(Ordering::Acquire)
    }

    /// Says that they are to end.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    /// Waits until all have given back what is ready and ended, after they have been told to.
    pub(crate) fn dismiss(&self) {
        let posts = self.posts.lock().clone();
        posts.iter().for_each(|deputy| deputy.post.worker.nudge());
        let threads = std::mem::take(&mut *self.threads.lock());
        for thread in threads {
            // One that panicked has already said so on stderr.
            let _ = thread.join();
        }
    }
}

/// Who stands in for a principal.
pub(crate) struct Deputy {
    post: Arc<Post>,
    principal: Arc<Post>,
    /// The stint of the principal during which it does.
    stint: AtomicU64,
}

impl Deputy {
    pub(crate) fn post(&self) -> &Arc<Post> {
        &self.post
    }

    /// Has it run what was taken from its principal, as long as this stint lasts, and look after the network.
    pub(crate) fn stand_in(&self, stint: u64, evicted: Evicted) {
        // Relaxed: the inbox orders it.
        self.stint.store(stint, Ordering::Relaxed);
        match evicted.is_empty() {
            true => self.post.worker.nudge(),
            false => self.post.worker.take_in(evicted),
        }
    }

    /// Whether the principal still runs what it ran then.
    fn is_needed(&self) -> bool {
        // Relaxed: it is read again before each execution context.
        self.principal.stint() == Some(self.stint.load(Ordering::Relaxed))
    }

    /// The body of the kernel thread.
    fn run(&self, common: &Common) {
        let worker = self.post.worker;
        common.note_thread();
        if common.topology.binds() {
            let _ = Affinity::of(&common.topology.reach(worker.index())).bind(None);
        }
        (common.prepare)();
        let network = common.lookout.get().map(Lookout::network);
        worker.enter(Entry {
            spin_limit: 0,
            seed: None,
            network: network.filter(|_| common.crew.drives(worker.index())).cloned(),
        });
        while !common.deputies.are_over() {
            self.sleep(common);
            self.serve(common);
        }
        worker.leave();
    }

    /// Sleeps until there is something to run, or to look after.
    fn sleep(&self, common: &Common) {
        let ticket = self.post.worker.ticket();
        if !common.deputies.are_over() {
            self.post.worker.sleep(ticket);
        }
    }

    /// Runs what is ready, or gives it back.
    fn serve(&self, common: &Common) {
        let worker = self.post.worker;
        common.sleepers.begin_help();
        self.post.idle.end();
        // Who waits here may wait for the network, after which nobody else may look.
        if let Some(lookout) = common.lookout.get().filter(|_| self.is_needed()) {
            worker.poll(&**lookout.network());
        }
        worker.run_while(|| self.is_needed());
        let left = worker.clear_out();
        if !left.is_empty() {
            self.principal.worker.take_in(left);
        }
        self.post.idle.begin();
        common.end_help();
    }
}
