//! The key-value space of a job: the server of PMI-1 and PMI-2.
//!
//! Values that one process puts are visible to all others after the next fence.

use super::answer::{Words, answer};
use super::effect::{Asker, Effect, Event, WAITS};
use super::store::{KEY, Store, VALUE};
use super::unique::unique_name;
use simurgh_net::job::JobSpec;
use simurgh_net::pmi::{Form, Message};

/// The key under which clients look for the nodes of processes.
const PROCESS_MAPPING: &str = "PMI_process_mapping";

/// The values that processes have put, and the processes that wait.
#[derive(Default)]
pub(crate) struct KeyValueSpace {
    /// Its name. Clients derive from it the names of what they share on a node.
    name: String,
    /// The number of processes.
    size: usize,
    values: Store,
    /// The requests of processes that wait in a fence.
    fence: Vec<(usize, Message)>,
    /// The requests of processes that wait for a value to be put for their node.
    waiting: Vec<(Asker, Message)>,
}

impl KeyValueSpace {
    /// The space of a job. It has the value that says where the processes of the job are.
    pub(crate) fn of(spec: &JobSpec) -> Self {
        let runs = spec.hosts.chunk_by(|a, b| a.node == b.node);
        let blocks = runs.map(|run| format!("({},1,{})", run[0].node, run.len()));
        let mapping = format!("(vector,{})", blocks.collect::<Vec<_>>().join(","));
        let mut kvs = Self::named(&unique_name(), spec.hosts.len());
        // A client that does not find the value finds its neighbours in another way.
        let _ = kvs.values.put(PROCESS_MAPPING, &mapping);
        kvs
    }

    /// An empty space of this name, for so many processes.
    pub(super) fn named(name: &str, size: usize) -> Self {
        Self {
            name: name.to_owned(),
            size,
            ..Self::default()
        }
    }

    /// Handles a request.
    pub(crate) fn handle(&mut self, asker: Asker, request: Message) -> Effect {
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
            (_, "finalize") => Ok(Vec::new()),
            (Form::Line, "barrier_in") | (Form::Frame, "kvs-fence") => {
                return self.enter_fence(asker, request);
            }
            (Form::Frame, "info-putnodeattr") => return self.put_for_node(asker, &request),
            (Form::Frame, "info-getnodeattr") => return self.get_of_node(asker, request),
            (Form::Line, "put") | (Form::Frame, "kvs-put") => {
                let put = self.values.put(&word("key"), &word("value"));
                put.map(|()| success(request.form))
            }
            (Form::Line, "get") => self
                .values
                .get(&word("key"))
                .map(|value| [success(Form::Line), vec![("value", value)]].concat())
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

    /// Answers the requests that only PMI-1 has, and the greeting.
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
            _ => Err("not_supported"),
        }
    }

    /// Answers the requests that only PMI-2 has.
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
            _ => Err("not supported"),
        }
    }

    /// The value of a key, which has been put or describes the job.
    fn fact(&self, key: &str) -> Option<String> {
        match key {
            "universeSize" => Some(self.size.to_string()),
            key => self.values.get(key),
        }
    }

    /// Has a process wait until all have entered the fence.
    fn enter_fence(&mut self, asker: Asker, request: Message) -> Effect {
        self.fence.push((asker.host, request));
        if self.fence.len() < self.size {
            return Effect::default();
        }
        let all = std::mem::take(&mut self.fence);
        let answers = all.into_iter();
        Effect {
            answers: answers
                .map(|(host, request)| (host, answer(&request, Ok(Vec::new()))))
                .collect(),
            event: None,
        }
    }

    /// Puts a value for all processes of a node, some of which may be waiting for it.
    fn put_for_node(&mut self, asker: Asker, request: &Message) -> Effect {
        let key = request.get("key").unwrap_or_default();
        let value = request.get("value").unwrap_or_default();
        let put = self.values.put_for_node(asker.node, &key, &value);
        let mut answers = Vec::new();
        if put.is_ok() {
            let is_for = |(who, waits): &mut (Asker, Message)| {
                who.node == asker.node && waits.get("key").as_ref() == Some(&key)
            };
            let heard = self.waiting.extract_if(.., is_for);
            answers
                .extend(heard.map(|(who, waits)| (who.host, answer(&waits, Ok(found(Some(value.clone())))))));
        }
        answers.push((asker.host, answer(request, put.map(|()| Vec::new()))));
        Effect { answers, event: None }
    }

    /// Gets a value that was put for a node, now or as soon as it is put.
    fn get_of_node(&mut self, asker: Asker, request: Message) -> Effect {
        let key = request.get("key").unwrap_or_default();
        let value = self.values.get_of_node(asker.node, &key);
        let waits = request
            .get("wait")
            .is_some_and(|wait| wait.eq_ignore_ascii_case("true"));
        if value.is_none() && waits {
            self.waiting.push((asker, request));
            return Effect::default();
        }
        Effect {
            answers: vec![(asker.host, answer(&request, Ok(found(value))))],
            event: None,
        }
    }
}

/// The word that clients of PMI-1 expect in an answer besides.
fn success(form: Form) -> Words {
    match form {
        Form::Line => vec![("msg", "success".to_owned())],
        Form::Frame => Vec::new(),
    }
}

/// A value for a client of PMI-2, if there is one. Some clients call the word `flag` that says whether there is.
fn found(value: Option<String>) -> Words {
    let known = if value.is_some() { "TRUE" } else { "FALSE" }.to_owned();
    let mut words = vec![("found", known.clone()), ("flag", known)];
    words.extend(value.map(|value| ("value", value)));
    words
}
