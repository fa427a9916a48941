//! Reading the topology through hwloc.

use hwlocality::Topology as Hwloc;
use hwlocality::object::TopologyObject;
use hwlocality::object::attributes::ObjectAttributes;
use hwlocality::object::types::ObjectType;
use hwlocality::topology::builder::{BuildFlags, TopologyBuilder};

use super::{Core, Topology};
use crate::domain::{Domain, DomainKind};
use crate::error::SchedError;

pub(super) fn detect() -> Result<Topology, SchedError> {
    // hwloc restricts the topology to this process' affinity only if it is told that it is of this system.
    let flags = BuildFlags::ASSUME_THIS_SYSTEM | BuildFlags::RESTRICT_CPU_TO_THIS_PROCESS;
    let builder = Hwloc::builder().with_flags(flags).map_err(failed)?;
    convert(&builder.build().map_err(failed)?)
}

pub(super) fn synthetic(description: &str) -> Result<Topology, SchedError> {
    let builder = TopologyBuilder::new()
        .from_synthetic(description)
        .map_err(failed)?;
    convert(&builder.build().map_err(failed)?)
}

fn failed(error: impl std::fmt::Display) -> SchedError {
    SchedError::Topology(error.to_string())
}

fn convert(hwloc: &Hwloc) -> Result<Topology, SchedError> {
    let mut cores = Vec::new();
    let root = domains(hwloc.root_object(), &mut cores);
    match root.into_iter().next() {
        Some(root) if !cores.is_empty() => Ok(Topology {
            machine: cores.clone(),
            reserved: Vec::new(),
            own_reserved: Vec::new(),
            nodes: sorted(nodes(hwloc)),
            cores,
            root,
            binds: hwloc.is_this_system(),
            oversubscribed: false,
            groups: Vec::new(),
        }),
        _ => Err(SchedError::NoCores),
    }
}

fn sorted(mut numbers: Vec<usize>) -> Vec<usize> {
    numbers.sort_unstable();
    numbers
}

/// The numbers of the nodes of the whole machine, in hwloc's order. That of a part of it is another one.
pub(super) fn nodes_of_machine() -> Result<Vec<usize>, SchedError> {
    let flags = BuildFlags::ASSUME_THIS_SYSTEM | BuildFlags::INCLUDE_DISALLOWED;
    let builder = Hwloc::builder().with_flags(flags).map_err(failed)?;
    Ok(nodes(&builder.build().map_err(failed)?))
}

/// The numbers of the nodes with memory.
fn nodes(hwloc: &Hwloc) -> Vec<usize> {
    let nodes = hwloc.objects_with_type(ObjectType::NUMANode);
    nodes.filter_map(TopologyObject::os_index).collect()
}

/// The domain of an object, or the domains of its children, if the object is of no interest. Cores are numbered in the
/// order in which they are visited.
fn domains(object: &TopologyObject, cores: &mut Vec<Core>) -> Vec<Domain> {
    let kind = match object.object_type() {
        ObjectType::Machine => DomainKind::Machine,
        ObjectType::Package => DomainKind::Package,
        ObjectType::L3Cache => DomainKind::L3,
        ObjectType::L2Cache => DomainKind::L2,
        ObjectType::Core => return vec![core(object, cores)],
        // On a machine whose firmware does not describe cores, every hardware thread counts as one.
        ObjectType::PU => return vec![core(object, cores)],
        // For example a group of cores with memory of their own within a package.
        _ => return memory(object, cores),
    };
    let first = cores.len();
    let children = memory(object, cores);
    if first == cores.len() {
        return Vec::new();
    }
    vec![Domain {
        kind,
        number: number(object),
        bytes: cache_bytes(object),
        cores: (first..cores.len()).collect(),
        children,
    }]
}

/// The domains of an object's children, within the domain of the memory that is attached to the object, if there is
/// any.
fn memory(object: &TopologyObject, cores: &mut Vec<Core>) -> Vec<Domain> {
    let first = cores.len();
    let children = children(object, cores);
    match numa(object) {
        Some((bytes, number)) if cores.len() > first => vec![Domain {
            kind: DomainKind::Numa,
            number,
            bytes: Some(bytes),
            cores: (first..cores.len()).collect(),
            children,
        }],
        _ => children,
    }
}

fn children(object: &TopologyObject, cores: &mut Vec<Core>) -> Vec<Domain> {
    object
        .normal_children()
        .flat_map(|child| domains(child, cores))
        .collect()
}

fn core(object: &TopologyObject, cores: &mut Vec<Core>) -> Domain {
    let index = cores.len();
    let cpus = object
        .cpuset()
        .into_iter()
        .flat_map(|set| set.iter_set().map(usize::from).collect::<Vec<_>>());
    cores.push(Core { cpus: cpus.collect() });
    Domain {
        kind: DomainKind::Core,
        number: number(object),
        bytes: None,
        cores: vec![index],
        children: Vec::new(),
    }
}

fn cache_bytes(object: &TopologyObject) -> Option<u64> {
    match object.attributes() {
        Some(ObjectAttributes::Cache(cache)) => cache.size().map(u64::from),
        _ => None,
    }
}

/// The bytes of the NUMA nodes attached to an object and the number of the first one, if there are any.
fn numa(object: &TopologyObject) -> Option<(u64, usize)> {
    let nodes = object
        .memory_children()
        .filter(|child| child.object_type() == ObjectType::NUMANode);
    nodes
        .map(|node| (node.total_memory(), number(node)))
        .reduce(|(total, first), (bytes, _)| (total + bytes, first))
}

/// The system's number of an object, or that of its first hardware thread where the former is not unique: cores of
/// different packages may have the same number.
fn number(object: &TopologyObject) -> usize {
    let threads = object.cpuset().into_iter();
    let first = threads
        .flat_map(|set| set.iter_set().map(usize::from).next())
        .next();
    match object.object_type() {
        ObjectType::Machine => 0,
        ObjectType::Package | ObjectType::NUMANode => object.os_index().or(first).unwrap_or(0),
        _ => first.unwrap_or(0),
    }
}
