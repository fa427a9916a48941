//! Handles: a performance variable as one tool sees it.

use super::variable::{Object, Variable, all};
use super::{ToolError, ToolResult, Watch};
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_mpi::Process;

/// A handle of a performance variable.
///
/// Counters, timers and aggregates tell through a handle what has happened while the handle was started: the sum over
/// the finished periods, plus the increase since the current period began.
#[derive(Debug)]
pub struct Handle {
    process: Arc<Process>,
    object: Object,
    variable: &'static Variable,
    count: usize,
    state: SpinLock<State>,
}

#[derive(Debug)]
struct State {
    /// The sums over the finished periods.
    sums: Vec<u64>,
    /// The current period, if the handle is started.
    period: Option<Period>,
}

#[derive(Debug)]
struct Period {
    start: Vec<u64>,
    _watch: Option<Watch>,
}

impl Handle {
    /// Allocates a handle of the variable with this index (`MPI_T_pvar_handle_alloc`) for an object, if the variable
    /// belongs to one.
    ///
    /// # Errors
    ///
    /// [`ToolError::InvalidIndex`] if there is no such variable; [`ToolError::Invalid`] if the variable belongs to
    /// objects of another kind.
    pub fn new(process: &Arc<Process>, index: usize, object: Object) -> ToolResult<Self> {
        let variable = all().get(index).ok_or(ToolError::InvalidIndex)?;
        if variable.bound != object.kind() {
            return Err(ToolError::Invalid);
        }
        let count = variable.read(process, &object).len();
        let handle = Self {
            process: Arc::clone(process),
            object,
            variable,
            count,
            state: SpinLock::new(State {
                sums: vec![0; count],
                period: None,
            }),
        };
        Ok(handle)
    }

    /// The variable of this handle.
    #[must_use]
    pub fn variable(&self) -> &'static Variable {
        self.variable
    }

    /// The number of values that the variable has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    fn source(&self) -> Vec<u64> {
        self.variable.read(&self.process, &self.object)
    }

    /// Starts the variable (`MPI_T_pvar_start`). Nothing changes if it is already started.
    ///
    /// # Errors
    ///
    /// [`ToolError::NoStartStop`] if the variable is always on.
    pub fn start(&self) -> ToolResult<()> {
        if self.variable.is_continuous() {
            return Err(ToolError::NoStartStop);
        }
        let watch = self.variable.is_counted().then(Watch::begin);
        let start = self.source();
        let mut state = self.state.lock();
        state.period.get_or_insert(Period { start, _watch: watch });
        Ok(())
    }

    /// Stops the variable (`MPI_T_pvar_stop`). Nothing changes if it is not started.
    ///
    /// # Errors
    ///
    /// [`ToolError::NoStartStop`] if the variable is always on.
    pub fn stop(&self) -> ToolResult<()> {
        if self.variable.is_continuous() {
            return Err(ToolError::NoStartStop);
        }
        let now = self.source();
        let mut state = self.state.lock();
        state.sums = state.values(&now);
        state.period = None;
        Ok(())
    }

    /// Reads the values (`MPI_T_pvar_read`).
    #[must_use]
    pub fn read(&self) -> Vec<u64> {
        let now = self.source();
        if self.variable.is_continuous() {
            return now;
        }
        self.state.lock().values(&now)
    }

    /// Sets the values (`MPI_T_pvar_write`); there must be as many as the handle has.
    ///
    /// # Errors
    ///
    /// [`ToolError::NoWrite`] if the variable can only be read.
    pub fn write(&self, values: Vec<u64>) -> ToolResult<()> {
        if self.variable.is_continuous() {
            return Err(ToolError::NoWrite);
        }
        self.replace(values);
        Ok(())
    }

    /// Sets the values to zero (`MPI_T_pvar_reset`).
    ///
    /// # Errors
    ///
    /// As [`Handle::write`].
    pub fn reset(&self) -> ToolResult<()> {
        self.write(vec![0; self.count])
    }

    /// Reads the values and sets them to zero in one step (`MPI_T_pvar_readreset`), so that nothing is lost in between.
    ///
    /// # Errors
    ///
    /// [`ToolError::NoAtomic`] if the variable can only be read.
    pub fn read_reset(&self) -> ToolResult<Vec<u64>> {
        if self.variable.is_continuous() {
            return Err(ToolError::NoAtomic);
        }
        Ok(self.replace(vec![0; self.count]))
    }

    /// Sets the values and returns the previous ones.
    fn replace(&self, values: Vec<u64>) -> Vec<u64> {
        let now = self.source();
        let mut state = self.state.lock();
        let old = state.values(&now);
        state.sums = values;
        if let Some(period) = &mut state.period {
            period.start = now;
        }
        old
    }
}

impl State {
    /// The values of the handle when those of its source are `now`.
    fn values(&self, now: &[u64]) -> Vec<u64> {
        let Some(period) = &self.period else {
            return self.sums.clone();
        };
        let since = now.iter().zip(&period.start);
        let grown = since.map(|(now, start)| now.wrapping_sub(*start));
        self.sums
            .iter()
            .zip(grown)
            .map(|(sum, grown)| sum.wrapping_add(grown))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::Bound;

    fn handle(process: &Arc<Process>, name: &str) -> Handle {
        let index = all().iter().position(|variable| variable.name == name).unwrap();
        Handle::new(process, index, Object::None).unwrap()
    }

    #[test]
    fn a_handle_tells_what_happens_while_it_is_started() {
        let process = Process::singleton();
        let count = || process.tool().counters().count_unexpected();
        let [first, second] = [0; 2].map(|_| handle(&process, "unexpected_messages"));
        first.start().unwrap();
        count();
        second.start().unwrap();
        count();
        assert_eq!((first.read(), second.read()), (vec![2], vec![1]));
        first.stop().unwrap();
        count();
        assert_eq!((first.read(), second.read_reset()), (vec![2], Ok(vec![2])));
        assert_eq!(second.read(), [0]);
        first.write(vec![40]).unwrap();
        first.start().unwrap();
        count();
        assert_eq!((first.read(), second.read()), (vec![41], vec![1]));
        first.reset().unwrap();
        assert_eq!(first.read(), [0]);
    }

    #[test]
    fn levels_can_only_be_read() {
        let process = Process::singleton();
        let level = handle(&process, "posted_recvq_length");
        assert_eq!(level.read(), [0]);
        assert_eq!(level.start(), Err(ToolError::NoStartStop));
        assert_eq!(level.stop(), Err(ToolError::NoStartStop));
        assert_eq!(level.reset(), Err(ToolError::NoWrite));
        assert_eq!(level.read_reset(), Err(ToolError::NoAtomic));
        let is_bound = |variable: &Variable| variable.bound == Bound::Comm;
        let bound = all().iter().position(is_bound).unwrap();
        assert_eq!(
            Handle::new(&process, bound, Object::None).unwrap_err(),
            ToolError::Invalid
        );
        assert_eq!(
            Handle::new(&process, usize::MAX, Object::None).unwrap_err(),
            ToolError::InvalidIndex
        );
    }

    #[test]
    fn values_by_size_are_as_many_as_there_are_classes() {
        let process = Process::singleton();
        let sent = handle(&process, "messages_sent");
        sent.start().unwrap();
        process.tool().counters().sent.count(20);
        assert_eq!((sent.count(), sent.read()), (7, vec![0, 1, 0, 0, 0, 0, 0]));
    }
}
