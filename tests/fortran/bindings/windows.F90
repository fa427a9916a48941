! Windows: every kind of window, operation and synchronisation. Each rank works on the window of its right neighbour.
#include "bindings.h"
program windows
  use bindings
  use iso_c_binding
  implicit none
  integer, parameter :: numbers = 8
  integer ASYNC_TARGET :: exposed(numbers)
  HANDLE(MPI_Win) :: window
  call begin()
  call created()
  call operations()
  call operations_with_requests()
  call fences()
  call generalised_epochs()
  call locks()
  call flushes()
  call allocated()
  call of_shared_memory()
  call dynamic()
  call described()
  call end_well()

contains

  subroutine create()
    integer(ak) :: bytes
    exposed = [0, 1, 2, 3, 4, 5, 6, 7] + 100 * rank
    bytes = 4 * numbers
    call MPI_Win_create(exposed, bytes, 4_dk, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
    CHECK(ierr == MPI_SUCCESS .and. window /= MPI_WIN_NULL)
  end subroutine

  subroutine free()
    call MPI_Win_free(window, ierr)
    CHECK(ierr == MPI_SUCCESS .and. window == MPI_WIN_NULL)
  end subroutine

  ! All ranks have ended their operations, and see what the others have written.
  subroutine settle()
    call MPI_Win_sync(window, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_sync(window, ierr)
    call MPI_F_sync_reg(exposed)
  end subroutine

  subroutine created()
    HANDLE(MPI_Group) :: group, world
    integer :: result
    call create()
    call MPI_Win_get_group(window, group, ierr)
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
    call MPI_Group_compare(group, world, result, ierr)
    CHECK(result == MPI_IDENT)
    call MPI_Group_free(group, ierr)
    call MPI_Group_free(world, ierr)
    call free()
  end subroutine

  subroutine operations()
    integer ASYNC :: mine(3), got(3), old
    call create()
    call MPI_Win_lock_all(0, window, ierr)
    mine = [rank, 11, 12]
    got = -1
    call MPI_Put(mine, 3_ck, MPI_INTEGER, right, 1_ak, 3_ck, MPI_INTEGER, window, ierr)
    call MPI_Win_flush(right, window, ierr)
    call MPI_Get(got, 3_ck, MPI_INTEGER, right, 1_ak, 3_ck, MPI_INTEGER, window, ierr)
    call MPI_Win_flush(right, window, ierr)
    call MPI_F_sync_reg(got)
    CHECK(all(got == mine))
    call MPI_Accumulate(mine, 3_ck, MPI_INTEGER, right, 1_ak, 3_ck, MPI_INTEGER, MPI_SUM, window, ierr)
    call MPI_Win_flush(right, window, ierr)
    call MPI_Get_accumulate(mine, 3_ck, MPI_INTEGER, got, 3_ck, MPI_INTEGER, right, 1_ak, 3_ck, MPI_INTEGER, &
                            MPI_REPLACE, window, ierr)
    call MPI_Win_flush(right, window, ierr)
    call MPI_F_sync_reg(got)
    CHECK(all(got == 2 * mine))
    call MPI_Fetch_and_op(5, old, MPI_INTEGER, right, 5_ak, MPI_SUM, window, ierr)
    call MPI_Win_flush(right, window, ierr)
    call MPI_F_sync_reg(old)
    CHECK(old == 100 * right + 5)
    call MPI_Compare_and_swap(77, old + 5, old, MPI_INTEGER, right, 5_ak, window, ierr)
    call MPI_Win_flush(right, window, ierr)
    call MPI_F_sync_reg(old)
    CHECK(old == 100 * right + 10)
    call settle()
    CHECK(all(exposed == [100 * rank, left, 11, 12, 4 + 100 * rank, 77, 6 + 100 * rank, 7 + 100 * rank]))
    call MPI_Win_unlock_all(window, ierr)
    call free()
  end subroutine

  subroutine operations_with_requests()
    integer ASYNC :: mine(2), got(2)
    HANDLE(MPI_Request) :: request
    call create()
    call MPI_Win_lock_all(0, window, ierr)
    mine = [rank, 21]
    got = -1
    call MPI_Rput(mine, 2_ck, MPI_INTEGER, right, 0_ak, 2_ck, MPI_INTEGER, window, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Win_flush(right, window, ierr)
    call MPI_Raccumulate(mine, 2_ck, MPI_INTEGER, right, 0_ak, 2_ck, MPI_INTEGER, MPI_SUM, window, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Win_flush(right, window, ierr)
    call MPI_Rget(got, 2_ck, MPI_INTEGER, right, 0_ak, 2_ck, MPI_INTEGER, window, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_F_sync_reg(got)
    CHECK(all(got == 2 * mine))
    call MPI_Rget_accumulate(mine, 2_ck, MPI_INTEGER, got, 2_ck, MPI_INTEGER, right, 0_ak, 2_ck, MPI_INTEGER, &
                             MPI_NO_OP, window, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_F_sync_reg(got)
    CHECK(all(got == 2 * mine))
    call MPI_Win_unlock_all(window, ierr)
    call free()
  end subroutine

  subroutine fences()
    integer ASYNC :: mine
    call create()
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, window, ierr)
    mine = 1000 + rank
    call MPI_Put(mine, 1_ck, MPI_INTEGER, right, 7_ak, 1_ck, MPI_INTEGER, window, ierr)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, window, ierr)
    call MPI_F_sync_reg(exposed)
    CHECK(exposed(8) == 1000 + left)
    call free()
  end subroutine

  subroutine generalised_epochs()
    integer ASYNC :: mine
    logical :: done
    integer :: round
    HANDLE(MPI_Group) :: world, origins, targets
    call create()
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
    call MPI_Group_incl(world, 1, [left], origins, ierr)
    call MPI_Group_incl(world, 1, [right], targets, ierr)
    do round = 1, 2
      mine = 10 * rank + round
      call MPI_Win_post(origins, 0, window, ierr)
      call MPI_Win_start(targets, 0, window, ierr)
      call MPI_Put(mine, 1_ck, MPI_INTEGER, right, 2_ak, 1_ck, MPI_INTEGER, window, ierr)
      call MPI_Win_complete(window, ierr)
      if (round == 1) then
        call MPI_Win_wait(window, ierr)
      else
        done = .false.
        do while (.not. done)
          call MPI_Win_test(window, done, ierr)
        end do
      end if
      call MPI_F_sync_reg(exposed)
      CHECK(exposed(3) == 10 * left + round)
    end do
    call MPI_Group_free(world, ierr)
    call MPI_Group_free(origins, ierr)
    call MPI_Group_free(targets, ierr)
    call free()
  end subroutine

  ! All ranks count in the window of rank 0, under a lock.
  subroutine locks()
    integer ASYNC :: seen
    integer :: round
    call create()
    do round = 1, 5
      call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window, ierr)
      call MPI_Get(seen, 1_ck, MPI_INTEGER, 0, 0_ak, 1_ck, MPI_INTEGER, window, ierr)
      call MPI_Win_flush(0, window, ierr)
      call MPI_F_sync_reg(seen)
      seen = seen + 1
      call MPI_F_sync_reg(seen)
      call MPI_Put(seen, 1_ck, MPI_INTEGER, 0, 0_ak, 1_ck, MPI_INTEGER, window, ierr)
      call MPI_Win_unlock(0, window, ierr)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window, ierr)
    call MPI_Get(seen, 1_ck, MPI_INTEGER, 0, 0_ak, 1_ck, MPI_INTEGER, window, ierr)
    call MPI_Win_unlock(0, window, ierr)
    call MPI_F_sync_reg(seen)
    CHECK(seen == 5 * ranks)
    call free()
  end subroutine

  subroutine flushes()
    integer ASYNC :: mine
    call create()
    call MPI_Win_lock_all(0, window, ierr)
    mine = 31
    call MPI_Put(mine, 1_ck, MPI_INTEGER, right, 0_ak, 1_ck, MPI_INTEGER, window, ierr)
    call MPI_Win_flush_local(right, window, ierr)
    mine = 32
    call MPI_Put(mine, 1_ck, MPI_INTEGER, right, 1_ak, 1_ck, MPI_INTEGER, window, ierr)
    call MPI_Win_flush_local_all(window, ierr)
    mine = 33
    call MPI_Put(mine, 1_ck, MPI_INTEGER, right, 2_ak, 1_ck, MPI_INTEGER, window, ierr)
    call MPI_Win_flush_all(window, ierr)
    call settle()
    CHECK(all(exposed(1:3) == [31, 32, 33]))
    call MPI_Win_unlock_all(window, ierr)
    call free()
  end subroutine

  ! The memory that MPI has allocated, put by the left neighbour.
  subroutine check_put(memory)
    integer ASYNC, intent(inout) :: memory(4)
    integer ASYNC :: mine
    memory = 0
    call MPI_Win_fence(0, window, ierr)
    mine = 500 + rank
    call MPI_Put(mine, 1_ck, MPI_INTEGER, right, 3_ak, 1_ck, MPI_INTEGER, window, ierr)
    call MPI_Win_fence(0, window, ierr)
    call MPI_F_sync_reg(memory)
    CHECK(memory(4) == 500 + left)
  end subroutine

  subroutine allocated()
    integer, pointer :: memory(:)
#ifndef MPIF_H
    type(c_ptr) :: base
    call MPI_Win_allocate(16_ak, 4_dk, MPI_INFO_NULL, MPI_COMM_WORLD, base, window, ierr)
    call c_f_pointer(base, memory, [4])
    call check_put(memory)
    call free()
#endif
#ifndef F08
    call of_address(memory)
#endif
  end subroutine

#ifndef F08
  subroutine of_address(memory)
    integer, pointer, intent(out) :: memory(:)
    integer(ak) :: address
    call MPI_Win_allocate(16_ak, 4_dk, MPI_INFO_NULL, MPI_COMM_WORLD, address, window, ierr)
    call c_f_pointer(transfer(address, c_null_ptr), memory, [4])
    call check_put(memory)
    call free()
  end subroutine
#endif

  ! The ranks of a node see each other's memory.
  subroutine of_shared_memory()
    HANDLE(MPI_Comm) :: node
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, node, ierr)
#ifndef MPIF_H
    call by_pointer(node)
#endif
#ifndef F08
    call by_address(node)
#endif
    call MPI_Comm_free(node, ierr)
  end subroutine

  subroutine check_others(memory, others, node, bytes, unit)
    integer ASYNC, intent(inout) :: memory(4), others(4)
    HANDLE(MPI_Comm), intent(in) :: node
    integer(ak), intent(in) :: bytes
    integer(dk), intent(in) :: unit
    integer :: here
    CHECK(bytes == 16 .and. unit == 4)
    call MPI_Comm_rank(node, here, ierr)
    call MPI_Win_fence(0, window, ierr)
    memory = 900 + here
    call MPI_F_sync_reg(memory)
    call MPI_Win_fence(0, window, ierr)
    call MPI_F_sync_reg(others)
    CHECK(all(others == 900 + next(node)))
    call MPI_Win_fence(0, window, ierr)
    call free()
  end subroutine

  integer function next(node)
    HANDLE(MPI_Comm), intent(in) :: node
    integer :: here, there
    call MPI_Comm_rank(node, here, ierr)
    call MPI_Comm_size(node, there, ierr)
    next = modulo(here + 1, there)
  end function

#ifndef MPIF_H
  subroutine by_pointer(node)
    HANDLE(MPI_Comm), intent(in) :: node
    type(c_ptr) :: base
    integer, pointer :: memory(:), others(:)
    integer(ak) :: bytes
    integer(dk) :: unit
    call MPI_Win_allocate_shared(16_ak, 4_dk, MPI_INFO_NULL, node, base, window, ierr)
    call c_f_pointer(base, memory, [4])
    call MPI_Win_shared_query(window, next(node), bytes, unit, base, ierr)
    call c_f_pointer(base, others, [4])
    call check_others(memory, others, node, bytes, unit)
  end subroutine
#endif

#ifndef F08
  subroutine by_address(node)
    HANDLE(MPI_Comm), intent(in) :: node
    integer(ak) :: address
    integer, pointer :: memory(:), others(:)
    integer(ak) :: bytes
    integer(dk) :: unit
    call MPI_Win_allocate_shared(16_ak, 4_dk, MPI_INFO_NULL, node, address, window, ierr)
    call c_f_pointer(transfer(address, c_null_ptr), memory, [4])
    call MPI_Win_shared_query(window, next(node), bytes, unit, address, ierr)
    call c_f_pointer(transfer(address, c_null_ptr), others, [4])
    call check_others(memory, others, node, bytes, unit)
  end subroutine
#endif

  subroutine dynamic()
    integer(ak) :: own, there
    integer ASYNC :: mine
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
    exposed = -1
    call MPI_Win_attach(window, exposed, int(4 * numbers, ak), ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Get_address(exposed, own, ierr)
    call MPI_Sendrecv(own, 1_ck, MPI_AINT, left, 0, there, 1_ck, MPI_AINT, right, 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    call MPI_Win_fence(0, window, ierr)
    mine = 600 + rank
    call MPI_Put(mine, 1_ck, MPI_INTEGER, right, MPI_Aint_add(there, 8_ak), 1_ck, MPI_INTEGER, window, ierr)
    call MPI_Win_fence(0, window, ierr)
    call MPI_F_sync_reg(exposed)
    CHECK(exposed(3) == 600 + left)
    call MPI_Win_detach(window, exposed, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call free()
  end subroutine

  ! Names, info, attributes, error handlers.
  subroutine described()
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: length, key
    integer(ak) :: value
    logical :: there
    HANDLE(MPI_Info) :: info
    HANDLE(MPI_Errhandler) :: handler
    call create()
    call MPI_Win_set_name(window, 'a window ', ierr)
    call MPI_Win_get_name(window, name, length, ierr)
    CHECK(name == 'a window' .and. length == 8)
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'same_disp_unit', 'true', ierr)
    call MPI_Win_set_info(window, info, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Info_free(info, ierr)
    call MPI_Win_get_info(window, info, ierr)
    CHECK(info /= MPI_INFO_NULL)
    call MPI_Info_free(info, ierr)
    call MPI_Win_get_attr(window, MPI_WIN_SIZE, value, there, ierr)
    CHECK(there .and. value == 4 * numbers)
    call MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, value, there, ierr)
    CHECK(there .and. value == 4)
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, 0_ak, ierr)
    call MPI_Win_set_attr(window, key, 1234567890123_ak, ierr)
    call MPI_Win_get_attr(window, key, value, there, ierr)
    CHECK(there .and. value == 1234567890123_ak)
    call MPI_Win_delete_attr(window, key, ierr)
    call MPI_Win_get_attr(window, key, value, there, ierr)
    CHECK(.not. there)
    call MPI_Win_free_keyval(key, ierr)
    CHECK(key == MPI_KEYVAL_INVALID)
    call MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN, ierr)
    call MPI_Win_get_errhandler(window, handler, ierr)
    CHECK(handler == MPI_ERRORS_RETURN)
    call MPI_Win_call_errhandler(window, MPI_ERR_WIN, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Win_unlock(right, window, ierr)
    FAILS(MPI_ERR_RMA_SYNC)
    call free()
  end subroutine
end program
