//! The tests' host: runs a program as many ranks, each on a pthread with a stack of its own.
//!
//! Usage: `host LIBRARY [ranks=N] [preload=TOOL]… [stats] PROGRAM [ARGUMENT]…`, after setting the reservation (tests
//! do that with `reserve_tls`). Prints the ranks' output line by line, `[R] ` in front, then `[R] status S` for each.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use simurgh_image::{Hooks, Instance, MainThread, Options, Prepared, Program, RankContext};

static HOOKS: Hooks = Hooks {
    write,
    thread_started,
    thread_ended,
    await_thread,
    wake: yield_now,
    exited_elsewhere,
    yield_now,
    context,
    listen,
    interrupt,
    wait: yield_now,
    expect,
    signal_thread,
    take_signal,
    killed: exited_elsewhere,
};

/// Output of the ranks that is not yet a whole line, by rank and stream.
static PENDING: Mutex<BTreeMap<(usize, i32), Vec<u8>>> = Mutex::new(BTreeMap::new());
/// Threads of ranks: started and ended.
static THREADS: Mutex<(usize, usize)> = Mutex::new((0, 0));
static PREPARED: OnceLock<Prepared> = OnceLock::new();
static ARGUMENTS: OnceLock<Vec<CString>> = OnceLock::new();

unsafe extern "C" fn write(user: *mut c_void, stream: i32, bytes: *const u8, length: usize) -> i32 {
    // SAFETY: the shim passes memory of that length.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
    let mut pending = PENDING.lock().unwrap();
    let line = pending.entry((user as usize, stream)).or_default();
    line.extend_from_slice(bytes);
    while let Some(end) = line.iter().position(|&b| b == b'\n') {
        let whole: Vec<u8> = line.drain(..=end).collect();
        emit(user as usize, &whole);
    }
    0
}

fn emit(rank: usize, line: &[u8]) {
    let mut whole = format!("[{rank}] ").into_bytes();
    whole.extend_from_slice(line);
    std::io::stdout().lock().write_all(&whole).unwrap();
}

unsafe extern "C" fn thread_started(_user: *mut c_void) {
    THREADS.lock().unwrap().0 += 1;
}

unsafe extern "C" fn thread_ended(_user: *mut c_void) {
    THREADS.lock().unwrap().1 += 1;
}

unsafe extern "C" fn await_thread(_user: *mut c_void, word: *mut u32, value: u32) {
    // SAFETY: the shim passes a variable of its own that lives as long as the rank.
    let word = unsafe { AtomicU32::from_ptr(word) };
    while word.load(Ordering::SeqCst) == value {
        std::thread::yield_now();
    }
}

unsafe extern "C" fn exited_elsewhere(user: *mut c_void, status: i32) {
    emit(user as usize, format!("elsewhere {status}\n").as_bytes());
}

unsafe extern "C" fn yield_now(_user: *mut c_void) {
    std::thread::yield_now();
}

/// Programs here get no signals but those that their threads send themselves.
unsafe extern "C" fn context(user: *mut c_void, attention: *mut *const u32) -> *mut c_void {
    // SAFETY: the shim passes the address of a variable.
    unsafe { attention.write(Box::leak(Box::new(0_u32))) };
    user.wrapping_byte_add(1)
}

unsafe extern "C" fn listen(_context: *mut c_void) {}

unsafe extern "C" fn interrupt(_context: *mut c_void, _kernel_thread: i32, _restarts: bool) {}

unsafe extern "C" fn expect(_user: *mut c_void, _expects: bool) {}

unsafe extern "C" fn signal_thread(_user: *mut c_void, _number: *mut i32) -> i32 {
    0
}

unsafe extern "C" fn take_signal(_user: *mut c_void, _number: i32) {}

extern "C" fn rank_main(rank: *mut c_void) -> *mut c_void {
    let context = RankContext {
        rank: rank as u32,
        ignored_signals: 0,
        hooks: &HOOKS,
        user: rank,
        main: MainThread::default(),
        range: 0,
    };
    let environment: Vec<CString> = std::env::vars_os()
        .map(|(name, value)| [name.into_vec(), value.into_vec()].join(&b'='))
        .map(|pair| CString::new(pair).unwrap())
        .chain([CString::new(format!("TEST_RANK={}", rank as usize)).unwrap()])
        .collect();
    let result = PREPARED.get().unwrap().instantiate(context);
    let line = match result.map(|instance: Instance| instance.run(ARGUMENTS.get().unwrap(), &environment)) {
        Ok(status) => format!("status {status}\n"),
        Err(error) => format!("failed: {error}\n"),
    };
    let rest = PENDING
        .lock()
        .unwrap()
        .remove(&(rank as usize, 1))
        .unwrap_or_default();
    if !rest.is_empty() {
        emit(rank as usize, &[rest, b"\n".to_vec()].concat());
    }
    emit(rank as usize, line.as_bytes());
    std::ptr::null_mut()
}

/// Starts a rank on a mapped stack.
fn start(rank: usize) -> libc::pthread_t {
    const STACK: usize = 1 << 20;
    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: a new mapping, then calls with valid arguments; the stack is never unmapped.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let stack = libc::mmap(std::ptr::null_mut(), STACK, protection, flags, -1, 0);
        assert!(stack != libc::MAP_FAILED, "no memory for a stack");
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        let mut thread = 0;
        assert_eq!(libc::pthread_attr_init(&raw mut attributes), 0);
        assert_eq!(libc::pthread_attr_setstack(&raw mut attributes, stack, STACK), 0);
        assert_eq!(
            libc::pthread_create(
                &raw mut thread,
                &raw const attributes,
                rank_main,
                rank as *mut c_void
            ),
            0
        );
        thread
    }
}

/// A value of /proc/self/smaps_rollup in kB.
fn memory(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let line = text.lines().find(|line| line.starts_with(key)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Entry point, called by host.c.
///
/// # Safety
/// `arguments` must be `count` C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn image_test_main(count: c_int, arguments: *const *const c_char) -> c_int {
    let mut ranks = 1;
    let mut stats = false;
    let mut options = Options::default();
    let mut program = Vec::new();
    for index in 0..count as usize {
        // SAFETY: the caller's.
        let argument = unsafe { CStr::from_ptr(*arguments.add(index)) };
        let text = argument.to_str().unwrap();
        match text.split_once('=') {
            Some(("ranks", number)) if program.is_empty() => ranks = number.parse().unwrap(),
            Some(("preload", tool)) if program.is_empty() => options.preload.push(tool.into()),
            None if text == "stats" && program.is_empty() => stats = true,
            _ => program.push(argument.to_owned()),
        }
    }
    let opened = Program::open(program[0].to_str().unwrap().as_ref());
    match opened.and_then(|opened| Prepared::new(&opened, options)) {
        Ok(prepared) => PREPARED.set(prepared).unwrap(),
        Err(error) => {
            eprintln!("{error}");
            return 121;
        }
    }
    ARGUMENTS.set(program).unwrap();
    let (before, begin) = (memory("Pss:"), std::time::Instant::now());
    let threads: Vec<_> = (0..ranks).map(start).collect();
    for thread in threads {
        // SAFETY: each thread is joined once.
        unsafe { libc::pthread_join(thread, std::ptr::null_mut()) };
    }
    if stats {
        let (seconds, grown) = (begin.elapsed().as_secs_f64(), memory("Pss:") - before);
        println!(
            "stats: {:.1} kB and {:.3} ms for each of {ranks} ranks",
            grown as f64 / ranks as f64,
            seconds * 1e3 / ranks as f64
        );
    }
    let threads = THREADS.lock().unwrap();
    println!("threads {} {}", threads.0, threads.1);
    0
}
