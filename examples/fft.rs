//! The Fourier transform of a cube.
//!
//!     SIMURGH_RANKS=16 cargo run --release --example fft -- 128
//!
//! Each rank has some of the cube's planes, and transforms them along both of their axes. Then all ranks exchange data
//! with all, after which each has planes across the third axis, and transforms along that. The cube holds two waves, so
//! four frequencies and no others must come out; the ranks check that, and that the way back leads to the same cube.

use std::error::Error;
use std::f64::consts::TAU;
use std::ops::Range;

use simurgh::{Communicator, Equivalence, Op, Result};

#[derive(Clone, Copy, Debug, Default, Equivalence)]
#[repr(C)]
struct Complex {
    real: f64,
    imaginary: f64,
}

impl Complex {
    /// The number of length 1 in a direction, as a part of the whole circle.
    fn turn(part: f64) -> Self {
        let (imaginary, real) = (TAU * part).sin_cos();
        Self { real, imaginary }
    }

    fn plus(self, other: Self, factor: f64) -> Self {
        Self {
            real: self.real + factor * other.real,
            imaginary: self.imaginary + factor * other.imaginary,
        }
    }

    fn times(self, other: Self) -> Self {
        Self {
            real: self.real * other.real - self.imaginary * other.imaginary,
            imaginary: self.real * other.imaginary + self.imaginary * other.real,
        }
    }

    fn length(self) -> f64 {
        self.real.hypot(self.imaginary)
    }
}

/// Transforms a line, whose length is a power of two; `direction` is -1, or 1 for the way back.
fn transform(line: &mut [Complex], direction: f64) {
    let half = line.len() / 2;
    if half == 0 {
        return;
    }
    let part = |first| line.iter().skip(first).step_by(2).copied().collect::<Vec<_>>();
    let (mut even, mut odd) = (part(0), part(1));
    transform(&mut even, direction);
    transform(&mut odd, direction);
    for (index, (even, odd)) in even.into_iter().zip(odd).enumerate() {
        let odd = odd.times(Complex::turn(direction * index as f64 / line.len() as f64));
        line[index] = even.plus(odd, 1.0);
        line[index + half] = even.plus(odd, -1.0);
    }
}

/// A cube whose planes the ranks share.
struct Cube<'a> {
    world: &'a Communicator,
    side: usize,
}

impl Cube<'_> {
    /// The planes of a rank.
    fn planes(&self, rank: usize) -> Range<usize> {
        self.side * rank / self.world.size()..self.side * (rank + 1) / self.world.size()
    }

    /// The waves in the cube, at the points of this rank.
    fn waves(&self) -> Vec<Complex> {
        let side = self.side;
        let points = self
            .planes(self.world.rank())
            .flat_map(|z| (0..side * side).map(move |yx| (z, yx)));
        let value = |(z, yx): (usize, usize)| {
            let (y, x) = (yx / side, yx % side);
            let wave = |phase: usize| Complex::turn((phase % side) as f64 / side as f64).real;
            let real = wave(x + 2 * y + 3 * z) + 0.5 * wave(5 * x + 7 * z);
            Complex { real, imaginary: 0.0 }
        };
        points.map(value).collect()
    }

    /// Transforms along the two axes of the planes.
    fn transform_planes(&self, values: &mut [Complex], direction: f64) {
        for plane in values.chunks_mut(self.side * self.side) {
            plane
                .chunks_mut(self.side)
                .for_each(|row| transform(row, direction));
            for column in 0..self.side {
                let places = (column..plane.len()).step_by(self.side);
                let mut line: Vec<_> = places.clone().map(|place| plane[place]).collect();
                transform(&mut line, direction);
                places.zip(line).for_each(|(place, value)| plane[place] = value);
            }
        }
    }

    /// Exchanges the first axis, which the ranks share, and the last one.
    fn turn(&self, values: &[Complex]) -> Result<Vec<Complex>> {
        let (side, own) = (self.side, self.planes(self.world.rank()));
        let shares: Vec<_> = (0..self.world.size()).map(|rank| self.planes(rank)).collect();
        let counts: Vec<_> = shares
            .iter()
            .map(|share| own.len() * side * share.len())
            .collect();
        let mut sent = Vec::with_capacity(values.len());
        for share in &shares {
            let rows = values.chunks(side).flat_map(|row| &row[share.clone()]);
            sent.extend(rows.copied());
        }

        let mut received = vec![Complex::default(); values.len()];
        self.world.all_to_allv(&sent, &counts, &mut received, &counts)?;
        let mut turned = vec![Complex::default(); values.len()];
        // All that has come from one rank after the other is in the order of the first axis.
        for (index, value) in received.into_iter().enumerate() {
            let (row, last) = (index / own.len(), index % own.len());
            let (first, middle) = (row / side, row % side);
            turned[(last * side + middle) * side + first] = value;
        }
        Ok(turned)
    }

    /// Transforms along all axes. The first axis of the result is the last one of the values.
    fn transform(&self, mut values: Vec<Complex>) -> Result<Vec<Complex>> {
        self.transform_planes(&mut values, -1.0);
        let mut turned = self.turn(&values)?;
        turned.chunks_mut(self.side).for_each(|row| transform(row, -1.0));
        Ok(turned)
    }

    /// The way back from [`transform`](Self::transform). The values come back multiplied by their number.
    fn transform_back(&self, mut turned: Vec<Complex>) -> Result<Vec<Complex>> {
        turned.chunks_mut(self.side).for_each(|row| transform(row, 1.0));
        let mut values = self.turn(&turned)?;
        self.transform_planes(&mut values, 1.0);
        Ok(values)
    }
}

/// A number that looks random (splitmix64).
fn scramble(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Transforms the cube, and checks the result, which is returned in words.
fn run(world: &Communicator, side: usize) -> Result<String> {
    let cube = Cube { world, side };
    let waves = cube.waves();
    let spectrum = cube.transform(waves.clone())?;

    // A wave of height 1 has two frequencies, each with half of the cube.
    let points = (side * side * side) as f64;
    let strong = |height: f64| {
        spectrum
            .iter()
            .filter(move |value| value.length() > height * points)
            .count()
    };
    let sums = [strong(0.49), strong(0.24), strong(1e-9)].map(|count| count as u64);
    let mut frequencies = [0; 3];
    world.all_reduce(&sums[..], &mut frequencies[..], &Op::sum())?;
    assert_eq!(frequencies, [2, 4, 4]);

    let back = cube.transform_back(spectrum.clone())?;
    let wrong = |(back, wave): (&Complex, &Complex)| back.plus(*wave, -points).length() / points;
    assert!(back.iter().zip(&waves).map(wrong).fold(0.0, f64::max) < 1e-13);

    let first = (cube.planes(world.rank()).start * side * side) as u64;
    let bits = |value: &Complex| scramble(value.real.to_bits()) ^ value.imaginary.to_bits();
    let own = (first..)
        .zip(&spectrum)
        .map(|(place, value)| scramble(place).wrapping_mul(bits(value)));
    let mut digest = 0;
    world.all_reduce(&own.fold(0, u64::wrapping_add), &mut digest, &Op::sum())?;
    Ok(format!(
        "cube of side {side}: four frequencies, digest {digest:016x}"
    ))
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let side: usize = std::env::args().nth(1).map_or(Ok(32), |word| word.parse())?;
    if !side.is_power_of_two() || side < 16 {
        return Err("the side is a power of two from 16 on".into());
    }
    let results = simurgh::run(move |world| run(world, side))?;
    let has_first = results.ranks().start == 0;
    let lines = results.into_iter().collect::<Result<Vec<_>>>()?;
    if has_first {
        println!("{}", lines[0]);
    }
    Ok(())
}
