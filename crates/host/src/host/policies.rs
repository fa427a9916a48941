//! The scheduling policy of a run: one of the library's own, or one that a user has written as a shared library, with
//! the interface of `include/simurgh_policy.h`.

use simurgh_library::Library;
use simurgh_sched::policy::{self, Driving, Machine, Policy};
use simurgh_sched::{DomainKind, SchedError};
use simurgh_settings::{Id, Values};
use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::sync::Arc;
use thiserror::Error;

/// The version of the interface.
const VERSION: u32 = 2;

/// The oldest version with which policies are accepted.
const OLDEST: u32 = 1;

/// The object that a library with a policy defines.
const SYMBOL: &CStr = c"simurgh_policy";

/// The reason why there is no policy.
#[derive(Debug, Error)]
pub enum PolicyError {
    /// The library itself has none of this name.
    #[error(transparent)]
    Unknown(#[from] SchedError),
    /// The file cannot be loaded.
    #[error(
        "--policy: {reason}; give the path of a shared library (cc -shared -fPIC -I PREFIX/include mine.c -o mine.so)"
    )]
    Load {
        /// The loader's message, which names the file.
        reason: String,
    },
    /// The file is no policy.
    #[error(
        "--policy: {file} does not define the symbol {}, which makes a shared library a scheduling policy; \
         simurgh_policy.h says how to define it",
        SYMBOL.to_string_lossy()
    )]
    NoSymbol {
        /// The path of the file.
        file: String,
    },
    /// The policy is for another version of the library.
    #[error(
        "--policy: {} in {file} is of version {version} of the interface, and version {VERSION} is wanted; compile \
         {file} with the simurgh_policy.h of this installation",
        SYMBOL.to_string_lossy()
    )]
    Version {
        /// The path of the file.
        file: String,
        /// Its version.
        version: u32,
    },
    /// The policy has no name.
    #[error("--policy: {} in {file} has no name; set its member name", SYMBOL.to_string_lossy())]
    NoName {
        /// The path of the file.
        file: String,
    },
}

/// The policy that the settings name.
///
/// # Errors
///
/// When it is a file without a policy.
pub fn policy_of_settings(settings: &Values) -> Result<Arc<dyn Policy>, PolicyError> {
    match settings.name(Id::Policy) {
        Some(file) => Ok(Arc::new(ForeignPolicy::load(
            file,
            settings.amount(Id::NetworkVps),
            settings.amount(Id::IoVps),
        )?)),
        None => Ok(policy::of_settings(settings)?),
    }
}

/// `struct simurgh_machine`
#[repr(C)]
struct MachineView<'a> {
    vps: usize,
    distance: extern "C" fn(&MachineView<'_>, usize, usize) -> usize,
    domain: extern "C" fn(&MachineView<'_>, c_uint, usize) -> usize,
    machine: &'a Machine<'a>,
}

impl<'a> MachineView<'a> {
    fn new(machine: &'a Machine<'a>) -> Self {
        Self {
            vps: machine.vps(),
            distance,
            domain,
            machine,
        }
    }
}

extern "C" fn distance(view: &MachineView<'_>, vp: usize, other: usize) -> usize {
    view.machine.distance(vp, other)
}

extern "C" fn domain(view: &MachineView<'_>, kind: c_uint, vp: usize) -> usize {
    let kind = match kind {
        0 => DomainKind::Machine,
        1 => DomainKind::Package,
        2 => DomainKind::Numa,
        3 => DomainKind::L3,
        4 => DomainKind::L2,
        _ => DomainKind::Core,
    };
    let shares = |other: &usize| view.machine.shares(kind, vp, *other);
    (0..view.vps).find(shares).unwrap_or(vp)
}

/// `struct simurgh_driving`
#[repr(C)]
struct DrivingForm {
    dedicated: usize,
    by_others: c_int,
    has_cores: c_int,
}

type Place = extern "C" fn(&MachineView<'_>, usize, usize) -> usize;
type Victims = extern "C" fn(&MachineView<'_>, usize, *mut usize) -> usize;
type Drive = extern "C" fn(&mut DrivingForm, usize);

/// `struct simurgh_purposes`
#[repr(C)]
struct PurposesForm {
    network_first: c_int,
    io_processors: usize,
}

type Attend = extern "C" fn(&mut PurposesForm, usize);

/// `struct simurgh_policy` as it was in version 1
#[repr(C)]
struct FirstTable {
    version: u32,
    name: *const c_char,
    place: Option<Place>,
    victims: Option<Victims>,
    driving: Option<Drive>,
}

/// `struct simurgh_policy`
#[repr(C)]
struct Table {
    first: FirstTable,
    purposes: Option<Attend>,
}

/// A policy in a shared library.
struct ForeignPolicy {
    name: String,
    place: Option<Place>,
    victims: Option<Victims>,
    driving: Option<Drive>,
    purposes: Option<Attend>,
    network_vps: usize,
    io_vps: usize,
}

impl ForeignPolicy {
    fn load(path: &str, network_vps: usize, io_vps: usize) -> Result<Self, PolicyError> {
        let file = || path.to_owned();
        let name = CString::new(path).map_err(|error| PolicyError::Load {
            reason: format!("{path:?}: {error}"),
        })?;
        // SAFETY:
        // - the user wants the library to be loaded when the process starts, which is now.
        let library = unsafe { Library::load(&name) }.map_err(|reason| PolicyError::Load { reason })?;
        let Some(found) = library.symbol(SYMBOL) else {
            return Err(PolicyError::NoSymbol { file: file() });
        };
        // SAFETY:
        // - the object begins with its version, whatever the version is; libraries stay.
        let version = unsafe { *found.cast::<u32>() };
        if !(OLDEST..=VERSION).contains(&version) {
            return Err(PolicyError::Version {
                file: file(),
                version,
            });
        }
        // SAFETY:
        // - in these versions the object is a table or begins as one did at first; libraries stay, and the table is
        //   constant.
        let table: &'static FirstTable = unsafe { &*found.cast() };
        let purposes = match version {
            // SAFETY:
            // - in this version the object is a whole table.
            VERSION => unsafe { (*found.cast::<Table>()).purposes },
            _ => None,
        };
        if table.name.is_null() {
            return Err(PolicyError::NoName { file: file() });
        }
        // SAFETY:
        // - the interface demands a C string.
        let name = unsafe { CStr::from_ptr(table.name) };
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            place: table.place,
            victims: table.victims,
            driving: table.driving,
            purposes,
            network_vps,
            io_vps,
        })
    }

    /// What comes of the purposes of ranks.
    fn purposes(&self) -> PurposesForm {
        let mut form = PurposesForm {
            network_first: c_int::from(policy::WorkQueue.network_first()),
            io_processors: policy::WorkQueue.io_processors(),
        };
        if let Some(change) = self.purposes {
            change(&mut form, self.io_vps);
        }
        form
    }
}

impl Policy for ForeignPolicy {
    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self, index: usize, count: usize, machine: &Machine<'_>) -> usize {
        match self.place {
            Some(place) => place(&MachineView::new(machine), index, count),
            None => policy::WorkQueue.place(index, count, machine),
        }
    }

    fn victims(&self, vp: usize, machine: &Machine<'_>) -> Vec<usize> {
        let Some(write) = self.victims else {
            return policy::WorkQueue.victims(vp, machine);
        };
        let mut victims = vec![0; machine.vps()];
        let count = write(&MachineView::new(machine), vp, victims.as_mut_ptr());
        victims.truncate(count);
        victims
    }

    fn driving(&self) -> Driving {
        let preset = policy::WorkQueue.driving();
        let Some(change) = self.driving else { return preset };
        let mut form = DrivingForm {
            dedicated: preset.dedicated,
            by_others: c_int::from(preset.by_others),
            has_cores: c_int::from(preset.has_cores),
        };
        change(&mut form, self.network_vps);
        Driving {
            dedicated: form.dedicated,
            by_others: form.by_others != 0,
            has_cores: form.has_cores != 0,
        }
    }

    fn network_first(&self) -> bool {
        self.purposes().network_first != 0
    }

    fn io_processors(&self) -> usize {
        self.purposes().io_processors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_sched::Topology;

    extern "C" fn last(view: &MachineView<'_>, index: usize, _: usize) -> usize {
        view.vps - 1 - index
    }

    extern "C" fn others_of_package(view: &MachineView<'_>, vp: usize, victims: *mut usize) -> usize {
        let others = (0..view.vps)
            .filter(|&other| other != vp && (view.domain)(view, 1, vp) == (view.domain)(view, 1, other));
        let mut count = 0;
        for other in others {
            // SAFETY:
            // - there is room for all virtual processors.
            unsafe { victims.add(count).write(other) };
            count += 1;
        }
        count
    }

    extern "C" fn dedicate(form: &mut DrivingForm, network_vps: usize) {
        (form.dedicated, form.by_others) = (network_vps, 0);
    }

    extern "C" fn attend(form: &mut PurposesForm, io_vps: usize) {
        (form.network_first, form.io_processors) = (1, 2 * io_vps);
    }

    fn policy(is_complete: bool) -> ForeignPolicy {
        ForeignPolicy {
            name: "test".to_owned(),
            place: is_complete.then_some(last as Place),
            victims: is_complete.then_some(others_of_package as Victims),
            driving: is_complete.then_some(dedicate as Drive),
            purposes: is_complete.then_some(attend as Attend),
            network_vps: 3,
            io_vps: 2,
        }
    }

    #[test]
    fn functions_decide_and_what_is_missing_is_decided_as_by_the_work_queue() {
        let topology = Topology::synthetic("package:2 core:3 pu:1").expect("a valid description");
        let machine = Machine::new(6, &topology);
        let whole = policy(true);
        assert_eq!(whole.place(1, 6, &machine), 4);
        assert_eq!(whole.victims(4, &machine), [3, 5]);
        let driving = whole.driving();
        assert_eq!((driving.dedicated, driving.by_others), (3, false));
        assert_eq!((whole.network_first(), whole.io_processors()), (true, 4));
        let empty = policy(false);
        assert_eq!((empty.network_first(), empty.io_processors()), (false, 0));
        assert_eq!(empty.place(1, 2, &machine), 3);
        assert_eq!(empty.victims(4, &machine)[..2], [3, 5]);
        assert_eq!(empty.driving(), policy::WorkQueue.driving());
    }

    #[test]
    fn distances_and_domains_are_those_of_the_machine() {
        let topology = Topology::synthetic("package:2 core:3 pu:1").expect("a valid description");
        let machine = Machine::new(6, &topology);
        let view = MachineView::new(&machine);
        assert_eq!((view.domain)(&view, 3, 5), 3);
        assert_eq!((view.domain)(&view, 0, 5), 0);
        assert_eq!((view.distance)(&view, 2, 2), 0);
        assert!((view.distance)(&view, 0, 1) < (view.distance)(&view, 0, 4));
    }
}
