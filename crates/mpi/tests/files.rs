//! Files of ranks on one host and on several: shared pointers, collective accesses, and what fails at one of them.

use crate::common::run_everywhere;
use rustix::io::Errno;
use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{bytes_of, collect};
use simurgh_mpi::storage::{Faults, Faulty, FileSystem, Posix, Representation};
use simurgh_mpi::{Amode, Comm, ErrorClass, ErrorHandler, File, Info, Positioning, Request, Split, Whence};
use simurgh_mpi::{Outcome, peek_all, wait_any};
use simurgh_testing::Scratch;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

const MODE: i32 = Amode::CREATE | Amode::RDWR | Amode::DELETE_ON_CLOSE;

/// Runs `f` with a file on each of so many ranks, of one host and of several.
fn with_file(ranks: usize, system: Arc<dyn FileSystem>, f: impl Fn(&Comm, &File) + Send + Sync + 'static) {
    let folder = Scratch::new("mpi-files");
    run_everywhere(ranks, move |world| {
        let path = folder.path().join("file");
        let name = path.as_os_str().as_bytes();
        let (info, handler) = (Info::new(), ErrorHandler::Return);
        let file = File::open(world, &system, name, MODE, &info, handler).unwrap();
        f(world, &file);
        file.close().unwrap();
        assert!(!path.exists());
    });
}

fn read_bytes(file: &File, place: Positioning, len: usize) -> Vec<u8> {
    let mut moved = 0;
    let mut bytes = collect::<simurgh_mpi::Error>(len, |target| {
        moved = file.read(place, target)?.bytes as usize;
        Ok(())
    })
    .unwrap();
    bytes.truncate(moved);
    bytes
}

#[test]
fn shared_pointers_give_each_byte_to_one_rank() {
    with_file(5, Arc::new(Posix), |world, file| {
        let (rank, size) = (world.rank() as u8, world.size());
        for round in 0..3 {
            file.write(Positioning::Shared, &bytes_of(&[rank, round]))
                .unwrap();
        }
        world.barrier().run().unwrap();
        assert_eq!(file.position_shared().unwrap(), 6 * size as i64);
        let all = read_bytes(file, Positioning::At(0), 6 * size);
        for rank in 0..size as u8 {
            let of_rank = all.chunks(2).filter(|pair| pair[0] == rank);
            assert!(of_rank.map(|pair| pair[1]).eq(0..3));
        }
        world.barrier().run().unwrap();

        // Rank r writes r + 1 bytes, in the order of ranks, twice.
        file.seek_shared(2, Whence::Set).unwrap();
        let own = vec![rank + 1; usize::from(rank) + 1];
        file.write_all(Positioning::Shared, &bytes_of(&own)).unwrap();
        file.begin_split_write(Split::WriteOrdered, Positioning::Shared, &bytes_of(&own))
            .unwrap();
        file.end_split(Split::WriteOrdered).unwrap();
        file.sync().unwrap();
        let expected: Vec<u8> = (1..=size as u8)
            .flat_map(|rank| vec![rank; usize::from(rank)])
            .collect();
        let expected = expected.repeat(2);
        assert_eq!(read_bytes(file, Positioning::At(2), expected.len()), expected);
    });
}

#[test]
fn interleaved_views_make_one_file() {
    with_file(4, Arc::new(Posix), |world, file| {
        let (rank, size) = (world.rank() as usize, world.size());
        let short = Datatype::Basic(Basic::Short);
        let tile = Datatype::resized(0, 2 * size as isize, &short).unwrap();
        let view = |displacement| {
            let native = Ok(Representation::Native);
            let info = Info::new();
            file.set_view(displacement, short.clone(), tile.clone(), native, &info)
                .unwrap();
        };
        view(2 * rank as i64);
        let own: Vec<u8> = (0..100).flat_map(|number| [rank as u8, number]).collect();
        let request = file
            .start_write_all(Positioning::Individual, &bytes_of(&own))
            .unwrap();
        assert_eq!(request.wait().bytes, 200);
        file.set_atomicity(true).unwrap();
        file.write_all(Positioning::At(0), &bytes_of(&own)).unwrap();
        file.set_atomicity(false).unwrap();
        assert_eq!(file.position().unwrap(), 100);
        file.sync().unwrap();
        view(0);
        assert_eq!(read_bytes(file, Positioning::At(0), 4), [0, 0, 0, 1]);
        let byte = Datatype::Basic(Basic::Byte);
        file.set_view(0, byte.clone(), byte, Ok(Representation::Native), &Info::new())
            .unwrap();
        let all = read_bytes(file, Positioning::At(0), 1000);
        assert_eq!(all.len(), 200 * size);
        for (at, pair) in all.chunks(2).enumerate() {
            assert_eq!(pair, [(at % size) as u8, (at / size) as u8]);
        }
    });
}

/// Sets the view of a rank whose blocks of so many bytes take turns with those of all others.
fn take_turns(world: &Comm, file: &File, block: usize, info: &Info) {
    let (rank, size) = (world.rank() as usize, world.size());
    let byte = Datatype::Basic(Basic::Byte);
    let own = Datatype::contiguous(block, &byte).unwrap();
    let tile = Datatype::resized(0, (block * size) as isize, &own).unwrap();
    let native = Ok(Representation::Native);
    file.set_view((rank * block) as i64, byte, tile, native, info)
        .unwrap();
}

/// Hints of so many aggregators with windows of so many bytes, and what is said of writes and reads.
fn hints(aggregators: usize, window: usize, buffering: &str) -> Info {
    let mut info = Info::new();
    info.set("cb_nodes", aggregators.to_string()).unwrap();
    info.set("cb_buffer_size", window.to_string()).unwrap();
    info.set("romio_cb_write", buffering).unwrap();
    info.set("romio_cb_read", buffering).unwrap();
    info
}

#[test]
fn hosts_exchange_short_pieces_and_reach_the_file_in_windows() {
    // The longer windows are written and read by I/O threads.
    for (block, tiles, window) in [(50, 160, 8192), (1000, 300, 1 << 20)] {
        let system = Arc::new(Faulty::new(Posix, Faults::default()));
        let counted = Arc::clone(&system);
        with_file(6, system, move |world, file| {
            let own: Vec<u8> = (0..block * tiles)
                .map(|at| (at * 3 + at / 256 + world.rank() as usize * 41) as u8)
                .collect();
            let calls = || {
                world.barrier().run().unwrap();
                let calls = counted.calls();
                world.barrier().run().unwrap();
                calls
            };
            for (aggregators, buffering) in [(1, "automatic"), (2, "enable"), (3, "enable"), (3, "automatic")]
            {
                take_turns(world, file, block, &hints(aggregators, window, buffering));
                let windows = (6 * own.len()).div_ceil(window) as u64 + 1;
                let before = calls();
                file.write_all(Positioning::At(0), &bytes_of(&own)).unwrap();
                let written = calls();
                assert!(written - before <= windows, "{} writes", written - before);
                // All hosts are on one node, so each reads by itself unless it is told otherwise.
                let most = if buffering == "enable" {
                    windows
                } else {
                    windows * 3
                };
                let read = collect::<simurgh_mpi::Error>(own.len(), |target| {
                    let status = file.read_all(Positioning::At(0), target)?;
                    assert_eq!(status.bytes as usize, own.len());
                    Ok(())
                });
                assert!(calls() - written <= most);
                assert!(read.unwrap() == own);
            }
            let mut alone = hints(3, window, "disable");
            alone.set("romio_ds_write", "disable").unwrap();
            take_turns(world, file, block, &alone);
            let before = calls();
            file.write_all(Positioning::At(0), &bytes_of(&own)).unwrap();
            assert_eq!(calls() - before, (6 * tiles) as u64, "each piece by itself");
        });
    }
}

#[test]
fn an_exchanged_read_ends_where_the_file_ends() {
    with_file(4, Arc::new(Posix), |world, file| {
        let rank = world.rank() as usize;
        take_turns(world, file, 10, &hints(4, 4096, "enable"));
        let own = vec![rank as u8 + 1; 3000];
        file.write_all(Positioning::At(0), &bytes_of(&own)).unwrap();
        // All of ranks 0 and 1 up to tile 200, of rank 2 half a block more, of rank 3 nothing of that tile.
        let size = world.size();
        file.set_size((200 * 10 * size + 25).min(30 * 100 * size) as i64)
            .unwrap();
        let expected = 2000 + 25_usize.saturating_sub(10 * rank).min(10);
        let expected = if size == 4 { expected } else { expected.min(3000) };
        let mut moved = 0;
        let read = collect::<simurgh_mpi::Error>(3000, |target| {
            let request = file.start_read_all(Positioning::At(0), target)?;
            moved = request.wait().bytes as usize;
            Ok(())
        })
        .unwrap();
        assert_eq!(moved, expected);
        assert_eq!(read[..moved], own[..moved]);
        assert!(
            read[moved..].iter().all(|byte| *byte == 0),
            "nothing else is touched"
        );
    });
}

#[test]
fn a_fault_at_one_aggregator_is_an_error_at_all_ranks() {
    for (errno, expected, each, window) in [
        (Errno::NOSPC, ErrorClass::NoSpace, 10_000, 4096),
        (Errno::IO, ErrorClass::Io, 400_000, 1 << 18),
    ] {
        let faults = Faults {
            from: Some((each as u64 * 3, errno)),
            ..Faults::default()
        };
        with_file(5, Arc::new(Faulty::new(Posix, faults)), move |world, file| {
            take_turns(world, file, 20, &hints(3, window, "enable"));
            let own = vec![7; each];
            let written = file.write_all(Positioning::At(0), &bytes_of(&own));
            assert_eq!(written.unwrap_err().class(), expected);
            let request = file.start_write_all(Positioning::At(0), &bytes_of(&own)).unwrap();
            let status = request.wait();
            assert_eq!(request.result(status).unwrap_err().class(), expected);
            let read = collect(each, |target| file.read_all(Positioning::At(0), target).map(drop));
            assert_eq!(read.unwrap_err().class(), expected);
            // All goes on.
            file.write_all(Positioning::At(0), &bytes_of(&own[..each / 10]))
                .unwrap();
        });
    }
}

#[test]
fn what_fails_at_one_rank_is_an_error_at_all() {
    let full = Faults {
        from: Some((64, Errno::NOSPC)),
        ..Faults::default()
    };
    with_file(3, Arc::new(Faulty::new(Posix, full)), |world, file| {
        let rank = i64::from(world.rank());
        let data = [7; 30];
        let class = |result: simurgh_mpi::Result<simurgh_mpi::Status>| result.map_err(|error| error.class());
        // There is room for ranks 0 and 1 only.
        let written = file.write_all(Positioning::At(30 * rank), &bytes_of(&data));
        assert_eq!(class(written).unwrap_err(), ErrorClass::NoSpace);
        // A rank with a wrong argument fails, and so do all others.
        let place = Positioning::At(if rank == 1 { -1 } else { 0 });
        let written = class(file.write_all(place, &bytes_of(&data[..0])));
        assert_eq!(written.unwrap_err(), ErrorClass::Arg);
        // So they do where nobody waits; only the rank itself is told at once.
        let started = file.start_write_all(place, &bytes_of(&data[..0]));
        assert_eq!(started.is_err(), rank == 1);
        if let Ok(request) = started {
            let status = request.wait();
            assert_eq!(class(request.result(status)).unwrap_err(), ErrorClass::Arg);
        }
        let own = file.write(Positioning::At(30 * rank), &bytes_of(&data));
        assert_eq!(class(own).is_ok(), rank < 2);
        assert_eq!(file.preallocate(1000).unwrap_err().class(), ErrorClass::NoSpace);
        assert_eq!(file.set_size(rank).unwrap_err().class(), ErrorClass::NotSame);
        // All goes on.
        file.write_all(Positioning::At(0), &bytes_of(&data[..1])).unwrap();
    });
}

/// Starts to write so many records of so many bytes, which belong to this rank.
fn start_records(world: &Comm, file: &File, data: &[u8], records: usize) -> Vec<Arc<Request>> {
    let each = data.len() / records;
    let first = world.rank() as usize * data.len();
    let start = |record: usize| {
        let own = &data[record * each..(record + 1) * each];
        let place = Positioning::At((first + record * each) as i64);
        file.start_write(place, &bytes_of(own)).unwrap()
    };
    (0..records).map(start).collect()
}

#[test]
fn nonblocking_writes_are_made_whoever_asks_for_them_and_in_whatever_way() {
    /// Asks for requests until all are complete.
    type Ask = fn(&[Arc<Request>]);
    let ways: [Ask; 4] = [
        |requests| {
            requests
                .iter()
                .for_each(|request| assert!(request.wait().error.is_success()))
        },
        |requests| {
            requests
                .iter()
                .rev()
                .for_each(|request| while request.test().is_none() {})
        },
        |requests| {
            let all = requests.iter().map(|request| Some(&**request));
            while !peek_all(all.clone(), |_, _| {}) {}
        },
        |requests| {
            for request in requests {
                assert!(matches!(
                    wait_any([Some(&**request)].into_iter()),
                    Outcome::Complete(0, _)
                ));
            }
        },
    ];
    for (records, each) in [(1, 100), (3, 100), (5, 4096), (100, 64), (70, 4096), (3, 200_000)] {
        with_file(4, Arc::new(Posix), move |world, file| {
            for (round, ask) in ways.iter().enumerate() {
                let byte = |at: usize| (at / each * 7 + at + round + world.rank() as usize) as u8;
                let data: Vec<u8> = (0..records * each).map(byte).collect();
                ask(&start_records(world, file, &data, records));
                let own = Positioning::At((world.rank() as usize * data.len()) as i64);
                assert!(read_bytes(file, own, data.len()) == data, "round {round}");
            }
        });
    }
}

#[test]
fn each_nonblocking_write_has_its_own_fault() {
    let full = Faults {
        from: Some((4000, Errno::NOSPC)),
        ..Faults::default()
    };
    with_file(1, Arc::new(Faulty::new(Posix, full)), |world, file| {
        let data = vec![7; 8000];
        for (record, request) in start_records(world, file, &data, 40).iter().enumerate() {
            let status = request.wait();
            let outcome = request.result(status).map_err(|error| error.class());
            let expected = if record < 20 {
                Ok(200)
            } else {
                Err(ErrorClass::NoSpace)
            };
            assert_eq!(outcome.map(|status| status.bytes), expected, "{record}");
        }
    });
}
