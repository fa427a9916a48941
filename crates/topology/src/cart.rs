//! Cartesian grids.

use simurgh_base::constants::PROC_NULL;
use simurgh_base::{Error, ErrorClass, Result};

/// A grid whose points are numbered in row-major order: neighbouring ranks differ in the last coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cart {
    dims: Box<[i32]>,
    periods: Box<[bool]>,
}

impl Cart {
    /// A grid of these extents; periodic dimensions are rings.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Dims`] if an extent is not positive or there are more than 2^31 - 1 points.
    pub fn new(dims: &[i32], periods: &[bool]) -> Result<Self> {
        debug_assert_eq!(dims.len(), periods.len());
        let mut points = 1_i32;
        for (dimension, &extent) in dims.iter().enumerate() {
            if extent < 1 {
                return Err(Error::new(
                    ErrorClass::Dims,
                    format!("dims[{dimension}] is {extent}; the extent of a grid is at least 1"),
                ));
            }
            points = points.checked_mul(extent).ok_or_else(|| {
                Error::new(
                    ErrorClass::Dims,
                    format!("a grid of {dims:?} has more points than there can be ranks"),
                )
            })?;
        }
        Ok(Self {
            dims: dims.into(),
            periods: periods.into(),
        })
    }

    /// Whether a grid of these extents has no points, since a dimension has no extent. It is no [`Cart`].
    #[must_use]
    pub fn is_empty(dims: &[i32]) -> bool {
        dims.contains(&0) && dims.iter().all(|&extent| extent >= 0)
    }

    /// The extents.
    #[must_use]
    pub fn dims(&self) -> &[i32] {
        &self.dims
    }

    /// Which dimensions are rings.
    #[must_use]
    pub fn periods(&self) -> &[bool] {
        &self.periods
    }

    /// Number of points; one if there is no dimension.
    #[must_use]
    pub fn points(&self) -> usize {
        self.dims.iter().map(|&extent| extent as usize).product()
    }

    /// The coordinates of a rank (`MPI_Cart_coords`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] if the grid has no such rank.
    pub fn coords(&self, rank: i32) -> Result<Vec<i32>> {
        let points = self.points();
        let mut rest = usize::try_from(rank)
            .ok()
            .filter(|&rank| rank < points)
            .ok_or_else(|| {
                let dims = &self.dims;
                Error::new(
                    ErrorClass::Rank,
                    format!("rank {rank} is not in the grid {dims:?} of {points} ranks"),
                )
            })?;
        let mut coords = vec![0; self.dims.len()];
        for (coord, &extent) in coords.iter_mut().zip(&self.dims).rev() {
            *coord = (rest % extent as usize) as i32;
            rest /= extent as usize;
        }
        Ok(coords)
    }

    /// The rank at these coordinates (`MPI_Cart_rank`), which wrap around in periodic dimensions.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if a coordinate lies outside a dimension that is not periodic.
    pub fn rank(&self, coords: &[i32]) -> Result<i32> {
        debug_assert_eq!(coords.len(), self.dims.len());
        let mut rank = 0;
        for (dimension, &coord) in coords.iter().enumerate() {
            let extent = self.dims[dimension];
            let inside = self.wrap(dimension, i64::from(coord)).ok_or_else(|| {
                let last = extent - 1;
                let reason = format!(
                    "coords[{dimension}] is {coord}, outside 0 to {last}, and the dimension is not periodic"
                );
                Error::new(ErrorClass::Arg, reason)
            })?;
            rank = rank * extent + inside;
        }
        Ok(rank)
    }

    /// The source and the destination of a shift by `steps` along a dimension (`MPI_Cart_shift`): the null process
    /// beyond the border.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such dimension.
    pub fn shift(&self, rank: i32, dimension: i32, steps: i32) -> Result<(i32, i32)> {
        let index = usize::try_from(dimension)
            .ok()
            .filter(|&index| index < self.dims.len());
        let index = index.ok_or_else(|| {
            let count = self.dims.len();
            let reason =
                format!("direction {dimension} is not a dimension of a grid that has {count}, from 0 on");
            Error::new(ErrorClass::Arg, reason)
        })?;
        let steps = i64::from(steps);
        let coords = self.coords(rank)?;
        let to = |steps| self.neighbor(&coords, index, steps).unwrap_or(PROC_NULL);
        Ok((to(-steps), to(steps)))
    }

    /// The rank that lies `steps` from `coords` along a dimension, if there is one.
    pub(crate) fn neighbor(&self, coords: &[i32], dimension: usize, steps: i64) -> Option<i32> {
        let there = self.wrap(dimension, i64::from(coords[dimension]) + steps)?;
        let stride: i32 = self.dims[dimension + 1..].iter().product();
        let here = self.rank(coords).ok()?;
        Some(here + (there - coords[dimension]) * stride)
    }

    /// The coordinate within the extent, or `None` if it lies outside a dimension that is not periodic.
    fn wrap(&self, dimension: usize, coord: i64) -> Option<i32> {
        let extent = i64::from(self.dims[dimension]);
        let inside = if self.periods[dimension] {
            coord.rem_euclid(extent)
        } else {
            coord
        };
        (0..extent).contains(&inside).then_some(inside as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Cart {
        Cart::new(&[2, 3, 4], &[false, true, false]).unwrap()
    }

    #[test]
    fn ranks_and_coordinates_are_each_others_inverse() {
        let grid = grid();
        for rank in 0..24 {
            let coords = grid.coords(rank).unwrap();
            assert_eq!(grid.rank(&coords).unwrap(), rank);
        }
        assert_eq!(grid.coords(23).unwrap(), [1, 2, 3]);
        assert_eq!(grid.coords(24).unwrap_err().class(), ErrorClass::Rank);
        assert_eq!(grid.coords(-1).unwrap_err().class(), ErrorClass::Rank);
    }

    #[test]
    fn coordinates_wrap_where_the_grid_is_periodic() {
        let grid = grid();
        assert_eq!(grid.rank(&[1, -1, 0]), grid.rank(&[1, 2, 0]));
        assert_eq!(grid.rank(&[1, 7, 0]), grid.rank(&[1, 1, 0]));
        assert_eq!(grid.rank(&[1, 0, 4]).unwrap_err().class(), ErrorClass::Arg);
        assert_eq!(grid.rank(&[-1, 0, 0]).unwrap_err().class(), ErrorClass::Arg);
    }

    #[test]
    fn shifts_end_at_borders_and_go_round_rings() {
        let grid = grid();
        assert_eq!(grid.shift(0, 0, 1).unwrap(), (PROC_NULL, 12));
        assert_eq!(grid.shift(0, 1, 1).unwrap(), (8, 4));
        assert_eq!(grid.shift(0, 1, -1).unwrap(), (4, 8));
        assert_eq!(grid.shift(0, 1, i32::MIN).unwrap(), grid.shift(0, 1, 1).unwrap());
        assert_eq!(grid.shift(5, 2, 0).unwrap(), (5, 5));
        assert_eq!(grid.shift(5, 2, i32::MAX).unwrap(), (PROC_NULL, PROC_NULL));
        assert_eq!(grid.shift(5, 3, 1).unwrap_err().class(), ErrorClass::Arg);
        assert_eq!(grid.shift(5, -1, 1).unwrap_err().class(), ErrorClass::Arg);
    }

    #[test]
    fn a_grid_without_dimensions_is_a_point() {
        let point = Cart::new(&[], &[]).unwrap();
        assert_eq!(point.points(), 1);
        assert_eq!(point.rank(&[]).unwrap(), 0);
        assert!(point.coords(0).unwrap().is_empty());
    }

    #[test]
    fn impossible_extents_are_refused() {
        for dims in [&[0][..], &[2, -3], &[65536, 65536]] {
            let periods = vec![false; dims.len()];
            assert_eq!(Cart::new(dims, &periods).unwrap_err().class(), ErrorClass::Dims);
        }
    }
}
