//! Parameters and interfaces.

use crate::model::{Intent, Kind, Parameter, Procedure, Returns, Shape};

use super::lines::FreeForm;

/// The module for which something is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Module {
    /// `mpi`: handles are integers, buffers are addresses.
    Mpi,
    /// `mpi_f08`: handles have types, buffers have descriptors, `ierror` is optional.
    F08,
}

/// The result of a function, if a procedure is one.
pub(super) fn result_type(returns: Returns) -> Option<&'static str> {
    match returns {
        Returns::Error | Returns::Nothing => None,
        Returns::Double => Some("real(kind=selected_real_kind(15, 307))"),
        Returns::Address => Some("integer(kind=MPI_ADDRESS_KIND)"),
    }
}

/// The interface of one procedure.
pub(super) struct Interface<'a> {
    /// The procedure.
    pub(super) procedure: &'a Procedure,
    /// The module for which it is declared.
    pub(super) module: Module,
    /// The name under which it is declared.
    pub(super) name: String,
    /// The symbol for the linker if it is not the one that the compiler makes of the name.
    pub(super) symbol: Option<String>,
    /// Whether addresses of memory are C pointers in the module `mpi`, too.
    pub(super) pointers: bool,
}

impl Interface<'_> {
    /// Writes it as an interface body.
    pub(super) fn write(&self, source: &mut FreeForm) {
        let arguments = self.arguments().join(", ");
        let bind = match &self.symbol {
            Some(symbol) => format!(" bind(C,name=\"{symbol}\")"),
            None => String::new(),
        };
        let kind = match result_type(self.procedure.returns) {
            Some(_) => "function",
            None => "subroutine",
        };
        let first = format!("{kind} {}({arguments}){bind}", self.name);
        source.block(&first, &format!("end {kind}"), |source| {
            source.statement("import");
            self.declarations(source);
        });
    }

    /// The names of the arguments, in order.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut names: Vec<_> = self
            .procedure
            .fortran_parameters()
            .map(|parameter| parameter.name.clone())
            .collect();
        if self.procedure.returns == Returns::Error {
            names.push("ierror".to_owned());
        }
        names
    }

    /// The declarations of arguments and result. Scalars come first, since arrays are as long as these say.
    pub(super) fn declarations(&self, source: &mut FreeForm) {
        let (scalars, others): (Vec<_>, Vec<_>) = self
            .procedure
            .fortran_parameters()
            .partition(|parameter| is_number(parameter));
        for parameter in scalars.into_iter().chain(others) {
            source.statement(&self.declaration(parameter));
            if self.module == Module::Mpi && is_address(&parameter.kind) && !self.has_descriptors() {
                any_type(source, &parameter.name);
            }
        }
        self.result(source);
    }

    /// The declaration of what the procedure gives back.
    fn result(&self, source: &mut FreeForm) {
        match result_type(self.procedure.returns) {
            Some(result) => source.statement(&format!("{result} :: {}", self.name)),
            None if self.procedure.returns == Returns::Nothing => {}
            None if self.module == Module::F08 => {
                source.statement("integer, optional, intent(out) :: ierror")
            }
            None => source.statement("integer, intent(out) :: ierror"),
        }
    }

    /// The declaration of one argument.
    fn declaration(&self, parameter: &Parameter) -> String {
        let f08 = self.module == Module::F08;
        let mut attributes = vec![self.type_of(parameter)];
        if is_address(&parameter.kind) && !(f08 && parameter.kind == Kind::Detached) {
            let rank = match f08 || self.has_descriptors() {
                true => "dimension(..)",
                // flang copies a section that is not contiguous for an array, but not for a scalar.
                false => "dimension(*)",
            };
            attributes.push(rank.to_owned());
        }
        let intent = match parameter.intent {
            _ if !f08 && is_address(&parameter.kind) => None,
            Intent::In => Some("intent(in)"),
            Intent::Out => Some("intent(out)"),
            Intent::InOut => Some("intent(inout)"),
            Intent::Unstated => None,
        };
        attributes.extend(intent.map(str::to_owned));
        if parameter.asynchronous && f08 {
            attributes.push("asynchronous".to_owned());
        }
        format!(
            "{} :: {}{}",
            attributes.join(", "),
            parameter.name,
            shape(parameter, self.module)
        )
    }

    fn type_of(&self, parameter: &Parameter) -> String {
        match parameter.kind {
            Kind::Memory if self.pointers => "type(c_ptr)".to_owned(),
            _ => type_of(parameter, self.module),
        }
    }

    /// Whether the module `mpi` offers the procedure of `mpi_f08`, since it needs the descriptor of its argument.
    fn has_descriptors(&self) -> bool {
        needs_descriptor(self.procedure)
    }
}

/// Whether an argument is a string.
pub(super) fn is_text(parameter: &Parameter) -> bool {
    matches!(parameter.kind, Kind::Text(_) | Kind::TextOut { .. })
}

/// Whether a procedure asks for the type of an argument, which only a descriptor tells.
pub(super) fn needs_descriptor(procedure: &Procedure) -> bool {
    procedure.name == "Sizeof"
}

/// Directives by which a compiler accepts an argument of any type and rank, and passes its address.
fn any_type(source: &mut FreeForm, name: &str) {
    source.directive(&format!("!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}"));
    source.directive(&format!("!DEC$ ATTRIBUTES NO_ARG_CHECK :: {name}"));
    source.directive(&format!("!$PRAGMA IGNORE_TKR {name}"));
    source.directive(&format!("!DIR$ IGNORE_TKR {name}"));
    source.directive(&format!("!IBM* IGNORE_TKR {name}"));
}

/// Whether the argument of the module `mpi` is a choice buffer.
fn is_address(kind: &Kind) -> bool {
    matches!(kind, Kind::Buffer(_) | Kind::Detached)
}

/// Whether an array can be as long as this argument says.
fn is_number(parameter: &Parameter) -> bool {
    let number = matches!(
        parameter.kind,
        Kind::Integer | Kind::Count | Kind::Address | Kind::Offset
    );
    number && parameter.shape == Shape::Scalar
}

/// The type of an argument.
fn type_of(parameter: &Parameter, module: Module) -> String {
    let f08 = module == Module::F08;
    match &parameter.kind {
        Kind::Integer | Kind::Index | Kind::Weights | Kind::ErrorCodes | Kind::IntegerStatus => {
            "integer".to_owned()
        }
        Kind::Address => "integer(kind=MPI_ADDRESS_KIND)".to_owned(),
        Kind::Count => "integer(kind=MPI_COUNT_KIND)".to_owned(),
        Kind::Offset => "integer(kind=MPI_OFFSET_KIND)".to_owned(),
        Kind::Logical | Kind::LogicalBytes => "logical".to_owned(),
        Kind::Handle(handle) if f08 => format!("type({})", handle.type_name()),
        Kind::Handle(_) => "integer".to_owned(),
        Kind::Status if f08 => "type(MPI_Status)".to_owned(),
        Kind::Status => "integer".to_owned(),
        Kind::TypeStatus => "type(MPI_Status)".to_owned(),
        Kind::Text(_) => "character(len=*)".to_owned(),
        Kind::TextOut { declared, .. } if f08 => format!("character(len={declared})"),
        Kind::TextOut { .. } => "character(len=*)".to_owned(),
        Kind::Memory | Kind::Detached if f08 => "type(c_ptr)".to_owned(),
        Kind::Memory => "integer(kind=MPI_ADDRESS_KIND)".to_owned(),
        Kind::Buffer(_) | Kind::Detached => "type(*)".to_owned(),
        Kind::Callback(interface) if f08 => format!("procedure({interface})"),
        Kind::Callback(_) => "external".to_owned(),
        Kind::Null => unreachable!("Fortran has no such argument"),
    }
}

/// The shape of an argument. The module `mpi` takes an array of any length, as programs for it expect.
fn shape(parameter: &Parameter, module: Module) -> String {
    let status = matches!(parameter.kind, Kind::IntegerStatus)
        || (module == Module::Mpi && parameter.kind == Kind::Status);
    match (&parameter.shape, module) {
        _ if is_address(&parameter.kind) => String::new(),
        (Shape::Scalar, _) if status => "(MPI_STATUS_SIZE)".to_owned(),
        (Shape::Scalar, _) => String::new(),
        _ if status => "(MPI_STATUS_SIZE, *)".to_owned(),
        (Shape::Length(length), Module::F08) => format!("({length})"),
        (Shape::AssumedSize | Shape::Length(_), _) => "(*)".to_owned(),
        (Shape::Triples(length), Module::F08) => format!("(3, {length})"),
        (Shape::Triples(_), Module::Mpi) => "(3, *)".to_owned(),
        (Shape::Table(rows), _) => format!("({rows}, *)"),
    }
}
