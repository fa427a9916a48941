//! Conway's Game of Life on a torus that the ranks share in strips of rows.
//!
//!     SIMURGH_RANKS=16 cargo run --release --example life -- -n 512 -g 2048
//!
//! The ranks form a ring. In each generation a rank sends its outermost rows to its neighbours. While these messages
//! are under way, it computes the rows that need none of the neighbours' rows. A glider returns to its first place
//! after four generations for each row of the torus.

use std::process::ExitCode;

use simurgh::{Communicator, Op, Scope};

/// The glider's cells, by row and column.
const GLIDER: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)];

#[derive(Clone, Copy)]
struct Arguments {
    /// Rows and columns of the torus.
    side: usize,
    generations: usize,
}

/// A rank's rows of the torus.
#[derive(Clone, PartialEq)]
struct Strip {
    cells: Vec<u8>,
    side: usize,
}

impl Strip {
    /// The rows of a rank out of so many, with a glider in the corner of the torus.
    fn new(side: usize, rank: usize, ranks: usize) -> Self {
        let rows = side * rank / ranks..side * (rank + 1) / ranks;
        let mut cells = vec![0; rows.len() * side];
        for (row, column) in GLIDER {
            if rows.contains(&row) {
                cells[(row - rows.start) * side + column] = 1;
            }
        }
        Self { cells, side }
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.side
    }

    fn row(&self, row: usize) -> &[u8] {
        &self.cells[row * self.side..][..self.side]
    }

    /// The first and the last row, which the neighbours above and below need.
    fn rim(&self) -> Vec<u8> {
        [self.row(0), self.row(self.rows() - 1)].concat()
    }

    /// Computes the next generation of a row from it and those above and below.
    fn evolve(&mut self, row: usize, [above, here, below]: [&[u8]; 3]) {
        let side = self.side;
        let next = &mut self.cells[row * side..][..side];
        for (column, cell) in next.iter_mut().enumerate() {
            let around = [(column + side - 1) % side, column, (column + 1) % side];
            let alive: u8 = around
                .iter()
                .map(|&column| above[column] + here[column] + below[column])
                .sum();
            // Three living cells in the block of nine mean a birth or a survival with two neighbours; four mean a
            // survival with three.
            *cell = u8::from(alive == 3 || alive == 4 && here[column] == 1);
        }
    }

    /// The next generation; `exchange` returns the rows above and below, once they have arrived.
    fn next<'scope>(
        &self,
        exchange: impl FnOnce() -> simurgh::Result<&'scope mut [u8]>,
    ) -> simurgh::Result<Self> {
        let mut next = self.clone();
        let last = self.rows() - 1;
        for row in 1..last {
            next.evolve(row, [self.row(row - 1), self.row(row), self.row(row + 1)]);
        }
        let (above, below) = exchange()?.split_at(self.side);
        for row in [0, last] {
            let above = if row == 0 { above } else { self.row(row - 1) };
            let below = if row == last { below } else { self.row(row + 1) };
            next.evolve(row, [above, self.row(row), below]);
        }
        Ok(next)
    }
}

/// Lets the strips of a ring live for some generations.
fn live(ring: &Communicator, mut strip: Strip, generations: usize) -> simurgh::Result<Strip> {
    for _ in 0..generations {
        let (rim, mut halo) = (strip.rim(), vec![0; 2 * strip.side]);
        strip = ring.scope(|scope: &Scope<'_, '_>| {
            let exchange = scope.ineighbor_all_to_all(&rim, &mut halo)?;
            strip.next(|| exchange.wait())
        })?;
    }
    Ok(strip)
}

/// The number of living cells in the end, and whether all are in their first place; `None` for more ranks than rows.
fn compute(world: &Communicator, arguments: Arguments) -> simurgh::Result<Option<(usize, bool)>> {
    let ranks = world.size().min(arguments.side);
    let Some(ring) = world.cart_create(&[ranks], &[true], true)? else {
        return Ok(None);
    };
    let begin = Strip::new(arguments.side, ring.rank(), ranks);
    let end = live(&ring, begin.clone(), arguments.generations)?;
    let alive = end.cells.iter().map(|&cell| usize::from(cell)).sum();
    let mut sums = [0; 2];
    ring.all_reduce(&[alive, usize::from(begin == end)][..], &mut sums[..], &Op::sum())?;
    Ok(Some((sums[0], sums[1] == ranks)))
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments {
        side: 64,
        generations: 256,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let number = |text: Option<String>| text.and_then(|text| text.parse().ok());
        match word.as_str() {
            "-n" => arguments.side = number(words.next()).ok_or("-n needs a number of rows")?,
            "-g" => arguments.generations = number(words.next()).ok_or("-g needs a number of generations")?,
            _ => return Err("usage: life [-n ROWS] [-g GENERATIONS]".to_owned()),
        }
    }
    match arguments.side {
        5..=32768 => Ok(arguments),
        _ => Err("the torus has 5 to 32768 rows".to_owned()),
    }
}

fn demonstrate() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = arguments()?;
    let ended = simurgh::run(move |world| compute(world, arguments))?;
    let has_first = ended.ranks().start == 0;
    let ended = ended.into_iter().collect::<simurgh::Result<Vec<_>>>()?;
    // The process of rank 0, which has a strip, tells of the result.
    let Some((alive, back)) = ended[0].filter(|_| has_first) else {
        return Ok(());
    };
    let Arguments { side, generations } = arguments;
    let place = if back { "where they were" } else { "elsewhere" };
    println!("torus {side} x {side}: after {generations} generations {alive} cells live, {place}");
    Ok(())
}

fn main() -> ExitCode {
    match demonstrate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("life: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a glider with so many ranks.
    fn glider(ranks: usize, generations: usize) -> Vec<Option<(usize, bool)>> {
        let arguments = Arguments { side: 8, generations };
        let builder = simurgh::Builder::new().ranks(ranks).vps(2);
        let ended = builder.run(move |world| compute(world, arguments)).unwrap();
        ended.into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn a_glider_comes_back() {
        for ranks in [1, 2, 3, 8] {
            assert_eq!(glider(ranks, 32), vec![Some((5, true)); ranks]);
            assert_eq!(glider(ranks, 12), vec![Some((5, false)); ranks]);
        }
        assert_eq!(glider(9, 32)[8], None);
    }
}
