//! The files that are written, as others read them.

use std::io::Read;

use flate2::read::GzDecoder;
use prost::Message;
use simurgh_profile::{Frame, Function, Profile, Sample, Values};

/// The messages as their description has them, with some of their fields.
#[derive(Clone, PartialEq, Message)]
struct Decoded {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<Pair>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<DecodedSample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<DecodedLocation>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Pair>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "12")]
    period: i64,
}

/// A kind of values, or the number and the name of a function.
#[derive(Clone, Copy, PartialEq, Message)]
struct Pair {
    #[prost(int64, tag = "1")]
    first: i64,
    #[prost(int64, tag = "2")]
    second: i64,
}

#[derive(Clone, PartialEq, Message)]
struct DecodedSample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct DecodedLocation {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "3")]
    address: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Pair>,
}

fn frame(address: u64, names: &[&str]) -> Frame {
    let function = |name: &&str| Function {
        name: (*name).to_owned(),
        file: "a.c".to_owned(),
        line: 7,
    };
    Frame {
        address,
        functions: names.iter().map(function).collect(),
    }
}

fn profile() -> Profile {
    let sample = |rank, stack, most_bytes| Sample {
        rank,
        stack,
        values: Values {
            allocated_blocks: 3,
            allocated_bytes: 300,
            live_blocks: 2,
            live_bytes: 200,
            most_bytes,
        },
    };
    Profile {
        period: 524_288,
        time_ns: 1,
        samples: vec![
            sample(0, vec![frame(10, &["inner", "outer"]), frame(20, &["main"])], 250),
            sample(1, vec![frame(30, &[]), frame(20, &["main"])], 40),
        ],
    }
}

#[test]
fn a_profile_is_what_pprof_reads() {
    let (mut file, mut bytes) = (Vec::new(), Vec::new());
    profile().write_pprof(&mut file).expect("written to memory");
    GzDecoder::new(&file[..])
        .read_to_end(&mut bytes)
        .expect("it is compressed");
    let read = Decoded::decode(&bytes[..]).expect("it is such a message");
    let string = |place: i64| read.string_table[place as usize].as_str();
    let kinds: Vec<_> = (read.sample_type.iter())
        .map(|kind| (string(kind.first), string(kind.second)))
        .collect();
    assert_eq!(kinds.len(), 5);
    assert_eq!(
        (kinds[1], kinds[4]),
        (("alloc_space", "bytes"), ("peak_space", "bytes"))
    );
    assert_eq!((string(0), read.period), ("", 524_288));
    assert_eq!(read.sample[0].value, [3, 300, 2, 200, 250]);
    let names = |sample: &DecodedSample| -> Vec<Vec<&str>> {
        let location = |id: &u64| {
            read.location
                .iter()
                .find(|location| location.id == *id)
                .expect("it is there")
        };
        let name = |id: i64| {
            read.function
                .iter()
                .find(|function| function.first == id)
                .expect("it is there")
                .second
        };
        let of_location = |id: &u64| {
            location(id)
                .line
                .iter()
                .map(|line| string(name(line.first)))
                .collect()
        };
        sample.location_id.iter().map(of_location).collect()
    };
    assert_eq!(names(&read.sample[0]), [vec!["inner", "outer"], vec!["main"]]);
    assert_eq!(names(&read.sample[1]), [vec![], vec!["main"]]);
    assert_eq!(read.location.len(), 3);
}

#[test]
fn a_flame_graph_has_the_functions_of_each_rank() {
    let mut file = Vec::new();
    profile().write_flame_graph(&mut file).expect("written to memory");
    let text = String::from_utf8(file).expect("a text");
    assert!(text.starts_with("<?xml") && text.contains("</svg>"));
    for part in ["rank 0", "rank 1", "outer", "inner", "main", "0x1e"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let mut nothing = Vec::new();
    Profile::default()
        .write_flame_graph(&mut nothing)
        .expect("nothing is written");
    assert!(nothing.is_empty());
}
