/* getopt and its relatives, with the rank's own optind and optarg. They behave as in GNU: arguments that are not
 * options are moved to the end, unless the option string starts with '+' or '-' or POSIXLY_CORRECT is set. */
#include "shim.h"
#include <getopt.h>

EXPORT char *optarg = NULL;
EXPORT int optind = 1;
EXPORT int opterr = 1;
EXPORT int optopt = '?';

enum order { PERMUTE, REQUIRE_ORDER, RETURN_IN_ORDER };

/* The state of a scan between calls. */
static struct {
    char *rest;           /* unread letters of the current cluster of short options */
    int first_plain;      /* arguments [first_plain, last_plain) have been skipped and are to go behind */
    int last_plain;
    enum order order;
    bool started;
} scan;

/* The parameters of one call. */
struct call {
    int count;
    char **arguments;
    const char *letters;
    const struct option *options;
    int *index;
    bool long_only;
    bool quiet;           /* a leading ':' in the option string */
};

static void start_scan(struct call *call)
{
    if (optind == 0)
        optind = 1;
    scan.first_plain = scan.last_plain = optind;
    scan.rest = NULL;
    scan.order = getenv("POSIXLY_CORRECT") ? REQUIRE_ORDER : PERMUTE;
    if (*call->letters == '-')
        scan.order = RETURN_IN_ORDER;
    else if (*call->letters == '+')
        scan.order = REQUIRE_ORDER;
    scan.started = true;
}

#define COMPLAIN(call, ...)                                                                                          \
    do {                                                                                                             \
        if (opterr && !(call)->quiet)                                                                                \
            libc.fprintf(stderr, __VA_ARGS__);                                                                       \
    } while (0)

static void reverse(char **from, char **to)
{
    while (from < --to) {
        char *other = *from;
        *from++ = *to;
        *to = other;
    }
}

/* Moves the skipped arguments behind the options read since. */
static void rotate(char **arguments)
{
    int options = optind - scan.last_plain;
    reverse(arguments + scan.first_plain, arguments + scan.last_plain);
    reverse(arguments + scan.last_plain, arguments + optind);
    reverse(arguments + scan.first_plain, arguments + optind);
    scan.first_plain += options;
    scan.last_plain = optind;
}

static bool is_plain(const struct call *call, int index)
{
    const char *argument = call->arguments[index];
    return argument[0] != '-' || argument[1] == '\0';
}

/* Finds the next argument with an option; -1 if there is none, 1 for a plain one to be returned in order. */
static int next_argument(struct call *call)
{
    if (scan.last_plain > optind)
        scan.last_plain = optind;
    if (scan.first_plain > optind)
        scan.first_plain = optind;
    if (scan.order == PERMUTE) {
        if (scan.first_plain != scan.last_plain && scan.last_plain != optind)
            rotate(call->arguments);
        else if (scan.last_plain != optind)
            scan.first_plain = optind;
        while (optind < call->count && is_plain(call, optind))
            optind++;
        scan.last_plain = optind;
    }
    if (optind < call->count && !(call->arguments[optind][0] == '-' && call->arguments[optind][1] == '-' &&
                                  call->arguments[optind][2] == '\0')) {
        if (!is_plain(call, optind))
            return 0;
        if (scan.order != RETURN_IN_ORDER)
            return -1;
        optarg = call->arguments[optind++];
        return 1;
    }
    if (optind < call->count) { /* "--": all the rest is plain */
        optind++;
        if (scan.first_plain != scan.last_plain && scan.last_plain != optind)
            rotate(call->arguments);
        else if (scan.first_plain == scan.last_plain)
            scan.first_plain = optind;
        scan.last_plain = optind = call->count;
    }
    if (scan.first_plain != scan.last_plain)
        optind = scan.first_plain;
    return -1;
}

static bool same_effect(const struct option *a, const struct option *b)
{
    return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

static void complain_ambiguous(const struct call *call, const char *dashes, const char *name, size_t length)
{
    if (!opterr || call->quiet)
        return;
    libc.flockfile(stderr);
    libc.fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", call->arguments[0], dashes, name);
    for (const struct option *option = call->options; option->name; option++)
        if (libc.strncmp(option->name, name, length) == 0)
            libc.fprintf(stderr, " '%s%s'", dashes, option->name);
    libc.fputc('\n', stderr);
    libc.funlockfile(stderr);
}

/* Finds the option that a name, or an unambiguous beginning of it, means. NULL if there is none or several. */
static const struct option *find_option(const struct call *call, const char *name, size_t length, bool *ambiguous)
{
    const struct option *found = NULL;
    *ambiguous = false;
    for (const struct option *option = call->options; option->name; option++) {
        if (libc.strncmp(option->name, name, length) != 0)
            continue;
        if (libc.strlen(option->name) == length) {
            *ambiguous = false;
            return option;
        }
        if (!found)
            found = option;
        else if (call->long_only || !same_effect(found, option))
            *ambiguous = true;
    }
    return *ambiguous ? NULL : found;
}

/* Reads a long option; -1 if this is not a long option but may be a cluster of short ones. */
static int long_option(struct call *call, const char *dashes, char *name)
{
    size_t length = 0;
    while (name[length] && name[length] != '=')
        length++;
    bool ambiguous;
    const struct option *option = find_option(call, name, length, &ambiguous);
    if (!option) {
        if (!ambiguous && call->long_only && dashes[1] == '\0' && libc.strchr(call->letters, *name))
            return -1;
        if (ambiguous)
            complain_ambiguous(call, dashes, name, length);
        else
            COMPLAIN(call, "%s: unrecognized option '%s%s'\n", call->arguments[0], dashes, name);
        scan.rest = NULL;
        optind++;
        optopt = 0;
        return '?';
    }
    scan.rest = NULL;
    optind++;
    optarg = name[length] == '=' ? name + length + 1 : NULL;
    if (optarg && option->has_arg == no_argument) {
        COMPLAIN(call, "%s: option '%s%s' doesn't allow an argument\n", call->arguments[0], dashes, option->name);
        optopt = option->val;
        return '?';
    }
    if (!optarg && option->has_arg == required_argument) {
        if (optind >= call->count) {
            COMPLAIN(call, "%s: option '%s%s' requires an argument\n", call->arguments[0], dashes, option->name);
            optopt = option->val;
            return call->quiet ? ':' : '?';
        }
        optarg = call->arguments[optind++];
    }
    if (call->index)
        *call->index = (int)(option - call->options);
    if (option->flag) {
        *option->flag = option->val;
        return 0;
    }
    return option->val;
}

static int short_option(struct call *call)
{
    char letter = *scan.rest++;
    const char *known = letter == ':' || letter == ';' ? NULL : libc.strchr(call->letters, letter);
    bool last = *scan.rest == '\0';
    if (last)
        optind++;
    if (!known) {
        COMPLAIN(call, "%s: invalid option -- '%c'\n", call->arguments[0], letter);
        optopt = letter;
        return '?';
    }
    if (known[1] != ':')
        return letter;
    bool optional = known[2] == ':';
    if (!last) {
        optarg = scan.rest;
        optind++;
    } else if (!optional) {
        if (optind >= call->count) {
            COMPLAIN(call, "%s: option requires an argument -- '%c'\n", call->arguments[0], letter);
            optopt = letter;
            letter = call->quiet ? ':' : '?';
        } else {
            optarg = call->arguments[optind++];
        }
    }
    scan.rest = NULL;
    return letter;
}

static int next_option(struct call call)
{
    if (call.count < 1)
        return -1;
    optarg = NULL;
    if (optind == 0 || !scan.started)
        start_scan(&call);
    if (*call.letters == '-' || *call.letters == '+')
        call.letters++;
    call.quiet = *call.letters == ':';
    if (scan.rest && *scan.rest)
        return short_option(&call);
    int plain = next_argument(&call);
    if (plain)
        return plain;
    char *argument = call.arguments[optind];
    if (call.options) {
        if (argument[1] == '-')
            return long_option(&call, "--", argument + 2);
        /* With one dash, it is a long option if it has several letters or if its letter is not a short option. */
        if (call.long_only && (argument[2] || !libc.strchr(call.letters, argument[1]))) {
            int result = long_option(&call, "-", argument + 1);
            if (result != -1)
                return result;
        }
    }
    scan.rest = argument + 1;
    return short_option(&call);
}

EXPORT int getopt(int count, char *const arguments[], const char *letters)
{
    return next_option((struct call){.count = count, .arguments = (char **)arguments, .letters = letters});
}

/* The getopt of programs that are compiled for POSIX only. */
EXPORT int __posix_getopt(int count, char *const arguments[], const char *letters)
{
    if (!scan.started || optind == 0) {
        start_scan(&(struct call){.count = count, .arguments = (char **)arguments, .letters = letters});
        if (scan.order == PERMUTE)
            scan.order = REQUIRE_ORDER;
    }
    return next_option((struct call){.count = count, .arguments = (char **)arguments, .letters = letters});
}

EXPORT int getopt_long(int count, char *const arguments[], const char *letters, const struct option *options,
                       int *index)
{
    return next_option((struct call){count, (char **)arguments, letters, options, index, false, false});
}

EXPORT int getopt_long_only(int count, char *const arguments[], const char *letters, const struct option *options,
                            int *index)
{
    return next_option((struct call){count, (char **)arguments, letters, options, index, true, false});
}
