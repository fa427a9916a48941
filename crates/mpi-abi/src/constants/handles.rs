//! Predefined handles: small integers in the place of pointers, as the ABI chapter of the standard numbers them.

use crate::types::*;

// MPI_Comm
pub const MPI_COMM_NULL: MPI_Comm = MPI_Comm(0x100);
pub const MPI_COMM_WORLD: MPI_Comm = MPI_Comm(0x101);
pub const MPI_COMM_SELF: MPI_Comm = MPI_Comm(0x102);

// MPI_Group
pub const MPI_GROUP_NULL: MPI_Group = MPI_Group(0x108);
pub const MPI_GROUP_EMPTY: MPI_Group = MPI_Group(0x109);

// MPI_Win
pub const MPI_WIN_NULL: MPI_Win = MPI_Win(0x110);

// MPI_File
pub const MPI_FILE_NULL: MPI_File = MPI_File(0x118);

// MPI_Session
pub const MPI_SESSION_NULL: MPI_Session = MPI_Session(0x120);

// MPI_Message
pub const MPI_MESSAGE_NULL: MPI_Message = MPI_Message(0x128);
pub const MPI_MESSAGE_NO_PROC: MPI_Message = MPI_Message(0x129);

// MPI_Info
pub const MPI_INFO_NULL: MPI_Info = MPI_Info(0x130);
pub const MPI_INFO_ENV: MPI_Info = MPI_Info(0x131);

// MPI_Errhandler
pub const MPI_ERRHANDLER_NULL: MPI_Errhandler = MPI_Errhandler(0x140);
pub const MPI_ERRORS_ARE_FATAL: MPI_Errhandler = MPI_Errhandler(0x141);
pub const MPI_ERRORS_ABORT: MPI_Errhandler = MPI_Errhandler(0x142);
pub const MPI_ERRORS_RETURN: MPI_Errhandler = MPI_Errhandler(0x143);

// MPI_Request
pub const MPI_REQUEST_NULL: MPI_Request = MPI_Request(0x180);

// MPI_Op
pub const MPI_OP_NULL: MPI_Op = MPI_Op(0x20);
pub const MPI_SUM: MPI_Op = MPI_Op(0x21);
pub const MPI_MIN: MPI_Op = MPI_Op(0x22);
pub const MPI_MAX: MPI_Op = MPI_Op(0x23);
pub const MPI_PROD: MPI_Op = MPI_Op(0x24);
pub const MPI_BAND: MPI_Op = MPI_Op(0x28);
pub const MPI_BOR: MPI_Op = MPI_Op(0x29);
pub const MPI_BXOR: MPI_Op = MPI_Op(0x2a);
pub const MPI_LAND: MPI_Op = MPI_Op(0x30);
pub const MPI_LOR: MPI_Op = MPI_Op(0x31);
pub const MPI_LXOR: MPI_Op = MPI_Op(0x32);
pub const MPI_MINLOC: MPI_Op = MPI_Op(0x38);
pub const MPI_MAXLOC: MPI_Op = MPI_Op(0x39);
pub const MPI_REPLACE: MPI_Op = MPI_Op(0x3c);
pub const MPI_NO_OP: MPI_Op = MPI_Op(0x3d);

// MPI_Datatype
pub const MPI_DATATYPE_NULL: MPI_Datatype = MPI_Datatype(0x200);
pub const MPI_AINT: MPI_Datatype = MPI_Datatype(0x201);
pub const MPI_COUNT: MPI_Datatype = MPI_Datatype(0x202);
pub const MPI_OFFSET: MPI_Datatype = MPI_Datatype(0x203);
pub const MPI_PACKED: MPI_Datatype = MPI_Datatype(0x207);
pub const MPI_SHORT: MPI_Datatype = MPI_Datatype(0x208);
pub const MPI_INT: MPI_Datatype = MPI_Datatype(0x209);
pub const MPI_LONG: MPI_Datatype = MPI_Datatype(0x20a);
pub const MPI_LONG_LONG: MPI_Datatype = MPI_Datatype(0x20b);
pub const MPI_LONG_LONG_INT: MPI_Datatype = MPI_LONG_LONG;
pub const MPI_UNSIGNED_SHORT: MPI_Datatype = MPI_Datatype(0x20c);
pub const MPI_UNSIGNED: MPI_Datatype = MPI_Datatype(0x20d);
pub const MPI_UNSIGNED_LONG: MPI_Datatype = MPI_Datatype(0x20e);
pub const MPI_UNSIGNED_LONG_LONG: MPI_Datatype = MPI_Datatype(0x20f);
pub const MPI_FLOAT: MPI_Datatype = MPI_Datatype(0x210);
pub const MPI_C_FLOAT_COMPLEX: MPI_Datatype = MPI_Datatype(0x212);
pub const MPI_C_COMPLEX: MPI_Datatype = MPI_C_FLOAT_COMPLEX;
pub const MPI_CXX_FLOAT_COMPLEX: MPI_Datatype = MPI_Datatype(0x213);
pub const MPI_DOUBLE: MPI_Datatype = MPI_Datatype(0x214);
pub const MPI_C_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x216);
pub const MPI_CXX_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x217);
pub const MPI_LOGICAL: MPI_Datatype = MPI_Datatype(0x218);
pub const MPI_INTEGER: MPI_Datatype = MPI_Datatype(0x219);
pub const MPI_REAL: MPI_Datatype = MPI_Datatype(0x21a);
pub const MPI_COMPLEX: MPI_Datatype = MPI_Datatype(0x21b);
pub const MPI_DOUBLE_PRECISION: MPI_Datatype = MPI_Datatype(0x21c);
pub const MPI_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x21d);
pub const MPI_CHARACTER: MPI_Datatype = MPI_Datatype(0x21e);
pub const MPI_LONG_DOUBLE: MPI_Datatype = MPI_Datatype(0x220);
pub const MPI_C_LONG_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x224);
pub const MPI_CXX_LONG_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x225);
pub const MPI_FLOAT_INT: MPI_Datatype = MPI_Datatype(0x228);
pub const MPI_DOUBLE_INT: MPI_Datatype = MPI_Datatype(0x229);
pub const MPI_LONG_INT: MPI_Datatype = MPI_Datatype(0x22a);
pub const MPI_2INT: MPI_Datatype = MPI_Datatype(0x22b);
pub const MPI_SHORT_INT: MPI_Datatype = MPI_Datatype(0x22c);
pub const MPI_LONG_DOUBLE_INT: MPI_Datatype = MPI_Datatype(0x22d);
pub const MPI_2REAL: MPI_Datatype = MPI_Datatype(0x230);
pub const MPI_2DOUBLE_PRECISION: MPI_Datatype = MPI_Datatype(0x231);
pub const MPI_2INTEGER: MPI_Datatype = MPI_Datatype(0x232);
pub const MPI_C_BOOL: MPI_Datatype = MPI_Datatype(0x238);
pub const MPI_CXX_BOOL: MPI_Datatype = MPI_Datatype(0x239);
pub const MPI_WCHAR: MPI_Datatype = MPI_Datatype(0x23c);
pub const MPI_INT8_T: MPI_Datatype = MPI_Datatype(0x240);
pub const MPI_UINT8_T: MPI_Datatype = MPI_Datatype(0x241);
pub const MPI_CHAR: MPI_Datatype = MPI_Datatype(0x243);
pub const MPI_SIGNED_CHAR: MPI_Datatype = MPI_Datatype(0x244);
pub const MPI_UNSIGNED_CHAR: MPI_Datatype = MPI_Datatype(0x245);
pub const MPI_BYTE: MPI_Datatype = MPI_Datatype(0x247);
pub const MPI_INT16_T: MPI_Datatype = MPI_Datatype(0x248);
pub const MPI_UINT16_T: MPI_Datatype = MPI_Datatype(0x249);
pub const MPI_INT32_T: MPI_Datatype = MPI_Datatype(0x250);
pub const MPI_UINT32_T: MPI_Datatype = MPI_Datatype(0x251);
pub const MPI_INT64_T: MPI_Datatype = MPI_Datatype(0x258);
pub const MPI_UINT64_T: MPI_Datatype = MPI_Datatype(0x259);
pub const MPI_LOGICAL1: MPI_Datatype = MPI_Datatype(0x2c0);
pub const MPI_INTEGER1: MPI_Datatype = MPI_Datatype(0x2c1);
pub const MPI_LOGICAL2: MPI_Datatype = MPI_Datatype(0x2c8);
pub const MPI_INTEGER2: MPI_Datatype = MPI_Datatype(0x2c9);
pub const MPI_REAL2: MPI_Datatype = MPI_Datatype(0x2ca);
pub const MPI_LOGICAL4: MPI_Datatype = MPI_Datatype(0x2d0);
pub const MPI_INTEGER4: MPI_Datatype = MPI_Datatype(0x2d1);
pub const MPI_REAL4: MPI_Datatype = MPI_Datatype(0x2d2);
pub const MPI_COMPLEX4: MPI_Datatype = MPI_Datatype(0x2d3);
pub const MPI_LOGICAL8: MPI_Datatype = MPI_Datatype(0x2d8);
pub const MPI_INTEGER8: MPI_Datatype = MPI_Datatype(0x2d9);
pub const MPI_REAL8: MPI_Datatype = MPI_Datatype(0x2da);
pub const MPI_COMPLEX8: MPI_Datatype = MPI_Datatype(0x2db);
pub const MPI_LOGICAL16: MPI_Datatype = MPI_Datatype(0x2e0);
pub const MPI_INTEGER16: MPI_Datatype = MPI_Datatype(0x2e1);
pub const MPI_REAL16: MPI_Datatype = MPI_Datatype(0x2e2);
pub const MPI_COMPLEX16: MPI_Datatype = MPI_Datatype(0x2e3);
pub const MPI_COMPLEX32: MPI_Datatype = MPI_Datatype(0x2eb);
