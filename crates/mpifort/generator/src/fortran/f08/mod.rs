//! The module `mpi_f08`.
//!
//! A procedure has an interface of its own name, whose symbol `BIND(C)` gives, so that a compiler says which argument
//! of a call is wrong. Only where there is a procedure with large counts besides are both specific procedures of a
//! generic name.

mod lengths;

use crate::constants::{Constant, Value};
use crate::model::Procedure;

use super::declarations::{Interface, Module};
use super::lines::FreeForm;
use super::{f08_callbacks, sentinels, types};

const ABOUT: &str = "The module mpi_f08 of MPI 5.0.\nGenerated; SPDX-License-Identifier: MIT OR Apache-2.0";

/// The prefixes of procedures: that of programs, and that of tools that intercept the other ones.
pub(super) const PREFIXES: [&str; 2] = ["MPI_", "PMPI_"];

/// The source of the module.
pub(super) fn module(procedures: &[Procedure], constants: &[Constant]) -> String {
    let generics = generics(procedures);
    let mut source = FreeForm::new(ABOUT);
    source.block("module mpi_f08", "end module", |source| {
        source.statement(&format!("use {}", types::NAME));
        source.statement("use, intrinsic :: iso_c_binding, only: c_char, c_ptr, c_size_t");
        source.statement("implicit none");
        source.statement("private :: c_char, c_ptr, c_size_t");
        source.gap();
        source.statement("logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.");
        source.statement("logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .true.");
        for constant in constants {
            if let Value::Handle(handle, number) = constant.value {
                let ty = handle.type_name();
                source.statement(&format!(
                    "type({ty}), parameter :: {} = {ty}({number})",
                    constant.name
                ));
            }
        }
        source.gap();
        for declaration in sentinels::declarations(Module::F08) {
            source.statement(&declaration);
        }
        source.gap();
        f08_callbacks::write(source);
        for prefix in PREFIXES {
            for generic in &generics {
                source.gap();
                generic.write(prefix, source);
            }
        }
        let all = generics.iter().flat_map(|generic| &generic.procedures).copied();
        lengths::procedures(all, source);
    });
    source.finish()
}

/// The procedures of one name.
struct Generic<'a> {
    /// The name without `MPI_`.
    name: String,
    procedures: Vec<&'a Procedure>,
}

/// The procedures of the module, by name.
fn generics(procedures: &[Procedure]) -> Vec<Generic<'_>> {
    let mut generics: Vec<Generic<'_>> = Vec::new();
    for procedure in procedures.iter().filter(|procedure| procedure.bindings.f08) {
        let name = procedure.generic().trim_start_matches("MPI_").to_owned();
        match generics.iter_mut().find(|generic| generic.name == name) {
            Some(generic) => generic.procedures.push(procedure),
            None => generics.push(Generic {
                name,
                procedures: vec![procedure],
            }),
        }
    }
    generics
}

impl Generic<'_> {
    fn write(&self, prefix: &str, source: &mut FreeForm) {
        let name = format!("{prefix}{}", self.name);
        match self.procedures[..] {
            [procedure] if is_named_directly(procedure) => {
                let specific = procedure.specific();
                source.block("interface", "end interface", |source| {
                    let symbol = specific.bind_c.then(|| prefixed(&specific.symbol, prefix));
                    interface(procedure, name, symbol).write(source);
                });
            }
            _ => source.block(&format!("interface {name}"), "end interface", |source| {
                for procedure in &self.procedures {
                    write_specific(procedure, prefix, source);
                }
            }),
        }
    }
}

/// Writes a specific procedure of a generic name.
fn write_specific(procedure: &Procedure, prefix: &str, source: &mut FreeForm) {
    let specific = procedure.specific();
    let name = prefixed(&specific.name, prefix);
    if lengths::beside_buffer(procedure) {
        lengths::interface(procedure, name, source);
        return;
    }
    let symbol = specific.bind_c.then(|| prefixed(&specific.symbol, prefix));
    interface(procedure, name, symbol).write(source);
}

fn interface(procedure: &Procedure, name: String, symbol: Option<String>) -> Interface<'_> {
    Interface {
        procedure,
        module: Module::F08,
        name,
        symbol,
        pointers: true,
    }
}

/// The name with the prefix in place of `MPI_`.
pub(super) fn prefixed(name: &str, prefix: &str) -> String {
    name.replacen("MPI_", prefix, 1)
}

/// Whether the procedure has the name that programs use. If the compiler makes the symbol of the name, that is the
/// symbol of `mpif.h`, so there has to be one.
fn is_named_directly(procedure: &Procedure) -> bool {
    !lengths::beside_buffer(procedure) && (procedure.specific().bind_c || procedure.bindings.mpif)
}
