//! What valgrind's memcheck has to be told, so that it finds no mistakes where there are none.

use std::arch::asm;

/// Memcheck's request that memory counts as initialised (memcheck.h, `VALGRIND_MAKE_MEM_DEFINED`).
const MAKE_MEM_DEFINED: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16 | 2;

/// Tells memcheck that somebody has written so many bytes whom it does not see, such as another process.
///
/// Costs without valgrind: a few instructions that do nothing.
#[inline]
pub fn mark_written(address: *const u8, bytes: usize) {
    let request = [MAKE_MEM_DEFINED, address.addr() as u64, bytes as u64, 0, 0, 0];
    // SAFETY:
    // - on a processor these instructions leave all registers as they were, but for the flags: they rotate rdi by 128
    //   bits in all, and exchange rbx with itself;
    // - valgrind takes them as a client request (valgrind.h): it reads the six words to which rax points, changes what
    //   it knows about the memory, which it need not be able to access, and writes a result to rdx.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") request.as_ptr(),
            inout("rdx") 0_u64 => _,
            options(nostack, readonly),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_valgrind_nothing_happens() {
        let bytes = [1_u8, 2, 3];
        mark_written(bytes.as_ptr(), bytes.len());
        mark_written(std::ptr::null(), 0);
        assert_eq!(bytes, [1, 2, 3]);
    }
}
