//! Results that an I/O thread gives to an execution context, which is suspended as long as it waits for one.

use crate::error::Status;
use crate::request::Request;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_file::submit;

/// A result that will be there.
pub(super) struct Task<T> {
    request: Arc<Request>,
    result: Arc<SpinLock<Option<T>>>,
}

impl<T> Clone for Task<T> {
    fn clone(&self) -> Self {
        Self {
            request: Arc::clone(&self.request),
            result: Arc::clone(&self.result),
        }
    }
}

impl<T> Task<T> {
    /// A result that is not there.
    pub(super) fn new() -> Self {
        Self {
            request: Request::file_task(),
            result: Arc::new(SpinLock::new(None)),
        }
    }

    /// Gives the result, once.
    pub(super) fn finish(&self, result: T) {
        *self.result.lock() = Some(result);
        self.request.finish_task(Ok(Status::EMPTY));
    }

    /// Waits for the result.
    pub(super) fn wait(self) -> T {
        self.request.wait();
        let result = self.result.lock().take();
        result.expect("it was given before the request was completed")
    }
}

impl<T: Send + 'static> Task<T> {
    /// Has work done, by the caller if it is short, and otherwise by an I/O thread.
    pub(super) fn of(is_short: bool, work: impl FnOnce() -> T + Send + 'static) -> Self {
        let task = Self::new();
        let own = task.clone();
        if is_short {
            own.finish(work());
        } else {
            submit(move || own.finish(work()));
        }
        task
    }
}
