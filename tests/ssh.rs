//! Jobs on nodes that a real ssh reaches: a server of the test with its own keys stands for two nodes.
//!
//! Needs Debian's openssh-server. Without it, the test reports that it is skipped.

use simurgh_testing::{
    Compile, LIMIT, Mpiexec, Scratch, Signal, Stage, Started, TCP, behind, marked, parent, signal, sums,
    until, words,
};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const SERVER: &str = "/usr/sbin/sshd";

/// A server; stopped when dropped.
struct Server {
    process: Child,
    port: u16,
    scratch: Scratch,
}

impl Server {
    /// Starts the server; `None`, after printing that, if it is not installed.
    fn start() -> Option<Self> {
        if !Path::new(SERVER).exists() {
            eprintln!("skipped: {SERVER} is missing: apt-get install openssh-server");
            return None;
        }
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
        // The folder for privilege separation; only root needs it, and can make it.
        let _ = std::fs::create_dir_all("/run/sshd");
        let mut server = Command::new(SERVER);
        let server = server.arg("-D").arg("-e").arg("-f").arg(configuration);
        let process = server.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self {
            process,
            port,
            scratch,
        };
        let answers = || TcpStream::connect(("127.0.0.3", port)).is_ok();
        assert!(until(LIMIT, answers), "no answer from {SERVER}");
        Some(server)
    }

    /// The command that connects to it.
    fn command(&self, key: &str) -> String {
        let key = self.scratch.path().join(key);
        format!(
            "ssh -x -p {} -i {} -F none -oBatchMode=yes -oIdentitiesOnly=yes -oStrictHostKeyChecking=no \
             -oUserKnownHostsFile=/dev/null -oLogLevel=ERROR",
            self.port,
            key.display()
        )
    }

    /// Runs programs on two nodes.
    fn mpiexec(&self, ranks: usize, key: &str) -> Mpiexec {
        let mpiexec = Stage::locate().mpiexec(ranks).options(TCP);
        let nodes = ["-hosts", "127.0.0.2,127.0.0.3"];
        // On a busy machine the server may take long to let somebody in.
        let patient = ["--peer-timeout", "120"];
        mpiexec
            .options(nodes)
            .options(patient)
            .options(["--launcher-exec", &self.command(key)])
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
    let Some(server) = Server::start() else { return };
    let program = Compile::c("tests/c/launch_mpi.c")
        .against(&Stage::locate())
        .build();
    let on = |key: &str| server.mpiexec(4, key);
    let outcome = on("user").run(&program);
    assert_eq!(outcome.expect_success().sorted_lines(), sums(4));
    outcome.expect_no_complaints();
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

#[test]
fn nothing_is_left_of_a_node_whose_agent_is_killed() {
    let Some(server) = Server::start() else { return };
    let program = Compile::c("tests/c/ends.c").against(&Stage::locate()).build();
    // The agent, and the front process that started it.
    // About the end of the latter, ssh only tells that there was one.
    for (generation, status) in [(1, 137), (2, 1)] {
        let mark = format!("SIMURGH_TEST_MARK=ssh{generation}.{}", std::process::id());
        let mpiexec = server.mpiexec(2, "user").mode("processes");
        // Neither the shells nor their children ever use MPI.
        let script = "\"$0\" before; exit $?";
        let path = program.path().to_str().expect("a name in UTF-8");
        let command = mpiexec.args(["-c", script, path]).command("sh");
        let mut job = Started::new(&behind(["env", &mark], &command));
        job.says("up\nup\n");
        let agents = marked(&mark).into_iter().filter_map(parent);
        let agent = agents.clone().find(|&process| words(process).ends_with(" agent"));
        let victim = (1..generation).try_fold(agent.unwrap(), |process, _| parent(process));
        signal(victim.unwrap(), Signal::KILL);
        let outcome = job.ends(LIMIT);
        let said = &outcome.expect_code(status).stderr;
        outcome.expect_stderr("simurgh: node 127.0.0.");
        if generation == 1 {
            assert!(said.ends_with(": its agent was killed by signal 9\n"), "{said}");
        }
        let left = || -> Vec<_> { marked(&mark).into_iter().map(words).collect() };
        assert!(until(LIMIT, || left().is_empty()), "{:?}", left());
    }
}

#[test]
fn ranks_start_programs_on_nodes_that_ssh_reaches() {
    let Some(server) = Server::start() else { return };
    let program = Compile::c("tests/c/mpi_spawn.c")
        .against(&Stage::locate())
        .build();
    for mode in ["threads", "processes"] {
        let outcome = server.mpiexec(2, "user").mode(mode).run(&program);
        let told = &outcome.expect_success().stdout;
        assert_eq!(told, "passed with 2 ranks\n", "{outcome}");
    }
}
