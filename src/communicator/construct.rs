//! Making communicators from communicators.

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{Error, ErrorClass, Result};

use super::Communicator;
use crate::activity::Call;

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

    pub(super) fn child(&self, comm: std::sync::Arc<simurgh_mpi::Comm>) -> Self {
        Self::new(comm, &self.run_state, self.own)
    }
}
