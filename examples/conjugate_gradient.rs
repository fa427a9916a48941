//! Poisson's equation on a square, solved by the method of conjugate gradients.
//!
//!     SIMURGH_RANKS=16 cargo run --release --example conjugate_gradient -- 400
//!
//! The ranks share the rows of the square, and exchange their outermost rows with their neighbours. In a scalar product
//! each row is added up by its rank, and all ranks add up the rows in the same order. So the result is the same to the
//! last bit for any number of ranks. The right side is made from a solution that is known, which the ranks compare.

use std::error::Error;

use simurgh::{Communicator, Op, Result};

/// A rank's rows of the square.
struct Rows<'a> {
    line: &'a Communicator,
    side: usize,
    /// The number of rows of each rank.
    counts: Vec<usize>,
    /// The first row of this one.
    first: usize,
}

impl<'a> Rows<'a> {
    fn new(line: &'a Communicator, side: usize) -> Self {
        let begin = |rank| side * rank / line.size();
        Self {
            line,
            side,
            counts: (0..line.size())
                .map(|rank| begin(rank + 1) - begin(rank))
                .collect(),
            first: begin(line.rank()),
        }
    }

    /// The solution, at the points of this rank.
    fn solution(&self) -> Vec<f64> {
        let own = self.first..self.first + self.counts[self.line.rank()];
        let points = own.flat_map(|row| (0..self.side).map(move |column| (row, column)));
        points
            .map(|(row, column)| ((7 * row + 13 * column) % 17) as f64 - 8.0)
            .collect()
    }

    /// Multiplies by the matrix: four times a value, less the values around it.
    fn multiply(&self, values: &[f64]) -> Result<Vec<f64>> {
        let side = self.side;
        let rim = [&values[..side], &values[values.len() - side..]].concat();
        // Beyond the border of the square there is zero.
        let mut halo = vec![0.0; 2 * side];
        self.line.neighbor_all_to_all(&rim, &mut halo)?;
        let (above, below) = halo.split_at(side);
        let whole = [above, values, below].concat();
        let product = |(index, value): (usize, &f64)| {
            let (here, column) = (index + side, index % side);
            let left = if column > 0 { whole[here - 1] } else { 0.0 };
            let right = if column + 1 < side { whole[here + 1] } else { 0.0 };
            4.0 * value - whole[here - side] - whole[here + side] - left - right
        };
        Ok(values.iter().enumerate().map(product).collect())
    }

    /// The scalar product of two vectors.
    fn dot(&self, left: &[f64], right: &[f64]) -> Result<f64> {
        let products: Vec<f64> = left.iter().zip(right).map(|(left, right)| left * right).collect();
        let own: Vec<f64> = products.chunks(self.side).map(|row| row.iter().sum()).collect();
        let mut rows = vec![0.0; self.side];
        self.line.all_gatherv(&own, &mut rows, &self.counts)?;
        Ok(rows.iter().sum())
    }

    /// Solves the equation. Gives the solution and the number of steps.
    fn solve(&self, right_side: Vec<f64>) -> Result<(Vec<f64>, usize)> {
        let mut solution = vec![0.0; right_side.len()];
        let (mut residual, mut direction) = (right_side.clone(), right_side);
        let mut square = self.dot(&residual, &residual)?;
        let enough = 1e-24 * square;
        let mut steps = 0;
        while square > enough && steps < 20 * self.side {
            let product = self.multiply(&direction)?;
            let length = square / self.dot(&direction, &product)?;
            add(&mut solution, length, &direction);
            add(&mut residual, -length, &product);
            let next = self.dot(&residual, &residual)?;
            for (direction, residual) in direction.iter_mut().zip(&residual) {
                *direction = residual + next / square * *direction;
            }
            square = next;
            steps += 1;
        }
        Ok((solution, steps))
    }
}

/// Adds a multiple of a vector.
fn add(values: &mut [f64], factor: f64, other: &[f64]) {
    for (value, other) in values.iter_mut().zip(other) {
        *value += factor * other;
    }
}

/// Solves the equation and compares the solution. The result in words; `None` for more ranks than rows.
fn run(world: &Communicator, side: usize) -> Result<Option<String>> {
    let Some(line) = world.cart_create(&[world.size().min(side)], &[false], false)? else {
        return Ok(None);
    };
    let rows = Rows::new(&line, side);
    let expected = rows.solution();
    let (found, steps) = rows.solve(rows.multiply(&expected)?)?;

    let wrong = |(found, expected): (&f64, &f64)| (found - expected).abs();
    let own = found.iter().zip(&expected).map(wrong).fold(0.0, f64::max);
    let mut error = f64::NAN;
    line.all_reduce(&own, &mut error, &Op::max())?;
    assert!(error < 1e-8, "an error of {error:e}");
    Ok(Some(format!(
        "square {side} x {side}: solved in {steps} steps, largest error {error:e}"
    )))
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let side = std::env::args().nth(1).map_or(Ok(64), |word| word.parse())?;
    let results = simurgh::run(move |world| run(world, side))?;
    let has_first = results.ranks().start == 0;
    let lines = results.into_iter().collect::<Result<Vec<_>>>()?;
    if let Some(line) = lines[0].as_ref().filter(|_| has_first) {
        println!("{line}");
    }
    Ok(())
}
