//! Files through the Rust interface.

use std::path::PathBuf;

use simurgh::{Builder, Communicator, Equivalence, ErrorClass, FileOptions, Op, Result};

/// Runs `f` with 1, 2, 7 and 64 ranks and the path of a file that is not there; every rank must succeed.
fn with_file(name: &str, f: impl Fn(&Communicator, &PathBuf) -> Result<()> + Clone + Send + Sync + 'static) {
    for ranks in [1, 2, 7, 64] {
        let own = format!("simurgh-{name}-{ranks}-{}", std::process::id());
        let path = std::env::temp_dir().join(own);
        let (f, seen) = (f.clone(), path.clone());
        let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
        let ended = builder
            .run(move |world| f(world, &seen))
            .expect("the run succeeds");
        ended.into_iter().for_each(|end| end.expect("no call fails"));
        assert!(!path.exists(), "the file was deleted");
    }
}

/// Options for a file of a test.
fn temporary() -> FileOptions {
    let options = FileOptions::new().read(true).write(true);
    options.create_new(true).delete_on_close(true)
}

fn class<R: std::fmt::Debug>(result: Result<R>) -> ErrorClass {
    result.expect_err("the call is wrong").class()
}

#[derive(Clone, Copy, Debug, PartialEq, Equivalence)]
#[repr(C)]
struct Padded {
    small: u8,
    large: f64,
}

#[test]
fn what_one_rank_writes_others_read() {
    with_file("values", |world, path| {
        let (rank, size) = (world.rank(), world.size());
        let file = temporary().open(world, path)?;
        let place = |rank: usize| (rank * 400) as u64;
        let mine: Vec<u32> = (0..100).map(|index| (rank * 1000 + index) as u32).collect();
        file.write_at(place(rank), &mine)?;
        file.sync()?;
        let (next, mut theirs) = ((rank + 1) % size, vec![0_u32; 100]);
        assert_eq!(file.read_at(place(next), &mut theirs)?, 100);
        assert!(
            theirs
                .iter()
                .enumerate()
                .all(|(index, value)| *value == (next * 1000 + index) as u32)
        );
        assert_eq!(file.size()?, place(size));
        world.barrier()?;
        file.set_size(place(size) - 2)?;
        assert_eq!(file.read_at(place(size - 1), &mut theirs)?, 99);
        assert_eq!(file.read_at(place(size), &mut theirs)?, 0);
        file.close()
    });
}

#[test]
fn all_ranks_write_and_read_together_without_padding() {
    with_file("together", |world, path| {
        let (rank, size) = (world.rank(), world.size());
        let file = temporary().open(world, path)?;
        let value = |rank: usize| Padded {
            small: rank as u8,
            large: rank as f64 / 8.0,
        };
        // A struct has 9 bytes of data. The ranks take turns.
        for round in 0..4 {
            file.write_at_all(9 * (round * size + rank) as u64, &value(rank + round))?;
        }
        assert_eq!(file.size()?, 9 * 4 * size as u64);
        let mut values = vec![value(0); size];
        let round = rank % 4;
        let read = file.read_at_all(9 * (round * size) as u64, &mut values)?;
        assert_eq!(read, size);
        assert!(
            values
                .iter()
                .enumerate()
                .all(|(rank, found)| *found == value(rank + round))
        );
        file.close()
    });
}

#[test]
fn wrong_options_and_accesses_are_errors_of_their_class() {
    with_file("errors", |world, path| {
        let missing = FileOptions::new().read(true).open(world, path);
        assert_eq!(class(missing), ErrorClass::NoSuchFile);
        assert_eq!(class(FileOptions::new().open(world, path)), ErrorClass::Amode);
        let file = temporary().open(world, path)?;
        assert_eq!(class(temporary().open(world, path)), ErrorClass::FileExists);
        assert_eq!(class(file.write_at(u64::MAX, &1)), ErrorClass::Arg);
        assert_eq!(class(file.read_at(i64::MAX as u64, &mut 1)), ErrorClass::Arg);
        let reader = FileOptions::new().read(true).open(world, path)?;
        assert_eq!(class(reader.write_at(0, &1)), ErrorClass::ReadOnly);
        let writer = FileOptions::new().write(true).open(world, path)?;
        assert_eq!(class(writer.read_at(0, &mut 1)), ErrorClass::Access);
        drop(writer);
        reader.close()?;
        file.close()
    });
}

#[test]
fn one_rank_that_is_wrong_does_not_leave_the_others_waiting() {
    with_file("one", |world, path| {
        let file = temporary().open(world, path)?;
        let offset = if world.rank() == 0 {
            u64::MAX
        } else {
            4 * world.rank() as u64
        };
        let written = file.write_at_all(offset, &1);
        let mut wrong = 0;
        world.all_reduce(&u32::from(written.is_err()), &mut wrong, &Op::sum())?;
        assert!(wrong >= 1 && (world.rank() > 0 || class(written) == ErrorClass::Arg));
        file.close()
    });
}
