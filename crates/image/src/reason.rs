//! The reasons why a program cannot run in threads mode. Each message says what to do about it.

use std::path::PathBuf;

/// A reason why a program cannot run in threads mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// It is compiled for another processor.
    #[error("it is not an x86-64 program: compile it for this machine")]
    Machine,
    /// It is not position independent (`ET_EXEC`).
    #[error("it is not position independent: compile with -fPIE and link with -pie")]
    NotPositionIndependent,
    /// It has no dynamic loader or no libc.so.6.
    #[error("it is statically linked: link it dynamically (without -static or -static-pie)")]
    Static,
    /// It was made for another C library.
    #[error("it uses the dynamic loader {0}, not glibc's: compile it against glibc")]
    ForeignLoader(String),
    /// It does not start as C programs do.
    #[error("it does not start through __libc_start_main: link it with the usual start files of C")]
    NoStartFunction,
    /// Its code has relocations.
    #[error(
        "{0} has relocations in its code: compile it with -fPIC, link without -z nocopyreloc and -z notext"
    )]
    TextRelocations(String),
    /// It brings its own malloc, and calls a function of the C library that would give it blocks of another one.
    #[error(
        "{object} uses {function}, whose blocks the memory allocator in {allocator} does not know: link without that \
         allocator, or do without {function}"
    )]
    OwnAllocator {
        /// The program or library with the allocator.
        allocator: String,
        /// The program or library with the call.
        object: String,
        /// The function.
        function: String,
    },
    /// It is built with a sanitizer.
    #[error("it is built with a sanitizer ({0}): build it without -fsanitize")]
    Sanitizer(String),
    /// It is built for gprof.
    #[error("it is built for gprof (it uses {0}): build it without -pg")]
    Profiled(String),
    /// It has thread-local storage that is aligned beyond a page.
    #[error("{object} aligns thread-local variables to {align} bytes: use at most 4096")]
    TlsAlignment {
        /// The program or library.
        object: String,
        /// The alignment.
        align: u64,
    },
    /// It has a relocation of a kind that no usual linker makes.
    #[error("{object} has relocations of the unknown kind {kind}: link it with GNU ld, gold or lld")]
    Relocation {
        /// The program or library.
        object: String,
        /// The kind of the relocation, `R_X86_64_*`.
        kind: u32,
    },
    /// It runs with raised privileges.
    #[error("it is a set-user-ID or set-group-ID program: ranks cannot have privileges of their own")]
    Privileged,
    /// It is linked with an MPI that does not follow the standard ABI.
    #[error(
        "it is linked to {mpi} ({library}): compile it against the MPI ABI header and link with -lmpi_abi"
    )]
    OtherMpi {
        /// The name of that MPI.
        mpi: &'static str,
        /// The library.
        library: String,
    },
    /// One of its libraries is missing.
    #[error("its library {0} is not found: install it or set LD_LIBRARY_PATH")]
    MissingLibrary(String),
    /// A library or tool cannot be read as ELF.
    #[error("its library {} cannot be used: {detail}", path.display())]
    BadLibrary {
        /// The file.
        path: PathBuf,
        /// The fault of the file.
        detail: String,
    },
}
