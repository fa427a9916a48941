//! Processes for tests.

/// A process that a test has started by forking.
pub(super) struct Process(libc::pid_t);

impl Process {
    /// Runs `body` in a process of its own, for a limited time. A panic there is a failure here, in [`Process::join`].
    pub(super) fn start(body: impl FnOnce()) -> Self {
        // SAFETY:
        // - the child uses nothing that another thread may have left half done: no lock of this test's is held, and
        //   glibc makes its heap usable in the child.
        match unsafe { libc::fork() } {
            0 => {
                // SAFETY:
                // - it ends the child, if nothing else does.
                unsafe { libc::alarm(super::LIMIT.as_secs() as u32) };
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
                // SAFETY:
                // - it ends the process.
                unsafe { libc::_exit(i32::from(done.is_err())) }
            }
            pid => {
                assert!(pid > 0, "a process can be started");
                Self(pid)
            }
        }
    }

    /// Ends it as a crash would.
    pub(super) fn kill(&self) {
        // SAFETY:
        // - it has not been waited for, so the number is its own.
        unsafe { libc::kill(self.0, libc::SIGKILL) };
    }

    /// Waits for its end; whether it ended well.
    pub(super) fn join(self) -> bool {
        let mut status = -1;
        // SAFETY:
        // - `status` is a local word.
        let ended = unsafe { libc::waitpid(self.0, &raw mut status, 0) };
        ended == self.0 && status == 0
    }
}

/// Makes `process_vm_readv` and `process_vm_writev` fail for this thread from now on, as a container may.
pub(super) fn deny_cross_memory() {
    // Word 0 of what a filter sees is the number of the system call.
    let statement = |code, k| libc::sock_filter {
        code,
        jt: 0,
        jf: 0,
        k,
    };
    let equal = |number: libc::c_long, jt| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt,
        jf: 0,
        k: number as u32,
    };
    let give = (libc::BPF_RET | libc::BPF_K) as u16;
    let mut program = [
        statement((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, 0),
        equal(libc::SYS_process_vm_readv, 2),
        equal(libc::SYS_process_vm_writev, 1),
        statement(give, libc::SECCOMP_RET_ALLOW),
        statement(give, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
    ];
    let filter = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    // SAFETY:
    // - the filter outlives the calls, which copy it.
    let done = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter) == 0
    };
    assert!(done, "the kernel has filters");
}
