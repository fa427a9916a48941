//! Relocations that name thread-local variables.
//!
//! The variables of all private objects lie in the host's reservation, which is module 1, at the same distances from
//! the thread pointer in each rank. So the value that such a relocation writes is a constant.

use super::LinkError;
use super::relocate::{Linker, damaged};
use crate::elf::relocs::Reloc;
use crate::elf::{Elf, abi};

/// The module number of the host's executable, which is the first object.
const MODULE: u64 = 1;

/// A thread-local variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    /// The distance of its object's block below the thread pointer.
    pub(super) distance: u64,
    /// The place of the variable in the block.
    pub(super) value: u64,
}

/// The words of an object that get the place of a variable by a relocation of their own.
pub(super) fn offsets(elf: &Elf<'_>) -> Vec<u64> {
    elf.relocs()
        .filter(|reloc| reloc.kind == abi::R_X86_64_DTPOFF64)
        .map(|reloc| reloc.target)
        .collect()
}

/// Writes the value of such a relocation.
pub(super) fn relocate(
    linker: &mut Linker<'_>,
    index: usize,
    reloc: &Reloc,
    variable: Variable,
    offsets: &[u64],
) -> Result<(), LinkError> {
    let value = variable.value.wrapping_add_signed(reloc.addend);
    let block_in_module = linker.reservation.wrapping_sub(variable.distance);
    let from_thread_pointer = value.wrapping_sub(variable.distance);
    let target = reloc.target;
    match reloc.kind {
        abi::R_X86_64_TPOFF64 => linker.set_fixed(index, target, from_thread_pointer),
        abi::R_X86_64_DTPOFF64 => linker.set_fixed(index, target, block_in_module.wrapping_add(value)),
        abi::R_X86_64_TLSDESC => {
            linker.set_fixed(index, target, descriptor as *const () as u64)?;
            linker.set_fixed(index, target.wrapping_add(8), from_thread_pointer)
        }
        _ => {
            linker.set_fixed(index, target, MODULE)?;
            let second = target.wrapping_add(8);
            if offsets.contains(&second) {
                return Ok(());
            }
            // The word already contains the place, counted from the object's own block.
            let object = &linker.objects[index];
            let own = linker.draft.word(object, second).map_err(damaged(object))?;
            linker.set_fixed(index, second, block_in_module.wrapping_add(own))
        }
    }
}

/// The function of a TLS descriptor whose variable lies at a constant distance from the thread pointer. The distance is
/// the second word of the descriptor, to which RAX points. The function must change no other register.
#[unsafe(naked)]
extern "C" fn descriptor() {
    std::arch::naked_asm!("mov rax, [rax + 8]", "ret");
}
