/* One variable of each storage class, seen through functions; PLACE says where it is compiled into. */
#ifndef STORAGE_H
#define STORAGE_H

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

struct view {
    long *external, *file_static, *function_static, *thread_local_exported, *thread_local_static, *zero, **pointer;
};

struct view program_view(void);
struct view archive_view(void);
struct view shared_view(void);
#endif
