//! The answers to requests, in the forms of PMI-1 and PMI-2.

use simurgh_net::pmi::{Form, Message};

/// The keys and values of an answer.
pub(super) type Words = Vec<(&'static str, String)>;

/// The answer to a request: these words, or the reason of the failure.
pub(super) fn answer(request: &Message, outcome: Result<Words, &str>) -> Message {
    let code = if outcome.is_ok() { "0" } else { "-1" };
    let mut words = vec![("cmd", name(request)), ("rc", code.to_owned())];
    match (outcome, request.form) {
        (Ok(more), _) => words.extend(more),
        (Err(why), Form::Line) => words.push(("msg", why.to_owned())),
        (Err(why), Form::Frame) => words.push(("errmsg", why.to_owned())),
    }
    // The thread of the client that has asked.
    words.extend(request.get("thrid").map(|thread| ("thrid", thread)));
    Message::new(request.form, &words)
}

/// The command of the answer.
fn name(request: &Message) -> String {
    let command = request.get("cmd").unwrap_or_default();
    match (request.form, command.as_str()) {
        (Form::Frame, command) => format!("{command}-response"),
        (Form::Line, "init") => "response_to_init".to_owned(),
        (Form::Line, "barrier_in") => "barrier_out".to_owned(),
        (Form::Line, "finalize") => "finalize_ack".to_owned(),
        (Form::Line, command) => match command.strip_prefix("get_") {
            Some(of) => of.to_owned(),
            None => format!("{command}_result"),
        },
    }
}
