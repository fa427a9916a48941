//! Translation of facts to C static assertions.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::facts::Facts;

/// A C file that compiles if `header` agrees with the facts and declares `functions`, each also with a `P` before it.
pub(crate) fn source(facts: &Facts, header: &str, functions: &BTreeSet<String>) -> String {
    let mut text = format!("#include <stddef.h>\n#include \"{header}\"\n");
    text.push_str("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n");
    text.push_str("#define SAME(a, ...) _Static_assert(__builtin_types_compatible_p(a, __VA_ARGS__), #a)\n");
    let mut line =
        |arguments: std::fmt::Arguments<'_>| writeln!(text, "{arguments}").expect("strings take everything");
    for (name, size) in &facts.types {
        line(format_args!(
            "_Static_assert(sizeof({name}) == {size}, \"{name}\");"
        ));
    }
    for (ty, field, offset) in &facts.fields {
        line(format_args!(
            "_Static_assert(offsetof({ty}, {field}) == {offset}, \"{ty}.{field}\");"
        ));
    }
    for (name, (value, ty)) in &facts.constants {
        line(format_args!("SAME(__typeof__({name}), {ty});"));
        line(format_args!(
            "_Static_assert((intptr_t)({name}) == {value}, \"{name}\");"
        ));
    }
    for (name, ty) in &facts.callbacks {
        line(format_args!("SAME({name}, __typeof__({ty}));"));
    }
    for name in functions {
        let ty = &facts.functions[name];
        for name in [name.clone(), format!("P{name}")] {
            line(format_args!("SAME(__typeof__({name}), __typeof__({ty}));"));
        }
    }
    text
}
