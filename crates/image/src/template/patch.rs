//! What is changed in the copy of an object, and why.
//!
//! - `DF_1_PIE` and other flags go: the loader refuses to load an executable.
//! - `DT_SONAME` goes, and `DT_NEEDED` and the version tables name the rank's copies by path: the loader must not
//!   take another rank's copy for the same library. The paths lie in a page of its own behind the last segment
//!   (string indices may point beyond the string table), loaded through a recycled program header.
//! - Constructors and destructors go: the shim runs them, in the rank's context and outside of the loader's lock.
//! - Thread-local storage goes: it lies in the host's reservation, so relocations that name it are constants.
//! - `STB_GNU_UNIQUE` becomes `STB_GLOBAL`: unique symbols are shared by all ranks even under RTLD_LOCAL.
//! - `R_X86_64_COPY` goes: only the main program's are right when the loader does them.
//! - Section headers go: they describe what is not in the copy.

use super::{CopiedData, SLOT};
use crate::elf::dynamic::DYN_SIZE;
use crate::elf::relocs::Reloc;
use crate::elf::{Elf, Malformed, PHDR_SIZE, Segment, abi, page_up, u64_at};

/// What the caller knows about an object's surroundings.
pub(crate) struct Request<'a> {
    /// Objects that come first in the list of needed ones (the shim, tools): the program only.
    pub(crate) first: &'a [usize],
    /// The object that a library's name stands for, if it is private.
    pub(crate) object: &'a dyn Fn(&str) -> Option<usize>,
    /// Distance of this object's thread-local block below the thread pointer, if it has one.
    pub(crate) tls_distance: Option<u64>,
    /// Distance and offset in its block of an exported thread-local variable.
    pub(crate) tls_variable: &'a dyn Fn(&str) -> Option<(u64, u64)>,
    /// Distance of the whole reservation.
    pub(crate) reservation: u64,
}

/// The changes of one object.
pub(super) struct Patches {
    writes: Vec<(u64, Vec<u8>)>,
    pub(super) slots: Vec<usize>,
    pub(super) copies: Vec<CopiedData>,
}

/// Program headers that a copy can do without, the most dispensable first.
const DISPENSABLE: &[u32] = &[
    abi::PT_TLS,
    abi::PT_GNU_PROPERTY,
    abi::PT_NOTE,
    abi::PT_INTERP,
    abi::PT_PHDR,
];

/// Whether an object has a program header to recycle.
pub(crate) fn has_spare_header(elf: &Elf<'_>) -> bool {
    elf.segments
        .iter()
        .any(|s| s.kind == abi::PT_NULL || DISPENSABLE.contains(&s.kind))
}

/// Works out all changes.
pub(super) fn collect(
    elf: &Elf<'_>,
    request: &Request<'_>,
    names_vaddr: u64,
    names_offset: u64,
) -> Result<Patches, Malformed> {
    let mut patches = Patches {
        writes: Vec::new(),
        slots: Vec::new(),
        copies: Vec::new(),
    };
    let strings = elf
        .dynamic
        .get(abi::DT_STRTAB)
        .ok_or(Malformed("no string table"))?;
    let first_slot = names_vaddr
        .checked_sub(strings)
        .ok_or(Malformed("string table"))?;
    patches.needed(elf, request, first_slot)?;
    patches.symbols(elf);
    patches.relocations(elf, request);
    patches.headers(elf, names_vaddr, names_offset)?;
    Ok(patches)
}

/// Makes the changes in the master.
pub(super) fn apply(master: &mut [u8], patches: &Patches) {
    for (offset, bytes) in &patches.writes {
        let start = *offset as usize;
        if let Some(target) = master.get_mut(start..start.saturating_add(bytes.len())) {
            target.copy_from_slice(bytes);
        }
    }
}

impl Patches {
    fn write(&mut self, offset: u64, bytes: impl Into<Vec<u8>>) {
        self.writes.push((offset, bytes.into()));
    }

    /// The string index of the path of an object's copy.
    fn slot(&mut self, object: usize, first_slot: u64) -> u64 {
        let slot = self
            .slots
            .iter()
            .position(|&known| known == object)
            .unwrap_or_else(|| {
                self.slots.push(object);
                self.slots.len() - 1
            });
        first_slot + (slot * SLOT) as u64
    }

    /// The dynamic section and the file names in the version table.
    fn needed(&mut self, elf: &Elf<'_>, request: &Request<'_>, first_slot: u64) -> Result<(), Malformed> {
        let mut entries = Vec::new();
        for &object in request.first {
            entries.push((abi::DT_NEEDED, self.slot(object, first_slot)));
        }
        for &(tag, value) in &elf.dynamic.entries {
            let private = (tag == abi::DT_NEEDED)
                .then(|| elf.string(value).and_then(request.object))
                .flatten();
            match (tag, private) {
                (_, Some(object)) if request.first.contains(&object) => {}
                (_, Some(object)) => entries.push((tag, self.slot(object, first_slot))),
                (
                    abi::DT_SONAME
                    | abi::DT_RPATH
                    | abi::DT_RUNPATH
                    | abi::DT_DEBUG
                    | abi::DT_INIT
                    | abi::DT_FINI
                    | abi::DT_INIT_ARRAY
                    | abi::DT_INIT_ARRAYSZ
                    | abi::DT_FINI_ARRAY
                    | abi::DT_FINI_ARRAYSZ
                    | abi::DT_PREINIT_ARRAY
                    | abi::DT_PREINIT_ARRAYSZ
                    | abi::DT_FLAGS_1,
                    _,
                ) => {}
                (abi::DT_FLAGS, _) => entries.push((tag, value & !abi::DF_STATIC_TLS)),
                _ => entries.push((tag, value)),
            }
        }
        if entries.len() as u64 >= elf.dynamic.slots {
            return Err(Malformed("no room in the dynamic section"));
        }
        let mut bytes: Vec<u8> = entries
            .iter()
            .flat_map(|(tag, value)| [tag.to_le_bytes(), value.to_le_bytes()].concat())
            .collect();
        bytes.resize((elf.dynamic.slots * DYN_SIZE) as usize, 0);
        self.write(elf.dynamic.offset, bytes);
        for need in elf.version_needs() {
            if let Some(object) = (request.object)(need.file) {
                let index =
                    u32::try_from(self.slot(object, first_slot)).map_err(|_| Malformed("too large"))?;
                self.write(need.file_at, index.to_le_bytes());
            }
        }
        Ok(())
    }

    fn symbols(&mut self, elf: &Elf<'_>) {
        for symbol in elf
            .symbols()
            .filter(|symbol| symbol.binding() == abi::STB_GNU_UNIQUE)
        {
            self.write(symbol.at + 4, [abi::STB_GLOBAL << 4 | symbol.kind()]);
        }
    }

    fn relocations(&mut self, elf: &Elf<'_>, request: &Request<'_>) {
        let offsets: Vec<u64> = elf
            .relocs()
            .filter(|reloc| reloc.kind == abi::R_X86_64_DTPOFF64)
            .map(|reloc| reloc.target)
            .collect();
        for reloc in elf.relocs() {
            match reloc.kind {
                abi::R_X86_64_COPY => self.copy(elf, &reloc),
                abi::R_X86_64_DTPMOD64
                | abi::R_X86_64_DTPOFF64
                | abi::R_X86_64_TPOFF64
                | abi::R_X86_64_TLSDESC => {
                    self.thread_local(elf, request, &reloc, &offsets);
                }
                _ => {}
            }
        }
    }

    fn drop_reloc(&mut self, reloc: &Reloc) {
        self.write(reloc.at + 8, u64::from(abi::R_X86_64_NONE).to_le_bytes());
    }

    fn copy(&mut self, elf: &Elf<'_>, reloc: &Reloc) {
        if let Some(symbol) = elf.symbol(reloc.symbol) {
            let name = symbol.name.to_owned();
            self.copies.push(CopiedData {
                name,
                target: reloc.target,
                size: symbol.size,
            });
            self.drop_reloc(reloc);
        }
    }

    /// A relocation that names a thread-local variable becomes a constant. One that names a variable of a shared
    /// library stays: the loader knows those.
    fn thread_local(&mut self, elf: &Elf<'_>, request: &Request<'_>, reloc: &Reloc, offsets: &[u64]) {
        let named = elf
            .symbol(reloc.symbol)
            .filter(|symbol| reloc.symbol != 0 && !symbol.name.is_empty());
        let variable = named
            .and_then(|symbol| (request.tls_variable)(symbol.name))
            .or_else(|| match named {
                Some(symbol) if symbol.section == abi::SHN_UNDEF => None,
                Some(symbol) => Some((request.tls_distance?, symbol.value)),
                None => Some((request.tls_distance?, 0)),
            });
        let Some((distance, value)) = variable else { return };
        let Some(at) = elf.offset_of(reloc.target) else {
            return;
        };
        let value = value.wrapping_add_signed(reloc.addend);
        let from_thread_pointer = value.wrapping_sub(distance);
        let in_module = request.reservation.wrapping_sub(distance).wrapping_add(value);
        match reloc.kind {
            abi::R_X86_64_TPOFF64 => self.write(at, from_thread_pointer.to_le_bytes()),
            abi::R_X86_64_DTPOFF64 => self.write(at, in_module.to_le_bytes()),
            abi::R_X86_64_TLSDESC => {
                let function = tls_descriptor as *const () as u64;
                self.write(
                    at,
                    [function.to_le_bytes(), from_thread_pointer.to_le_bytes()].concat(),
                );
            }
            _ => {
                self.write(at, 1_u64.to_le_bytes());
                if !offsets.contains(&(reloc.target + 8)) {
                    // The offset is in place already, relative to the object's own block.
                    let own = u64_at(elf.bytes, at + 8).unwrap_or(0);
                    let moved = request.reservation.wrapping_sub(distance).wrapping_add(own);
                    self.write(at + 8, moved.to_le_bytes());
                }
            }
        }
        self.drop_reloc(reloc);
    }

    /// The program headers, with one more segment for the paths, and the file header.
    fn headers(&mut self, elf: &Elf<'_>, names_vaddr: u64, names_offset: u64) -> Result<(), Malformed> {
        let length = page_up((self.slots.len() * SLOT).max(1) as u64);
        let names = Segment {
            kind: abi::PT_LOAD,
            flags: abi::PF_R,
            offset: names_offset,
            vaddr: names_vaddr,
            file_size: length,
            mem_size: length,
            align: crate::elf::PAGE,
        };
        let mut headers: Vec<Segment> = elf.loads().copied().collect();
        headers.push(names);
        headers.extend(
            elf.segments
                .iter()
                .filter(|s| !matches!(s.kind, abi::PT_LOAD | abi::PT_TLS | abi::PT_NULL)),
        );
        for kind in DISPENSABLE {
            if headers.len() > elf.segments.len() {
                headers.retain(|segment| segment.kind != *kind);
            }
        }
        if headers.len() > elf.segments.len() {
            return Err(Malformed("no spare program header"));
        }
        for header in headers
            .iter_mut()
            .filter(|header| header.kind == abi::PT_GNU_STACK)
        {
            header.flags &= !abi::PF_X;
        }
        let mut bytes: Vec<u8> = headers.iter().flat_map(Segment::encode).collect();
        bytes.resize(elf.segments.len() * PHDR_SIZE, 0);
        self.write(elf.phoff, bytes);
        self.write(40, [0; 8]); // e_shoff
        self.write(60, [0; 4]); // e_shnum, e_shstrndx
        Ok(())
    }
}

/// What a TLS descriptor calls when the variable's distance from the thread pointer is a constant: it is the second
/// word of the descriptor, to which RAX points. No other register may change.
#[unsafe(naked)]
extern "C" fn tls_descriptor() {
    std::arch::naked_asm!("mov rax, [rax + 8]", "ret");
}
