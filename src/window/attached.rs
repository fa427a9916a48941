//! Dynamic windows: ranks attach memory to them (section 12.2.4 of the standard).

use simurgh_mpi::Result;
use simurgh_typed as typed;

use super::{Window, enter};
use crate::activity::Call;
use crate::{Attached, Communicator, Number};

impl Communicator {
    /// A window without memory, to which each rank attaches values by itself (`MPI_Win_create_dynamic`). Collective.
    ///
    /// Others access them where the rank says that they are ([`Part::at`](crate::Part::at)).
    ///
    /// # Errors
    ///
    /// As [`allocate_window`](Self::allocate_window).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let mut window = world.create_dynamic_window::<u64>()?;
    /// // Rank 1 has a list, whose length nobody else knows.
    /// let mut list = Default::default();
    /// if world.rank() == 1 {
    ///     list = window.attach((0..100).collect())?;
    /// }
    /// world.broadcast(&mut list, 1)?;
    /// let mut last = 0;
    /// window.fence_epoch(|epoch| epoch.part(1).at(list).get(list.len() - 1, &mut last))?;
    /// assert_eq!(last, 99);
    /// if world.rank() == 1 {
    ///     assert_eq!(window.detach(list)?.len(), 100);
    /// }
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// Values with padding cannot be attached:
    ///
    /// ```compile_fail,E0277
    /// #[derive(Clone, Copy, simurgh::Equivalence)]
    /// #[repr(C)]
    /// struct Gap(u8, u64);
    /// # simurgh::run(|world| world.create_dynamic_window::<Gap>().map(drop));
    /// ```
    pub fn create_dynamic_window<T: Number>(&self) -> Result<Window<T>> {
        let _inside = enter(self, Call::AllocateWindow);
        Ok(self.window(typed::Window::dynamic(self.engine())?))
    }
}

impl<T: Number> Window<T> {
    /// Attaches values to a dynamic window (`MPI_Win_attach`). They belong to the window until they are detached.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if an earlier epoch has not been ended;
    /// [`ErrorClass::RmaFlavor`](crate::ErrorClass::RmaFlavor) for another window;
    /// [`ErrorClass::Size`](crate::ErrorClass::Size) if there are no values.
    pub fn attach(&mut self, values: Vec<T>) -> Result<Attached> {
        self.communicator.check();
        self.window.attach(values)
    }

    /// Detaches values that this rank has attached, and gives them back (`MPI_Win_detach`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaAttach`](crate::ErrorClass::RmaAttach) if they are not attached; as [`attach`](Self::attach).
    ///
    /// Nobody accesses them in an epoch then:
    ///
    /// ```compile_fail,E0501
    /// # simurgh::run(|world| {
    /// # let mut window = world.create_dynamic_window::<u32>()?;
    /// let list = window.attach(vec![1, 2, 3])?;
    /// window.fence_epoch(|epoch| {
    ///     window.detach(list)?;
    ///     epoch.part(0).at(list).put(0, &7)
    /// })
    /// # });
    /// ```
    pub fn detach(&mut self, values: Attached) -> Result<Vec<T>> {
        self.communicator.check();
        self.window.detach(values)
    }

    /// Values that this rank has attached.
    ///
    /// # Errors
    ///
    /// As [`detach`](Self::detach).
    pub fn attached(&self, values: Attached) -> Result<&[T]> {
        self.window.attached(values)
    }

    /// Values that this rank has attached, to be changed.
    ///
    /// # Errors
    ///
    /// As [`detach`](Self::detach).
    pub fn attached_mut(&mut self, values: Attached) -> Result<&mut [T]> {
        self.window.attached_mut(values)
    }
}
