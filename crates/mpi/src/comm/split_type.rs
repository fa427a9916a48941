//! Splitting communicators by what ranks have in common (`MPI_Comm_split_type`).
//!
//! A rank uses the hardware on which it began to run; the scheduler brings it back there unless another virtual
//! processor has nothing to do. All ranks of a node share memory. What a rank uses is known on its own host only, so
//! the ranks of several hosts exchange it.

use super::{Comm, IdDemand};
use crate::constants::UNDEFINED;
use crate::error::{Error, ErrorClass, Result};
use crate::hardware::Hardware;
use crate::info::Info;
use crate::portable::{Portable, portable};
use crate::session::ProcessSet;
use simurgh_core::sync::Arc;
use simurgh_sched::DomainKind;

/// The criterion by which a communicator is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitType {
    /// None: the rank is in none of the new communicators.
    Undefined,
    /// The memory that ranks share.
    Shared,
    /// The largest kind of hardware resource of which the ranks use several.
    Unguided,
    /// The kind of hardware resource that the info names.
    Guided,
    /// The kind of hardware resource or the process set that the info names.
    ResourceGuided,
}

/// The info key for a kind of hardware resource.
const HARDWARE_KEY: &str = "mpi_hw_resource_type";
/// The info key for a process set.
const SET_KEY: &str = "mpi_pset_name";
/// The kind of resource that stands for shared memory.
const SHARED_MEMORY: &str = "mpi_shared_memory";

/// The criterion by which ranks are in one new communicator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Criterion {
    /// The colour that they name.
    Color(i32),
    /// The memory of a node.
    Memory(u32),
    /// An instance of a kind of hardware resource of a node.
    Hardware(u32, DomainKind, usize),
    /// A process set, by its name and its first process.
    Set(String, u32),
}

impl Comm {
    /// Communicators of the ranks that have something in common, ordered by key and rank (`MPI_Comm_split_type`).
    /// `None` for a rank that does not use one instance of it, or if the info names nothing that is known.
    ///
    /// With [`SplitType::Unguided`] the name of the kind of hardware resource is returned as well.
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
            SplitType::Shared => (Some(Criterion::Memory(self.node())), None),
            SplitType::Guided => (self.hardware_named(info), None),
            SplitType::ResourceGuided => (self.resource_named(info)?, None),
            SplitType::Unguided => {
                let kind = self.dividing_kind()?;
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

    /// The criterion of [`Comm::split`].
    pub(super) fn color(color: i32) -> Result<Option<Criterion>> {
        match color {
            UNDEFINED => Ok(None),
            0.. => Ok(Some(Criterion::Color(color))),
            _ => Err(Error::new(
                ErrorClass::Arg,
                format!("colour {color} is negative; a colour is not negative, or MPI_UNDEFINED"),
            )),
        }
    }

    fn hardware_named(&self, info: &Info) -> Option<Criterion> {
        let name = info.text(HARDWARE_KEY)?;
        if name.eq_ignore_ascii_case(SHARED_MEMORY) {
            return Some(Criterion::Memory(self.node()));
        }
        self.own_instance(Hardware::kind_of(name)?)
    }

    fn resource_named(&self, info: &Info) -> Result<Option<Criterion>> {
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
    fn own_set(&self, name: &str) -> Option<Criterion> {
        let set = ProcessSet::find(&self.process, name).ok()?;
        set.group.rank_of(self.process.id())?;
        Some(Criterion::Set(set.name, set.group.process(0)?))
    }

    /// The instance of a kind that the rank uses.
    fn own_instance(&self, kind: DomainKind) -> Option<Criterion> {
        let hardware = self.process.job().hardware()?;
        let instance = hardware.instance(kind, self.process.id())?;
        Some(Criterion::Hardware(
            self.node(),
            kind,
            hardware.number(kind, instance)?,
        ))
    }

    /// The number of the node on which the rank lives.
    fn node(&self) -> u32 {
        let layout = self.process.job().layout();
        layout.node_of(layout.own())
    }

    /// The largest kind of which the ranks use several instances, so that each instance has only a part of the ranks.
    fn dividing_kind(&self) -> Result<Option<DomainKind>> {
        if self.host_map().is_some() {
            let uses = Uses(
                Hardware::all_kinds()
                    .map(|kind| self.own_instance(kind))
                    .collect(),
            );
            let dividing = self.exchange(uses, IdDemand::Nothing, |ranks, _| dividing_kind(&ranks))?;
            return Ok(*dividing);
        }
        let members = &self.shared.members;
        let find = || {
            let hardware = self.process.job().hardware()?;
            hardware.kinds().find(|&kind| {
                let mut used = members
                    .processes()
                    .map(|process| hardware.instance(kind, process));
                let first = used.next();
                used.any(|instance| Some(instance) != first)
            })
        };
        Ok(*self.shared.dividing_kind.get_or_init(find))
    }
}

/// The instance of each kind of hardware that a rank uses, from the largest kind to the smallest.
struct Uses(Vec<Option<Criterion>>);

portable! { Uses { 0 } }

/// The first kind of which not all use the same instance.
fn dividing_kind(ranks: &[Uses]) -> Option<DomainKind> {
    let use_of = |rank: &Uses, place: usize| rank.0.get(place).cloned().flatten();
    let divides = |place: &usize| {
        let first = use_of(&ranks[0], *place);
        ranks.iter().any(|rank| use_of(rank, *place) != first)
    };
    let place = (0..ranks[0].0.len()).find(divides)?;
    Hardware::all_kinds().nth(place)
}

const COLOR: u8 = 0;
const MEMORY: u8 = 1;
const HARDWARE: u8 = 2;
const SET: u8 = 3;

impl Portable for Criterion {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Color(color) => (COLOR, *color).write(out),
            Self::Memory(node) => (MEMORY, *node).write(out),
            Self::Hardware(node, kind, instance) => {
                (HARDWARE, (*node, Hardware::place_of(*kind), *instance)).write(out)
            }
            Self::Set(name, first) => (SET, (name.clone(), *first)).write(out),
        }
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        Some(match u8::read(input)? {
            COLOR => Self::Color(i32::read(input)?),
            MEMORY => Self::Memory(u32::read(input)?),
            HARDWARE => {
                let (node, kind, instance) = Portable::read(input)?;
                Self::Hardware(node, Hardware::kind_at(kind)?, instance)
            }
            SET => Self::Set(String::read(input)?, u32::read(input)?),
            _ => return None,
        })
    }
}
