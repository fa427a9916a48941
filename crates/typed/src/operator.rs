//! Reduction operations on Rust values.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use simurgh_core::sync::{Arc, SpinLock};

use super::{Equivalence, source, target, zeros};
use simurgh_datatype::memory::{Source, Target, transfer};
use simurgh_datatype::op::{BuiltinOp, Op, UserOp};

/// A reduction operation on values of `T`.
#[derive(Clone, Debug)]
pub struct Operator<T> {
    op: Op,
    panicked: Option<Panicked>,
    values: PhantomData<fn(T, T) -> T>,
}

/// The place for a panic of the user's function. A panic must not unwind through a collective, since the other ranks
/// count on this one; so it is caught and kept here.
pub(super) type Panicked = Arc<SpinLock<Option<Box<dyn Any + Send>>>>;

impl<T: Equivalence> Operator<T> {
    /// An operation that the standard defines.
    #[must_use]
    pub fn builtin(op: BuiltinOp) -> Self {
        Self {
            op: Op::Builtin(op),
            panicked: None,
            values: PhantomData,
        }
    }

    /// An operation that the user defines. It must be associative; `commutes` promises that it is commutative as well.
    #[must_use]
    pub fn user(function: impl Fn(T, T) -> T + Send + Sync + 'static, commutes: bool) -> Self {
        let panicked = Panicked::default();
        let caught = Arc::clone(&panicked);
        let guarded = move |input: &Source, inout: &Target| {
            if caught.lock().is_some() {
                return;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| combine(input, inout, &function))) {
                *caught.lock() = Some(panic);
            }
        };
        let op = Op::User(Arc::new(UserOp::new(Box::new(guarded), commutes)));
        Self {
            op,
            panicked: Some(panicked),
            values: PhantomData,
        }
    }

    /// The operation as the engine knows it.
    pub(super) fn op(&self) -> &Op {
        &self.op
    }

    /// The operation of the standard that this is; none if the user defines it.
    pub(super) fn predefined(&self) -> Option<BuiltinOp> {
        match self.op {
            Op::Builtin(op) => Some(op),
            Op::User(_) => None,
        }
    }

    /// Whether the operation is a function of the user, which is called with whole values.
    pub(super) fn takes_whole_values(&self) -> bool {
        self.panicked.is_some()
    }

    /// The place for a panic of the user's function.
    pub(super) fn panicked(&self) -> Option<&Panicked> {
        self.panicked.as_ref()
    }
}

/// Resumes the panic of the user's function, if there was one.
pub(super) fn rethrow(panicked: Option<&Panicked>) {
    if let Some(panic) = panicked.and_then(|panicked| panicked.lock().take()) {
        resume_unwind(panic);
    }
}

/// Sets `inout = function(input, inout)`, value by value, for as many values as both hold.
fn combine<T: Equivalence>(input: &Source, inout: &Target, function: &impl Fn(T, T) -> T) {
    let count = input.count().min(inout.count());
    let bytes = count * size_of::<T>();
    let dense = input.datatype().is_contiguous() && inout.datatype().is_contiguous();
    if dense && T::datatype().is_contiguous() && input.bytes() >= bytes && inout.bytes() >= bytes {
        // SAFETY:
        // - seen just now: both have `count` values' worth of data without gaps, valid by the promises of their makers.
        unsafe { combine_dense(input.address().cast(), inout.address().cast(), count, function) };
    } else {
        (0..count).for_each(|index| combine_one(&input.slice(index, 1), &inout.slice(index, 1), function));
    }
}

/// `combine` for dense arrays.
///
/// # Safety
///
/// * At `input` there are `count` values' worth of bytes to be read, and at `inout` as many to be read and written.
unsafe fn combine_dense<T: Equivalence>(
    input: *const T,
    inout: *mut T,
    count: usize,
    function: &impl Fn(T, T) -> T,
) {
    for index in 0..count {
        // SAFETY:
        // - `index` is below the count the caller vouches for; access is unaligned, and any bytes are a value.
        unsafe {
            let output = inout.add(index);
            let value = function(input.add(index).read_unaligned(), output.read_unaligned());
            output.write_unaligned(value);
        }
    }
}

/// `combine` for one value, wherever its parts lie.
fn combine_one<T: Equivalence>(input: &Source, inout: &Target, function: &impl Fn(T, T) -> T) {
    let mut operands = zeros::<T>(2);
    let (left, right) = operands.split_at_mut(1);
    // SAFETY:
    // - the operands exist until the transfers, which are over when they return.
    unsafe {
        transfer(input, &target(left));
        transfer(&inout.as_source(), &target(right));
        transfer(&source(&[function(left[0], right[0])]), inout);
    }
}
