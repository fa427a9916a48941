/* The first library. */
#include "linking.h"

int counter = 7;
static int one(void) { return 1; }
static int two(void) { return 2; }
int (*const table[2])(void) = {one, two};

int plain_one(void) { return 10; }
int of_program(void) { return 20; }
int asked_by_library(void) { return of_program(); }
int seen_by_other(void) { return shared_name(); }
int *counter_of_library(void) { return &counter; }
__attribute__((visibility("protected"))) int protected_name(void) { return 30; }
int protected_call(void) { return protected_name(); }
