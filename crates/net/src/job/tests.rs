use super::*;
use crate::auth::Secret;
use crate::encoding::Bytes;
use proptest::prelude::*;
use simurgh_settings::{Id, Origin as Source};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

fn text(s: &str) -> Text {
    Text::new(s).unwrap()
}

fn settings() -> Values {
    let mut settings = Values::default();
    let given = || Source::Given("option --it".to_owned());
    settings.set(Id::Vps, 2, given()).unwrap();
    settings.set(Id::TagOutput, 1, given()).unwrap();
    settings.set(Id::StackSize, 1 << 20, Source::Preset).unwrap();
    settings
        .read(Id::Collectives, "SIMURGH_COLLECTIVES", "any:64K=last".as_ref())
        .unwrap();
    settings
}

fn sample() -> JobSpec {
    let section = |ranks| Section {
        program: text("/bin/true"),
        argv: vec![
            text("true"),
            Text::new(OsString::from_vec(vec![0xff, b'x'])).unwrap(),
        ],
        ranks,
        mode: Mode::Threads,
        wdir: Some(text("/tmp")),
        env: vec![
            EnvChange {
                name: text("A"),
                value: Some(text("1")),
            },
            EnvChange {
                name: text("B"),
                value: None,
            },
        ],
        preload: vec![text("/lib/tool.so")],
    };
    JobSpec {
        version: VERSION,
        sections: vec![section(3), section(2)],
        hosts: vec![HostShare { node: 0, ranks: 2 }, HostShare { node: 0, ranks: 3 }],
        host: 1,
        control: Some(Control {
            channel: 5,
            memory: Some(5),
            output: 6,
            secret: Secret::random().unwrap(),
            processors: 8,
        }),
        settings: settings(),
        parent: Some(1),
        origin: Origin {
            realm: Realm::default(),
            world: 1,
            first_host: 3,
            first_process: 7,
            parent: Some(Bytes(vec![0, 255])),
            nodes: 2,
            shares: vec![0, 2],
            neighbours: vec![0, 3],
        },
    }
}

/// Parses the sample after a change to its JSON.
fn changed(change: impl FnOnce(&mut serde_json::Value)) -> Result<JobSpec, JobError> {
    let mut value = serde_json::to_value(sample()).unwrap();
    change(&mut value);
    JobSpec::parse(&serde_json::to_vec(&value).unwrap())
}

#[test]
fn survives_the_memory_file() {
    let spec = sample();
    assert_eq!(unseal(seal(&spec).unwrap()).unwrap(), spec);
}

#[test]
fn another_version_is_named_before_anything_else() {
    let error = JobSpec::parse(br#"{"version": 99, "what": "is this"}"#).unwrap_err();
    assert!(matches!(error, JobError::Version { found: 99 }));
    assert!(error.to_string().contains("different installations"));
}

#[test]
fn values_out_of_range_are_refused() {
    assert!(matches!(
        changed(|v| v["sections"] = serde_json::json!([])),
        Err(JobError::NoProgram)
    ));
    assert!(matches!(
        changed(|v| v["sections"][1]["ranks"] = 0.into()),
        Err(JobError::NoRanks { section: 1 })
    ));
    assert!(matches!(
        changed(|v| v["sections"][0]["argv"] = serde_json::json!([])),
        Err(JobError::NoArguments { section: 0 })
    ));
    assert!(matches!(
        changed(|v| v["sections"][0]["ranks"] = u32::MAX.into()),
        Err(JobError::TooManyRanks { .. })
    ));
    for shares in [[2, 4], [5, 0]] {
        let hosts = shares.map(|ranks| serde_json::json!({"node": 0, "ranks": ranks}));
        assert!(matches!(
            changed(|v| v["hosts"] = hosts.to_vec().into()),
            Err(JobError::Shares { total: 5, .. })
        ));
    }
    assert!(matches!(
        changed(|v| v["host"] = 2.into()),
        Err(JobError::NoHost { host: 2, hosts: 2 })
    ));
    assert!(matches!(
        changed(|v| v["control"] = serde_json::Value::Null),
        Err(JobError::NoControl)
    ));
    assert!(matches!(
        changed(|v| v["control"]["secret"] = "12".into()),
        Err(JobError::Malformed(_))
    ));
    assert!(matches!(
        changed(|v| v["sections"][0]["wdir"] = "here".into()),
        Err(JobError::RelativePath { .. })
    ));
    // The second host has ranks of both.
    assert!(matches!(
        changed(|v| v["sections"][1]["wdir"] = "/".into()),
        Err(JobError::Modes)
    ));
    let refused = |change: fn(&mut serde_json::Value)| changed(change).unwrap_err().to_string();
    let text = refused(|v| v["settings"]["vps"]["value"] = 0.into());
    assert!(
        text.contains("option --it: \"0\" is not a number from 1"),
        "{text}"
    );
    let text = refused(|v| v["settings"]["collectives"]["value"] = "any=fast".into());
    assert!(
        text.contains("SIMURGH_COLLECTIVES: \"any=fast\" is not rules"),
        "{text}"
    );
    let text = refused(|v| v["settings"]["new"] = serde_json::json!({"value": 1}));
    assert!(text.contains("no setting \"new\""), "{text}");
    assert!(matches!(
        changed(|v| v["sections"][0]["env"][0]["name"] = "A=B".into()),
        Err(JobError::EnvName { .. })
    ));
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    assert!(matches!(
        changed(|v| v["extra"] = 1.into()),
        Err(JobError::Malformed(_))
    ));
    assert!(matches!(
        changed(|v| v["sections"][0]["wdir"] = "/a\0b".into()),
        Err(JobError::Malformed(_))
    ));
    assert!(matches!(
        changed(|v| v["settings"]["policy"]["value"] = "whim".into()),
        Err(JobError::Malformed(_))
    ));
    assert!(matches!(JobSpec::parse(b"not json"), Err(JobError::Malformed(_))));
}

#[test]
fn ranks_are_shared_out_in_the_order_of_hosts() {
    let spec = sample();
    assert_eq!(spec.ranks(), RankRange { first: 2, count: 3 });
    assert_eq!(spec.place_on_node(), (1, 2));
    assert_eq!(spec.ranks_on_node(), (2..5, 5));
    let shown = [spec.ranks_of(0), spec.ranks(), RankRange { first: 4, count: 1 }];
    assert_eq!(
        shown.map(|ranks| ranks.to_string()),
        ["ranks 0-1", "ranks 2-4", "rank 4"]
    );
}

#[test]
fn sections_are_found_by_rank() {
    let spec = sample();
    let found: Vec<_> = (0..6).map(|rank| spec.section_of(rank)).collect();
    assert_eq!(found, [Some(0), Some(0), Some(0), Some(1), Some(1), None]);
}

proptest! {
    #[test]
    fn any_bytes_give_a_result(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let _ = JobSpec::parse(&bytes);
    }

    #[test]
    fn a_damaged_description_gives_a_result(at in 0usize..4096, byte in any::<u8>(), cut in 0usize..4096) {
        let mut json = sample().to_json();
        let at = at % json.len();
        json[at] = byte;
        json.truncate(cut.max(1));
        if let Ok(spec) = JobSpec::parse(&json) {
            prop_assert!(spec.validate().is_ok());
        }
    }

    #[test]
    fn any_string_without_nul_round_trips(bytes in proptest::collection::vec(1u8.., 0..64)) {
        let mut spec = sample();
        spec.sections[0].argv[0] = Text::new(OsString::from_vec(bytes)).unwrap();
        prop_assert_eq!(JobSpec::parse(&spec.to_json()).unwrap(), spec);
    }
}
