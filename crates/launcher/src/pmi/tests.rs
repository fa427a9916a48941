use super::effect::{Asker, Effect, Event};
use super::kvs::KeyValueSpace;
use super::store::VALUE;
use proptest::prelude::*;
use simurgh_net::pmi::{Form, Message};

fn kvs(size: usize) -> KeyValueSpace {
    KeyValueSpace::named("job", size)
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

/// The answer to a request that is answered at once, and to nobody else.
fn answered(kvs: &mut KeyValueSpace, host: u32, request: Message) -> String {
    let effect = kvs.handle(asker(host, 0), request);
    assert_eq!((effect.answers.len(), effect.answers[0].0), (1, host as usize));
    effect.answers[0].1.text.clone()
}

#[test]
fn what_one_puts_others_get() {
    let mut kvs = kvs(2);
    let put = answered(&mut kvs, 0, line("cmd=put kvsname=simurgh key=k value=a=b"));
    assert_eq!(put, "cmd=put_result rc=0 msg=success");
    let got = answered(&mut kvs, 1, line("cmd=get kvsname=simurgh key=k"));
    assert_eq!(got, "cmd=get_result rc=0 msg=success value=a=b");
    let got = answered(&mut kvs, 1, frame("cmd=kvs-get;jobid=job;srcid=0;key=k;thrid=7;"));
    assert_eq!(
        got,
        "cmd=kvs-get-response;rc=0;found=TRUE;flag=TRUE;value=a=b;thrid=7;"
    );
    let missing = answered(&mut kvs, 1, line("cmd=get kvsname=simurgh key=x"));
    assert_eq!(missing, "cmd=get_result rc=-1 msg=key_not_found");
    let missing = answered(&mut kvs, 1, frame("cmd=kvs-get;key=x;"));
    assert_eq!(missing, "cmd=kvs-get-response;rc=0;found=FALSE;flag=FALSE;");
    let long = format!("cmd=put kvsname=simurgh key=k value={}", "x".repeat(VALUE));
    assert_eq!(
        answered(&mut kvs, 0, line(&long)),
        "cmd=put_result rc=-1 msg=too_long"
    );
    let none = answered(&mut kvs, 0, frame("cmd=kvs-put;value=x;"));
    assert_eq!(none, "cmd=kvs-put-response;rc=-1;errmsg=too_long;");
}

#[test]
fn a_client_says_which_version_it_speaks() {
    let mut kvs = kvs(2);
    for (asked, agreed) in [
        ("1", "1 pmi_subversion=1"),
        ("2", "2 pmi_subversion=0"),
        ("9", "1 pmi_subversion=1"),
    ] {
        let effect = kvs.handle(asker(0, 0), line(&format!("cmd=init pmi_version={asked}")));
        assert_eq!(effect.event, Some(Event::Began));
        let expected = format!("cmd=response_to_init rc=0 pmi_version={agreed}");
        assert_eq!(effect.answers, [(0, line(&expected))]);
    }
    let begun = answered(&mut kvs, 1, frame("cmd=fullinit;pmirank=0;threaded=FALSE;"));
    assert!(
        begun
            .starts_with("cmd=fullinit-response;rc=0;pmi-version=2;pmi-subversion=0;rank=1;size=2;appnum=3;"),
        "{begun}"
    );
    assert_eq!(
        answered(&mut kvs, 1, line("cmd=get_appnum")),
        "cmd=appnum rc=0 appnum=3"
    );
    assert_eq!(
        answered(&mut kvs, 1, frame("cmd=job-getid;")),
        "cmd=job-getid-response;rc=0;jobid=job;"
    );
}

#[test]
fn a_meeting_ends_when_all_have_come_whatever_they_speak() {
    let mut kvs = kvs(2);
    for _ in 0..2 {
        let first = kvs.handle(asker(1, 0), line("cmd=barrier_in"));
        assert_eq!(first, Effect::default());
        let all = kvs.handle(asker(0, 0), frame("cmd=kvs-fence;")).answers;
        let expected = [
            (1, line("cmd=barrier_out rc=0")),
            (0, frame("cmd=kvs-fence-response;rc=0;")),
        ];
        assert_eq!(all, expected);
    }
}

#[test]
fn a_waiting_process_gets_what_is_put_for_its_node() {
    let mut kvs = kvs(3);
    let get = |wait: &str| frame(&format!("cmd=info-getnodeattr;key=k;wait={wait};"));
    let none = answered(&mut kvs, 0, get("FALSE"));
    assert!(none.contains("found=FALSE"), "{none}");
    assert_eq!(kvs.handle(asker(1, 0), get("TRUE")), Effect::default());
    let elsewhere = kvs.handle(asker(2, 1), frame("cmd=info-putnodeattr;key=k;value=b;"));
    assert_eq!(elsewhere.answers.len(), 1);
    let put = kvs.handle(asker(0, 0), frame("cmd=info-putnodeattr;key=k;value=a;"));
    let told: Vec<_> = put
        .answers
        .iter()
        .map(|(host, message)| (*host, message.get("value")))
        .collect();
    assert_eq!(told, [(1, Some("a".to_owned())), (0, None)]);
    assert!(answered(&mut kvs, 0, get("TRUE")).contains("value=a;"));
}

#[test]
fn what_is_not_known_is_refused() {
    let mut kvs = kvs(1);
    assert_eq!(
        answered(&mut kvs, 0, line("mcmd=spawn")),
        "cmd=_result rc=-1 msg=not_supported"
    );
    assert_eq!(
        answered(&mut kvs, 0, frame("cmd=spawn;ncmds=1;")),
        "cmd=spawn-response;rc=-1;errmsg=not supported;"
    );
    let aborted = kvs.handle(asker(0, 0), line("cmd=abort exitcode=300"));
    let expected = |status, waits| Some(Event::Aborted { status, waits });
    assert_eq!(aborted.event, expected(44, false));
    let aborted = kvs.handle(asker(0, 0), line("cmd=abort exitcode=3 waits=yes"));
    assert_eq!(aborted.event, expected(3, true));
}

proptest! {
    #[test]
    fn any_message_gives_a_result(text in ".{0,64}", is_frame in any::<bool>()) {
        let message = if is_frame { frame(&text) } else { line(&text) };
        let _ = kvs(3).handle(asker(1, 0), message);
    }
}
