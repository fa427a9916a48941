//! Symbol version tables: which versions an object wants from which library, and which it defines.

use super::{Elf, abi, u16_at, u32_at};

/// Limit on the length of a chain: a damaged file must not make us loop.
const CHAIN_LIMIT: u32 = 65_536;

/// One library of which versions are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need<'a> {
    /// The library's name.
    pub(crate) file: &'a str,
    /// File offset of the 32-bit string index of the name.
    pub(crate) file_at: u64,
}

impl<'a> Elf<'a> {
    /// The libraries of which versions are wanted.
    pub(crate) fn version_needs(&self) -> Vec<Need<'a>> {
        let mut needs = Vec::new();
        self.walk(abi::DT_VERNEED, abi::DT_VERNEEDNUM, 12, |elf, at| {
            let file = elf.string(u64::from(u32_at(elf.bytes, at + 4)?))?;
            needs.push(Need {
                file,
                file_at: at + 4,
            });
            Some(())
        });
        needs
    }

    /// The extents (address, size) of the version tables that the loader reads.
    pub(crate) fn version_extents(&self, symbols: u32) -> Vec<(u64, u64)> {
        let mut extents = Vec::new();
        if let Some(table) = self.dynamic.get(abi::DT_VERSYM) {
            extents.push((table, u64::from(symbols) * 2));
        }
        // Entry sizes: a Verneed and its Vernaux have 16 bytes, a Verdef 20 and its Verdaux 8.
        for (table, count, next, auxiliary) in [
            (abi::DT_VERNEED, abi::DT_VERNEEDNUM, 12, (2, 8, 16)),
            (abi::DT_VERDEF, abi::DT_VERDEFNUM, 16, (6, 12, 8)),
        ] {
            let Some(vaddr) = self.dynamic.get(table) else {
                continue;
            };
            let Some(start) = self.offset_of(vaddr) else {
                continue;
            };
            let (number_at, link_at, size) = auxiliary;
            let mut end = start + 20;
            self.walk(table, count, next, |elf, at| {
                let mut aux = at + u64::from(u32_at(elf.bytes, at + link_at)?);
                let step_at = if size == 16 { 12 } else { 4 };
                for _ in 0..u16_at(elf.bytes, at + number_at)? {
                    end = end.max(aux + size);
                    aux += u64::from(u32_at(elf.bytes, aux + step_at)?);
                }
                end = end.max(at + 20);
                Some(())
            });
            extents.push((vaddr, end - start));
        }
        extents
    }

    /// Follows a chain of records, each with the distance to the next one at `next`.
    fn walk(
        &self,
        table: i64,
        count: i64,
        next: u64,
        mut visit: impl FnMut(&Elf<'a>, u64) -> Option<()>,
    ) -> Option<()> {
        let mut at = self.offset_of(self.dynamic.get(table)?)?;
        let count = u32::try_from(self.dynamic.get(count)?).ok()?.min(CHAIN_LIMIT);
        for _ in 0..count {
            visit(self, at)?;
            at += u64::from(u32_at(self.bytes, at + next)?);
        }
        Some(())
    }
}
