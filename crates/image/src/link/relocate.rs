//! Relocation. It is computed once for all ranks: most results are written into the master, the rest is left for each
//! rank.

use super::LinkError;
use super::scope::{Definition, Earlier, Scope};
use super::thread_local::{self, Variable};
use crate::elf::relocs::Reloc;
use crate::elf::symbols::Symbol;
use crate::elf::{Malformed, abi};
use crate::master::Draft;
use crate::object::Object;

/// The relocations that are left for each rank. Places are distances from the start of its image.
#[derive(Debug, Default)]
pub(crate) struct Relocations {
    /// The words to which the image's address is added.
    pub(crate) based: Vec<u64>,
    /// The words that get the results of functions of libraries, with the places of those functions.
    pub(crate) chosen_by_libraries: Vec<(u64, u64)>,
    /// The words that get the results of functions of the program. These functions may rely on the variables that the
    /// program copies.
    pub(crate) chosen_by_program: Vec<(u64, u64)>,
    /// The variables of libraries of which the program has its own copies.
    pub(crate) copied: Vec<Copied>,
    /// The words that are about earlier images of the rank.
    pub(crate) earlier: Vec<EarlierWord>,
}

/// A word that is about an earlier image of the rank: one that it had before it loaded these libraries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlierWord {
    /// The place of the word.
    pub(crate) at: u64,
    /// The number of the earlier image.
    pub(crate) image: usize,
    /// A place there, whose address the word gets, or that of the result of the function there.
    pub(crate) place: u64,
    pub(crate) is_chosen: bool,
}

/// A variable that is copied when everything else is in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copied {
    /// The place of the copy.
    pub(crate) target: u64,
    pub(crate) size: u64,
    pub(crate) origin: Origin,
}

/// The origin of a copied variable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// A place in the image.
    Private(u64),
    /// An address in a shared library.
    Shared(usize),
}

/// Whether [`link`] supports a kind of relocation.
pub(crate) fn is_known(kind: u32) -> bool {
    [
        abi::R_X86_64_NONE,
        abi::R_X86_64_64,
        abi::R_X86_64_COPY,
        abi::R_X86_64_GLOB_DAT,
        abi::R_X86_64_JUMP_SLOT,
        abi::R_X86_64_RELATIVE,
        abi::R_X86_64_DTPMOD64,
        abi::R_X86_64_DTPOFF64,
        abi::R_X86_64_TPOFF64,
        abi::R_X86_64_SIZE64,
        abi::R_X86_64_TLSDESC,
        abi::R_X86_64_IRELATIVE,
    ]
    .contains(&kind)
}

/// Computes the relocations of all objects. The first object is the program.
pub(crate) fn link<'a>(
    objects: &'a [Object<'a>],
    scope: &'a Scope,
    reservation: u64,
    draft: &'a mut Draft,
) -> Result<Relocations, LinkError> {
    let mut linker = Linker {
        objects,
        scope,
        reservation,
        draft,
        relocations: Relocations::default(),
    };
    // Libraries follow the objects that need them. Their functions choose first, so the order is reversed.
    for index in (0..objects.len()).rev() {
        linker.object(index)?;
    }
    let mut relocations = linker.relocations;
    relocations.based.sort_unstable();
    Ok(relocations)
}

/// The value of a relocated word.
#[derive(Clone, Copy)]
enum Value {
    /// A value that is the same in all ranks.
    Fixed(u64),
    /// The image's address plus this number.
    Based(u64),
    /// The result of the function at this place.
    Chosen(u64),
    /// The address of a place in the earlier image with this number.
    Earlier(usize, u64),
    /// The result of a function of an earlier image.
    EarlierChosen(usize, u64),
}

/// The state of linking one program.
pub(super) struct Linker<'a> {
    pub(super) objects: &'a [Object<'a>],
    scope: &'a Scope,
    /// The distance of the reservation for thread-local storage below the thread pointer.
    pub(super) reservation: u64,
    pub(super) draft: &'a mut Draft,
    relocations: Relocations,
}

impl<'a> Linker<'a> {
    fn object(&mut self, index: usize) -> Result<(), LinkError> {
        let object = &self.objects[index];
        for target in object.elf().packed_targets() {
            let value = self.draft.word(object, target).map_err(damaged(object))?;
            self.set(index, target, Value::Based(object.offset.wrapping_add(value)))?;
        }
        self.dynamic_section(index)?;
        let offsets = thread_local::offsets(object.elf());
        for reloc in object.elf().relocs() {
            match reloc.kind {
                abi::R_X86_64_NONE => {}
                abi::R_X86_64_COPY => self.copy(index, &reloc)?,
                abi::R_X86_64_DTPMOD64
                | abi::R_X86_64_DTPOFF64
                | abi::R_X86_64_TPOFF64
                | abi::R_X86_64_TLSDESC => {
                    if let Some(variable) = self.variable(index, &reloc)? {
                        thread_local::relocate(self, index, &reloc, variable, &offsets)?;
                    }
                }
                _ => {
                    let value = self.value(index, &reloc)?;
                    self.set(index, reloc.target, value)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the address to the entries that point into the object. The dynamic loader does so, and some programs rely
    /// on it.
    fn dynamic_section(&mut self, index: usize) -> Result<(), LinkError> {
        const POINTERS: [i64; 8] = [
            abi::DT_PLTGOT,
            abi::DT_HASH,
            abi::DT_STRTAB,
            abi::DT_SYMTAB,
            abi::DT_RELA,
            abi::DT_JMPREL,
            abi::DT_GNU_HASH,
            abi::DT_VERSYM,
        ];
        let object = &self.objects[index];
        let Some(section) = object.elf().segment(abi::PT_DYNAMIC) else {
            return Ok(());
        };
        for (place, &(tag, value)) in (0_u64..).zip(&object.elf().dynamic.entries) {
            let at = section.vaddr.wrapping_add(place * 16 + 8);
            // Some linkers do not make the section writable.
            if POINTERS.contains(&tag) && self.draft.word(object, at).is_ok() {
                self.set(index, at, Value::Based(object.offset.wrapping_add(value)))?;
            }
        }
        Ok(())
    }

    /// The value that a relocation of the common kinds writes.
    fn value(&self, index: usize, reloc: &Reloc) -> Result<Value, LinkError> {
        let object = &self.objects[index];
        let based = object.offset.wrapping_add_signed(reloc.addend);
        Ok(match reloc.kind {
            abi::R_X86_64_RELATIVE => Value::Based(based),
            abi::R_X86_64_IRELATIVE => Value::Chosen(based),
            abi::R_X86_64_64 => match self.address(index, reloc, false)? {
                Value::Fixed(value) => Value::Fixed(value.wrapping_add_signed(reloc.addend)),
                Value::Based(value) => Value::Based(value.wrapping_add_signed(reloc.addend)),
                Value::Earlier(image, value) => {
                    Value::Earlier(image, value.wrapping_add_signed(reloc.addend))
                }
                chosen @ (Value::Chosen(_) | Value::EarlierChosen(..)) => chosen,
            },
            abi::R_X86_64_GLOB_DAT => self.address(index, reloc, false)?,
            abi::R_X86_64_JUMP_SLOT => self.address(index, reloc, true)?,
            abi::R_X86_64_SIZE64 => Value::Fixed(self.size(index, reloc)?.wrapping_add_signed(reloc.addend)),
            kind => {
                return Err(LinkError::Unknown {
                    object: object.source.name(),
                    kind,
                });
            }
        })
    }

    /// The address of the definition that a relocation names.
    fn address(&self, index: usize, reloc: &Reloc, called: bool) -> Result<Value, LinkError> {
        Ok(match self.definition(index, reloc, called)? {
            Some(Definition::Private(object, symbol)) => self.address_of(object, &symbol),
            Some(Definition::Earlier(earlier, symbol)) => earlier_address(earlier, &symbol),
            Some(Definition::Shared(address, _)) => Value::Fixed(address as u64),
            Some(Definition::SharedThreadLocal) => return Err(self.foreign(index, reloc)),
            None => Value::Fixed(0),
        })
    }

    fn address_of(&self, object: usize, symbol: &Symbol<'_>) -> Value {
        let place = self.objects[object].offset.wrapping_add(symbol.value);
        match (symbol.section, symbol.kind()) {
            (abi::SHN_ABS, _) => Value::Fixed(symbol.value),
            (_, abi::STT_GNU_IFUNC) => Value::Chosen(place),
            _ => Value::Based(place),
        }
    }

    fn size(&self, index: usize, reloc: &Reloc) -> Result<u64, LinkError> {
        Ok(match self.definition(index, reloc, false)? {
            Some(Definition::Private(_, symbol) | Definition::Earlier(_, symbol)) => symbol.size,
            Some(Definition::Shared(_, size)) => size.unwrap_or(0),
            Some(Definition::SharedThreadLocal) | None => 0,
        })
    }

    /// The definition that a relocation names; none for a weak reference without a definition.
    fn definition(
        &self,
        index: usize,
        reloc: &Reloc,
        called: bool,
    ) -> Result<Option<Definition<'a>>, LinkError> {
        let object = &self.objects[index];
        let symbol = object
            .elf()
            .symbol(reloc.symbol)
            .ok_or_else(|| damaged(object)(Malformed("symbol of a relocation")))?;
        if symbol.is_own() {
            return Ok(Some(Definition::Private(index, symbol)));
        }
        let reference = object.exports.reference(reloc.symbol, &symbol, called);
        let symbolic = object.elf().dynamic.get(abi::DT_SYMBOLIC).is_some()
            || object.elf().dynamic.has_flag(abi::DF_SYMBOLIC);
        let found = symbolic
            .then(|| super::scope::find_in(self.objects, index, &reference))
            .flatten()
            .or_else(|| self.scope.find(self.objects, &reference, None));
        if found.is_none() && symbol.binding() != abi::STB_WEAK {
            return Err(LinkError::Undefined {
                object: object.source.name(),
                symbol: reference.to_string(),
            });
        }
        Ok(found.map(|found| self.scope.unique(self.objects, &reference, found)))
    }

    /// The thread-local variable that a relocation names, or the object's own block.
    fn variable(&self, index: usize, reloc: &Reloc) -> Result<Option<Variable>, LinkError> {
        let own = self.objects[index].tls_distance;
        if reloc.symbol == 0 {
            return Ok(own.map(|distance| Variable { distance, value: 0 }));
        }
        Ok(match self.definition(index, reloc, true)? {
            Some(Definition::Private(object, symbol)) => {
                self.objects[object].tls_distance.map(|distance| Variable {
                    distance,
                    value: symbol.value,
                })
            }
            Some(Definition::Earlier(earlier, symbol)) => {
                earlier.object.tls_distance.map(|distance| Variable {
                    distance,
                    value: symbol.value,
                })
            }
            Some(Definition::Shared(..) | Definition::SharedThreadLocal) => {
                return Err(self.foreign(index, reloc));
            }
            None => None,
        })
    }

    fn foreign(&self, index: usize, reloc: &Reloc) -> LinkError {
        let object = &self.objects[index];
        LinkError::ForeignThreadLocal {
            object: object.source.name(),
            symbol: object
                .elf()
                .symbol(reloc.symbol)
                .map_or_else(String::new, |symbol| symbol.name.to_owned()),
        }
    }

    /// Handles a copy of a library's variable. The original is the definition that every object but the program would
    /// find.
    fn copy(&mut self, index: usize, reloc: &Reloc) -> Result<(), LinkError> {
        let object = &self.objects[index];
        let symbol = object
            .elf()
            .symbol(reloc.symbol)
            .ok_or_else(|| damaged(object)(Malformed("symbol of a relocation")))?;
        let reference = object.exports.reference(reloc.symbol, &symbol, false);
        let missing = || LinkError::MissingData(symbol.name.to_owned());
        let found = self.scope.find(self.objects, &reference, Some(index));
        let (origin, size) = match found.ok_or_else(missing)? {
            Definition::Private(owner, variable) => (
                Origin::Private(self.objects[owner].offset + variable.value),
                Some(variable.size),
            ),
            Definition::Shared(address, size) => (Origin::Shared(address), size),
            // Only programs have copies, and there is no image before a program's.
            Definition::Earlier(..) | Definition::SharedThreadLocal => return Err(missing()),
        };
        let end = reloc.target.saturating_add(symbol.size);
        let mut loads = object.elf().loads();
        if !loads.any(|load| load.is_writable() && load.vaddr <= reloc.target && end <= load.end()) {
            return Err(damaged(object)(Malformed("a copy outside of the data")));
        }
        self.relocations.copied.push(Copied {
            target: object.offset + reloc.target,
            size: size.map_or(symbol.size, |size| size.min(symbol.size)),
            origin,
        });
        Ok(())
    }

    fn set(&mut self, index: usize, target: u64, value: Value) -> Result<(), LinkError> {
        let object = &self.objects[index];
        let word = match value {
            Value::Fixed(word) | Value::Based(word) => word,
            Value::Chosen(_) | Value::Earlier(..) | Value::EarlierChosen(..) => 0,
        };
        let at = self
            .draft
            .set_word(object, target, word)
            .map_err(damaged(object))?;
        match (value, index) {
            (Value::Fixed(_), _) => {}
            (Value::Based(_), _) => self.relocations.based.push(at),
            (Value::Chosen(function), 0) => self.relocations.chosen_by_program.push((at, function)),
            (Value::Chosen(function), _) => self.relocations.chosen_by_libraries.push((at, function)),
            (Value::Earlier(image, place) | Value::EarlierChosen(image, place), _) => {
                self.relocations.earlier.push(EarlierWord {
                    at,
                    image,
                    place,
                    is_chosen: matches!(value, Value::EarlierChosen(..)),
                });
            }
        }
        Ok(())
    }

    /// Writes a word that is the same in all ranks.
    pub(super) fn set_fixed(&mut self, index: usize, target: u64, word: u64) -> Result<(), LinkError> {
        self.set(index, target, Value::Fixed(word))
    }
}

/// The address of a definition in an earlier image.
fn earlier_address(earlier: Earlier, symbol: &Symbol<'_>) -> Value {
    let place = earlier.object.offset.wrapping_add(symbol.value);
    match (symbol.section, symbol.kind()) {
        (abi::SHN_ABS, _) => Value::Fixed(symbol.value),
        (_, abi::STT_GNU_IFUNC) => Value::EarlierChosen(earlier.image, place),
        _ => Value::Earlier(earlier.image, place),
    }
}

/// An error in an object's file.
pub(super) fn damaged<'o>(object: &'o Object<'_>) -> impl Fn(Malformed) -> LinkError + 'o {
    |error| LinkError::Malformed {
        object: object.source.name(),
        error,
    }
}
