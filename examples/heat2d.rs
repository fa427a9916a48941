//! Heat conduction in a square plate: explicit finite differences, with the plate cut into one block for each rank.
//!
//!     SIMURGH_RANKS=16 cargo run --release --example heat2d -- -n 1024 -s 500
//!
//! This is the same computation as `heat2d.c`, with the same output. A cell is computed from the same numbers in the
//! same order however the plate is cut, and the largest change of a step is a maximum. So the result is the same bit by
//! bit for any number of ranks, as the checksum shows. With `-v` the program itself repeats the computation with one
//! rank and compares every bit.

use std::process::ExitCode;

use simurgh::{Builder, Communicator, Destination, Op};

/// The diffusion number of a step; stable up to 0.25.
const CONDUCTION: f64 = 0.2;

/// The tag of a message is the side that it leaves by.
const UP: i32 = 0;
const DOWN: i32 = 1;
const LEFT: i32 = 2;
const RIGHT: i32 = 3;
/// The tag of a whole block.
const BLOCK: i32 = 4;

#[derive(Clone, Copy)]
struct Arguments {
    /// Cells per side.
    plate: usize,
    steps: usize,
    verify: bool,
}

/// A part of the plate, and the ranks as a grid.
struct Block {
    plate: usize,
    grid: (usize, usize),
    place: (usize, usize),
    rows: std::ops::Range<usize>,
    cols: std::ops::Range<usize>,
}

/// The temperatures of a block, with a rim one cell wide.
struct Field {
    cells: Vec<f64>,
    width: usize,
}

/// The result, as rank 0 knows it.
struct Outcome {
    plate: Vec<f64>,
    largest: f64,
    seconds: f64,
    grid: (usize, usize),
}

/// Cells `first(i)..first(i + 1)` belong to part `i` of so many parts of a side.
fn first(plate: usize, part: usize, parts: usize) -> usize {
    plate * part / parts
}

impl Block {
    /// The block of a rank. The grid of blocks is as square as possible: the shorter the cuts, the less to exchange. It
    /// has rather more rows than columns, since a row of cells is contiguous in memory.
    fn new(plate: usize, rank: usize, ranks: usize) -> Self {
        let across = (1..=ranks.isqrt())
            .rev()
            .find(|cols| ranks.is_multiple_of(*cols))
            .unwrap_or(1);
        let grid = (ranks / across, across);
        let place = (rank / across, rank % across);
        let rows = first(plate, place.0, grid.0)..first(plate, place.0 + 1, grid.0);
        let cols = first(plate, place.1, grid.1)..first(plate, place.1 + 1, grid.1);
        Self {
            plate,
            grid,
            place,
            rows,
            cols,
        }
    }

    /// The rank so many rows and columns away; none beyond the edge of the plate.
    fn neighbour(&self, down: isize, right: isize) -> Destination {
        let row = self
            .place
            .0
            .checked_add_signed(down)
            .filter(|row| *row < self.grid.0);
        let col = self
            .place
            .1
            .checked_add_signed(right)
            .filter(|col| *col < self.grid.1);
        row.zip(col).map(|(row, col)| row * self.grid.1 + col).into()
    }

    /// The initial temperatures.
    fn heated(&self) -> Field {
        let width = self.cols.len() + 2;
        let cell = |index: usize| {
            let row = (self.rows.start + index / width) as f64 - 1.0;
            let col = (self.cols.start + index % width) as f64 - 1.0;
            initial((row + 0.5) / self.plate as f64, (col + 0.5) / self.plate as f64)
        };
        Field {
            cells: (0..(self.rows.len() + 2) * width).map(cell).collect(),
            width,
        }
    }
}

/// Whether a cell is hot at first. The left edge, outside the plate, is always hot; the other edges are cold.
fn initial(y: f64, x: f64) -> f64 {
    if x < 0.0 {
        return 1.0;
    }
    if x > 1.0 || !(0.0..=1.0).contains(&y) {
        return 0.0;
    }
    let in_disc = |centre_y: f64, centre_x: f64, radius: f64| {
        let (dy, dx) = (y - centre_y, x - centre_x);
        dy * dy + dx * dx < radius * radius
    };
    let ring = in_disc(0.4, 0.45, 0.28) && !in_disc(0.4, 0.45, 0.2);
    if ring || in_disc(0.72, 0.74, 0.14) {
        1.0
    } else {
        0.0
    }
}

impl Field {
    fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    /// A column, the rim's corners excepted.
    fn column(&self, col: usize) -> Vec<f64> {
        (1..self.height() - 1)
            .map(|row| self.cells[row * self.width + col])
            .collect()
    }

    fn set_column(&mut self, col: usize, values: &[f64]) {
        for (row, value) in (1..).zip(values) {
            self.cells[row * self.width + col] = *value;
        }
    }

    /// The block without its rim.
    fn inner(&self) -> Vec<f64> {
        let rows = self.cells.chunks(self.width).skip(1).take(self.height() - 2);
        rows.flat_map(|row| &row[1..self.width - 1]).copied().collect()
    }

    /// Fills the rim with the neighbours' outermost cells.
    fn exchange_rim(&mut self, world: &Communicator, block: &Block) -> simurgh::Result<()> {
        let (up, down) = (block.neighbour(-1, 0), block.neighbour(1, 0));
        let (left, right) = (block.neighbour(0, -1), block.neighbour(0, 1));
        let (west, east) = (self.column(1), self.column(self.width - 2));
        let (mut from_west, mut from_east) = (self.column(0), self.column(self.width - 1));
        let width = self.width;
        let (above, rest) = self.cells.split_at_mut(width);
        let end = rest.len() - width;
        let (inside, below) = rest.split_at_mut(end);
        world.scope(|scope| {
            scope.irecv(&mut above[1..width - 1], up, DOWN)?;
            scope.irecv(&mut below[1..width - 1], down, UP)?;
            scope.irecv(&mut from_west[..], left, RIGHT)?;
            scope.irecv(&mut from_east[..], right, LEFT)?;
            scope.isend(&inside[1..width - 1], up, UP)?;
            scope.isend(&inside[end - width + 1..end - 1], down, DOWN)?;
            scope.isend(&west[..], left, LEFT)?;
            scope.isend(&east[..], right, RIGHT)?;
            Ok(())
        })?;
        self.set_column(0, &from_west);
        self.set_column(width - 1, &from_east);
        Ok(())
    }

    /// One step of time, from this field into `next`; returns the largest change of a cell.
    fn conduct(&self, next: &mut Field) -> f64 {
        let width = self.width;
        let mut largest = 0.0;
        for row in 1..self.height() - 1 {
            let above = &self.cells[(row - 1) * width..row * width];
            let here = &self.cells[row * width..(row + 1) * width];
            let below = &self.cells[(row + 1) * width..(row + 2) * width];
            let after = &mut next.cells[row * width..(row + 1) * width];
            for col in 1..width - 1 {
                let around = above[col] + below[col] + here[col - 1] + here[col + 1];
                let change = CONDUCTION * (around - 4.0 * here[col]);
                after[col] = here[col] + change;
                largest = if change.abs() > largest {
                    change.abs()
                } else {
                    largest
                };
            }
        }
        largest
    }
}

/// The whole computation: a rank does its part, and rank 0 gets the plate.
fn compute(world: &Communicator, arguments: Arguments) -> simurgh::Result<Option<Outcome>> {
    let block = Block::new(arguments.plate, world.rank(), world.size());
    let mut now = block.heated();
    let mut next = block.heated();
    let mut largest = 0.0;
    world.barrier()?;
    let start = simurgh::wtime();
    for _ in 0..arguments.steps {
        now.exchange_rim(world, &block)?;
        let mine = now.conduct(&mut next);
        std::mem::swap(&mut now, &mut next);
        world.all_reduce(&mine, &mut largest, &Op::max())?;
    }
    let seconds = simurgh::wtime() - start;
    let plate = gather(world, &now.inner(), arguments.plate)?;
    Ok(plate.map(|plate| Outcome {
        plate,
        largest,
        seconds,
        grid: block.grid,
    }))
}

/// The whole plate, on rank 0 only.
fn gather(world: &Communicator, inner: &[f64], plate: usize) -> simurgh::Result<Option<Vec<f64>>> {
    world.scope(|scope| {
        scope.isend(inner, 0, BLOCK)?;
        if world.rank() != 0 {
            return Ok(None);
        }
        let mut whole = vec![0.0; plate * plate];
        for rank in 0..world.size() {
            let block = Block::new(plate, rank, world.size());
            let cells: Vec<f64> = world.mprobe(rank, BLOCK)?.recv_vec()?;
            for (row, values) in block.rows.zip(cells.chunks(block.cols.len())) {
                whole[row * plate + block.cols.start..][..values.len()].copy_from_slice(values);
            }
        }
        Ok(Some(whole))
    })
}

/// FNV-1a over every bit of every cell.
fn checksum(plate: &[f64]) -> u64 {
    let bytes = plate.iter().flat_map(|cell| cell.to_ne_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments {
        plate: 512,
        steps: 200,
        verify: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let number = |text: Option<String>| text.and_then(|text| text.parse().ok());
        match word.as_str() {
            "-n" => arguments.plate = number(words.next()).ok_or("-n needs a number of cells")?,
            "-s" => arguments.steps = number(words.next()).ok_or("-s needs a number of steps")?,
            "-v" => arguments.verify = true,
            _ => return Err("usage: heat2d [-n CELLS_PER_SIDE] [-s STEPS] [-v]".to_owned()),
        }
    }
    match arguments.plate {
        1..=32768 => Ok(arguments),
        _ => Err("a side has 1 to 32768 cells".to_owned()),
    }
}

/// Runs the computation; returns the result, in the process of rank 0, and the number of ranks.
fn run(
    builder: Builder,
    arguments: Arguments,
) -> Result<(Option<Outcome>, usize), Box<dyn std::error::Error>> {
    let outcomes = builder.run(move |world| {
        let rows = Block::new(arguments.plate, 0, world.size()).grid.0;
        assert!(
            rows <= arguments.plate,
            "more ranks in a column than cells: take a larger plate"
        );
        compute(world, arguments)
    })?;
    let ranks = outcomes.world_size();
    let outcomes = outcomes.into_iter().collect::<simurgh::Result<Vec<_>>>()?;
    Ok((outcomes.into_iter().flatten().next(), ranks))
}

fn demonstrate() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = arguments()?;
    let Arguments { plate, steps, verify } = arguments;
    let (Some(outcome), ranks) = run(Builder::new(), arguments)? else {
        return Ok(());
    };
    let (rows, cols) = outcome.grid;
    println!("plate {plate} x {plate}, {steps} steps, {ranks} ranks as {rows} x {cols}");
    println!(
        "seconds {:.6}\nlargest change {:?}",
        outcome.seconds, outcome.largest
    );
    println!("checksum {:016x}", checksum(&outcome.plate));
    if verify {
        let (alone, _) = run(Builder::new().ranks(1), arguments)?;
        let alone = alone.ok_or("a rank that is alone has the plate")?;
        let cells = alone.plate.iter().zip(&outcome.plate);
        let same = cells
            .into_iter()
            .all(|(left, right)| left.to_bits() == right.to_bits());
        if !same {
            return Err("the result differs from that of one rank".into());
        }
        println!("every bit is that of one rank");
    }
    Ok(())
}

fn main() -> ExitCode {
    match demonstrate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("heat2d: {error}");
            ExitCode::FAILURE
        }
    }
}
