//! PMI for programs that are linked with another MPI, such as MPICH, Intel MPI or Open MPI: so their processes find
//! each other.
//!
//! Clients of PMI-1 and PMI-2 speak over a socket ([`PmiSocket`]) with the key-value space of their job
//! ([`KeyValueSpace`]). Clients of PMIx are served by the library of that name, in the process that starts them
//! ([`PmixService`]). No job is asked which protocol it speaks: the two versions of PMI are told apart by their
//! messages.

mod answer;
mod effect;
mod kvs;
mod pmix;
mod socket;
mod store;
#[cfg(test)]
mod tests;
mod unique;

pub(crate) use effect::{Asker, Event, WAITS};
pub(crate) use kvs::KeyValueSpace;
pub(crate) use pmix::{PmixService, processes};
pub(crate) use socket::PmiSocket;
pub(crate) use unique::unique_name;
