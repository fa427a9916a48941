//! The short ways through a procedure, on which nothing but `ierror` is left to do after the call.
//!
//! * All handles are predefined, and buffers are contiguous arrays of one dimension at most.
//! * Buffers are any contiguous arrays, or sections for which datatypes are kept; handles are any.
//!
//! A message costs as little as some tens of nanoseconds, so this has to be short. If the program leaves `ierror`
//! out, it ends in a jump to the C function, which makes one return less. That matters where the C function lets
//! another rank run: the processor predicts returns by the calls before, and those were the other rank's.
//!
//! A compiler makes such a jump only if the arguments on the stack are those that the procedure itself has got, and
//! then only one in a function. So a status is passed as it is. One that is to be ignored is written to the variable
//! that stands for it, which nobody reads. Procedures that pass a status on the stack choose the function first, and
//! jump to either by one instruction.

use std::collections::BTreeSet;

use crate::model::{Body, Handle, Intent, Kind, Layout, Parameter, Procedure, Returns};
use crate::table;

use super::{is_array, type_of, variable};

/// The two short ways.
#[derive(Default)]
pub(super) struct Ways {
    pub(super) plain: Way,
    pub(super) known: Way,
}

/// A short way: it is gone if all conditions are met.
#[derive(Default)]
pub(super) struct Way {
    before: String,
    conditions: Vec<String>,
    arguments: Vec<String>,
    call: String,
}

/// The short ways through a procedure, if it has any.
pub(super) fn ways(procedure: &Procedure) -> Option<Ways> {
    let starts = table::AT_START.contains(&procedure.name.as_str());
    if procedure.returns != Returns::Error || matches!(procedure.body, Body::ByHand(_)) || starts {
        return None;
    }
    let datatypes: BTreeSet<_> = elements(procedure).map(|elements| elements.datatype).collect();
    assert_eq!(
        datatypes.len(),
        elements(procedure).count(),
        "MPI_{}: two buffers have one datatype",
        procedure.name
    );
    let mut ways = Ways::default();
    for parameter in &procedure.parameters {
        argument(procedure, parameter, &mut ways)?;
    }
    for way in [&mut ways.plain, &mut ways.known] {
        way.call = format!("MPI_{}({})", procedure.name, way.arguments.join(", "));
    }
    (!ways.plain.conditions.is_empty()).then_some(ways)
}

/// Adds an argument to both ways. `None` if there are none.
fn argument(procedure: &Procedure, parameter: &Parameter, Ways { plain, known }: &mut Ways) -> Option<()> {
    let (name, given) = (&parameter.name, variable(parameter));
    let both = match &parameter.kind {
        Kind::Buffer(Layout::Attached) => return None,
        Kind::Buffer(layout) => {
            let address = format!("let {name} = sentinel::buffer({given}.base());\n");
            plain.before.push_str(&address);
            plain.conditions.push(format!("{given}.is_plain()"));
            known.before.push_str(&address);
            known.conditions.push(match layout {
                Layout::Elements { datatype, .. } => format!("known_{datatype}.0 != 0"),
                _ => format!("{given}.is_contiguous()"),
            });
            name.clone()
        }
        Kind::Handle(handle) if is_plain(procedure, parameter, *handle) => {
            let handle = handle.type_name();
            plain.conditions.push(format!("is_predefined(*{given})"));
            plain.arguments.push(format!("{handle}(*{given} as usize)"));
            known
                .before
                .push_str(&format!("let {name} = {handle}::of(*{given});\n"));
            let elements = elements(procedure).find(|elements| elements.datatype == name);
            known.arguments.push(match elements {
                Some(Elements { buffer, count, .. }) => {
                    let datatype = format!("f_{buffer}.known((*f_{count}).wide(), {name})");
                    known
                        .before
                        .push_str(&format!("let known_{name} = {datatype};\n"));
                    format!("known_{name}")
                }
                None => name.clone(),
            });
            return Some(());
        }
        Kind::Status if parameter.intent == Intent::Unstated && !is_array(parameter) => given,
        Kind::Integer | Kind::Address | Kind::Count | Kind::Offset => {
            match !parameter.by_address && !is_array(parameter) {
                true => format!("*{given}"),
                false => given,
            }
        }
        _ => return None,
    };
    let elements = elements(procedure).find(|elements| elements.count == name);
    known.arguments.push(match elements {
        Some(Elements { datatype, .. }) => {
            format!("if known_{datatype}.0 == {datatype}.0 {{ {both} }} else {{ 1 }}")
        }
        None => both.clone(),
    });
    plain.arguments.push(both);
    Some(())
}

/// A buffer whose data are so many elements of a datatype: the names of the parameters.
struct Elements<'a> {
    buffer: &'a str,
    count: &'a str,
    datatype: &'a str,
}

fn elements(procedure: &Procedure) -> impl Iterator<Item = Elements<'_>> {
    procedure
        .parameters
        .iter()
        .filter_map(|parameter| match &parameter.kind {
            Kind::Buffer(Layout::Elements { count, datatype }) => Some(Elements {
                buffer: &parameter.name,
                count,
                datatype,
            }),
            _ => None,
        })
}

/// The arguments that are passed in registers.
const IN_REGISTERS: usize = 6;

impl Ways {
    /// The plain way, with a call of another function where it cannot be gone. The error code is stored.
    pub(super) fn plain_or(&self, procedure: &Procedure, other: &str) -> String {
        let give = |call: &str| {
            format!("if ierror.is_null() {{ let _ = {call}; }} else {{ error::apart(); *ierror = {call}; }}")
        };
        let (before, conditions) = (&self.plain.before, self.plain.conditions.join(" && "));
        let given: Vec<_> = procedure.fortran_parameters().map(variable).collect();
        let Some((in_registers, on_stack)) = passed_on(procedure) else {
            let (own, other) = (
                give(&self.plain.call),
                give(&format!("{other}({})", given.join(", "))),
            );
            return format!("{before}if {conditions} {{ {own} }} else {{ {other} }}");
        };
        let words = |arguments: &[String]| {
            let words = arguments.iter().take(IN_REGISTERS);
            words
                .map(|argument| format!("Word::word({argument})"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let (own, others) = (words(&self.plain.arguments), words(&given));
        let types: Vec<_> = on_stack.iter().map(type_of).collect();
        let stack: Vec<_> = on_stack.iter().map(variable).collect();
        let name = &procedure.name;
        let registers: Vec<_> = (0..in_registers).map(|index| format!("words[{index}]")).collect();
        let call = give(&format!(
            "function({}, {})",
            registers.join(", "),
            stack.join(", ")
        ));
        format!(
            "{before}type Function = unsafe extern \"C\" fn({}{}) -> c_int;\n\
             let (function, words) = if {conditions} {{ (MPI_{name} as *const (), [{own}]) }} \
             else {{ ({other}::<B> as *const (), [{others}]) }};\n\
             let function = core::mem::transmute::<*const (), Function>(function);\n{call}",
            "usize, ".repeat(in_registers),
            types.join(", ")
        )
    }
}

/// The number of parameters in registers, and those on the stack, if there are any and all are passed as they are.
fn passed_on(procedure: &Procedure) -> Option<(usize, &[Parameter])> {
    let (in_registers, on_stack) = procedure.parameters.split_at_checked(IN_REGISTERS)?;
    let is_passed_on = |parameter: &Parameter| parameter.kind == Kind::Status && !is_array(parameter);
    (!on_stack.is_empty() && on_stack.iter().all(is_passed_on)).then_some((in_registers.len(), on_stack))
}

impl Way {
    /// Whether there are no conditions.
    pub(super) fn is_always_gone(&self) -> bool {
        self.conditions.is_empty()
    }

    /// The way, with another call where it cannot be gone. The result is the error code.
    pub(super) fn otherwise(&self, other: &str) -> String {
        let (before, call) = (&self.before, &self.call);
        match self.is_always_gone() {
            true => format!("{before}{call}"),
            false => format!(
                "{before}if {} {{ {call} }} else {{ {other} }}",
                self.conditions.join(" && ")
            ),
        }
    }
}

/// Whether a handle is passed by value, and always significant.
fn is_plain(procedure: &Procedure, parameter: &Parameter, handle: Handle) -> bool {
    let one_of_two = ["sendtype", "recvtype"].contains(&parameter.name.as_str())
        && procedure.parameter("sendtype").is_some()
        && procedure.parameter("recvtype").is_some()
        && procedure.parameter("dest").is_none();
    parameter.intent == Intent::In
        && !parameter.by_address
        && !is_array(parameter)
        && handle != Handle::Request
        && !one_of_two
}
