//! The installed library has all procedures of the model under all their names, and calls nothing that the C library
//! lacks. It takes little memory of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol, elf};
use simurgh_mpifort_generator::model::{Procedure, SENTINELS, spellings};
use simurgh_mpifort_generator::procedures;
use simurgh_testing::Stage;

/// The most memory that a rank's copy of the library may take: what is relocated or written.
const PRIVATE: u64 = 31 << 10;

/// A symbol that the dynamic linker sees.
struct Symbol {
    /// Its address; none if the library only refers to it.
    address: Option<u64>,
    weak: bool,
}

fn symbols(library: &Path) -> BTreeMap<String, Symbol> {
    let bytes = fs::read(library).unwrap_or_else(|error| panic!("{}: {error}", library.display()));
    let file = ElfFile64::<Endianness>::parse(&*bytes).expect("the library is an ELF file");
    let symbols = file.dynamic_symbols().map(|symbol| {
        let name = symbol.name().expect("names are text").to_owned();
        let symbol = Symbol {
            address: symbol.is_definition().then(|| symbol.address()),
            weak: symbol.is_weak(),
        };
        (name, symbol)
    });
    symbols.collect()
}

fn library() -> BTreeMap<String, Symbol> {
    symbols(&Stage::locate().lib().join("libmpifort_abi.so.1"))
}

fn model() -> Vec<Procedure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mpi-abi/src/functions");
    procedures(&folder).unwrap_or_else(|error| panic!("{error}"))
}

/// The names of a procedure: each inner list is one address, the strong name first.
fn names(procedure: &Procedure) -> Vec<Vec<String>> {
    let name = &procedure.name;
    let mut external = Vec::new();
    if procedure.bindings.mpif || (procedure.bindings.mpi && !procedure.has_buffer()) {
        external.extend(spellings(&format!("PMPI_{name}")));
        external.extend(spellings(&format!("MPI_{name}")));
    }
    let symbol = procedure.specific().symbol;
    let profiling = match symbol.starts_with("MPI") {
        true => format!("P{symbol}"),
        false => format!("p{symbol}"),
    };
    let specific = match procedure.bindings.f08 {
        true => vec![profiling, symbol],
        false => Vec::new(),
    };
    match procedure.differs_in_f08() {
        true => vec![external, specific],
        false => vec![[external, specific].concat()],
    }
}

#[test]
fn every_procedure_has_all_its_names() {
    let (library, model) = (library(), model());
    assert!(model.len() > 400, "{} procedures", model.len());
    let mut missing = Vec::new();
    for same in model.iter().flat_map(names) {
        let Some(strong) = same.first() else { continue };
        let address = library.get(strong).and_then(|symbol| symbol.address);
        for name in &same {
            match library.get(name) {
                Some(symbol) if symbol.address.is_some() && symbol.address == address => {
                    assert_eq!(symbol.weak, name != strong, "{name}");
                }
                _ => missing.push(name.clone()),
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

/// The dynamic linker puts the program's variables in the place of the library's: these have to be visible.
#[test]
fn the_sentinels_are_variables_that_the_program_can_replace() {
    let library = library();
    for sentinel in SENTINELS {
        let symbol = library.get(&sentinel.symbol());
        assert!(
            symbol.is_some_and(|symbol| symbol.address.is_some()),
            "{}",
            sentinel.name
        );
    }
}

#[test]
fn all_functions_that_the_library_calls_exist_in_c() {
    let abi = symbols(&Stage::locate().lib().join("libmpi_abi.so.1"));
    let is_c = |name: &str| name.starts_with("MPI_") || name.starts_with("PMPI_");
    let library = library();
    let called = library
        .iter()
        .filter(|(name, symbol)| symbol.address.is_none() && is_c(name));
    let (found, lacking): (Vec<_>, Vec<_>) = called
        .map(|(name, _)| name)
        .partition(|name| abi.get(*name).is_some_and(|symbol| symbol.address.is_some()));
    assert!(found.len() > 300, "{} functions are called", found.len());
    assert!(lacking.is_empty(), "{lacking:?}");
}

#[test]
fn a_copy_of_the_library_takes_little_memory() {
    let bytes = fs::read(Stage::locate().lib().join("libmpifort_abi.so.1")).expect("it is installed");
    let file = ElfFile64::<Endianness>::parse(&*bytes).expect("the library is an ELF file");
    let endian = file.endian();
    let segments = file
        .elf_header()
        .program_headers(endian, file.data())
        .expect("the library has segments");
    let thread_local = segments
        .iter()
        .any(|segment| segment.p_type(endian) == elf::PT_TLS);
    assert!(!thread_local, "there is thread-local storage");
    let private: u64 = segments
        .iter()
        .filter(|segment| {
            segment.p_type(endian) == elf::PT_LOAD && segment.p_flags(endian) & elf::PF_W == elf::PF_W
        })
        .map(|segment| segment.p_memsz(endian))
        .sum();
    assert!(private <= PRIVATE, "{private} bytes are writable or relocated");
}
