//! Every rank says hello, in order of rank.
//!
//!     SIMURGH_RANKS=4 cargo run --release --example hello

fn main() -> Result<(), Box<dyn std::error::Error>> {
    simurgh::try_run(|world| {
        for turn in 0..world.size() {
            if turn == world.rank() {
                println!("Hello from rank {turn} of {}", world.size());
            }
            world.barrier()?;
        }
        Ok::<_, simurgh::Error>(())
    })?;
    Ok(())
}
