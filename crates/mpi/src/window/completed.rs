//! Operations of which data may be changed, and results are there, when they return, in an epoch of any kind.

use super::access::Call;
use super::operation::new_request;
use super::{Place, Window};
use crate::error::Result;
use crate::memory::{Source, Target};
use crate::op::BuiltinOp;
use crate::request::Request;
use simurgh_core::sync::Arc;

impl Window {
    /// [`Window::put`], whose data may be changed when it returns.
    ///
    /// # Errors
    ///
    /// As [`Window::put`]; [`ErrorClass::Other`](crate::ErrorClass::Other) if the network has not carried it out.
    #[inline]
    pub fn put_now(&self, origin: &Source, place: &Place<'_>) -> Result<()> {
        let mut request = None;
        let expected = self.put_with(Call::Put, origin, place, || Some(new_request(&mut request)))?;
        self.await_replies(place.rank, request.filter(|_| expected))
    }

    /// [`Window::get`], whose data is there when it returns.
    ///
    /// # Errors
    ///
    /// As [`Window::get`]; [`ErrorClass::RmaRange`](crate::ErrorClass::RmaRange) if the target's host has refused it.
    #[inline]
    pub fn get_now(&self, origin: &Target, place: &Place<'_>) -> Result<()> {
        let mut request = None;
        let expected = self.get_with(Call::Get, origin, place, || Some(new_request(&mut request)))?;
        self.await_replies(place.rank, request.filter(|_| expected))
    }

    /// [`Window::get_accumulate`], whose result is there when it returns.
    ///
    /// # Errors
    ///
    /// As [`Window::get_accumulate`], and [`Window::get_now`].
    #[inline]
    pub fn get_accumulate_now(
        &self,
        origin: &Source,
        result: &Target,
        place: &Place<'_>,
        op: BuiltinOp,
    ) -> Result<()> {
        let mut request = None;
        let waiter = || Some(new_request(&mut request));
        let expected = self.get_accumulate_with(Call::GetAccumulate, (origin, result), place, op, waiter)?;
        self.await_replies(place.rank, request.filter(|_| expected))
    }

    /// [`Window::compare_and_swap`], whose result is there when it returns.
    ///
    /// # Errors
    ///
    /// As [`Window::compare_and_swap`], and [`Window::get_now`].
    #[inline]
    pub fn compare_and_swap_now(
        &self,
        origin: &Source,
        compare: &Source,
        result: &Target,
        place: &Place<'_>,
    ) -> Result<()> {
        let mut request = None;
        let waiter = || Some(new_request(&mut request));
        let expected = self.compare_and_swap_with((origin, compare), result, place, waiter)?;
        self.await_replies(place.rank, request.filter(|_| expected))
    }

    /// Waits for what another host replies to an operation; nothing without a request.
    #[inline]
    fn await_replies(&self, rank: i32, request: Option<Arc<Request>>) -> Result<()> {
        let Some(request) = request else {
            return Ok(());
        };
        let error = request.wait().error;
        if error.is_success() {
            return Ok(());
        }
        let host = self.shared.part(self.check_rank(rank)? as usize).host();
        Err(self.told(host, error))
    }
}
