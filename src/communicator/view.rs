//! Collective calls that move data of any layout (sections 6.5 to 6.8 of the standard).
//!
//! A buffer with a part for each rank is cut along its first axis into equal parts, in rank order. So ranks can have
//! columns of a matrix (the rows of its transpose), or any other equal pieces of an array.

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed as typed;

use super::Communicator;
use crate::activity::Call;
use crate::{View, ViewMut};

impl Communicator {
    /// [`gather`](Self::gather) of views: at the root the first axis of `received` is cut into a part for each rank.
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather).
    pub fn gather_view<S, R>(&self, sent: &S, received: &mut R, root: usize) -> Result<()>
    where
        S: View + ?Sized,
        R: ViewMut<Item = S::Item> + ?Sized,
    {
        let (root, _inside) = self.enter_at(Call::Gather, root);
        typed::gather_view(&self.comm, sent, received, root)
    }

    /// [`all_gather`](Self::all_gather) of views: the first axis of `received` is cut into a part for each rank.
    ///
    /// # Errors
    ///
    /// As [`all_gather`](Self::all_gather).
    ///
    /// ```
    /// # #[cfg(feature = "ndarray")] {
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// use ndarray::{Array1, Array2};
    ///
    /// // Each rank has a column.
    /// let column = Array1::from_elem(4, world.rank());
    /// let mut table = Array2::zeros((4, 3));
    /// world.all_gather_view(&column, &mut table.view_mut().reversed_axes())?;
    /// assert_eq!(table.row(2).to_vec(), [0, 1, 2]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # }
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn all_gather_view<S, R>(&self, sent: &S, received: &mut R) -> Result<()>
    where
        S: View + ?Sized,
        R: ViewMut<Item = S::Item> + ?Sized,
    {
        let _inside = self.enter(Call::AllGather, UNDEFINED, UNDEFINED);
        typed::all_gather_view(&self.comm, sent, received)
    }

    /// [`scatter`](Self::scatter) of views: at the root the first axis of `sent` is cut into a part for each rank.
    ///
    /// # Errors
    ///
    /// As [`scatter`](Self::scatter).
    pub fn scatter_view<S, R>(&self, sent: &S, received: &mut R, root: usize) -> Result<()>
    where
        S: View + ?Sized,
        R: ViewMut<Item = S::Item> + ?Sized,
    {
        let (root, _inside) = self.enter_at(Call::Scatter, root);
        typed::scatter_view(&self.comm, sent, received, root)
    }

    /// [`all_to_all`](Self::all_to_all) of views: the first axes of both are cut into a part for each rank.
    ///
    /// # Errors
    ///
    /// As [`all_to_all`](Self::all_to_all).
    ///
    /// ```
    /// # #[cfg(feature = "ndarray")] {
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// use ndarray::Array2;
    ///
    /// // Each rank has two rows of a matrix, and wants two columns.
    /// let first = 2 * world.rank();
    /// let rows = Array2::from_shape_fn((2, 8), |(i, j)| 10 * (first + i) + j);
    /// let blocks = rows.to_shape((2, 4, 2)).expect("eight columns are four times two");
    /// let mut columns = Array2::zeros((8, 2));
    /// world.all_to_all_view(&blocks.view().permuted_axes([1, 0, 2]), &mut columns)?;
    /// assert_eq!(columns, Array2::from_shape_fn((8, 2), |(i, j)| 10 * i + first + j));
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # }
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn all_to_all_view<S, R>(&self, sent: &S, received: &mut R) -> Result<()>
    where
        S: View + ?Sized,
        R: ViewMut<Item = S::Item> + ?Sized,
    {
        let _inside = self.enter(Call::AllToAll, UNDEFINED, UNDEFINED);
        typed::all_to_all_view(&self.comm, sent, received)
    }
}
