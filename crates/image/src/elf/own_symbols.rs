//! The symbol table for linkers and debuggers (`.symtab`), which also has the names that an object keeps to itself. A
//! stripped file has none.

use super::symbols::SYM_SIZE;
use super::{Elf, abi, u16_at, u32_at, u64_at};

/// The size of a section header.
const SECTION_SIZE: u64 = 64;

/// A table of a section: its place in the file, and its size.
#[derive(Clone, Copy)]
struct Table {
    offset: u64,
    size: u64,
}

impl Elf<'_> {
    /// The address of a function by its name in that table.
    pub(crate) fn own_function(&self, name: &str) -> Option<u64> {
        let (symbols, names) = self.symbol_section()?;
        let entries = (0..symbols.size / SYM_SIZE).map(|index| symbols.offset + index * SYM_SIZE);
        entries.filter_map(|at| self.defined_at(at, names, name)).next()
    }

    /// The value of the symbol at a place of the table, if it is a function of that name that the object defines.
    fn defined_at(&self, at: u64, names: Table, name: &str) -> Option<u64> {
        let start = u64::from(u32_at(self.bytes, at)?);
        let is_function = self.bytes.get(usize::try_from(at + 4).ok()?)? & 15 == abi::STT_FUNC;
        let is_defined = u16_at(self.bytes, at + 6)? != abi::SHN_UNDEF;
        if !is_function || !is_defined || start >= names.size {
            return None;
        }
        let start = usize::try_from(names.offset.checked_add(start)?).ok()?;
        let rest = self.bytes.get(start..)?.strip_prefix(name.as_bytes())?;
        match rest.first() {
            Some(0) => u64_at(self.bytes, at + 8),
            _ => None,
        }
    }

    /// The table of symbols and that of their names.
    fn symbol_section(&self) -> Option<(Table, Table)> {
        const SYMBOL_TABLE: u32 = 2;
        let (sections, count) = (u64_at(self.bytes, 40)?, u16_at(self.bytes, 60)?);
        let place = |index: u64| sections.checked_add(index * SECTION_SIZE);
        let table = |at: u64| {
            Some(Table {
                offset: u64_at(self.bytes, at.checked_add(24)?)?,
                size: u64_at(self.bytes, at.checked_add(32)?)?,
            })
        };
        let is_symbols = |at: &u64| {
            at.checked_add(4)
                .and_then(|kind| u32_at(self.bytes, kind))
                .is_some_and(|kind| kind == SYMBOL_TABLE)
        };
        let symbols_at = (0..u64::from(count)).filter_map(place).find(is_symbols)?;
        let names = u32_at(self.bytes, symbols_at.checked_add(40)?)?;
        let (symbols, names) = (table(symbols_at)?, table(place(names.into())?)?);
        // A damaged file does not make the search longer than the file is.
        let is_inside = |table: &Table| {
            table
                .offset
                .checked_add(table.size)
                .is_some_and(|end| end <= self.bytes.len() as u64)
        };
        (is_inside(&symbols) && is_inside(&names)).then_some((symbols, names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_that_is_not_exported_is_found_in_this_program() {
        #[inline(never)]
        #[unsafe(no_mangle)]
        extern "C" fn simurgh_image_test_function() -> u8 {
            std::hint::black_box(7)
        }
        let file = std::fs::read("/proc/self/exe").unwrap();
        let elf = Elf::parse(&file).unwrap();
        let found = elf.own_function("simurgh_image_test_function").unwrap();
        let base = (simurgh_image_test_function as *const () as u64).wrapping_sub(found);
        assert_eq!(base % super::super::PAGE, 0, "the image lies on a page");
        assert_eq!(elf.own_function("simurgh_image_test_functio"), None);
    }

    #[test]
    fn damaged_tables_give_nothing() {
        let mut file = std::fs::read("/proc/self/exe").unwrap();
        for byte in &mut file[40..48] {
            *byte = 0xff;
        }
        assert_eq!(Elf::parse(&file).unwrap().own_function("no such function"), None);
    }
}
