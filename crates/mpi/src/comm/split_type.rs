//! Splitting communicators by what ranks have in common.
//!
//! A rank utilises the hardware on which it began to run, where the scheduler brings it back to unless another virtual
//! processor has nothing to do. On one host all share memory.

use super::Comm;
use crate::constants::UNDEFINED;
use crate::error::{Error, ErrorClass, Result};
use crate::info::Info;
use crate::job::Hardware;
use crate::session::ProcessSet;
use simurgh_core::sync::Arc;
use simurgh_sched::DomainKind;

/// By what a communicator is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitType {
    /// Nothing: the rank is in none of the new communicators.
    Undefined,
    /// The memory that ranks share.
    Shared,
    /// The largest kind of hardware resource of which the ranks use several.
    Unguided,
    /// The kind of hardware resource that the info says.
    Guided,
    /// The kind of hardware resource or the process set that the info says.
    ResourceGuided,
}

/// The key for a kind of hardware resource.
const HARDWARE_KEY: &str = "mpi_hw_resource_type";
/// The key for a process set.
const SET_KEY: &str = "mpi_pset_name";
/// The kind of resource that stands for shared memory.
const SHARED_MEMORY: &str = "mpi_shared_memory";

/// What the ranks of one new communicator have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shared {
    /// The colour that they name.
    Color(i32),
    /// The memory.
    Memory,
    /// An instance of a kind of hardware resource.
    Hardware(DomainKind, usize),
    /// A process set, by its name and its first process.
    Set(String, u32),
}

impl Comm {
    /// Communicators of the ranks that have something in common, ordered by key and rank (`MPI_Comm_split_type`); none
    /// for a rank that does not use one instance of it, or if the info says nothing that is known.
    ///
    /// With [`SplitType::Unguided`] the kind of hardware resource comes along, by its name as a type of resource.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Info`] if the info names both a hardware resource and a process set; when the ranks make different
    /// calls, or no context is free.
    pub fn split_type(
        &self,
        split_type: SplitType,
        key: i32,
        info: &Info,
    ) -> Result<Option<(Arc<Self>, Option<&'static str>)>> {
        let (shared, resource) = match split_type {
            SplitType::Undefined => (None, None),
            SplitType::Shared => (Some(Shared::Memory), None),
            SplitType::Guided => (self.hardware_named(info), None),
            SplitType::ResourceGuided => (self.resource_named(info)?, None),
            SplitType::Unguided => {
                let kind = self.dividing_kind();
                let shared = kind.and_then(|kind| self.own_instance(kind));
                (shared, kind.map(Hardware::resource_name))
            }
        };
        let made = self.split_by(shared, key)?;
        Ok(made.map(|(shared, seat)| {
            let made = self.child(shared, seat);
            made.set_info(info);
            (made, resource)
        }))
    }

    /// What [`Comm::split`] splits by.
    pub(super) fn color(color: i32) -> Result<Option<Shared>> {
        match color {
            UNDEFINED => Ok(None),
            0.. => Ok(Some(Shared::Color(color))),
            _ => Err(Error::new(
                ErrorClass::Arg,
                format!("colour {color} is negative; a colour is not negative, or MPI_UNDEFINED"),
            )),
        }
    }

    fn hardware_named(&self, info: &Info) -> Option<Shared> {
        let name = info.text(HARDWARE_KEY)?;
        if name.eq_ignore_ascii_case(SHARED_MEMORY) {
            return Some(Shared::Memory);
        }
        self.own_instance(Hardware::kind_of(name)?)
    }

    fn resource_named(&self, info: &Info) -> Result<Option<Shared>> {
        match (info.text(HARDWARE_KEY), info.text(SET_KEY)) {
            (Some(_), Some(_)) => Err(Error::new(
                ErrorClass::Info,
                format!("the info has both {HARDWARE_KEY} and {SET_KEY}; name only one of them"),
            )),
            (None, Some(name)) => Ok(self.own_set(name)),
            _ => Ok(self.hardware_named(info)),
        }
    }

    /// The process set with this name, if the rank is in it.
    fn own_set(&self, name: &str) -> Option<Shared> {
        let set = ProcessSet::find(&self.process, name).ok()?;
        set.group.rank_of(self.process.id())?;
        Some(Shared::Set(set.name, set.group.process(0)?))
    }

    /// The instance of a kind that the rank uses.
    fn own_instance(&self, kind: DomainKind) -> Option<Shared> {
        let instance = self.process.job().hardware()?.instance(kind, self.process.id())?;
        Some(Shared::Hardware(kind, instance))
    }

    /// The largest kind of which the ranks use several instances, so that each has a part of the ranks only.
    fn dividing_kind(&self) -> Option<DomainKind> {
        let sides = &self.shared.sides;
        let find = || {
            let hardware = self.process.job().hardware()?;
            hardware.kinds().find(|&kind| {
                let mut used = (0..sides.seats())
                    .filter_map(|seat| sides.process(seat))
                    .map(|process| hardware.instance(kind, process));
                let first = used.next();
                used.any(|instance| Some(instance) != first)
            })
        };
        *self.shared.dividing_kind.get_or_init(find)
    }
}
