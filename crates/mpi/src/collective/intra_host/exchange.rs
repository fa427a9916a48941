//! Exchanges of values among the ranks of a host.

use std::any::type_name;

use simurgh_core::Contributions;
use simurgh_core::sync::{Arc, SpinLock};

use super::super::call::Call;
use super::arrival::{Arrival, Payload};
use super::conclusion::{Answer, Conclusion, Outcome};
use super::{IntraHost, arrival_error, unexpected, wait};
use crate::error::Result;

impl IntraHost {
    /// Every rank gives a value; the last one to arrive combines them, in rank order; every rank gets the result.
    ///
    /// # Errors
    ///
    /// When ranks are in different collective calls; `combine` is not called then.
    pub fn exchange<V, T>(&self, rank: usize, value: V, combine: impl FnOnce(Vec<V>) -> T) -> Result<Arc<T>>
    where
        V: Send + 'static,
        T: Send + Sync + 'static,
    {
        let call = Call::new(type_name::<V>());
        self.try_exchange(rank, (call, value), |values| values.map(combine))
    }

    /// [`IntraHost::exchange`] in a call, with a combination that may fail. All ranks in it give values of one type. If
    /// ranks are in different calls, `decide` gets that error and may replace it.
    ///
    /// # Errors
    ///
    /// The error that `decide` returns.
    pub(crate) fn try_exchange<V, T>(
        &self,
        rank: usize,
        (call, value): (Call, V),
        decide: impl FnOnce(Result<Vec<V>>) -> Result<T>,
    ) -> Result<Arc<T>>
    where
        V: Send + 'static,
        T: Send + Sync + 'static,
    {
        let bring = |arrival: &mut Arrival| {
            arrival.call = call;
            arrival.payload = Payload::Value(SpinLock::new(Some(Box::new(value))));
        };
        let last = |contributions: Contributions<'_, Arrival>, agreed: bool, conclusion: &mut Conclusion| {
            let values = match agreed {
                true => Ok(unpack(&contributions)),
                false => Err(self.disagreement(&contributions)),
            };
            conclusion.outcome = match decide(values) {
                Ok(answer) => Outcome::Answer(SpinLock::new(Answer::new(Arc::new(answer), self.size()))),
                Err(fault) => Outcome::Fault(fault),
            };
        };
        let guard = self
            .barrier
            .arrive_and_wait(rank, call.fingerprint(), bring, last, wait);
        let guard = guard.map_err(|error| arrival_error(error, rank, self.size(), call))?;
        match &guard.result().outcome {
            Outcome::Answer(answer) => answer
                .lock()
                .take()
                .and_then(|answer| answer.downcast().ok())
                .ok_or_else(unexpected),
            Outcome::Fault(fault) => Err(fault.clone()),
            Outcome::Done | Outcome::Shared(_) => Err(unexpected()),
        }
    }
}

/// The values in rank order. All are of one type, because the calls have the same fingerprint.
fn unpack<V: 'static>(contributions: &Contributions<'_, Arrival>) -> Vec<V> {
    let value = |arrival: &Arrival| match &arrival.payload {
        Payload::Value(value) => value.lock().take(),
        Payload::Nothing | Payload::Buffers(_) | Payload::Invocation(_) | Payload::Fault(_) => None,
    };
    contributions
        .iter()
        .filter_map(value)
        .filter_map(|value| value.downcast().ok())
        .map(|value| *value)
        .collect()
}
