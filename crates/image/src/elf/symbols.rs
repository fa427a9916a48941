//! The dynamic symbol table.

use super::{Elf, abi, u16_at, u32_at, u64_at};

/// The size of a symbol table entry.
pub(crate) const SYM_SIZE: u64 = 24;

/// One dynamic symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol<'a> {
    pub(crate) name: &'a str,
    pub(crate) info: u8,
    pub(crate) other: u8,
    pub(crate) section: u16,
    pub(crate) value: u64,
    pub(crate) size: u64,
}

impl Symbol<'_> {
    /// The binding of the symbol, `STB_*`.
    pub(crate) fn binding(&self) -> u8 {
        self.info >> 4
    }

    /// The type of the symbol, `STT_*`.
    pub(crate) fn kind(&self) -> u8 {
        self.info & 15
    }

    /// Whether the symbol has a meaning in its own object only.
    pub(crate) fn is_own(&self) -> bool {
        const VISIBILITY: u8 = 3;
        self.binding() == abi::STB_LOCAL || (self.section != abi::SHN_UNDEF && self.other & VISIBILITY != 0)
    }

    /// Whether the object defines the symbol for others.
    pub(crate) fn is_exported(&self) -> bool {
        self.section != abi::SHN_UNDEF
            && matches!(
                self.binding(),
                abi::STB_GLOBAL | abi::STB_WEAK | abi::STB_GNU_UNIQUE
            )
    }
}

impl<'a> Elf<'a> {
    /// The symbol with an index.
    pub(crate) fn symbol(&self, index: u32) -> Option<Symbol<'a>> {
        let table = self.offset_of(self.dynamic.get(abi::DT_SYMTAB)?)?;
        let at = table + u64::from(index) * SYM_SIZE;
        let name = u32_at(self.bytes, at)?;
        Some(Symbol {
            name: self.string(u64::from(name)).unwrap_or(""),
            info: *self.bytes.get(usize::try_from(at + 4).ok()?)?,
            other: *self.bytes.get(usize::try_from(at + 5).ok()?)?,
            section: u16_at(self.bytes, at + 6)?,
            value: u64_at(self.bytes, at + 8)?,
            size: u64_at(self.bytes, at + 16)?,
        })
    }

    /// All symbols, the reserved one at index 0 included.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = Symbol<'a>> + '_ {
        (0..self.symbol_count()).filter_map(|index| self.symbol(index))
    }

    /// A symbol that the object defines for others.
    pub(crate) fn exported(&self, name: &str) -> Option<Symbol<'a>> {
        self.symbols().find(|s| s.is_exported() && s.name == name)
    }

    /// The number of symbols. The format does not store it, so it is derived from the hash tables.
    pub(crate) fn symbol_count(&self) -> u32 {
        let classic = || u32_at(self.bytes, self.offset_of(self.dynamic.get(abi::DT_HASH)?)? + 4);
        // A symbol takes 24 bytes of the file, so a greater number means that the table is damaged.
        let limit = u32::try_from(self.bytes.len() as u64 / SYM_SIZE).unwrap_or(u32::MAX);
        classic()
            .or_else(|| self.gnu_hash_count())
            .unwrap_or(0)
            .min(limit)
    }

    /// The number of symbols that the GNU hash table implies.
    fn gnu_hash_count(&self) -> Option<u32> {
        let at = self.offset_of(self.dynamic.get(abi::DT_GNU_HASH)?)?;
        let buckets = u64::from(u32_at(self.bytes, at)?);
        let first = u32_at(self.bytes, at + 4)?;
        let bloom = u64::from(u32_at(self.bytes, at + 8)?);
        let bucket_at = at + 16 + bloom * 8;
        let mut last = 0;
        for bucket in 0..buckets {
            last = last.max(u32_at(self.bytes, bucket_at + bucket * 4)?);
        }
        let chains = bucket_at + buckets * 4;
        if last < first {
            // Nothing is exported. The table does not tell how many symbols are imported, but relocations name them.
            let imported = self
                .relocs()
                .map(|reloc| reloc.symbol)
                .max()
                .unwrap_or(0)
                .checked_add(1)?;
            return Some(first.max(imported));
        }
        // The last chain ends with an odd value.
        while u32_at(self.bytes, chains + u64::from(last - first) * 4)? & 1 == 0 {
            last = last.checked_add(1)?;
        }
        last.checked_add(1)
    }
}
