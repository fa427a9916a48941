//! Choosing the next execution context, resuming it, and carrying out what it asked for when it left its stack.

use std::ptr;

use super::Worker;
use crate::execution::control_block::Ec;
use crate::execution::reference::EcRef;
use crate::execution::spawn::reclaim;
use crate::execution::suspend::{Errand, Suspend};
use crate::queue::IntrusiveQueue;
use crate::sync::Ordering;

impl Worker {
    #[inline]
    pub(super) fn next(&self) -> Option<&'static Ec> {
        // SAFETY:
        // - called by `run`, on the worker's kernel thread, which is not within a use of the queue.
        unsafe { self.own.local.with(|local| self.take_next(local)) }
    }

    /// Takes the context to run next from the worker's queue, and prefetches the memory of the one behind it.
    #[inline]
    fn take_next(&self, local: &mut IntrusiveQueue<Ec>) -> Option<&'static Ec> {
        if self.has_mail() {
            local.append(&mut self.shared.inbox.take());
        }
        if self.shared.asking.load(Ordering::Relaxed) != 0 {
            self.answer(local);
        }
        let next = match self.own.random.get() {
            None => local.pop_front(),
            Some(state) if !local.is_empty() => local.remove(self.draw(state) % local.len()),
            Some(_) => None,
        };
        if let Some(behind) = local.front() {
            behind.prefetch();
        }
        next
    }

    /// The next number of the seeded sequence (xorshift64).
    fn draw(&self, mut state: u64) -> usize {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.own.random.set(Some(state));
        (state >> 16) as usize
    }

    #[inline]
    pub(super) fn resume(&'static self, ec: &'static Ec) {
        // Relaxed: counters; only this thread writes.
        self.own
            .switches
            .store(self.own.switches.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if !ptr::eq(ec.worker(), self) {
            self.adopt(ec);
        }
        // SAFETY:
        // - the EC was on our queue, so it is suspended, has not ended, and nobody else runs it;
        // - the worker keeps no reference to anything thread-local.
        unsafe {
            self.own.registers.load(ec);
            ec.stacks.enter();
        }
        self.own.registers.leave(ec);
        self.carry_out(ec, ec.request.get());
    }

    /// Makes a context, which lived on another worker, live on this one.
    #[cold]
    pub(super) fn adopt(&self, ec: &'static Ec) {
        if !ec.takeovers.is_away() {
            // SAFETY:
            // - workers live for the rest of the program.
            if let Some(old) = unsafe { ec.worker().as_ref() } {
                old.ec_count().remove();
            }
            self.ec_count().add();
        }
        ec.set_worker(self);
    }

    /// Carries out what a suspended context asked for; the context may run elsewhere before this returns.
    #[inline]
    fn carry_out(&self, ec: &'static Ec, how: Suspend) {
        match how {
            Suspend::Park => {
                self.let_go_home(ec);
                if !ec.token().settle() {
                    self.go_on(ec);
                }
            }
            // SAFETY:
            // - the EC waits for the event, so the event outlives the wait; neither is touched once the EC is
            //   registered.
            Suspend::Await(event) => unsafe {
                self.let_go_home(ec);
                if !(*event).register_sleeper(EcRef::new(ec)) {
                    self.go_on(ec);
                }
            },
            // SAFETY:
            // - as above.
            Suspend::AwaitBiased(event) => unsafe {
                self.let_go_home(ec);
                if !(*event).register_sleeper_biased(EcRef::new(ec)) {
                    self.go_on(ec);
                }
            },
            Suspend::Yield => self.requeue(ec),
            // SAFETY:
            // - the EC locked the slot, forgot the guard and lives on; the slot outlives the wait. The EC is linked
            //   before the lock is given back, and not touched after.
            Suspend::Link(slot) => unsafe {
                (*(*slot).value_ptr()).suspended.push(ec);
                (*slot).unlock();
            },
            // SAFETY:
            // - workers live for the rest of the program.
            Suspend::Move(worker) => unsafe {
                self.let_go_home(ec);
                (*worker).inbox().push(ec);
            },
            // SAFETY:
            // - the EC has made it of a box, and left it to the worker.
            Suspend::Run(errand) => self.run_errand(ec, unsafe { *Box::from_raw(errand) }),
            Suspend::End => self.finish(ec),
        }
    }

    /// Makes a context ready again that has found what it wanted to wait for.
    #[inline]
    fn go_on(&self, ec: &'static Ec) {
        if ptr::eq(ec.worker(), self) {
            // SAFETY:
            // - this is the worker's kernel thread.
            unsafe { self.push_local(ec) };
        } else {
            self.push_elsewhere(ec);
        }
    }

    /// Puts a context into the inbox of the worker on which it lives.
    #[cold]
    fn push_elsewhere(&self, ec: &'static Ec) {
        self.place_of(ec).inbox().push(ec);
    }

    /// The worker on which a context lives, which this worker runs or has got.
    pub(super) fn place_of(&self, ec: &Ec) -> &Self {
        // SAFETY:
        // - workers live for the rest of the program.
        unsafe { ec.worker().as_ref() }.unwrap_or(self)
    }

    /// Runs an errand for a context that nobody can find meanwhile, on the kernel thread's own stack and thread
    /// pointer.
    #[cold]
    fn run_errand(&self, ec: &'static Ec, errand: Errand) {
        self.load_own();
        errand();
        self.own.registers.reread();
        // SAFETY:
        // - this is the worker's kernel thread.
        unsafe { self.push_local(ec) };
    }

    /// Puts a context that yields behind the others, or, in a seeded run, gives it to any worker.
    fn requeue(&self, ec: &'static Ec) {
        let home = match self.own.random.get() {
            None => self,
            Some(state) => self.peers()[self.draw(state) % self.peers().len()],
        };
        if ptr::eq(home, self) {
            // SAFETY:
            // - this is the worker's kernel thread.
            unsafe { self.push_local(ec) };
        } else {
            home.inbox().push(ec);
        }
    }

    #[cold]
    fn finish(&self, ec: &'static Ec) {
        self.load_own();
        self.let_go_home(ec);
        self.place_of(ec).ec_count().remove();
        reclaim(ec);
    }

    /// Loads the registers of the kernel thread itself.
    pub(super) fn load_own(&self) {
        // SAFETY:
        // - this is the worker's kernel thread, between two ECs, and it keeps no reference to anything thread-local.
        unsafe { self.own.registers.load_own() };
    }
}
