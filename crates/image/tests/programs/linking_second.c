/* The second library, linked with -Bsymbolic and versions. */
#include "linking.h"

int plain_one(void) { return 11; }
int shared_name(void) { return 40; }
int own_of_symbolic(void) { return shared_name(); }

int versioned_old(void) { return 50; }
int versioned_new(void) { return 51; }
__asm__(".symver versioned_old, versioned@FIRST");
__asm__(".symver versioned_new, versioned@@SECOND");
int versioned_by_old(void);
__asm__(".symver versioned_wanted, versioned@FIRST");
int versioned_wanted(void);
int versioned_by_old(void) { return versioned_wanted(); }
