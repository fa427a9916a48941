//! The module with what `mpi` and `mpi_f08` share: kinds, integer constants, the types of handles and of the status.

use crate::constants::{Constant, Value};
use crate::model::Handle;

use super::lines::FreeForm;

/// The name of the module.
pub(super) const NAME: &str = "simurgh_mpi_types";

const ABOUT: &str = "The part of MPI's Fortran interface that the modules mpi and mpi_f08 share.\n\
                     Generated; SPDX-License-Identifier: MIT OR Apache-2.0";

/// The kinds of integers: (name, value).
pub(super) const KINDS: [(&str, u8); 4] = [
    ("MPI_ADDRESS_KIND", 8),
    ("MPI_COUNT_KIND", 8),
    ("MPI_OFFSET_KIND", 8),
    ("MPI_INTEGER_KIND", 4),
];

/// A constant whose value cannot be computed where INTEGER has 8 bytes: its name, and its value.
pub(super) const GUARD: (&str, &str) = ("MPI_NEEDS_4_BYTE_INTEGERS", "4/(8-KIND(0))");

/// A remark in the line of that constant, which compilers show with their message.
pub(super) const GUARD_REMARK: &str = "INTEGER must have 4 bytes: leave out -fdefault-integer-8 (-i8)";

/// The source of the module.
pub(super) fn module(constants: &[Constant]) -> String {
    let mut source = FreeForm::new(ABOUT);
    source.block(&format!("module {NAME}"), "end module", |source| {
        source.statement("implicit none");
        source.gap();
        let (name, value) = GUARD;
        source.statement(&format!(
            "integer, parameter, private :: {name} = {value} ! {GUARD_REMARK}"
        ));
        for (name, kind) in KINDS {
            source.statement(&format!("integer, parameter :: {name} = {kind}"));
        }
        source.gap();
        for constant in constants {
            integer(source, constant);
        }
        source.gap();
        types(source);
        source.gap();
        operators(source);
    });
    source.finish()
}

/// Declares a constant, unless it is a handle: these differ in the two modules.
fn integer(source: &mut FreeForm, constant: &Constant) {
    let name = &constant.name;
    match constant.value {
        Value::Integer(value) => source.statement(&format!("integer, parameter :: {name} = {value}")),
        Value::Offset(value) => source.statement(&format!(
            "integer(kind=MPI_OFFSET_KIND), parameter :: {name} = {value}_MPI_OFFSET_KIND"
        )),
        Value::Handle(..) => {}
    }
}

fn types(source: &mut FreeForm) {
    source.block("type, bind(C) :: MPI_Status", "end type", |source| {
        for component in ["MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "MPI_internal(5)"] {
            source.statement(&format!("integer :: {component}"));
        }
    });
    for handle in Handle::ALL {
        source.block(
            &format!("type, bind(C) :: {}", handle.type_name()),
            "end type",
            |source| {
                source.statement("integer :: MPI_VAL");
            },
        );
    }
}

/// The comparison of handles.
fn operators(source: &mut FreeForm) {
    for (operator, name) in [("==", "equal"), ("/=", "unequal")] {
        source.block(
            &format!("interface operator({operator})"),
            "end interface",
            |source| {
                for handle in Handle::ALL {
                    source.statement(&format!("module procedure {name}_{handle:?}"));
                }
            },
        );
    }
    let all = |name: &str| Handle::ALL.map(|handle| format!("{name}_{handle:?}")).join(", ");
    source.statement(&format!("private :: {}, {}", all("equal"), all("unequal")));
    source.gap();
    source.statement("contains");
    for (operator, name) in [("==", "equal"), ("/=", "unequal")] {
        for handle in Handle::ALL {
            let first = format!("elemental function {name}_{handle:?}(x, y) result({name})");
            source.block(&first, "end function", |source| {
                source.statement(&format!("type({}), intent(in) :: x, y", handle.type_name()));
                source.statement(&format!("logical :: {name}"));
                source.statement(&format!("{name} = x%MPI_VAL {operator} y%MPI_VAL"));
            });
        }
    }
}
