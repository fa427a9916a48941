//! Process sets: the names under which a session finds groups.
//!
//! | name | members |
//! |---|---|
//! | `mpi://WORLD` | all processes of the job |
//! | `mpi://SELF` | the calling process |
//! | `simurgh://host` | the processes of the host |
//! | `simurgh://package/0`, `numa/0`, `l3/0`, `l2/0`, `core/0`, … | those that began on this hardware |
//!
//! Host and hardware are those of the calling process. There is a set for each piece of hardware that has a process.
//! All processes of a host see the same sets in the same order. Names are not case-sensitive.

use super::Session;
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::hardware::Hardware;
use crate::info::Info;
use crate::job::Job;
use crate::process::Process;
use simurgh_sched::DomainKind;

/// A named group of processes.
#[derive(Clone, Debug)]
pub struct ProcessSet {
    /// Its name, a URI.
    pub name: String,
    /// Its members.
    pub group: Group,
}

impl ProcessSet {
    fn new(name: impl Into<String>, group: Group) -> Self {
        let name = name.into();
        Self { name, group }
    }

    /// The sets that a process sees, in order.
    #[must_use]
    pub fn all(process: &Process) -> Vec<Self> {
        let job = process.job();
        let mut sets = vec![
            Self::new("mpi://WORLD", job.group()),
            Self::new("mpi://SELF", Group::run(process.id(), 1)),
            Self::new("simurgh://host", job.group_here()),
        ];
        sets.extend_from_slice(job.hardware_sets());
        sets
    }

    /// The set with this name.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is none.
    pub fn find(process: &Process, name: &str) -> Result<Self> {
        let mut sets = Self::all(process).into_iter();
        sets.find(|set| set.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let reason = format!(
                "there is no process set \"{name}\"; MPI_Session_get_nth_pset tells the names of those that there are"
            );
            Error::new(ErrorClass::Arg, reason)
        })
    }

    /// The sets of the pieces of hardware on which processes of the job began.
    fn of_hardware(job: &Job) -> Vec<Self> {
        let Some(hardware) = job.hardware() else {
            return Vec::new();
        };
        // The machine is the host.
        let kinds = hardware.kinds().filter(|&kind| kind != DomainKind::Machine);
        let instances =
            kinds.flat_map(|kind| (0..hardware.instances(kind)).map(move |instance| (kind, instance)));
        instances
            .map(|(kind, instance)| {
                let name = format!("simurgh://{}/{instance}", Hardware::short_name(kind));
                Self::new(name, hardware.members(kind, instance))
            })
            .filter(|set| set.group.size() > 0)
            .collect()
    }

    /// The properties of the set (`MPI_Session_get_pset_info`).
    #[must_use]
    pub fn info(&self) -> Info {
        let size = self.group.size().to_string();
        Info::from_iter([(*b"mpi_size", size.into_bytes())])
    }
}

/// The process sets of the pieces of hardware, which are the same for all processes of a host.
struct HardwareSets(Vec<ProcessSet>);

impl Job {
    fn hardware_sets(&self) -> &[ProcessSet] {
        let HardwareSets(sets) = self
            .layer_state()
            .get_or_init(|| HardwareSets(ProcessSet::of_hardware(self)));
        sets
    }
}

impl Session {
    /// The process sets of the session, in order.
    #[must_use]
    pub fn process_sets(&self) -> Vec<ProcessSet> {
        ProcessSet::all(&self.process)
    }

    /// The process set with this name.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is none.
    pub fn process_set(&self, name: &str) -> Result<ProcessSet> {
        ProcessSet::find(&self.process, name)
    }
}
