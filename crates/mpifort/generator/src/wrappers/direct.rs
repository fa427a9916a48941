//! The short way through a procedure: all handles are predefined, buffers are contiguous arrays of one dimension
//! at most, and nothing but `ierror` is left to do after the call.
//!
//! A message costs as little as some tens of nanoseconds, so this has to be short. If the program leaves `ierror`
//! out, it ends in a jump to the C function, which makes one return less. That matters where the C function lets
//! another rank run: the processor predicts returns by the calls before, and those were the other rank's.
//!
//! A compiler makes such a jump only if the arguments on the stack are those that the procedure itself has got.
//! So a status is passed as it is. One that is to be ignored is written to the variable that stands for it, which
//! nobody reads.

use crate::model::{Body, Handle, Intent, Kind, Layout, Parameter, Procedure, Returns};
use crate::table;

use super::{is_array, variable};

/// The statements of the short way, which return if it can be gone. `None` if the procedure has none.
pub(super) fn call(procedure: &Procedure) -> Option<String> {
    let starts = table::AT_START.contains(&procedure.name.as_str());
    if procedure.returns != Returns::Error || matches!(procedure.body, Body::ByHand(_)) || starts {
        return None;
    }
    let (mut before, mut conditions, mut arguments) = (String::new(), Vec::new(), Vec::new());
    for parameter in &procedure.parameters {
        let (name, given) = (&parameter.name, variable(parameter));
        arguments.push(match &parameter.kind {
            Kind::Buffer(Layout::Attached) => return None,
            Kind::Buffer(_) => {
                before.push_str(&format!("let {name} = sentinel::buffer({given}.base());\n"));
                conditions.push(format!("{given}.is_plain()"));
                name.clone()
            }
            Kind::Handle(handle) if is_plain(procedure, parameter, *handle) => {
                conditions.push(format!("is_predefined(*{given})"));
                format!("{}(*{given} as usize)", handle.type_name())
            }
            Kind::Status if parameter.intent == Intent::Unstated && !is_array(parameter) => given,
            Kind::Integer | Kind::Address | Kind::Count | Kind::Offset => {
                match !parameter.by_address && !is_array(parameter) {
                    true => format!("*{given}"),
                    false => given,
                }
            }
            _ => return None,
        });
    }
    let call = format!("MPI_{}({})", procedure.name, arguments.join(", "));
    (!conditions.is_empty()).then(|| {
        format!(
            "{before}if {} {{\nif ierror.is_null() {{ let _ = {call}; }} else {{ error::apart(); *ierror = {call}; }}\n\
             return;\n}}\n",
            conditions.join(" && ")
        )
    })
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
