//! The cores this process may use, and the tree of what they share.

mod hwloc;

use std::fmt;

use crate::domain::Domain;
use crate::error::SchedError;

/// A core, or what of it this process may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Its hardware threads, by the operating system's numbers.
    pub cpus: Vec<usize>,
}

/// What the scheduler knows of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    cores: Vec<Core>,
    root: Domain,
    real: bool,
}

impl Topology {
    /// Reads the machine, restricted to the cores this process may run on (cgroup and affinity).
    ///
    /// # Errors
    ///
    /// When hwloc fails or no core is left.
    pub fn detect() -> Result<Self, SchedError> {
        hwloc::detect()
    }

    /// A machine that does not exist, by hwloc's description, such as `"package:2 numa:1 l3:1 core:4 pu:1"`.
    ///
    /// # Errors
    ///
    /// When hwloc does not understand it.
    pub fn synthetic(description: &str) -> Result<Self, SchedError> {
        hwloc::synthetic(description)
    }

    /// The cores, in an order in which neighbours share the most.
    #[must_use]
    pub fn cores(&self) -> &[Core] {
        &self.cores
    }

    /// The root of the domain tree.
    #[must_use]
    pub fn root(&self) -> &Domain {
        &self.root
    }

    /// Whether threads can be pinned to its cores: it is the machine this process runs on.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.real
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::DomainKind;

    #[test]
    fn a_synthetic_machine_becomes_a_tree() {
        let topology = Topology::synthetic("package:2 numa:1 l3:1 core:4 pu:2").expect("a valid description");
        assert_eq!(topology.cores().len(), 8);
        assert!(topology.cores().iter().all(|core| core.cpus.len() == 2));
        let packages = &topology.root().children;
        assert_eq!(packages.len(), 2);
        assert!(
            packages
                .iter()
                .all(|package| package.kind == DomainKind::Package && package.cores.len() == 4)
        );
        let root = topology.root();
        assert_eq!(root.distance(1, 1), 0);
        assert!(root.distance(0, 1) < root.distance(0, 4));
        assert!(!topology.is_real());
    }

    #[test]
    fn this_machine_has_the_cores_the_kernel_gives() {
        let topology = Topology::detect().expect("this machine");
        let cpus: usize = topology.cores().iter().map(|core| core.cpus.len()).sum();
        let allowed = rustix::thread::sched_getaffinity(None).expect("our own affinity");
        assert_eq!(cpus, allowed.count() as usize);
    }

    #[test]
    fn a_bad_description_is_an_error() {
        assert!(matches!(
            Topology::synthetic("cores:many"),
            Err(SchedError::Topology(_))
        ));
    }
}
