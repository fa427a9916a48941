/* The entry into a rank's program and the return from it. */
#include "signals.h"

EXPORT struct rank_record simurgh_shim_rank = {0};

EXPORT char *program_invocation_name = "";
EXPORT char *program_invocation_short_name = "";
extern char *__progname EXPORT __attribute__((alias("program_invocation_short_name")));
extern char *__progname_full EXPORT __attribute__((alias("program_invocation_name")));

/* int simurgh_shim_enter(void *entry, const void *block, size_t bytes, void **saved_stack):
 * puts the block (argc, argv, envp, auxv: what a kernel puts on a new stack) on top of the stack and jumps to the
 * program's entry point. Returns when simurgh_leave restores the stack pointer saved here.
 * void simurgh_leave(int status, void *saved_stack). */
__asm__(
    ".text\n"
    ".globl simurgh_shim_enter\n"
    ".type simurgh_shim_enter, @function\n"
    "simurgh_shim_enter:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  subq $8, %rsp\n"
    "  stmxcsr (%rsp)\n"
    "  fnstcw 4(%rsp)\n"
    "  movq %rsp, (%rcx)\n"
    "  movq %rdi, %r8\n"
    "  subq %rdx, %rsp\n"
    "  andq $-16, %rsp\n"
    "  movq %rsp, %rdi\n"
    "  movq %rdx, %rcx\n"
    "  rep movsb\n"
    "  xorl %edx, %edx\n" /* rtld_fini: none, the shim calls destructors itself */
    "  xorl %ebp, %ebp\n"
    "  jmp *%r8\n"
    ".size simurgh_shim_enter, . - simurgh_shim_enter\n"
    ".globl simurgh_leave\n"
    ".hidden simurgh_leave\n"
    ".type simurgh_leave, @function\n"
    "simurgh_leave:\n"
    "  movl %edi, %eax\n"
    "  movq %rsi, %rsp\n"
    "  ldmxcsr (%rsp)\n"
    "  fldcw 4(%rsp)\n"
    "  addq $8, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  cld\n"
    "  ret\n"
    ".size simurgh_leave, . - simurgh_leave\n");

void simurgh_name_program(char *path)
{
    char *slash = libc.strrchr(path, '/');
    program_invocation_name = path;
    program_invocation_short_name = slash ? slash + 1 : path;
}

static int argument_count;
static char **arguments;

/* Runs the constructors of one object. */
void simurgh_construct(const struct object_code *object)
{
    for (size_t i = 0; i < object->preinit_count; i++)
        object->preinit_array[i](argument_count, arguments, environ);
    if (object->init)
        object->init(argument_count, arguments, environ);
    for (size_t i = 0; i < object->init_count; i++)
        object->init_array[i](argument_count, arguments, environ);
}

typedef int main_function(int, char **, char **);
typedef int old_init_function(int, char **, char **);

/* The program's _start calls this function. Programs that were linked before glibc 2.34 pass the function that runs
 * their own constructors. For later ones the C library, here the shim, runs them. */
EXPORT int __libc_start_main(main_function *main, int argc, char **argv, old_init_function *init, void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end)
{
    (void)fini, (void)rtld_fini, (void)stack_end;
    argument_count = argc;
    arguments = argv;
    environ = argv + argc + 1;
    simurgh_note_start(argc, argv);
    simurgh_begin_signals(0, 0);
    if (argc > 0)
        simurgh_name_program(argv[0]);
    size_t libraries = simurgh_shim_rank.object_count - 1;
    for (size_t i = 0; i < libraries; i++)
        simurgh_construct(&simurgh_shim_rank.objects[i]);
    if (init)
        init(argc, argv, environ);
    else
        simurgh_construct(&simurgh_shim_rank.objects[libraries]);
    exit(main(argc, argv, environ));
}
