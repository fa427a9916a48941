//! A profile as messages of pprof, compressed by gzip.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use crate::profile::{Frame, Function, Profile, Values};
use crate::proto;

/// The kinds of values of each sample: name and unit, in the order of [`in_order`].
const KINDS: [(&str, &str); 5] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
    ("peak_space", "bytes"),
];

/// The kind that is shown unless the user asks for another.
const PRESET: &str = "peak_space";

fn in_order(values: &Values) -> Vec<i64> {
    let all = [
        values.allocated_blocks,
        values.allocated_bytes,
        values.live_blocks,
        values.live_bytes,
        values.most_bytes,
    ];
    all.into_iter().map(number).collect()
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl Profile {
    /// Writes the profile as pprof reads it: a message `Profile` of its `profile.proto`, compressed. The rank is a
    /// label of each sample.
    ///
    /// # Errors
    ///
    /// That of writing.
    pub fn write_pprof(&self, out: impl Write) -> io::Result<()> {
        let mut gzip = GzEncoder::new(out, Compression::default());
        gzip.write_all(&self.message().encode_to_vec())?;
        gzip.finish()?.flush()
    }

    fn message(&self) -> proto::Profile {
        let mut encoder = Encoder::default();
        encoder.string("");
        let mut kind = |(name, unit): (&str, &str)| proto::ValueType {
            r#type: encoder.string(name),
            unit: encoder.string(unit),
        };
        let sample_type = KINDS.map(&mut kind).to_vec();
        let period_type = kind(("space", "bytes"));
        let (preset, rank) = (encoder.string(PRESET), encoder.string("rank"));
        let sample = (self.samples.iter())
            .map(|sample| proto::Sample {
                location_id: sample.stack.iter().map(|frame| encoder.location(frame)).collect(),
                value: in_order(&sample.values),
                label: vec![proto::Label {
                    key: rank,
                    num: i64::from(sample.rank),
                }],
            })
            .collect();
        proto::Profile {
            sample_type,
            sample,
            location: encoder.locations,
            function: encoder.functions,
            string_table: encoder.table,
            time_nanos: number(self.time_ns),
            period_type: Some(period_type),
            period: number(self.period),
            default_sample_type: preset,
        }
    }
}

/// The tables that samples refer to, without repetitions.
#[derive(Default)]
struct Encoder {
    table: Vec<String>,
    strings: HashMap<String, i64>,
    locations: Vec<proto::Location>,
    location_ids: HashMap<u64, u64>,
    functions: Vec<proto::Function>,
    function_ids: HashMap<(i64, i64), u64>,
}

impl Encoder {
    /// The place of a string in the table.
    fn string(&mut self, text: &str) -> i64 {
        if let Some(place) = self.strings.get(text) {
            return *place;
        }
        let place = self.table.len() as i64;
        self.table.push(text.to_owned());
        self.strings.insert(text.to_owned(), place);
        place
    }

    fn function(&mut self, function: &Function) -> u64 {
        let (name, filename) = (self.string(&function.name), self.string(&function.file));
        let next = self.functions.len() as u64 + 1;
        *self.function_ids.entry((name, filename)).or_insert_with(|| {
            self.functions.push(proto::Function {
                id: next,
                name,
                filename,
            });
            next
        })
    }

    fn location(&mut self, frame: &Frame) -> u64 {
        if let Some(id) = self.location_ids.get(&frame.address) {
            return *id;
        }
        let line = (frame.functions.iter())
            .map(|function| proto::Line {
                function_id: self.function(function),
                line: i64::from(function.line),
            })
            .collect();
        let id = self.locations.len() as u64 + 1;
        self.locations.push(proto::Location {
            id,
            address: frame.address,
            line,
        });
        self.location_ids.insert(frame.address, id);
        id
    }
}
