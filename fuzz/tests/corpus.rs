//! Each fuzz target takes its corpus, and variations of it, without a finding. libFuzzer is not needed for it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use simurgh_fuzz::{control, frames, packets, shared_memory};
use simurgh_testing::Random;

/// The time for which variations of a corpus are tried.
const VARIED: Duration = Duration::from_secs(1);

/// The longest input, in bytes.
const LONGEST: usize = 2048;

/// The files of a corpus.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// The beginning of one input and the end of another, with some bytes changed.
fn variation(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let [one, other] = [(); 2].map(|()| &inputs[random.index(inputs.len())]);
    let [until, from] = [one, other].map(|input| random.index(input.len() + 1));
    let mut varied = [&one[..until], &other[from..]].concat();
    varied.truncate(LONGEST);
    for _ in 0..random.below(8) {
        if let Some(last) = varied.len().checked_sub(1) {
            varied[random.index(last + 1)] = random.below(256) as u8;
        }
    }
    varied
}

/// Gives a target its corpus and variations of it. What is being tried is printed if a test fails.
fn replay(name: &str, run: fn(&[u8])) {
    let inputs = corpus(name);
    assert!(!inputs.is_empty(), "there is a corpus");
    inputs.iter().for_each(|input| run(input));
    let (mut random, start) = (Random::sequence(0), Instant::now());
    while start.elapsed() < VARIED {
        let varied = variation(&inputs, &mut random);
        let shown = Shown(&varied);
        run(&varied);
        drop(shown);
    }
}

/// An input that is printed if its run panics.
struct Shown<'a>(&'a [u8]);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the input was {:?}", self.0);
        }
    }
}

#[test]
fn messages_between_launcher_and_hosts_do_no_harm() {
    replay("control", control::run);
}

#[test]
fn frames_of_other_hosts_do_no_harm() {
    replay("frames", frames::run);
}

#[test]
fn packets_of_another_host_do_no_harm() {
    replay("packets", packets::run);
}

#[test]
fn shared_memory_that_others_write_does_no_harm() {
    replay("shared_memory", shared_memory::run);
}
