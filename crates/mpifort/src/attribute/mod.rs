//! Attributes, whichever language sets and gets them.
//!
//! | set by | C gets | Fortran gets |
//! |---|---|---|
//! | C | the pointer | the pointer as an integer, or its low half as an INTEGER |
//! | Fortran, address-sized | the address of the integer | the integer, or its low half as an INTEGER |
//! | Fortran, INTEGER | the address of the INTEGER | the integer, with its sign |
//!
//! Predefined attributes behave as if Fortran had set them, except the base address of a window, which C has set.
//!
//! An attribute that Fortran sets under a key of Fortran is freed with it. Under a key of C it stays until the rank
//! ends: the delete function is C's, and it alone learns of the attribute's end.
//!
//! # Layers
//!
//! * `cell`: the integers that Fortran has set
//! * `value`: the value of an attribute, as Fortran sees it
//! * `object`: the kinds of objects that have attributes
//! * `procedures`: the procedures that set and get attributes

mod cell;
mod object;
mod procedures;
mod value;

pub(crate) use object::Object;
pub(crate) use procedures::{
    attr_get, attr_put, comm_get_attr, comm_set_attr, type_get_attr, type_set_attr, win_get_attr,
    win_set_attr,
};
pub(crate) use value::{Integer, Value};
