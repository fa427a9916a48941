//! What the ranks of a file agree on: arguments that have to be the same everywhere, and whether a call has failed.

use super::File;
use super::open_file::OpenFile;
use crate::comm::{Comm, IdDemand};
use crate::error::{Error, ErrorClass, Result};
use crate::portable::{Portable, portable};
use simurgh_core::{Purpose, PurposeGuard};
use std::any::type_name;

/// The argument of a collective call, or why it is wrong. Each call has a type of its own, by which ranks in different
/// calls are noticed.
pub(super) trait Argument: Portable + Send + 'static {
    fn value(&self) -> &Result<u64>;
}

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        pub(super) struct $name(pub(super) Result<u64>);

        portable! { $name { 0 } }

        impl Argument for $name {
            fn value(&self) -> &Result<u64> {
                &self.0
            }
        }
    )*};
}

arguments! {
    /// A size, in `MPI_File_set_size`.
    SetSize
    /// A size, in `MPI_File_preallocate`.
    Preallocate
    /// Whether accesses are atomic.
    SetAtomicity
    /// The extent of the etype and the representation, in `MPI_File_set_view`.
    SetView
    /// A position, in `MPI_File_seek_shared`.
    SeekShared
}

/// No argument, in `MPI_File_sync`.
pub(super) struct Sync(pub(super) ());

/// No argument, in `MPI_File_close`.
pub(super) struct Close(pub(super) ());

/// Whether a rank's host has succeeded.
struct Outcome(Result<()>);

portable! {
    Sync { 0 }
    Close { 0 }
    Outcome { 0 }
}

/// The common argument of all ranks.
fn common<V: Argument>(values: &[V]) -> Result<u64> {
    let mut known = None;
    for value in values {
        let value = value.value().clone()?;
        if *known.get_or_insert(value) != value {
            let call = type_name::<V>().rsplit("::").next().unwrap_or_default();
            let reason = format!("{call}: not all ranks of the file pass the same argument");
            return Err(Error::new(ErrorClass::NotSame, reason));
        }
    }
    Ok(known.unwrap_or(0))
}

/// Whether this is the host of rank 0.
pub(super) fn is_first_host(comm: &Comm) -> bool {
    comm.host_map()
        .is_none_or(|host_map| host_map.position_of(0) == host_map.own())
}

/// The outcome of a call at all hosts: the first error, at all ranks.
pub(super) fn everywhere(comm: &Comm, outcome: Result<()>) -> Result<()> {
    if !comm.spans_hosts() {
        return outcome;
    }
    let all = comm.exchange(Outcome(outcome), IdDemand::Nothing, |outcomes, _| {
        outcomes.into_iter().try_for_each(|Outcome(outcome)| outcome)
    })?;
    (*all).clone()
}

/// Has the host of rank 0 do something with an argument that is the same at all ranks, once all have come.
pub(super) fn at_one_host<V: Argument>(
    file: &File,
    argument: V,
    work: impl FnOnce(&OpenFile, u64) -> Result<()>,
) -> Result<()> {
    let comm = &file.comm;
    at_all_hosts(file, argument, |open, value| match is_first_host(comm) {
        true => work(open, value),
        false => Ok(()),
    })
}

/// Has each host do something with an argument that is the same at all ranks, once all have come.
pub(super) fn at_all_hosts<V: Argument>(
    file: &File,
    argument: V,
    work: impl FnOnce(&OpenFile, u64) -> Result<()>,
) -> Result<()> {
    let _purpose = PurposeGuard::begin(Purpose::Io);
    let done = file.comm.exchange(argument, IdDemand::Nothing, |values, _| {
        common(&values).and_then(|value| work(&file.open, value))
    })?;
    everywhere(&file.comm, (*done).clone())
}

/// Has each host do something, once all ranks have come.
pub(super) fn at_each_host<V: Portable + Send + 'static>(
    file: &File,
    call: V,
    work: impl FnOnce(&OpenFile) -> Result<()>,
) -> Result<()> {
    let _purpose = PurposeGuard::begin(Purpose::Io);
    let done = file
        .comm
        .exchange(call, IdDemand::Nothing, |_, _| work(&file.open))?;
    everywhere(&file.comm, (*done).clone())
}
