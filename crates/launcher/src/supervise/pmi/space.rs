//! What the processes of a job tell each other by PMI.

use super::answer::{Words, answer};
use crate::unique::unique_name;
use simurgh_net::job::JobSpec;
use simurgh_net::pmi::{Form, Message};
use std::collections::BTreeMap;

/// Longest key and value, which clients ask for.
const KEY: usize = 64;
pub(super) const VALUE: usize = 1024;

/// Most that processes put, in bytes.
const MOST: usize = 256 << 20;

/// Under which key clients look for the places of processes.
const PLACES: &str = "PMI_process_mapping";

/// What a client of PMIx says besides as it ends the job: `yes`.
pub(crate) const WAITS: &str = "waits";

/// Who asks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asker {
    /// Its host.
    pub(super) host: usize,
    pub(super) rank: u32,
    pub(super) node: u32,
    /// Which of the job's programs it runs.
    pub(super) program: usize,
}

/// What a process does besides asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// It uses MPI from now on.
    Began,
    /// It uses it no more.
    Finished,
    /// It ends the job.
    Aborted {
        /// With this status.
        status: u8,
        /// It waits to be ended. A client of PMI goes on if that takes long.
        waits: bool,
    },
}

/// What follows from a request: who is told what, and what has happened.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) answers: Vec<(usize, Message)>,
    pub(super) event: Option<Event>,
}

/// What processes have put, and how many wait for each other.
#[derive(Default)]
pub(in crate::supervise) struct Space {
    /// Its name, from which clients make names of their own for what they share on a node.
    name: String,
    /// How many processes there are.
    size: usize,
    values: BTreeMap<String, String>,
    /// What those of a node have put for it.
    of_nodes: BTreeMap<(u32, String), String>,
    bytes: usize,
    /// Who waits for all others.
    meeting: Vec<(usize, Message)>,
    /// Who waits for something to be put for its node.
    longing: Vec<(Asker, Message)>,
}

impl Space {
    /// Of a job; what clients ask is where its processes are.
    pub(in crate::supervise) fn of(spec: &JobSpec) -> Self {
        let runs = spec.hosts.chunk_by(|a, b| a.node == b.node);
        let blocks = runs.map(|run| format!("({},1,{})", run[0].node, run.len()));
        let mapping = format!("(vector,{})", blocks.collect::<Vec<_>>().join(","));
        let mut space = Self {
            name: unique_name(),
            size: spec.hosts.len(),
            ..Self::default()
        };
        // Who does not find it looks for himself who is near.
        if mapping.len() <= VALUE {
            space.values.insert(PLACES.to_owned(), mapping);
        }
        space
    }

    /// Does what is asked for.
    pub(super) fn act_on(&mut self, asker: Asker, request: Message) -> Effect {
        let command = request.get("cmd").unwrap_or_default();
        let word = |key: &str| request.get(key).unwrap_or_default();
        let event = match (request.form, command.as_str()) {
            (Form::Line, "init") => Some(Event::Began),
            (_, "finalize") => Some(Event::Finished),
            (_, "abort") => {
                let code = word("exitcode").parse::<i32>();
                let event = Event::Aborted {
                    status: code.map_or(1, |code| code.to_le_bytes()[0]),
                    waits: word(WAITS) == "yes",
                };
                return Effect {
                    answers: Vec::new(),
                    event: Some(event),
                };
            }
            _ => None,
        };
        let outcome = match (request.form, command.as_str()) {
            (Form::Line, "barrier_in") | (Form::Frame, "kvs-fence") => return self.meet(asker, request),
            (Form::Frame, "info-putnodeattr") => return self.put_for_node(asker, &request),
            (Form::Frame, "info-getnodeattr") => return self.get_of_node(asker, request),
            (Form::Line, "put") | (Form::Frame, "kvs-put") => {
                let put = self.put(&word("key"), &word("value"));
                put.map(|()| success(request.form))
            }
            (Form::Line, "get") => self
                .values
                .get(&word("key"))
                .map(|value| [success(Form::Line), vec![("value", value.clone())]].concat())
                .ok_or("key_not_found"),
            (Form::Frame, "kvs-get" | "info-getjobattr") => Ok(found(self.fact(&word("key")))),
            (Form::Line, _) => self.answer_line(asker, &command, &request),
            (Form::Frame, _) => self.answer_frame(asker, &command),
        };
        Effect {
            answers: vec![(asker.host, answer(&request, outcome))],
            event,
        }
    }

    /// What only clients of PMI-1 ask, and the greeting.
    fn answer_line(&self, asker: Asker, command: &str, request: &Message) -> Result<Words, &'static str> {
        match command {
            "init" => {
                let (version, subversion) = match request.number("pmi_version") {
                    Some(2) => ("2", "0"),
                    _ => ("1", "1"),
                };
                let word = |key, value: &str| (key, value.to_owned());
                Ok(vec![
                    word("pmi_version", version),
                    word("pmi_subversion", subversion),
                ])
            }
            "get_maxes" => Ok(vec![
                ("kvsname_max", "256".to_owned()),
                ("keylen_max", KEY.to_string()),
                ("vallen_max", VALUE.to_string()),
            ]),
            "get_appnum" => Ok(vec![("appnum", asker.program.to_string())]),
            "get_my_kvsname" => Ok(vec![("kvsname", self.name.clone())]),
            "get_universe_size" => Ok(vec![("size", self.size.to_string())]),
            "finalize" => Ok(Vec::new()),
            _ => Err("not_supported"),
        }
    }

    /// What only clients of PMI-2 ask.
    fn answer_frame(&self, asker: Asker, command: &str) -> Result<Words, &'static str> {
        match command {
            "fullinit" => Ok(vec![
                ("pmi-version", "2".to_owned()),
                ("pmi-subversion", "0".to_owned()),
                ("rank", asker.rank.to_string()),
                ("size", self.size.to_string()),
                ("appnum", asker.program.to_string()),
                ("debugged", "FALSE".to_owned()),
                ("pmiverbose", "FALSE".to_owned()),
            ]),
            "job-getid" => Ok(vec![("jobid", self.name.clone())]),
            "finalize" => Ok(Vec::new()),
            _ => Err("not supported"),
        }
    }

    /// What is known under a key, be it put, or of the job.
    fn fact(&self, key: &str) -> Option<String> {
        match key {
            "universeSize" => Some(self.size.to_string()),
            key => self.values.get(key).cloned(),
        }
    }

    /// Lets who has come wait until all have.
    fn meet(&mut self, asker: Asker, request: Message) -> Effect {
        self.meeting.push((asker.host, request));
        if self.meeting.len() < self.size {
            return Effect::default();
        }
        let all = std::mem::take(&mut self.meeting);
        let answers = all.into_iter();
        Effect {
            answers: answers
                .map(|(host, request)| (host, answer(&request, Ok(Vec::new()))))
                .collect(),
            event: None,
        }
    }

    /// Notes something for all of a node, some of whom may wait for it.
    fn put_for_node(&mut self, asker: Asker, request: &Message) -> Effect {
        let key = request.get("key").unwrap_or_default();
        let value = request.get("value").unwrap_or_default();
        let kept = self.keep(&key, &value).map(|()| {
            self.of_nodes.insert((asker.node, key.clone()), value.clone());
        });
        let mut answers = Vec::new();
        if kept.is_ok() {
            let is_for = |(who, waits): &mut (Asker, Message)| {
                who.node == asker.node && waits.get("key").as_ref() == Some(&key)
            };
            let heard = self.longing.extract_if(.., is_for);
            answers
                .extend(heard.map(|(who, waits)| (who.host, answer(&waits, Ok(found(Some(value.clone())))))));
        }
        answers.push((asker.host, answer(request, kept.map(|()| Vec::new()))));
        Effect { answers, event: None }
    }

    /// What has been put for a node, now or as soon as it is.
    fn get_of_node(&mut self, asker: Asker, request: Message) -> Effect {
        let key = request.get("key").unwrap_or_default();
        let value = self.of_nodes.get(&(asker.node, key)).cloned();
        let waits = request
            .get("wait")
            .is_some_and(|wait| wait.eq_ignore_ascii_case("true"));
        if value.is_none() && waits {
            self.longing.push((asker, request));
            return Effect::default();
        }
        Effect {
            answers: vec![(asker.host, answer(&request, Ok(found(value))))],
            event: None,
        }
    }

    fn put(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        self.keep(key, value)?;
        self.values.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    /// Whether there is room for a value, and counts it.
    fn keep(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        if key.is_empty() || key.len() >= KEY || value.len() >= VALUE {
            return Err("too_long");
        }
        self.bytes += key.len() + value.len();
        if self.bytes > MOST {
            return Err("no_room");
        }
        Ok(())
    }
}

/// What clients of PMI-1 expect besides.
fn success(form: Form) -> Words {
    match form {
        Form::Line => vec![("msg", "success".to_owned())],
        Form::Frame => Vec::new(),
    }
}

/// A value for a client of PMI-2, if there is one. Whether there is stands in a word that some call `flag`.
fn found(value: Option<String>) -> Words {
    let known = if value.is_some() { "TRUE" } else { "FALSE" }.to_owned();
    let mut words = vec![("found", known.clone()), ("flag", known)];
    words.extend(value.map(|value| ("value", value)));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn space(size: usize) -> Space {
        Space {
            name: "job".to_owned(),
            size,
            ..Space::default()
        }
    }

    fn asker(host: u32, node: u32) -> Asker {
        Asker {
            host: host as usize,
            rank: host,
            node,
            program: 3,
        }
    }

    fn line(text: &str) -> Message {
        let (form, text) = (Form::Line, text.to_owned());
        Message { form, text }
    }

    fn frame(text: &str) -> Message {
        let (form, text) = (Form::Frame, text.to_owned());
        Message { form, text }
    }

    /// What a process is answered, and nobody else.
    fn answered(space: &mut Space, host: u32, request: Message) -> String {
        let effect = space.act_on(asker(host, 0), request);
        assert_eq!((effect.answers.len(), effect.answers[0].0), (1, host as usize));
        effect.answers[0].1.text.clone()
    }

    #[test]
    fn what_one_puts_others_get() {
        let mut space = space(2);
        let put = answered(&mut space, 0, line("cmd=put kvsname=simurgh key=k value=a=b"));
        assert_eq!(put, "cmd=put_result rc=0 msg=success");
        let got = answered(&mut space, 1, line("cmd=get kvsname=simurgh key=k"));
        assert_eq!(got, "cmd=get_result rc=0 msg=success value=a=b");
        let got = answered(
            &mut space,
            1,
            frame("cmd=kvs-get;jobid=job;srcid=0;key=k;thrid=7;"),
        );
        assert_eq!(
            got,
            "cmd=kvs-get-response;rc=0;found=TRUE;flag=TRUE;value=a=b;thrid=7;"
        );
        let missing = answered(&mut space, 1, line("cmd=get kvsname=simurgh key=x"));
        assert_eq!(missing, "cmd=get_result rc=-1 msg=key_not_found");
        let missing = answered(&mut space, 1, frame("cmd=kvs-get;key=x;"));
        assert_eq!(missing, "cmd=kvs-get-response;rc=0;found=FALSE;flag=FALSE;");
        let long = format!("cmd=put kvsname=simurgh key=k value={}", "x".repeat(VALUE));
        assert_eq!(
            answered(&mut space, 0, line(&long)),
            "cmd=put_result rc=-1 msg=too_long"
        );
        let none = answered(&mut space, 0, frame("cmd=kvs-put;value=x;"));
        assert_eq!(none, "cmd=kvs-put-response;rc=-1;errmsg=too_long;");
    }

    #[test]
    fn a_client_says_which_version_it_speaks() {
        let mut space = space(2);
        for (asked, agreed) in [
            ("1", "1 pmi_subversion=1"),
            ("2", "2 pmi_subversion=0"),
            ("9", "1 pmi_subversion=1"),
        ] {
            let effect = space.act_on(asker(0, 0), line(&format!("cmd=init pmi_version={asked}")));
            assert_eq!(effect.event, Some(Event::Began));
            let expected = format!("cmd=response_to_init rc=0 pmi_version={agreed}");
            assert_eq!(effect.answers, [(0, line(&expected))]);
        }
        let begun = answered(&mut space, 1, frame("cmd=fullinit;pmirank=0;threaded=FALSE;"));
        assert!(
            begun.starts_with(
                "cmd=fullinit-response;rc=0;pmi-version=2;pmi-subversion=0;rank=1;size=2;appnum=3;"
            ),
            "{begun}"
        );
        assert_eq!(
            answered(&mut space, 1, line("cmd=get_appnum")),
            "cmd=appnum rc=0 appnum=3"
        );
        assert_eq!(
            answered(&mut space, 1, frame("cmd=job-getid;")),
            "cmd=job-getid-response;rc=0;jobid=job;"
        );
    }

    #[test]
    fn a_meeting_ends_when_all_have_come_whatever_they_speak() {
        let mut space = space(2);
        for _ in 0..2 {
            let first = space.act_on(asker(1, 0), line("cmd=barrier_in"));
            assert_eq!(first, Effect::default());
            let all = space.act_on(asker(0, 0), frame("cmd=kvs-fence;")).answers;
            let expected = [
                (1, line("cmd=barrier_out rc=0")),
                (0, frame("cmd=kvs-fence-response;rc=0;")),
            ];
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn who_waits_hears_what_is_put_for_its_node() {
        let mut space = space(3);
        let get = |wait: &str| frame(&format!("cmd=info-getnodeattr;key=k;wait={wait};"));
        let none = answered(&mut space, 0, get("FALSE"));
        assert!(none.contains("found=FALSE"), "{none}");
        assert_eq!(space.act_on(asker(1, 0), get("TRUE")), Effect::default());
        let elsewhere = space.act_on(asker(2, 1), frame("cmd=info-putnodeattr;key=k;value=b;"));
        assert_eq!(elsewhere.answers.len(), 1);
        let put = space.act_on(asker(0, 0), frame("cmd=info-putnodeattr;key=k;value=a;"));
        let told: Vec<_> = put
            .answers
            .iter()
            .map(|(host, message)| (*host, message.get("value")))
            .collect();
        assert_eq!(told, [(1, Some("a".to_owned())), (0, None)]);
        assert!(answered(&mut space, 0, get("TRUE")).contains("value=a;"));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let mut space = space(1);
        assert_eq!(
            answered(&mut space, 0, line("mcmd=spawn")),
            "cmd=_result rc=-1 msg=not_supported"
        );
        assert_eq!(
            answered(&mut space, 0, frame("cmd=spawn;ncmds=1;")),
            "cmd=spawn-response;rc=-1;errmsg=not supported;"
        );
        let aborted = space.act_on(asker(0, 0), line("cmd=abort exitcode=300"));
        let expected = |status, waits| Some(Event::Aborted { status, waits });
        assert_eq!(aborted.event, expected(44, false));
        let aborted = space.act_on(asker(0, 0), line("cmd=abort exitcode=3 waits=yes"));
        assert_eq!(aborted.event, expected(3, true));
    }

    proptest! {
        #[test]
        fn any_message_gives_a_result(text in ".{0,64}", is_frame in any::<bool>()) {
            let message = if is_frame { frame(&text) } else { line(&text) };
            let _ = space(3).act_on(asker(1, 0), message);
        }
    }
}
