//! One job with `tests/c/rust_partner.c`: a ring of messages, a sum over ranks, and a file in a representation of the
//! program.

use std::error::Error;
use std::process::ExitCode;

use simurgh::{Communicator, Conversion, ErrorClass, FileOptions, Filetype, Op};

/// The second argument of the program is the path of the file.
pub(crate) fn run() -> Result<ExitCode, Box<dyn Error>> {
    let path = std::env::args().nth(2).ok_or("the path of a file is missing")?;
    let results = simurgh::run(move |world| {
        let (rank, size) = (world.rank(), world.size());
        let before = (rank + size - 1) % size;
        let (mine, mut theirs, mut sum) = (100 + rank as i32, 0, 0);
        world.send_receive(&mine, (rank + 1) % size, 5, &mut theirs, before, 5)?;
        world.all_reduce(&(rank as i32), &mut sum, &Op::sum())?;
        let of_file = through_file(world, &path)?;
        Ok::<_, simurgh::Error>(format!(
            "{rank} of {size}: sum {sum}, from {before}: {theirs}, of file {of_file}"
        ))
    })?;
    for line in results {
        println!("rust: rank {}", line?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Numbers of a file are decimal, with three digits, as those of the partner are.
struct Decimal;

impl Conversion<i32> for Decimal {
    fn name(&self) -> &str {
        "decimal"
    }

    fn size(&self) -> usize {
        3
    }

    fn encode(&self, value: i32, file: &mut [u8]) -> simurgh::Result<()> {
        match value {
            0..1000 => file.copy_from_slice(format!("{value:03}").as_bytes()),
            _ => {
                let reason = format!("{value} has more than three digits");
                return Err(simurgh::Error::new(ErrorClass::Conversion, reason));
            }
        }
        Ok(())
    }

    fn decode(&self, file: &[u8]) -> simurgh::Result<i32> {
        let number = std::str::from_utf8(file).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| simurgh::Error::new(ErrorClass::Conversion, "no number"))
    }
}

/// All ranks write their numbers in turns, and read what they have written. The sum of them.
fn through_file(world: &Communicator, path: &str) -> simurgh::Result<i32> {
    let (rank, size) = (world.rank(), world.size());
    let options = FileOptions::new().create(true).read(true).write(true);
    let file = options.delete_on_close(true).open(world, path)?;
    let view = file.view_with(3 * rank as u64, &Filetype::strided(1, size), Decimal)?;
    view.write_at_all(0, &[100 + rank as i32, 200 + rank as i32][..])?;
    // The number of the last rank is too large, which is an error at all.
    let refused = view
        .write_at_all(2, &(100 + rank as i32))
        .map_err(|error| error.class());
    assert_eq!(refused, Err(ErrorClass::Conversion));
    view.sync()?;
    world.barrier()?;
    let view = view.into_file()?.view_with(0, &Filetype::all(), Decimal)?;
    let mut all = vec![0; 2 * size];
    assert_eq!(view.read_at_all(0, &mut all)?, 2 * size);
    view.close()?;
    Ok(all.into_iter().sum())
}
