//! Subgrids of a grid.

use crate::comm::Comm;
use crate::error::Result;
use simurgh_core::sync::Arc;
use simurgh_topology::{Cart, Topology};

impl Comm {
    /// Communicators of the ranks that differ only in the dimensions that remain (`MPI_Cart_sub`), each a grid of these
    /// dimensions.
    ///
    /// # Errors
    ///
    /// [`crate::ErrorClass::Topology`] if the communicator is no grid.
    pub fn cart_sub(&self, remain: &[bool]) -> Result<Arc<Self>> {
        let cart = self.cart()?;
        debug_assert_eq!(remain.len(), cart.dims().len());
        let coords = cart.coords(self.rank())?;
        let (slice, dropped) = split_dimensions(cart, remain)?;
        let color = dropped.rank(&pick(&coords, remain, false))?;
        let membership = self.split_membership(color, self.rank())?;
        let (shared, rank) = membership.expect("every rank has a colour");
        Ok(self.child_with(shared, rank, Some(Arc::new(Topology::Cart(slice)))))
    }
}

/// The grid of the dimensions that remain, and that of the others.
fn split_dimensions(cart: &Cart, remain: &[bool]) -> Result<(Cart, Cart)> {
    let part = |kept| {
        Cart::new(
            &pick(cart.dims(), remain, kept),
            &pick(cart.periods(), remain, kept),
        )
    };
    Ok((part(true)?, part(false)?))
}

fn pick<T: Copy>(values: &[T], remain: &[bool], kept: bool) -> Vec<T> {
    let chosen = values.iter().zip(remain).filter(|&(_, &remains)| remains == kept);
    chosen.map(|(&value, _)| value).collect()
}
