//! Each rank computes a part of the number pi.
//!
//!     SIMURGH_RANKS=16 cargo run --release
//!     cargo build --release && mpiexec -n 64 -hosts a,b target/release/{{project-name}}

use simurgh::{Communicator, Op, Result};

/// The rectangles that make up the area of a quarter of a circle.
const RECTANGLES: usize = 1_000_000;

/// The number pi, at all ranks.
fn pi(world: &Communicator) -> Result<f64> {
    let own = (world.rank()..RECTANGLES).step_by(world.size());
    let height = |index| {
        let x = (index as f64 + 0.5) / RECTANGLES as f64;
        4.0 / (1.0 + x * x)
    };
    let mut sum = 0.0;
    world.all_reduce(&own.map(height).sum::<f64>(), &mut sum, &Op::sum())?;
    Ok(sum / RECTANGLES as f64)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let results = simurgh::try_run(pi)?;
    // Of several processes, the one with rank 0 tells of the result.
    if let Some(pi) = results.of_rank(0) {
        println!("pi is {:.6}, say {} ranks", pi, results.world_size());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pi_does_not_depend_on_the_number_of_ranks() {
        for ranks in [1, 7] {
            let results = simurgh::Builder::new()
                .ranks(ranks)
                .try_run(pi)
                .expect("the run succeeds");
            assert!((results[0] - std::f64::consts::PI).abs() < 1e-9);
        }
    }
}
