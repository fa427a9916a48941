//! Balanced grids: `MPI_Dims_create`.
//!
//! Among all ways to write a number as a product, the best one has the smallest difference between its largest and its
//! smallest factor; among these it has the largest smallest factor, then the largest second smallest factor, and so on.
//! The search goes over the divisors, of which a number below 2^31 has at most 1536, largest factor first. It gives up
//! a branch as soon as the rest cannot come as near to the largest factor as the best product so far.

use simurgh_base::{Error, ErrorClass, Result};

/// Sets the entries of `dims` that are zero so that the product of all is `nodes` and the new ones are as close to each
/// other as possible, in falling order.
///
/// # Errors
///
/// [`ErrorClass::Dims`] if an entry is negative or `nodes` is no multiple of those given, [`ErrorClass::Arg`] if
/// `nodes` is not positive.
pub fn dims_create(nodes: i32, dims: &mut [i32]) -> Result<()> {
    if nodes < 1 {
        return Err(Error::new(
            ErrorClass::Arg,
            format!("nnodes is {nodes}; a grid has at least one node"),
        ));
    }
    if let Some(dimension) = dims.iter().position(|&extent| extent < 0) {
        let extent = dims[dimension];
        return Err(Error::new(
            ErrorClass::Dims,
            format!("dims[{dimension}] is {extent}; give a positive extent, or 0 to have it chosen"),
        ));
    }
    let given = dims.iter().filter(|&&extent| extent > 0);
    let given = given.fold(1_i64, |product, &extent| product.saturating_mul(extent.into()));
    let free = dims.iter().filter(|&&extent| extent == 0).count();
    let nodes = i64::from(nodes);
    if nodes % given != 0 || (free == 0 && nodes != given) {
        let relation = if free == 0 { "not" } else { "not a multiple of" };
        return Err(Error::new(
            ErrorClass::Dims,
            format!("nnodes is {nodes}, {relation} the product {given} of the extents given in dims"),
        ));
    }
    let chosen = balanced(nodes / given, free);
    let free = dims.iter_mut().filter(|extent| **extent == 0);
    for (extent, factor) in free.zip(chosen) {
        *extent = factor as i32;
    }
    Ok(())
}

/// The most balanced product of `count` factors for `number`, in falling order.
fn balanced(number: i64, count: usize) -> Vec<i64> {
    let mut search = Search {
        divisors: divisors(number),
        best: Vec::new(),
        spread: i64::MAX,
        chosen: Vec::new(),
    };
    if count > 0 {
        search.extend(number, count);
    }
    search.best
}

/// The search for the most balanced product.
struct Search {
    /// In rising order.
    divisors: Vec<i64>,
    best: Vec<i64>,
    /// Difference of the largest and the smallest factor of the best product.
    spread: i64,
    /// The factors chosen so far, in falling order.
    chosen: Vec<i64>,
}

impl Search {
    /// Tries all products of `count` more factors for `rest`.
    fn extend(&mut self, rest: i64, count: usize) {
        let largest = self.chosen.first().copied();
        let limit = self.chosen.last().copied().unwrap_or(rest);
        if count == 1 {
            if rest <= limit {
                self.consider(rest);
            }
            return;
        }
        for index in 0..self.divisors.len() {
            let factor = self.divisors[index];
            if factor > limit {
                break;
            }
            // Too small: as many factors of this size do not make up the rest.
            if rest % factor != 0 || !reaches(factor, count, rest) {
                continue;
            }
            // The smallest factor will be at most the root of what is left.
            let smallest = root(rest / factor, count - 1);
            if largest.unwrap_or(factor) - smallest > self.spread {
                if largest.is_none() {
                    break;
                }
                continue;
            }
            self.chosen.push(factor);
            self.extend(rest / factor, count - 1);
            self.chosen.pop();
        }
    }

    /// Keeps the product if it is the best so far.
    fn consider(&mut self, last: i64) {
        let spread = self.chosen.first().map_or(0, |first| first - last);
        self.chosen.push(last);
        let higher = || self.chosen.iter().rev().gt(self.best.iter().rev());
        if spread < self.spread || (spread == self.spread && higher()) {
            self.spread = spread;
            self.best.clone_from(&self.chosen);
        }
        self.chosen.pop();
    }
}

/// Whether `count` factors of this size make at least `product`.
fn reaches(factor: i64, count: usize, product: i64) -> bool {
    let mut power = 1_i64;
    for _ in 0..count {
        power = power.saturating_mul(factor);
        if power >= product || factor == 1 {
            break;
        }
    }
    power >= product
}

/// The largest number whose power of `count` is at most `number`, which is positive.
fn root(number: i64, count: usize) -> i64 {
    let (mut low, mut high) = (1, number);
    while low < high {
        let middle = low + (high - low + 1) / 2;
        let too_large = reaches(middle, count, number.saturating_add(1));
        (low, high) = if too_large {
            (low, middle - 1)
        } else {
            (middle, high)
        };
    }
    low
}

/// The divisors of a positive number in rising order.
fn divisors(number: i64) -> Vec<i64> {
    let small: Vec<i64> = (1..=root(number, 2))
        .filter(|divisor| number % divisor == 0)
        .collect();
    let large: Vec<i64> = small.iter().rev().map(|divisor| number / divisor).collect();
    let square = small.last() == large.first();
    small
        .into_iter()
        .chain(large.into_iter().skip(usize::from(square)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(nodes: i32, given: &[i32]) -> Result<Vec<i32>> {
        let mut dims = given.to_vec();
        dims_create(nodes, &mut dims).map(|()| dims)
    }

    #[test]
    fn the_examples_of_the_standard() {
        assert_eq!(create(6, &[0, 0]).unwrap(), [3, 2]);
        assert_eq!(create(7, &[0, 0]).unwrap(), [7, 1]);
        assert_eq!(create(6, &[0, 3, 0]).unwrap(), [2, 3, 1]);
        assert_eq!(create(7, &[0, 3, 0]).unwrap_err().class(), ErrorClass::Dims);
    }

    #[test]
    fn products_are_balanced() {
        assert_eq!(create(72, &[0, 0]).unwrap(), [9, 8]);
        assert_eq!(create(240, &[0, 0]).unwrap(), [16, 15]);
        assert_eq!(create(64, &[0; 3]).unwrap(), [4, 4, 4]);
        assert_eq!(create(5040, &[0; 3]).unwrap(), [21, 16, 15]);
        assert_eq!(create(98784, &[0; 5]).unwrap(), [14, 14, 9, 8, 7]);
        assert_eq!(create(1_000_000_000, &[0; 3]).unwrap(), [1000; 3]);
        assert_eq!(create(1, &[]).unwrap(), [0; 0]);
        assert_eq!(create(1, &[0, 0]).unwrap(), [1, 1]);
    }

    /// All products of factors in falling order, naively.
    fn smallest_spread(number: i64, count: usize, limit: i64) -> Option<(i64, i64)> {
        if count == 1 {
            return (number <= limit).then_some((number, number));
        }
        let products = (1..=limit.min(number)).filter(|factor| number % factor == 0);
        let found = products.filter_map(|factor| {
            smallest_spread(number / factor, count - 1, factor).map(|(_, last)| (factor, last))
        });
        found.min_by_key(|(first, last)| first - last)
    }

    #[test]
    fn no_product_is_better() {
        for number in 1..=360 {
            for count in 2..=4 {
                let dims = create(number, &vec![0; count]).unwrap();
                assert_eq!(dims.iter().product::<i32>(), number);
                assert!(dims.is_sorted_by(|a, b| a >= b), "{dims:?}");
                let spread = i64::from(dims[0] - dims[count - 1]);
                let best = (1..=i64::from(number))
                    .filter(|first| i64::from(number) % first == 0)
                    .filter_map(|first| {
                        smallest_spread(i64::from(number) / first, count - 1, first)
                            .map(|(_, last)| first - last)
                    })
                    .min();
                assert_eq!(Some(spread), best, "{number} in {count}: {dims:?}");
            }
        }
    }

    #[test]
    fn large_numbers_and_many_dimensions_are_fast() {
        for nodes in [i32::MAX, 2_095_133_040, 1 << 30, 1_396_755_360] {
            for count in [1, 2, 3, 4, 6, 10, 40] {
                let dims = create(nodes, &vec![0; count]).unwrap();
                let product: i64 = dims.iter().map(|&extent| i64::from(extent)).product();
                assert_eq!(product, i64::from(nodes));
            }
        }
    }

    #[test]
    fn wrong_arguments_are_refused() {
        assert_eq!(create(0, &[0]).unwrap_err().class(), ErrorClass::Arg);
        assert_eq!(create(4, &[-1, 0]).unwrap_err().class(), ErrorClass::Dims);
        assert_eq!(create(4, &[3, 1]).unwrap_err().class(), ErrorClass::Dims);
        assert_eq!(create(4, &[]).unwrap_err().class(), ErrorClass::Dims);
        assert_eq!(
            create(4, &[1 << 20, 1 << 20, 1 << 20, 1 << 20, 0])
                .unwrap_err()
                .class(),
            ErrorClass::Dims
        );
    }
}
