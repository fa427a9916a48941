//! The host executable.

use std::process::Command;

/// The executable as it was built.
const HOST: &str = env!("SIMURGH_HOST");

/// Type of the program header of thread-local storage.
const PT_TLS: u32 = 7;

/// A little-endian number in an ELF file.
fn number<const N: usize>(elf: &[u8], at: usize) -> usize {
    let bytes: [u8; N] = elf[at..at + N].try_into().unwrap();
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | usize::from(byte))
}

#[test]
fn its_thread_local_storage_is_the_reservation_alone() {
    let elf = std::fs::read(HOST).unwrap();
    let (table, entry, count) = (
        number::<8>(&elf, 32),
        number::<2>(&elf, 54),
        number::<2>(&elf, 56),
    );
    let headers = (0..count).map(|index| table + index * entry);
    let tls: Vec<_> = headers
        .filter(|&at| number::<4>(&elf, at) == PT_TLS as usize)
        .collect();
    assert_eq!(tls.len(), 1);
    let (in_file, in_memory, align) = (
        number::<8>(&elf, tls[0] + 32),
        number::<8>(&elf, tls[0] + 40),
        number::<8>(&elf, tls[0] + 48),
    );
    assert_eq!((in_file, in_memory, align), (0, 1024, 64));
}

#[test]
fn by_hand_it_says_what_it_is() {
    let output = Command::new(HOST).env_remove("SIMURGH_LIBRARY").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("started by mpiexec"));
}

/// A program that starts its own executable anew may start the host instead.
#[test]
fn with_arguments_it_says_who_may_have_started_it() {
    let output = Command::new(HOST).args(["-n", "4"]).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(
        message.contains("A rank has probably tried to start its own program"),
        "{message}"
    );
}

#[test]
fn a_runtime_that_is_none_is_refused() {
    for (library, reason) in [
        ("/no/such/library.so", "/no/such/library.so"),
        ("libc.so.6", "simurgh_host_main"),
    ] {
        let output = Command::new(HOST)
            .env("SIMURGH_LIBRARY", library)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            message.contains("cannot be loaded") && message.contains(reason),
            "{message}"
        );
    }
}
