//! The function with the body of a procedure: it converts the arguments, calls the C function, and converts the
//! results.

use crate::model::{Body, Handle, Intent, Kind, Layout, Parameter, Procedure, Returns, Shape, Trim};
use crate::table;

use super::{direct, inner_name, is_array, lengths, put, result, type_of, variable};

/// The source of that function.
pub(super) fn inner(procedure: &Procedure) -> String {
    let takes: Vec<String> = procedure
        .fortran_parameters()
        .map(|parameter| {
            let ty = match parameter.kind {
                Kind::Buffer(_) => "B",
                _ => type_of(parameter),
            };
            format!("{}: {ty}", variable(parameter))
        })
        .collect();
    let (name, with_ierror) = (inner_name(procedure), with_ierror(procedure, &takes));
    let function = |head: &str, takes: &[String], result: &str, body: &str| {
        let generic = if procedure.has_buffer() { "<B: Choice>" } else { "" };
        let takes = takes.join(", ");
        format!("{head}{name}{generic}({takes}){result} {{ unsafe {{\n{body}\n}} }}\n")
    };
    let outer = "#[inline(always)]\nunsafe fn ";
    let Some(ways) = direct::ways(procedure) else {
        let body = match &procedure.body {
            Body::ByHand(function) => by_hand(procedure, function),
            _ => Steps::of(procedure).text("error::give(ierror, code);"),
        };
        return function(outer, &with_ierror, result(procedure), &body);
    };
    // Functions without `ierror` return the error code. They are called by jumps, as the C function is.
    let inner = |kind: &str, body: &str| {
        let head = format!("#[inline(never)]\nunsafe extern \"C\" fn {kind}_");
        function(&head, &takes, " -> c_int", body)
    };
    let general = match ways.known.is_always_gone() {
        true => String::new(),
        false => inner("general", &Steps::of(procedure).text("code")),
    };
    let given: Vec<_> = procedure.fortran_parameters().map(variable).collect();
    let known = ways
        .known
        .otherwise(&format!("general_{name}({})", given.join(", ")));
    let plain = ways.plain_or(procedure, &format!("known_{name}"));
    function(outer, &with_ierror, "", &plain) + &inner("known", &known) + &general
}

/// The parameters with those that stand behind the ones of the C function.
fn with_ierror(procedure: &Procedure, takes: &[String]) -> Vec<String> {
    let mut takes = takes.to_vec();
    if procedure.returns == Returns::Error {
        takes.push("ierror: *mut c_int".to_owned());
    }
    takes.extend(lengths(procedure).iter().map(|length| format!("{length}: usize")));
    takes
}

/// A call of a function that is written by hand.
fn by_hand(procedure: &Procedure, function: &str) -> String {
    let arguments = procedure
        .fortran_parameters()
        .map(|parameter| match parameter.kind {
            Kind::Buffer(_) => format!("{}.data()", variable(parameter)),
            _ => variable(parameter),
        });
    let arguments: Vec<_> = arguments.chain(lengths(procedure)).collect();
    let call = format!("crate::{function}({})", arguments.join(", "));
    match procedure.returns {
        Returns::Error => format!("let code = {call};\nerror::give(ierror, code);\n"),
        _ => format!("{call}\n"),
    }
}

/// The steps of a procedure.
struct Steps<'a> {
    procedure: &'a Procedure,
    /// Before the call: each argument becomes a variable.
    before: String,
    /// Sections that are not contiguous are prepared.
    sections: String,
    /// The arguments of the C function.
    arguments: Vec<String>,
    /// After the call.
    after: String,
}

impl<'a> Steps<'a> {
    fn of(procedure: &'a Procedure) -> Self {
        let mut steps = Steps {
            procedure,
            before: String::new(),
            sections: String::new(),
            arguments: Vec::new(),
            after: String::new(),
        };
        // Whether a datatype is significant depends on the buffers.
        for parameter in &procedure.parameters {
            if let Kind::Buffer(_) = parameter.kind {
                let name = &parameter.name;
                put(
                    &mut steps.before,
                    format_args!("let mut {name} = {}.data();\n", variable(parameter)),
                );
            }
        }
        for parameter in &procedure.parameters {
            steps.argument(parameter);
        }
        for parameter in &procedure.parameters {
            if let Kind::Buffer(layout) = &parameter.kind {
                steps.section(parameter, layout);
            }
        }
        steps
    }

    /// `give` gives the error code.
    fn text(self, give: &str) -> String {
        let Steps {
            procedure,
            before,
            sections,
            arguments,
            after,
        } = self;
        let call = format!("MPI_{}({})", procedure.name, arguments.join(", "));
        match procedure.returns {
            Returns::Double | Returns::Address => return format!("{before}{call}\n"),
            Returns::Nothing => return format!("{before}let _ = {call};\n{after}"),
            Returns::Error => {}
        }
        let call = match sections.is_empty() {
            true => format!("let code = {call};\n"),
            false => format!(
                "let mut code = MPI_SUCCESS;\n{sections}if code == MPI_SUCCESS {{ code = {call}; }}\n"
            ),
        };
        let started = match table::AT_START.contains(&procedure.name.as_str()) {
            true => "if code == MPI_SUCCESS { start::declare(); }\n",
            false => "",
        };
        let ending = match table::AT_END.iter().find(|(name, _)| *name == procedure.name) {
            Some((_, end)) => format!("section::before_end(section::End::{end});\n"),
            None => String::new(),
        };
        format!("{before}{ending}{call}{after}{started}{give}\n")
    }

    /// What has to be done for one argument.
    fn argument(&mut self, parameter: &Parameter) {
        let (name, given) = (&parameter.name, variable(parameter));
        let passed = match &parameter.kind {
            Kind::Null if parameter.name == "argc" && !parameter.by_address => "0".to_owned(),
            Kind::Null => "core::ptr::null_mut()".to_owned(),
            Kind::Buffer(Layout::Attached) => format!("sentinel::attached({name}.address)"),
            Kind::Buffer(_) => format!("{name}.address"),
            Kind::Handle(handle) if is_array(parameter) => self.handles(parameter, *handle),
            Kind::Handle(handle) => self.handle(parameter, *handle),
            Kind::Status if parameter.intent == Intent::Unstated => {
                let ignored = match is_array(parameter) {
                    true => "statuses_or_ignore",
                    false => "status_or_ignore",
                };
                format!("sentinel::{ignored}({given})")
            }
            Kind::Weights => format!("sentinel::weights({given})"),
            Kind::ErrorCodes => format!("sentinel::error_codes({given})"),
            Kind::Text(trim) => self.text_in(parameter, *trim),
            Kind::TextOut { room, .. } => self.text_out(parameter, room),
            Kind::Index => self.index(parameter),
            Kind::Logical if !parameter.by_address && !is_array(parameter) => {
                format!("c_int::from(*{given} != 0)")
            }
            Kind::Memory => format!("{given}.cast()"),
            Kind::Detached => format!("{given}.cast()"),
            Kind::Integer | Kind::Count if self.is_count_of_section(name) => {
                put(&mut self.before, format_args!("let mut {name} = *{given};\n"));
                name.clone()
            }
            Kind::Integer | Kind::Address | Kind::Count | Kind::Offset
                if !parameter.by_address && !is_array(parameter) =>
            {
                format!("*{given}")
            }
            _ => given,
        };
        self.arguments.push(passed);
    }

    /// Whether a parameter is the number of elements in a buffer, which changes for a section that is not contiguous.
    fn is_count_of_section(&self, name: &str) -> bool {
        self.procedure.parameters.iter().any(|parameter| {
            matches!(&parameter.kind, Kind::Buffer(Layout::Elements { count, .. }) if count == name)
        })
    }

    fn handle(&mut self, parameter: &Parameter, handle: Handle) -> String {
        let (name, given, ty) = (&parameter.name, variable(parameter), handle.type_name());
        let converted = match parameter.intent {
            Intent::Out => format!("{ty}(0)"),
            _ => match self.condition(name) {
                Some(condition) => {
                    format!("if {condition} {{ {ty}::of(*{given}) }} else {{ MPI_DATATYPE_NULL }}")
                }
                None => format!("{ty}::of(*{given})"),
            },
        };
        put(&mut self.before, format_args!("let mut {name} = {converted};\n"));
        match parameter.intent {
            // A call that fails may leave it alone.
            Intent::Out => {
                let made = match handle {
                    Handle::Request => format!("if pending::any() {{ pending::made(*{given}); }}"),
                    _ => String::new(),
                };
                put(
                    &mut self.after,
                    format_args!("if {name}.0 != 0 {{ *{given} = {name}.integer(); {made} }}\n"),
                );
            }
            Intent::InOut => {
                if handle == Handle::Request {
                    let left = format!("pending::left(*{given}, {name})");
                    self.pending(parameter, "1", &left);
                }
                put(&mut self.after, format_args!("*{given} = {name}.integer();\n"));
            }
            _ if handle == Handle::Request => self.looked_at(parameter, "1"),
            _ => {}
        }
        match parameter.by_address {
            true => format!("&raw mut {name}"),
            false => name.clone(),
        }
    }

    /// The condition under which a datatype, or an array of them, is significant. Whatever is passed otherwise need not
    /// be a handle.
    fn condition(&self, name: &str) -> Option<String> {
        let collective = self.procedure.parameter("comm").is_some()
            && self.procedure.parameter("dest").is_none()
            && self.procedure.parameter("tag").is_none();
        let (buffer, other) = match name {
            "sendtype" | "sendtypes" => ("sendbuf", "recvbuf"),
            "recvtype" | "recvtypes" => ("recvbuf", "sendbuf"),
            _ => return None,
        };
        if !collective || self.procedure.parameter(other).is_none() {
            return None;
        }
        let rooted = self.procedure.parameter("root").is_some();
        let in_place = format!("!{buffer}.is_in_place()");
        let at_root = |of: &str| {
            (rooted && self.procedure.name.to_lowercase().contains(of))
                .then(|| format!(" && at_root(f_{name}, *f_root, f_comm)"))
        };
        let at_root = match buffer {
            "recvbuf" => at_root("gather"),
            _ => at_root("scatter"),
        };
        Some(format!("{in_place}{}", at_root.unwrap_or_default()))
    }

    fn handles(&mut self, parameter: &Parameter, handle: Handle) -> String {
        let (name, given, ty) = (&parameter.name, variable(parameter), handle.type_name());
        let length = match (&parameter.shape, name.as_str()) {
            (Shape::Length(length), _) => format!("*f_{length} as i64"),
            (_, "sendtypes" | "recvtypes") => {
                let condition = self.condition(name).unwrap_or_else(|| "true".to_owned());
                let peers = match (
                    self.procedure.name.to_lowercase().contains("neighbor"),
                    name.as_str(),
                ) {
                    (true, "sendtypes") => "peers::destinations",
                    (true, _) => "peers::sources",
                    (false, _) => "peers::all",
                };
                format!("if {condition} {{ {peers}(*f_comm) }} else {{ 0 }}")
            }
            _ => panic!(
                "MPI_{}: nothing says how long {name} is; add a line to the table",
                self.procedure.name
            ),
        };
        put(
            &mut self.before,
            format_args!("let mut {name} = Handles::<{ty}>::of({given}, {length});\n"),
        );
        let count = match &parameter.shape {
            Shape::Length(count) => format!("*f_{count}"),
            _ => String::new(),
        };
        if parameter.written {
            if handle == Handle::Request {
                self.pending(parameter, &count, &format!("{name}.left({given})"));
            }
            put(&mut self.after, format_args!("{name}.give({given});\n"));
        } else if handle == Handle::Request {
            self.looked_at(parameter, &count);
        }
        format!("{name}.as_mut_ptr()")
    }

    /// What happens to the data of requests that the procedure completes, starts or frees.
    fn pending(&mut self, parameter: &Parameter, count: &str, left: &str) {
        let given = variable(parameter);
        match self.procedure.name.as_str() {
            "Start" | "Startall" => put(
                &mut self.before,
                format_args!("if pending::any() {{ pending::start({given}, {count}); }}\n"),
            ),
            "Request_free" => put(
                &mut self.before,
                format_args!("if pending::any() {{ pending::abandon(*{given}); }}\n"),
            ),
            _ => put(&mut self.after, format_args!("if pending::any() {{ {left}; }}\n")),
        }
    }

    /// What happens to the data of requests that the procedure may find complete.
    fn looked_at(&mut self, parameter: &Parameter, count: &str) {
        let given = variable(parameter);
        if self.procedure.name.starts_with("Request_get_status") {
            put(
                &mut self.after,
                format_args!("if pending::any() {{ pending::looked_at({given}, {count}); }}\n"),
            );
        }
    }

    fn text_in(&mut self, parameter: &Parameter, trim: Trim) -> String {
        let (name, given) = (&parameter.name, variable(parameter));
        let made = match trim {
            Trim::Trailing => "trailing",
            Trim::Both => "both",
        };
        put(
            &mut self.before,
            format_args!("let mut {name} = Text::without_{made}({given}, {given}_length);\n"),
        );
        format!("{name}.as_mut_ptr()")
    }

    fn text_out(&mut self, parameter: &Parameter, room: &str) -> String {
        let (name, given) = (&parameter.name, variable(parameter));
        put(
            &mut self.before,
            format_args!("let mut {name} = TextOut::new({room});\n"),
        );
        put(
            &mut self.after,
            format_args!("if code == MPI_SUCCESS {{ {name}.give({given}, {given}_length); }}\n"),
        );
        format!("{name}.as_mut_ptr()")
    }

    fn index(&mut self, parameter: &Parameter) -> String {
        let given = variable(parameter);
        if is_array(parameter) {
            put(&mut self.before, format_args!("*f_outcount = MPI_UNDEFINED;\n"));
            put(
                &mut self.after,
                format_args!("index::count_from_one({given}, *f_outcount);\n"),
            );
        } else {
            put(&mut self.before, format_args!("*{given} = MPI_UNDEFINED;\n"));
            put(
                &mut self.after,
                format_args!("index::count_from_one({given}, 1);\n"),
            );
        }
        given
    }

    /// What has to be done for a buffer whose section is not contiguous.
    fn section(&mut self, parameter: &Parameter, layout: &Layout) {
        let name = &parameter.name;
        let comm = match self.procedure.parameter("comm") {
            Some(_) => "comm",
            None => "MPI_COMM_SELF",
        };
        let until = self.until();
        let prepare = match layout {
            Layout::Address => return,
            Layout::Elements { count, datatype } => {
                format!("elements({comm}, &mut {count}, &mut {datatype}, {until})")
            }
            Layout::Blocks { datatype } => match self.procedure.parameter(datatype) {
                Some(datatype) if is_array(datatype) => format!("copied({comm}, {until})"),
                _ => format!("blocks({comm}, &mut {datatype}, {until})"),
            },
            Layout::Reduction | Layout::Bytes => format!("copied({comm}, {until})"),
            Layout::Attached => format!("refused({comm})"),
        };
        let significant = self.significant(name);
        put(
            &mut self.sections,
            format_args!(
                "if {name}.is_section() && code == MPI_SUCCESS{significant} {{ code = {name}.{prepare}; }}\n"
            ),
        );
        let written = parameter.intent != Intent::In;
        let end = match self.procedure.starts() {
            true => format!("keep(*f_request, {until}, code, {written})"),
            false => format!("end({written})"),
        };
        put(
            &mut self.after,
            format_args!("if {name}.is_section() {{ {name}.{end}; }}\n"),
        );
    }

    /// How long the procedure's data is in use.
    fn until(&self) -> &'static str {
        if self.procedure.parameter("partitions").is_some() {
            "Use::Partitions"
        } else if self.procedure.name.contains("_init") {
            "Use::Persistent"
        } else if self.procedure.starts() {
            "Use::Request"
        } else {
            "Use::Call"
        }
    }

    /// A condition under which a buffer is significant: some are only at the root.
    fn significant(&self, buffer: &str) -> &'static str {
        let name = self.procedure.name.to_lowercase();
        let only_at_root = match buffer {
            "recvbuf" => name.contains("gather") || name.contains("reduce"),
            "sendbuf" => name.contains("scatter"),
            _ => false,
        };
        match only_at_root && self.procedure.parameter("root").is_some() {
            true => " && peers::is_root(*f_root, comm)",
            false => "",
        }
    }
}
