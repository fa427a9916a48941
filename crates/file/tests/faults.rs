//! Accesses to files that fail: short reads and writes, interruptions, full devices, files that shrink.

use std::path::Path;

use rustix::io::Errno;
use simurgh_core::sync::Arc;
use simurgh_datatype::memory::{bytes_of, collect};
use simurgh_datatype::{Basic, Datatype};
use simurgh_file::{
    Access, Faults, Faulty, FileSystem, Mode, Part, Posix, Representation, SharedFile, Together, View, read,
    write,
};
use simurgh_testing::Scratch;

const RANKS: usize = 3;
/// Bytes of each rank.
const BYTES: usize = 301;
/// Bytes of a block of a rank; the blocks of the ranks take turns, with a gap of one byte after each.
const BLOCK: usize = 7;

fn open(path: &Path, faults: Faults) -> SharedFile {
    let mode = Mode {
        access: Access::Both,
        create: true,
        exclusive: false,
        permissions: 0o600,
    };
    let storage = Faulty::new(Posix, faults).open(path, mode).unwrap();
    SharedFile::new(storage, mode.access, false)
}

fn view(rank: usize) -> Arc<View> {
    let byte = Datatype::Basic(Basic::Byte);
    let block = Datatype::contiguous(BLOCK, &byte).unwrap();
    let tile = Datatype::resized(0, (RANKS * (BLOCK + 1)) as isize, &block).unwrap();
    let displacement = (rank * (BLOCK + 1)) as u64;
    Arc::new(View::new(displacement, byte, tile, Representation::Native).unwrap())
}

fn data(rank: usize) -> Vec<u8> {
    (0..BYTES).map(|at| (at * 5 + rank * 77 + 1) as u8).collect()
}

fn write_parts(
    file: &SharedFile,
    all: &[Vec<u8>],
    window: Option<(usize, bool)>,
) -> (Vec<usize>, std::io::Result<()>) {
    let parts = all.iter().enumerate().map(|(rank, data)| Part {
        view: view(rank),
        position: 0,
        bytes: BYTES,
        memory: bytes_of(data),
    });
    let together = Together::new(parts.collect(), window);
    (0..together.units()).for_each(|unit| together.write_unit(file, unit));
    together.results()
}

fn read_part(file: &SharedFile, rank: usize) -> (usize, Vec<u8>) {
    let mut moved = 0;
    let content = collect::<std::io::Error>(BYTES, |target| {
        let mut part = Part {
            view: view(rank),
            position: 0,
            bytes: BYTES,
            memory: target.clone(),
        };
        let result = read(file, &mut part);
        moved = result.bytes;
        result.outcome
    });
    (moved, content.unwrap())
}

#[test]
fn short_and_interrupted_transfers_go_on() {
    let folder = Scratch::new("faults");
    let all: Vec<_> = (0..RANKS).map(data).collect();
    let faults = [(1, 0), (3, 0), (0, 2), (5, 3)];
    for (number, (longest, interrupted)) in faults.into_iter().enumerate() {
        for window in [None, Some((64, false)), Some((1 << 20, false))] {
            let path = folder
                .path()
                .join(format!("{number}-{window:?}").replace(" ", ""));
            let file = open(
                &path,
                Faults {
                    longest,
                    interrupted,
                    ..Faults::default()
                },
            );
            let (moved, outcome) = write_parts(&file, &all, window);
            outcome.unwrap();
            assert_eq!(moved, [BYTES; RANKS]);
            for (rank, data) in all.iter().enumerate() {
                assert_eq!(read_part(&file, rank), (BYTES, data.clone()));
            }
            // Nothing was written into the gaps.
            let content = std::fs::read(&path).unwrap();
            let gaps = content.iter().skip(BLOCK).step_by(BLOCK + 1);
            assert!(gaps.into_iter().all(|byte| *byte == 0));
        }
    }
}

#[test]
fn a_full_device_is_an_error_and_what_was_written_is_there() {
    let folder = Scratch::new("faults");
    let path = folder.path().join("full");
    let full = Faults {
        from: Some((100, Errno::NOSPC)),
        ..Faults::default()
    };
    let file = open(&path, full);
    let own = data(0);
    let part = Part {
        view: view(0),
        position: 0,
        bytes: BYTES,
        memory: bytes_of(&own),
    };
    let moved = write(&file, &part);
    // Blocks at 0, 24, 48, 72, and four bytes of that at 96.
    assert_eq!(moved.bytes, 4 * BLOCK + 4);
    assert_eq!(
        moved.outcome.unwrap_err().raw_os_error(),
        Some(Errno::NOSPC.raw_os_error())
    );
    let content = std::fs::read(&path).unwrap();
    for (at, byte) in own[..moved.bytes].iter().enumerate() {
        assert_eq!(content[at / BLOCK * RANKS * (BLOCK + 1) + at % BLOCK], *byte);
    }
    let all: Vec<_> = (0..RANKS).map(data).collect();
    for window in [None, Some((64, false))] {
        let (_, outcome) = write_parts(&file, &all, window);
        assert_eq!(
            outcome.unwrap_err().raw_os_error(),
            Some(Errno::NOSPC.raw_os_error())
        );
    }
}

#[test]
fn a_file_that_shrinks_ends_a_read() {
    let folder = Scratch::new("faults");
    let path = folder.path().join("shrinks");
    let all: Vec<_> = (0..RANKS).map(data).collect();
    write_parts(&open(&path, Faults::default()), &all, Some((64, false)))
        .1
        .unwrap();
    let file = open(
        &path,
        Faults {
            shrunk: Some(100),
            ..Faults::default()
        },
    );
    let (moved, content) = read_part(&file, 1);
    // Blocks at 8, 32, 56 and 80; the next one would begin at 104.
    assert_eq!(moved, 4 * BLOCK);
    assert_eq!(content[..moved], all[1][..moved]);
    assert!(content[moved..].iter().all(|byte| *byte == 0));
    let mut buffers = vec![vec![0_u8; BYTES]; RANKS];
    let mut parts = Vec::new();
    for (rank, buffer) in buffers.iter_mut().enumerate() {
        *buffer = collect::<()>(BYTES, |target| {
            parts.push(Part {
                view: view(rank),
                position: 0,
                bytes: BYTES,
                memory: target.clone(),
            });
            let together = Together::new(vec![parts.pop().unwrap()], Some((64, false)));
            (0..together.units()).for_each(|unit| together.read_unit(&file, unit));
            let (moved, outcome) = together.results();
            outcome.unwrap();
            assert_eq!(moved, [[32, 28, 28][rank]]);
            Ok(())
        })
        .unwrap();
    }
    assert_eq!(buffers[0][..32], all[0][..32]);
}

#[test]
fn an_interleaved_read_finds_the_end_for_each_rank() {
    let folder = Scratch::new("faults");
    let path = folder.path().join("ends");
    let all: Vec<_> = (0..RANKS).map(data).collect();
    let file = open(&path, Faults::default());
    write_parts(&file, &all, Some((64, false))).1.unwrap();
    file.storage().set_size(100).unwrap();
    let read = collect::<()>(RANKS * BYTES, |target| {
        let parts = (0..RANKS).map(|rank| Part {
            view: view(rank),
            position: 0,
            bytes: BYTES,
            memory: target.slice(rank * BYTES, BYTES),
        });
        let together = Together::new(parts.collect(), Some((64, false)));
        assert!(together.units() > 1);
        (0..together.units()).for_each(|unit| together.read_unit(&file, unit));
        let (moved, outcome) = together.results();
        outcome.unwrap();
        assert_eq!(moved, [32, 28, 28]);
        Ok(())
    })
    .unwrap();
    for (rank, data) in all.iter().enumerate() {
        assert_eq!(read[rank * BYTES..][..28], data[..28]);
    }
}

/// Pieces that are not short go to their places without a buffer between.
#[test]
fn a_read_of_longer_pieces_finds_the_end_and_the_data() {
    const LONG: usize = 16 << 10;
    const PIECES: usize = 6;
    let folder = Scratch::new("faults");
    let path = folder.path().join("long");
    let content: Vec<u8> = (0..2 * PIECES * LONG).map(|at| (at / 7 % 251) as u8).collect();
    std::fs::write(&path, &content[..9 * LONG + 5]).unwrap();
    let byte = Datatype::Basic(Basic::Byte);
    let tile = Datatype::resized(0, 2 * LONG as isize, &Datatype::contiguous(LONG, &byte).unwrap()).unwrap();
    let view = |rank: usize| {
        let start = (rank * LONG) as u64;
        Arc::new(View::new(start, byte.clone(), tile.clone(), Representation::Native).unwrap())
    };
    let file = Faulty::new(Posix, Faults::default());
    let mode = Mode {
        access: Access::Read,
        create: false,
        exclusive: false,
        permissions: 0,
    };
    let storage = SharedFile::new(file.open(&path, mode).unwrap(), mode.access, true);
    let read = collect::<()>(2 * PIECES * LONG, |target| {
        let parts = (0..2).map(|rank| Part {
            view: view(rank),
            position: 0,
            bytes: PIECES * LONG,
            memory: target.slice(rank * PIECES * LONG, PIECES * LONG),
        });
        let together = Together::new(parts.collect(), Some((4 * LONG, false)));
        assert_eq!(together.units(), 3);
        (0..3).for_each(|unit| together.read_unit(&storage, unit));
        let (moved, outcome) = together.results();
        outcome.unwrap();
        assert_eq!(moved, [5 * LONG, 4 * LONG + 5]);
        Ok(())
    })
    .unwrap();
    // One for each piece, and one that finds the end for each rank.
    assert_eq!(file.calls(), 10 + 2);
    for (at, byte) in content.iter().enumerate().take(9 * LONG + 5) {
        let (piece, within) = (at / LONG, at % LONG);
        let place = (piece % 2 * PIECES + piece / 2) * LONG + within;
        assert_eq!(read[place], *byte, "{at}");
    }
}
