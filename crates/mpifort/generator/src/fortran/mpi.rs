//! The module `mpi`.

use crate::constants::{Constant, Value};
use crate::model::Procedure;

use super::declarations::{Interface, Module, needs_descriptor};
use super::f08::{PREFIXES, prefixed};
use super::lines::FreeForm;
use super::{mpif, sentinels, types};

const ABOUT: &str = "The module mpi of MPI 5.0.\nGenerated; SPDX-License-Identifier: MIT OR Apache-2.0";

/// The source of the module.
pub(super) fn module(procedures: &[Procedure], constants: &[Constant]) -> String {
    let mut source = FreeForm::new(ABOUT);
    source.block("module mpi", "end module", |source| {
        source.statement(&format!("use {}", types::NAME));
        source.statement("use, intrinsic :: iso_c_binding, only: c_ptr");
        source.statement("implicit none");
        source.statement("private :: c_ptr");
        source.gap();
        source.statement("logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false.");
        source.statement("logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.");
        for constant in constants {
            if let Value::Handle(_, number) = constant.value {
                source.statement(&format!("integer, parameter :: {} = {number}", constant.name));
            }
        }
        source.gap();
        for declaration in sentinels::declarations(Module::Mpi) {
            source.statement(&declaration);
        }
        source.gap();
        source.statement(&format!("external {}", mpif::CALLBACKS.join(", ")));
        for prefix in PREFIXES {
            for procedure in procedures.iter().filter(|procedure| procedure.bindings.mpi) {
                source.gap();
                write(procedure, prefix, source);
            }
        }
    });
    source.finish()
}

/// Writes the interface of a procedure. One that hands out memory can be given an address or a C pointer.
fn write(procedure: &Procedure, prefix: &str, source: &mut FreeForm) {
    let name = format!("{prefix}{}", procedure.name);
    let interface = |name: String, symbol: Option<String>, pointers| Interface {
        procedure,
        module: Module::Mpi,
        name,
        symbol,
        pointers,
    };
    if procedure.hands_out_memory() {
        source.block(&format!("interface {name}"), "end interface", |source| {
            interface(name.clone(), None, false).write(source);
            interface(format!("{name}_cptr"), None, true).write(source);
        });
        return;
    }
    let symbol = needs_descriptor(procedure).then(|| prefixed(&procedure.specific().symbol, prefix));
    source.block("interface", "end interface", |source| {
        interface(name, symbol, false).write(source);
    });
}
