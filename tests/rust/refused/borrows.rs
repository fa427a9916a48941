//! Programs that the borrow checker refuses. Each line that it must refuse ends with the error's code.

use ndarray::Array2;
use simurgh::{Attached, Communicator, File, LockKind, Op, Result, Window};

fn a_buffer_that_is_received_into_is_read(world: &Communicator) -> Result<()> {
    let mut value = 0;
    world.scope(|scope| {
        let request = scope.irecv(&mut value, 0, 0)?;
        assert_eq!(value, 0); //~ E0502
        request.wait().map(drop)
    })
}

fn a_buffer_for_sends_outlives_its_communicator(world: &Communicator) -> Result<()> {
    let copy = world.dup()?;
    let buffer = copy.attach_buffer(100)?;
    drop(copy); //~ E0505
    buffer.bsend(&1, 0, 0)
}

fn a_buffer_that_is_sent_is_changed(world: &Communicator) -> Result<()> {
    let mut value = 0;
    world.scope(|scope| {
        let request = scope.isend(&value, 0, 0)?;
        value = 1; //~ E0506
        request.wait()
    })
}

fn a_buffer_is_changed_although_its_request_is_gone(world: &Communicator) -> Result<()> {
    let mut value = 0;
    world.scope(|scope| {
        std::mem::forget(scope.isend(&value, 0, 0)?);
        value = 1; //~ E0506
        Ok(())
    })
}

fn a_vector_that_is_received_into_grows(world: &Communicator) -> Result<()> {
    let mut values = vec![0_u8; 8];
    world.scope(|scope| {
        scope.irecv(&mut values, 0, 0)?;
        values.push(1); //~ E0499
        Ok(())
    })
}

fn one_buffer_is_received_into_twice(world: &Communicator) -> Result<()> {
    let mut value = 0;
    world.scope(|scope| {
        scope.irecv(&mut value, 0, 0)?;
        scope.irecv(&mut value, 0, 1)?; //~ E0499
        Ok(())
    })
}

fn an_operand_of_a_reduction_is_changed(world: &Communicator) -> Result<()> {
    let (mut value, mut sum) = (1, 0);
    world.scope(|scope| {
        scope.iall_reduce(&value, &mut sum, &Op::sum())?;
        value = 2; //~ E0506
        Ok(())
    })
}

fn a_buffer_lives_shorter_than_its_scope(world: &Communicator) -> Result<()> {
    world.scope(|scope| {
        let mut value = 0;
        scope.irecv(&mut value, 0, 0)?; //~ E0597
        Ok(())
    })
}

fn a_future_is_leaked_with_its_buffer(world: &Communicator) -> Result<()> {
    world.scope(|scope| {
        let mut value = 0;
        std::mem::forget(async { scope.irecv(&mut value, 0, 0)?.await.map(drop) }); //~ E0597
        Ok(())
    })
}

fn a_request_leaves_its_scope(world: &Communicator) -> Result<()> {
    let value = 0;
    let mut kept = None;
    world.scope(|scope| {
        kept = Some(scope.isend(&value, 0, 0)?); //~ E0521
        Ok(())
    })
}

fn an_array_is_changed_while_its_column_is_sent(world: &Communicator) -> Result<()> {
    let mut array = Array2::<f64>::zeros((4, 4));
    let column = array.column(1);
    world.scope(|scope| { //~ E0502
        scope.isend(&column, 0, 0)?;
        array[(0, 1)] = 1.0;
        Ok(())
    })
}

fn an_array_is_read_after_the_wait_for_its_view(world: &Communicator) -> Result<()> {
    let mut array = Array2::<f64>::zeros((4, 4));
    world.scope(|scope| {
        scope.irecv_view(&mut array, 0, 0)?.wait()?;
        assert_eq!(array[(0, 0)], 0.0); //~ E0502
        Ok(())
    })
}

fn a_file_is_closed_while_it_is_read(world: &Communicator, file: File) -> Result<()> {
    let mut values = [0_u8; 8];
    world.scope(|scope| {
        scope.iread_at(&file, 0, &mut values)?; //~ E0597
        file.close() //~ E0505
    })
}

fn the_part_of_a_rank_is_kept_through_an_epoch(window: &mut Window<u64>) -> Result<()> {
    let mine = window.local();
    window.fence_epoch(|epoch| epoch.part(0).put(0, &1))?; //~ E0502
    assert_eq!(mine[0], 1);
    Ok(())
}

fn the_part_of_a_rank_is_read_in_an_epoch(window: &mut Window<u64>) -> Result<()> {
    window.fence_epoch(|epoch| { //~ E0502
        epoch.part(0).put(0, &window.local()[0])
    })
}

fn the_part_of_a_rank_is_written_under_a_lock(mut window: Window<u64>) -> Result<()> {
    window.lock_epoch(|epoch| { //~ E0499
        let _lock = epoch.lock(0, LockKind::Exclusive)?;
        window.local_mut()[0] = 1;
        Ok(())
    })
}

fn a_lock_leaves_its_epoch(window: &mut Window<u64>) -> Result<()> {
    let mut kept = None;
    window.lock_epoch(|epoch| {
        kept = Some(epoch.lock(0, LockKind::Shared)?); //~ E0521
        Ok(())
    })
}

fn a_part_is_accessed_after_its_lock_has_been_released(window: &mut Window<u64>) -> Result<()> {
    window.lock_epoch(|epoch| {
        let lock = epoch.lock(0, LockKind::Exclusive)?;
        lock.unlock()?;
        lock.put(0, &1) //~ E0382
    })
}

fn a_window_is_freed_in_its_epoch(mut window: Window<u64>) -> Result<()> {
    window.fence_epoch(|_| { //~ E0505
        drop(window);
        Ok(())
    })
}

fn values_are_used_that_a_window_has(world: &Communicator) -> Result<()> {
    let values = vec![0_u64; 8];
    let window = world.create_window(values)?;
    drop(window);
    assert_eq!(values[0], 0); //~ E0382
    Ok(())
}

fn values_are_detached_while_they_are_read(window: &mut Window<u64>, list: Attached) -> Result<()> {
    let values = window.attached(list)?;
    window.detach(list)?; //~ E0502
    assert_eq!(values[0], 0);
    Ok(())
}

fn values_are_detached_in_an_epoch(mut window: Window<u64>, list: Attached) -> Result<()> {
    window.fence_epoch(|epoch| { //~ E0499
        window.detach(list)?;
        epoch.part(0).at(list).put(0, &1)
    })
}

fn what_is_written_with_a_request_is_changed(world: &Communicator, window: &mut Window<u64>) -> Result<()> {
    let mut value = 1;
    window.lock_epoch(|epoch| {
        let lock = epoch.lock(0, LockKind::Shared)?;
        world.scope(|scope| {
            std::mem::forget(lock.rput(scope, 0, &value)?);
            value = 2; //~ E0506
            Ok(())
        })
    })
}

fn what_is_read_with_a_request_is_used(world: &Communicator, window: &mut Window<u64>) -> Result<()> {
    let mut value = 1;
    window.lock_epoch(|epoch| {
        let lock = epoch.lock(0, LockKind::Shared)?;
        world.scope(|scope| {
            std::mem::forget(lock.rget(scope, 0, &mut value)?);
            assert_eq!(value, 1); //~ E0502
            Ok(())
        })
    })
}

fn a_lock_is_released_before_its_requests_are_complete(world: &Communicator, window: &mut Window<u64>) -> Result<()> {
    let mut value = 1;
    window.lock_epoch(|epoch| {
        world.scope(|scope| {
            let lock = epoch.lock(0, LockKind::Shared)?;
            lock.rget(scope, 0, &mut value)?; //~ E0597
            Ok(())
        })
    })
}

fn what_waits_in_no_buffer_yet_is_changed(world: &Communicator) -> Result<()> {
    let buffer = world.attach_automatic_buffer()?;
    let mut value = 1;
    world.scope(|scope| {
        let request = buffer.ibsend(scope, &value, 0, 0)?;
        value = 2; //~ E0506
        request.wait()
    })
}

fn what_is_combined_in_place_is_used(world: &Communicator) -> Result<()> {
    let mut values = [0; 8];
    world.scope(|scope| {
        let request = scope.iscan_in_place(&mut values[..], &Op::sum())?;
        values[0] = 1; //~ E0506
        request.wait().map(drop)
    })
}

fn ranks_borrow_what_may_be_gone() {
    let greeting = String::from("hello");
    let _ = simurgh::run(|world| println!("{greeting} from {}", world.rank())); //~ E0373
}

fn main() {}
