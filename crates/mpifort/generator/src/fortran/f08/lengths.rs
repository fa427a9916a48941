//! Procedures with a choice buffer and a string.
//!
//! The descriptor of the buffer needs a `BIND(C)` interface in gfortran, in which there are no hidden lengths of
//! strings, and flang passes the same descriptor without `BIND(C)`. So for flang these procedures are external ones.
//! For the others they are procedures of the module, which pass the length on; flang 19 cannot compile them.

use crate::model::Procedure;

use super::super::declarations::{Interface, is_text};
use super::super::lines::FreeForm;
use super::{PREFIXES, prefixed};

/// Whether a procedure has a choice buffer and a string.
pub(super) fn beside_buffer(procedure: &Procedure) -> bool {
    procedure.has_buffer() && procedure.has_text()
}

/// Writes the interface of such a procedure, which has this name.
pub(super) fn interface(procedure: &Procedure, name: String, source: &mut FreeForm) {
    source.directive("#ifdef __flang__");
    super::interface(procedure, name.clone(), None).write(source);
    source.directive("#else");
    source.statement(&format!("module procedure {name}"));
    source.directive("#endif");
}

/// Writes the procedures of the module.
pub(super) fn procedures<'a>(all: impl Iterator<Item = &'a Procedure>, source: &mut FreeForm) {
    source.gap();
    source.directive("#ifndef __flang__");
    source.statement("contains");
    for procedure in all.filter(|procedure| beside_buffer(procedure)) {
        for prefix in PREFIXES {
            source.gap();
            pass_length(procedure, prefix, source);
        }
    }
    source.directive("#endif");
}

/// Writes a procedure that passes the length of a string on.
fn pass_length(procedure: &Procedure, prefix: &str, source: &mut FreeForm) {
    let specific = procedure.specific();
    let outer = super::interface(procedure, prefixed(&specific.name, prefix), None);
    let arguments = outer.arguments();
    let texts: Vec<_> = procedure
        .fortran_parameters()
        .filter(|parameter| is_text(parameter))
        .map(|parameter| parameter.name.clone())
        .collect();
    let first = format!("subroutine {}({})", outer.name, arguments.join(", "));
    source.block(&first, "end subroutine", |source| {
        outer.declarations(source);
        source.block("interface", "end interface", |source| {
            with_length(&outer, &texts, &prefixed(&specific.symbol, prefix), source);
        });
        let lengths = texts.iter().map(|text| format!("len({text}, kind=c_size_t)"));
        let passed: Vec<_> = arguments.iter().cloned().chain(lengths).collect();
        source.statement(&format!("call with_length({})", passed.join(", ")));
    });
}

/// Writes the interface of the library's procedure, which takes the lengths behind all other arguments.
fn with_length(outer: &Interface<'_>, texts: &[String], symbol: &str, source: &mut FreeForm) {
    let lengths: Vec<_> = texts.iter().map(|text| format!("{text}_length")).collect();
    let arguments = [outer.arguments(), lengths.clone()].concat().join(", ");
    let first = format!("subroutine with_length({arguments}) bind(C,name=\"{symbol}\")");
    source.block(&first, "end subroutine", |source| {
        source.statement("import");
        let mut declared = FreeForm::default();
        outer.declarations(&mut declared);
        for declaration in declared.finish().lines() {
            let text = texts
                .iter()
                .find(|text| declaration.ends_with(&format!(":: {text}")));
            match text {
                Some(text) => source.statement(&format!("character(kind=c_char), intent(in) :: {text}(*)")),
                None => source.statement(declaration),
            }
        }
        source.statement(&format!(
            "integer(kind=c_size_t), value :: {}",
            lengths.join(", ")
        ));
    });
}
