# Thread-local variables of a program or a library: SIZE bytes, aligned to ALIGN.
        .ifndef SIZE
        .error "define SIZE and ALIGN"
        .endif
        .section .tbss.room, "awT", @nobits
        .globl  room
        .type   room, @object
        .balign ALIGN
room:   .skip   SIZE
        .size   room, SIZE
        .section .rodata.room, "a"
        .globl  room_size, room_alignment
        .balign 8
room_size:      .quad SIZE
room_alignment: .quad ALIGN
        .section .note.GNU-stack, "", @progbits
