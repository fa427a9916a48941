//! Making communicators from communicators.

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{Error, ErrorClass, Info, Result, SplitType};

use super::Communicator;
use crate::Group;
use crate::activity::Call;
use crate::hints;

impl Communicator {
    /// A communicator with the same ranks and a context of its own, which gets copies of those
    /// [`Attribute`](crate::Attribute)s that can be copied (`MPI_Comm_dup`). Collective.
    ///
    /// # Errors
    ///
    /// When the ranks make different calls, or there are too many communicators.
    pub fn dup(&self) -> Result<Self> {
        let _inside = self.enter(Call::Dup, UNDEFINED, UNDEFINED);
        let duplicate = self.child(self.comm.dup()?);
        Ok(Self {
            attributes: self.attributes.copies().into(),
            ..duplicate
        })
    }

    /// As [`dup`](Self::dup), but the rank waits for no other one (`MPI_Comm_idup`, whose request is complete at once).
    ///
    /// # Errors
    ///
    /// As [`dup`](Self::dup).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// // Rank 1 sends on a duplicate that rank 0 makes only afterwards.
    /// if world.rank() == 0 {
    ///     world.recv(&mut 0, 1, 0)?;
    /// }
    /// let duplicate = world.idup()?;
    /// if world.rank() == 1 {
    ///     duplicate.send(&7, 0, 0)?;
    ///     world.send(&1, 0, 0)?;
    /// } else {
    ///     let mut value = 0;
    ///     duplicate.recv(&mut value, 1, 0)?;
    ///     assert_eq!(value, 7);
    /// }
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn idup(&self) -> Result<Self> {
        self.check();
        let (comm, request) = self.comm.idup()?;
        // It is complete: what the engine does for it is done.
        request.result(request.wait())?;
        Ok(Self {
            attributes: self.attributes.copies().into(),
            ..self.child(comm)
        })
    }

    /// A communicator of the ranks that give the same `color`, ordered by `key` and then by rank; none for
    /// the ranks that give no colour (`MPI_Comm_split`). Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if a colour is above 2^31 - 1; as [`dup`](Self::dup).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(5).run(|world| {
    /// let parity = world.split(Some(world.rank() % 2), 0)?.expect("a colour was given");
    /// assert_eq!(parity.rank(), world.rank() / 2);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn split(&self, color: Option<usize>, key: i32) -> Result<Option<Self>> {
        let color = match color {
            None => UNDEFINED,
            Some(color) => i32::try_from(color).map_err(|_| {
                Error::new(
                    ErrorClass::Arg,
                    format!("colour {color} is too large: choose 0 to {}", i32::MAX),
                )
            })?,
        };
        let _inside = self.enter(Call::Split, UNDEFINED, UNDEFINED);
        Ok(self.comm.split(color, key)?.map(|comm| self.child(comm)))
    }

    /// A communicator of the ranks of the calling rank's node, which share memory, ordered by `key` and then by rank
    /// (`MPI_Comm_split_type` with `MPI_COMM_TYPE_SHARED`). Collective.
    ///
    /// # Errors
    ///
    /// As [`dup`](Self::dup).
    pub fn split_shared(&self, key: i32) -> Result<Self> {
        let made = self.split_type(SplitType::Shared, key, &Info::new())?;
        let (made, _) = made.expect("every rank lives on a node");
        Ok(made)
    }

    /// A communicator of the ranks that began on the same piece of hardware, ordered by `key` and then by rank; none if
    /// the kind is not known, or the rank has not begun on a single piece (`MPI_COMM_TYPE_HW_GUIDED`). Collective.
    ///
    /// Kinds are those that the user guide lists for `mpi_hw_resource_type`, such as `"hwloc://NUMANode"`.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::InfoValue`] if `kind` is longer than the standard allows; as [`dup`](Self::dup).
    pub fn split_hardware(&self, kind: &str, key: i32) -> Result<Option<Self>> {
        self.split_guided(("mpi_hw_resource_type", kind), key)
    }

    /// A communicator of the ranks that are in a process set, ordered by `key` and then by rank; none for the others
    /// (`MPI_COMM_TYPE_RESOURCE_GUIDED`). Collective. [`Session::process_sets`](crate::Session::process_sets) tells the
    /// names.
    ///
    /// # Errors
    ///
    /// As [`split_hardware`](Self::split_hardware).
    pub fn split_process_set(&self, name: &str, key: i32) -> Result<Option<Self>> {
        self.split_guided(("mpi_pset_name", name), key)
    }

    /// Communicators of the ranks on the pieces of the largest kind of hardware of which the ranks use several, and the
    /// name of that kind; none for a rank that has not begun on a single piece, or if there is no such kind
    /// (`MPI_COMM_TYPE_HW_UNGUIDED`). Collective.
    ///
    /// # Errors
    ///
    /// As [`dup`](Self::dup).
    pub fn split_largest_hardware(&self, key: i32) -> Result<Option<(Self, &'static str)>> {
        let made = self.split_type(SplitType::Unguided, key, &Info::new())?;
        Ok(made.and_then(|(made, kind)| Some((made, kind?))))
    }

    fn split_guided(&self, (hint, value): (&str, &str), key: i32) -> Result<Option<Self>> {
        let made = self.split_type(SplitType::ResourceGuided, key, &hints::one(hint, value)?)?;
        Ok(made.map(|(made, _)| made))
    }

    fn split_type(
        &self,
        split_type: SplitType,
        key: i32,
        info: &Info,
    ) -> Result<Option<(Self, Option<&'static str>)>> {
        let _inside = self.enter(Call::Split, UNDEFINED, UNDEFINED);
        let made = self.comm.split_type(split_type, key, info)?;
        Ok(made.map(|(comm, kind)| (self.child(comm), kind)))
    }

    /// The members (`MPI_Comm_group`).
    #[must_use]
    pub fn group(&self) -> Group {
        self.own_group(self.comm.group())
    }

    /// A communicator of some of the ranks; none for a rank that gives a group without it (`MPI_Comm_create`).
    /// Collective over all ranks. Each rank gives the group that it will be in, or one without it.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Group`] if the group has other processes than the communicator's, or ranks of a group give
    /// different ones; as [`dup`](Self::dup).
    pub fn create(&self, group: &Group) -> Result<Option<Self>> {
        let _inside = self.enter(Call::Create, UNDEFINED, UNDEFINED);
        Ok(self.comm.create(group.engine())?.map(|comm| self.child(comm)))
    }

    /// As [`create`](Self::create), but only the members of the group take part (`MPI_Comm_create_group`). `tag` tells
    /// apart calls for the same group that are made at the same time.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Tag`] for a negative tag; as [`create`](Self::create).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(5).run(|world| {
    /// let few = world.group().include([4, 0, 2])?;
    /// if few.rank().is_some() {
    ///     let few = world.create_group(&few, 0)?.expect("the rank is in the group");
    ///     assert_eq!(few.rank(), [1, 9, 2, 9, 0][world.rank()]);
    /// }
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn create_group(&self, group: &Group, tag: i32) -> Result<Option<Self>> {
        let _inside = self.enter(Call::CreateFromGroup, UNDEFINED, UNDEFINED);
        let made = self.comm.create_group(group.engine(), tag)?;
        Ok(made.map(|comm| self.child(comm)))
    }

    pub(super) fn child(&self, comm: std::sync::Arc<simurgh_mpi::Comm>) -> Self {
        Self {
            session: self.session.clone(),
            ..Self::new(comm, &self.run_state, self.own)
        }
    }

    pub(super) fn own_group(&self, group: &simurgh_mpi::Group) -> Group {
        Group::new(group.clone(), self.comm.process().id())
    }
}
