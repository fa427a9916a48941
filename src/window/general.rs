//! Epochs of the ranks that name each other (section 12.5.2 of the standard).

use std::thread::panicking;

use simurgh_mpi::Result;

use super::{Part, Window, enter};
use crate::Equivalence;
use crate::activity::Call;
use crate::peer::raw_rank;

impl<T: Equivalence> Window<T> {
    /// Exposes the part of the calling rank to the ranks `origins`, which access it after they have called
    /// [`start`](Self::start) (`MPI_Win_post`). It waits for nobody; the guard waits for them.
    ///
    /// So only ranks that have to do with each other wait for each other. Accesses are as in
    /// [`fence_epoch`](Self::fence_epoch).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) for a rank that there is not, or is named twice;
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if an earlier epoch has not been ended.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(5).run(|world| {
    /// let (rank, size) = (world.rank(), world.size());
    /// let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    /// let mut edges = world.allocate_window::<u64>(1)?;
    /// let mut exposure = edges.post(&[left])?;
    /// let access = exposure.start(&[right])?;
    /// access.part(right).put(0, &(rank as u64))?;
    /// access.complete()?;
    /// exposure.wait()?;
    /// assert_eq!(edges.local(), [left as u64]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    ///
    /// The rank does not use its part while it is exposed:
    ///
    /// ```compile_fail,E0502
    /// # simurgh::run(|world| {
    /// # let mut window = world.allocate_window::<u32>(1)?;
    /// let exposure = window.post(&[0])?;
    /// println!("{}", window.local()[0]);
    /// exposure.wait()
    /// # });
    /// ```
    ///
    /// nor if the guard is leaked: the window cannot be used any more.
    ///
    /// ```should_panic
    /// simurgh::Builder::new().ranks(1).run(|world| {
    ///     let mut window = world.allocate_window::<u32>(1).unwrap();
    ///     std::mem::forget(window.post(&[0]).unwrap());
    ///     window.local_mut()[0] = 1;
    /// }).unwrap();
    /// ```
    pub fn post(&mut self, origins: &[usize]) -> Result<Exposure<'_, T>> {
        self.communicator.check();
        self.window.post(&raw(origins))?;
        Ok(Exposure {
            window: self,
            is_open: true,
        })
    }

    /// Begins to access the parts of the ranks `targets`, as soon as all of them have exposed theirs to this rank
    /// ([`post`](Self::post), `MPI_Win_start`).
    ///
    /// # Errors
    ///
    /// As [`post`](Self::post).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// let mut window = world.allocate_window::<i32>(2)?;
    /// if world.rank() == 0 {
    ///     window.post(&[1, 2])?.wait()?;
    ///     assert_eq!(window.local(), [1, 2]);
    /// } else {
    ///     let access = window.start(&[0])?;
    ///     access.part(0).put(world.rank() - 1, &(world.rank() as i32))?;
    ///     access.complete()?;
    /// }
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn start(&mut self, targets: &[usize]) -> Result<Access<'_, T>> {
        Access::start(self, targets)
    }
}

/// The part of a rank is exposed to others; made by [`Window::post`].
///
/// When it is dropped, it waits as [`wait`](Self::wait) does, except while the rank unwinds.
#[derive(Debug)]
#[must_use = "the drop waits for the ranks to which the part is exposed"]
pub struct Exposure<'a, T: Equivalence> {
    window: &'a Window<T>,
    is_open: bool,
}

impl<T: Equivalence> Exposure<'_, T> {
    /// Begins to access the parts of other ranks meanwhile, as [`Window::start`].
    ///
    /// # Errors
    ///
    /// As [`Window::start`].
    pub fn start(&mut self, targets: &[usize]) -> Result<Access<'_, T>> {
        Access::start(self.window, targets)
    }

    /// Whether all ranks to which the part is exposed have completed their accesses (`MPI_Win_test`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if the guard of an access has been leaked.
    pub fn is_complete(&mut self) -> Result<bool> {
        self.window.communicator.check();
        if self.is_open {
            self.is_open = !self.window.window.test()?;
        }
        Ok(!self.is_open)
    }

    /// Waits until all ranks to which the part is exposed have completed their accesses (`MPI_Win_wait`).
    ///
    /// # Errors
    ///
    /// None on a window that was allocated.
    pub fn wait(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        let _inside = enter(&self.window.communicator, Call::WaitExposure);
        self.window.window.wait()
    }
}

impl<T: Equivalence> Drop for Exposure<'_, T> {
    fn drop(&mut self) {
        // A rank that unwinds waits for nobody; then the window stays exposed.
        if !panicking() {
            // If the wait fails, the window cannot be used any more.
            let _ = self.end();
        }
    }
}

/// Access to the parts that ranks have exposed; made by [`Window::start`] and [`Exposure::start`].
///
/// When it is dropped, it completes as [`complete`](Self::complete) does, except while the rank unwinds.
#[derive(Debug)]
#[must_use = "the drop completes the accesses"]
pub struct Access<'a, T: Equivalence> {
    window: &'a Window<T>,
    is_open: bool,
}

impl<'a, T: Equivalence> Access<'a, T> {
    fn start(window: &'a Window<T>, targets: &[usize]) -> Result<Self> {
        let _inside = enter(&window.communicator, Call::StartAccess);
        window.window.start(&raw(targets))?;
        Ok(Self {
            window,
            is_open: true,
        })
    }

    /// The part of a rank. That it is among those that were named is checked by the accesses.
    ///
    /// It cannot be accessed when the accesses are complete:
    ///
    /// ```compile_fail,E0505
    /// # simurgh::run(|world| {
    /// # let mut window = world.allocate_window::<u32>(1)?;
    /// let access = window.start(&[0])?;
    /// let part = access.part(0);
    /// access.complete()?;
    /// part.put(0, &1)
    /// # });
    /// ```
    #[inline]
    #[must_use]
    pub fn part(&self, rank: usize) -> Part<'_, T> {
        self.window.part(rank)
    }

    /// Completes all accesses (`MPI_Win_complete`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaRange`](crate::ErrorClass::RmaRange) for an access that the process of its target has refused.
    pub fn complete(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        let _inside = enter(&self.window.communicator, Call::StartAccess);
        self.window.window.complete()
    }
}

impl<T: Equivalence> Drop for Access<'_, T> {
    fn drop(&mut self) {
        // A rank that unwinds waits for nobody; the ranks of the parts wait for it then.
        if !panicking() {
            // If the completion fails, the window cannot be used any more.
            let _ = self.end();
        }
    }
}

fn raw(ranks: &[usize]) -> Vec<i32> {
    ranks.iter().copied().map(raw_rank).collect()
}
