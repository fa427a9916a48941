//! The progress of a run of all tests. It is reported as the run goes on, at its end, and when a signal ends it.

use std::process::exit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::record::Record;
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// The progress of a run of all tests.
pub(super) struct Progress(Arc<Mutex<State>>);

struct State {
    record: Record,
    /// The number of steps that have passed in this run.
    passed: usize,
    failed: Vec<String>,
    /// The steps that are running.
    current: Vec<String>,
}

impl Progress {
    /// Begins a run. If an earlier one did not come to its end, continues it and says so.
    pub(super) fn begin(workspace: &Workspace, anew: bool) -> Result<Self> {
        let record = Record::open(workspace, anew)?;
        if record.count() > 0 {
            eprintln!(
                "x: this goes on with a run that did not come to its end, in which {} steps passed with the same \
                 sources; ./x test --anew runs these again",
                record.count()
            );
        }
        let state = Arc::new(Mutex::new(State {
            record,
            passed: 0,
            failed: Vec::new(),
            current: Vec::new(),
        }));
        watch_signals(Arc::clone(&state))?;
        Ok(Self(state))
    }

    /// Does a step, unless it has passed already, and reports its result. A failure does not keep other steps from
    /// running.
    pub(super) fn step(&self, name: &str, act: impl FnOnce() -> Result<String>) {
        {
            let mut state = lock(&self.0);
            if state.record.has(name) {
                return;
            }
            state.current.push(name.to_owned());
        }
        let start = Instant::now();
        let done = act().and_then(|note| lock(&self.0).record.add(name).map(|()| note));
        let seconds = start.elapsed().as_secs_f64();
        let mut state = lock(&self.0);
        state.current.retain(|step| step != name);
        match done {
            Ok(note) => {
                let note = if note.is_empty() { note } else { note + ", " };
                eprintln!("x: passed: {name} ({note}{seconds:.1} s)");
                state.passed += 1;
            }
            Err(failure) => {
                eprintln!("x: FAILED: {name} ({seconds:.1} s)\n{failure}");
                state.failed.push(name.to_owned());
            }
        }
    }

    /// Prints a summary. An error if a step has failed.
    pub(super) fn end(&self) -> Result<()> {
        let state = lock(&self.0);
        let summary = state.summary();
        if state.failed.is_empty() {
            eprintln!("x: {summary}");
            return state.record.close();
        }
        Err(Failure::Faults(format!(
            "{summary}; the next ./x test runs what has not passed"
        )))
    }
}

impl State {
    fn running(&self) -> String {
        match self.current.is_empty() {
            true => "no step".to_owned(),
            false => self.current.join(" and "),
        }
    }

    fn summary(&self) -> String {
        let before = self.record.count() - self.passed;
        let mut text = format!("{} steps passed", self.passed);
        if before > 0 {
            text.push_str(&format!(", {before} had passed before"));
        }
        if !self.failed.is_empty() {
            text.push_str(&format!(
                ", {} failed: {}",
                self.failed.len(),
                self.failed.join(", ")
            ));
        }
        text
    }
}

/// Watches for signals that end the run. Then prints how far the run has come, and ends everything that it has started.
fn watch_signals(state: Arc<Mutex<State>>) -> Result<()> {
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]);
    let mut signals =
        signals.map_err(|error| Failure::Faults(format!("signals cannot be heard: {error}")))?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let state = lock(&state);
            eprintln!(
                "\nx: ended by signal {signal} in {}; {}; the next ./x test goes on there",
                state.running(),
                state.summary()
            );
            simurgh_testing::kill_descendants();
            exit(128 + signal);
        }
    });
    Ok(())
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
