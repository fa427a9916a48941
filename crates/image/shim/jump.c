/* Jumps that restore the mask. The mask is the rank's, which libc does not know.
 *
 * So libc is told not to save a mask. The rank's mask is saved where libc would have put its own, behind the bits that
 * the kernel knows, together with a mark that it is there. */
#include "signals.h"

/* The words of a saved mask. sigset_t has room for many more signals than exist. */
enum { SAVED_MASK, MARK, MARK_OF_PLACE };

static const unsigned long mark = 0x53696d7572676821;

static bool is_saved(const struct __jmp_buf_tag *place)
{
    const unsigned long *words = place->__saved_mask.__val;
    return words[MARK] == mark && words[MARK_OF_PLACE] == (unsigned long)place;
}

/* Called with the place and with whether the mask is to be saved. Returns the value of the latter for libc. */
__attribute__((used)) int simurgh_save_mask(struct __jmp_buf_tag *place, int saves)
{
    const struct signal_thread *me = simurgh_signal_thread();
    if (!me || simurgh_forked)
        return saves;
    unsigned long *words = place->__saved_mask.__val;
    words[SAVED_MASK] = me->mask;
    words[MARK] = saves ? mark : 0;
    words[MARK_OF_PLACE] = (unsigned long)place;
    return 0;
}

/* These functions return twice to their caller, so they leave no frame behind. */
#define SAVING(name, saves)                                                                                            \
    __asm__(".text\n"                                                                                                  \
            ".globl " name "\n"                                                                                        \
            ".type " name ", @function\n" name ":\n"                                                                   \
            "  .cfi_startproc\n" saves "  pushq %rdi\n"                                                                \
            "  .cfi_adjust_cfa_offset 8\n"                                                                             \
            "  call simurgh_save_mask\n"                                                                               \
            "  popq %rdi\n"                                                                                            \
            "  .cfi_adjust_cfa_offset -8\n"                                                                            \
            "  movl %eax, %esi\n"                                                                                      \
            "  movq simurgh_set_jump(%rip), %rax\n"                                                                    \
            "  jmp *(%rax)\n"                                                                                          \
            "  .cfi_endproc\n"                                                                                         \
            ".size " name ", . - " name "\n")

/* The place of libc's function in the table. The table lies in another file's data. */
__attribute__((used)) const void *const simurgh_set_jump = &libc.__sigsetjmp;

SAVING("__sigsetjmp", "");
SAVING("setjmp", "  movl $1, %esi\n");
SAVING("_setjmp", "  xorl %esi, %esi\n");

static void restore_mask(const struct __jmp_buf_tag *place)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || simurgh_forked || !is_saved(place))
        return;
    simurgh_lock_signals();
    simurgh_set_mask(me, place->__saved_mask.__val[SAVED_MASK]);
    simurgh_unlock_signals();
}

EXPORT void siglongjmp(jmp_buf place, int value)
{
    restore_mask(place);
    libc.siglongjmp(place, value);
}

EXPORT void longjmp(jmp_buf place, int value) __attribute__((alias("siglongjmp")));
EXPORT void _longjmp(jmp_buf place, int value) __attribute__((alias("siglongjmp")));

EXPORT void __longjmp_chk(jmp_buf place, int value)
{
    restore_mask(place);
    libc.longjmp_checked(place, value);
}
