//! Programs that bring their own `malloc`, such as jemalloc, tcmalloc or mimalloc.
//!
//! Such an allocator is private to each rank, as the rest of its program is: its state, its thread-local variables, and
//! the blocks that it gives. The linker binds all references in the image to it, as the dynamic loader would. The C
//! library, which all ranks share, keeps its own allocator. So the functions of the C library whose blocks the program
//! frees have a second form in the shim, which copies the block into one of the program's.

use crate::elf::{Elf, abi};

/// What the shim puts before the names of those functions.
pub(crate) const PREFIX: &str = "simurgh_shim_own_block_";

/// Functions that a memory allocator defines.
const ALLOCATOR: &[&str] = &[
    "malloc",
    "free",
    "calloc",
    "realloc",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
];

/// Functions of the C library that give blocks, or change the size of the program's, and of which the shim has no
/// second form.
const WITHOUT_SECOND_FORM: &[&str] = &[
    "argz_add",
    "argz_add_sep",
    "argz_append",
    "argz_create",
    "argz_create_sep",
    "argz_delete",
    "argz_insert",
    "argz_replace",
    "envz_add",
    "envz_merge",
    "envz_remove",
    "open_wmemstream",
    "re_compile_pattern",
    "re_match",
    "re_match_2",
    "re_search",
    "re_search_2",
];

/// Whether an object brings an allocator.
pub(crate) fn is_in(elf: &Elf<'_>) -> bool {
    elf.symbols()
        .any(|symbol| symbol.is_exported() && ALLOCATOR.contains(&symbol.name))
}

/// The first function without a second form that an object uses.
pub(crate) fn unfit_function<'a>(elf: &Elf<'a>) -> Option<&'a str> {
    elf.symbols()
        .find(|symbol| symbol.section == abi::SHN_UNDEF && WITHOUT_SECOND_FORM.contains(&symbol.name))
        .map(|symbol| symbol.name)
}
