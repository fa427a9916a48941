//! Constants of the ELF and x86-64 ABI documents.
#![allow(missing_docs)]

pub(crate) const ET_DYN: u16 = 3;
pub(crate) const EM_X86_64: u16 = 62;

pub(crate) const PT_LOAD: u32 = 1;
pub(crate) const PT_DYNAMIC: u32 = 2;
pub(crate) const PT_INTERP: u32 = 3;
pub(crate) const PT_NOTE: u32 = 4;
pub(crate) const PT_TLS: u32 = 7;
pub(crate) const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
pub(crate) const PT_GNU_STACK: u32 = 0x6474_e551;
pub(crate) const PT_GNU_RELRO: u32 = 0x6474_e552;

pub(crate) const PF_X: u32 = 1;
pub(crate) const PF_W: u32 = 2;
pub(crate) const PF_R: u32 = 4;

pub(crate) const DT_NULL: i64 = 0;
pub(crate) const DT_NEEDED: i64 = 1;
pub(crate) const DT_PLTRELSZ: i64 = 2;
pub(crate) const DT_PLTGOT: i64 = 3;
pub(crate) const DT_HASH: i64 = 4;
pub(crate) const DT_STRTAB: i64 = 5;
pub(crate) const DT_SYMTAB: i64 = 6;
pub(crate) const DT_RELA: i64 = 7;
pub(crate) const DT_RELASZ: i64 = 8;
pub(crate) const DT_INIT: i64 = 12;
pub(crate) const DT_FINI: i64 = 13;
pub(crate) const DT_SONAME: i64 = 14;
pub(crate) const DT_SYMBOLIC: i64 = 16;
pub(crate) const DT_TEXTREL: i64 = 22;
pub(crate) const DT_JMPREL: i64 = 23;
pub(crate) const DT_INIT_ARRAY: i64 = 25;
pub(crate) const DT_FINI_ARRAY: i64 = 26;
pub(crate) const DT_INIT_ARRAYSZ: i64 = 27;
pub(crate) const DT_FINI_ARRAYSZ: i64 = 28;
pub(crate) const DT_FLAGS: i64 = 30;
pub(crate) const DT_PREINIT_ARRAY: i64 = 32;
pub(crate) const DT_PREINIT_ARRAYSZ: i64 = 33;
pub(crate) const DT_RELRSZ: i64 = 35;
pub(crate) const DT_RELR: i64 = 36;
pub(crate) const DT_GNU_HASH: i64 = 0x6fff_fef5;
pub(crate) const DT_VERSYM: i64 = 0x6fff_fff0;
pub(crate) const DT_VERDEF: i64 = 0x6fff_fffc;
pub(crate) const DT_VERDEFNUM: i64 = 0x6fff_fffd;
pub(crate) const DT_VERNEED: i64 = 0x6fff_fffe;
pub(crate) const DT_VERNEEDNUM: i64 = 0x6fff_ffff;

pub(crate) const DF_SYMBOLIC: u64 = 2;
pub(crate) const DF_TEXTREL: u64 = 4;

pub(crate) const SHN_UNDEF: u16 = 0;
pub(crate) const SHN_ABS: u16 = 0xfff1;
pub(crate) const STB_LOCAL: u8 = 0;
pub(crate) const STB_GLOBAL: u8 = 1;
pub(crate) const STB_WEAK: u8 = 2;
pub(crate) const STB_GNU_UNIQUE: u8 = 10;
pub(crate) const STT_NOTYPE: u8 = 0;
pub(crate) const STT_OBJECT: u8 = 1;
pub(crate) const STT_FUNC: u8 = 2;
pub(crate) const STT_COMMON: u8 = 5;
pub(crate) const STT_TLS: u8 = 6;
pub(crate) const STT_GNU_IFUNC: u8 = 10;

pub(crate) const R_X86_64_NONE: u32 = 0;
pub(crate) const R_X86_64_64: u32 = 1;
pub(crate) const R_X86_64_COPY: u32 = 5;
pub(crate) const R_X86_64_GLOB_DAT: u32 = 6;
pub(crate) const R_X86_64_JUMP_SLOT: u32 = 7;
pub(crate) const R_X86_64_RELATIVE: u32 = 8;
pub(crate) const R_X86_64_DTPMOD64: u32 = 16;
pub(crate) const R_X86_64_DTPOFF64: u32 = 17;
pub(crate) const R_X86_64_TPOFF64: u32 = 18;
pub(crate) const R_X86_64_SIZE64: u32 = 33;
pub(crate) const R_X86_64_TLSDESC: u32 = 36;
pub(crate) const R_X86_64_IRELATIVE: u32 = 37;
