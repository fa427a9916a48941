/* Definitions of one name in several places, of which the rules of linking choose one. */
int plain_one(void);                 /* in both libraries: the first one's */
int of_program(void);                /* in a library, and in the program: the program's */
int asked_by_library(void);          /* what a library sees of `of_program` */
int own_of_symbolic(void);           /* what a library linked with -Bsymbolic sees of `shared_name` */
int seen_by_other(void);             /* what another library sees of it */
int shared_name(void);
int protected_call(void);            /* what a library sees of its protected function */
int protected_name(void);
int versioned(void);                 /* old and new version: the new one by default */
int versioned_by_old(void);          /* what a library sees that was linked with the old one */
int missing(void) __attribute__((weak));
extern int counter;                  /* the program has its own copy */
int *counter_of_library(void);
extern int (*const table[2])(void);  /* constants that point to functions, copied likewise */
