//! The words of PMI-1 and PMI-2.

use simurgh_net::pmi::Form;

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host::pmi) enum Dialect {
    /// PMI-1.
    One,
    /// PMI-2.
    Two,
}

/// A request of a client.
pub(super) enum Request<'a> {
    Put { key: &'a str, value: &'a str },
    Get { rank: u32, key: &'a str },
    Fence,
    Finalize,
    Abort { status: u8, why: &'a str },
}

impl Dialect {
    /// The number of the version.
    pub(super) fn version(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// The form of its messages, once the version has been agreed on.
    pub(super) fn form(self) -> Form {
        match self {
            Self::One => Form::Line,
            Self::Two => Form::Frame,
        }
    }

    /// The first request, which is a line in both versions.
    pub(super) fn greeting(self) -> Vec<(&'static str, String)> {
        let (version, subversion) = match self {
            Self::One => ("1", "1"),
            Self::Two => ("2", "0"),
        };
        vec![
            ("cmd", "init".to_owned()),
            ("pmi_version", version.to_owned()),
            ("pmi_subversion", subversion.to_owned()),
        ]
    }

    /// The words of a request; `space` is the name of the key-value space or of the job.
    pub(super) fn words(self, request: &Request<'_>, space: &str) -> Vec<(&'static str, String)> {
        let of_space = |command: &str| match self {
            Self::One => vec![("cmd", command.to_owned()), ("kvsname", space.to_owned())],
            Self::Two => vec![("cmd", format!("kvs-{command}"))],
        };
        let alone = |command: &str| vec![("cmd", command.to_owned())];
        match (self, request) {
            (_, Request::Put { key, value }) => {
                let mut words = of_space("put");
                words.extend([("key", (*key).to_owned()), ("value", (*value).to_owned())]);
                words
            }
            (_, Request::Get { rank, key }) => {
                let mut words = of_space("get");
                if self == Self::Two {
                    words.extend([("jobid", space.to_owned()), ("srcid", rank.to_string())]);
                }
                words.push(("key", (*key).to_owned()));
                words
            }
            (Self::One, Request::Fence) => alone("barrier_in"),
            (Self::Two, Request::Fence) => alone("kvs-fence"),
            (_, Request::Finalize) => alone("finalize"),
            (Self::One, Request::Abort { status, .. }) => {
                vec![("cmd", "abort".to_owned()), ("exitcode", status.to_string())]
            }
            // The status is an addition of MPICH.
            (Self::Two, Request::Abort { status, why }) => vec![
                ("cmd", "abort".to_owned()),
                ("isworld", "TRUE".to_owned()),
                ("exitcode", status.to_string()),
                ("msg", (*why).to_owned()),
            ],
        }
    }

    /// The command of the answer to a request.
    pub(super) fn answer(self, request: &Request<'_>) -> &'static str {
        match (self, request) {
            (Self::One, Request::Put { .. }) => "put_result",
            (Self::Two, Request::Put { .. }) => "kvs-put-response",
            (Self::One, Request::Get { .. }) => "get_result",
            (Self::Two, Request::Get { .. }) => "kvs-get-response",
            (Self::One, Request::Fence) => "barrier_out",
            (Self::Two, Request::Fence) => "kvs-fence-response",
            (Self::One, Request::Finalize) => "finalize_ack",
            (Self::Two, Request::Finalize) => "finalize-response",
            (_, Request::Abort { .. }) => "",
        }
    }
}
