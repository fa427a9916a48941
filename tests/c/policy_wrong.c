/* No policy: a library without one, one of the given version, or one without a name. */
#include <simurgh_policy.h>

#ifdef VERSION
const struct simurgh_policy simurgh_policy = {.version = VERSION};
#else
int nothing;
#endif
