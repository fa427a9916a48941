//! A Rust program that launchers start, for the tests in this folder. The first argument says what it does.

mod own_memory;
mod partner;

use simurgh::{
    Command, Communicator, ErrorClass, InterCommunicator, InterRoot, LockKind, Op, Results, RunError, Source,
    Spawned, Tag,
};
use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: simurgh::Allocator = simurgh::Allocator;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let case = std::env::args().nth(1).unwrap_or_default();
    match case.as_str() {
        "exchange" => exchange(),
        "windows" => windows(),
        "futures" => adds_up(futures),
        "groups" => adds_up(groups),
        "sessions" => sessions(),
        "spawn" => spawn(),
        "ports" => adds_up(ports),
        "who" => who(),
        "partner" => partner::run(),
        "panic" => fails(|world| match world.rank() == world.size() - 1 {
            true => panic!("no flour"),
            false => waits(world),
        }),
        "error" => {
            simurgh::try_run(|world| match world.rank() == world.size() - 1 {
                true => Err("no flour"),
                false => {
                    waits(world);
                    Ok(())
                }
            })?;
            Ok(ExitCode::SUCCESS)
        }
        "leave" => fails(|world| match world.rank() == world.size() - 1 {
            true => drop(world.scope(|scope| {
                scope.ibarrier()?;
                Err::<(), _>(simurgh::Error::new(ErrorClass::Other, "no flour"))
            })),
            false => waits(world),
        }),
        "abort" => fails(|world| match world.rank() == world.size() - 1 {
            true => world.abort(7),
            false => waits(world),
        }),
        "deadlock" => fails(|world| match world.rank() {
            0 => drop(world.recv(&mut 0_u8, world.size() - 1, 99)),
            _ => drop(world.barrier()),
        }),
        "overflow" => fails(|world| match world.rank() {
            0 => drop(deep(u64::MAX)),
            _ => waits(world),
        }),
        "exit" => fails(|world| match world.rank() {
            0 => std::process::exit(3),
            _ => waits(world),
        }),
        "never" => never(),
        "fail" => fail(),
        "again" => again(),
        "threads" => threads(),
        "stranger" => stranger(),
        "stay" => fails(|world| {
            if world.rank() == 0 {
                println!("up");
                // Computes, as far as anybody can tell, so this is no deadlock.
                std::thread::sleep(Duration::from_secs(600));
            }
            waits(world);
        }),
        _ => Err(format!("there is no case {case:?}").into()),
    }
}

/// Runs ranks of which one fails. `run` gives back control only without a launcher.
fn fails(f: impl Fn(&Communicator) + Send + Sync + 'static) -> Result<ExitCode, Box<dyn Error>> {
    simurgh::run(f)?;
    Ok(ExitCode::SUCCESS)
}

/// Waits for a message that does not come.
fn waits(world: &Communicator) {
    let _ = world.recv(&mut 0_u8, Source::Any, Tag::Any);
}

/// Recurses until the stack is used up.
fn deep(depth: u64) -> u64 {
    let place = std::hint::black_box([depth; 64]);
    match depth {
        0 => 0,
        _ => deep(depth - 1) + std::hint::black_box(place)[3],
    }
}

/// Messages of all lengths, collectives, and communicators. Each process prints a line for each of its ranks.
fn exchange() -> Result<ExitCode, Box<dyn Error>> {
    let results = simurgh::run(|world| {
        let (rank, size) = (world.rank(), world.size());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        for length in [1_usize, 100, 20_000, 300_000] {
            let mine = vec![rank as u64; length];
            let mut theirs = vec![0; length];
            world.scope(|scope| {
                scope.irecv(&mut theirs[..], before, 3)?;
                scope.isend(&mine[..], next, 3)?;
                Ok(())
            })?;
            assert!(theirs.iter().all(|value| *value == before as u64));
        }
        let mut sum = 0;
        world.all_reduce(&(rank as u64), &mut sum, &Op::sum())?;
        let mut all = vec![0; size];
        world.all_gather(&[rank as u64], &mut all)?;
        assert!(all.iter().copied().eq(0..size as u64));
        let half = world.split(Some(rank % 2), 0)?.expect("a colour was given");
        half.barrier()?;
        assert_eq!(half.rank(), rank / 2);
        Ok::<_, simurgh::Error>(sum)
    })?;
    tell_sums(results)
}

/// Runs ranks that add up something, and prints a line for each of those in this process.
fn adds_up(
    f: impl Fn(&Communicator) -> simurgh::Result<u64> + Send + Sync + 'static,
) -> Result<ExitCode, Box<dyn Error>> {
    tell_sums(simurgh::run(f)?)
}

/// Awaits messages of all lengths, which go around a ring both ways at once, and a collective. The sum of all ranks.
fn futures(world: &Communicator) -> simurgh::Result<u64> {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    let mut sum = 0;
    for length in [1_usize, 20_000, 300_000] {
        let (mine, own) = (vec![rank as u64; length], rank as u64);
        let (mut right, mut left) = (vec![0; length], vec![0; length]);
        world.scope(|scope| {
            let adding = scope.iall_reduce(&own, &mut sum, &Op::sum())?;
            world.block_on(async {
                let sends = [scope.isend(&mine, next, 3)?, scope.isend(&mine, before, 4)?];
                let from_right = scope.irecv(&mut right, next, 4)?;
                let (values, status) = scope.irecv(&mut left, before, 3)?.await?;
                assert!(values.iter().all(|value| *value == before as u64));
                assert_eq!(
                    (status.source(), status.count::<u64>()),
                    (Some(before), Some(length))
                );
                let (values, _) = from_right.await?;
                assert!(values.iter().all(|value| *value == next as u64));
                for send in sends {
                    send.await?;
                }
                adding.await.map(drop)
            })
        })?;
    }
    Ok(sum)
}

/// Two groups, whose ranks are neighbours in turns, communicate with each other. The sum of all ranks.
fn groups(world: &Communicator) -> simurgh::Result<u64> {
    if world.size() == 1 {
        // There are no two groups.
        return Ok(0);
    }
    let (rank, is_odd) = (world.rank() as u64, world.rank() % 2 == 1);
    let own = world.split(Some(is_odd.into()), 0)?.expect("a colour was given");
    let others = own.inter_create(0, world, usize::from(!is_odd), 5)?.dup()?;
    assert_eq!(own.size() + others.remote_size(), world.size());

    for length in [1_usize, 20_000, 300_000] {
        let mine = vec![rank; length];
        let send = || others.send(&mine, own.rank() % others.remote_size(), 1);
        let receive = || {
            for _ in (own.rank()..others.remote_size()).step_by(own.size()) {
                let (values, status) = others.recv_vec::<u64>(Source::Any, 1)?;
                let sender = 2 * status.source().expect("a message has a source") + usize::from(!is_odd);
                assert_eq!(values, vec![sender as u64; length]);
            }
            Ok(())
        };
        if is_odd {
            send().and_then(|()| receive())?;
        } else {
            receive().and_then(|()| send())?;
        }
        others.barrier()?;
    }

    // The first of the odd ranks tells the even ones.
    let root = match (is_odd, own.rank()) {
        (false, _) => InterRoot::Remote(0),
        (true, 0) => InterRoot::Here,
        (true, _) => InterRoot::Local,
    };
    let mut told = if rank == 1 { [1; 5000] } else { [0; 5000] };
    others.broadcast(&mut told[..], root)?;
    assert_eq!(told, [u64::from(!is_odd || rank == 1); 5000]);

    let (mut theirs, mut ours) = (0, 0);
    others.all_reduce(&rank, &mut theirs, &Op::sum())?;
    own.all_reduce(&rank, &mut ours, &Op::sum())?;
    let all = others.merge(is_odd)?;
    let mut ranks = vec![0; world.size()];
    all.all_gather(&[rank], &mut ranks)?;
    let expected = (0..world.size() as u64)
        .step_by(2)
        .chain((1..world.size() as u64).step_by(2));
    assert!(ranks.into_iter().eq(expected));
    Ok(ours + theirs)
}

/// Two sessions of ranks that have no world. Each process prints a line for each of its ranks.
fn sessions() -> Result<ExitCode, Box<dyn Error>> {
    let results = simurgh::Builder::new().run_sessions(|rank| {
        let (first, second) = (rank.session(), rank.session());
        let all = first.communicator(&first.group("mpi://WORLD")?, "all")?;
        let here = second.communicator(&second.group("simurgh://host")?, "here")?;
        drop((first, second));
        // The first rank of each host adds up the hosts' sums.
        let leaders = all.split((here.rank() == 0).then_some(0), 0)?;
        let mut sum = 0;
        here.reduce(&(all.rank() as u64), &mut sum, &Op::sum(), 0)?;
        if let Some(leaders) = leaders {
            leaders.all_reduce_in_place(&mut sum, &Op::sum())?;
        }
        here.broadcast(&mut sum, 0)?;
        Ok::<_, simurgh::Error>(sum)
    })?;
    tell_sums(results)
}

/// Starts this program twice as one world, which adds up the ranks of its parents. Each process of these prints a line
/// for each of its ranks.
fn spawn() -> Result<ExitCode, Box<dyn Error>> {
    let results = simurgh::run(|world| match world.parent() {
        None => add_up_by_children(world).map(Some),
        Some(parent) => serve_parents(world, parent).map(|()| None),
    })?;
    let world = results.world_size();
    for (rank, sum) in results.ranks().zip(results) {
        if let Some(sum) = sum? {
            println!("rank {rank} of {world}: sum {sum}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn add_up_by_children(world: &Communicator) -> simurgh::Result<u64> {
    let own = std::env::current_exe().expect("the program has a path");
    let last = world.size() - 1;
    let command = |processes| Command::new(&own, processes).arg("spawn");
    // What goes wrong at the root is an error at all ranks, and nothing is left of it.
    for (commands, class) in [
        (
            vec![command(1), Command::new("/no/such/program", 1)],
            ErrorClass::Spawn,
        ),
        (vec![command(0)], ErrorClass::Arg),
        (vec![], ErrorClass::Arg),
    ] {
        let refused = world.spawn(&commands, last).expect_err("nothing can be started");
        assert_eq!(refused.class(), class, "{refused}");
    }
    // The commands of other ranks mean nothing.
    let commands = match world.rank() == last {
        true => vec![command(2), command(1).arg("third")],
        false => vec![],
    };
    let Spawned { children, processes } = world.spawn(&commands, last)?;
    assert_eq!((processes, children.remote_size()), (vec![2, 1], 3));
    let (mut theirs, mut sum) = (0, 0);
    children.all_reduce(&(world.rank() as u64), &mut theirs, &Op::sum())?;
    assert_eq!(theirs, 3);
    let all = children.merge(false)?;
    assert_eq!((all.rank(), all.size()), (world.rank(), world.size() + 3));
    children.broadcast(&mut sum, InterRoot::Remote(2))?;
    drop(all);
    children.disconnect()?;
    Ok(sum)
}

fn serve_parents(world: &Communicator, parents: InterCommunicator) -> simurgh::Result<()> {
    let is_third = std::env::args().nth(2).is_some_and(|word| word == "third");
    assert_eq!((world.size(), is_third), (3, world.rank() == 2));
    let mut sum = 0_u64;
    parents.all_reduce(&(world.rank() as u64), &mut sum, &Op::sum())?;
    drop(parents.merge(true)?);
    let root = if is_third {
        InterRoot::Here
    } else {
        InterRoot::Local
    };
    parents.broadcast(&mut sum, root)?;
    parents.disconnect()?;
    assert!(world.parent().is_none());
    world.barrier()
}

/// Two groups, whose ranks are neighbours in turns, meet at a port. The sum of all ranks.
fn ports(world: &Communicator) -> simurgh::Result<u64> {
    let unknown = world.lookup("nobody").expect_err("there is no such service");
    assert_eq!(unknown.class(), ErrorClass::Name);
    if world.size() == 1 {
        return Ok(0);
    }
    let (rank, is_server) = (world.rank() as u64, world.rank().is_multiple_of(2));
    let own = world
        .split(Some(is_server.into()), 0)?
        .expect("a colour was given");
    let (mut theirs, mut ours) = (0, 0);
    own.all_reduce(&rank, &mut ours, &Op::sum())?;
    let port = if rank == 0 { Some(world.open_port()?) } else { None };
    let service = port.as_ref().map(|port| port.publish("adder")).transpose()?;
    world.barrier()?;
    for _ in 0..2 {
        let others = match (&port, is_server) {
            (Some(port), _) => own.accept(port.name(), 0)?,
            (None, true) => own.accept("", 0)?,
            (None, false) => own.connect(&world.lookup("adder")?, 0, None)?,
        };
        others.all_reduce(&rank, &mut theirs, &Op::sum())?;
        others.disconnect()?;
    }
    if let Some(port) = &port {
        let taken = port.publish("adder").expect_err("the name is taken");
        assert_eq!(taken.class(), ErrorClass::Service);
    }
    service.map(simurgh::Service::withdraw).transpose()?;
    let mut name = port
        .as_ref()
        .map_or_else(String::new, |port| port.name().to_owned());
    port.map(simurgh::Port::close).transpose()?;
    world.broadcast_string(&mut name, 0)?;
    let closed = own.connect(&name, 0, Some(Duration::from_secs(5)));
    assert_eq!(closed.expect_err("the port is closed").class(), ErrorClass::Port);
    Ok(ours + theirs)
}

/// Prints a line for each rank of this process.
fn tell_sums(results: Results<simurgh::Result<u64>>) -> Result<ExitCode, Box<dyn Error>> {
    let ranks = results.ranks();
    let world = results.world_size();
    for (rank, sum) in ranks.zip(results) {
        println!("rank {rank} of {world}: sum {}", sum?);
    }
    Ok(ExitCode::SUCCESS)
}

/// A value of several elements, with padding.
#[derive(Clone, Copy, simurgh::Equivalence)]
#[repr(C)]
struct Entry {
    rounds: u8,
    total: f64,
}

/// Windows in epochs of both kinds. Each process prints a line for each of its ranks.
fn windows() -> Result<ExitCode, Box<dyn Error>> {
    let results = simurgh::run(|world| {
        let sum = written_between_fences(world)?;
        updated_under_locks(world)?;
        exchanged_with_neighbours(world)?;
        shared_on_a_node(world)?;
        own_memory::accessed_with_requests(world)?;
        own_memory::attached_by_each(world)?;
        Ok::<_, simurgh::Error>(sum)
    })?;
    tell_sums(results)
}

/// Writes to all ranks, and a lot to the next one. The sum of what the others have written.
fn written_between_fences(world: &Communicator) -> simurgh::Result<u64> {
    const LENGTH: usize = 50_000;
    let (rank, size) = (world.rank(), world.size());
    let next = (rank + 1) % size;
    let mut window = world.allocate_window::<u64>(size + LENGTH)?;
    window.local_mut().fill(77);
    window.fence_epoch(|epoch| {
        (0..size).try_for_each(|target| epoch.part(target).put(rank, &(rank as u64)))?;
        epoch.part(next).put(size, &vec![rank as u64; LENGTH])
    })?;
    let (mine, theirs) = window.local().split_at(size);
    assert!(
        theirs
            .iter()
            .all(|value| *value == ((rank + size - 1) % size) as u64)
    );
    let (sum, mut read) = (mine.iter().sum(), vec![0; LENGTH]);
    window.fence_epoch(|epoch| {
        epoch.part(next).get(size, &mut read)?;
        assert!(read.iter().all(|value| *value == rank as u64));
        let refused = epoch.part(next).put(size + LENGTH, &1);
        assert!(refused.is_err_and(|error| error.class() == simurgh::ErrorClass::RmaRange));
        Ok(())
    })?;
    Ok(sum)
}

/// Updates the parts of all ranks under locks of both kinds.
fn updated_under_locks(world: &Communicator) -> simurgh::Result<()> {
    const ROUNDS: usize = 10;
    let (rank, size) = (world.rank(), world.size());
    let mut entries = world.allocate_window::<Entry>(1)?;
    entries.lock_epoch(|epoch| {
        for target in (0..ROUNDS).map(|round| (rank + round) % size) {
            let part = epoch.lock(target, LockKind::Exclusive)?;
            let mut entry = Entry {
                rounds: 0,
                total: 0.0,
            };
            part.get(0, &mut entry)?;
            assert!(f64::from(entry.rounds) == entry.total % 256.0);
            entry.rounds = entry.rounds.wrapping_add(1);
            entry.total += 1.0;
            part.put(0, &entry)?;
        }
        Ok(())
    })?;
    let mut total = 0.0;
    world.all_reduce(&entries.local()[0].total, &mut total, &Op::sum())?;
    assert_eq!(total, (ROUNDS * size) as f64);

    let mut counters = world.allocate_window::<i32>(3)?;
    counters.lock_epoch(|epoch| {
        let locks = epoch.lock_all()?;
        for target in 0..size {
            let part = locks.part(target);
            part.accumulate(0, &[1, rank as i32][..], &Op::sum())?;
            let before = part.fetch_and_op(0, 0, &Op::sum())?;
            assert!((1..=size as i32).contains(&before));
            let holder = part.compare_and_swap(2, 0, rank as i32 + 1)?;
            assert!((0..=size as i32).contains(&holder));
            locks.flush(target)?;
        }
        locks.unlock_all()
    })?;
    let &[count, ranks, winner] = counters.local() else {
        unreachable!("there are three")
    };
    assert_eq!((count, ranks), (size as i32, (0..size as i32).sum()));
    assert!((1..=size as i32).contains(&winner));
    Ok(())
}

/// Exposes a long part to the next rank, and writes to that of the one before.
fn exchanged_with_neighbours(world: &Communicator) -> simurgh::Result<()> {
    const LENGTH: usize = 20_000;
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    let mut window = world.allocate_window::<u32>(LENGTH)?;
    for round in 0..3 {
        let mut exposure = window.post(&[next])?;
        let access = exposure.start(&[before])?;
        access.part(before).put(0, &vec![(rank + round) as u32; LENGTH])?;
        access.complete()?;
        exposure.wait()?;
        assert!(window.local().iter().all(|value| *value == (next + round) as u32));
    }
    Ok(())
}

/// The ranks of each node use the memory that they share.
fn shared_on_a_node(world: &Communicator) -> simurgh::Result<()> {
    let node = world.split_shared(0)?;
    let (rank, size) = (node.rank(), node.size());
    let mut window = node.allocate_shared_window::<u64>(100 + rank)?;
    window.local_mut().fill(rank as u64);
    window.read_epoch(|epoch| {
        for other in 0..size {
            let part = epoch.part(other)?;
            assert_eq!(part.len(), 100 + other);
            assert!(part.iter().all(|value| *value == other as u64));
        }
        Ok(())
    })?;
    window.lock_epoch(|epoch| {
        (0..size).try_for_each(|other| epoch.write(other).map(|mut part| part[rank % 100] += 1))
    })?;
    let sum: u64 = window.local().iter().sum();
    assert_eq!(sum, (100 + rank) as u64 * rank as u64 + size as u64);
    Ok(())
}

/// Which ranks live in which process; that statics are common to them, and the arguments are there.
fn who() -> Result<ExitCode, Box<dyn Error>> {
    static MET: AtomicU64 = AtomicU64::new(0);
    let words: Vec<_> = std::env::args().skip(2).collect();
    let results = simurgh::run(|world| {
        MET.fetch_add(1, Ordering::SeqCst);
        world.barrier().map(|()| MET.load(Ordering::SeqCst))
    })?;
    let ranks = results.ranks();
    for met in results {
        assert_eq!(met?, ranks.len() as u64);
    }
    println!("{ranks:?} {}", words.join(" "));
    Ok(ExitCode::SUCCESS)
}

/// One process ends without calling `run`; the others call it.
fn never() -> Result<ExitCode, Box<dyn Error>> {
    let first = std::env::var("SIMURGH_TEST_FIRST")?;
    match std::fs::File::create_new(first) {
        Ok(_) => Ok(ExitCode::SUCCESS),
        Err(_) => fails(waits),
    }
}

/// The program fails by itself, after its run.
fn fail() -> Result<ExitCode, Box<dyn Error>> {
    let results = simurgh::run(|world| world.barrier().is_ok())?;
    assert!(results.iter().all(|is_well| *is_well));
    Ok(ExitCode::from(9))
}

/// A second run is refused under a launcher, and works without one.
fn again() -> Result<ExitCode, Box<dyn Error>> {
    let _ = simurgh::run(|world| world.size())?;
    match simurgh::run(|world| world.size()) {
        Ok(results) => println!("{} ranks again", results.len()),
        Err(RunError::Again) => println!("refused"),
        Err(error) => return Err(error.into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// A thread that is older than the runtime wakes a rank, which no deadlock report may forestall.
fn threads() -> Result<ExitCode, Box<dyn Error>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        // In other processes than that of rank 0 the run may be over by now.
        let _ = sender.send(42);
    });
    let receiver = std::sync::Mutex::new(receiver);
    let results = simurgh::run(move |world| {
        let mut word = 0;
        if world.rank() == 0 {
            word = receiver.lock().expect("no panic").recv().expect("it sends");
        }
        world.broadcast(&mut word, 0).map(|()| word)
    })?;
    thread.join().expect("no panic");
    for word in results {
        assert_eq!(word?, 42);
    }
    println!("woken");
    Ok(ExitCode::SUCCESS)
}

/// `run` on another thread than the first, while that waits for it.
fn stranger() -> Result<ExitCode, Box<dyn Error>> {
    let run = || simurgh::run(|world| world.barrier().map(|()| world.rank())).map(|results| results.ranks());
    let ranks = std::thread::spawn(run).join().expect("no panic")?;
    println!("{ranks:?}");
    Ok(ExitCode::SUCCESS)
}
