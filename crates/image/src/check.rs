//! The check whether the ranks of a program can live in one process.

use std::path::PathBuf;

use crate::closure::{self, Closure, LOADER, file_name};
use crate::elf::{Elf, PAGE, abi};
use crate::link;
use crate::own_malloc;
use crate::program::Program;
use crate::reason::Reason;
use crate::shim;
use crate::source::Source;
use crate::tls::{self, Allocator, ROOM_FOR_ADDITIONS, TlsNeed};

/// How a program is linked with MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MpiLink {
    /// It is not linked with MPI.
    None,
    /// It is linked with the library of the standard ABI, whose place our library takes. The path is the one that the
    /// dynamic loader would have found.
    Abi(Option<PathBuf>),
}

/// A library of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryUse {
    /// The name by which the program asks for it.
    pub name: String,
    /// Its path, if each rank has its own copy of it.
    pub path: Option<PathBuf>,
    /// Whether each rank has its own copy of it.
    pub private: bool,
}

/// The needs of a program that runs in threads mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The storage that the host has to reserve: see [`reserve_tls`](crate::reserve_tls).
    pub tls: TlsNeed,
    /// Whether stacks of ranks must be executable (nested functions of C and Fortran).
    pub needs_exec_stack: bool,
    /// How the program is linked with MPI.
    pub links_mpi: MpiLink,
    /// All libraries of the program.
    pub libraries: Vec<LibraryUse>,
}

/// The result of a check, with the libraries that are needed to prepare the program.
pub(crate) struct Checked {
    pub(crate) fit: Fit,
    pub(crate) closure: Closure,
}

/// The beginnings of the names of sanitizers' libraries.
const SANITIZERS: &[&str] = &[
    "libasan.so",
    "libtsan.so",
    "libubsan.so",
    "liblsan.so",
    "libmsan.so",
    "libhwasan.so",
];

/// Functions of statically linked sanitizers (clang links them so) and of gprof.
const SANITIZER_SYMBOLS: &[&str] = &[
    "__asan_init",
    "__tsan_init",
    "__msan_init",
    "__ubsan_handle_add_overflow",
];
const PROFILER_SYMBOLS: &[&str] = &["mcount", "_mcount", "__monstartup"];

/// The beginnings of the names of libraries of MPIs that do not follow the standard ABI.
const OTHER_MPIS: &[(&str, &str)] = &[
    ("libmpi.so.40", "Open MPI"),
    ("libmpi.so.20", "an old Open MPI"),
    ("libmpi_cxx.so", "Open MPI's C++ bindings"),
    ("libmpi_mpifh.so", "Open MPI's Fortran bindings"),
    ("libmpi_usempif08.so", "Open MPI's Fortran bindings"),
    ("libopen-rte.so", "Open MPI"),
    ("libmpi.so.12", "MPICH, MVAPICH or Intel MPI (the MPICH ABI)"),
    ("libmpich.so", "MPICH"),
    ("libmpifort.so", "MPICH's Fortran bindings"),
    ("libmpicxx.so", "MPICH's C++ bindings"),
    ("libmpi.so", "an MPI with an ABI of its own"),
];

impl Program {
    /// Checks whether ranks of this program can live in one process, together with tools (`preload`: libraries that
    /// define `MPI_` functions and call the `PMPI_` ones).
    ///
    /// # Errors
    /// All reasons why they cannot, each a line for the user with what to do about it.
    pub fn check(&self, preload: &[PathBuf]) -> Result<Fit, Vec<Reason>> {
        check(self, preload).map(|checked| checked.fit)
    }
}

/// Checks a program together with its tools.
pub(crate) fn check(program: &Program, preload: &[PathBuf]) -> Result<Checked, Vec<Reason>> {
    let source = &program.source;
    let bad = |path: &PathBuf, detail: String| {
        vec![Reason::BadLibrary {
            path: path.clone(),
            detail,
        }]
    };
    let elf = source
        .elf()
        .map_err(|error| bad(&source.path, error.to_string()))?;
    let mut reasons = check_program(source, &elf);
    reasons.extend(elf.strings(abi::DT_NEEDED).filter_map(other_mpi));
    if !reasons.is_empty() {
        return Err(reasons);
    }
    let loader = elf.interpreter().unwrap_or_default();
    let closure = closure::resolve(source, loader, preload).map_err(|detail| bad(&source.path, detail))??;
    let mut tls = Allocator::default();
    check_object(source, &elf, &mut tls, &mut reasons);
    for object in std::iter::once(&shim::source().map_err(|error| bad(&source.path, error.to_string()))?)
        .chain(closure.libraries.iter().map(|library| &library.source))
    {
        if let Ok(elf) = object.elf() {
            reasons.extend(elf.strings(abi::DT_NEEDED).filter_map(other_mpi));
            check_object(object, &elf, &mut tls, &mut reasons);
        }
    }
    reasons.extend(check_allocator(source, &closure));
    if !reasons.is_empty() {
        return Err(reasons);
    }
    let mut need = tls.need();
    if objects_of(source, &closure).any(loads_libraries) {
        need.size += ROOM_FOR_ADDITIONS;
    }
    let fit = Fit {
        tls: need,
        needs_exec_stack: objects_of(source, &closure)
            .any(|object| object.elf().is_ok_and(|elf| wants_exec_stack(&elf))),
        links_mpi: link_to_mpi(&closure),
        libraries: library_uses(&closure),
    };
    Ok(Checked { fit, closure })
}

/// The program and its libraries.
fn objects_of<'a>(program: &'a Source, closure: &'a Closure) -> impl Iterator<Item = &'a Source> {
    let libraries = closure.libraries.iter().map(|library| &library.source);
    std::iter::once(program).chain(libraries)
}

/// The reason for a refusal if an object brings an allocator whose blocks the C library would have to know.
fn check_allocator(program: &Source, closure: &Closure) -> Option<Reason> {
    let has_allocator = |object: &&Source| object.elf().is_ok_and(|elf| own_malloc::is_in(&elf));
    let allocator = objects_of(program, closure).find(has_allocator)?;
    objects_of(program, closure).find_map(|object| {
        let function = own_malloc::unfit_function(&object.elf().ok()?)?.to_owned();
        Some(Reason::OwnAllocator {
            allocator: allocator.name(),
            object: object.name(),
            function,
        })
    })
}

/// Whether an object calls dlopen.
fn loads_libraries(source: &Source) -> bool {
    let asks = |elf: Elf<'_>| {
        elf.symbols()
            .any(|symbol| symbol.name == "dlopen" && symbol.section == abi::SHN_UNDEF)
    };
    source.elf().is_ok_and(asks)
}

/// Whether each rank can have its own copy of a library that it loads while it runs. Threads that exist by then have
/// room for its thread-local variables, with zeros in it.
pub(crate) fn fits_later(source: &Source) -> bool {
    let Ok(elf) = source.elf() else {
        return false;
    };
    let mut reasons = Vec::new();
    check_object(source, &elf, &mut Allocator::default(), &mut reasons);
    let are_zeros = elf
        .tls()
        .is_none_or(|segment| segment.file_size == 0 && segment.align <= tls::MIN_ALIGN);
    let of_other_mpi = elf.strings(abi::DT_NEEDED).find_map(other_mpi);
    // The program and its libraries would not use its allocator, and the loader binds it as it would in a process.
    let has_allocator = own_malloc::is_in(&elf);
    reasons.is_empty() && !has_allocator && of_other_mpi.is_none() && are_zeros && !wants_exec_stack(&elf)
}

/// Checks the properties that only the program must have.
fn check_program(source: &Source, elf: &Elf<'_>) -> Vec<Reason> {
    use std::os::unix::fs::PermissionsExt;
    if elf.machine != abi::EM_X86_64 {
        return vec![Reason::Machine];
    }
    if elf.interpreter().is_none() {
        return vec![Reason::Static];
    }
    let mut reasons = Vec::new();
    if elf.file_type != abi::ET_DYN {
        reasons.push(Reason::NotPositionIndependent);
    }
    if let Some(loader) = elf.interpreter().filter(|loader| file_name(loader) != LOADER) {
        reasons.push(Reason::ForeignLoader(loader.to_owned()));
    } else if !elf.strings(abi::DT_NEEDED).any(|name| name == "libc.so.6") {
        reasons.push(Reason::Static);
    } else if !elf
        .symbols()
        .any(|s| s.name == "__libc_start_main" && s.section == abi::SHN_UNDEF)
    {
        reasons.push(Reason::NoStartFunction);
    }
    if let Some(symbol) = elf.symbols().find(|s| PROFILER_SYMBOLS.contains(&s.name)) {
        reasons.push(Reason::Profiled(symbol.name.to_owned()));
    }
    if source
        .file
        .metadata()
        .is_ok_and(|m| m.permissions().mode() & 0o6000 != 0)
    {
        reasons.push(Reason::Privileged);
    }
    reasons
}

/// Checks the properties that the program and each private library must have, and places the thread-local block of the
/// object.
fn check_object(source: &Source, elf: &Elf<'_>, tls: &mut Allocator, reasons: &mut Vec<Reason>) {
    let object = source.name();
    if elf.dynamic.get(abi::DT_TEXTREL).is_some() || elf.dynamic.has_flag(abi::DF_TEXTREL) {
        reasons.push(Reason::TextRelocations(object.clone()));
    } else if let Some(reloc) = elf.relocs().find(|reloc| !link::is_known(reloc.kind)) {
        reasons.push(Reason::Relocation {
            object: object.clone(),
            kind: reloc.kind,
        });
    }
    let sanitizer = elf
        .strings(abi::DT_NEEDED)
        .find(|name| SANITIZERS.iter().any(|s| name.starts_with(s)));
    let sanitizer = sanitizer.or_else(|| {
        elf.symbols()
            .find(|s| SANITIZER_SYMBOLS.contains(&s.name))
            .map(|s| s.name)
    });
    if let Some(name) = sanitizer {
        reasons.push(Reason::Sanitizer(name.to_owned()));
    }
    if let Some(segment) = elf.tls() {
        if segment.align > PAGE {
            reasons.push(Reason::TlsAlignment {
                object,
                align: segment.align,
            });
        } else {
            tls.place(segment);
        }
    }
}

/// The reason for a refusal if a library's name shows that it belongs to another MPI.
fn other_mpi(name: &str) -> Option<Reason> {
    let (_, mpi) = OTHER_MPIS
        .iter()
        .find(|(beginning, _)| file_name(name).starts_with(beginning))?;
    Some(Reason::OtherMpi {
        mpi,
        library: name.to_owned(),
    })
}

fn wants_exec_stack(elf: &Elf<'_>) -> bool {
    elf.segment(abi::PT_GNU_STACK)
        .is_some_and(|segment| segment.flags & abi::PF_X != 0)
}

fn link_to_mpi(closure: &Closure) -> MpiLink {
    if closure.shared.iter().any(|name| name == closure::MPI_ABI) {
        MpiLink::Abi(closure.mpi.clone())
    } else {
        MpiLink::None
    }
}

fn library_uses(closure: &Closure) -> Vec<LibraryUse> {
    let private = closure.libraries.iter().map(|library| LibraryUse {
        name: library.names[0].clone(),
        path: Some(library.source.path.clone()),
        private: true,
    });
    let shared = closure.shared.iter().map(|name| LibraryUse {
        name: name.clone(),
        path: None,
        private: false,
    });
    private.chain(shared).collect()
}
