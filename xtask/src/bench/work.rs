//! What programs of `benches/c` measure of one subject: blocks of memory, windows, files.

/// A kind of work, by the keyword that its program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Work(usize);

/// The quantity that a program prints of a kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// A time: less is better.
    Time,
    /// Memory: less is better.
    Memory,
    /// Bytes per time: more is better.
    Rate,
    /// A percentage: more is better.
    Share,
}

use Quantity::{Memory, Rate, Share, Time};

/// The keyword, the title with its unit, and the quantity of each kind, in the order of the tables.
const HEAP: &[(&str, &str, Quantity)] = &[
    ("pairs", "A block allocated and freed, ns of a core", Time),
    (
        "bursts",
        "100,000 blocks allocated, then freed, ns of a core for each",
        Time,
    ),
    ("mixed", "Blocks of random sizes, ns of a core for each", Time),
    (
        "exchanged",
        "Blocks of random sizes that two threads exchange, ns of a core for each",
        Time,
    ),
    (
        "scattered",
        "Blocks of random sizes, most of them short, among 50,000, ns of a core for each",
        Time,
    ),
    (
        "generations",
        "Blocks of cycling sizes, some of which live longer, ns of a core for each",
        Time,
    ),
    (
        "larson",
        "Blocks that threads inherit from others, ns of a core for each",
        Time,
    ),
    (
        "transferred",
        "Blocks of random sizes that two threads take from each other, ns of a core for each",
        Time,
    ),
    (
        "produced",
        "Blocks that one thread allocates and another frees, ns of a core for each",
        Time,
    ),
    (
        "scratched",
        "Writes of two threads to blocks that were neighbours, ns of a core for each",
        Time,
    ),
    (
        "delivered",
        "Messages in blocks of their own, ns of a core for each",
        Time,
    ),
    (
        "advection",
        "Cells of a grid that each step allocates anew, ns of a core for each",
        Time,
    ),
    (
        "together",
        "Numbers of twelve arrays that are added, ns of a core for each",
        Time,
    ),
    (
        "resident",
        "Memory taken by blocks of random sizes, in bytes for each that was asked for",
        Memory,
    ),
];

/// Kinds of work on a window of one other rank, each with memory of the library's and with memory of the program's:
/// keyword, title, unit and quantity.
macro_rules! on_either_memory {
    ($($keyword:literal, $title:literal, $unit:literal, $quantity:ident;)*) => {
        &[
            $(($keyword, concat!($title, ", ", $unit), $quantity),)*
            $((
                concat!($keyword, "_created"),
                concat!($title, ", memory of the program, ", $unit),
                $quantity,
            ),)*
        ]
    };
}

/// The same for windows that two ranks have.
const WINDOWS_OF_TWO: &[(&str, &str, Quantity)] = on_either_memory! {
    "put", "Put and flush", "ns", Time;
    "get", "Get and flush", "ns", Time;
    "locked", "Lock, put and unlock", "ns", Time;
    "started", "Epoch of start, put and complete", "ns", Time;
    "fenced", "Put and fence", "ns", Time;
    "put_rate", "Puts, 64 before a flush", "MB/s", Rate;
    "accumulated", "Accumulate of doubles and flush", "ns", Time;
    "fetched", "Fetch_and_op and flush", "ns", Time;
    "swapped", "Compare_and_swap and flush", "ns", Time;
};

/// The same for windows on which all ranks work.
const WINDOWS_OF_ALL: &[(&str, &str, Quantity)] = &[
    (
        "contended",
        "Fetch_and_op of all ranks at one counter, ns for each rank",
        Time,
    ),
    (
        "updated",
        "Random updates of all ranks, ns between two of them",
        Time,
    ),
    ("fences", "Fence, ns", Time),
    ("faces", "Puts to both neighbours and a fence, ns", Time),
];

/// The same for files, in memory and on disk.
const FILES: &[(&str, &str, Quantity)] = &[
    (
        "contiguous_write_memory",
        "A piece for each rank, in memory, written, MB/s",
        Rate,
    ),
    (
        "contiguous_read_memory",
        "A piece for each rank, in memory, read, MB/s",
        Rate,
    ),
    (
        "system_write_memory",
        "A piece for each rank, in memory, written without MPI, MB/s",
        Rate,
    ),
    (
        "system_read_memory",
        "A piece for each rank, in memory, read without MPI, MB/s",
        Rate,
    ),
    (
        "strided_write_memory",
        "Blocks in turn, in memory, written together, MB/s",
        Rate,
    ),
    (
        "strided_read_memory",
        "Blocks in turn, in memory, read together, MB/s",
        Rate,
    ),
    (
        "alone_write_memory",
        "Blocks in turn, in memory, written by each rank alone, MB/s",
        Rate,
    ),
    (
        "alone_read_memory",
        "Blocks in turn, in memory, read by each rank alone, MB/s",
        Rate,
    ),
    (
        "spaced_write_memory",
        "Blocks in turn with gaps, in memory, written together, MB/s",
        Rate,
    ),
    (
        "spaced_read_memory",
        "Blocks in turn with gaps, in memory, read together, MB/s",
        Rate,
    ),
    (
        "square_write_memory",
        "Parts of a matrix, in memory, written together, MB/s",
        Rate,
    ),
    (
        "square_read_memory",
        "Parts of a matrix, in memory, read together, MB/s",
        Rate,
    ),
    (
        "cube_write_memory",
        "Parts of a cube, in memory, written together, MB/s",
        Rate,
    ),
    (
        "cube_read_memory",
        "Parts of a cube, in memory, read together, MB/s",
        Rate,
    ),
    (
        "shared_memory",
        "Records at the shared pointer, in memory, ns between two of them",
        Time,
    ),
    (
        "ordered_memory",
        "Records in the order of ranks, in memory, ns between two of them",
        Time,
    ),
    (
        "records_memory",
        "Records of each rank, in memory, ns between two of them",
        Time,
    ),
    (
        "overlapped_memory",
        "Kept for computing that takes as long as the writes beside it, in memory, %",
        Share,
    ),
    (
        "posted_memory",
        "Nonblocking writes with nothing beside them, in memory, ns for each",
        Time,
    ),
    (
        "contiguous_write_disk",
        "A piece for each rank, on disk, written, MB/s",
        Rate,
    ),
    (
        "contiguous_read_disk",
        "A piece for each rank, on disk, read, MB/s",
        Rate,
    ),
    (
        "system_write_disk",
        "A piece for each rank, on disk, written without MPI, MB/s",
        Rate,
    ),
    (
        "system_read_disk",
        "A piece for each rank, on disk, read without MPI, MB/s",
        Rate,
    ),
    (
        "strided_write_disk",
        "Blocks in turn, on disk, written together, MB/s",
        Rate,
    ),
    (
        "strided_read_disk",
        "Blocks in turn, on disk, read together, MB/s",
        Rate,
    ),
    (
        "alone_write_disk",
        "Blocks in turn, on disk, written by each rank alone, MB/s",
        Rate,
    ),
    (
        "alone_read_disk",
        "Blocks in turn, on disk, read by each rank alone, MB/s",
        Rate,
    ),
    (
        "spaced_write_disk",
        "Blocks in turn with gaps, on disk, written together, MB/s",
        Rate,
    ),
    (
        "spaced_read_disk",
        "Blocks in turn with gaps, on disk, read together, MB/s",
        Rate,
    ),
    (
        "square_write_disk",
        "Parts of a matrix, on disk, written together, MB/s",
        Rate,
    ),
    (
        "square_read_disk",
        "Parts of a matrix, on disk, read together, MB/s",
        Rate,
    ),
    (
        "cube_write_disk",
        "Parts of a cube, on disk, written together, MB/s",
        Rate,
    ),
    (
        "cube_read_disk",
        "Parts of a cube, on disk, read together, MB/s",
        Rate,
    ),
    (
        "shared_disk",
        "Records at the shared pointer, on disk, ns between two of them",
        Time,
    ),
    (
        "ordered_disk",
        "Records in the order of ranks, on disk, ns between two of them",
        Time,
    ),
    (
        "records_disk",
        "Records of each rank, on disk, ns between two of them",
        Time,
    ),
    (
        "overlapped_disk",
        "Kept for computing that takes as long as the writes beside it, on disk, %",
        Share,
    ),
    (
        "posted_disk",
        "Nonblocking writes with nothing beside them, on disk, ns for each",
        Time,
    ),
];

impl Work {
    /// The work of a line that begins with this keyword.
    pub(crate) fn of_keyword(keyword: &str) -> Option<Self> {
        all().position(|(known, ..)| *known == keyword).map(Self)
    }

    /// The title for headings, with the unit.
    pub(crate) fn title(self) -> &'static str {
        self.entry().1
    }

    /// The quantity that is measured.
    pub(crate) fn quantity(self) -> Quantity {
        self.entry().2
    }

    /// The keyword, which names files.
    pub(crate) fn keyword(self) -> &'static str {
        self.entry().0
    }

    fn entry(self) -> &'static (&'static str, &'static str, Quantity) {
        all()
            .nth(self.0)
            .expect("a kind of work is made of a place in the tables")
    }
}

fn all() -> impl Iterator<Item = &'static (&'static str, &'static str, Quantity)> {
    [HEAP, WINDOWS_OF_TWO, WINDOWS_OF_ALL, FILES]
        .into_iter()
        .flatten()
}
