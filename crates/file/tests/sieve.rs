//! Data sieving: which gaps are read and written along, that nothing is lost, and what happens where it cannot be.

use std::path::Path;

use rustix::io::Errno;
use simurgh_core::sync::Arc;
use simurgh_datatype::memory::{bytes_of, collect};
use simurgh_datatype::{Basic, Datatype};
use simurgh_file::{
    Access, Choice, Faults, Faulty, FileSystem, Mode, Moved, Part, Posix, Representation, SharedFile,
    Sieving, Together, View, read, write,
};
use simurgh_testing::Scratch;

/// Bytes of a piece, and of a piece with the gap behind it.
const PIECE: usize = 8;
const STRIDE: usize = 24;
const PIECES: usize = 100;
const BYTES: usize = PIECE * PIECES;

/// The calls of a file system, and a file of it.
struct Case {
    system: Faulty<Posix>,
    file: SharedFile,
}

impl Case {
    fn open(path: &Path, access: Access, alone: bool, faults: Faults) -> Self {
        let mode = Mode {
            access,
            create: true,
            exclusive: false,
            permissions: 0o600,
        };
        let system = Faulty::new(Posix, faults);
        let file = SharedFile::new(system.open(path, mode).unwrap(), access, alone);
        file.expect_rewrites();
        Self { system, file }
    }

    /// Writes the data of a writer; returns the calls that it took.
    fn write(&self, writer: usize, sieving: Sieving) -> (u64, Moved) {
        let before = self.system.calls();
        let own = data(writer);
        let moved = write(
            &self.file,
            &Part {
                view: view(writer, sieving),
                position: 0,
                bytes: BYTES,
                memory: bytes_of(&own),
            },
        );
        (self.system.calls() - before, moved)
    }

    /// Reads it; returns the calls and the data.
    fn read(&self, writer: usize, sieving: Sieving) -> (u64, Vec<u8>) {
        let before = self.system.calls();
        let content = collect::<()>(BYTES, |target| {
            let mut part = Part {
                view: view(writer, sieving),
                position: 0,
                bytes: BYTES,
                memory: target.clone(),
            };
            let moved = read(&self.file, &mut part);
            moved.outcome.unwrap();
            assert_eq!(moved.bytes, BYTES);
            Ok(())
        });
        (self.system.calls() - before, content.unwrap())
    }
}

fn view(writer: usize, sieving: Sieving) -> Arc<View> {
    let byte = Datatype::Basic(Basic::Byte);
    let piece = Datatype::contiguous(PIECE, &byte).unwrap();
    let tile = Datatype::resized(0, STRIDE as isize, &piece).unwrap();
    let view = View::new((writer * PIECE) as u64, byte, tile, Representation::Native);
    Arc::new(view.unwrap().with_sieving(sieving))
}

fn data(writer: usize) -> Vec<u8> {
    (0..BYTES).map(|at| (at * 3 + writer * 89 + 1) as u8).collect()
}

fn with_writes(writes: Choice) -> Sieving {
    Sieving {
        writes,
        ..Sieving::default()
    }
}

#[test]
fn hints_say_whether_gaps_are_moved_along() {
    let folder = Scratch::new("sieve");
    let case = Case::open(&folder.path().join("file"), Access::Both, true, Faults::default());
    let small = Sieving {
        write_buffer: 10 * STRIDE,
        read_buffer: 20 * STRIDE,
        ..Sieving::default()
    };
    // A block costs a read, which meets the end of the file in a second call as long as it is short, and a write.
    let (calls, moved) = case.write(0, with_writes(Choice::Never));
    assert_eq!((calls, moved.bytes), (PIECES as u64, BYTES));
    for (sieving, calls) in [(with_writes(Choice::Automatic), 2), (small, 20)] {
        let (made, moved) = case.write(0, sieving);
        assert_eq!((made, moved.bytes), (calls, BYTES), "{sieving:?}");
        moved.outcome.unwrap();
    }
    let never = Sieving {
        reads: Choice::Never,
        ..Sieving::default()
    };
    for (sieving, calls) in [(never, PIECES as u64), (Sieving::default(), 1), (small, 5)] {
        assert_eq!(case.read(0, sieving), (calls, data(0)), "{sieving:?}");
    }
}

#[test]
fn what_lies_between_the_pieces_stays() {
    let folder = Scratch::new("sieve");
    let path = folder.path().join("file");
    let old: Vec<u8> = (0..PIECES * STRIDE - 5).map(|at| (at % 251) as u8 | 1).collect();
    std::fs::write(&path, &old).unwrap();
    let case = Case::open(&path, Access::Both, true, Faults::default());
    case.write(2, with_writes(Choice::Always)).1.outcome.unwrap();
    let content = std::fs::read(&path).unwrap();
    assert_eq!(content.len(), PIECES * STRIDE);
    for (at, byte) in content.iter().enumerate() {
        let expected = match at % STRIDE {
            within @ 16.. => data(2)[at / STRIDE * PIECE + within - 16],
            _ => old[at],
        };
        assert_eq!(*byte, expected, "{at}");
    }
}

#[test]
fn gaps_between_the_pieces_of_several_writers_are_rewritten() {
    let folder = Scratch::new("sieve");
    let path = folder.path().join("file");
    let own = [data(0), data(1)];
    // In one block, or a call for the pieces of both.
    for (writes, calls) in [(Choice::Automatic, 2), (Choice::Never, PIECES as u64)] {
        std::fs::write(&path, [7; PIECES * STRIDE]).unwrap();
        let case = Case::open(&path, Access::Both, true, Faults::default());
        let parts = own.iter().enumerate().map(|(writer, own)| Part {
            view: view(writer, with_writes(writes)),
            position: 0,
            bytes: BYTES,
            memory: bytes_of(own),
        });
        let together = Together::new(parts.collect(), Some((1 << 20, false)));
        together.write_unit(&case.file, 0);
        assert_eq!((together.units(), case.system.calls()), (1, calls));
        together.results().1.unwrap();
        for (writer, own) in own.iter().enumerate() {
            assert_eq!(&case.read(writer, Sieving::default()).1, own);
        }
        assert_eq!(case.read(2, Sieving::default()).1, [7; BYTES]);
    }
}

/// Three writers whose pieces interleave, of which one does not sieve, each through an open file of its own.
fn write_at_the_same_time(path: &Path, agree: bool) {
    let cases: Vec<_> = (0..3)
        .map(|_| Case::open(path, Access::Both, !agree, Faults::default()))
        .collect();
    for case in cases.iter().filter(|_| agree) {
        assert!(case.file.has_locks() && !case.file.can_rewrite());
        case.file.agree_to_lock();
        case.file.expect_rewrites();
    }
    let choices = [Choice::Always, Choice::Automatic, Choice::Never];
    for _ in 0..50 {
        std::fs::write(path, []).unwrap();
        std::thread::scope(|scope| {
            for (writer, case) in cases.iter().enumerate() {
                let sieving = with_writes(choices[writer]);
                scope.spawn(move || case.write(writer, sieving).1.outcome.unwrap());
            }
        });
        for (writer, case) in cases.iter().enumerate() {
            assert!(
                case.read(writer, Sieving::default()).1 == data(writer),
                "{writer}"
            );
        }
    }
}

#[test]
fn writers_of_one_process_lose_nothing() {
    let folder = Scratch::new("sieve");
    write_at_the_same_time(&folder.path().join("file"), false);
}

#[test]
fn writers_that_lock_lose_nothing() {
    let folder = Scratch::new("sieve");
    write_at_the_same_time(&folder.path().join("file"), true);
}

#[test]
fn nothing_is_rewritten_where_that_cannot_be() {
    let folder = Scratch::new("sieve");
    let path = folder.path().join("file");
    let lockless = Faults {
        lockless: true,
        ..Faults::default()
    };
    let none = Faults::default;
    for (access, alone, faults) in [
        (Access::Write, true, none()),
        (Access::Both, false, none()),
        (Access::Both, true, lockless),
    ] {
        let case = Case::open(&path, access, alone, faults);
        let (calls, moved) = case.write(1, with_writes(Choice::Always));
        assert_eq!((calls, moved.bytes), (PIECES as u64, BYTES));
        moved.outcome.unwrap();
    }
    let case = Case::open(&path, Access::Both, true, none());
    assert_eq!(case.read(1, Sieving::default()).1, data(1));
    case.file.set_atomic(true);
    let written = case
        .file
        .exclusively(0..1 << 20, true, || case.write(1, with_writes(Choice::Always)));
    assert_eq!(written.unwrap().0, PIECES as u64);
}

#[test]
fn a_full_device_says_how_much_was_written() {
    let folder = Scratch::new("sieve");
    let full = Faults {
        from: Some((10 * STRIDE as u64 + 3, Errno::NOSPC)),
        ..Faults::default()
    };
    let case = Case::open(&folder.path().join("file"), Access::Both, true, full);
    let sieving = Sieving {
        write_buffer: 4 * STRIDE,
        ..with_writes(Choice::Always)
    };
    let (_, moved) = case.write(0, sieving);
    assert_eq!(moved.bytes, 10 * PIECE + 3);
    assert_eq!(
        moved.outcome.unwrap_err().raw_os_error(),
        Some(Errno::NOSPC.raw_os_error())
    );
}
