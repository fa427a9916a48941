//! Lookup of the object and the symbol to which an address belongs, as by `dladdr`.

use std::ffi::{c_char, c_int, c_void};

use crate::arena::{self, Located};
use crate::elf::symbols::{SYM_SIZE, Symbol};
use crate::elf::{abi, u32_at};

/// The flags of `dladdr1`: nothing more is wanted, or the symbol, or the object's record.
const SYMBOL: c_int = 1;
const RECORD: c_int = 2;

/// `dladdr1` for addresses in images; 0 for other addresses.
///
/// # Safety
/// `info` must be a record that may be written, and so must `extra` with a flag that asks for it.
pub(crate) unsafe extern "C" fn describe(
    address: *const c_void,
    info: *mut libc::Dl_info,
    extra: *mut *mut c_void,
    flags: c_int,
) -> c_int {
    let Some(located) = arena::locate(address as usize).filter(|located| !located.record().is_null()) else {
        return 0;
    };
    let object = located.object();
    let base = located.base();
    let nearest = nearest(&located, (address as usize - base) as u64);
    let (name, place, entry) = nearest.map_or((0, 0, 0), |(index, symbol)| entry(&located, index, &symbol));
    // SAFETY: the caller's.
    unsafe {
        info.write(libc::Dl_info {
            dli_fname: object.path.as_ptr(),
            dli_fbase: base as *mut c_void,
            dli_sname: name as *const c_char,
            dli_saddr: place as *mut c_void,
        });
        match flags {
            SYMBOL => extra.write(entry as *mut c_void),
            RECORD => extra.write(located.record().cast()),
            _ => {}
        }
    }
    1
}

/// The last symbol that begins at or before an address, unless it ends before the address.
fn nearest(located: &Located, address: u64) -> Option<(u32, Symbol<'static>)> {
    let elf = located.object().elf();
    let holds = |symbol: &Symbol<'_>| {
        let sized = symbol.section != abi::SHN_UNDEF && symbol.size > 0;
        let end = symbol.value.saturating_add(symbol.size);
        symbol.kind() != abi::STT_TLS
            && symbol.value <= address
            && symbol.value != 0
            && (if sized {
                address < end
            } else {
                address == symbol.value
            })
    };
    (0..elf.symbol_count())
        .filter_map(|index| Some((index, elf.symbol(index)?)))
        .filter(|(_, symbol)| holds(symbol))
        .max_by_key(|(_, symbol)| symbol.value)
}

/// The addresses of a symbol's name, of the thing that it names, and of its entry in the table.
fn entry(located: &Located, index: u32, symbol: &Symbol<'_>) -> (usize, usize, usize) {
    let elf = located.object().elf();
    let base = located.base();
    let table = |tag| base + elf.dynamic.get(tag).unwrap_or(0) as usize;
    let at = u64::from(index) * SYM_SIZE;
    let name = elf
        .dynamic
        .get(abi::DT_SYMTAB)
        .and_then(|symbols| u32_at(elf.bytes, elf.offset_of(symbols)? + at))
        .unwrap_or(0);
    (
        table(abi::DT_STRTAB) + name as usize,
        base + symbol.value as usize,
        table(abi::DT_SYMTAB) + at as usize,
    )
}
