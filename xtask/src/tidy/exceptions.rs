//! The exceptions from the rules, with their reasons.

/// The files that may be longer than others: (path, lines, reason).
pub(crate) const LONG: &[(&str, usize, &str)] = &[
    (
        "crates/fabric-sys/src/raw.rs",
        1500,
        "generated: the declarations of libfabric's headers",
    ),
    (
        "include/mpi.h",
        10000,
        "generated: the whole interface of the standard",
    ),
];

/// The places that may use atomics of the standard library: (path prefix, reason).
pub(crate) const ATOMICS: &[(&str, &str)] = &[
    ("crates/core/src/sync", "the place that all others take them from"),
    ("crates/alloc/", "lies below the core crate"),
    (
        "crates/heap/",
        "does not depend on the core crate: programs call it",
    ),
    (
        "crates/image/",
        "does not depend on the core crate: it works on plain threads",
    ),
    (
        "crates/launcher/host/",
        "has nothing but core: a program without the standard library",
    ),
    (
        "crates/mpifort/",
        "is private to each rank, and depends on nothing but the C ABI",
    ),
    ("tests/", "runs outside the runtime"),
    ("xtask/", "runs outside the runtime"),
];

/// The places that may have unsafe code: (path prefix, reason).
pub(crate) const UNSAFE: &[(&str, &str)] = &[
    ("crates/alloc/", "memory by its nature"),
    ("crates/heap/", "memory that is handed out"),
    (
        "crates/derive/",
        "writes the promise of a struct whose fields the compiler has checked",
    ),
    ("crates/core/", "stacks, switches and intrusive lists"),
    ("crates/fabric-sys/", "calls a C library"),
    ("crates/image/", "ELF images in memory"),
    (
        "crates/file/src/posix/range_lock.rs",
        "locks of byte ranges, which no safe crate has",
    ),
    ("crates/library/", "finds C libraries"),
    ("crates/pmix-sys/", "calls a C library"),
    (
        "crates/launcher/host/",
        "loads the runtime: a program without the standard library",
    ),
    (
        "crates/net/src/transport/",
        "memory of other processes, and a C library",
    ),
    (
        "crates/host/",
        "images, signals and memory of ranks, and descriptors of a launcher",
    ),
    ("crates/mpi-abi/", "raw pointers from C"),
    ("crates/mpifort/src/", "raw pointers from Fortran"),
    (
        "crates/mpifort/generator/src/wrappers/",
        "writes the procedures, which get raw pointers from Fortran",
    ),
    ("crates/datatype/src/memory/", "the users' buffers"),
    ("crates/datatype/tests/", "lends buffers as a user's program does"),
    ("crates/typed/src/", "slices of Rust values as users' buffers"),
    (
        "crates/mpi/src/endpoint/rank_owner.rs",
        "the first thread of a rank, which owns its locks",
    ),
    (
        "crates/mpi/src/endpoint/reference.rs",
        "the address of a sender's memory, which goes through a ring as a number",
    ),
    (
        "crates/mpi/src/request/own_reference.rs",
        "the reference of which a rank and its counterpart take turns",
    ),
    (
        "crates/mpi/src/network/exposed.rs",
        "lends users' memory to a transport",
    ),
    ("crates/net/benches/", "lends memory to a transport"),
    (
        "crates/net/src/transport/",
        "memory that other processes and devices write",
    ),
    ("fuzz/", "lends buffers as a user's program and a network do"),
    ("crates/mpi/benches/", "lends buffers as a user's program does"),
    ("crates/mpi/tests/", "lends buffers as a user's program does"),
];
