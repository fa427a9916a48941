//! Tasks that rank 0 hands out to whoever is free.
//!
//!     SIMURGH_RANKS=16 cargo run --release --example task_farm -- 2000
//!
//! A task is to count the primes among a thousand numbers. A worker asks for a task, and gives the result back when it
//! asks for the next one. Rank 0 takes what comes first, from any worker and with any tag; the tag says what the
//! message is. The table of results is the same for any number of workers, and rank 0 checks it against a sieve. A rank
//! that is alone does all the work itself.

use std::error::Error;

use simurgh::{Communicator, Result, Source, Tag};

/// The numbers of a task.
const NUMBERS: u64 = 1000;

/// Tags of messages to rank 0: a question for the first task, or a result.
const READY: i32 = 0;
const RESULT: i32 = 1;

/// Tags of messages to workers: a task, or the end.
const TASK: i32 = 2;
const END: i32 = 3;

/// Counts the primes of a task by trial division.
fn work(task: u64) -> u64 {
    let is_prime = |number: &u64| {
        let divisors = (2..).take_while(|divisor| divisor * divisor <= *number);
        *number >= 2
            && divisors
                .into_iter()
                .all(|divisor| !number.is_multiple_of(divisor))
    };
    let primes = (task * NUMBERS..(task + 1) * NUMBERS).filter(is_prime);
    primes.count() as u64
}

/// Hands out the tasks; the results in the order of the tasks.
fn manage(world: &Communicator, tasks: u64) -> Result<Vec<u64>> {
    let mut results = vec![0; tasks as usize];
    let mut next = 0..tasks;
    let mut workers = world.size() - 1;
    while workers > 0 {
        let mut answer = [0_u64; 2];
        let status = world.recv(&mut answer, Source::Any, Tag::Any)?;
        let worker = status.source().expect("a message has a source");
        if status.tag() == Some(RESULT) {
            let [task, result] = answer;
            results[task as usize] = result;
        }
        if let Some(task) = next.next() {
            world.send(&task, worker, TASK)?;
        } else {
            world.send(&0_u64, worker, END)?;
            workers -= 1;
        }
    }
    // Nobody has done them if there are no workers.
    next.for_each(|task| results[task as usize] = work(task));
    Ok(results)
}

/// Does tasks until there are no more.
fn serve(world: &Communicator) -> Result<()> {
    world.send(&[0_u64; 2], 0, READY)?;
    loop {
        let mut task = 0;
        let status = world.recv(&mut task, 0, Tag::Any)?;
        if status.tag() == Some(END) {
            return Ok(());
        }
        world.send(&[task, work(task)], 0, RESULT)?;
    }
}

/// The results as a sieve finds them.
fn reference(tasks: u64) -> Vec<u64> {
    let end = (tasks * NUMBERS) as usize;
    let mut is_prime = vec![true; end];
    is_prime.iter_mut().take(2).for_each(|prime| *prime = false);
    for divisor in (2..).take_while(|divisor| divisor * divisor < end) {
        (divisor * divisor..end)
            .step_by(divisor)
            .for_each(|multiple| is_prime[multiple] = false);
    }
    let count = |numbers: &[bool]| numbers.iter().filter(|prime| **prime).count() as u64;
    is_prime.chunks(NUMBERS as usize).map(count).collect()
}

/// The result in words, at rank 0.
fn run(world: &Communicator, tasks: u64) -> Result<String> {
    if world.rank() > 0 {
        return serve(world).map(|()| String::new());
    }
    let results = manage(world, tasks)?;
    assert_eq!(results, reference(tasks));
    let primes: u64 = results.iter().sum();
    Ok(format!(
        "{tasks} tasks: {primes} primes below {}, as a sieve finds them",
        tasks * NUMBERS
    ))
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let tasks = std::env::args().nth(1).map_or(Ok(200), |word| word.parse())?;
    let results = simurgh::run(move |world| run(world, tasks))?;
    let has_first = results.ranks().start == 0;
    let lines = results.into_iter().collect::<Result<Vec<_>>>()?;
    if has_first {
        println!("{}", lines[0]);
    }
    Ok(())
}
