//! Files through the Rust interface.

use std::path::PathBuf;

use simurgh::{
    Builder, Communicator, Equivalence, ErrorClass, File, FileOptions, Filetype, Op, Representation, Result,
};

/// Runs `f` with 1, 2, 7 and 64 ranks and the path of a file that is not there; every rank must succeed.
pub(crate) fn with_file(
    name: &str,
    f: impl Fn(&Communicator, &PathBuf) -> Result<()> + Clone + Send + Sync + 'static,
) {
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
pub(crate) fn temporary() -> FileOptions {
    let options = FileOptions::new().read(true).write(true);
    options.create_new(true).delete_on_close(true)
}

pub(crate) fn class<R: std::fmt::Debug>(result: Result<R>) -> ErrorClass {
    result.expect_err("the call is wrong").class()
}

#[derive(Clone, Copy, Debug, PartialEq, Equivalence)]
#[repr(C)]
struct Padded {
    small: u8,
    large: f64,
}

#[test]
fn values_are_represented_as_a_view_says() {
    with_file("representations", |world, path| {
        let (rank, size) = (world.rank(), world.size());
        let value = |rank: usize| Padded {
            small: rank as u8,
            large: rank as f64 + 0.5,
        };
        let file = temporary().open(world, path)?;
        let turns = Filetype::strided(1, size);
        let view = file.view_as::<Padded>(9 * rank as u64, &turns, Representation::External32)?;
        view.write_all(&[value(rank), value(rank + 1)][..])?;
        let mut second = value(0);
        view.read_at(1, &mut second)?;
        assert_eq!(second, value(rank + 1));
        let file = view.into_file()?;
        let mut bytes = vec![0_u8; 9 * size];
        file.read_at_all(0, &mut bytes)?;
        for (rank, bytes) in bytes.chunks(9).enumerate() {
            assert_eq!(
                (bytes[0], &bytes[1..]),
                (rank as u8, &value(rank).large.to_be_bytes()[..])
            );
        }
        let view = file.view_as::<u16>(0, &Filetype::all(), Representation::Internal)?;
        view.write_at_all(0, &0x0102)?;
        let file = view.into_file()?;
        file.read_at_all(0, &mut bytes[..2])?;
        assert_eq!(bytes[..2], 0x0102_u16.to_ne_bytes());
        let different = match rank {
            0 => Representation::Native,
            _ => Representation::External32,
        };
        let outcome = file.view_as::<u16>(0, &Filetype::all(), different).map(drop);
        let expected = if size == 1 {
            Ok(())
        } else {
            Err(ErrorClass::NotSame)
        };
        assert_eq!(outcome.map_err(|error| error.class()), expected);
        Ok(())
    });
}

#[test]
fn a_file_is_deleted_once() {
    let path = std::env::temp_dir().join(format!("simurgh-deleted-{}", std::process::id()));
    std::fs::write(&path, "old").expect("the file can be written");
    File::delete(&path).expect("the file is there");
    assert!(!path.exists());
    assert_eq!(class(File::delete(&path)), ErrorClass::NoSuchFile);
    assert_eq!(class(File::delete("")), ErrorClass::BadFile);
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

#[test]
fn pointers_move_on_with_each_access() {
    with_file("pointers", |world, path| {
        let (rank, size) = (world.rank(), world.size());
        let file = temporary().open(world, path)?;
        file.write_ordered(&vec![rank as u16; rank + 1])?;
        let all: Vec<u16> = (0..size).flat_map(|rank| vec![rank as u16; rank + 1]).collect();
        assert_eq!(file.position_shared()?, 2 * all.len() as u64);
        file.sync()?;
        let (mut front, mut rest) = (vec![0; all.len() / 2], vec![0; all.len()]);
        assert_eq!(file.read(&mut front)?, front.len());
        assert_eq!(file.position()?, 2 * front.len() as u64);
        assert_eq!(file.read_all(&mut rest)?, all.len() - front.len());
        rest.truncate(all.len() - front.len());
        assert_eq!([front, rest].concat(), all);
        assert_eq!(file.position()?, 2 * all.len() as u64);
        file.seek_shared(0)?;
        let mut mine = vec![0; rank + 1];
        assert_eq!(file.read_ordered(&mut mine)?, rank + 1);
        assert_eq!(mine, vec![rank as u16; rank + 1]);
        // Each value is read by one rank.
        file.seek_shared(0)?;
        let (mut got, mut one) = (0, 0_u16);
        while file.read_shared(&mut one)? == 1 {
            got += u64::from(one);
        }
        let mut sum = 0;
        world.all_reduce(&got, &mut sum, &Op::sum())?;
        assert_eq!(sum, all.into_iter().map(u64::from).sum::<u64>());
        file.seek_shared(2)?;
        file.write_shared(&[9_u8, 9])?;
        file.seek(4 * rank as u64)?;
        file.write_all(&[rank as u32])?;
        file.seek(4 * rank as u64)?;
        file.write(&[rank as u32 + 1])?;
        world.barrier()?;
        let mut first = 0_u32;
        file.read_at(0, &mut first)?;
        assert_eq!(first, 1);
        assert_eq!(class(file.seek(u64::MAX)), ErrorClass::Arg);
        world.barrier()?;
        file.close()
    });
}

#[test]
fn accesses_go_on_in_a_scope() {
    with_file("nonblocking", |world, path| {
        let (rank, size) = (world.rank(), world.size());
        let file = temporary()
            .hint("collective_buffering", "true")?
            .open(world, path)?;
        let hints = file.hints();
        assert!(
            hints.contains(&("collective_buffering".to_owned(), "true".to_owned())),
            "{hints:?}"
        );
        let mine: Vec<u32> = (0..1000).map(|index| (1000 * rank + index) as u32).collect();
        let place = |rank: usize| 4000 * rank as u64;
        world.scope(|scope| {
            scope.iwrite_at(&file, place(rank), &mine[..500])?;
            scope.iwrite_at_all(&file, place(rank) + 2000, &mine[500..])?;
            Ok(())
        })?;
        file.sync()?;
        let (next, mut half, mut rest) = ((rank + 1) % size, vec![0_u32; 500], vec![0_u32; 600]);
        world.scope(|scope| {
            let first = scope.iread_at(&file, place(next), &mut half)?;
            let second = scope.iread_at_all(&file, place(next) + 2000, &mut rest)?;
            let (_, status) = world.block_on(second)?;
            let left = if next + 1 == size { 500 } else { 600 };
            assert_eq!(status.count::<u32>(), Some(left));
            assert_eq!(first.wait()?.1.count::<u32>(), Some(500));
            Ok(())
        })?;
        rest.truncate(500);
        let read = [half, rest].concat();
        assert!(
            read.into_iter()
                .enumerate()
                .all(|(index, value)| value == (1000 * next + index) as u32)
        );
        world.barrier()?;
        file.close()
    });
}

#[test]
fn wrong_accesses_in_a_scope_are_errors_at_once() {
    with_file("refused", |world, path| {
        let options = FileOptions::new().write(true).create_new(true);
        let file = options.delete_on_close(true).open(world, path)?;
        let mut value = 0_u64;
        let start = world.scope(|scope| scope.iread_at(&file, 0, &mut value).map(drop));
        assert_eq!(class(start), ErrorClass::Access);
        let start = world.scope(|scope| scope.iwrite_at(&file, u64::MAX, &1).map(drop));
        assert_eq!(class(start), ErrorClass::Arg);
        world.barrier()?;
        file.close()
    });
}

#[test]
fn files_have_storage_and_rules() {
    with_file("rules", |world, path| {
        let file = temporary().open(world, path)?;
        file.preallocate(5000)?;
        assert_eq!((file.size()?, file.is_atomic()), (5000, false));
        file.set_atomic(true)?;
        assert!(file.is_atomic());
        file.write_at(0, &[world.rank() as u8; 5000][..])?;
        let mut seen = [0_u8; 5000];
        file.read_at(0, &mut seen[..])?;
        assert!(seen.iter().all(|byte| *byte == seen[0]));
        if world.size() > 1 {
            assert_eq!(class(file.set_atomic(world.rank() > 0)), ErrorClass::NotSame);
        }
        file.set_hint("cb_buffer_size", "1048576")?;
        let hint = file.hints().into_iter().find(|(key, _)| key == "cb_buffer_size");
        assert_eq!(hint.map(|(_, value)| value).as_deref(), Some("1048576"));
        file.close()
    });
}

#[test]
fn ranks_see_the_values_of_their_views() {
    with_file("views", |world, path| {
        let (rank, size) = (world.rank(), world.size());
        let file = temporary().open(world, path)?;
        // The values of a struct have no padding in a file: nine bytes each.
        let turns = Filetype::strided(1, size);
        let view = file.view::<Padded>(9 * rank as u64, &turns)?;
        let value = |place: usize| Padded {
            small: place as u8,
            large: (100 * rank + place) as f64,
        };
        view.write_at_all(0, &[value(0), value(1)][..])?;
        view.write_at(3, &value(3))?;
        assert_eq!(view.byte_offset(3)?, 9 * (3 * size + rank) as u64);
        view.seek(2)?;
        view.write(&value(2))?;
        assert_eq!(view.position()?, 3);
        view.sync()?;
        world.barrier()?;
        let mut values = [value(9); 6];
        view.seek(0)?;
        assert_eq!(view.read_all(&mut values[..])?, 4);
        assert_eq!(values[..4], [value(0), value(1), value(2), value(3)]);
        let file = view.into_file()?;
        assert_eq!(file.size()?, 36 * size as u64);
        let mut byte = 0_u8;
        file.read_at(9 * (2 * size + rank) as u64, &mut byte)?;
        assert_eq!(byte, 2);
        file.close()
    });
}

#[test]
fn ranks_share_the_rows_and_columns_of_an_array() {
    with_file("arrays", |world, path| {
        const ROWS: usize = 3;
        let (rank, size) = (world.rank(), world.size());
        // Each rank writes two columns, and reads whole rows.
        let columns = Filetype::subarray(&[ROWS, 2 * size], &[ROWS, 2], &[0, 2 * rank]);
        let view = temporary().open(world, path)?.view::<u32>(16, &columns)?;
        let mine: Vec<_> = (0..2 * ROWS).map(|place| (1000 * rank + place) as u32).collect();
        view.write_all(&mine)?;
        let view = view.into_file()?.view::<u32>(16, &Filetype::all())?;
        let mut row = vec![0; 2 * size];
        view.read_at_all((2 * size) as u64, &mut row)?;
        let expected = (0..size).flat_map(|rank| [1000 * rank + 2, 1000 * rank + 3]);
        assert!(row.into_iter().eq(expected.map(|value| value as u32)));
        // The first of every three pairs of values, and the last value.
        let some = Filetype::blocks([(0, 2), (5, 1)], 6);
        let view = view.into_file()?.view::<[u32; 2]>(0, &some)?;
        let places = [0, 1, 2, 3].map(|offset| view.byte_offset(offset).expect("it is in the file"));
        assert_eq!(places, [0, 8, 40, 48]);
        view.close()
    });
}

#[test]
fn the_common_pointer_counts_the_values_of_views() {
    with_file("shared-views", |world, path| {
        let (rank, size) = (world.rank(), world.size());
        // Of each two values the second.
        let second = Filetype::blocks([(1, 1)], 2);
        let view = temporary().open(world, path)?.view::<u64>(0, &second)?;
        view.write_ordered(&(rank as u64))?;
        assert_eq!(view.position_shared()?, size as u64);
        world.barrier()?;
        view.write_shared(&(size as u64))?;
        world.barrier()?;
        assert_eq!(view.position_shared()?, 2 * size as u64);
        view.seek_shared(0)?;
        let mut read = 99;
        assert_eq!(view.read_ordered(&mut read)?, 1);
        assert_eq!(read, rank as u64);
        world.barrier()?;
        assert_eq!(view.read_shared(&mut read)?, 1);
        assert_eq!(read, size as u64);
        let file = view.into_file()?;
        file.read_at_all(16 * rank as u64 + 8, &mut read)?;
        assert_eq!(read, rank as u64);
        file.close()
    });
}

#[test]
fn wrong_views_are_errors_of_their_class() {
    with_file("wrong-views", |world, path| {
        let open = || {
            temporary()
                .create_new(false)
                .create(true)
                .delete_on_close(false)
                .open(world, path)
        };
        // What is wrong at the last rank is an error at all.
        let wrong = if world.rank() + 1 == world.size() { 3 } else { 1 };
        assert_eq!(
            class(open()?.view::<u8>(0, &Filetype::strided(wrong, 2))),
            ErrorClass::Arg
        );
        assert_eq!(
            class(
                open()?
                    .view::<u8>(0, &Filetype::strided(0, 2))
                    .and_then(|view| view.write(&1))
            ),
            ErrorClass::Arg
        );
        assert_eq!(
            class(open()?.view::<[u8; 0]>(0, &Filetype::all())),
            ErrorClass::Type
        );
        let far = if wrong == 3 { u64::MAX } else { 0 };
        assert_eq!(class(open()?.view::<u8>(far, &Filetype::all())), ErrorClass::Disp);
        if world.size() > 1 {
            let sizes = if wrong == 3 {
                open()?.view::<u8>(0, &Filetype::all()).map(drop)
            } else {
                open()?.view::<u16>(0, &Filetype::all()).map(drop)
            };
            assert_eq!(class(sizes), ErrorClass::NotSame);
        }
        temporary().create_new(false).open(world, path)?.close()
    });
}

#[test]
fn a_file_that_is_dropped_is_deleted_too() {
    with_file("dropped", |world, path| {
        let file = temporary().open(world, path)?;
        file.write_at(8 * world.rank() as u64, &(world.rank() as u64))?;
        world.barrier()?;
        assert!(path.exists(), "nobody has dropped the file");
        world.barrier()?;
        drop(file);
        Ok(())
    });
}

#[test]
fn a_file_that_stays_is_there_when_it_is_dropped() {
    with_file("kept", |world, path| {
        let options = FileOptions::new().write(true);
        drop(options.clone().create_new(true).open(world, path)?);
        world.barrier()?;
        assert!(path.exists(), "it was not to be deleted");
        world.barrier()?;
        options.delete_on_close(true).open(world, path)?.close()
    });
}
