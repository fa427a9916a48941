//! The rows of the table that are about the memory that programs allocate.

use crate::placement::Part;
use crate::{Category, Id, Kind, Preset, Scope, Setting, Spelling, Verbosity};

pub(super) const MEMORY_LIMIT: Setting = Setting {
    id: Id::MemoryLimit,
    name: "memory_limit",
    options: &[Spelling::Takes("memory-limit")],
    variables: &["SIMURGH_MEMORY_LIMIT"],
    kind: Kind::Size {
        least: 1 << 20,
        most: 16 << 40,
    },
    preset: Preset::Absent("no limit"),
    scope: Scope::Start,
    category: Category::Memory,
    verbosity: Verbosity::UserBasic,
    doc: "memory that each rank may allocate, such as 512M: more is refused, and malloc gives null; of ranks that \
          are processes, all data that no other process shares (ulimit -d)",
};

pub(super) const MEMORY_PLACEMENT: Setting = Setting {
    id: Id::MemoryPlacement,
    name: "memory_placement",
    options: &[Spelling::Takes("memory-placement")],
    variables: &["SIMURGH_MEMORY_PLACEMENT"],
    kind: Kind::Placement(Part::Memory),
    preset: Preset::Absent("local"),
    scope: Scope::Rank,
    category: Category::Memory,
    verbosity: Verbosity::TunerBasic,
    doc: "the NUMA nodes that what ranks allocate comes from, by the system's numbers: local: that of the rank's \
          virtual processor; first-touch: that of whoever touches a page first; interleave: these or all in turn; \
          bind: these alone; preferred: this one while it has memory; map: rank by rank one of these alone; pool: \
          as local, with all pages of each 4 MiB or longer block at once",
};

pub(super) const RELOCATABLE: Setting = Setting {
    id: Id::Relocatable,
    name: "relocatable",
    options: &[Spelling::Sets("relocatable", 1)],
    variables: &["SIMURGH_RELOCATABLE"],
    kind: Kind::Flag,
    preset: Preset::Value(0),
    scope: Scope::Start,
    category: Category::Memory,
    verbosity: Verbosity::UserDetail,
    doc: "keep all memory of each rank (heap, stack, thread-local and global variables) in a range of addresses of \
          its own, which is the same in all processes, so that a rank can be dumped and restored; needs ranks that are \
          threads",
};

pub(super) const RANK_RANGE: Setting = Setting {
    id: Id::RankRange,
    name: "rank_range",
    options: &[Spelling::Takes("rank-range")],
    variables: &["SIMURGH_RANK_RANGE"],
    kind: Kind::Size {
        least: 256 << 20,
        most: 4 << 40,
    },
    preset: Preset::Value(16 << 30),
    scope: Scope::Start,
    category: Category::Memory,
    verbosity: Verbosity::UserDetail,
    doc: "addresses that --relocatable gives each rank, rounded up to a power of two: three quarters are for its heap, \
          an eighth for its stack; they cost nothing until they are used, and there are 16T for all ranks",
};

pub(super) const HEAP_PROFILE: Setting = Setting {
    id: Id::HeapProfile,
    name: "heap_profile",
    options: &[Spelling::Takes("heap-profile")],
    variables: &["SIMURGH_HEAP_PROFILE"],
    kind: Kind::Path("FILE"),
    preset: Preset::Absent("none"),
    scope: Scope::Start,
    category: Category::Memory,
    verbosity: Verbosity::UserBasic,
    doc: "write where ranks have allocated memory to FILE, for pprof, and a flame graph to FILE.svg; with several \
          hosts, each has a FILE.N",
};

pub(super) const HEAP_SAMPLE: Setting = Setting {
    id: Id::HeapSample,
    name: "heap_sample",
    options: &[Spelling::Takes("heap-sample")],
    variables: &["SIMURGH_HEAP_SAMPLE"],
    kind: Kind::Size {
        least: 0,
        most: 1 << 30,
    },
    preset: Preset::Value(512 << 10),
    scope: Scope::Start,
    category: Category::Memory,
    verbosity: Verbosity::UserDetail,
    doc: "bytes between the blocks whose call site is noted, on average, for --heap-profile and --stats; 0: none",
};
