//! Relocations: changes that the loader makes to an object's data.

use super::{Elf, abi, u64_at};

/// The size of an entry with addend.
pub(crate) const RELA_SIZE: u64 = 24;

/// One relocation with addend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reloc {
    /// The address that it changes.
    pub(crate) target: u64,
    /// The kind of the relocation, `R_X86_64_*`.
    pub(crate) kind: u32,
    /// The index of its symbol; 0 for none.
    pub(crate) symbol: u32,
    pub(crate) addend: i64,
}

impl Elf<'_> {
    /// The tables of relocations with addend, as (address, size in bytes).
    pub(crate) fn reloc_tables(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        [(abi::DT_RELA, abi::DT_RELASZ), (abi::DT_JMPREL, abi::DT_PLTRELSZ)]
            .into_iter()
            .filter_map(|(table, size)| Some((self.dynamic.get(table)?, self.dynamic.get(size)?)))
    }

    /// All relocations with addend.
    pub(crate) fn relocs(&self) -> impl Iterator<Item = Reloc> + '_ {
        self.reloc_tables().flat_map(move |(vaddr, size)| {
            let start = self.offset_of(vaddr);
            (0..size / RELA_SIZE)
                .map_while(move |index| self.reloc_at(start?.checked_add(index * RELA_SIZE)?))
        })
    }

    fn reloc_at(&self, at: u64) -> Option<Reloc> {
        let info = u64_at(self.bytes, at + 8)?;
        Some(Reloc {
            target: u64_at(self.bytes, at)?,
            kind: info as u32,
            symbol: (info >> 32) as u32,
            addend: u64_at(self.bytes, at + 16)?.cast_signed(),
        })
    }

    /// The addresses that the packed table of relative relocations (`DT_RELR`) changes.
    pub(crate) fn packed_targets(&self) -> Vec<u64> {
        let table = self
            .dynamic
            .get(abi::DT_RELR)
            .and_then(|vaddr| self.offset_of(vaddr));
        let (Some(start), Some(size)) = (table, self.dynamic.get(abi::DT_RELRSZ)) else {
            return Vec::new();
        };
        let mut targets = Vec::new();
        let mut next: u64 = 0;
        for word in (0..size / 8).map_while(|index| u64_at(self.bytes, start + index * 8)) {
            if word & 1 == 0 {
                targets.push(word);
                next = word.wrapping_add(8);
            } else {
                targets.extend(
                    (0..63)
                        .filter(|bit| word >> (bit + 1) & 1 == 1)
                        .map(|bit| next.wrapping_add(bit * 8)),
                );
                next = next.wrapping_add(63 * 8);
            }
        }
        targets
    }
}
