//! Programs whose types are wrong. Each line that the compiler must refuse ends with the error's code.

use std::rc::Rc;

use ndarray::Array2;
use simurgh::{Coded, Communicator, Equivalence, Events, File, Op, Window};

#[derive(Clone, Copy, Equivalence)]
#[repr(C)]
struct Flagged {
    value: f64,
    valid: bool, //~ E0277
}

#[derive(Clone, Copy)]
struct Plain(u32);

#[derive(Clone, Copy, Equivalence)]
#[repr(C)]
struct Pair {
    first: u32,
    second: f32,
}

fn values_of_other_types_are_sent(world: &Communicator) {
    let _ = world.send(&Plain(1), 0, 0); //~ E0277
    let _ = world.send(&Some(1), 0, 0); //~ E0277
    let _ = world.send(&&1, 0, 0); //~ E0277
    let _ = world.send(&vec![String::new()], 0, 0); //~ E0277
    let _ = world.send(&Array2::from_elem((2, 2), 'a'), 0, 0); //~ E0277
}

fn values_that_not_all_bytes_are_are_received(world: &Communicator, file: &File) {
    let (mut flag, mut letter) = (false, 'a');
    let _ = world.recv(&mut flag, 0, 0); //~ E0277
    let _ = world.broadcast(&mut letter, 0); //~ E0277
    let _ = file.read_at(0, &mut flag); //~ E0277
    let _ = world.allocate_window::<bool>(1); //~ E0277
    let _: Coded<f64>; //~ E0277
}

fn text_is_received_in_place(world: &Communicator) {
    let mut text = String::from("1234");
    let _ = world.recv(&mut text, 0, 0); //~ E0277
}

fn a_view_that_is_only_read_is_received_into(world: &Communicator) {
    let array = Array2::<f64>::zeros((2, 2));
    let _ = world.recv(&mut array.view(), 0, 0); //~ E0277
}

fn views_of_different_types_meet(world: &Communicator) {
    let (mine, mut all) = (Array2::<f64>::zeros((1, 2)), Array2::<f32>::zeros((2, 2)));
    let _ = world.all_gather_view(&mine, &mut all); //~ E0271
}

fn operations_are_used_on_values_that_they_do_not_have(world: &Communicator, window: &mut Window<f64>) {
    let mut pair = Pair { first: 1, second: 1.0 };
    let _ = world.all_reduce_in_place(&mut pair, &Op::sum()); //~ E0277
    let _ = world.all_reduce_in_place(&mut 1.0, &Op::bit_and()); //~ E0277
    let _ = world.all_reduce_in_place(&mut 1_u32, &Op::<i32>::sum()); //~ E0308
    let _ = window.fence_epoch(|epoch| epoch.part(0).compare_and_swap(0, 0.0, 1.0)); //~ E0599
    let _ = window.fence_epoch(|epoch| epoch.part(0).put(0, &1_u32)); //~ E0271
}

fn what_has_padding_is_attached(world: &Communicator) {
    let _ = world.create_dynamic_window::<Pair>(); //~ E0277
}

fn what_is_no_truth_value_is_combined_as_one(world: &Communicator) {
    let _ = world.all_reduce_in_place(&mut 1.0, &Op::logical_and()); //~ E0277
}

fn events_are_watched_by_other_threads(mut events: Events) {
    std::thread::spawn(move || events.next()); //~ E0277
}

fn a_communicator_is_used_by_other_threads(world: &Communicator) {
    std::thread::scope(|scope| {
        scope.spawn(|| world.rank()); //~ E0277
    });
}

fn a_communicator_is_used_by_ranks_of_another_run(world: Communicator) {
    let _ = simurgh::run(move |_| world.rank()); //~ E0277
}

fn a_window_is_used_by_other_threads(window: Window<f64>) {
    std::thread::spawn(move || window.local()[0]); //~ E0277
}

fn ranks_share_what_belongs_to_a_thread() {
    let shared = Rc::new(1_u8);
    let _ = simurgh::run(move |_| println!("{shared}")); //~ E0277
}

fn ranks_return_what_belongs_to_a_thread() {
    let _ = simurgh::run(|world| Rc::new(world.rank())); //~ E0277
}

fn main() {}
