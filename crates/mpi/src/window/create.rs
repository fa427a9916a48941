//! Making windows.
//!
//! Making a window is one exchange of the ranks: each tells its size and its displacement unit, and each host makes the
//! part that its ranks share. Where several processes of a node take part, a second one follows (`control`). No rank
//! goes on before all are ready to be accessed.

use super::batch::Batches;
use super::error::fault;
use super::flushing::Flushing;
use super::hints::Hints;
use super::long_data::LongData;
use super::memory::Wish;
use super::meter::Meter;
use super::open::Open;
use super::pace::Pace;
use super::plain::Reach;
use super::shared::{Description, WindowShared};
use super::{Flavor, Window, table};
use crate::collective::Call;
use crate::comm::{Comm, IdDemand};
use crate::deadlock::WaitPoint;
use crate::error::{ErrorClass, Result};
use crate::info::Info;
use crate::memory::{NodeControl, Region};
use crate::portable::portable;
use simurgh_core::sync::{Arc, AtomicU32, SpinLock};

/// What a rank says about itself.
struct Arguments {
    bytes: usize,
    unit: usize,
    no_locks: bool,
    /// Process and descriptor of the memory that it has made for the locks of its node.
    control: Option<(u32, u32)>,
}

portable! { Arguments { bytes, unit, no_locks, control } }

impl Comm {
    /// A window with memory that the program has (`MPI_Win_create`). `unit` is the displacement unit in bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] for an inter-communicator, [`ErrorClass::Disp`] for a displacement unit of 0; when the
    /// ranks make different calls.
    pub fn win_create(&self, region: Region, unit: usize, info: &Info) -> Result<Arc<Window>> {
        let window = self.new_window(Flavor::Create, region.bytes(), unit, info)?;
        window.shared.part(self.seat()).set_region(region);
        window.ready()
    }

    /// A window to which ranks attach memory later (`MPI_Win_create_dynamic`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] for an inter-communicator; when the ranks make different calls.
    pub fn win_create_dynamic(&self, info: &Info) -> Result<Arc<Window>> {
        self.new_window(Flavor::Dynamic, 0, 1, info)?.ready()
    }

    /// A window with `bytes` bytes of memory for this rank, which the library allocates (`MPI_Win_allocate`).
    ///
    /// # Errors
    ///
    /// As [`Comm::win_create`]; [`ErrorClass::NoMem`] if a host has not enough memory.
    pub fn win_allocate(&self, bytes: usize, unit: usize, info: &Info) -> Result<Arc<Window>> {
        self.allocated(Flavor::Allocate, bytes, unit, info)
    }

    /// A window with memory to which all ranks have direct access (`MPI_Win_allocate_shared`): the ranks' parts follow
    /// each other, unless `info` says otherwise.
    ///
    /// # Errors
    ///
    /// As [`Comm::win_allocate`]; [`ErrorClass::RmaShared`] if the ranks live on several nodes, or their processes
    /// cannot share memory.
    pub fn win_allocate_shared(&self, bytes: usize, unit: usize, info: &Info) -> Result<Arc<Window>> {
        self.allocated(Flavor::Shared, bytes, unit, info)
    }

    fn allocated(&self, flavor: Flavor, bytes: usize, unit: usize, info: &Info) -> Result<Arc<Window>> {
        let window = self.new_window(flavor, bytes, unit, info)?;
        let hints = window.hints.lock().clone();
        let wish = Wish {
            alignment: hints.alignment(),
            is_contiguous: flavor == Flavor::Shared && !hints.is_noncontiguous(),
        };
        window.allocate(wish)?;
        window.ready()
    }

    fn new_window(&self, flavor: Flavor, bytes: usize, unit: usize, info: &Info) -> Result<Window> {
        self.check_intra()?;
        if unit == 0 {
            let message = "the displacement unit is 0: it must be a positive number of bytes";
            return Err(fault(ErrorClass::Disp, message));
        }
        let (process, members) = (self.process(), &self.shared().members);
        let hints = Hints::of(info);
        let has_nodes = self.has_nodes();
        let control = has_nodes.then(|| self.make_control()).flatten();
        let name = control.as_ref().and_then(NodeControl::file_name);
        let arguments = Arguments {
            bytes,
            unit,
            no_locks: hints.no_locks(),
            control: name.map(|name| (name.process, name.descriptor)),
        };
        let made = self.exchange_in(flavor.call(), arguments, IdDemand::One, |ranks, builder| {
            let description = describe(flavor, &ranks);
            let job = process.job();
            let shared = WindowShared::make(job, members, description, builder)?;
            let names: Vec<_> = ranks.iter().map(|rank| rank.control).collect();
            let mapped = shared.map_control(&names);
            table::admit(job, &shared);
            let point: Arc<dyn WaitPoint> = Arc::clone(&shared) as Arc<dyn WaitPoint>;
            job.wait_points().add(&point);
            Ok((shared, mapped))
        })?;
        let (shared, mapped) = made.as_ref().as_ref().map_err(Clone::clone)?;
        let shared = Arc::clone(shared);
        let window = Window {
            comm: self.child(Arc::clone(&shared.comm), self.seat()),
            process: Arc::clone(process),
            has_other_hosts: shared.comm.host_map().is_some(),
            calls: AtomicU32::new(0),
            phase: AtomicU32::new(0),
            shared,
            reach: Arc::default(),
            epochs: SpinLock::default(),
            flushing: Flushing::default(),
            batches: Batches::default(),
            pace: Pace::default(),
            long_data: LongData::default(),
            open: Open::default(),
            is_unchecked: false,
            is_direct: false,
            meter: Meter::new(process.job()),
            hints: SpinLock::new(hints),
            name: SpinLock::default(),
            errhandler: SpinLock::new(process.job().initial_errhandler()),
        };
        // The file of its maker is open until all have said whether they have it.
        if has_nodes {
            window.agree_on_control(mapped)?;
        }
        drop(control);
        Ok(window)
    }
}

impl Flavor {
    /// The call that makes windows of this kind.
    pub(super) fn call(self) -> Call {
        match self {
            Self::Create => Call::WIN_CREATE,
            Self::Allocate => Call::WIN_ALLOCATE,
            Self::Dynamic => Call::WIN_CREATE_DYNAMIC,
            Self::Shared => Call::WIN_ALLOCATE_SHARED,
        }
    }
}

impl Window {
    /// Waits until all ranks are ready to be accessed.
    fn ready(mut self) -> Result<Arc<Self>> {
        self.comm.meet_in(self.flavor().call())?;
        let is_counted = self.meter.is_always_on();
        self.reach = self.shared.reach(is_counted);
        let is_at_hand = !self.has_other_hosts || self.reach.iter().all(Reach::is_at_hand);
        self.is_unchecked = self.shared.access_logs().is_none() && !is_counted;
        self.is_direct = self.is_unchecked && is_at_hand;
        Ok(Arc::new(self))
    }

    /// Attaches memory to a dynamic window (`MPI_Win_attach`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaFlavor`] for another window, [`ErrorClass::RmaAttach`] if it overlaps with memory that is
    /// attached.
    pub fn attach(&self, region: Region) -> Result<()> {
        self.dynamic("MPI_Win_attach")?.attach(region)
    }

    /// Detaches the memory that begins at an address (`MPI_Win_detach`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaFlavor`] for another window, [`ErrorClass::RmaAttach`] if no memory that begins there is
    /// attached.
    pub fn detach(&self, address: *const u8) -> Result<()> {
        self.dynamic("MPI_Win_detach")?.detach(address)
    }

    fn dynamic(&self, call: &str) -> Result<&super::shared::LocalRank> {
        let local = self.shared.local(self.comm.seat());
        local.filter(|_| self.flavor() == Flavor::Dynamic).ok_or_else(|| {
            let message = format!("{call} takes windows of MPI_Win_create_dynamic only");
            fault(ErrorClass::RmaFlavor, message)
        })
    }
}

/// What the ranks say together.
fn describe(flavor: Flavor, ranks: &[Arguments]) -> Description {
    Description {
        flavor,
        no_locks: ranks.iter().all(|rank| rank.no_locks),
        bytes: ranks.iter().map(|rank| rank.bytes).collect(),
        units: ranks.iter().map(|rank| rank.unit).collect(),
    }
}
