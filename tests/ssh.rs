//! Jobs on nodes that a real ssh reaches: a server of the test's own, with keys of its own, stands for two nodes.
//!
//! Needs Debian's openssh-server. Without, the test says that it is skipped.

use simurgh_testing::{Compile, Scratch, Stage};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SERVER: &str = "/usr/sbin/sshd";

/// Time in which it has to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server, gone when dropped.
struct Server {
    process: Child,
    port: u16,
    scratch: Scratch,
}

impl Server {
    fn start() -> Self {
        let scratch = Scratch::new("ssh");
        let file = |name: &str| scratch.path().join(name).display().to_string();
        for key in ["host", "user"] {
            let mut keygen = Command::new("ssh-keygen");
            let made = keygen
                .args(["-q", "-t", "ed25519", "-N", "", "-f", &file(key)])
                .status();
            assert!(made.unwrap().success());
        }
        // Another process may take the port in between, which is unlikely.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let configuration = format!(
            "Port {port}\nListenAddress 127.0.0.2\nListenAddress 127.0.0.3\nHostKey {}\nAuthorizedKeysFile {}\n\
             PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\n",
            file("host"),
            file("user.pub"),
        );
        let configuration = scratch.write("configuration", &configuration);
        // Where the server separates privileges; only root needs it, and can make it.
        let _ = std::fs::create_dir_all("/run/sshd");
        let mut server = Command::new(SERVER);
        let server = server.arg("-D").arg("-e").arg("-f").arg(configuration);
        let process = server.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self {
            process,
            port,
            scratch,
        };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.3", port)).is_err() {
            assert!(start.elapsed() < PATIENCE, "no answer from {SERVER}");
            std::thread::yield_now();
        }
        server
    }

    /// The command that reaches it.
    fn command(&self, key: &str) -> String {
        let key = self.scratch.path().join(key);
        format!(
            "ssh -x -p {} -i {} -F none -oBatchMode=yes -oIdentitiesOnly=yes -oStrictHostKeyChecking=no \
             -oUserKnownHostsFile=/dev/null -oLogLevel=ERROR",
            self.port,
            key.display()
        )
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn nodes_are_reached_by_ssh() {
    if !Path::new(SERVER).exists() {
        eprintln!("skipped: {SERVER} is missing: apt-get install openssh-server");
        return;
    }
    let server = Server::start();
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
    let on = |key: &str| {
        let network = ["--provider", "tcp", "--interface", "lo"];
        let mpiexec = stage.mpiexec(4).options(network);
        mpiexec.options([
            "-hosts",
            "127.0.0.2,127.0.0.3",
            "--launcher-exec",
            &server.command(key),
        ])
    };
    let outcome = on("user").run(&program);
    let expected = (0..4).map(|rank| format!("rank {rank} of 4: sum 6"));
    assert_eq!(
        outcome.expect_success().sorted_lines(),
        expected.collect::<Vec<_>>()
    );
    assert_eq!(outcome.stderr, "");
    on("user").args(["abort", "7"]).run(&program).expect_code(7);
    let plain = Compile::c("tests/c/launch_plain.c").build();
    let outcome = on("user")
        .options(["-l", "-genv", "SHOWN", "it's"])
        .args(["env", "SHOWN"])
        .run(&plain);
    let expected = (0..4).map(|rank| format!("[{rank}] SHOWN=it's"));
    assert_eq!(
        outcome.expect_success().sorted_lines(),
        expected.collect::<Vec<_>>()
    );
    on("host")
        .run(&program)
        .expect_code(1)
        .expect_stderr("simurgh: node 127.0.0.")
        .expect_stderr("ssh ended with status 255: ")
        .expect_stderr("Permission denied");
}
