//! The functions that a header declares and that the library exports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use object::read::elf::{Dyn, ElfFile64, FileHeader};
use object::{Endianness, Object, ObjectSymbol, elf};

/// The functions `MPI_…` that a header declares.
pub(crate) fn declared(header: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(header).unwrap_or_else(|error| panic!("{}: {error}", header.display()));
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with(['#', '/', '*']))
        .filter(|line| !line.starts_with("__attribute__"));
    let code = lines.collect::<Vec<_>>().join("\n");
    code.split(';')
        .filter(|statement| !statement.contains("typedef"))
        .filter_map(|statement| {
            statement
                .split_once('(')?
                .0
                .rsplit(|c: char| c.is_whitespace() || c == '*')
                .next()
        })
        .filter(|name| name.starts_with("MPI_") || name.starts_with("MPIX_"))
        .map(str::to_owned)
        .collect()
}

/// One exported symbol.
pub(crate) struct Symbol {
    pub(crate) weak: bool,
    pub(crate) address: u64,
}

/// The symbols of the library that the dynamic linker sees.
pub(crate) struct Library {
    pub(crate) soname: String,
    pub(crate) symbols: BTreeMap<String, Symbol>,
}

impl Library {
    /// The exported functions by their `MPI_` names.
    pub(crate) fn functions(&self) -> Vec<String> {
        self.symbols
            .keys()
            .filter(|name| name.starts_with("MPI_"))
            .cloned()
            .collect()
    }

    /// The exported symbols that are no functions of MPI.
    pub(crate) fn others(&self) -> Vec<String> {
        let is_mpi = |name: &&String| name.strip_prefix('P').unwrap_or(name).starts_with("MPI_");
        self.symbols
            .keys()
            .filter(|name| !is_mpi(name))
            .cloned()
            .collect()
    }
}

/// Reads the library that was built together with this test.
pub(crate) fn library() -> Library {
    let test = env::current_exe().expect("a test knows its own path");
    let path = test.with_file_name("libmpi_abi.so");
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = ElfFile64::<Endianness>::parse(&*bytes).expect("the library is an ELF file");
    let symbols = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .map(|symbol| {
            let name = symbol.name().expect("names are text").to_owned();
            (
                name,
                Symbol {
                    weak: symbol.is_weak(),
                    address: symbol.address(),
                },
            )
        })
        .collect();
    Library {
        soname: soname(&file),
        symbols,
    }
}

fn soname(file: &ElfFile64<'_, Endianness>) -> String {
    let endian = file.endian();
    let sections = file
        .elf_header()
        .sections(endian, file.data())
        .expect("the library has sections");
    let (entries, link) = sections
        .dynamic(endian, file.data())
        .expect("readable")
        .expect("it is dynamic");
    let strings = sections
        .strings(endian, file.data(), link)
        .expect("it has dynamic strings");
    let entry = entries
        .iter()
        .find(|entry| entry.d_tag(endian) == elf::DT_SONAME)
        .expect("it has a name");
    let name = strings
        .get(entry.d_val(endian) as u32)
        .expect("the name is in the string table");
    String::from_utf8_lossy(name).into_owned()
}
