/* Random numbers: libc's generators with the rank's own state. */
#include "shim.h"

static pthread_mutex_t random_lock;
static struct random_data generator;
static int32_t state[32]; /* 128 bytes: the size of libc's default state */
static bool seeded;

/* Seeds the generator by 1 if srand has not been called. */
static void seed_once(void)
{
    if (!seeded) {
        libc.initstate_r(1, (char *)state, sizeof state, &generator);
        seeded = true;
    }
}

EXPORT long random(void)
{
    int32_t value = 0;
    libc.pthread_mutex_lock(&random_lock);
    seed_once();
    libc.random_r(&generator, &value);
    libc.pthread_mutex_unlock(&random_lock);
    return value;
}

EXPORT void srandom(unsigned seed)
{
    libc.pthread_mutex_lock(&random_lock);
    seed_once();
    libc.srandom_r(seed, &generator);
    libc.pthread_mutex_unlock(&random_lock);
}

EXPORT char *initstate(unsigned seed, char *buffer, size_t size)
{
    libc.pthread_mutex_lock(&random_lock);
    seed_once();
    char *old = (char *)&generator.state[-1];
    int error = libc.initstate_r(seed, buffer, size, &generator);
    libc.pthread_mutex_unlock(&random_lock);
    return error ? NULL : old;
}

EXPORT char *setstate(char *buffer)
{
    libc.pthread_mutex_lock(&random_lock);
    seed_once();
    char *old = (char *)&generator.state[-1];
    int error = libc.setstate_r(buffer, &generator);
    libc.pthread_mutex_unlock(&random_lock);
    return error ? NULL : old;
}

EXPORT int rand(void)
{
    return (int)random();
}

EXPORT void srand(unsigned seed)
{
    srandom(seed);
}

static struct drand48_data generator48;

EXPORT double drand48(void)
{
    double value;
    libc.drand48_r(&generator48, &value);
    return value;
}

EXPORT double erand48(unsigned short seed[3])
{
    double value;
    libc.erand48_r(seed, &generator48, &value);
    return value;
}

EXPORT long lrand48(void)
{
    long value;
    libc.lrand48_r(&generator48, &value);
    return value;
}

EXPORT long nrand48(unsigned short seed[3])
{
    long value;
    libc.nrand48_r(seed, &generator48, &value);
    return value;
}

EXPORT long mrand48(void)
{
    long value;
    libc.mrand48_r(&generator48, &value);
    return value;
}

EXPORT long jrand48(unsigned short seed[3])
{
    long value;
    libc.jrand48_r(seed, &generator48, &value);
    return value;
}

EXPORT void srand48(long seed)
{
    libc.srand48_r(seed, &generator48);
}

EXPORT unsigned short *seed48(unsigned short seed[3])
{
    static unsigned short old[3];
    libc.memcpy(old, generator48.__x, sizeof old);
    libc.seed48_r(seed, &generator48);
    return old;
}

EXPORT void lcong48(unsigned short parameters[7])
{
    libc.lcong48_r(parameters, &generator48);
}
