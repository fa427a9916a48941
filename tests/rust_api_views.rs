//! Arrays of the crate `ndarray`, and views of them, as data of all kinds of calls.

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, s};
use simurgh::{
    Builder, Communicator, Equivalence, ErrorClass, FileOptions, Op, RequestSet, Result, Source, Tag,
};

/// Runs `f` with 1, 2 and 7 ranks; every rank must succeed.
fn with_ranks(f: impl Fn(&Communicator) -> Result<()> + Clone + Send + Sync + 'static) {
    for ranks in [1, 2, 7] {
        let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
        let ended = builder.run(f.clone()).expect("the run succeeds");
        ended.into_iter().for_each(|end| end.expect("no call fails"));
    }
}

/// A table whose values say where they are and whose they are.
fn table(rank: usize, (rows, columns): (usize, usize)) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |(i, j)| (rank * 10_000 + i * 100 + j) as f64)
}

/// The ranks before and after this one in a ring.
fn neighbours(world: &Communicator) -> (usize, usize) {
    let (rank, size) = (world.rank(), world.size());
    ((rank + size - 1) % size, (rank + 1) % size)
}

#[derive(Clone, Copy, Debug, PartialEq, Equivalence)]
#[repr(C)]
struct Cell {
    kind: u8,
    value: f64,
}

#[test]
fn messages_of_any_strides_arrive_in_views_of_other_strides() {
    with_ranks(|world| {
        let (before, next) = neighbours(world);
        // Short messages, and ones that are too long to be copied beforehand.
        for (rows, columns) in [(3, 4), (40, 301), (400, 301)] {
            let (mine, theirs) = (
                table(world.rank(), (rows, columns)),
                table(before, (rows, columns)),
            );
            let mut received = Array2::<f64>::zeros((columns + 2, rows + 1));
            let (sent, mut into) = (mine.t(), received.slice_mut(s![1..;-1, ..;-1]));
            let mut into = into.slice_mut(s![..columns, ..rows]);
            let status = world.send_receive(&sent, next, 0, &mut into, before, 0)?;
            assert_eq!(status.count::<f64>(), Some(rows * columns));
            assert_eq!(into, theirs.t());
            assert_eq!(
                received.iter().filter(|value| **value != 0.0).count(),
                nonzero(theirs.view())
            );

            // From a view to a vector, and from a vector to a view.
            let every_second = mine.slice(s![.., ..;2]);
            let mut values = vec![0.0; every_second.len()];
            world.send_receive(&every_second, next, 1, &mut values, before, 1)?;
            let expected = theirs.slice(s![.., ..;2]);
            assert!(values.iter().eq(&expected));
            let mut restored = Array2::<f64>::zeros((rows, columns));
            world.send_receive(&values, before, 2, &mut restored.slice_mut(s![.., ..;2]), next, 2)?;
            assert_eq!(restored.slice(s![.., ..;2]), every_second);
            assert!(restored.slice(s![.., 1..;2]).iter().all(|value| *value == 0.0));

            let mut columns = restored.slice_mut(s![.., ..;2]);
            world.send_receive_in_place(&mut columns, next, 3, before, 3)?;
            assert_eq!(columns, expected);
        }
        Ok(())
    });
}

fn nonzero(values: ArrayView2<'_, f64>) -> usize {
    values.iter().filter(|value| **value != 0.0).count()
}

#[test]
fn structs_are_sent_from_views_and_probed_messages_received_into_them() {
    with_ranks(|world| {
        let (before, next) = neighbours(world);
        let cell = |rank: usize, i: usize, j: usize| Cell {
            kind: (rank + i) as u8,
            value: j as f64,
        };
        let mine = Array2::from_shape_fn((5, 4), |(i, j)| cell(world.rank(), i, j));
        let mut received = Array3::from_elem((4, 3, 5), cell(100, 100, 100));
        world.send(&mine.t(), next, 0)?;
        let message = world.mprobe(Source::Any, Tag::Any)?;
        assert_eq!(message.status().count::<Cell>(), Some(20));
        message.recv(&mut received.index_axis_mut(Axis(1), 2))?;
        for ((j, i), found) in received.index_axis(Axis(1), 2).indexed_iter() {
            assert_eq!(*found, cell(before, i, j));
        }
        assert!(
            received
                .slice(s![.., ..2, ..])
                .iter()
                .all(|found| *found == cell(100, 100, 100))
        );
        Ok(())
    });
}

#[test]
fn borders_are_exchanged_in_a_scope() {
    with_ranks(|world| {
        let (before, next) = neighbours(world);
        let mut grid = table(world.rank(), (6, 8));
        let (mut west, mut inner, mut east) = grid.multi_slice_mut((s![.., ..1], s![.., 1..7], s![.., 7..]));
        inner += 1.0;
        let (first, last) = (inner.column(0), inner.column(5));
        let statuses = world.scope(|scope| {
            let mut requests = RequestSet::new();
            requests.push(scope.irecv_view(&mut west, before, 0)?);
            requests.push(scope.irecv_view(&mut east, next, 1)?);
            scope.isend(&last, next, 0)?;
            scope.issend(&first, before, 1)?;
            requests.wait_all()
        })?;
        assert!(
            statuses
                .iter()
                .all(|status| status.is_some_and(|status| status.bytes() == 48))
        );
        let (from_before, from_next) = (table(before, (6, 8)), table(next, (6, 8)));
        assert_eq!(grid.column(0), from_before.column(6).mapv(|value| value + 1.0));
        assert_eq!(grid.column(7), from_next.column(1).mapv(|value| value + 1.0));
        Ok(())
    });
}

#[test]
fn collectives_take_views() {
    with_ranks(|world| {
        let (rank, size) = (world.rank(), world.size());
        let mut grid = table(rank, (6, 3 * size));
        world.broadcast(&mut grid.slice_mut(s![..;2, ..;3]), 0)?;
        let of_root = table(0, (6, 3 * size));
        for ((i, j), value) in grid.indexed_iter() {
            let expected = if i % 2 == 0 && j % 3 == 0 {
                &of_root
            } else {
                &table(rank, (6, 3 * size))
            };
            assert_eq!(*value, expected[(i, j)]);
        }

        // Three columns for each rank, to the root and back.
        let mine = table(rank, (4, 3));
        let mut all = Array2::<f64>::zeros((4, 3 * size));
        world.gather_view(&mine.t(), &mut all.view_mut().reversed_axes(), size - 1)?;
        if rank == size - 1 {
            for (column, values) in all.columns().into_iter().enumerate() {
                assert_eq!(values, table(column / 3, (4, 3)).column(column % 3));
            }
        }
        let mut back = Array2::<f64>::zeros((4, 3));
        world.scatter_view(&all.t(), &mut back.view_mut().reversed_axes(), size - 1)?;
        assert_eq!(back, mine);

        let mut everywhere = Array2::<f64>::zeros((4, 3 * size));
        world.all_gather_view(&mine.t(), &mut everywhere.view_mut().reversed_axes())?;
        for (column, values) in everywhere.columns().into_iter().enumerate() {
            assert_eq!(values, table(column / 3, (4, 3)).column(column % 3));
        }

        let for_all = table(rank, (2 * size, 3));
        let mut from_all = Array2::<f64>::zeros((2 * size, 6));
        world.all_to_all_view(
            &for_all.slice(s![..;-1, ..]),
            &mut from_all.slice_mut(s![.., ..;2]),
        )?;
        for ((row, column), value) in from_all.slice(s![.., ..;2]).indexed_iter() {
            let (from, row) = (row / 2, 2 * size - 1 - 2 * rank - row % 2);
            assert_eq!(*value, table(from, (2 * size, 3))[(row, column)]);
        }

        let wrong = world.all_gather_view(&mine, &mut Array2::<f64>::zeros((3 * size + 1, 3)));
        let expected = if size == 1 { None } else { Some(ErrorClass::Count) };
        assert_eq!(wrong.err().map(|error| error.class()), expected);
        Ok(())
    });
}

#[test]
fn files_are_read_and_written_through_views() {
    for ranks in [1, 2, 7] {
        let path = std::env::temp_dir().join(format!("simurgh-views-{ranks}-{}", std::process::id()));
        let builder = Builder::new().ranks(ranks).vps(2).stack_size(256 << 10);
        let ended = builder.run(move |world| {
            let (rank, size) = (world.rank(), world.size());
            let options = FileOptions::new().read(true).write(true).create_new(true);
            let file = options.delete_on_close(true).open(world, &path)?;
            let mine = table(rank, (5, 7));
            let bytes = 8 * 35;
            file.write_at_all((rank * bytes) as u64, &mine.t())?;
            file.sync()?;
            let mut read = Array2::<f64>::zeros((9, 15));
            let (other, mut view) = ((rank + 1) % size, read.slice_mut(s![..7;-1, 1..11;2]));
            assert_eq!(file.read_at((other * bytes) as u64, &mut view)?, 35);
            assert_eq!(view, table(other, (5, 7)).t());
            // At the end of the file there are fewer values than the view has.
            let count = file.read_at((size * bytes - 80) as u64, &mut view)?;
            assert_eq!(count, 10);
            assert_eq!(view.row(0), table(size - 1, (5, 7)).column(5));
            world.barrier()?;
            let kept = mine.column(3);
            world.scope(|scope| scope.iwrite_at(&file, (rank * bytes) as u64, &kept)?.wait())?;
            let mut values = [0.0; 5];
            file.read_at((rank * bytes) as u64, &mut values[..])?;
            assert_eq!(Array1::from(values.to_vec()), kept);
            file.close()
        });
        let ended = ended.expect("the run succeeds");
        ended.into_iter().for_each(|end| end.expect("no call fails"));
    }
}

#[test]
fn windows_are_accessed_from_views() {
    with_ranks(|world| {
        let (before, next) = neighbours(world);
        let mut window = world.allocate_window::<f64>(20)?;
        window.local_mut().fill(0.5);
        let mine = table(world.rank(), (4, 9));
        let mut read = Array2::<f64>::zeros((4, 5));
        window.fence_epoch(|epoch| {
            epoch
                .part(next)
                .put(2, &mine.slice(s![..;-1, ..;2]).slice(s![.., ..4]))
        })?;
        window.fence_epoch(|epoch| {
            epoch
                .part(next)
                .accumulate(2, &mine.slice(s![..2, ..;3]), &Op::sum())
        })?;
        window.fence_epoch(|epoch| {
            epoch
                .part(world.rank())
                .get(0, &mut read.view_mut().reversed_axes())
        })?;
        let theirs = table(before, (4, 9));
        let mut expected = vec![0.5, 0.5];
        expected.extend(theirs.slice(s![..;-1, ..;2]).slice(s![.., ..4]));
        expected.extend([0.5, 0.5]);
        for (position, added) in theirs.slice(s![..2, ..;3]).iter().enumerate() {
            expected[2 + position] += added;
        }
        assert!(read.t().iter().eq(&expected));
        assert_eq!(window.local(), expected);
        window.lock_epoch(|epoch| {
            let lock = epoch.lock(next, simurgh::LockKind::Exclusive)?;
            lock.put(1, &mine.slice(s![.., 8]))
        })?;
        assert_eq!(window.local()[1..5], theirs.column(8).to_vec());
        Ok(())
    });
}

#[test]
fn a_view_that_is_too_small_is_filled_and_the_rest_is_an_error() {
    with_ranks(|world| {
        let (before, next) = neighbours(world);
        let mut small = Array2::<f64>::zeros((3, 4));
        let sent = table(world.rank(), (2, 3));
        let ended = world.send_receive(&sent, next, 0, &mut small.slice_mut(s![..2, ..2]), before, 0);
        assert_eq!(ended.map_err(|error| error.class()), Err(ErrorClass::Truncate));
        assert!(
            small
                .slice(s![..2, ..2])
                .iter()
                .eq(table(before, (2, 3)).iter().take(4))
        );
        assert_eq!(small.row(2).sum() + small.slice(s![.., 2..]).sum(), 0.0);
        Ok(())
    });
}
