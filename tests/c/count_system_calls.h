/* Counts the system calls of the calling kernel thread: the kernel turns each into a signal, whose handler makes it. */
#ifndef COUNT_SYSTEM_CALLS_H
#define COUNT_SYSTEM_CALLS_H

#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static volatile long system_calls;
static volatile char system_calls_blocked;

/* Code that the kernel lets call it: a plain call, and the return from a signal handler. */
extern char passing_begin[], passing_end[];
long passing_call(long number, long a, long b, long c, long d, long e, long f);
void passing_return(void);
__asm__(".text\n"
        "passing_begin:\n"
        "passing_call:\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "    ret\n"
        "passing_return:\n"
        "    mov $15, %eax\n"
        "    syscall\n"
        /* The kernel looks at the address behind the instruction. */
        "    ud2\n"
        "passing_end:\n");

static void on_system_call(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    system_calls++;
    r[REG_RAX] = passing_call(r[REG_RAX], r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
}

/* Begins to count; false if this kernel cannot. What the C library would add to the handler makes calls of its own. */
static int system_calls_count(void)
{
    struct {
        void (*handler)(int, siginfo_t *, void *);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } action = {on_system_call, SA_SIGINFO | SA_NODEFER | 0x04000000, passing_return, 0};
    if (passing_call(SYS_rt_sigaction, SIGSYS, (long)&action, 0, 8, 0, 0) != 0)
        return 0;
    long length = passing_end - passing_begin;
    if (passing_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, 1, (long)passing_begin, length,
                     (long)&system_calls_blocked, 0) != 0)
        return 0;
    system_calls_blocked = 1;
    return 1;
}

static void system_calls_count_no_more(void)
{
    system_calls_blocked = 0;
    passing_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0, 0);
}

#endif
