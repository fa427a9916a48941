//! The processors that hosts may use: all hosts of a launcher together, and each rank that is a process by itself.

use super::openmp::Processors;
use crate::error::LaunchError;
use simurgh_net::job::JobSpec;
use simurgh_sched::{Affinity, Placement, Topology};
use simurgh_settings::Id;
use simurgh_settings::placement::{Binding, show_processors};
use std::cell::OnceCell;

/// Binds this process, and so the hosts that it starts, to these processors.
///
/// # Errors
///
/// When this process may not use one of them.
pub(crate) fn bind(cpus: &[usize]) -> Result<(), LaunchError> {
    let allowed = current()?.processors();
    if let Some(&cpu) = cpus.iter().find(|&cpu| !allowed.contains(cpu)) {
        return Err(LaunchError::Processor {
            cpu,
            allowed: show_processors(&allowed),
        });
    }
    bind_to(cpus)
}

/// The processors that this process may use.
fn current() -> Result<Affinity, LaunchError> {
    Affinity::current().map_err(LaunchError::Supervise)
}

fn bind_to(cpus: &[usize]) -> Result<(), LaunchError> {
    Affinity::of(cpus).bind(None).map_err(LaunchError::Supervise)
}

/// A temporary binding of this thread, which processes inherit that it starts. Dropping it restores the former binding.
pub(crate) struct Bound {
    before: Affinity,
}

impl Bound {
    fn to(cpus: &[usize]) -> Result<Self, LaunchError> {
        let before = current()?;
        bind_to(cpus)?;
        Ok(Self { before })
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // These processors were allowed before.
        let _ = self.before.bind(None);
    }
}

/// The placement of the ranks of a job on this node. It is computed when the first host is started.
#[derive(Default)]
pub(crate) struct NodePlacement(OnceCell<Option<Placement>>);

impl NodePlacement {
    fn get(&self, spec: &JobSpec) -> Result<Option<&Placement>, LaunchError> {
        if let Some(known) = self.0.get() {
            return Ok(known.as_ref());
        }
        let (_, ranks) = spec.ranks_on_node();
        let lay = |plan| Placement::new(&Topology::for_ranks(&spec.settings)?, &plan, ranks);
        let placement = spec.settings.plan().map(lay).transpose()?;
        Ok(self.0.get_or_init(|| placement).as_ref())
    }

    /// Binds the process that is started next to the processors of its rank, if it is a single rank that is to be
    /// bound. A host whose ranks are threads binds those itself.
    ///
    /// # Errors
    ///
    /// When the plan has no room for the ranks, in either mode: so the user hears of it before a host starts.
    pub(crate) fn bind(&self, spec: &JobSpec) -> Result<Option<Bound>, LaunchError> {
        let (ranks, _) = spec.ranks_on_node();
        let placement = self.get(spec)?;
        let for_ranks = for_ranks(spec)?;
        if spec.mode_of(spec.host).shares_process() {
            return Ok(None);
        }
        let seat = placement.map(|placement| &placement.ranks()[ranks.start]);
        let bound = seat.filter(|seat| seat.bound.is_some());
        let cpus = bound.map(|seat| &seat.cpus).or(for_ranks.as_ref());
        cpus.map(|cpus| Bound::to(cpus)).transpose()
    }

    /// The processors for the ranks of this node.
    pub(crate) fn processors(&self, spec: &JobSpec) -> Result<Processors, LaunchError> {
        let number = match for_ranks(spec)? {
            Some(cpus) => cpus.len(),
            None => current()?.processors().len(),
        };
        let (own, ranks) = spec.ranks_on_node();
        let shares = spec.mode_of(spec.host).shares_process() && spec.settings.binding() != Binding::None;
        let of_rank = match self.get(spec)? {
            Some(placement) => {
                let seats = placement.ranks()[own].iter();
                seats.map(|seat| seat.cpus.len()).max().unwrap_or(number)
            }
            None if shares => (number / ranks).max(1),
            None => number,
        };
        Ok(Processors {
            ranks,
            number,
            of_rank,
        })
    }

    /// The line about the binding of a rank that is a process; none for ranks that are threads.
    pub(crate) fn report(&self, spec: &JobSpec) -> Result<Option<String>, LaunchError> {
        if spec.mode_of(spec.host).shares_process() {
            return Ok(None);
        }
        let (ranks, _) = spec.ranks_on_node();
        let seat = self.get(spec)?.map(|placement| &placement.ranks()[ranks.start]);
        let place = match seat.and_then(|seat| seat.bound.as_ref()) {
            Some(words) => format!("is bound to {words}"),
            None => format!(
                "is not bound (processors {})",
                show_processors(&match for_ranks(spec)? {
                    Some(cpus) => cpus,
                    None => current()?.processors(),
                })
            ),
        };
        Ok(Some(format!("rank {} {place}", spec.name_of(spec.ranks().first))))
    }
}

/// The processors of this machine that ranks may use, if some are kept from them.
fn for_ranks(spec: &JobSpec) -> Result<Option<Vec<usize>>, LaunchError> {
    let reserves = spec.settings.amount(Id::ReserveCores) > 0;
    let processors = || Ok(Topology::for_ranks(&spec.settings)?.processors());
    reserves.then(processors).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_that_is_not_there_is_named() {
        let error = bind(&[1 << 20]).unwrap_err().to_string();
        assert!(error.contains("processor 1048576"), "{error}");
    }

    #[test]
    fn a_temporary_binding_is_undone() {
        let before = current().unwrap().processors();
        let bound = Bound::to(&before[..1]).unwrap();
        assert_eq!(current().unwrap().processors(), before[..1]);
        drop(bound);
        assert_eq!(current().unwrap().processors(), before);
    }
}
