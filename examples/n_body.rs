//! Bodies that attract each other, shared by the ranks of a ring.
//!
//!     SIMURGH_RANKS=16 cargo run --release --example n_body -- 2000
//!
//! In each step the positions of every rank's bodies travel once around the ring. While a rank sends what it has to its
//! right neighbour, it computes how these bodies attract its own. Velocities are whole numbers, so the order in which
//! attractions are added does not matter: the result is the same to the last bit for any number of ranks. Two bodies
//! attract each other equally, so the momentum stays exactly zero, which the ranks check.

use std::error::Error;

use simurgh::{Communicator, Op, Result};

const STEPS: usize = 10;

/// The time between two steps.
const TICK: f64 = 0.01;

/// The unit of velocities.
const UNIT: f64 = 1.0 / (1_u64 << 44) as f64;

/// Keeps bodies that meet from flying apart.
const SOFTENING: f64 = 0.05;

type Position = [f64; 3];

/// The bodies of a rank.
struct Bodies {
    positions: Vec<Position>,
    velocities: Vec<[i64; 3]>,
    /// The mass of each one.
    mass: f64,
}

impl Bodies {
    /// The share of a rank of so many bodies in all.
    fn new(all: usize, rank: usize, ranks: usize) -> Self {
        let own = all * rank / ranks..all * (rank + 1) / ranks;
        let positions: Vec<_> = own.map(place).collect();
        Self {
            velocities: vec![[0; 3]; positions.len()],
            positions,
            mass: 1.0 / all as f64,
        }
    }

    /// Accelerates the bodies towards others.
    fn accelerate(&mut self, others: &[Position]) {
        for (position, velocity) in self.positions.iter().zip(&mut self.velocities) {
            for other in others {
                let way: [f64; 3] = std::array::from_fn(|axis| other[axis] - position[axis]);
                let square = way.iter().map(|part| part * part).sum::<f64>() + SOFTENING * SOFTENING;
                let pull = self.mass * TICK / (square * square.sqrt());
                for (velocity, part) in velocity.iter_mut().zip(way) {
                    *velocity += (pull * part / UNIT).round() as i64;
                }
            }
        }
    }

    /// Moves the bodies for the time of a step.
    fn advance(&mut self) {
        for (position, velocity) in self.positions.iter_mut().zip(&self.velocities) {
            for (position, velocity) in position.iter_mut().zip(velocity) {
                *position += *velocity as f64 * UNIT * TICK;
            }
        }
    }
}

/// The place of a body in the beginning, within a cube.
fn place(body: usize) -> Position {
    std::array::from_fn(|axis| scramble((3 * body + axis) as u64) as f64 / u64::MAX as f64 - 0.5)
}

/// A number that looks random (splitmix64).
fn scramble(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Lets all bodies attract those of this rank.
fn attract(ring: &Communicator, bodies: &mut Bodies) -> Result<()> {
    let (rank, size) = (ring.rank(), ring.size());
    let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    let mut visitors = bodies.positions.clone();
    for _ in 0..size {
        let next = ring.scope(|scope| {
            scope.isend(&visitors, right, 0)?;
            bodies.accelerate(&visitors);
            ring.recv_vec(left, 0)
        });
        (visitors, _) = next?;
    }
    Ok(())
}

/// Lets the bodies move, and checks their momentum. The result in words.
fn run(world: &Communicator, all: usize) -> Result<String> {
    let mut bodies = Bodies::new(all, world.rank(), world.size());
    for _ in 0..STEPS {
        attract(world, &mut bodies)?;
        bodies.advance();
    }

    let own = bodies.velocities.iter().fold([0; 3], |sum: [i64; 3], velocity| {
        std::array::from_fn(|axis| sum[axis] + velocity[axis])
    });
    let mut momentum = [1; 3];
    world.all_reduce(&own[..], &mut momentum[..], &Op::sum())?;
    assert_eq!(momentum, [0; 3]);

    let first = all * world.rank() / world.size();
    let bits = |position: &Position| {
        position
            .iter()
            .fold(0, |hash, part| scramble(hash ^ part.to_bits()))
    };
    let own = bodies.positions.iter().enumerate().map(|(index, position)| {
        let body = (first + index) as u64;
        scramble(body).wrapping_mul(bits(position))
    });
    let mut digest = 0;
    world.all_reduce(&own.fold(0, u64::wrapping_add), &mut digest, &Op::sum())?;
    Ok(format!(
        "{all} bodies, {STEPS} steps: no momentum, digest {digest:016x}"
    ))
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let all = std::env::args().nth(1).map_or(Ok(500), |word| word.parse())?;
    let results = simurgh::run(move |world| run(world, all))?;
    let has_first = results.ranks().start == 0;
    let lines = results.into_iter().collect::<Result<Vec<_>>>()?;
    if has_first {
        println!("{}", lines[0]);
    }
    Ok(())
}
