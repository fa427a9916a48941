//! Why a program cannot run in threads mode, each with what to do about it.

use std::path::PathBuf;

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// For another processor.
    #[error("it is not an x86-64 program: compile it for this machine")]
    Machine,
    /// `ET_EXEC`.
    #[error("it is not position independent: compile with -fPIE and link with -pie")]
    NotPositionIndependent,
    /// No dynamic loader or no libc.so.6.
    #[error("it is statically linked: link it dynamically (without -static or -static-pie)")]
    Static,
    /// Made for another C library.
    #[error("it uses the dynamic loader {0}, not glibc's: compile it against glibc")]
    ForeignLoader(String),
    /// It does not start as C programs do.
    #[error("it does not start through __libc_start_main: link it with the usual start files of C")]
    NoStartFunction,
    /// Relocations in code.
    #[error(
        "{0} has relocations in its code: compile it with -fPIC, link without -z nocopyreloc and -z notext"
    )]
    TextRelocations(String),
    /// It replaces malloc.
    #[error("{object} brings its own {symbol}: link without that memory allocator")]
    OwnAllocator {
        /// Program or library.
        object: String,
        /// The function.
        symbol: String,
    },
    /// Sanitizers.
    #[error("it is built with a sanitizer ({0}): build it without -fsanitize")]
    Sanitizer(String),
    /// gprof.
    #[error("it is built for gprof (it uses {0}): build it without -pg")]
    Profiled(String),
    /// Thread-local storage aligned beyond a page.
    #[error("{object} aligns thread-local variables to {align} bytes: use at most 4096")]
    TlsAlignment {
        /// Program or library.
        object: String,
        /// The alignment.
        align: u64,
    },
    /// A relocation that no usual linker makes.
    #[error("{object} has relocations of the unknown kind {kind}: link it with GNU ld, gold or lld")]
    Relocation {
        /// Program or library.
        object: String,
        /// `R_X86_64_*`.
        kind: u32,
    },
    /// Raised privileges.
    #[error("it is a set-user-ID or set-group-ID program: ranks cannot have privileges of their own")]
    Privileged,
    /// Linked to an MPI that is not the standard ABI.
    #[error(
        "it is linked to {mpi} ({library}): compile it against the MPI ABI header and link with -lmpi_abi"
    )]
    OtherMpi {
        /// Name of that MPI.
        mpi: &'static str,
        /// The library.
        library: String,
    },
    /// A library is missing.
    #[error("its library {0} is not found: install it or set LD_LIBRARY_PATH")]
    MissingLibrary(String),
    /// A library or tool cannot be read as ELF.
    #[error("its library {} cannot be used: {detail}", path.display())]
    BadLibrary {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
}
