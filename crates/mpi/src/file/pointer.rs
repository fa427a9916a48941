//! Shared file pointers.
//!
//! The pointer is a number in the memory of the host of rank 0, in etypes. Other hosts read and change it by active
//! messages. It is found by the context id of the file's communicator.

use crate::comm::Comm;
use crate::error::{ErrorClass, Result};
use crate::job::Job;
use crate::memory;
use crate::network::{ActiveMessageHandler, ActiveRequest, Service};
use simurgh_core::sync::{Arc, AtomicI64, Ordering, SpinLock};
use simurgh_net::HostId;
use std::collections::HashMap;

/// A shared file pointer.
pub(super) enum Pointer {
    /// It is here.
    Here {
        value: Arc<AtomicI64>,
        /// The table in which other hosts find it, and its number there.
        listed: Option<(Arc<Pointers>, u32)>,
    },
    /// Another host has it, under this number.
    At(HostId, u32),
}

/// The pointers of this host that other hosts use, by context id.
#[derive(Default)]
pub(super) struct Pointers(SpinLock<HashMap<u32, Arc<AtomicI64>>>);

impl Pointer {
    /// The pointer of a file with this communicator.
    pub(super) fn new(comm: &Comm) -> Self {
        let (job, number) = (comm.process().job(), comm.context());
        let value = Arc::<AtomicI64>::default();
        let Some(host_map) = comm.host_map() else {
            return Self::Here { value, listed: None };
        };
        let position = host_map.position_of(0);
        if position != host_map.own() {
            return Self::At(host_map.host(position), number);
        }
        let pointers = Arc::clone(job.layer_state().get_or_init(Arc::<Pointers>::default));
        let handler = Arc::clone(&pointers);
        job.connected()
            .register(Service::Files, || handler as Arc<dyn ActiveMessageHandler>);
        pointers.0.lock().insert(number, Arc::clone(&value));
        Self::Here {
            value,
            listed: Some((pointers, number)),
        }
    }

    /// Adds to the pointer; returns what it was before.
    ///
    /// # Errors
    ///
    /// When the host that has it does not know it.
    pub(super) fn advance(&self, job: &Job, by: i64) -> Result<i64> {
        match self {
            // Relaxed: what is at the positions is ordered by other means.
            Self::Here { value, .. } => Ok(value.fetch_add(by, Ordering::Relaxed)),
            Self::At(host, number) => {
                let numbers = [u64::from(*number), by.cast_unsigned()];
                let before = memory::collect(8, |target| {
                    let network = job.connected();
                    network.ask(Service::Files, *host, numbers, &[], target).map(drop)
                })?;
                let bytes = before.first_chunk().copied().unwrap_or_default();
                Ok(i64::from_le_bytes(bytes))
            }
        }
    }

    /// Sets the pointer, if it is here.
    pub(super) fn set(&self, to: i64) {
        if let Self::Here { value, .. } = self {
            value.store(to, Ordering::Relaxed);
        }
    }
}

impl Drop for Pointer {
    fn drop(&mut self) {
        if let Self::Here {
            listed: Some((pointers, number)),
            ..
        } = self
        {
            pointers.0.lock().remove(number);
        }
    }
}

impl ActiveMessageHandler for Pointers {
    fn handle(&self, request: &ActiveRequest<'_>) -> Option<()> {
        let [number, by] = request.numbers;
        let pointer = self.0.lock().get(&u32::try_from(number).ok()?).cloned();
        let Some(pointer) = pointer else {
            request.refuse(ErrorClass::File.into());
            return Some(());
        };
        let before = pointer.fetch_add(by.cast_signed(), Ordering::Relaxed);
        request.reply(0, 8, &mut |room| room.copy_from_slice(&before.to_le_bytes()));
        Some(())
    }
}
