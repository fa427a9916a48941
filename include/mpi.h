/* The MPI 5.0 C interface of Simurgh, in the standard ABI.
 * Generated from the declarations in crates/mpi-abi/src; SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * All constants and types of the standard are here; of the functions, those that the library has. */
#ifndef SIMURGH_MPI_H
#define SIMURGH_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types */
/**
 * The level of safety that the code of a tool's callback needs.
 */
typedef enum MPI_T_cb_safety {
  MPI_T_CB_REQUIRE_NONE = 0,
  MPI_T_CB_REQUIRE_MPI_RESTRICTED = 3,
  MPI_T_CB_REQUIRE_THREAD_SAFE = 15,
  MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 63,
} MPI_T_cb_safety;

/**
 * Whether the events of a source come in the order of their time stamps.
 */
typedef enum MPI_T_source_order {
  MPI_T_SOURCE_ORDERED = 1,
  MPI_T_SOURCE_UNORDERED = 2,
} MPI_T_source_order;

typedef struct MPI_ABI_Comm MPI_ABI_Comm;

typedef struct MPI_ABI_Datatype MPI_ABI_Datatype;

typedef struct MPI_ABI_Errhandler MPI_ABI_Errhandler;

typedef struct MPI_ABI_File MPI_ABI_File;

typedef struct MPI_ABI_Group MPI_ABI_Group;

typedef struct MPI_ABI_Info MPI_ABI_Info;

typedef struct MPI_ABI_Message MPI_ABI_Message;

typedef struct MPI_ABI_Op MPI_ABI_Op;

typedef struct MPI_ABI_Request MPI_ABI_Request;

typedef struct MPI_ABI_Session MPI_ABI_Session;

typedef struct MPI_ABI_Win MPI_ABI_Win;

typedef struct MPI_T_cvar_handle_t MPI_T_cvar_handle_t;

typedef struct MPI_T_enum_t MPI_T_enum_t;

typedef struct MPI_T_event_instance_t MPI_T_event_instance_t;

typedef struct MPI_T_event_registration_t MPI_T_event_registration_t;

typedef struct MPI_T_pvar_handle_t MPI_T_pvar_handle_t;

typedef struct MPI_T_pvar_session_t MPI_T_pvar_session_t;

/**
 * An address, or the difference between two.
 */
typedef intptr_t MPI_Aint;

/**
 * A position in a file.
 */
typedef int64_t MPI_Offset;

/**
 * A number of things; at least as wide as [`MPI_Aint`] and [`MPI_Offset`].
 */
typedef int64_t MPI_Count;

/**
 * An `INTEGER` of Fortran.
 */
typedef int MPI_Fint;

/**
 * The status of a completed operation or a probed message.
 *
 * Words 0 and 1 of `MPI_internal` hold the number of bytes, and word 2 the cancellation flag.
 */
typedef struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;

/**
 * A status of Fortran's module `mpi_f08`.
 */
typedef struct MPI_F08_status {
  MPI_Fint MPI_SOURCE;
  MPI_Fint MPI_TAG;
  MPI_Fint MPI_ERROR;
  MPI_Fint MPI_internal[5];
} MPI_F08_status;

typedef struct MPI_ABI_Op *MPI_Op;

typedef struct MPI_ABI_Comm *MPI_Comm;

typedef struct MPI_ABI_Group *MPI_Group;

typedef struct MPI_ABI_Win *MPI_Win;

typedef struct MPI_ABI_File *MPI_File;

typedef struct MPI_ABI_Session *MPI_Session;

typedef struct MPI_ABI_Message *MPI_Message;

typedef struct MPI_ABI_Info *MPI_Info;

typedef struct MPI_ABI_Errhandler *MPI_Errhandler;

typedef struct MPI_ABI_Request *MPI_Request;

typedef struct MPI_ABI_Datatype *MPI_Datatype;

typedef struct MPI_T_enum_t *MPI_T_enum;

typedef struct MPI_T_cvar_handle_t *MPI_T_cvar_handle;

typedef struct MPI_T_pvar_handle_t *MPI_T_pvar_handle;

typedef struct MPI_T_pvar_session_t *MPI_T_pvar_session;

typedef struct MPI_T_event_registration_t *MPI_T_event_registration;

typedef struct MPI_T_event_instance_t *MPI_T_event_instance;

/* Functions of the program that the library calls */
typedef void MPI_User_function(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype);

typedef void MPI_User_function_c(void *invec, void *inoutvec, MPI_Count *len, MPI_Datatype *datatype);

typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *error_code, ...);

typedef void MPI_File_errhandler_function(MPI_File *file, int *error_code, ...);

typedef void MPI_Win_errhandler_function(MPI_Win *win, int *error_code, ...);

typedef void MPI_Session_errhandler_function(MPI_Session *session, int *error_code, ...);

typedef int MPI_Grequest_query_function(void *extra_state, MPI_Status *status);

typedef int MPI_Grequest_free_function(void *extra_state);

typedef int MPI_Grequest_cancel_function(void *extra_state, int complete);

typedef
int MPI_Copy_function(MPI_Comm comm,
                      int keyval,
                      void *extra_state,
                      void *attribute_val_in,
                      void *attribute_val_out,
                      int *flag);

typedef int MPI_Delete_function(MPI_Comm comm, int keyval, void *attribute_val, void *extra_state);

typedef
int MPI_Comm_copy_attr_function(MPI_Comm comm,
                                int keyval,
                                void *extra_state,
                                void *attribute_val_in,
                                void *attribute_val_out,
                                int *flag);

typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int keyval, void *attribute_val, void *extra_state);

typedef
int MPI_Type_copy_attr_function(MPI_Datatype datatype,
                                int keyval,
                                void *extra_state,
                                void *attribute_val_in,
                                void *attribute_val_out,
                                int *flag);

typedef int MPI_Type_delete_attr_function(MPI_Datatype datatype, int keyval, void *attribute_val, void *extra_state);

typedef
int MPI_Win_copy_attr_function(MPI_Win win,
                               int keyval,
                               void *extra_state,
                               void *attribute_val_in,
                               void *attribute_val_out,
                               int *flag);

typedef int MPI_Win_delete_attr_function(MPI_Win win, int keyval, void *attribute_val, void *extra_state);

typedef int MPI_Datarep_extent_function(MPI_Datatype datatype, MPI_Aint *extent, void *extra_state);

typedef
int MPI_Datarep_conversion_function(void *userbuf,
                                    MPI_Datatype datatype,
                                    int count,
                                    void *filebuf,
                                    MPI_Offset position,
                                    void *extra_state);

typedef
int MPI_Datarep_conversion_function_c(void *userbuf,
                                      MPI_Datatype datatype,
                                      MPI_Count count,
                                      void *filebuf,
                                      MPI_Offset position,
                                      void *extra_state);

typedef
void MPI_T_event_cb_function(MPI_T_event_instance event_instance,
                             MPI_T_event_registration event_registration,
                             MPI_T_cb_safety cb_safety,
                             void *user_data);

typedef
void MPI_T_event_free_cb_function(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety,
                                  void *user_data);

typedef
void MPI_T_event_dropped_cb_function(MPI_Count count,
                                     MPI_T_event_registration event_registration,
                                     int source_index,
                                     MPI_T_cb_safety cb_safety,
                                     void *user_data);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_Session_errhandler_function MPI_Session_errhandler_fn;

/* Values */
#define MPI_VERSION                        5
#define MPI_SUBVERSION                     0
#define MPI_ABI_VERSION                    1
#define MPI_ABI_SUBVERSION                 0
#define MPI_MAX_DATAREP_STRING             128
#define MPI_MAX_ERROR_STRING               512
#define MPI_MAX_INFO_KEY                   256
#define MPI_MAX_INFO_VAL                   1024
#define MPI_MAX_LIBRARY_VERSION_STRING     8192
#define MPI_MAX_OBJECT_NAME                128
#define MPI_MAX_PORT_NAME                  1024
#define MPI_MAX_PROCESSOR_NAME             256
#define MPI_MAX_STRINGTAG_LEN              1024
#define MPI_MAX_PSET_NAME_LEN              1024
#define MPI_BSEND_OVERHEAD                 512
#define MPI_F_STATUS_SIZE                  8
#define MPI_F_SOURCE                       0
#define MPI_F_TAG                          1
#define MPI_F_ERROR                        2
#define MPI_ANY_SOURCE                     (-1)
#define MPI_ANY_TAG                        (-2)
#define MPI_PROC_NULL                      (-3)
#define MPI_ROOT                           (-4)
#define MPI_UNDEFINED                      (-32766)
#define MPI_THREAD_SINGLE                  0
#define MPI_THREAD_FUNNELED                1024
#define MPI_THREAD_SERIALIZED              2048
#define MPI_THREAD_MULTIPLE                4096
#define MPI_MODE_APPEND                    1
#define MPI_MODE_CREATE                    2
#define MPI_MODE_DELETE_ON_CLOSE           4
#define MPI_MODE_EXCL                      8
#define MPI_MODE_RDONLY                    16
#define MPI_MODE_RDWR                      32
#define MPI_MODE_SEQUENTIAL                64
#define MPI_MODE_UNIQUE_OPEN               128
#define MPI_MODE_WRONLY                    256
#define MPI_MODE_NOCHECK                   1024
#define MPI_MODE_NOPRECEDE                 2048
#define MPI_MODE_NOPUT                     4096
#define MPI_MODE_NOSTORE                   8192
#define MPI_MODE_NOSUCCEED                 16384
#define MPI_ORDER_C                        12
#define MPI_ORDER_FORTRAN                  15
#define MPI_DISTRIBUTE_NONE                16
#define MPI_DISTRIBUTE_BLOCK               17
#define MPI_DISTRIBUTE_CYCLIC              18
#define MPI_DISTRIBUTE_DFLT_DARG           19
#define MPI_COMBINER_NAMED                 101
#define MPI_COMBINER_DUP                   102
#define MPI_COMBINER_CONTIGUOUS            103
#define MPI_COMBINER_VECTOR                104
#define MPI_COMBINER_HVECTOR               105
#define MPI_COMBINER_INDEXED               106
#define MPI_COMBINER_HINDEXED              107
#define MPI_COMBINER_INDEXED_BLOCK         108
#define MPI_COMBINER_HINDEXED_BLOCK        109
#define MPI_COMBINER_STRUCT                110
#define MPI_COMBINER_SUBARRAY              111
#define MPI_COMBINER_DARRAY                112
#define MPI_COMBINER_F90_REAL              113
#define MPI_COMBINER_F90_COMPLEX           114
#define MPI_COMBINER_F90_INTEGER           115
#define MPI_COMBINER_RESIZED               116
#define MPI_COMBINER_VALUE_INDEX           117
#define MPI_TYPECLASS_INTEGER              192
#define MPI_TYPECLASS_REAL                 193
#define MPI_TYPECLASS_COMPLEX              194
#define MPI_IDENT                          201
#define MPI_CONGRUENT                      202
#define MPI_SIMILAR                        203
#define MPI_UNEQUAL                        204
#define MPI_CART                           211
#define MPI_GRAPH                          212
#define MPI_DIST_GRAPH                     213
#define MPI_COMM_TYPE_SHARED               221
#define MPI_COMM_TYPE_HW_UNGUIDED          222
#define MPI_COMM_TYPE_HW_GUIDED            223
#define MPI_COMM_TYPE_RESOURCE_GUIDED      224
#define MPI_LOCK_EXCLUSIVE                 301
#define MPI_LOCK_SHARED                    302
#define MPI_WIN_FLAVOR_CREATE              311
#define MPI_WIN_FLAVOR_ALLOCATE            312
#define MPI_WIN_FLAVOR_DYNAMIC             313
#define MPI_WIN_FLAVOR_SHARED              314
#define MPI_WIN_UNIFIED                    321
#define MPI_WIN_SEPARATE                   322
#define MPI_SEEK_CUR                       401
#define MPI_SEEK_END                       402
#define MPI_SEEK_SET                       403
#define MPI_KEYVAL_INVALID                 0
#define MPI_TAG_UB                         501
#define MPI_IO                             502
#define MPI_HOST                           503
#define MPI_WTIME_IS_GLOBAL                504
#define MPI_APPNUM                         505
#define MPI_LASTUSEDCODE                   506
#define MPI_UNIVERSE_SIZE                  507
#define MPI_WIN_BASE                       601
#define MPI_WIN_DISP_UNIT                  602
#define MPI_WIN_SIZE                       603
#define MPI_WIN_CREATE_FLAVOR              604
#define MPI_WIN_MODEL                      605

/* Error classes */
#define MPI_SUCCESS                        0
#define MPI_ERR_BUFFER                     1
#define MPI_ERR_COUNT                      2
#define MPI_ERR_TYPE                       3
#define MPI_ERR_TAG                        4
#define MPI_ERR_COMM                       5
#define MPI_ERR_RANK                       6
#define MPI_ERR_REQUEST                    7
#define MPI_ERR_ROOT                       8
#define MPI_ERR_GROUP                      9
#define MPI_ERR_OP                         10
#define MPI_ERR_TOPOLOGY                   11
#define MPI_ERR_DIMS                       12
#define MPI_ERR_ARG                        13
#define MPI_ERR_UNKNOWN                    14
#define MPI_ERR_TRUNCATE                   15
#define MPI_ERR_OTHER                      16
#define MPI_ERR_INTERN                     17
#define MPI_ERR_PENDING                    18
#define MPI_ERR_IN_STATUS                  19
#define MPI_ERR_ACCESS                     20
#define MPI_ERR_AMODE                      21
#define MPI_ERR_ASSERT                     22
#define MPI_ERR_BAD_FILE                   23
#define MPI_ERR_BASE                       24
#define MPI_ERR_CONVERSION                 25
#define MPI_ERR_DISP                       26
#define MPI_ERR_DUP_DATAREP                27
#define MPI_ERR_FILE_EXISTS                28
#define MPI_ERR_FILE_IN_USE                29
#define MPI_ERR_FILE                       30
#define MPI_ERR_INFO_KEY                   31
#define MPI_ERR_INFO_NOKEY                 32
#define MPI_ERR_INFO_VALUE                 33
#define MPI_ERR_INFO                       34
#define MPI_ERR_IO                         35
#define MPI_ERR_KEYVAL                     36
#define MPI_ERR_LOCKTYPE                   37
#define MPI_ERR_NAME                       38
#define MPI_ERR_NO_MEM                     39
#define MPI_ERR_NOT_SAME                   40
#define MPI_ERR_NO_SPACE                   41
#define MPI_ERR_NO_SUCH_FILE               42
#define MPI_ERR_PORT                       43
#define MPI_ERR_QUOTA                      44
#define MPI_ERR_READ_ONLY                  45
#define MPI_ERR_RMA_ATTACH                 46
#define MPI_ERR_RMA_CONFLICT               47
#define MPI_ERR_RMA_RANGE                  48
#define MPI_ERR_RMA_SHARED                 49
#define MPI_ERR_RMA_SYNC                   50
#define MPI_ERR_SERVICE                    51
#define MPI_ERR_SIZE                       52
#define MPI_ERR_SPAWN                      53
#define MPI_ERR_UNSUPPORTED_DATAREP        54
#define MPI_ERR_UNSUPPORTED_OPERATION      55
#define MPI_ERR_WIN                        56
#define MPI_ERR_RMA_FLAVOR                 57
#define MPI_ERR_PROC_ABORTED               58
#define MPI_ERR_VALUE_TOO_LARGE            59
#define MPI_ERR_SESSION                    60
#define MPI_ERR_ERRHANDLER                 61
#define MPI_ERR_ABI                        62
#define MPI_ERR_LASTCODE                   16383

/* Predefined handles */
#define MPI_COMM_NULL                      ((MPI_Comm)0x00000100)
#define MPI_COMM_WORLD                     ((MPI_Comm)0x00000101)
#define MPI_COMM_SELF                      ((MPI_Comm)0x00000102)
#define MPI_GROUP_NULL                     ((MPI_Group)0x00000108)
#define MPI_GROUP_EMPTY                    ((MPI_Group)0x00000109)
#define MPI_WIN_NULL                       ((MPI_Win)0x00000110)
#define MPI_FILE_NULL                      ((MPI_File)0x00000118)
#define MPI_SESSION_NULL                   ((MPI_Session)0x00000120)
#define MPI_MESSAGE_NULL                   ((MPI_Message)0x00000128)
#define MPI_MESSAGE_NO_PROC                ((MPI_Message)0x00000129)
#define MPI_INFO_NULL                      ((MPI_Info)0x00000130)
#define MPI_INFO_ENV                       ((MPI_Info)0x00000131)
#define MPI_ERRHANDLER_NULL                ((MPI_Errhandler)0x00000140)
#define MPI_ERRORS_ARE_FATAL               ((MPI_Errhandler)0x00000141)
#define MPI_ERRORS_ABORT                   ((MPI_Errhandler)0x00000142)
#define MPI_ERRORS_RETURN                  ((MPI_Errhandler)0x00000143)
#define MPI_REQUEST_NULL                   ((MPI_Request)0x00000180)
#define MPI_OP_NULL                        ((MPI_Op)0x00000020)
#define MPI_SUM                            ((MPI_Op)0x00000021)
#define MPI_MIN                            ((MPI_Op)0x00000022)
#define MPI_MAX                            ((MPI_Op)0x00000023)
#define MPI_PROD                           ((MPI_Op)0x00000024)
#define MPI_BAND                           ((MPI_Op)0x00000028)
#define MPI_BOR                            ((MPI_Op)0x00000029)
#define MPI_BXOR                           ((MPI_Op)0x0000002a)
#define MPI_LAND                           ((MPI_Op)0x00000030)
#define MPI_LOR                            ((MPI_Op)0x00000031)
#define MPI_LXOR                           ((MPI_Op)0x00000032)
#define MPI_MINLOC                         ((MPI_Op)0x00000038)
#define MPI_MAXLOC                         ((MPI_Op)0x00000039)
#define MPI_REPLACE                        ((MPI_Op)0x0000003c)
#define MPI_NO_OP                          ((MPI_Op)0x0000003d)
#define MPI_DATATYPE_NULL                  ((MPI_Datatype)0x00000200)
#define MPI_AINT                           ((MPI_Datatype)0x00000201)
#define MPI_COUNT                          ((MPI_Datatype)0x00000202)
#define MPI_OFFSET                         ((MPI_Datatype)0x00000203)
#define MPI_PACKED                         ((MPI_Datatype)0x00000207)
#define MPI_SHORT                          ((MPI_Datatype)0x00000208)
#define MPI_INT                            ((MPI_Datatype)0x00000209)
#define MPI_LONG                           ((MPI_Datatype)0x0000020a)
#define MPI_LONG_LONG                      ((MPI_Datatype)0x0000020b)
#define MPI_LONG_LONG_INT                  MPI_LONG_LONG
#define MPI_UNSIGNED_SHORT                 ((MPI_Datatype)0x0000020c)
#define MPI_UNSIGNED                       ((MPI_Datatype)0x0000020d)
#define MPI_UNSIGNED_LONG                  ((MPI_Datatype)0x0000020e)
#define MPI_UNSIGNED_LONG_LONG             ((MPI_Datatype)0x0000020f)
#define MPI_FLOAT                          ((MPI_Datatype)0x00000210)
#define MPI_C_FLOAT_COMPLEX                ((MPI_Datatype)0x00000212)
#define MPI_C_COMPLEX                      MPI_C_FLOAT_COMPLEX
#define MPI_CXX_FLOAT_COMPLEX              ((MPI_Datatype)0x00000213)
#define MPI_DOUBLE                         ((MPI_Datatype)0x00000214)
#define MPI_C_DOUBLE_COMPLEX               ((MPI_Datatype)0x00000216)
#define MPI_CXX_DOUBLE_COMPLEX             ((MPI_Datatype)0x00000217)
#define MPI_LOGICAL                        ((MPI_Datatype)0x00000218)
#define MPI_INTEGER                        ((MPI_Datatype)0x00000219)
#define MPI_REAL                           ((MPI_Datatype)0x0000021a)
#define MPI_COMPLEX                        ((MPI_Datatype)0x0000021b)
#define MPI_DOUBLE_PRECISION               ((MPI_Datatype)0x0000021c)
#define MPI_DOUBLE_COMPLEX                 ((MPI_Datatype)0x0000021d)
#define MPI_CHARACTER                      ((MPI_Datatype)0x0000021e)
#define MPI_LONG_DOUBLE                    ((MPI_Datatype)0x00000220)
#define MPI_C_LONG_DOUBLE_COMPLEX          ((MPI_Datatype)0x00000224)
#define MPI_CXX_LONG_DOUBLE_COMPLEX        ((MPI_Datatype)0x00000225)
#define MPI_FLOAT_INT                      ((MPI_Datatype)0x00000228)
#define MPI_DOUBLE_INT                     ((MPI_Datatype)0x00000229)
#define MPI_LONG_INT                       ((MPI_Datatype)0x0000022a)
#define MPI_2INT                           ((MPI_Datatype)0x0000022b)
#define MPI_SHORT_INT                      ((MPI_Datatype)0x0000022c)
#define MPI_LONG_DOUBLE_INT                ((MPI_Datatype)0x0000022d)
#define MPI_2REAL                          ((MPI_Datatype)0x00000230)
#define MPI_2DOUBLE_PRECISION              ((MPI_Datatype)0x00000231)
#define MPI_2INTEGER                       ((MPI_Datatype)0x00000232)
#define MPI_C_BOOL                         ((MPI_Datatype)0x00000238)
#define MPI_CXX_BOOL                       ((MPI_Datatype)0x00000239)
#define MPI_WCHAR                          ((MPI_Datatype)0x0000023c)
#define MPI_INT8_T                         ((MPI_Datatype)0x00000240)
#define MPI_UINT8_T                        ((MPI_Datatype)0x00000241)
#define MPI_CHAR                           ((MPI_Datatype)0x00000243)
#define MPI_SIGNED_CHAR                    ((MPI_Datatype)0x00000244)
#define MPI_UNSIGNED_CHAR                  ((MPI_Datatype)0x00000245)
#define MPI_BYTE                           ((MPI_Datatype)0x00000247)
#define MPI_INT16_T                        ((MPI_Datatype)0x00000248)
#define MPI_UINT16_T                       ((MPI_Datatype)0x00000249)
#define MPI_INT32_T                        ((MPI_Datatype)0x00000250)
#define MPI_UINT32_T                       ((MPI_Datatype)0x00000251)
#define MPI_INT64_T                        ((MPI_Datatype)0x00000258)
#define MPI_UINT64_T                       ((MPI_Datatype)0x00000259)
#define MPI_LOGICAL1                       ((MPI_Datatype)0x000002c0)
#define MPI_INTEGER1                       ((MPI_Datatype)0x000002c1)
#define MPI_LOGICAL2                       ((MPI_Datatype)0x000002c8)
#define MPI_INTEGER2                       ((MPI_Datatype)0x000002c9)
#define MPI_REAL2                          ((MPI_Datatype)0x000002ca)
#define MPI_LOGICAL4                       ((MPI_Datatype)0x000002d0)
#define MPI_INTEGER4                       ((MPI_Datatype)0x000002d1)
#define MPI_REAL4                          ((MPI_Datatype)0x000002d2)
#define MPI_COMPLEX4                       ((MPI_Datatype)0x000002d3)
#define MPI_LOGICAL8                       ((MPI_Datatype)0x000002d8)
#define MPI_INTEGER8                       ((MPI_Datatype)0x000002d9)
#define MPI_REAL8                          ((MPI_Datatype)0x000002da)
#define MPI_COMPLEX8                       ((MPI_Datatype)0x000002db)
#define MPI_LOGICAL16                      ((MPI_Datatype)0x000002e0)
#define MPI_INTEGER16                      ((MPI_Datatype)0x000002e1)
#define MPI_REAL16                         ((MPI_Datatype)0x000002e2)
#define MPI_COMPLEX16                      ((MPI_Datatype)0x000002e3)
#define MPI_COMPLEX32                      ((MPI_Datatype)0x000002eb)

/* Special addresses */
#define MPI_BOTTOM                         ((void *)0x00000000)
#define MPI_IN_PLACE                       ((void *)0x00000001)
#define MPI_BUFFER_AUTOMATIC               ((void *)0x00000002)
#define MPI_ARGV_NULL                      ((char **)0x00000000)
#define MPI_ARGVS_NULL                     ((char ***)0x00000000)
#define MPI_ERRCODES_IGNORE                ((int *)0x00000000)
#define MPI_STATUS_IGNORE                  ((MPI_Status *)0x00000000)
#define MPI_STATUSES_IGNORE                ((MPI_Status *)0x00000000)
#define MPI_F_STATUS_IGNORE                ((MPI_Fint *)0x00000000)
#define MPI_F_STATUSES_IGNORE              ((MPI_Fint *)0x00000000)
#define MPI_F08_STATUS_IGNORE              ((MPI_F08_status *)0x00000000)
#define MPI_F08_STATUSES_IGNORE            ((MPI_F08_status *)0x00000000)
#define MPI_UNWEIGHTED                     ((int *)0x0000000a)
#define MPI_WEIGHTS_EMPTY                  ((int *)0x0000000b)
#define MPI_NULL_COPY_FN                   ((MPI_Copy_function *)0x00000000)
#define MPI_DUP_FN                         ((MPI_Copy_function *)0x00000001)
#define MPI_NULL_DELETE_FN                 ((MPI_Delete_function *)0x00000000)
#define MPI_COMM_NULL_COPY_FN              ((MPI_Comm_copy_attr_function *)0x00000000)
#define MPI_COMM_DUP_FN                    ((MPI_Comm_copy_attr_function *)0x00000001)
#define MPI_COMM_NULL_DELETE_FN            ((MPI_Comm_delete_attr_function *)0x00000000)
#define MPI_TYPE_NULL_COPY_FN              ((MPI_Type_copy_attr_function *)0x00000000)
#define MPI_TYPE_DUP_FN                    ((MPI_Type_copy_attr_function *)0x00000001)
#define MPI_TYPE_NULL_DELETE_FN            ((MPI_Type_delete_attr_function *)0x00000000)
#define MPI_WIN_NULL_COPY_FN               ((MPI_Win_copy_attr_function *)0x00000000)
#define MPI_WIN_DUP_FN                     ((MPI_Win_copy_attr_function *)0x00000001)
#define MPI_WIN_NULL_DELETE_FN             ((MPI_Win_delete_attr_function *)0x00000000)
#define MPI_CONVERSION_FN_NULL             ((MPI_Datarep_conversion_function *)0x00000000)
#define MPI_CONVERSION_FN_NULL_C           ((MPI_Datarep_conversion_function_c *)0x00000000)
#define MPI_T_ENUM_NULL                    ((MPI_T_enum)0x00000000)
#define MPI_T_CVAR_HANDLE_NULL             ((MPI_T_cvar_handle)0x00000000)
#define MPI_T_PVAR_SESSION_NULL            ((MPI_T_pvar_session)0x00000000)
#define MPI_T_PVAR_HANDLE_NULL             ((MPI_T_pvar_handle)0x00000000)
#define MPI_T_PVAR_ALL_HANDLES             ((MPI_T_pvar_handle)0x00000001)
#define MPI_DISPLACEMENT_CURRENT           ((MPI_Offset)-1)

/* Tool information interface */
#define MPI_T_ERR_CANNOT_INIT              1001
#define MPI_T_ERR_NOT_ACCESSIBLE           1002
#define MPI_T_ERR_NOT_INITIALIZED          1003
#define MPI_T_ERR_NOT_SUPPORTED            1004
#define MPI_T_ERR_MEMORY                   1005
#define MPI_T_ERR_INVALID                  1006
#define MPI_T_ERR_INVALID_INDEX            1007
#define MPI_T_ERR_INVALID_ITEM             1008
#define MPI_T_ERR_INVALID_SESSION          1009
#define MPI_T_ERR_INVALID_HANDLE           1010
#define MPI_T_ERR_INVALID_NAME             1011
#define MPI_T_ERR_OUT_OF_HANDLES           1012
#define MPI_T_ERR_OUT_OF_SESSIONS          1013
#define MPI_T_ERR_CVAR_SET_NOT_NOW         1014
#define MPI_T_ERR_CVAR_SET_NEVER           1015
#define MPI_T_ERR_PVAR_NO_WRITE            1016
#define MPI_T_ERR_PVAR_NO_STARTSTOP        1017
#define MPI_T_ERR_PVAR_NO_ATOMIC           1018
#define MPI_T_VERBOSITY_USER_BASIC         9
#define MPI_T_VERBOSITY_USER_DETAIL        10
#define MPI_T_VERBOSITY_USER_ALL           12
#define MPI_T_VERBOSITY_TUNER_BASIC        17
#define MPI_T_VERBOSITY_TUNER_DETAIL       18
#define MPI_T_VERBOSITY_TUNER_ALL          20
#define MPI_T_VERBOSITY_MPIDEV_BASIC       33
#define MPI_T_VERBOSITY_MPIDEV_DETAIL      34
#define MPI_T_VERBOSITY_MPIDEV_ALL         36
#define MPI_T_BIND_NO_OBJECT               1
#define MPI_T_BIND_MPI_COMM                2
#define MPI_T_BIND_MPI_DATATYPE            3
#define MPI_T_BIND_MPI_ERRHANDLER          4
#define MPI_T_BIND_MPI_FILE                5
#define MPI_T_BIND_MPI_GROUP               6
#define MPI_T_BIND_MPI_OP                  7
#define MPI_T_BIND_MPI_REQUEST             8
#define MPI_T_BIND_MPI_WIN                 9
#define MPI_T_BIND_MPI_MESSAGE             10
#define MPI_T_BIND_MPI_INFO                11
#define MPI_T_BIND_MPI_SESSION             12
#define MPI_T_SCOPE_CONSTANT               1
#define MPI_T_SCOPE_READONLY               2
#define MPI_T_SCOPE_LOCAL                  3
#define MPI_T_SCOPE_GROUP                  4
#define MPI_T_SCOPE_GROUP_EQ               5
#define MPI_T_SCOPE_ALL                    6
#define MPI_T_SCOPE_ALL_EQ                 7
#define MPI_T_PVAR_CLASS_STATE             1
#define MPI_T_PVAR_CLASS_LEVEL             2
#define MPI_T_PVAR_CLASS_SIZE              3
#define MPI_T_PVAR_CLASS_PERCENTAGE        4
#define MPI_T_PVAR_CLASS_HIGHWATERMARK     5
#define MPI_T_PVAR_CLASS_LOWWATERMARK      6
#define MPI_T_PVAR_CLASS_COUNTER           7
#define MPI_T_PVAR_CLASS_AGGREGATE         8
#define MPI_T_PVAR_CLASS_TIMER             9
#define MPI_T_PVAR_CLASS_GENERIC           10

/* Functions */
/**
 * `MPI_Abi_get_fortran_booleans`: the values that stand for true and false in logicals of this size, if they have been
 * declared.
 */
int MPI_Abi_get_fortran_booleans(int logical_size,
                                 void *logical_true,
                                 void *logical_false,
                                 int *is_set);

/**
 * `MPI_Abi_get_fortran_info`: what has been declared about Fortran's types; the null handle if nothing has.
 */
int MPI_Abi_get_fortran_info(MPI_Info *info);

/**
 * `MPI_Abi_get_info`: an info object with the sizes of the interface's integer types.
 */
int MPI_Abi_get_info(MPI_Info *info);

/**
 * `MPI_Abi_get_version`: the version of the binary interface.
 */
int MPI_Abi_get_version(int *abi_major, int *abi_minor);

/**
 * `MPI_Abi_set_fortran_booleans`: declares, once, which values stand for true and false in logicals of this size.
 */
int MPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false);

/**
 * `MPI_Abi_set_fortran_info`: declares, once, which types the Fortran compiler has.
 */
int MPI_Abi_set_fortran_info(MPI_Info info);

/**
 * `MPI_Abort`: ends the job. It may be called at any time, but before `MPI_Init` and after `MPI_Finalize` the
 * communicator is not looked at.
 */
int MPI_Abort(MPI_Comm comm, int errorcode);

/**
 * `MPI_Accumulate`: updates elements of a target.
 */
int MPI_Accumulate(const void *origin_addr,
                   int origin_count,
                   MPI_Datatype origin_datatype,
                   int target_rank,
                   MPI_Aint target_disp,
                   int target_count,
                   MPI_Datatype target_datatype,
                   MPI_Op op,
                   MPI_Win win);

int MPI_Accumulate_c(const void *origin_addr,
                     MPI_Count origin_count,
                     MPI_Datatype origin_datatype,
                     int target_rank,
                     MPI_Aint target_disp,
                     MPI_Count target_count,
                     MPI_Datatype target_datatype,
                     MPI_Op op,
                     MPI_Win win);

/**
 * `MPI_Add_error_class`: adds an error class.
 */
int MPI_Add_error_class(int *errorclass);

/**
 * `MPI_Add_error_code`: adds an error code to a class.
 */
int MPI_Add_error_code(int errorclass, int *errorcode);

/**
 * `MPI_Add_error_string`: sets the text of a class or code of the program.
 */
int MPI_Add_error_string(int errorcode, const char *string);

/**
 * `MPI_Aint_add`: the address `disp` bytes behind `base`.
 */
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp);

/**
 * `MPI_Aint_diff`: the distance from `addr2` to `addr1` in bytes.
 */
MPI_Aint MPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2);

/**
 * `MPI_Allgather`: collects equal parts at all ranks.
 */
int MPI_Allgather(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  MPI_Comm comm);

int MPI_Allgather_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    MPI_Comm comm);

/**
 * `MPI_Allgather_init`: sets up what `MPI_Allgather` runs.
 */
int MPI_Allgather_init(const void *sendbuf,
                       int sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       int recvcount,
                       MPI_Datatype recvtype,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

int MPI_Allgather_init_c(const void *sendbuf,
                         MPI_Count sendcount,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         MPI_Count recvcount,
                         MPI_Datatype recvtype,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

/**
 * `MPI_Allgatherv`: collects parts at all ranks.
 */
int MPI_Allgatherv(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   const int *recvcounts,
                   const int *displs,
                   MPI_Datatype recvtype,
                   MPI_Comm comm);

int MPI_Allgatherv_c(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     const MPI_Count *recvcounts,
                     const MPI_Aint *displs,
                     MPI_Datatype recvtype,
                     MPI_Comm comm);

/**
 * `MPI_Allgatherv_init`: sets up what `MPI_Allgatherv` runs.
 */
int MPI_Allgatherv_init(const void *sendbuf,
                        int sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        const int *recvcounts,
                        const int *displs,
                        MPI_Datatype recvtype,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

int MPI_Allgatherv_init_c(const void *sendbuf,
                          MPI_Count sendcount,
                          MPI_Datatype sendtype,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          const MPI_Aint *displs,
                          MPI_Datatype recvtype,
                          MPI_Comm comm,
                          MPI_Info info,
                          MPI_Request *request);

/**
 * `MPI_Alloc_mem`: allocates memory for communication; `info` may ask for an alignment.
 */
int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr);

/**
 * `MPI_Allreduce`: combines all ranks' data at all ranks.
 */
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

int MPI_Allreduce_c(const void *sendbuf,
                    void *recvbuf,
                    MPI_Count count,
                    MPI_Datatype datatype,
                    MPI_Op op,
                    MPI_Comm comm);

/**
 * `MPI_Allreduce_init`: sets up what `MPI_Allreduce` runs.
 */
int MPI_Allreduce_init(const void *sendbuf,
                       void *recvbuf,
                       int count,
                       MPI_Datatype datatype,
                       MPI_Op op,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

int MPI_Allreduce_init_c(const void *sendbuf,
                         void *recvbuf,
                         MPI_Count count,
                         MPI_Datatype datatype,
                         MPI_Op op,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

/**
 * `MPI_Alltoall`: sends each rank an equal part of each rank's data.
 */
int MPI_Alltoall(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 int recvcount,
                 MPI_Datatype recvtype,
                 MPI_Comm comm);

int MPI_Alltoall_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   MPI_Comm comm);

/**
 * `MPI_Alltoall_init`: sets up what `MPI_Alltoall` runs.
 */
int MPI_Alltoall_init(const void *sendbuf,
                      int sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      int recvcount,
                      MPI_Datatype recvtype,
                      MPI_Comm comm,
                      MPI_Info info,
                      MPI_Request *request);

int MPI_Alltoall_init_c(const void *sendbuf,
                        MPI_Count sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        MPI_Count recvcount,
                        MPI_Datatype recvtype,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

/**
 * `MPI_Alltoallv`: sends each rank its part of each rank's data.
 */
int MPI_Alltoallv(const void *sendbuf,
                  const int *sendcounts,
                  const int *sdispls,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  const int *recvcounts,
                  const int *rdispls,
                  MPI_Datatype recvtype,
                  MPI_Comm comm);

int MPI_Alltoallv_c(const void *sendbuf,
                    const MPI_Count *sendcounts,
                    const MPI_Aint *sdispls,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const MPI_Count *recvcounts,
                    const MPI_Aint *rdispls,
                    MPI_Datatype recvtype,
                    MPI_Comm comm);

/**
 * `MPI_Alltoallv_init`: sets up what `MPI_Alltoallv` runs.
 */
int MPI_Alltoallv_init(const void *sendbuf,
                       const int *sendcounts,
                       const int *sdispls,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       const int *recvcounts,
                       const int *rdispls,
                       MPI_Datatype recvtype,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

int MPI_Alltoallv_init_c(const void *sendbuf,
                         const MPI_Count *sendcounts,
                         const MPI_Aint *sdispls,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         const MPI_Count *recvcounts,
                         const MPI_Aint *rdispls,
                         MPI_Datatype recvtype,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

/**
 * `MPI_Alltoallw`: sends each rank its part of each rank's data, each part with its own datatype.
 */
int MPI_Alltoallw(const void *sendbuf,
                  const int *sendcounts,
                  const int *sdispls,
                  const MPI_Datatype *sendtypes,
                  void *recvbuf,
                  const int *recvcounts,
                  const int *rdispls,
                  const MPI_Datatype *recvtypes,
                  MPI_Comm comm);

int MPI_Alltoallw_c(const void *sendbuf,
                    const MPI_Count *sendcounts,
                    const MPI_Aint *sdispls,
                    const MPI_Datatype *sendtypes,
                    void *recvbuf,
                    const MPI_Count *recvcounts,
                    const MPI_Aint *rdispls,
                    const MPI_Datatype *recvtypes,
                    MPI_Comm comm);

/**
 * `MPI_Alltoallw_init`: sets up what `MPI_Alltoallw` runs.
 */
int MPI_Alltoallw_init(const void *sendbuf,
                       const int *sendcounts,
                       const int *sdispls,
                       const MPI_Datatype *sendtypes,
                       void *recvbuf,
                       const int *recvcounts,
                       const int *rdispls,
                       const MPI_Datatype *recvtypes,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

int MPI_Alltoallw_init_c(const void *sendbuf,
                         const MPI_Count *sendcounts,
                         const MPI_Aint *sdispls,
                         const MPI_Datatype *sendtypes,
                         void *recvbuf,
                         const MPI_Count *recvcounts,
                         const MPI_Aint *rdispls,
                         const MPI_Datatype *recvtypes,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

/**
 * `MPI_Attr_delete`: the deprecated name of [`PMPI_Comm_delete_attr`].
 */
int MPI_Attr_delete(MPI_Comm comm, int keyval);

/**
 * `MPI_Attr_get`: the deprecated name of [`PMPI_Comm_get_attr`].
 */
int MPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag);

/**
 * `MPI_Attr_put`: the deprecated name of [`PMPI_Comm_set_attr`].
 */
int MPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val);

/**
 * `MPI_Barrier`: waits until all ranks have called it.
 */
int MPI_Barrier(MPI_Comm comm);

/**
 * `MPI_Barrier_init`: sets up what `MPI_Barrier` runs.
 */
int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);

/**
 * `MPI_Bcast`: sends the root's data to all ranks.
 */
int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);

int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);

/**
 * `MPI_Bcast_init`: sets up what `MPI_Bcast` runs.
 */
int MPI_Bcast_init(void *buffer,
                   int count,
                   MPI_Datatype datatype,
                   int root,
                   MPI_Comm comm,
                   MPI_Info info,
                   MPI_Request *request);

int MPI_Bcast_init_c(void *buffer,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int root,
                     MPI_Comm comm,
                     MPI_Info info,
                     MPI_Request *request);

/**
 * `MPI_Bsend`: sends through the attached buffer and returns at once.
 */
int MPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int MPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * `MPI_Bsend_init`: sets up a buffered send.
 */
int MPI_Bsend_init(const void *buf,
                   int count,
                   MPI_Datatype datatype,
                   int dest,
                   int tag,
                   MPI_Comm comm,
                   MPI_Request *request);

int MPI_Bsend_init_c(const void *buf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int dest,
                     int tag,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Buffer_attach`: gives memory for buffered sends, or `MPI_BUFFER_AUTOMATIC`.
 */
int MPI_Buffer_attach(void *buffer, int size);

int MPI_Buffer_attach_c(void *buffer, MPI_Count size);

/**
 * `MPI_Buffer_detach`: takes the memory back once its messages have been received.
 */
int MPI_Buffer_detach(void *buffer_addr, int *size);

int MPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size);

/**
 * `MPI_Buffer_flush`: waits until the messages in the process's buffer have been received.
 */
int MPI_Buffer_flush(void);

/**
 * `MPI_Buffer_iflush`: starts to wait until the messages in the process's buffer have been received.
 */
int MPI_Buffer_iflush(MPI_Request *request);

/**
 * `MPI_Cancel`: cancels the operation, if it has not been matched yet.
 */
int MPI_Cancel(MPI_Request *request);

/**
 * `MPI_Cart_coords`: the coordinates of a rank.
 */
int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int *coords);

/**
 * `MPI_Cart_create`: makes a communicator whose ranks form a grid.
 */
int MPI_Cart_create(MPI_Comm comm_old,
                    int ndims,
                    const int *dims,
                    const int *periods,
                    int reorder,
                    MPI_Comm *comm_cart);

/**
 * `MPI_Cart_get`: extents, periodic dimensions and the caller's coordinates.
 */
int MPI_Cart_get(MPI_Comm comm, int maxdims, int *dims, int *periods, int *coords);

/**
 * `MPI_Cart_map`: the best rank for the caller in a grid.
 */
int MPI_Cart_map(MPI_Comm comm, int ndims, const int *dims, const int *periods, int *newrank);

/**
 * `MPI_Cart_rank`: the rank at some coordinates.
 */
int MPI_Cart_rank(MPI_Comm comm, const int *coords, int *rank);

/**
 * `MPI_Cart_shift`: the ranks from which and to which the caller shifts data along a dimension.
 */
int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest);

/**
 * `MPI_Cart_sub`: makes communicators of the slices of a grid.
 */
int MPI_Cart_sub(MPI_Comm comm, const int *remain_dims, MPI_Comm *newcomm);

/**
 * `MPI_Cartdim_get`: number of dimensions.
 */
int MPI_Cartdim_get(MPI_Comm comm, int *ndims);

/**
 * `MPI_Close_port`: closes a port.
 */
int MPI_Close_port(const char *port_name);

/**
 * `MPI_Comm_accept`: waits for a group that connects to a port.
 */
int MPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm);

/**
 * `MPI_Comm_attach_buffer`: gives memory for buffered sends on one communicator.
 */
int MPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size);

int MPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size);

int MPI_Comm_c2f(MPI_Comm comm);

/**
 * `MPI_Comm_call_errhandler`: calls the error handler of `comm` as if a call had failed.
 */
int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);

/**
 * `MPI_Comm_compare`: whether two communicators have the same ranks, order and context.
 */
int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result);

/**
 * `MPI_Comm_connect`: connects to a group that accepts at a port. The info key `timeout` is the number of seconds to
 * wait for that.
 */
int MPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm);

/**
 * `MPI_Comm_create`: communicators over subgroups; all ranks of `comm` call it.
 */
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm);

/**
 * `MPI_Comm_create_errhandler`: makes an error handler of a function.
 */
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn, MPI_Errhandler *errhandler);

/**
 * `MPI_Comm_create_from_group`: a communicator over a group, without another communicator.
 */
int MPI_Comm_create_from_group(MPI_Group group,
                               const char *stringtag,
                               MPI_Info info,
                               MPI_Errhandler errhandler,
                               MPI_Comm *newcomm);

/**
 * `MPI_Comm_create_group`: a communicator over a group; only its members call it.
 */
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm);

/**
 * `MPI_Comm_create_keyval`: makes a key for attributes of communicators.
 */
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
                           MPI_Comm_delete_attr_function *comm_delete_attr_fn,
                           int *comm_keyval,
                           void *extra_state);

/**
 * `MPI_Comm_delete_attr`: deletes the value that a communicator has for a key.
 */
int MPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval);

/**
 * `MPI_Comm_detach_buffer`: takes the memory of a communicator back once its messages have been received.
 */
int MPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size);

int MPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size);

/**
 * `MPI_Comm_disconnect`: frees the communicator when all its ranks do so and nothing is under way on it.
 */
int MPI_Comm_disconnect(MPI_Comm *comm);

/**
 * `MPI_Comm_dup`: a duplicate, without the hints.
 */
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);

/**
 * `MPI_Comm_dup_with_info`: a duplicate with hints of its own.
 */
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm);

MPI_Comm MPI_Comm_f2c(int comm);

/**
 * `MPI_Comm_flush_buffer`: waits until the messages in a communicator's buffer have been received.
 */
int MPI_Comm_flush_buffer(MPI_Comm comm);

/**
 * `MPI_Comm_free`: frees the communicator; pending operations keep it.
 */
int MPI_Comm_free(MPI_Comm *comm);

/**
 * `MPI_Comm_free_keyval`: frees a key; attributes keep it until they are deleted.
 */
int MPI_Comm_free_keyval(int *comm_keyval);

/**
 * `MPI_Comm_fromint`: the communicator of an integer.
 */
MPI_Comm MPI_Comm_fromint(int comm);

/**
 * `MPI_Comm_get_attr`: the value that a communicator has for a key.
 */
int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag);

/**
 * `MPI_Comm_get_errhandler`: the error handler of `comm`.
 */
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler);

/**
 * `MPI_Comm_get_info`: the hints in effect.
 */
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used);

/**
 * `MPI_Comm_get_name`: the communicator's name; the null handle has one, too.
 */
int MPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen);

/**
 * `MPI_Comm_get_parent`: the inter-communicator with the parents, or the null handle.
 */
int MPI_Comm_get_parent(MPI_Comm *parent);

/**
 * `MPI_Comm_group`: the group of the communicator's processes.
 */
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);

/**
 * `MPI_Comm_idup`: a duplicate that no rank waits for; it exists when the call returns.
 */
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);

/**
 * `MPI_Comm_idup_with_info`: a duplicate with hints of its own that no rank waits for.
 */
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request);

/**
 * `MPI_Comm_iflush_buffer`: starts to wait until the messages in a communicator's buffer have been received.
 */
int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request);

/**
 * `MPI_Comm_join`: an inter-communicator with the process at the other end of a socket.
 */
int MPI_Comm_join(int fd, MPI_Comm *intercomm);

/**
 * `MPI_Comm_rank`: the caller's rank.
 */
int MPI_Comm_rank(MPI_Comm comm, int *rank);

/**
 * `MPI_Comm_remote_group`: the remote group.
 */
int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group);

/**
 * `MPI_Comm_remote_size`: number of ranks in the remote group.
 */
int MPI_Comm_remote_size(MPI_Comm comm, int *size);

/**
 * `MPI_Comm_set_attr`: attaches a value to a communicator.
 */
int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val);

/**
 * `MPI_Comm_set_errhandler`: sets the error handler of `comm`.
 */
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler);

/**
 * `MPI_Comm_set_info`: sets hints, which are promises about the use of the communicator, or wishes about where the
 * calling rank runs.
 */
int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info);

/**
 * `MPI_Comm_set_name`: gives the communicator a name.
 */
int MPI_Comm_set_name(MPI_Comm comm, const char *comm_name);

/**
 * `MPI_Comm_size`: number of ranks.
 */
int MPI_Comm_size(MPI_Comm comm, int *size);

/**
 * `MPI_Comm_spawn`: starts processes of a program, and makes an inter-communicator with them.
 */
int MPI_Comm_spawn(const char *command,
                   char **argv,
                   int maxprocs,
                   MPI_Info info,
                   int root,
                   MPI_Comm comm,
                   MPI_Comm *intercomm,
                   int *array_of_errcodes);

/**
 * `MPI_Comm_spawn_multiple`: starts several programs as one world.
 */
int MPI_Comm_spawn_multiple(int count,
                            char **array_of_commands,
                            char ***array_of_argv,
                            const int *array_of_maxprocs,
                            const MPI_Info *array_of_info,
                            int root,
                            MPI_Comm comm,
                            MPI_Comm *intercomm,
                            int *array_of_errcodes);

/**
 * `MPI_Comm_split`: one communicator for each colour, ordered by key.
 */
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);

/**
 * `MPI_Comm_split_type`: one communicator for each piece of hardware or process set, ordered by key.
 */
int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm);

/**
 * `MPI_Comm_test_inter`: whether it is an inter-communicator.
 */
int MPI_Comm_test_inter(MPI_Comm comm, int *flag);

/**
 * `MPI_Comm_toint`: the integer of a communicator.
 */
int MPI_Comm_toint(MPI_Comm comm);

/**
 * `MPI_Compare_and_swap`: replaces an element of a target if it has a certain value, and reads its value from before.
 */
int MPI_Compare_and_swap(const void *origin_addr,
                         const void *compare_addr,
                         void *result_addr,
                         MPI_Datatype datatype,
                         int target_rank,
                         MPI_Aint target_disp,
                         MPI_Win win);

/**
 * `MPI_Dims_create`: replaces the extents that are 0, so that a grid of so many nodes is balanced.
 */
int MPI_Dims_create(int nnodes, int ndims, int *dims);

/**
 * `MPI_Dist_graph_create`: makes a communicator with a graph; any rank may name any edges.
 */
int MPI_Dist_graph_create(MPI_Comm comm_old,
                          int n,
                          const int *sources,
                          const int *degrees,
                          const int *destinations,
                          const int *weights,
                          MPI_Info info,
                          int reorder,
                          MPI_Comm *comm_dist_graph);

/**
 * `MPI_Dist_graph_create_adjacent`: makes a communicator with a graph; each rank names its own edges.
 */
int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old,
                                   int indegree,
                                   const int *sources,
                                   const int *sourceweights,
                                   int outdegree,
                                   const int *destinations,
                                   const int *destweights,
                                   MPI_Info info,
                                   int reorder,
                                   MPI_Comm *comm_dist_graph);

/**
 * `MPI_Dist_graph_neighbors`: the ranks at the other ends of the caller's edges, and the edges' weights.
 */
int MPI_Dist_graph_neighbors(MPI_Comm comm,
                             int maxindegree,
                             int *sources,
                             int *sourceweights,
                             int maxoutdegree,
                             int *destinations,
                             int *destweights);

/**
 * `MPI_Dist_graph_neighbors_count`: number of edges to and from the caller, and whether they have weights.
 */
int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted);

int MPI_Errhandler_c2f(MPI_Errhandler errhandler);

MPI_Errhandler MPI_Errhandler_f2c(int errhandler);

/**
 * `MPI_Errhandler_free`: frees the error handler; objects that have it keep it.
 */
int MPI_Errhandler_free(MPI_Errhandler *errhandler);

/**
 * `MPI_Errhandler_fromint`: the error handler of an integer.
 */
MPI_Errhandler MPI_Errhandler_fromint(int errhandler);

/**
 * `MPI_Errhandler_toint`: the integer of an error handler.
 */
int MPI_Errhandler_toint(MPI_Errhandler errhandler);

/**
 * `MPI_Error_class`: the class of an error code.
 */
int MPI_Error_class(int errorcode, int *errorclass);

/**
 * `MPI_Error_string`: the text of an error code.
 */
int MPI_Error_string(int errorcode, char *string, int *resultlen);

/**
 * `MPI_Exscan`: combines at each rank the data of the ranks before it.
 */
int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

int MPI_Exscan_c(const void *sendbuf,
                 void *recvbuf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 MPI_Op op,
                 MPI_Comm comm);

/**
 * `MPI_Exscan_init`: sets up what `MPI_Exscan` runs.
 */
int MPI_Exscan_init(const void *sendbuf,
                    void *recvbuf,
                    int count,
                    MPI_Datatype datatype,
                    MPI_Op op,
                    MPI_Comm comm,
                    MPI_Info info,
                    MPI_Request *request);

int MPI_Exscan_init_c(const void *sendbuf,
                      void *recvbuf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      MPI_Op op,
                      MPI_Comm comm,
                      MPI_Info info,
                      MPI_Request *request);

/**
 * `MPI_Fetch_and_op`: updates an element of a target, and reads its value from before.
 */
int MPI_Fetch_and_op(const void *origin_addr,
                     void *result_addr,
                     MPI_Datatype datatype,
                     int target_rank,
                     MPI_Aint target_disp,
                     MPI_Op op,
                     MPI_Win win);

int MPI_File_c2f(MPI_File file);

/**
 * `MPI_File_call_errhandler`: calls the error handler of `fh` as if a call had failed.
 */
int MPI_File_call_errhandler(MPI_File fh, int errorcode);

/**
 * `MPI_File_close`: closes the file.
 */
int MPI_File_close(MPI_File *fh);

/**
 * `MPI_File_create_errhandler`: makes an error handler of a function.
 */
int MPI_File_create_errhandler(MPI_File_errhandler_function *file_errhandler_fn, MPI_Errhandler *errhandler);

/**
 * `MPI_File_delete`: deletes a file. Errors are raised on the null file.
 */
int MPI_File_delete(const char *filename, MPI_Info info);

MPI_File MPI_File_f2c(int file);

/**
 * `MPI_File_fromint`: the file of an integer.
 */
MPI_File MPI_File_fromint(int file);

/**
 * `MPI_File_get_amode`: the mode in which the file was opened.
 */
int MPI_File_get_amode(MPI_File fh, int *amode);

/**
 * `MPI_File_get_atomicity`: whether accesses of different processes are atomic.
 */
int MPI_File_get_atomicity(MPI_File fh, int *flag);

/**
 * `MPI_File_get_byte_offset`: the place in the file of an offset in the view.
 */
int MPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset *disp);

/**
 * `MPI_File_get_errhandler`: the error handler of `file`.
 */
int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler);

/**
 * `MPI_File_get_group`: the group of the processes that have opened the file.
 */
int MPI_File_get_group(MPI_File fh, MPI_Group *group);

/**
 * `MPI_File_get_info`: the hints in use.
 */
int MPI_File_get_info(MPI_File fh, MPI_Info *info_used);

/**
 * `MPI_File_get_position`: the individual file pointer.
 */
int MPI_File_get_position(MPI_File fh, MPI_Offset *offset);

/**
 * `MPI_File_get_position_shared`: the shared file pointer.
 */
int MPI_File_get_position_shared(MPI_File fh, MPI_Offset *offset);

/**
 * `MPI_File_get_size`: the size of the file in bytes.
 */
int MPI_File_get_size(MPI_File fh, MPI_Offset *size);

/**
 * `MPI_File_get_type_extent`: bytes from one element of a datatype to the next in the file.
 */
int MPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent);

int MPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count *extent);

/**
 * `MPI_File_get_view`: which bytes of the file the calling process sees. The datatypes are new ones, unless they are
 * predefined.
 */
int MPI_File_get_view(MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep);

/**
 * `MPI_File_iread`: starts to read at the individual file pointer.
 */
int MPI_File_iread(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

/**
 * `MPI_File_iread_all`: starts to read at the individual file pointer, together with all other processes.
 */
int MPI_File_iread_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int MPI_File_iread_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

/**
 * `MPI_File_iread_at`: starts to read at an offset.
 */
int MPI_File_iread_at(MPI_File fh,
                      MPI_Offset offset,
                      void *buf,
                      int count,
                      MPI_Datatype datatype,
                      MPI_Request *request);

/**
 * `MPI_File_iread_at_all`: starts to read at an offset, together with all other processes.
 */
int MPI_File_iread_at_all(MPI_File fh,
                          MPI_Offset offset,
                          void *buf,
                          int count,
                          MPI_Datatype datatype,
                          MPI_Request *request);

int MPI_File_iread_at_all_c(MPI_File fh,
                            MPI_Offset offset,
                            void *buf,
                            MPI_Count count,
                            MPI_Datatype datatype,
                            MPI_Request *request);

int MPI_File_iread_at_c(MPI_File fh,
                        MPI_Offset offset,
                        void *buf,
                        MPI_Count count,
                        MPI_Datatype datatype,
                        MPI_Request *request);

int MPI_File_iread_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

/**
 * `MPI_File_iread_shared`: starts to read at the shared file pointer.
 */
int MPI_File_iread_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int MPI_File_iread_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

/**
 * `MPI_File_iwrite`: starts to write at the individual file pointer.
 */
int MPI_File_iwrite(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

/**
 * `MPI_File_iwrite_all`: starts to write at the individual file pointer, together with all other processes.
 */
int MPI_File_iwrite_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int MPI_File_iwrite_all_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

/**
 * `MPI_File_iwrite_at`: starts to write at an offset.
 */
int MPI_File_iwrite_at(MPI_File fh,
                       MPI_Offset offset,
                       const void *buf,
                       int count,
                       MPI_Datatype datatype,
                       MPI_Request *request);

/**
 * `MPI_File_iwrite_at_all`: starts to write at an offset, together with all other processes.
 */
int MPI_File_iwrite_at_all(MPI_File fh,
                           MPI_Offset offset,
                           const void *buf,
                           int count,
                           MPI_Datatype datatype,
                           MPI_Request *request);

int MPI_File_iwrite_at_all_c(MPI_File fh,
                             MPI_Offset offset,
                             const void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Request *request);

int MPI_File_iwrite_at_c(MPI_File fh,
                         MPI_Offset offset,
                         const void *buf,
                         MPI_Count count,
                         MPI_Datatype datatype,
                         MPI_Request *request);

int MPI_File_iwrite_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

/**
 * `MPI_File_iwrite_shared`: starts to write at the shared file pointer.
 */
int MPI_File_iwrite_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int MPI_File_iwrite_shared_c(MPI_File fh,
                             const void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Request *request);

/**
 * `MPI_File_open`: opens a file. Errors are raised on the null file.
 */
int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh);

/**
 * `MPI_File_preallocate`: sees to it that there is room for the file.
 */
int MPI_File_preallocate(MPI_File fh, MPI_Offset size);

/**
 * `MPI_File_read`: reads at the individual file pointer.
 */
int MPI_File_read(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_read_all`: reads at the individual file pointer, together with all other processes.
 */
int MPI_File_read_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_read_all_begin`: begins to read at the individual file pointer, together with all other processes.
 */
int MPI_File_read_all_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype);

int MPI_File_read_all_begin_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype);

int MPI_File_read_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_read_all_end`: ends what `MPI_File_read_all_begin` has begun.
 */
int MPI_File_read_all_end(MPI_File fh, void *buf, MPI_Status *status);

/**
 * `MPI_File_read_at`: reads at an offset.
 */
int MPI_File_read_at(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_read_at_all`: reads at an offset, together with all other processes.
 */
int MPI_File_read_at_all(MPI_File fh,
                         MPI_Offset offset,
                         void *buf,
                         int count,
                         MPI_Datatype datatype,
                         MPI_Status *status);

/**
 * `MPI_File_read_at_all_begin`: begins to read at an offset, together with all other processes.
 */
int MPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype);

int MPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype);

int MPI_File_read_at_all_c(MPI_File fh,
                           MPI_Offset offset,
                           void *buf,
                           MPI_Count count,
                           MPI_Datatype datatype,
                           MPI_Status *status);

/**
 * `MPI_File_read_at_all_end`: ends what `MPI_File_read_at_all_begin` has begun.
 */
int MPI_File_read_at_all_end(MPI_File fh, void *buf, MPI_Status *status);

int MPI_File_read_at_c(MPI_File fh,
                       MPI_Offset offset,
                       void *buf,
                       MPI_Count count,
                       MPI_Datatype datatype,
                       MPI_Status *status);

int MPI_File_read_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_read_ordered`: reads at the shared file pointer, in the order of ranks.
 */
int MPI_File_read_ordered(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_read_ordered_begin`: begins to read at the shared file pointer, in the order of ranks.
 */
int MPI_File_read_ordered_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype);

int MPI_File_read_ordered_begin_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype);

int MPI_File_read_ordered_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_read_ordered_end`: ends what `MPI_File_read_ordered_begin` has begun.
 */
int MPI_File_read_ordered_end(MPI_File fh, void *buf, MPI_Status *status);

/**
 * `MPI_File_read_shared`: reads at the shared file pointer.
 */
int MPI_File_read_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int MPI_File_read_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_seek`: moves the individual file pointer.
 */
int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence);

/**
 * `MPI_File_seek_shared`: moves the shared file pointer.
 */
int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence);

/**
 * `MPI_File_set_atomicity`: sets whether accesses of different processes are atomic.
 */
int MPI_File_set_atomicity(MPI_File fh, int flag);

/**
 * `MPI_File_set_errhandler`: sets the error handler of `file`.
 */
int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler);

/**
 * `MPI_File_set_info`: sets hints.
 */
int MPI_File_set_info(MPI_File fh, MPI_Info info);

/**
 * `MPI_File_set_size`: cuts or extends the file.
 */
int MPI_File_set_size(MPI_File fh, MPI_Offset size);

/**
 * `MPI_File_set_view`: sets which bytes of the file the calling process sees.
 */
int MPI_File_set_view(MPI_File fh,
                      MPI_Offset disp,
                      MPI_Datatype etype,
                      MPI_Datatype filetype,
                      const char *datarep,
                      MPI_Info info);

/**
 * `MPI_File_sync`: waits until what was written is on the device and can be seen by all.
 */
int MPI_File_sync(MPI_File fh);

/**
 * `MPI_File_toint`: the integer of a file.
 */
int MPI_File_toint(MPI_File file);

/**
 * `MPI_File_write`: writes at the individual file pointer.
 */
int MPI_File_write(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_write_all`: writes at the individual file pointer, together with all other processes.
 */
int MPI_File_write_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_write_all_begin`: begins to write at the individual file pointer, together with all other processes.
 */
int MPI_File_write_all_begin(MPI_File fh, const void *buf, int count, MPI_Datatype datatype);

int MPI_File_write_all_begin_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype);

int MPI_File_write_all_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_write_all_end`: ends what `MPI_File_write_all_begin` has begun.
 */
int MPI_File_write_all_end(MPI_File fh, const void *buf, MPI_Status *status);

/**
 * `MPI_File_write_at`: writes at an offset.
 */
int MPI_File_write_at(MPI_File fh,
                      MPI_Offset offset,
                      const void *buf,
                      int count,
                      MPI_Datatype datatype,
                      MPI_Status *status);

/**
 * `MPI_File_write_at_all`: writes at an offset, together with all other processes.
 */
int MPI_File_write_at_all(MPI_File fh,
                          MPI_Offset offset,
                          const void *buf,
                          int count,
                          MPI_Datatype datatype,
                          MPI_Status *status);

/**
 * `MPI_File_write_at_all_begin`: begins to write at an offset, together with all other processes.
 */
int MPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype);

int MPI_File_write_at_all_begin_c(MPI_File fh,
                                  MPI_Offset offset,
                                  const void *buf,
                                  MPI_Count count,
                                  MPI_Datatype datatype);

int MPI_File_write_at_all_c(MPI_File fh,
                            MPI_Offset offset,
                            const void *buf,
                            MPI_Count count,
                            MPI_Datatype datatype,
                            MPI_Status *status);

/**
 * `MPI_File_write_at_all_end`: ends what `MPI_File_write_at_all_begin` has begun.
 */
int MPI_File_write_at_all_end(MPI_File fh, const void *buf, MPI_Status *status);

int MPI_File_write_at_c(MPI_File fh,
                        MPI_Offset offset,
                        const void *buf,
                        MPI_Count count,
                        MPI_Datatype datatype,
                        MPI_Status *status);

int MPI_File_write_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_write_ordered`: writes at the shared file pointer, in the order of ranks.
 */
int MPI_File_write_ordered(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_write_ordered_begin`: begins to write at the shared file pointer, in the order of ranks.
 */
int MPI_File_write_ordered_begin(MPI_File fh, const void *buf, int count, MPI_Datatype datatype);

int MPI_File_write_ordered_begin_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype);

int MPI_File_write_ordered_c(MPI_File fh,
                             const void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Status *status);

/**
 * `MPI_File_write_ordered_end`: ends what `MPI_File_write_ordered_begin` has begun.
 */
int MPI_File_write_ordered_end(MPI_File fh, const void *buf, MPI_Status *status);

/**
 * `MPI_File_write_shared`: writes at the shared file pointer.
 */
int MPI_File_write_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int MPI_File_write_shared_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_Finalize`: finalizes MPI.
 */
int MPI_Finalize(void);

/**
 * `MPI_Finalized`: whether [`PMPI_Finalize`] has been called.
 */
int MPI_Finalized(int *flag);

/**
 * `MPI_Free_mem`: frees memory of `MPI_Alloc_mem`.
 */
int MPI_Free_mem(void *base);

/**
 * `MPI_Gather`: collects equal parts at the root.
 */
int MPI_Gather(const void *sendbuf,
               int sendcount,
               MPI_Datatype sendtype,
               void *recvbuf,
               int recvcount,
               MPI_Datatype recvtype,
               int root,
               MPI_Comm comm);

int MPI_Gather_c(const void *sendbuf,
                 MPI_Count sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 MPI_Count recvcount,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm);

/**
 * `MPI_Gather_init`: sets up what `MPI_Gather` runs.
 */
int MPI_Gather_init(const void *sendbuf,
                    int sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    int recvcount,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm,
                    MPI_Info info,
                    MPI_Request *request);

int MPI_Gather_init_c(const void *sendbuf,
                      MPI_Count sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      MPI_Count recvcount,
                      MPI_Datatype recvtype,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      MPI_Request *request);

/**
 * `MPI_Gatherv`: collects parts at the root.
 */
int MPI_Gatherv(const void *sendbuf,
                int sendcount,
                MPI_Datatype sendtype,
                void *recvbuf,
                const int *recvcounts,
                const int *displs,
                MPI_Datatype recvtype,
                int root,
                MPI_Comm comm);

int MPI_Gatherv_c(const void *sendbuf,
                  MPI_Count sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  const MPI_Count *recvcounts,
                  const MPI_Aint *displs,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm);

/**
 * `MPI_Gatherv_init`: sets up what `MPI_Gatherv` runs.
 */
int MPI_Gatherv_init(const void *sendbuf,
                     int sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     const int *recvcounts,
                     const int *displs,
                     MPI_Datatype recvtype,
                     int root,
                     MPI_Comm comm,
                     MPI_Info info,
                     MPI_Request *request);

int MPI_Gatherv_init_c(const void *sendbuf,
                       MPI_Count sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       const MPI_Count *recvcounts,
                       const MPI_Aint *displs,
                       MPI_Datatype recvtype,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

/**
 * `MPI_Get`: reads data of a target.
 */
int MPI_Get(void *origin_addr,
            int origin_count,
            MPI_Datatype origin_datatype,
            int target_rank,
            MPI_Aint target_disp,
            int target_count,
            MPI_Datatype target_datatype,
            MPI_Win win);

/**
 * `MPI_Get_accumulate`: updates elements of a target, and reads their values from before.
 */
int MPI_Get_accumulate(const void *origin_addr,
                       int origin_count,
                       MPI_Datatype origin_datatype,
                       void *result_addr,
                       int result_count,
                       MPI_Datatype result_datatype,
                       int target_rank,
                       MPI_Aint target_disp,
                       int target_count,
                       MPI_Datatype target_datatype,
                       MPI_Op op,
                       MPI_Win win);

int MPI_Get_accumulate_c(const void *origin_addr,
                         MPI_Count origin_count,
                         MPI_Datatype origin_datatype,
                         void *result_addr,
                         MPI_Count result_count,
                         MPI_Datatype result_datatype,
                         int target_rank,
                         MPI_Aint target_disp,
                         MPI_Count target_count,
                         MPI_Datatype target_datatype,
                         MPI_Op op,
                         MPI_Win win);

/**
 * `MPI_Get_address`: the address of a variable as an integer.
 */
int MPI_Get_address(const void *location, MPI_Aint *address);

int MPI_Get_c(void *origin_addr,
              MPI_Count origin_count,
              MPI_Datatype origin_datatype,
              int target_rank,
              MPI_Aint target_disp,
              MPI_Count target_count,
              MPI_Datatype target_datatype,
              MPI_Win win);

/**
 * `MPI_Get_count`: the number of elements of `datatype` that were received.
 */
int MPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count);

int MPI_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);

/**
 * `MPI_Get_elements`: the number of predefined elements that were received.
 */
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count);

int MPI_Get_elements_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);

int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);

/**
 * `MPI_Get_hw_resource_info`: the types of hardware resources, and whether the calling rank is restricted to one of
 * each.
 */
int MPI_Get_hw_resource_info(MPI_Info *hw_info);

/**
 * `MPI_Get_library_version`: the name and version of the library.
 */
int MPI_Get_library_version(char *version, int *resultlen);

/**
 * `MPI_Get_processor_name`: the name of the node.
 */
int MPI_Get_processor_name(char *name, int *resultlen);

/**
 * `MPI_Get_version`: the version of the standard.
 */
int MPI_Get_version(int *version, int *subversion);

/**
 * `MPI_Graph_create`: makes a communicator whose ranks form a graph.
 */
int MPI_Graph_create(MPI_Comm comm_old,
                     int nnodes,
                     const int *index,
                     const int *edges,
                     int reorder,
                     MPI_Comm *comm_graph);

/**
 * `MPI_Graph_get`: the graph, as it was passed.
 */
int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int *index, int *edges);

/**
 * `MPI_Graph_map`: the best rank for the caller in a graph.
 */
int MPI_Graph_map(MPI_Comm comm, int nnodes, const int *index, const int *edges, int *newrank);

/**
 * `MPI_Graph_neighbors`: the neighbours of a rank.
 */
int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int *neighbors);

/**
 * `MPI_Graph_neighbors_count`: number of neighbours of a rank.
 */
int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors);

/**
 * `MPI_Graphdims_get`: number of nodes and of edges.
 */
int MPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges);

/**
 * `MPI_Grequest_complete`: declares the operation complete; a thread that waits for it goes on.
 */
int MPI_Grequest_complete(MPI_Request request);

/**
 * `MPI_Grequest_start`: makes a request for an operation that the program runs itself.
 */
int MPI_Grequest_start(MPI_Grequest_query_function *query_fn,
                       MPI_Grequest_free_function *free_fn,
                       MPI_Grequest_cancel_function *cancel_fn,
                       void *extra_state,
                       MPI_Request *request);

int MPI_Group_c2f(MPI_Group group);

/**
 * `MPI_Group_compare`: whether two groups have the same members, and in the same order.
 */
int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result);

/**
 * `MPI_Group_difference`: the members of the first that are not in the second.
 */
int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);

/**
 * `MPI_Group_excl`: the members other than those with these ranks.
 */
int MPI_Group_excl(MPI_Group group, int n, const int *ranks, MPI_Group *newgroup);

MPI_Group MPI_Group_f2c(int group);

/**
 * `MPI_Group_free`: frees the group.
 */
int MPI_Group_free(MPI_Group *group);

/**
 * `MPI_Group_from_session_pset`: the members of a process set.
 */
int MPI_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup);

/**
 * `MPI_Group_fromint`: the group of an integer.
 */
MPI_Group MPI_Group_fromint(int group);

/**
 * `MPI_Group_incl`: the members with these ranks.
 */
int MPI_Group_incl(MPI_Group group, int n, const int *ranks, MPI_Group *newgroup);

/**
 * `MPI_Group_intersection`: the members of both, in the order of the first.
 */
int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);

/**
 * `MPI_Group_range_excl`: the members other than those with the ranks of these ranges.
 */
int MPI_Group_range_excl(MPI_Group group, int n, int (*ranges)[3], MPI_Group *newgroup);

/**
 * `MPI_Group_range_incl`: the members with the ranks of these ranges.
 */
int MPI_Group_range_incl(MPI_Group group, int n, int (*ranges)[3], MPI_Group *newgroup);

/**
 * `MPI_Group_rank`: the caller's rank, or `MPI_UNDEFINED`.
 */
int MPI_Group_rank(MPI_Group group, int *rank);

/**
 * `MPI_Group_size`: number of members.
 */
int MPI_Group_size(MPI_Group group, int *size);

/**
 * `MPI_Group_toint`: the integer of a group.
 */
int MPI_Group_toint(MPI_Group group);

/**
 * `MPI_Group_translate_ranks`: the ranks in `group2` of members of `group1`.
 */
int MPI_Group_translate_ranks(MPI_Group group1, int n, const int *ranks1, MPI_Group group2, int *ranks2);

/**
 * `MPI_Group_union`: the members of the first, then the others of the second.
 */
int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);

/**
 * `MPI_Iallgather`: starts what `MPI_Allgather` runs.
 */
int MPI_Iallgather(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   MPI_Comm comm,
                   MPI_Request *request);

int MPI_Iallgather_c(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Iallgatherv`: starts what `MPI_Allgatherv` runs.
 */
int MPI_Iallgatherv(const void *sendbuf,
                    int sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const int *recvcounts,
                    const int *displs,
                    MPI_Datatype recvtype,
                    MPI_Comm comm,
                    MPI_Request *request);

int MPI_Iallgatherv_c(const void *sendbuf,
                      MPI_Count sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *displs,
                      MPI_Datatype recvtype,
                      MPI_Comm comm,
                      MPI_Request *request);

/**
 * `MPI_Iallreduce`: starts what `MPI_Allreduce` runs.
 */
int MPI_Iallreduce(const void *sendbuf,
                   void *recvbuf,
                   int count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   MPI_Comm comm,
                   MPI_Request *request);

int MPI_Iallreduce_c(const void *sendbuf,
                     void *recvbuf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Ialltoall`: starts what `MPI_Alltoall` runs.
 */
int MPI_Ialltoall(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  MPI_Comm comm,
                  MPI_Request *request);

int MPI_Ialltoall_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    MPI_Comm comm,
                    MPI_Request *request);

/**
 * `MPI_Ialltoallv`: starts what `MPI_Alltoallv` runs.
 */
int MPI_Ialltoallv(const void *sendbuf,
                   const int *sendcounts,
                   const int *sdispls,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   const int *recvcounts,
                   const int *rdispls,
                   MPI_Datatype recvtype,
                   MPI_Comm comm,
                   MPI_Request *request);

int MPI_Ialltoallv_c(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *sdispls,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     const MPI_Count *recvcounts,
                     const MPI_Aint *rdispls,
                     MPI_Datatype recvtype,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Ialltoallw`: starts what `MPI_Alltoallw` runs.
 */
int MPI_Ialltoallw(const void *sendbuf,
                   const int *sendcounts,
                   const int *sdispls,
                   const MPI_Datatype *sendtypes,
                   void *recvbuf,
                   const int *recvcounts,
                   const int *rdispls,
                   const MPI_Datatype *recvtypes,
                   MPI_Comm comm,
                   MPI_Request *request);

int MPI_Ialltoallw_c(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *sdispls,
                     const MPI_Datatype *sendtypes,
                     void *recvbuf,
                     const MPI_Count *recvcounts,
                     const MPI_Aint *rdispls,
                     const MPI_Datatype *recvtypes,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Ibarrier`: starts what `MPI_Barrier` runs.
 */
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);

/**
 * `MPI_Ibcast`: starts what `MPI_Bcast` runs.
 */
int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request);

int MPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request);

/**
 * `MPI_Ibsend`: starts a buffered send.
 */
int MPI_Ibsend(const void *buf,
               int count,
               MPI_Datatype datatype,
               int dest,
               int tag,
               MPI_Comm comm,
               MPI_Request *request);

int MPI_Ibsend_c(const void *buf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 int dest,
                 int tag,
                 MPI_Comm comm,
                 MPI_Request *request);

/**
 * `MPI_Iexscan`: starts what `MPI_Exscan` runs.
 */
int MPI_Iexscan(const void *sendbuf,
                void *recvbuf,
                int count,
                MPI_Datatype datatype,
                MPI_Op op,
                MPI_Comm comm,
                MPI_Request *request);

int MPI_Iexscan_c(const void *sendbuf,
                  void *recvbuf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Op op,
                  MPI_Comm comm,
                  MPI_Request *request);

/**
 * `MPI_Igather`: starts what `MPI_Gather` runs.
 */
int MPI_Igather(const void *sendbuf,
                int sendcount,
                MPI_Datatype sendtype,
                void *recvbuf,
                int recvcount,
                MPI_Datatype recvtype,
                int root,
                MPI_Comm comm,
                MPI_Request *request);

int MPI_Igather_c(const void *sendbuf,
                  MPI_Count sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  MPI_Count recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm,
                  MPI_Request *request);

/**
 * `MPI_Igatherv`: starts what `MPI_Gatherv` runs.
 */
int MPI_Igatherv(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 const int *recvcounts,
                 const int *displs,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm,
                 MPI_Request *request);

int MPI_Igatherv_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   const MPI_Count *recvcounts,
                   const MPI_Aint *displs,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm,
                   MPI_Request *request);

/**
 * `MPI_Improbe`: reserves a message for `MPI_Mrecv`, if one has arrived.
 */
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);

/**
 * `MPI_Imrecv`: starts to receive a message that a matching probe has returned.
 */
int MPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request);

int MPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request);

/**
 * `MPI_Ineighbor_allgather`: starts what `MPI_Neighbor_allgather` runs.
 */
int MPI_Ineighbor_allgather(const void *sendbuf,
                            int sendcount,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            int recvcount,
                            MPI_Datatype recvtype,
                            MPI_Comm comm,
                            MPI_Request *request);

int MPI_Ineighbor_allgather_c(const void *sendbuf,
                              MPI_Count sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              MPI_Count recvcount,
                              MPI_Datatype recvtype,
                              MPI_Comm comm,
                              MPI_Request *request);

/**
 * `MPI_Ineighbor_allgatherv`: starts what `MPI_Neighbor_allgatherv` runs.
 */
int MPI_Ineighbor_allgatherv(const void *sendbuf,
                             int sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             const int *recvcounts,
                             const int *displs,
                             MPI_Datatype recvtype,
                             MPI_Comm comm,
                             MPI_Request *request);

int MPI_Ineighbor_allgatherv_c(const void *sendbuf,
                               MPI_Count sendcount,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               const MPI_Aint *displs,
                               MPI_Datatype recvtype,
                               MPI_Comm comm,
                               MPI_Request *request);

/**
 * `MPI_Ineighbor_alltoall`: starts what `MPI_Neighbor_alltoall` runs.
 */
int MPI_Ineighbor_alltoall(const void *sendbuf,
                           int sendcount,
                           MPI_Datatype sendtype,
                           void *recvbuf,
                           int recvcount,
                           MPI_Datatype recvtype,
                           MPI_Comm comm,
                           MPI_Request *request);

int MPI_Ineighbor_alltoall_c(const void *sendbuf,
                             MPI_Count sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             MPI_Count recvcount,
                             MPI_Datatype recvtype,
                             MPI_Comm comm,
                             MPI_Request *request);

/**
 * `MPI_Ineighbor_alltoallv`: starts what `MPI_Neighbor_alltoallv` runs.
 */
int MPI_Ineighbor_alltoallv(const void *sendbuf,
                            const int *sendcounts,
                            const int *sdispls,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            const int *recvcounts,
                            const int *rdispls,
                            MPI_Datatype recvtype,
                            MPI_Comm comm,
                            MPI_Request *request);

int MPI_Ineighbor_alltoallv_c(const void *sendbuf,
                              const MPI_Count *sendcounts,
                              const MPI_Aint *sdispls,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              const MPI_Aint *rdispls,
                              MPI_Datatype recvtype,
                              MPI_Comm comm,
                              MPI_Request *request);

/**
 * `MPI_Ineighbor_alltoallw`: starts what `MPI_Neighbor_alltoallw` runs.
 */
int MPI_Ineighbor_alltoallw(const void *sendbuf,
                            const int *sendcounts,
                            const MPI_Aint *sdispls,
                            const MPI_Datatype *sendtypes,
                            void *recvbuf,
                            const int *recvcounts,
                            const MPI_Aint *rdispls,
                            const MPI_Datatype *recvtypes,
                            MPI_Comm comm,
                            MPI_Request *request);

int MPI_Ineighbor_alltoallw_c(const void *sendbuf,
                              const MPI_Count *sendcounts,
                              const MPI_Aint *sdispls,
                              const MPI_Datatype *sendtypes,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              const MPI_Aint *rdispls,
                              const MPI_Datatype *recvtypes,
                              MPI_Comm comm,
                              MPI_Request *request);

int MPI_Info_c2f(MPI_Info info);

/**
 * `MPI_Info_create`: an info object without keys.
 */
int MPI_Info_create(MPI_Info *info);

/**
 * `MPI_Info_create_env`: an info object with the facts about the program's start, as in `MPI_INFO_ENV`.
 */
int MPI_Info_create_env(int argc, char **argv, MPI_Info *info);

/**
 * `MPI_Info_delete`: deletes a key and its value.
 */
int MPI_Info_delete(MPI_Info info, const char *key);

/**
 * `MPI_Info_dup`: a copy of an info object.
 */
int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo);

MPI_Info MPI_Info_f2c(int info);

/**
 * `MPI_Info_free`: frees an info object.
 */
int MPI_Info_free(MPI_Info *info);

/**
 * `MPI_Info_fromint`: the info object of an integer.
 */
MPI_Info MPI_Info_fromint(int info);

/**
 * `MPI_Info_get`: the first `valuelen` characters of the value of a key.
 */
int MPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag);

/**
 * `MPI_Info_get_nkeys`: the number of keys.
 */
int MPI_Info_get_nkeys(MPI_Info info, int *nkeys);

/**
 * `MPI_Info_get_nthkey`: the key with this number, in the order in which keys were set.
 */
int MPI_Info_get_nthkey(MPI_Info info, int n, char *key);

/**
 * `MPI_Info_get_string`: as much of the value of a key as fits into `buflen` characters, and the room that the whole
 * value needs.
 */
int MPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag);

/**
 * `MPI_Info_get_valuelen`: the length of the value of a key.
 */
int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag);

/**
 * `MPI_Info_set`: sets the value of a key.
 */
int MPI_Info_set(MPI_Info info, const char *key, const char *value);

/**
 * `MPI_Info_toint`: the integer of an info object.
 */
int MPI_Info_toint(MPI_Info info);

/**
 * `MPI_Init`: initialises MPI.
 */
int MPI_Init(int *argc, char ***argv);

/**
 * `MPI_Init_thread`: initialises MPI with thread support. All levels are supported: `provided` is the one that is
 * required, unless a higher one has been promised before.
 */
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);

/**
 * `MPI_Initialized`: whether [`PMPI_Init`] has been called.
 */
int MPI_Initialized(int *flag);

/**
 * `MPI_Intercomm_create`: an inter-communicator of two groups whose leaders have a communicator in common.
 */
int MPI_Intercomm_create(MPI_Comm local_comm,
                         int local_leader,
                         MPI_Comm peer_comm,
                         int remote_leader,
                         int tag,
                         MPI_Comm *newintercomm);

/**
 * `MPI_Intercomm_create_from_groups`: an inter-communicator of two groups, without another communicator.
 */
int MPI_Intercomm_create_from_groups(MPI_Group local_group,
                                     int local_leader,
                                     MPI_Group remote_group,
                                     int remote_leader,
                                     const char *stringtag,
                                     MPI_Info info,
                                     MPI_Errhandler errhandler,
                                     MPI_Comm *newintercomm);

/**
 * `MPI_Intercomm_merge`: one communicator of both groups.
 */
int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm);

/**
 * `MPI_Iprobe`: whether a message has arrived.
 */
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);

/**
 * `MPI_Irecv`: starts a receive.
 */
int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request);

int MPI_Irecv_c(void *buf,
                MPI_Count count,
                MPI_Datatype datatype,
                int source,
                int tag,
                MPI_Comm comm,
                MPI_Request *request);

/**
 * `MPI_Ireduce`: starts what `MPI_Reduce` runs.
 */
int MPI_Ireduce(const void *sendbuf,
                void *recvbuf,
                int count,
                MPI_Datatype datatype,
                MPI_Op op,
                int root,
                MPI_Comm comm,
                MPI_Request *request);

int MPI_Ireduce_c(const void *sendbuf,
                  void *recvbuf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Op op,
                  int root,
                  MPI_Comm comm,
                  MPI_Request *request);

/**
 * `MPI_Ireduce_scatter`: starts what `MPI_Reduce_scatter` runs.
 */
int MPI_Ireduce_scatter(const void *sendbuf,
                        void *recvbuf,
                        const int *recvcounts,
                        MPI_Datatype datatype,
                        MPI_Op op,
                        MPI_Comm comm,
                        MPI_Request *request);

/**
 * `MPI_Ireduce_scatter_block`: starts what `MPI_Reduce_scatter_block` runs.
 */
int MPI_Ireduce_scatter_block(const void *sendbuf,
                              void *recvbuf,
                              int recvcount,
                              MPI_Datatype datatype,
                              MPI_Op op,
                              MPI_Comm comm,
                              MPI_Request *request);

int MPI_Ireduce_scatter_block_c(const void *sendbuf,
                                void *recvbuf,
                                MPI_Count recvcount,
                                MPI_Datatype datatype,
                                MPI_Op op,
                                MPI_Comm comm,
                                MPI_Request *request);

int MPI_Ireduce_scatter_c(const void *sendbuf,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          MPI_Datatype datatype,
                          MPI_Op op,
                          MPI_Comm comm,
                          MPI_Request *request);

/**
 * `MPI_Irsend`: starts a send to a receive that has been posted.
 */
int MPI_Irsend(const void *buf,
               int count,
               MPI_Datatype datatype,
               int dest,
               int tag,
               MPI_Comm comm,
               MPI_Request *request);

int MPI_Irsend_c(const void *buf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 int dest,
                 int tag,
                 MPI_Comm comm,
                 MPI_Request *request);

/**
 * `MPI_Is_thread_main`: whether the calling thread is the one that called [`PMPI_Init`].
 */
int MPI_Is_thread_main(int *flag);

/**
 * `MPI_Iscan`: starts what `MPI_Scan` runs.
 */
int MPI_Iscan(const void *sendbuf,
              void *recvbuf,
              int count,
              MPI_Datatype datatype,
              MPI_Op op,
              MPI_Comm comm,
              MPI_Request *request);

int MPI_Iscan_c(const void *sendbuf,
                void *recvbuf,
                MPI_Count count,
                MPI_Datatype datatype,
                MPI_Op op,
                MPI_Comm comm,
                MPI_Request *request);

/**
 * `MPI_Iscatter`: starts what `MPI_Scatter` runs.
 */
int MPI_Iscatter(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 int recvcount,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm,
                 MPI_Request *request);

int MPI_Iscatter_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm,
                   MPI_Request *request);

/**
 * `MPI_Iscatterv`: starts what `MPI_Scatterv` runs.
 */
int MPI_Iscatterv(const void *sendbuf,
                  const int *sendcounts,
                  const int *displs,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm,
                  MPI_Request *request);

int MPI_Iscatterv_c(const void *sendbuf,
                    const MPI_Count *sendcounts,
                    const MPI_Aint *displs,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm,
                    MPI_Request *request);

/**
 * `MPI_Isend`: starts a send.
 */
int MPI_Isend(const void *buf,
              int count,
              MPI_Datatype datatype,
              int dest,
              int tag,
              MPI_Comm comm,
              MPI_Request *request);

int MPI_Isend_c(const void *buf,
                MPI_Count count,
                MPI_Datatype datatype,
                int dest,
                int tag,
                MPI_Comm comm,
                MPI_Request *request);

/**
 * `MPI_Isendrecv`: starts to send one message and to receive another.
 */
int MPI_Isendrecv(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  int dest,
                  int sendtag,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  int source,
                  int recvtag,
                  MPI_Comm comm,
                  MPI_Request *request);

int MPI_Isendrecv_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    int dest,
                    int sendtag,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int source,
                    int recvtag,
                    MPI_Comm comm,
                    MPI_Request *request);

/**
 * `MPI_Isendrecv_replace`: starts to send the contents of the buffer and to receive into it.
 */
int MPI_Isendrecv_replace(void *buf,
                          int count,
                          MPI_Datatype datatype,
                          int dest,
                          int sendtag,
                          int source,
                          int recvtag,
                          MPI_Comm comm,
                          MPI_Request *request);

int MPI_Isendrecv_replace_c(void *buf,
                            MPI_Count count,
                            MPI_Datatype datatype,
                            int dest,
                            int sendtag,
                            int source,
                            int recvtag,
                            MPI_Comm comm,
                            MPI_Request *request);

/**
 * `MPI_Issend`: starts a synchronous send.
 */
int MPI_Issend(const void *buf,
               int count,
               MPI_Datatype datatype,
               int dest,
               int tag,
               MPI_Comm comm,
               MPI_Request *request);

int MPI_Issend_c(const void *buf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 int dest,
                 int tag,
                 MPI_Comm comm,
                 MPI_Request *request);

/**
 * `MPI_Keyval_create`: the deprecated name of [`PMPI_Comm_create_keyval`].
 */
int MPI_Keyval_create(MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn, int *keyval, void *extra_state);

/**
 * `MPI_Keyval_free`: the deprecated name of [`PMPI_Comm_free_keyval`].
 */
int MPI_Keyval_free(int *keyval);

/**
 * `MPI_Lookup_name`: the port of a service.
 */
int MPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name);

int MPI_Message_c2f(MPI_Message message);

MPI_Message MPI_Message_f2c(int message);

/**
 * `MPI_Message_fromint`: the message of an integer.
 */
MPI_Message MPI_Message_fromint(int message);

/**
 * `MPI_Message_toint`: the integer of a message.
 */
int MPI_Message_toint(MPI_Message message);

/**
 * `MPI_Mprobe`: waits for a message and reserves it for `MPI_Mrecv`.
 */
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);

/**
 * `MPI_Mrecv`: receives a message that a matching probe has returned.
 */
int MPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status);

int MPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status);

/**
 * `MPI_Neighbor_allgather`: collects equal parts from the neighbours at all ranks.
 */
int MPI_Neighbor_allgather(const void *sendbuf,
                           int sendcount,
                           MPI_Datatype sendtype,
                           void *recvbuf,
                           int recvcount,
                           MPI_Datatype recvtype,
                           MPI_Comm comm);

int MPI_Neighbor_allgather_c(const void *sendbuf,
                             MPI_Count sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             MPI_Count recvcount,
                             MPI_Datatype recvtype,
                             MPI_Comm comm);

/**
 * `MPI_Neighbor_allgather_init`: sets up what `MPI_Neighbor_allgather` runs.
 */
int MPI_Neighbor_allgather_init(const void *sendbuf,
                                int sendcount,
                                MPI_Datatype sendtype,
                                void *recvbuf,
                                int recvcount,
                                MPI_Datatype recvtype,
                                MPI_Comm comm,
                                MPI_Info info,
                                MPI_Request *request);

int MPI_Neighbor_allgather_init_c(const void *sendbuf,
                                  MPI_Count sendcount,
                                  MPI_Datatype sendtype,
                                  void *recvbuf,
                                  MPI_Count recvcount,
                                  MPI_Datatype recvtype,
                                  MPI_Comm comm,
                                  MPI_Info info,
                                  MPI_Request *request);

/**
 * `MPI_Neighbor_allgatherv`: collects parts from the neighbours at all ranks.
 */
int MPI_Neighbor_allgatherv(const void *sendbuf,
                            int sendcount,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            const int *recvcounts,
                            const int *displs,
                            MPI_Datatype recvtype,
                            MPI_Comm comm);

int MPI_Neighbor_allgatherv_c(const void *sendbuf,
                              MPI_Count sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              const MPI_Aint *displs,
                              MPI_Datatype recvtype,
                              MPI_Comm comm);

/**
 * `MPI_Neighbor_allgatherv_init`: sets up what `MPI_Neighbor_allgatherv` runs.
 */
int MPI_Neighbor_allgatherv_init(const void *sendbuf,
                                 int sendcount,
                                 MPI_Datatype sendtype,
                                 void *recvbuf,
                                 const int *recvcounts,
                                 const int *displs,
                                 MPI_Datatype recvtype,
                                 MPI_Comm comm,
                                 MPI_Info info,
                                 MPI_Request *request);

int MPI_Neighbor_allgatherv_init_c(const void *sendbuf,
                                   MPI_Count sendcount,
                                   MPI_Datatype sendtype,
                                   void *recvbuf,
                                   const MPI_Count *recvcounts,
                                   const MPI_Aint *displs,
                                   MPI_Datatype recvtype,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   MPI_Request *request);

/**
 * `MPI_Neighbor_alltoall`: sends each neighbour an equal part of each rank's data.
 */
int MPI_Neighbor_alltoall(const void *sendbuf,
                          int sendcount,
                          MPI_Datatype sendtype,
                          void *recvbuf,
                          int recvcount,
                          MPI_Datatype recvtype,
                          MPI_Comm comm);

int MPI_Neighbor_alltoall_c(const void *sendbuf,
                            MPI_Count sendcount,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            MPI_Count recvcount,
                            MPI_Datatype recvtype,
                            MPI_Comm comm);

/**
 * `MPI_Neighbor_alltoall_init`: sets up what `MPI_Neighbor_alltoall` runs.
 */
int MPI_Neighbor_alltoall_init(const void *sendbuf,
                               int sendcount,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               int recvcount,
                               MPI_Datatype recvtype,
                               MPI_Comm comm,
                               MPI_Info info,
                               MPI_Request *request);

int MPI_Neighbor_alltoall_init_c(const void *sendbuf,
                                 MPI_Count sendcount,
                                 MPI_Datatype sendtype,
                                 void *recvbuf,
                                 MPI_Count recvcount,
                                 MPI_Datatype recvtype,
                                 MPI_Comm comm,
                                 MPI_Info info,
                                 MPI_Request *request);

/**
 * `MPI_Neighbor_alltoallv`: sends each neighbour its part of each rank's data.
 */
int MPI_Neighbor_alltoallv(const void *sendbuf,
                           const int *sendcounts,
                           const int *sdispls,
                           MPI_Datatype sendtype,
                           void *recvbuf,
                           const int *recvcounts,
                           const int *rdispls,
                           MPI_Datatype recvtype,
                           MPI_Comm comm);

int MPI_Neighbor_alltoallv_c(const void *sendbuf,
                             const MPI_Count *sendcounts,
                             const MPI_Aint *sdispls,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             const MPI_Count *recvcounts,
                             const MPI_Aint *rdispls,
                             MPI_Datatype recvtype,
                             MPI_Comm comm);

/**
 * `MPI_Neighbor_alltoallv_init`: sets up what `MPI_Neighbor_alltoallv` runs.
 */
int MPI_Neighbor_alltoallv_init(const void *sendbuf,
                                const int *sendcounts,
                                const int *sdispls,
                                MPI_Datatype sendtype,
                                void *recvbuf,
                                const int *recvcounts,
                                const int *rdispls,
                                MPI_Datatype recvtype,
                                MPI_Comm comm,
                                MPI_Info info,
                                MPI_Request *request);

int MPI_Neighbor_alltoallv_init_c(const void *sendbuf,
                                  const MPI_Count *sendcounts,
                                  const MPI_Aint *sdispls,
                                  MPI_Datatype sendtype,
                                  void *recvbuf,
                                  const MPI_Count *recvcounts,
                                  const MPI_Aint *rdispls,
                                  MPI_Datatype recvtype,
                                  MPI_Comm comm,
                                  MPI_Info info,
                                  MPI_Request *request);

/**
 * `MPI_Neighbor_alltoallw`: sends each neighbour its part of each rank's data, each part with its own datatype.
 */
int MPI_Neighbor_alltoallw(const void *sendbuf,
                           const int *sendcounts,
                           const MPI_Aint *sdispls,
                           const MPI_Datatype *sendtypes,
                           void *recvbuf,
                           const int *recvcounts,
                           const MPI_Aint *rdispls,
                           const MPI_Datatype *recvtypes,
                           MPI_Comm comm);

int MPI_Neighbor_alltoallw_c(const void *sendbuf,
                             const MPI_Count *sendcounts,
                             const MPI_Aint *sdispls,
                             const MPI_Datatype *sendtypes,
                             void *recvbuf,
                             const MPI_Count *recvcounts,
                             const MPI_Aint *rdispls,
                             const MPI_Datatype *recvtypes,
                             MPI_Comm comm);

/**
 * `MPI_Neighbor_alltoallw_init`: sets up what `MPI_Neighbor_alltoallw` runs.
 */
int MPI_Neighbor_alltoallw_init(const void *sendbuf,
                                const int *sendcounts,
                                const MPI_Aint *sdispls,
                                const MPI_Datatype *sendtypes,
                                void *recvbuf,
                                const int *recvcounts,
                                const MPI_Aint *rdispls,
                                const MPI_Datatype *recvtypes,
                                MPI_Comm comm,
                                MPI_Info info,
                                MPI_Request *request);

int MPI_Neighbor_alltoallw_init_c(const void *sendbuf,
                                  const MPI_Count *sendcounts,
                                  const MPI_Aint *sdispls,
                                  const MPI_Datatype *sendtypes,
                                  void *recvbuf,
                                  const MPI_Count *recvcounts,
                                  const MPI_Aint *rdispls,
                                  const MPI_Datatype *recvtypes,
                                  MPI_Comm comm,
                                  MPI_Info info,
                                  MPI_Request *request);

int MPI_Op_c2f(MPI_Op op);

/**
 * `MPI_Op_commutative`: whether the operation is commutative.
 */
int MPI_Op_commutative(MPI_Op op, int *commute);

/**
 * `MPI_Op_create`: makes a reduction operation of a function.
 */
int MPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op);

/**
 * `MPI_Op_create_c`: makes a reduction operation of a function that takes large counts.
 */
int MPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op);

MPI_Op MPI_Op_f2c(int op);

/**
 * `MPI_Op_free`: frees the operation.
 */
int MPI_Op_free(MPI_Op *op);

/**
 * `MPI_Op_fromint`: the operation of an integer.
 */
MPI_Op MPI_Op_fromint(int op);

/**
 * `MPI_Op_toint`: the integer of an operation.
 */
int MPI_Op_toint(MPI_Op op);

/**
 * `MPI_Open_port`: opens a port for other groups to connect to.
 */
int MPI_Open_port(MPI_Info info, char *port_name);

/**
 * `MPI_Pack`: appends data to a packed buffer.
 */
int MPI_Pack(const void *inbuf,
             int incount,
             MPI_Datatype datatype,
             void *outbuf,
             int outsize,
             int *position,
             MPI_Comm comm);

int MPI_Pack_c(const void *inbuf,
               MPI_Count incount,
               MPI_Datatype datatype,
               void *outbuf,
               MPI_Count outsize,
               MPI_Count *position,
               MPI_Comm comm);

/**
 * `MPI_Pack_external`: appends data in the external representation to a packed buffer.
 */
int MPI_Pack_external(const char *datarep,
                      const void *inbuf,
                      int incount,
                      MPI_Datatype datatype,
                      void *outbuf,
                      MPI_Aint outsize,
                      MPI_Aint *position);

int MPI_Pack_external_c(const char *datarep,
                        const void *inbuf,
                        MPI_Count incount,
                        MPI_Datatype datatype,
                        void *outbuf,
                        MPI_Count outsize,
                        MPI_Count *position);

/**
 * `MPI_Pack_external_size`: the bytes that `MPI_Pack_external` needs.
 */
int MPI_Pack_external_size(const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size);

int MPI_Pack_external_size_c(const char *datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count *size);

/**
 * `MPI_Pack_size`: the bytes that `MPI_Pack` needs at most.
 */
int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size);

int MPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size);

/**
 * `MPI_Parrived`: whether a partition of a receive has arrived.
 */
int MPI_Parrived(MPI_Request request, int partition, int *flag);

/**
 * `MPI_Pcontrol`: for profiling tools, which replace it; the library does nothing.
 */
int MPI_Pcontrol(int level, ...);

/**
 * `MPI_Pready`: marks a partition of a send as ready.
 */
int MPI_Pready(int partition, MPI_Request request);

/**
 * `MPI_Pready_list`: marks the partitions of a list as ready.
 */
int MPI_Pready_list(int length, const int *array_of_partitions, MPI_Request request);

/**
 * `MPI_Pready_range`: marks partitions in a row as ready.
 */
int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request);

/**
 * `MPI_Precv_init`: sets up a partitioned receive.
 */
int MPI_Precv_init(void *buf,
                   int partitions,
                   MPI_Count count,
                   MPI_Datatype datatype,
                   int source,
                   int tag,
                   MPI_Comm comm,
                   MPI_Info info,
                   MPI_Request *request);

/**
 * `MPI_Probe`: waits for a message without receiving it.
 */
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);

/**
 * `MPI_Psend_init`: sets up a partitioned send.
 */
int MPI_Psend_init(const void *buf,
                   int partitions,
                   MPI_Count count,
                   MPI_Datatype datatype,
                   int dest,
                   int tag,
                   MPI_Comm comm,
                   MPI_Info info,
                   MPI_Request *request);

/**
 * `MPI_Publish_name`: publishes a port under the name of a service.
 */
int MPI_Publish_name(const char *service_name, MPI_Info info, const char *port_name);

/**
 * `MPI_Put`: writes data to a target.
 */
int MPI_Put(const void *origin_addr,
            int origin_count,
            MPI_Datatype origin_datatype,
            int target_rank,
            MPI_Aint target_disp,
            int target_count,
            MPI_Datatype target_datatype,
            MPI_Win win);

int MPI_Put_c(const void *origin_addr,
              MPI_Count origin_count,
              MPI_Datatype origin_datatype,
              int target_rank,
              MPI_Aint target_disp,
              MPI_Count target_count,
              MPI_Datatype target_datatype,
              MPI_Win win);

/**
 * `MPI_Query_thread`: the level of thread support, which rises to the highest with the first session.
 */
int MPI_Query_thread(int *provided);

/**
 * `MPI_Raccumulate`: updates elements of a target, with a request.
 */
int MPI_Raccumulate(const void *origin_addr,
                    int origin_count,
                    MPI_Datatype origin_datatype,
                    int target_rank,
                    MPI_Aint target_disp,
                    int target_count,
                    MPI_Datatype target_datatype,
                    MPI_Op op,
                    MPI_Win win,
                    MPI_Request *request);

int MPI_Raccumulate_c(const void *origin_addr,
                      MPI_Count origin_count,
                      MPI_Datatype origin_datatype,
                      int target_rank,
                      MPI_Aint target_disp,
                      MPI_Count target_count,
                      MPI_Datatype target_datatype,
                      MPI_Op op,
                      MPI_Win win,
                      MPI_Request *request);

/**
 * `MPI_Recv`: receives a message.
 */
int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);

int MPI_Recv_c(void *buf,
               MPI_Count count,
               MPI_Datatype datatype,
               int source,
               int tag,
               MPI_Comm comm,
               MPI_Status *status);

/**
 * `MPI_Recv_init`: sets up a receive.
 */
int MPI_Recv_init(void *buf,
                  int count,
                  MPI_Datatype datatype,
                  int source,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request *request);

int MPI_Recv_init_c(void *buf,
                    MPI_Count count,
                    MPI_Datatype datatype,
                    int source,
                    int tag,
                    MPI_Comm comm,
                    MPI_Request *request);

/**
 * `MPI_Reduce`: combines all ranks' data at the root.
 */
int MPI_Reduce(const void *sendbuf,
               void *recvbuf,
               int count,
               MPI_Datatype datatype,
               MPI_Op op,
               int root,
               MPI_Comm comm);

int MPI_Reduce_c(const void *sendbuf,
                 void *recvbuf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 MPI_Op op,
                 int root,
                 MPI_Comm comm);

/**
 * `MPI_Reduce_init`: sets up what `MPI_Reduce` runs.
 */
int MPI_Reduce_init(const void *sendbuf,
                    void *recvbuf,
                    int count,
                    MPI_Datatype datatype,
                    MPI_Op op,
                    int root,
                    MPI_Comm comm,
                    MPI_Info info,
                    MPI_Request *request);

int MPI_Reduce_init_c(const void *sendbuf,
                      void *recvbuf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      MPI_Op op,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      MPI_Request *request);

/**
 * `MPI_Reduce_local`: combines two buffers of the caller.
 */
int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op);

int MPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op);

/**
 * `MPI_Reduce_scatter`: combines all ranks' data and gives each rank its part.
 */
int MPI_Reduce_scatter(const void *sendbuf,
                       void *recvbuf,
                       const int *recvcounts,
                       MPI_Datatype datatype,
                       MPI_Op op,
                       MPI_Comm comm);

/**
 * `MPI_Reduce_scatter_block`: combines all ranks' data and gives each rank an equal part.
 */
int MPI_Reduce_scatter_block(const void *sendbuf,
                             void *recvbuf,
                             int recvcount,
                             MPI_Datatype datatype,
                             MPI_Op op,
                             MPI_Comm comm);

int MPI_Reduce_scatter_block_c(const void *sendbuf,
                               void *recvbuf,
                               MPI_Count recvcount,
                               MPI_Datatype datatype,
                               MPI_Op op,
                               MPI_Comm comm);

/**
 * `MPI_Reduce_scatter_block_init`: sets up what `MPI_Reduce_scatter_block` runs.
 */
int MPI_Reduce_scatter_block_init(const void *sendbuf,
                                  void *recvbuf,
                                  int recvcount,
                                  MPI_Datatype datatype,
                                  MPI_Op op,
                                  MPI_Comm comm,
                                  MPI_Info info,
                                  MPI_Request *request);

int MPI_Reduce_scatter_block_init_c(const void *sendbuf,
                                    void *recvbuf,
                                    MPI_Count recvcount,
                                    MPI_Datatype datatype,
                                    MPI_Op op,
                                    MPI_Comm comm,
                                    MPI_Info info,
                                    MPI_Request *request);

int MPI_Reduce_scatter_c(const void *sendbuf,
                         void *recvbuf,
                         const MPI_Count *recvcounts,
                         MPI_Datatype datatype,
                         MPI_Op op,
                         MPI_Comm comm);

/**
 * `MPI_Reduce_scatter_init`: sets up what `MPI_Reduce_scatter` runs.
 */
int MPI_Reduce_scatter_init(const void *sendbuf,
                            void *recvbuf,
                            const int *recvcounts,
                            MPI_Datatype datatype,
                            MPI_Op op,
                            MPI_Comm comm,
                            MPI_Info info,
                            MPI_Request *request);

int MPI_Reduce_scatter_init_c(const void *sendbuf,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              MPI_Datatype datatype,
                              MPI_Op op,
                              MPI_Comm comm,
                              MPI_Info info,
                              MPI_Request *request);

/**
 * `MPI_Register_datarep`: registers a data representation, whose conversion functions take counts of type `int`.
 */
int MPI_Register_datarep(const char *datarep,
                         MPI_Datarep_conversion_function *read_conversion_fn,
                         MPI_Datarep_conversion_function *write_conversion_fn,
                         MPI_Datarep_extent_function *dtype_file_extent_fn,
                         void *extra_state);

/**
 * `MPI_Register_datarep_c`: registers a data representation, whose conversion functions take counts of type
 * `MPI_Count`.
 */
int MPI_Register_datarep_c(const char *datarep,
                           MPI_Datarep_conversion_function_c *read_conversion_fn,
                           MPI_Datarep_conversion_function_c *write_conversion_fn,
                           MPI_Datarep_extent_function *dtype_file_extent_fn,
                           void *extra_state);

/**
 * `MPI_Remove_error_class`: removes a class of the program, once its codes and its string are removed.
 */
int MPI_Remove_error_class(int errorclass);

/**
 * `MPI_Remove_error_code`: removes a code of the program, once its string is removed.
 */
int MPI_Remove_error_code(int errorcode);

/**
 * `MPI_Remove_error_string`: removes the string of a class or code of the program.
 */
int MPI_Remove_error_string(int errorcode);

int MPI_Request_c2f(MPI_Request request);

MPI_Request MPI_Request_f2c(int request);

/**
 * `MPI_Request_free`: frees the request; its operation goes on.
 */
int MPI_Request_free(MPI_Request *request);

/**
 * `MPI_Request_fromint`: the request of an integer.
 */
MPI_Request MPI_Request_fromint(int request);

/**
 * `MPI_Request_get_status`: whether an operation is complete, leaving its request as it is.
 */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);

/**
 * `MPI_Request_get_status_all`: whether all operations are complete, leaving their requests as they are.
 */
int MPI_Request_get_status_all(int count,
                               const MPI_Request *array_of_requests,
                               int *flag,
                               MPI_Status *array_of_statuses);

/**
 * `MPI_Request_get_status_any`: whether one of several operations is complete, leaving their requests as they are.
 */
int MPI_Request_get_status_any(int count,
                               const MPI_Request *array_of_requests,
                               int *index,
                               int *flag,
                               MPI_Status *status);

/**
 * `MPI_Request_get_status_some`: which operations are complete, leaving their requests as they are.
 */
int MPI_Request_get_status_some(int incount,
                                const MPI_Request *array_of_requests,
                                int *outcount,
                                int *array_of_indices,
                                MPI_Status *array_of_statuses);

/**
 * `MPI_Request_toint`: the integer of a request.
 */
int MPI_Request_toint(MPI_Request request);

/**
 * `MPI_Rget`: reads data of a target, with a request.
 */
int MPI_Rget(void *origin_addr,
             int origin_count,
             MPI_Datatype origin_datatype,
             int target_rank,
             MPI_Aint target_disp,
             int target_count,
             MPI_Datatype target_datatype,
             MPI_Win win,
             MPI_Request *request);

/**
 * `MPI_Rget_accumulate`: updates elements of a target and reads their values from before, with a request.
 */
int MPI_Rget_accumulate(const void *origin_addr,
                        int origin_count,
                        MPI_Datatype origin_datatype,
                        void *result_addr,
                        int result_count,
                        MPI_Datatype result_datatype,
                        int target_rank,
                        MPI_Aint target_disp,
                        int target_count,
                        MPI_Datatype target_datatype,
                        MPI_Op op,
                        MPI_Win win,
                        MPI_Request *request);

int MPI_Rget_accumulate_c(const void *origin_addr,
                          MPI_Count origin_count,
                          MPI_Datatype origin_datatype,
                          void *result_addr,
                          MPI_Count result_count,
                          MPI_Datatype result_datatype,
                          int target_rank,
                          MPI_Aint target_disp,
                          MPI_Count target_count,
                          MPI_Datatype target_datatype,
                          MPI_Op op,
                          MPI_Win win,
                          MPI_Request *request);

int MPI_Rget_c(void *origin_addr,
               MPI_Count origin_count,
               MPI_Datatype origin_datatype,
               int target_rank,
               MPI_Aint target_disp,
               MPI_Count target_count,
               MPI_Datatype target_datatype,
               MPI_Win win,
               MPI_Request *request);

/**
 * `MPI_Rput`: writes data to a target, with a request.
 */
int MPI_Rput(const void *origin_addr,
             int origin_count,
             MPI_Datatype origin_datatype,
             int target_rank,
             MPI_Aint target_disp,
             int target_count,
             MPI_Datatype target_datatype,
             MPI_Win win,
             MPI_Request *request);

int MPI_Rput_c(const void *origin_addr,
               MPI_Count origin_count,
               MPI_Datatype origin_datatype,
               int target_rank,
               MPI_Aint target_disp,
               MPI_Count target_count,
               MPI_Datatype target_datatype,
               MPI_Win win,
               MPI_Request *request);

/**
 * `MPI_Rsend`: sends to a receive that has been posted.
 */
int MPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int MPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * `MPI_Rsend_init`: sets up a send to a receive that has been posted.
 */
int MPI_Rsend_init(const void *buf,
                   int count,
                   MPI_Datatype datatype,
                   int dest,
                   int tag,
                   MPI_Comm comm,
                   MPI_Request *request);

int MPI_Rsend_init_c(const void *buf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int dest,
                     int tag,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Scan`: combines at each rank the data of the ranks up to it.
 */
int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

int MPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/**
 * `MPI_Scan_init`: sets up what `MPI_Scan` runs.
 */
int MPI_Scan_init(const void *sendbuf,
                  void *recvbuf,
                  int count,
                  MPI_Datatype datatype,
                  MPI_Op op,
                  MPI_Comm comm,
                  MPI_Info info,
                  MPI_Request *request);

int MPI_Scan_init_c(const void *sendbuf,
                    void *recvbuf,
                    MPI_Count count,
                    MPI_Datatype datatype,
                    MPI_Op op,
                    MPI_Comm comm,
                    MPI_Info info,
                    MPI_Request *request);

/**
 * `MPI_Scatter`: sends each rank an equal part of the root's data.
 */
int MPI_Scatter(const void *sendbuf,
                int sendcount,
                MPI_Datatype sendtype,
                void *recvbuf,
                int recvcount,
                MPI_Datatype recvtype,
                int root,
                MPI_Comm comm);

int MPI_Scatter_c(const void *sendbuf,
                  MPI_Count sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  MPI_Count recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm);

/**
 * `MPI_Scatter_init`: sets up what `MPI_Scatter` runs.
 */
int MPI_Scatter_init(const void *sendbuf,
                     int sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     int recvcount,
                     MPI_Datatype recvtype,
                     int root,
                     MPI_Comm comm,
                     MPI_Info info,
                     MPI_Request *request);

int MPI_Scatter_init_c(const void *sendbuf,
                       MPI_Count sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       MPI_Count recvcount,
                       MPI_Datatype recvtype,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

/**
 * `MPI_Scatterv`: sends each rank its part of the root's data.
 */
int MPI_Scatterv(const void *sendbuf,
                 const int *sendcounts,
                 const int *displs,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 int recvcount,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm);

int MPI_Scatterv_c(const void *sendbuf,
                   const MPI_Count *sendcounts,
                   const MPI_Aint *displs,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm);

/**
 * `MPI_Scatterv_init`: sets up what `MPI_Scatterv` runs.
 */
int MPI_Scatterv_init(const void *sendbuf,
                      const int *sendcounts,
                      const int *displs,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      int recvcount,
                      MPI_Datatype recvtype,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      MPI_Request *request);

int MPI_Scatterv_init_c(const void *sendbuf,
                        const MPI_Count *sendcounts,
                        const MPI_Aint *displs,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        MPI_Count recvcount,
                        MPI_Datatype recvtype,
                        int root,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

/**
 * `MPI_Send`: sends and returns when the buffer may be used again.
 */
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * `MPI_Send_init`: sets up a send.
 */
int MPI_Send_init(const void *buf,
                  int count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request *request);

int MPI_Send_init_c(const void *buf,
                    MPI_Count count,
                    MPI_Datatype datatype,
                    int dest,
                    int tag,
                    MPI_Comm comm,
                    MPI_Request *request);

/**
 * `MPI_Sendrecv`: sends one message and receives another.
 */
int MPI_Sendrecv(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 int dest,
                 int sendtag,
                 void *recvbuf,
                 int recvcount,
                 MPI_Datatype recvtype,
                 int source,
                 int recvtag,
                 MPI_Comm comm,
                 MPI_Status *status);

int MPI_Sendrecv_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   int dest,
                   int sendtag,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   int source,
                   int recvtag,
                   MPI_Comm comm,
                   MPI_Status *status);

/**
 * `MPI_Sendrecv_replace`: sends the contents of the buffer, then receives into it.
 */
int MPI_Sendrecv_replace(void *buf,
                         int count,
                         MPI_Datatype datatype,
                         int dest,
                         int sendtag,
                         int source,
                         int recvtag,
                         MPI_Comm comm,
                         MPI_Status *status);

int MPI_Sendrecv_replace_c(void *buf,
                           MPI_Count count,
                           MPI_Datatype datatype,
                           int dest,
                           int sendtag,
                           int source,
                           int recvtag,
                           MPI_Comm comm,
                           MPI_Status *status);

/**
 * `MPI_Session_attach_buffer`: gives memory for buffered sends on the communicators of a session.
 */
int MPI_Session_attach_buffer(MPI_Session session, void *buffer, int size);

int MPI_Session_attach_buffer_c(MPI_Session session, void *buffer, MPI_Count size);

int MPI_Session_c2f(MPI_Session session);

/**
 * `MPI_Session_call_errhandler`: calls the error handler of `session` as if a call had failed.
 */
int MPI_Session_call_errhandler(MPI_Session session, int errorcode);

/**
 * `MPI_Session_create_errhandler`: makes an error handler of a function.
 */
int MPI_Session_create_errhandler(MPI_Session_errhandler_function *session_errhandler_fn, MPI_Errhandler *errhandler);

/**
 * `MPI_Session_detach_buffer`: takes the memory of a session back once its messages have been received.
 */
int MPI_Session_detach_buffer(MPI_Session session, void *buffer_addr, int *size);

int MPI_Session_detach_buffer_c(MPI_Session session, void *buffer_addr, MPI_Count *size);

MPI_Session MPI_Session_f2c(int session);

/**
 * `MPI_Session_finalize`: ends the session.
 */
int MPI_Session_finalize(MPI_Session *session);

/**
 * `MPI_Session_flush_buffer`: waits until the messages in a session's buffer have been received.
 */
int MPI_Session_flush_buffer(MPI_Session session);

/**
 * `MPI_Session_fromint`: the session of an integer.
 */
MPI_Session MPI_Session_fromint(int session);

/**
 * `MPI_Session_get_errhandler`: the error handler of `session`.
 */
int MPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler);

/**
 * `MPI_Session_get_info`: the properties of the session.
 */
int MPI_Session_get_info(MPI_Session session, MPI_Info *info_used);

/**
 * `MPI_Session_get_nth_pset`: the name of a process set. `pset_len` is the size of the buffer, and then the size that
 * the name needs.
 */
int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name);

/**
 * `MPI_Session_get_num_psets`: number of process sets.
 */
int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names);

/**
 * `MPI_Session_get_pset_info`: the properties of a process set.
 */
int MPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info);

/**
 * `MPI_Session_iflush_buffer`: starts to wait until the messages in a session's buffer have been received.
 */
int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request);

/**
 * `MPI_Session_init`: opens a session. All levels of thread support are provided, whatever `info` asks for.
 */
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);

/**
 * `MPI_Session_set_errhandler`: sets the error handler of `session`.
 */
int MPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler);

/**
 * `MPI_Session_toint`: the integer of a session.
 */
int MPI_Session_toint(MPI_Session session);

/**
 * `MPI_Ssend`: sends and returns when the receive has been matched.
 */
int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int MPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * `MPI_Ssend_init`: sets up a synchronous send.
 */
int MPI_Ssend_init(const void *buf,
                   int count,
                   MPI_Datatype datatype,
                   int dest,
                   int tag,
                   MPI_Comm comm,
                   MPI_Request *request);

int MPI_Ssend_init_c(const void *buf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int dest,
                     int tag,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Start`: starts a persistent operation.
 */
int MPI_Start(MPI_Request *request);

/**
 * `MPI_Startall`: starts several persistent operations.
 */
int MPI_Startall(int count, MPI_Request *array_of_requests);

/**
 * `MPI_Status_c2f`: a status of C as integers of Fortran.
 */
int MPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status);

/**
 * `MPI_Status_c2f08`: a status of C as one of `mpi_f08`.
 */
int MPI_Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status);

/**
 * `MPI_Status_f082c`: a status of `mpi_f08` as one of C.
 */
int MPI_Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status);

/**
 * `MPI_Status_f082f`: a status of `mpi_f08` as integers of Fortran.
 */
int MPI_Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status);

/**
 * `MPI_Status_f2c`: integers of Fortran as a status of C.
 */
int MPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status);

/**
 * `MPI_Status_f2f08`: integers of Fortran as a status of `mpi_f08`.
 */
int MPI_Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status);

/**
 * `MPI_Status_get_error`: the operation's error code.
 */
int MPI_Status_get_error(const MPI_Status *status, int *error);

/**
 * `MPI_Status_get_source`: the sender's rank.
 */
int MPI_Status_get_source(const MPI_Status *status, int *source);

/**
 * `MPI_Status_get_tag`: the message's tag.
 */
int MPI_Status_get_tag(const MPI_Status *status, int *tag);

/**
 * `MPI_Status_set_cancelled`: sets the result of [`PMPI_Test_cancelled`].
 */
int MPI_Status_set_cancelled(MPI_Status *status, int flag);

/**
 * `MPI_Status_set_elements`: makes the status that of a message of `count` predefined elements.
 */
int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count);

int MPI_Status_set_elements_c(MPI_Status *status, MPI_Datatype datatype, MPI_Count count);

int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype datatype, MPI_Count count);

/**
 * `MPI_Status_set_error`: sets the operation's error code.
 */
int MPI_Status_set_error(MPI_Status *status, int error);

/**
 * `MPI_Status_set_source`: sets the sender's rank.
 */
int MPI_Status_set_source(MPI_Status *status, int source);

/**
 * `MPI_Status_set_tag`: sets the message's tag.
 */
int MPI_Status_set_tag(MPI_Status *status, int tag);

/**
 * `MPI_T_category_changed`: a number that would grow if categories changed, which they do not.
 */
int MPI_T_category_changed(int *update_number);

/**
 * `MPI_T_category_get_categories`: the categories below a category.
 */
int MPI_T_category_get_categories(int cat_index, int len, int *indices);

/**
 * `MPI_T_category_get_cvars`: the control variables of a category.
 */
int MPI_T_category_get_cvars(int cat_index, int len, int *indices);

/**
 * `MPI_T_category_get_events`: the event types of a category.
 */
int MPI_T_category_get_events(int cat_index, int len, int *indices);

/**
 * `MPI_T_category_get_index`: the index of the category with this name.
 */
int MPI_T_category_get_index(const char *name, int *cat_index);

/**
 * `MPI_T_category_get_info`: the properties of a category.
 */
int MPI_T_category_get_info(int cat_index,
                            char *name,
                            int *name_len,
                            char *desc,
                            int *desc_len,
                            int *num_cvars,
                            int *num_pvars,
                            int *num_categories);

/**
 * `MPI_T_category_get_num`: the number of categories.
 */
int MPI_T_category_get_num(int *num_cat);

/**
 * `MPI_T_category_get_num_events`: the number of event types in a category.
 */
int MPI_T_category_get_num_events(int cat_index, int *num_events);

/**
 * `MPI_T_category_get_pvars`: the performance variables of a category.
 */
int MPI_T_category_get_pvars(int cat_index, int len, int *indices);

/**
 * `MPI_T_cvar_get_index`: the index of the control variable with this name.
 */
int MPI_T_cvar_get_index(const char *name, int *cvar_index);

/**
 * `MPI_T_cvar_get_info`: the properties of a control variable.
 */
int MPI_T_cvar_get_info(int cvar_index,
                        char *name,
                        int *name_len,
                        int *verbosity,
                        MPI_Datatype *datatype,
                        MPI_T_enum *enumtype,
                        char *desc,
                        int *desc_len,
                        int *bind,
                        int *scope);

/**
 * `MPI_T_cvar_get_num`: the number of control variables.
 */
int MPI_T_cvar_get_num(int *num_cvar);

/**
 * `MPI_T_cvar_handle_alloc`: makes a handle of a control variable, which is bound to no object.
 */
int MPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count);

/**
 * `MPI_T_cvar_handle_free`: frees a handle.
 */
int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle);

/**
 * `MPI_T_cvar_read`: the value of a control variable.
 */
int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf);

/**
 * `MPI_T_cvar_write`: changes a control variable for the calling rank.
 */
int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf);

/**
 * `MPI_T_enum_get_info`: the name of an enumeration and the number of its items.
 */
int MPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len);

/**
 * `MPI_T_enum_get_item`: the number and the name of an item of an enumeration.
 */
int MPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len);

/**
 * `MPI_T_event_callback_get_info`: the hints of a callback that are in use.
 */
int MPI_T_event_callback_get_info(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety,
                                  MPI_Info *info_used);

/**
 * `MPI_T_event_callback_set_info`: sets hints of a callback.
 */
int MPI_T_event_callback_set_info(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety,
                                  MPI_Info info);

/**
 * `MPI_T_event_copy`: all elements of the event that a callback gets, at their displacements.
 */
int MPI_T_event_copy(MPI_T_event_instance event_instance, void *buffer);

/**
 * `MPI_T_event_get_index`: the index of the event type with this name.
 */
int MPI_T_event_get_index(const char *name, int *event_index);

/**
 * `MPI_T_event_get_info`: the properties of an event type.
 */
int MPI_T_event_get_info(int event_index,
                         char *name,
                         int *name_len,
                         int *verbosity,
                         MPI_Datatype *array_of_datatypes,
                         MPI_Aint *array_of_displacements,
                         int *num_elements,
                         MPI_T_enum *enumtype,
                         MPI_Info *info,
                         char *desc,
                         int *desc_len,
                         int *bind);

/**
 * `MPI_T_event_get_num`: the number of event types.
 */
int MPI_T_event_get_num(int *num_events);

/**
 * `MPI_T_event_get_source`: the source of the event.
 */
int MPI_T_event_get_source(MPI_T_event_instance event_instance, int *source_index);

/**
 * `MPI_T_event_get_timestamp`: the time of the event by the clock of its source.
 */
int MPI_T_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp);

/**
 * `MPI_T_event_handle_alloc`: makes a registration for an event type, which is bound to no object.
 */
int MPI_T_event_handle_alloc(int event_index,
                             void *obj_handle,
                             MPI_Info info,
                             MPI_T_event_registration *event_registration);

/**
 * `MPI_T_event_handle_free`: frees a registration. Its callbacks are called no more, and the given function once.
 */
int MPI_T_event_handle_free(MPI_T_event_registration event_registration,
                            void *user_data,
                            MPI_T_event_free_cb_function *free_cb_function);

/**
 * `MPI_T_event_handle_get_info`: the hints of a registration that are in use.
 */
int MPI_T_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used);

/**
 * `MPI_T_event_handle_set_info`: sets hints of a registration.
 */
int MPI_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info);

/**
 * `MPI_T_event_read`: an element of the event that a callback gets.
 */
int MPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer);

/**
 * `MPI_T_event_register_callback`: sets the function that is called after an event, for a level of safety; NULL
 * removes it.
 */
int MPI_T_event_register_callback(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety,
                                  MPI_Info info,
                                  void *user_data,
                                  MPI_T_event_cb_function *event_cb_function);

/**
 * `MPI_T_event_set_dropped_handler`: sets the function that is told how many events were lost; NULL removes it.
 */
int MPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                    MPI_T_event_dropped_cb_function *dropped_cb_function);

/**
 * `MPI_T_finalize`: finalizes one use of the interface; the last one frees all that is left.
 */
int MPI_T_finalize(void);

/**
 * `MPI_T_init_thread`: initialises the interface; allowed at any time and any number of times. A level that the
 * standard does not know counts as the highest.
 */
int MPI_T_init_thread(int required, int *provided);

/**
 * `MPI_T_pvar_get_index`: the index of the performance variable with this name and class.
 */
int MPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index);

/**
 * `MPI_T_pvar_get_info`: the properties of a performance variable.
 */
int MPI_T_pvar_get_info(int pvar_index,
                        char *name,
                        int *name_len,
                        int *verbosity,
                        int *var_class,
                        MPI_Datatype *datatype,
                        MPI_T_enum *enumtype,
                        char *desc,
                        int *desc_len,
                        int *bind,
                        int *readonly,
                        int *continuous,
                        int *atomic);

/**
 * `MPI_T_pvar_get_num`: the number of performance variables.
 */
int MPI_T_pvar_get_num(int *num_pvar);

/**
 * `MPI_T_pvar_handle_alloc`: makes a handle of a performance variable, for the object that it is bound to.
 */
int MPI_T_pvar_handle_alloc(MPI_T_pvar_session pe_session,
                            int pvar_index,
                            void *obj_handle,
                            MPI_T_pvar_handle *handle,
                            int *count);

/**
 * `MPI_T_pvar_handle_free`: frees a handle.
 */
int MPI_T_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle *handle);

/**
 * `MPI_T_pvar_read`: the values of a performance variable.
 */
int MPI_T_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf);

/**
 * `MPI_T_pvar_readreset`: the values of a performance variable, which is then set to zero.
 */
int MPI_T_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf);

/**
 * `MPI_T_pvar_reset`: sets a performance variable to zero, or all of the session that can be written.
 */
int MPI_T_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle);

/**
 * `MPI_T_pvar_session_create`: makes a session, in which a tool has handles of its own.
 */
int MPI_T_pvar_session_create(MPI_T_pvar_session *pe_session);

/**
 * `MPI_T_pvar_session_free`: frees a session and its handles.
 */
int MPI_T_pvar_session_free(MPI_T_pvar_session *pe_session);

/**
 * `MPI_T_pvar_start`: starts a performance variable, or all of the session that can be started.
 */
int MPI_T_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle);

/**
 * `MPI_T_pvar_stop`: stops a performance variable, or all of the session that can be stopped.
 */
int MPI_T_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle);

/**
 * `MPI_T_pvar_write`: sets the values of a performance variable.
 */
int MPI_T_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, const void *buf);

/**
 * `MPI_T_source_get_info`: the properties of an event source.
 */
int MPI_T_source_get_info(int source_index,
                          char *name,
                          int *name_len,
                          char *desc,
                          int *desc_len,
                          MPI_T_source_order *ordering,
                          MPI_Count *ticks_per_second,
                          MPI_Count *max_ticks,
                          MPI_Info *info);

/**
 * `MPI_T_source_get_num`: the number of event sources.
 */
int MPI_T_source_get_num(int *num_sources);

/**
 * `MPI_T_source_get_timestamp`: the time by the clock of a source.
 */
int MPI_T_source_get_timestamp(int source_index, MPI_Count *timestamp);

/**
 * `MPI_Test`: whether an operation is complete.
 */
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);

/**
 * `MPI_Test_cancelled`: whether the operation was cancelled.
 */
int MPI_Test_cancelled(const MPI_Status *status, int *flag);

/**
 * `MPI_Testall`: whether all operations are complete.
 */
int MPI_Testall(int count, MPI_Request *array_of_requests, int *flag, MPI_Status *array_of_statuses);

/**
 * `MPI_Testany`: whether one of several operations is complete.
 */
int MPI_Testany(int count, MPI_Request *array_of_requests, int *indx, int *flag, MPI_Status *status);

/**
 * `MPI_Testsome`: which operations are complete.
 */
int MPI_Testsome(int incount,
                 MPI_Request *array_of_requests,
                 int *outcount,
                 int *array_of_indices,
                 MPI_Status *array_of_statuses);

/**
 * `MPI_Topo_test`: the kind of topology a communicator has, or `MPI_UNDEFINED`.
 */
int MPI_Topo_test(MPI_Comm comm, int *status);

int MPI_Type_c2f(MPI_Datatype datatype);

/**
 * `MPI_Type_commit`: declares that the datatype will be used in communication.
 */
int MPI_Type_commit(MPI_Datatype *datatype);

/**
 * `MPI_Type_contiguous`: `count` elements in a row.
 */
int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype);

int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype);

/**
 * `MPI_Type_create_darray`: the part of a distributed array that one process of a grid owns.
 */
int MPI_Type_create_darray(int size,
                           int rank,
                           int ndims,
                           const int *array_of_gsizes,
                           const int *array_of_distribs,
                           const int *array_of_dargs,
                           const int *array_of_psizes,
                           int order,
                           MPI_Datatype oldtype,
                           MPI_Datatype *newtype);

int MPI_Type_create_darray_c(int size,
                             int rank,
                             int ndims,
                             const MPI_Count *array_of_gsizes,
                             const int *array_of_distribs,
                             const int *array_of_dargs,
                             const int *array_of_psizes,
                             int order,
                             MPI_Datatype oldtype,
                             MPI_Datatype *newtype);

/**
 * `MPI_Type_create_f90_complex`: complex numbers of `p` decimal digits and exponents of `r`.
 */
int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype);

/**
 * `MPI_Type_create_f90_integer`: integers of `r` decimal digits.
 */
int MPI_Type_create_f90_integer(int r, MPI_Datatype *newtype);

/**
 * `MPI_Type_create_f90_real`: reals of `p` decimal digits and exponents of `r`.
 */
int MPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype);

/**
 * `MPI_Type_create_hindexed`: blocks of several lengths, displaced by bytes.
 */
int MPI_Type_create_hindexed(int count,
                             const int *array_of_blocklengths,
                             const MPI_Aint *array_of_displacements,
                             MPI_Datatype oldtype,
                             MPI_Datatype *newtype);

/**
 * `MPI_Type_create_hindexed_block`: blocks of one length, displaced by bytes.
 */
int MPI_Type_create_hindexed_block(int count,
                                   int blocklength,
                                   const MPI_Aint *array_of_displacements,
                                   MPI_Datatype oldtype,
                                   MPI_Datatype *newtype);

int MPI_Type_create_hindexed_block_c(MPI_Count count,
                                     MPI_Count blocklength,
                                     const MPI_Count *array_of_displacements,
                                     MPI_Datatype oldtype,
                                     MPI_Datatype *newtype);

int MPI_Type_create_hindexed_c(MPI_Count count,
                               const MPI_Count *array_of_blocklengths,
                               const MPI_Count *array_of_displacements,
                               MPI_Datatype oldtype,
                               MPI_Datatype *newtype);

/**
 * `MPI_Type_create_hvector`: blocks whose starts are `stride` bytes apart.
 */
int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype);

int MPI_Type_create_hvector_c(MPI_Count count,
                              MPI_Count blocklength,
                              MPI_Count stride,
                              MPI_Datatype oldtype,
                              MPI_Datatype *newtype);

/**
 * `MPI_Type_create_indexed_block`: blocks of one length, displaced by multiples of the extent.
 */
int MPI_Type_create_indexed_block(int count,
                                  int blocklength,
                                  const int *array_of_displacements,
                                  MPI_Datatype oldtype,
                                  MPI_Datatype *newtype);

int MPI_Type_create_indexed_block_c(MPI_Count count,
                                    MPI_Count blocklength,
                                    const MPI_Count *array_of_displacements,
                                    MPI_Datatype oldtype,
                                    MPI_Datatype *newtype);

/**
 * `MPI_Type_create_keyval`: makes a key for attributes of datatypes.
 */
int MPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
                           MPI_Type_delete_attr_function *type_delete_attr_fn,
                           int *type_keyval,
                           void *extra_state);

/**
 * `MPI_Type_create_resized`: the same data with other bounds.
 */
int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype);

int MPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype);

/**
 * `MPI_Type_create_struct`: blocks of several lengths and datatypes, displaced by bytes.
 */
int MPI_Type_create_struct(int count,
                           const int *array_of_blocklengths,
                           const MPI_Aint *array_of_displacements,
                           const MPI_Datatype *array_of_types,
                           MPI_Datatype *newtype);

int MPI_Type_create_struct_c(MPI_Count count,
                             const MPI_Count *array_of_blocklengths,
                             const MPI_Count *array_of_displacements,
                             const MPI_Datatype *array_of_types,
                             MPI_Datatype *newtype);

/**
 * `MPI_Type_create_subarray`: a block of an array.
 */
int MPI_Type_create_subarray(int ndims,
                             const int *array_of_sizes,
                             const int *array_of_subsizes,
                             const int *array_of_starts,
                             int order,
                             MPI_Datatype oldtype,
                             MPI_Datatype *newtype);

int MPI_Type_create_subarray_c(int ndims,
                               const MPI_Count *array_of_sizes,
                               const MPI_Count *array_of_subsizes,
                               const MPI_Count *array_of_starts,
                               int order,
                               MPI_Datatype oldtype,
                               MPI_Datatype *newtype);

/**
 * `MPI_Type_delete_attr`: deletes the value that a datatype has for a key.
 */
int MPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval);

/**
 * `MPI_Type_dup`: another datatype with the same layout, committed if the first is.
 */
int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype);

MPI_Datatype MPI_Type_f2c(int datatype);

/**
 * `MPI_Type_free`: frees the datatype; pending operations keep it.
 */
int MPI_Type_free(MPI_Datatype *datatype);

/**
 * `MPI_Type_free_keyval`: frees a key; attributes keep it until they are deleted.
 */
int MPI_Type_free_keyval(int *type_keyval);

/**
 * `MPI_Type_fromint`: the datatype of an integer.
 */
MPI_Datatype MPI_Type_fromint(int datatype);

/**
 * `MPI_Type_get_attr`: the value that a datatype has for a key.
 */
int MPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag);

/**
 * `MPI_Type_get_contents`: the arguments that a datatype was made with.
 */
int MPI_Type_get_contents(MPI_Datatype datatype,
                          int max_integers,
                          int max_addresses,
                          int max_datatypes,
                          int *array_of_integers,
                          MPI_Aint *array_of_addresses,
                          MPI_Datatype *array_of_datatypes);

/**
 * `MPI_Type_get_contents_c`: the arguments that a datatype was made with, large counts included.
 */
int MPI_Type_get_contents_c(MPI_Datatype datatype,
                            MPI_Count max_integers,
                            MPI_Count max_addresses,
                            MPI_Count max_large_counts,
                            MPI_Count max_datatypes,
                            int *array_of_integers,
                            MPI_Aint *array_of_addresses,
                            MPI_Count *array_of_large_counts,
                            MPI_Datatype *array_of_datatypes);

/**
 * `MPI_Type_get_envelope`: the constructor, and how many arguments it had.
 */
int MPI_Type_get_envelope(MPI_Datatype datatype,
                          int *num_integers,
                          int *num_addresses,
                          int *num_datatypes,
                          int *combiner);

/**
 * `MPI_Type_get_envelope_c`: the constructor, and how many arguments it had, large counts included.
 */
int MPI_Type_get_envelope_c(MPI_Datatype datatype,
                            MPI_Count *num_integers,
                            MPI_Count *num_addresses,
                            MPI_Count *num_large_counts,
                            MPI_Count *num_datatypes,
                            int *combiner);

/**
 * `MPI_Type_get_extent`: the lower bound, and the distance from one element to the next.
 */
int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent);

int MPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent);

int MPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent);

/**
 * `MPI_Type_get_name`: the name the program has given to the datatype, or the standard's if it is predefined.
 */
int MPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen);

/**
 * `MPI_Type_get_true_extent`: where the data begins, and the bytes from its first to its last.
 */
int MPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent);

int MPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent);

int MPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent);

/**
 * `MPI_Type_get_value_index`: the predefined datatype of such pairs, or the null datatype if there is none.
 */
int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair_type);

/**
 * `MPI_Type_indexed`: blocks of several lengths, displaced by multiples of the extent.
 */
int MPI_Type_indexed(int count,
                     const int *array_of_blocklengths,
                     const int *array_of_displacements,
                     MPI_Datatype oldtype,
                     MPI_Datatype *newtype);

int MPI_Type_indexed_c(MPI_Count count,
                       const MPI_Count *array_of_blocklengths,
                       const MPI_Count *array_of_displacements,
                       MPI_Datatype oldtype,
                       MPI_Datatype *newtype);

/**
 * `MPI_Type_match_size`: the predefined datatype of a class that has `size` bytes.
 */
int MPI_Type_match_size(int typeclass, int size, MPI_Datatype *datatype);

/**
 * `MPI_Type_set_attr`: attaches a value to a datatype, which may be a predefined one.
 */
int MPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val);

/**
 * `MPI_Type_set_name`: gives the datatype a name.
 */
int MPI_Type_set_name(MPI_Datatype datatype, const char *type_name);

/**
 * `MPI_Type_size`: the bytes of data in an element; `MPI_UNDEFINED` for a type that the Fortran compiler does not
 * have.
 */
int MPI_Type_size(MPI_Datatype datatype, int *size);

int MPI_Type_size_c(MPI_Datatype datatype, MPI_Count *size);

int MPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size);

/**
 * `MPI_Type_toint`: the integer of a datatype.
 */
int MPI_Type_toint(MPI_Datatype datatype);

/**
 * `MPI_Type_vector`: blocks whose starts are `stride` elements apart.
 */
int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype);

int MPI_Type_vector_c(MPI_Count count,
                      MPI_Count blocklength,
                      MPI_Count stride,
                      MPI_Datatype oldtype,
                      MPI_Datatype *newtype);

/**
 * `MPI_Unpack`: takes the next data out of a packed buffer.
 */
int MPI_Unpack(const void *inbuf,
               int insize,
               int *position,
               void *outbuf,
               int outcount,
               MPI_Datatype datatype,
               MPI_Comm comm);

int MPI_Unpack_c(const void *inbuf,
                 MPI_Count insize,
                 MPI_Count *position,
                 void *outbuf,
                 MPI_Count outcount,
                 MPI_Datatype datatype,
                 MPI_Comm comm);

/**
 * `MPI_Unpack_external`: takes the next data in the external representation out of a packed buffer.
 */
int MPI_Unpack_external(const char *datarep,
                        const void *inbuf,
                        MPI_Aint insize,
                        MPI_Aint *position,
                        void *outbuf,
                        int outcount,
                        MPI_Datatype datatype);

int MPI_Unpack_external_c(const char *datarep,
                          const void *inbuf,
                          MPI_Count insize,
                          MPI_Count *position,
                          void *outbuf,
                          MPI_Count outcount,
                          MPI_Datatype datatype);

/**
 * `MPI_Unpublish_name`: removes the name of a service.
 */
int MPI_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name);

/**
 * `MPI_Wait`: waits for one operation.
 */
int MPI_Wait(MPI_Request *request, MPI_Status *status);

/**
 * `MPI_Waitall`: waits for all operations.
 */
int MPI_Waitall(int count, MPI_Request *array_of_requests, MPI_Status *array_of_statuses);

/**
 * `MPI_Waitany`: waits for one of several operations.
 */
int MPI_Waitany(int count, MPI_Request *array_of_requests, int *indx, MPI_Status *status);

/**
 * `MPI_Waitsome`: waits until some operations are complete.
 */
int MPI_Waitsome(int incount,
                 MPI_Request *array_of_requests,
                 int *outcount,
                 int *array_of_indices,
                 MPI_Status *array_of_statuses);

/**
 * `MPI_Win_allocate`: makes a window and its memory.
 */
int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win);

int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win);

/**
 * `MPI_Win_allocate_shared`: makes a window and memory to which all ranks have direct access.
 */
int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win);

int MPI_Win_allocate_shared_c(MPI_Aint size,
                              MPI_Aint disp_unit,
                              MPI_Info info,
                              MPI_Comm comm,
                              void *baseptr,
                              MPI_Win *win);

/**
 * `MPI_Win_attach`: attaches memory to a dynamic window.
 */
int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size);

int MPI_Win_c2f(MPI_Win win);

/**
 * `MPI_Win_call_errhandler`: calls the error handler of `win` as if a call had failed.
 */
int MPI_Win_call_errhandler(MPI_Win win, int errorcode);

/**
 * `MPI_Win_complete`: ends an access epoch of `MPI_Win_start`.
 */
int MPI_Win_complete(MPI_Win win);

/**
 * `MPI_Win_create`: makes a window of memory that the program has.
 */
int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);

int MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);

/**
 * `MPI_Win_create_dynamic`: makes a window to which memory is attached later.
 */
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win);

/**
 * `MPI_Win_create_errhandler`: makes an error handler of a function.
 */
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn, MPI_Errhandler *errhandler);

/**
 * `MPI_Win_create_keyval`: makes a key for attributes of windows.
 */
int MPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
                          MPI_Win_delete_attr_function *win_delete_attr_fn,
                          int *win_keyval,
                          void *extra_state);

/**
 * `MPI_Win_delete_attr`: deletes the value that a window has for a key.
 */
int MPI_Win_delete_attr(MPI_Win win, int win_keyval);

/**
 * `MPI_Win_detach`: detaches memory from a dynamic window.
 */
int MPI_Win_detach(MPI_Win win, const void *base);

MPI_Win MPI_Win_f2c(int win);

/**
 * `MPI_Win_fence`: ends an epoch of all ranks, and begins another one.
 */
int MPI_Win_fence(int assert, MPI_Win win);

/**
 * `MPI_Win_flush`: completes all operations on a rank.
 */
int MPI_Win_flush(int rank, MPI_Win win);

/**
 * `MPI_Win_flush_all`: completes all operations.
 */
int MPI_Win_flush_all(MPI_Win win);

/**
 * `MPI_Win_flush_local`: completes all operations on a rank at the caller.
 */
int MPI_Win_flush_local(int rank, MPI_Win win);

/**
 * `MPI_Win_flush_local_all`: completes all operations at the caller.
 */
int MPI_Win_flush_local_all(MPI_Win win);

/**
 * `MPI_Win_free`: frees the window, when all ranks have called it.
 */
int MPI_Win_free(MPI_Win *win);

/**
 * `MPI_Win_free_keyval`: frees a key; attributes keep it until they are deleted.
 */
int MPI_Win_free_keyval(int *win_keyval);

/**
 * `MPI_Win_fromint`: the window of an integer.
 */
MPI_Win MPI_Win_fromint(int win);

/**
 * `MPI_Win_get_attr`: the value that a window has for a key.
 */
int MPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag);

/**
 * `MPI_Win_get_errhandler`: the error handler of `win`.
 */
int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler);

/**
 * `MPI_Win_get_group`: the group of the window's ranks.
 */
int MPI_Win_get_group(MPI_Win win, MPI_Group *group);

/**
 * `MPI_Win_get_info`: all hints in effect.
 */
int MPI_Win_get_info(MPI_Win win, MPI_Info *info_used);

/**
 * `MPI_Win_get_name`: the window's name; the null handle has one, too.
 */
int MPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen);

/**
 * `MPI_Win_lock`: locks the memory of a rank, and begins an access epoch for it.
 */
int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win);

/**
 * `MPI_Win_lock_all`: takes shared locks of all ranks, and begins an access epoch for them.
 */
int MPI_Win_lock_all(int assert, MPI_Win win);

/**
 * `MPI_Win_post`: begins an exposure epoch for a group of ranks.
 */
int MPI_Win_post(MPI_Group group, int assert, MPI_Win win);

/**
 * `MPI_Win_set_attr`: attaches a value to a window.
 */
int MPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val);

/**
 * `MPI_Win_set_errhandler`: sets the error handler of `win`.
 */
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler);

/**
 * `MPI_Win_set_info`: sets hints about the use of the window.
 */
int MPI_Win_set_info(MPI_Win win, MPI_Info info);

/**
 * `MPI_Win_set_name`: gives the window a name.
 */
int MPI_Win_set_name(MPI_Win win, const char *win_name);

/**
 * `MPI_Win_shared_query`: the memory of a rank to which the caller has direct access.
 */
int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr);

int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr);

/**
 * `MPI_Win_start`: begins an access epoch for a group of ranks.
 */
int MPI_Win_start(MPI_Group group, int assert, MPI_Win win);

/**
 * `MPI_Win_sync`: orders the caller's loads and stores of its memory and the accesses of others.
 */
int MPI_Win_sync(MPI_Win win);

/**
 * `MPI_Win_test`: whether an exposure epoch has ended.
 */
int MPI_Win_test(MPI_Win win, int *flag);

/**
 * `MPI_Win_toint`: the integer of a window.
 */
int MPI_Win_toint(MPI_Win win);

/**
 * `MPI_Win_unlock`: completes all operations on a rank, and releases its lock.
 */
int MPI_Win_unlock(int rank, MPI_Win win);

/**
 * `MPI_Win_unlock_all`: completes all operations, and releases the locks of all ranks.
 */
int MPI_Win_unlock_all(MPI_Win win);

/**
 * `MPI_Win_wait`: waits for the end of an exposure epoch.
 */
int MPI_Win_wait(MPI_Win win);

/**
 * `MPI_Wtick`: the resolution of [`PMPI_Wtime`] in seconds.
 */
double MPI_Wtick(void);

/**
 * `MPI_Wtime`: seconds since some time in the past.
 */
double MPI_Wtime(void);

/* The same functions, for tools */
int PMPI_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false, int *is_set);

int PMPI_Abi_get_fortran_info(MPI_Info *info);

int PMPI_Abi_get_info(MPI_Info *info);

int PMPI_Abi_get_version(int *abi_major, int *abi_minor);

int PMPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false);

int PMPI_Abi_set_fortran_info(MPI_Info info);

int PMPI_Abort(MPI_Comm comm, int errorcode);

int PMPI_Accumulate(const void *origin_addr,
                    int origin_count,
                    MPI_Datatype origin_datatype,
                    int target_rank,
                    MPI_Aint target_disp,
                    int target_count,
                    MPI_Datatype target_datatype,
                    MPI_Op op,
                    MPI_Win win);

int PMPI_Accumulate_c(const void *origin_addr,
                      MPI_Count origin_count,
                      MPI_Datatype origin_datatype,
                      int target_rank,
                      MPI_Aint target_disp,
                      MPI_Count target_count,
                      MPI_Datatype target_datatype,
                      MPI_Op op,
                      MPI_Win win);

int PMPI_Add_error_class(int *errorclass);

int PMPI_Add_error_code(int errorclass, int *errorcode);

int PMPI_Add_error_string(int errorcode, const char *string);

MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp);

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2);

int PMPI_Allgather(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   MPI_Comm comm);

int PMPI_Allgather_c(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     MPI_Comm comm);

int PMPI_Allgather_init(const void *sendbuf,
                        int sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        int recvcount,
                        MPI_Datatype recvtype,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

int PMPI_Allgather_init_c(const void *sendbuf,
                          MPI_Count sendcount,
                          MPI_Datatype sendtype,
                          void *recvbuf,
                          MPI_Count recvcount,
                          MPI_Datatype recvtype,
                          MPI_Comm comm,
                          MPI_Info info,
                          MPI_Request *request);

int PMPI_Allgatherv(const void *sendbuf,
                    int sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const int *recvcounts,
                    const int *displs,
                    MPI_Datatype recvtype,
                    MPI_Comm comm);

int PMPI_Allgatherv_c(const void *sendbuf,
                      MPI_Count sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *displs,
                      MPI_Datatype recvtype,
                      MPI_Comm comm);

int PMPI_Allgatherv_init(const void *sendbuf,
                         int sendcount,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         const int *recvcounts,
                         const int *displs,
                         MPI_Datatype recvtype,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

int PMPI_Allgatherv_init_c(const void *sendbuf,
                           MPI_Count sendcount,
                           MPI_Datatype sendtype,
                           void *recvbuf,
                           const MPI_Count *recvcounts,
                           const MPI_Aint *displs,
                           MPI_Datatype recvtype,
                           MPI_Comm comm,
                           MPI_Info info,
                           MPI_Request *request);

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr);

int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

int PMPI_Allreduce_c(const void *sendbuf,
                     void *recvbuf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     MPI_Comm comm);

int PMPI_Allreduce_init(const void *sendbuf,
                        void *recvbuf,
                        int count,
                        MPI_Datatype datatype,
                        MPI_Op op,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

int PMPI_Allreduce_init_c(const void *sendbuf,
                          void *recvbuf,
                          MPI_Count count,
                          MPI_Datatype datatype,
                          MPI_Op op,
                          MPI_Comm comm,
                          MPI_Info info,
                          MPI_Request *request);

int PMPI_Alltoall(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  MPI_Comm comm);

int PMPI_Alltoall_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    MPI_Comm comm);

int PMPI_Alltoall_init(const void *sendbuf,
                       int sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       int recvcount,
                       MPI_Datatype recvtype,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

int PMPI_Alltoall_init_c(const void *sendbuf,
                         MPI_Count sendcount,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         MPI_Count recvcount,
                         MPI_Datatype recvtype,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

int PMPI_Alltoallv(const void *sendbuf,
                   const int *sendcounts,
                   const int *sdispls,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   const int *recvcounts,
                   const int *rdispls,
                   MPI_Datatype recvtype,
                   MPI_Comm comm);

int PMPI_Alltoallv_c(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *sdispls,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     const MPI_Count *recvcounts,
                     const MPI_Aint *rdispls,
                     MPI_Datatype recvtype,
                     MPI_Comm comm);

int PMPI_Alltoallv_init(const void *sendbuf,
                        const int *sendcounts,
                        const int *sdispls,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        const int *recvcounts,
                        const int *rdispls,
                        MPI_Datatype recvtype,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

int PMPI_Alltoallv_init_c(const void *sendbuf,
                          const MPI_Count *sendcounts,
                          const MPI_Aint *sdispls,
                          MPI_Datatype sendtype,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          const MPI_Aint *rdispls,
                          MPI_Datatype recvtype,
                          MPI_Comm comm,
                          MPI_Info info,
                          MPI_Request *request);

int PMPI_Alltoallw(const void *sendbuf,
                   const int *sendcounts,
                   const int *sdispls,
                   const MPI_Datatype *sendtypes,
                   void *recvbuf,
                   const int *recvcounts,
                   const int *rdispls,
                   const MPI_Datatype *recvtypes,
                   MPI_Comm comm);

int PMPI_Alltoallw_c(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *sdispls,
                     const MPI_Datatype *sendtypes,
                     void *recvbuf,
                     const MPI_Count *recvcounts,
                     const MPI_Aint *rdispls,
                     const MPI_Datatype *recvtypes,
                     MPI_Comm comm);

int PMPI_Alltoallw_init(const void *sendbuf,
                        const int *sendcounts,
                        const int *sdispls,
                        const MPI_Datatype *sendtypes,
                        void *recvbuf,
                        const int *recvcounts,
                        const int *rdispls,
                        const MPI_Datatype *recvtypes,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

int PMPI_Alltoallw_init_c(const void *sendbuf,
                          const MPI_Count *sendcounts,
                          const MPI_Aint *sdispls,
                          const MPI_Datatype *sendtypes,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          const MPI_Aint *rdispls,
                          const MPI_Datatype *recvtypes,
                          MPI_Comm comm,
                          MPI_Info info,
                          MPI_Request *request);

int PMPI_Attr_delete(MPI_Comm comm, int keyval);

int PMPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag);

int PMPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val);

int PMPI_Barrier(MPI_Comm comm);

int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);

int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);

int PMPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);

int PMPI_Bcast_init(void *buffer,
                    int count,
                    MPI_Datatype datatype,
                    int root,
                    MPI_Comm comm,
                    MPI_Info info,
                    MPI_Request *request);

int PMPI_Bcast_init_c(void *buffer,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      MPI_Request *request);

int PMPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int PMPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int PMPI_Bsend_init(const void *buf,
                    int count,
                    MPI_Datatype datatype,
                    int dest,
                    int tag,
                    MPI_Comm comm,
                    MPI_Request *request);

int PMPI_Bsend_init_c(const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int dest,
                      int tag,
                      MPI_Comm comm,
                      MPI_Request *request);

int PMPI_Buffer_attach(void *buffer, int size);

int PMPI_Buffer_attach_c(void *buffer, MPI_Count size);

int PMPI_Buffer_detach(void *buffer_addr, int *size);

int PMPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size);

int PMPI_Buffer_flush(void);

int PMPI_Buffer_iflush(MPI_Request *request);

int PMPI_Cancel(MPI_Request *request);

int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int *coords);

int PMPI_Cart_create(MPI_Comm comm_old,
                     int ndims,
                     const int *dims,
                     const int *periods,
                     int reorder,
                     MPI_Comm *comm_cart);

int PMPI_Cart_get(MPI_Comm comm, int maxdims, int *dims, int *periods, int *coords);

int PMPI_Cart_map(MPI_Comm comm, int ndims, const int *dims, const int *periods, int *newrank);

int PMPI_Cart_rank(MPI_Comm comm, const int *coords, int *rank);

int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest);

int PMPI_Cart_sub(MPI_Comm comm, const int *remain_dims, MPI_Comm *newcomm);

int PMPI_Cartdim_get(MPI_Comm comm, int *ndims);

int PMPI_Close_port(const char *port_name);

int PMPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm);

int PMPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size);

int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size);

int PMPI_Comm_c2f(MPI_Comm comm);

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result);

int PMPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm);

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm);

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn, MPI_Errhandler *errhandler);

int PMPI_Comm_create_from_group(MPI_Group group,
                                const char *stringtag,
                                MPI_Info info,
                                MPI_Errhandler errhandler,
                                MPI_Comm *newcomm);

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm);

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
                            MPI_Comm_delete_attr_function *comm_delete_attr_fn,
                            int *comm_keyval,
                            void *extra_state);

int PMPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval);

int PMPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size);

int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size);

int PMPI_Comm_disconnect(MPI_Comm *comm);

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm);

MPI_Comm PMPI_Comm_f2c(int comm);

int PMPI_Comm_flush_buffer(MPI_Comm comm);

int PMPI_Comm_free(MPI_Comm *comm);

int PMPI_Comm_free_keyval(int *comm_keyval);

MPI_Comm PMPI_Comm_fromint(int comm);

int PMPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag);

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler);

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used);

int PMPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen);

int PMPI_Comm_get_parent(MPI_Comm *parent);

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group);

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request);

int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request);

int PMPI_Comm_join(int fd, MPI_Comm *intercomm);

int PMPI_Comm_rank(MPI_Comm comm, int *rank);

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group);

int PMPI_Comm_remote_size(MPI_Comm comm, int *size);

int PMPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val);

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler);

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info);

int PMPI_Comm_set_name(MPI_Comm comm, const char *comm_name);

int PMPI_Comm_size(MPI_Comm comm, int *size);

int PMPI_Comm_spawn(const char *command,
                    char **argv,
                    int maxprocs,
                    MPI_Info info,
                    int root,
                    MPI_Comm comm,
                    MPI_Comm *intercomm,
                    int *array_of_errcodes);

int PMPI_Comm_spawn_multiple(int count,
                             char **array_of_commands,
                             char ***array_of_argv,
                             const int *array_of_maxprocs,
                             const MPI_Info *array_of_info,
                             int root,
                             MPI_Comm comm,
                             MPI_Comm *intercomm,
                             int *array_of_errcodes);

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm);

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag);

int PMPI_Comm_toint(MPI_Comm comm);

int PMPI_Compare_and_swap(const void *origin_addr,
                          const void *compare_addr,
                          void *result_addr,
                          MPI_Datatype datatype,
                          int target_rank,
                          MPI_Aint target_disp,
                          MPI_Win win);

int PMPI_Dims_create(int nnodes, int ndims, int *dims);

int PMPI_Dist_graph_create(MPI_Comm comm_old,
                           int n,
                           const int *sources,
                           const int *degrees,
                           const int *destinations,
                           const int *weights,
                           MPI_Info info,
                           int reorder,
                           MPI_Comm *comm_dist_graph);

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old,
                                    int indegree,
                                    const int *sources,
                                    const int *sourceweights,
                                    int outdegree,
                                    const int *destinations,
                                    const int *destweights,
                                    MPI_Info info,
                                    int reorder,
                                    MPI_Comm *comm_dist_graph);

int PMPI_Dist_graph_neighbors(MPI_Comm comm,
                              int maxindegree,
                              int *sources,
                              int *sourceweights,
                              int maxoutdegree,
                              int *destinations,
                              int *destweights);

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted);

int PMPI_Errhandler_c2f(MPI_Errhandler errhandler);

MPI_Errhandler PMPI_Errhandler_f2c(int errhandler);

int PMPI_Errhandler_free(MPI_Errhandler *errhandler);

MPI_Errhandler PMPI_Errhandler_fromint(int errhandler);

int PMPI_Errhandler_toint(MPI_Errhandler errhandler);

int PMPI_Error_class(int errorcode, int *errorclass);

int PMPI_Error_string(int errorcode, char *string, int *resultlen);

int PMPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

int PMPI_Exscan_c(const void *sendbuf,
                  void *recvbuf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Op op,
                  MPI_Comm comm);

int PMPI_Exscan_init(const void *sendbuf,
                     void *recvbuf,
                     int count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     MPI_Comm comm,
                     MPI_Info info,
                     MPI_Request *request);

int PMPI_Exscan_init_c(const void *sendbuf,
                       void *recvbuf,
                       MPI_Count count,
                       MPI_Datatype datatype,
                       MPI_Op op,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

int PMPI_Fetch_and_op(const void *origin_addr,
                      void *result_addr,
                      MPI_Datatype datatype,
                      int target_rank,
                      MPI_Aint target_disp,
                      MPI_Op op,
                      MPI_Win win);

int PMPI_File_c2f(MPI_File file);

int PMPI_File_call_errhandler(MPI_File fh, int errorcode);

int PMPI_File_close(MPI_File *fh);

int PMPI_File_create_errhandler(MPI_File_errhandler_function *file_errhandler_fn, MPI_Errhandler *errhandler);

int PMPI_File_delete(const char *filename, MPI_Info info);

MPI_File PMPI_File_f2c(int file);

MPI_File PMPI_File_fromint(int file);

int PMPI_File_get_amode(MPI_File fh, int *amode);

int PMPI_File_get_atomicity(MPI_File fh, int *flag);

int PMPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset *disp);

int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler);

int PMPI_File_get_group(MPI_File fh, MPI_Group *group);

int PMPI_File_get_info(MPI_File fh, MPI_Info *info_used);

int PMPI_File_get_position(MPI_File fh, MPI_Offset *offset);

int PMPI_File_get_position_shared(MPI_File fh, MPI_Offset *offset);

int PMPI_File_get_size(MPI_File fh, MPI_Offset *size);

int PMPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent);

int PMPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count *extent);

int PMPI_File_get_view(MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep);

int PMPI_File_iread(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iread_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iread_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iread_at(MPI_File fh,
                       MPI_Offset offset,
                       void *buf,
                       int count,
                       MPI_Datatype datatype,
                       MPI_Request *request);

int PMPI_File_iread_at_all(MPI_File fh,
                           MPI_Offset offset,
                           void *buf,
                           int count,
                           MPI_Datatype datatype,
                           MPI_Request *request);

int PMPI_File_iread_at_all_c(MPI_File fh,
                             MPI_Offset offset,
                             void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Request *request);

int PMPI_File_iread_at_c(MPI_File fh,
                         MPI_Offset offset,
                         void *buf,
                         MPI_Count count,
                         MPI_Datatype datatype,
                         MPI_Request *request);

int PMPI_File_iread_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iread_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iread_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iwrite(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iwrite_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iwrite_all_c(MPI_File fh,
                           const void *buf,
                           MPI_Count count,
                           MPI_Datatype datatype,
                           MPI_Request *request);

int PMPI_File_iwrite_at(MPI_File fh,
                        MPI_Offset offset,
                        const void *buf,
                        int count,
                        MPI_Datatype datatype,
                        MPI_Request *request);

int PMPI_File_iwrite_at_all(MPI_File fh,
                            MPI_Offset offset,
                            const void *buf,
                            int count,
                            MPI_Datatype datatype,
                            MPI_Request *request);

int PMPI_File_iwrite_at_all_c(MPI_File fh,
                              MPI_Offset offset,
                              const void *buf,
                              MPI_Count count,
                              MPI_Datatype datatype,
                              MPI_Request *request);

int PMPI_File_iwrite_at_c(MPI_File fh,
                          MPI_Offset offset,
                          const void *buf,
                          MPI_Count count,
                          MPI_Datatype datatype,
                          MPI_Request *request);

int PMPI_File_iwrite_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iwrite_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request);

int PMPI_File_iwrite_shared_c(MPI_File fh,
                              const void *buf,
                              MPI_Count count,
                              MPI_Datatype datatype,
                              MPI_Request *request);

int PMPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh);

int PMPI_File_preallocate(MPI_File fh, MPI_Offset size);

int PMPI_File_read(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_read_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_read_all_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype);

int PMPI_File_read_all_begin_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype);

int PMPI_File_read_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_read_all_end(MPI_File fh, void *buf, MPI_Status *status);

int PMPI_File_read_at(MPI_File fh,
                      MPI_Offset offset,
                      void *buf,
                      int count,
                      MPI_Datatype datatype,
                      MPI_Status *status);

int PMPI_File_read_at_all(MPI_File fh,
                          MPI_Offset offset,
                          void *buf,
                          int count,
                          MPI_Datatype datatype,
                          MPI_Status *status);

int PMPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype);

int PMPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype);

int PMPI_File_read_at_all_c(MPI_File fh,
                            MPI_Offset offset,
                            void *buf,
                            MPI_Count count,
                            MPI_Datatype datatype,
                            MPI_Status *status);

int PMPI_File_read_at_all_end(MPI_File fh, void *buf, MPI_Status *status);

int PMPI_File_read_at_c(MPI_File fh,
                        MPI_Offset offset,
                        void *buf,
                        MPI_Count count,
                        MPI_Datatype datatype,
                        MPI_Status *status);

int PMPI_File_read_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_read_ordered(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_read_ordered_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype);

int PMPI_File_read_ordered_begin_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype);

int PMPI_File_read_ordered_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_read_ordered_end(MPI_File fh, void *buf, MPI_Status *status);

int PMPI_File_read_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_read_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_seek(MPI_File fh, MPI_Offset offset, int whence);

int PMPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence);

int PMPI_File_set_atomicity(MPI_File fh, int flag);

int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler);

int PMPI_File_set_info(MPI_File fh, MPI_Info info);

int PMPI_File_set_size(MPI_File fh, MPI_Offset size);

int PMPI_File_set_view(MPI_File fh,
                       MPI_Offset disp,
                       MPI_Datatype etype,
                       MPI_Datatype filetype,
                       const char *datarep,
                       MPI_Info info);

int PMPI_File_sync(MPI_File fh);

int PMPI_File_toint(MPI_File file);

int PMPI_File_write(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_write_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_write_all_begin(MPI_File fh, const void *buf, int count, MPI_Datatype datatype);

int PMPI_File_write_all_begin_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype);

int PMPI_File_write_all_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_write_all_end(MPI_File fh, const void *buf, MPI_Status *status);

int PMPI_File_write_at(MPI_File fh,
                       MPI_Offset offset,
                       const void *buf,
                       int count,
                       MPI_Datatype datatype,
                       MPI_Status *status);

int PMPI_File_write_at_all(MPI_File fh,
                           MPI_Offset offset,
                           const void *buf,
                           int count,
                           MPI_Datatype datatype,
                           MPI_Status *status);

int PMPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype);

int PMPI_File_write_at_all_begin_c(MPI_File fh,
                                   MPI_Offset offset,
                                   const void *buf,
                                   MPI_Count count,
                                   MPI_Datatype datatype);

int PMPI_File_write_at_all_c(MPI_File fh,
                             MPI_Offset offset,
                             const void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Status *status);

int PMPI_File_write_at_all_end(MPI_File fh, const void *buf, MPI_Status *status);

int PMPI_File_write_at_c(MPI_File fh,
                         MPI_Offset offset,
                         const void *buf,
                         MPI_Count count,
                         MPI_Datatype datatype,
                         MPI_Status *status);

int PMPI_File_write_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_write_ordered(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_write_ordered_begin(MPI_File fh, const void *buf, int count, MPI_Datatype datatype);

int PMPI_File_write_ordered_begin_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype);

int PMPI_File_write_ordered_c(MPI_File fh,
                              const void *buf,
                              MPI_Count count,
                              MPI_Datatype datatype,
                              MPI_Status *status);

int PMPI_File_write_ordered_end(MPI_File fh, const void *buf, MPI_Status *status);

int PMPI_File_write_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status);

int PMPI_File_write_shared_c(MPI_File fh,
                             const void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Status *status);

int PMPI_Finalize(void);

int PMPI_Finalized(int *flag);

int PMPI_Free_mem(void *base);

int PMPI_Gather(const void *sendbuf,
                int sendcount,
                MPI_Datatype sendtype,
                void *recvbuf,
                int recvcount,
                MPI_Datatype recvtype,
                int root,
                MPI_Comm comm);

int PMPI_Gather_c(const void *sendbuf,
                  MPI_Count sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  MPI_Count recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm);

int PMPI_Gather_init(const void *sendbuf,
                     int sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     int recvcount,
                     MPI_Datatype recvtype,
                     int root,
                     MPI_Comm comm,
                     MPI_Info info,
                     MPI_Request *request);

int PMPI_Gather_init_c(const void *sendbuf,
                       MPI_Count sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       MPI_Count recvcount,
                       MPI_Datatype recvtype,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

int PMPI_Gatherv(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 const int *recvcounts,
                 const int *displs,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm);

int PMPI_Gatherv_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   const MPI_Count *recvcounts,
                   const MPI_Aint *displs,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm);

int PMPI_Gatherv_init(const void *sendbuf,
                      int sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const int *recvcounts,
                      const int *displs,
                      MPI_Datatype recvtype,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      MPI_Request *request);

int PMPI_Gatherv_init_c(const void *sendbuf,
                        MPI_Count sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        const MPI_Count *recvcounts,
                        const MPI_Aint *displs,
                        MPI_Datatype recvtype,
                        int root,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

int PMPI_Get(void *origin_addr,
             int origin_count,
             MPI_Datatype origin_datatype,
             int target_rank,
             MPI_Aint target_disp,
             int target_count,
             MPI_Datatype target_datatype,
             MPI_Win win);

int PMPI_Get_accumulate(const void *origin_addr,
                        int origin_count,
                        MPI_Datatype origin_datatype,
                        void *result_addr,
                        int result_count,
                        MPI_Datatype result_datatype,
                        int target_rank,
                        MPI_Aint target_disp,
                        int target_count,
                        MPI_Datatype target_datatype,
                        MPI_Op op,
                        MPI_Win win);

int PMPI_Get_accumulate_c(const void *origin_addr,
                          MPI_Count origin_count,
                          MPI_Datatype origin_datatype,
                          void *result_addr,
                          MPI_Count result_count,
                          MPI_Datatype result_datatype,
                          int target_rank,
                          MPI_Aint target_disp,
                          MPI_Count target_count,
                          MPI_Datatype target_datatype,
                          MPI_Op op,
                          MPI_Win win);

int PMPI_Get_address(const void *location, MPI_Aint *address);

int PMPI_Get_c(void *origin_addr,
               MPI_Count origin_count,
               MPI_Datatype origin_datatype,
               int target_rank,
               MPI_Aint target_disp,
               MPI_Count target_count,
               MPI_Datatype target_datatype,
               MPI_Win win);

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count);

int PMPI_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);

int PMPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count);

int PMPI_Get_elements_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);

int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);

int PMPI_Get_hw_resource_info(MPI_Info *hw_info);

int PMPI_Get_library_version(char *version, int *resultlen);

int PMPI_Get_processor_name(char *name, int *resultlen);

int PMPI_Get_version(int *version, int *subversion);

int PMPI_Graph_create(MPI_Comm comm_old,
                      int nnodes,
                      const int *index,
                      const int *edges,
                      int reorder,
                      MPI_Comm *comm_graph);

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int *index, int *edges);

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int *index, const int *edges, int *newrank);

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int *neighbors);

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors);

int PMPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges);

int PMPI_Grequest_complete(MPI_Request request);

int PMPI_Grequest_start(MPI_Grequest_query_function *query_fn,
                        MPI_Grequest_free_function *free_fn,
                        MPI_Grequest_cancel_function *cancel_fn,
                        void *extra_state,
                        MPI_Request *request);

int PMPI_Group_c2f(MPI_Group group);

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result);

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);

int PMPI_Group_excl(MPI_Group group, int n, const int *ranks, MPI_Group *newgroup);

MPI_Group PMPI_Group_f2c(int group);

int PMPI_Group_free(MPI_Group *group);

int PMPI_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup);

MPI_Group PMPI_Group_fromint(int group);

int PMPI_Group_incl(MPI_Group group, int n, const int *ranks, MPI_Group *newgroup);

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);

int PMPI_Group_range_excl(MPI_Group group, int n, int (*ranges)[3], MPI_Group *newgroup);

int PMPI_Group_range_incl(MPI_Group group, int n, int (*ranges)[3], MPI_Group *newgroup);

int PMPI_Group_rank(MPI_Group group, int *rank);

int PMPI_Group_size(MPI_Group group, int *size);

int PMPI_Group_toint(MPI_Group group);

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int *ranks1, MPI_Group group2, int *ranks2);

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);

int PMPI_Iallgather(const void *sendbuf,
                    int sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    int recvcount,
                    MPI_Datatype recvtype,
                    MPI_Comm comm,
                    MPI_Request *request);

int PMPI_Iallgather_c(const void *sendbuf,
                      MPI_Count sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      MPI_Count recvcount,
                      MPI_Datatype recvtype,
                      MPI_Comm comm,
                      MPI_Request *request);

int PMPI_Iallgatherv(const void *sendbuf,
                     int sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     const int *recvcounts,
                     const int *displs,
                     MPI_Datatype recvtype,
                     MPI_Comm comm,
                     MPI_Request *request);

int PMPI_Iallgatherv_c(const void *sendbuf,
                       MPI_Count sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       const MPI_Count *recvcounts,
                       const MPI_Aint *displs,
                       MPI_Datatype recvtype,
                       MPI_Comm comm,
                       MPI_Request *request);

int PMPI_Iallreduce(const void *sendbuf,
                    void *recvbuf,
                    int count,
                    MPI_Datatype datatype,
                    MPI_Op op,
                    MPI_Comm comm,
                    MPI_Request *request);

int PMPI_Iallreduce_c(const void *sendbuf,
                      void *recvbuf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      MPI_Op op,
                      MPI_Comm comm,
                      MPI_Request *request);

int PMPI_Ialltoall(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   MPI_Comm comm,
                   MPI_Request *request);

int PMPI_Ialltoall_c(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     MPI_Comm comm,
                     MPI_Request *request);

int PMPI_Ialltoallv(const void *sendbuf,
                    const int *sendcounts,
                    const int *sdispls,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const int *recvcounts,
                    const int *rdispls,
                    MPI_Datatype recvtype,
                    MPI_Comm comm,
                    MPI_Request *request);

int PMPI_Ialltoallv_c(const void *sendbuf,
                      const MPI_Count *sendcounts,
                      const MPI_Aint *sdispls,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *rdispls,
                      MPI_Datatype recvtype,
                      MPI_Comm comm,
                      MPI_Request *request);

int PMPI_Ialltoallw(const void *sendbuf,
                    const int *sendcounts,
                    const int *sdispls,
                    const MPI_Datatype *sendtypes,
                    void *recvbuf,
                    const int *recvcounts,
                    const int *rdispls,
                    const MPI_Datatype *recvtypes,
                    MPI_Comm comm,
                    MPI_Request *request);

int PMPI_Ialltoallw_c(const void *sendbuf,
                      const MPI_Count *sendcounts,
                      const MPI_Aint *sdispls,
                      const MPI_Datatype *sendtypes,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *rdispls,
                      const MPI_Datatype *recvtypes,
                      MPI_Comm comm,
                      MPI_Request *request);

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request);

int PMPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request);

int PMPI_Ibcast_c(void *buffer,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int root,
                  MPI_Comm comm,
                  MPI_Request *request);

int PMPI_Ibsend(const void *buf,
                int count,
                MPI_Datatype datatype,
                int dest,
                int tag,
                MPI_Comm comm,
                MPI_Request *request);

int PMPI_Ibsend_c(const void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request *request);

int PMPI_Iexscan(const void *sendbuf,
                 void *recvbuf,
                 int count,
                 MPI_Datatype datatype,
                 MPI_Op op,
                 MPI_Comm comm,
                 MPI_Request *request);

int PMPI_Iexscan_c(const void *sendbuf,
                   void *recvbuf,
                   MPI_Count count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   MPI_Comm comm,
                   MPI_Request *request);

int PMPI_Igather(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 int recvcount,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm,
                 MPI_Request *request);

int PMPI_Igather_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm,
                   MPI_Request *request);

int PMPI_Igatherv(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  const int *recvcounts,
                  const int *displs,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm,
                  MPI_Request *request);

int PMPI_Igatherv_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const MPI_Count *recvcounts,
                    const MPI_Aint *displs,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm,
                    MPI_Request *request);

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);

int PMPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request);

int PMPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request);

int PMPI_Ineighbor_allgather(const void *sendbuf,
                             int sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             int recvcount,
                             MPI_Datatype recvtype,
                             MPI_Comm comm,
                             MPI_Request *request);

int PMPI_Ineighbor_allgather_c(const void *sendbuf,
                               MPI_Count sendcount,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               MPI_Count recvcount,
                               MPI_Datatype recvtype,
                               MPI_Comm comm,
                               MPI_Request *request);

int PMPI_Ineighbor_allgatherv(const void *sendbuf,
                              int sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              const int *recvcounts,
                              const int *displs,
                              MPI_Datatype recvtype,
                              MPI_Comm comm,
                              MPI_Request *request);

int PMPI_Ineighbor_allgatherv_c(const void *sendbuf,
                                MPI_Count sendcount,
                                MPI_Datatype sendtype,
                                void *recvbuf,
                                const MPI_Count *recvcounts,
                                const MPI_Aint *displs,
                                MPI_Datatype recvtype,
                                MPI_Comm comm,
                                MPI_Request *request);

int PMPI_Ineighbor_alltoall(const void *sendbuf,
                            int sendcount,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            int recvcount,
                            MPI_Datatype recvtype,
                            MPI_Comm comm,
                            MPI_Request *request);

int PMPI_Ineighbor_alltoall_c(const void *sendbuf,
                              MPI_Count sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              MPI_Count recvcount,
                              MPI_Datatype recvtype,
                              MPI_Comm comm,
                              MPI_Request *request);

int PMPI_Ineighbor_alltoallv(const void *sendbuf,
                             const int *sendcounts,
                             const int *sdispls,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             const int *recvcounts,
                             const int *rdispls,
                             MPI_Datatype recvtype,
                             MPI_Comm comm,
                             MPI_Request *request);

int PMPI_Ineighbor_alltoallv_c(const void *sendbuf,
                               const MPI_Count *sendcounts,
                               const MPI_Aint *sdispls,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               const MPI_Aint *rdispls,
                               MPI_Datatype recvtype,
                               MPI_Comm comm,
                               MPI_Request *request);

int PMPI_Ineighbor_alltoallw(const void *sendbuf,
                             const int *sendcounts,
                             const MPI_Aint *sdispls,
                             const MPI_Datatype *sendtypes,
                             void *recvbuf,
                             const int *recvcounts,
                             const MPI_Aint *rdispls,
                             const MPI_Datatype *recvtypes,
                             MPI_Comm comm,
                             MPI_Request *request);

int PMPI_Ineighbor_alltoallw_c(const void *sendbuf,
                               const MPI_Count *sendcounts,
                               const MPI_Aint *sdispls,
                               const MPI_Datatype *sendtypes,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               const MPI_Aint *rdispls,
                               const MPI_Datatype *recvtypes,
                               MPI_Comm comm,
                               MPI_Request *request);

int PMPI_Info_c2f(MPI_Info info);

int PMPI_Info_create(MPI_Info *info);

int PMPI_Info_create_env(int argc, char **argv, MPI_Info *info);

int PMPI_Info_delete(MPI_Info info, const char *key);

int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo);

MPI_Info PMPI_Info_f2c(int info);

int PMPI_Info_free(MPI_Info *info);

MPI_Info PMPI_Info_fromint(int info);

int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag);

int PMPI_Info_get_nkeys(MPI_Info info, int *nkeys);

int PMPI_Info_get_nthkey(MPI_Info info, int n, char *key);

int PMPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag);

int PMPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag);

int PMPI_Info_set(MPI_Info info, const char *key, const char *value);

int PMPI_Info_toint(MPI_Info info);

int PMPI_Init(int *argc, char ***argv);

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);

int PMPI_Initialized(int *flag);

int PMPI_Intercomm_create(MPI_Comm local_comm,
                          int local_leader,
                          MPI_Comm peer_comm,
                          int remote_leader,
                          int tag,
                          MPI_Comm *newintercomm);

int PMPI_Intercomm_create_from_groups(MPI_Group local_group,
                                      int local_leader,
                                      MPI_Group remote_group,
                                      int remote_leader,
                                      const char *stringtag,
                                      MPI_Info info,
                                      MPI_Errhandler errhandler,
                                      MPI_Comm *newintercomm);

int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm);

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);

int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request);

int PMPI_Irecv_c(void *buf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 int source,
                 int tag,
                 MPI_Comm comm,
                 MPI_Request *request);

int PMPI_Ireduce(const void *sendbuf,
                 void *recvbuf,
                 int count,
                 MPI_Datatype datatype,
                 MPI_Op op,
                 int root,
                 MPI_Comm comm,
                 MPI_Request *request);

int PMPI_Ireduce_c(const void *sendbuf,
                   void *recvbuf,
                   MPI_Count count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   int root,
                   MPI_Comm comm,
                   MPI_Request *request);

int PMPI_Ireduce_scatter(const void *sendbuf,
                         void *recvbuf,
                         const int *recvcounts,
                         MPI_Datatype datatype,
                         MPI_Op op,
                         MPI_Comm comm,
                         MPI_Request *request);

int PMPI_Ireduce_scatter_block(const void *sendbuf,
                               void *recvbuf,
                               int recvcount,
                               MPI_Datatype datatype,
                               MPI_Op op,
                               MPI_Comm comm,
                               MPI_Request *request);

int PMPI_Ireduce_scatter_block_c(const void *sendbuf,
                                 void *recvbuf,
                                 MPI_Count recvcount,
                                 MPI_Datatype datatype,
                                 MPI_Op op,
                                 MPI_Comm comm,
                                 MPI_Request *request);

int PMPI_Ireduce_scatter_c(const void *sendbuf,
                           void *recvbuf,
                           const MPI_Count *recvcounts,
                           MPI_Datatype datatype,
                           MPI_Op op,
                           MPI_Comm comm,
                           MPI_Request *request);

int PMPI_Irsend(const void *buf,
                int count,
                MPI_Datatype datatype,
                int dest,
                int tag,
                MPI_Comm comm,
                MPI_Request *request);

int PMPI_Irsend_c(const void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request *request);

int PMPI_Is_thread_main(int *flag);

int PMPI_Iscan(const void *sendbuf,
               void *recvbuf,
               int count,
               MPI_Datatype datatype,
               MPI_Op op,
               MPI_Comm comm,
               MPI_Request *request);

int PMPI_Iscan_c(const void *sendbuf,
                 void *recvbuf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 MPI_Op op,
                 MPI_Comm comm,
                 MPI_Request *request);

int PMPI_Iscatter(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm,
                  MPI_Request *request);

int PMPI_Iscatter_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm,
                    MPI_Request *request);

int PMPI_Iscatterv(const void *sendbuf,
                   const int *sendcounts,
                   const int *displs,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm,
                   MPI_Request *request);

int PMPI_Iscatterv_c(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *displs,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     int root,
                     MPI_Comm comm,
                     MPI_Request *request);

int PMPI_Isend(const void *buf,
               int count,
               MPI_Datatype datatype,
               int dest,
               int tag,
               MPI_Comm comm,
               MPI_Request *request);

int PMPI_Isend_c(const void *buf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 int dest,
                 int tag,
                 MPI_Comm comm,
                 MPI_Request *request);

int PMPI_Isendrecv(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   int dest,
                   int sendtag,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   int source,
                   int recvtag,
                   MPI_Comm comm,
                   MPI_Request *request);

int PMPI_Isendrecv_c(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     int dest,
                     int sendtag,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     int source,
                     int recvtag,
                     MPI_Comm comm,
                     MPI_Request *request);

int PMPI_Isendrecv_replace(void *buf,
                           int count,
                           MPI_Datatype datatype,
                           int dest,
                           int sendtag,
                           int source,
                           int recvtag,
                           MPI_Comm comm,
                           MPI_Request *request);

int PMPI_Isendrecv_replace_c(void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             int dest,
                             int sendtag,
                             int source,
                             int recvtag,
                             MPI_Comm comm,
                             MPI_Request *request);

int PMPI_Issend(const void *buf,
                int count,
                MPI_Datatype datatype,
                int dest,
                int tag,
                MPI_Comm comm,
                MPI_Request *request);

int PMPI_Issend_c(const void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request *request);

int PMPI_Keyval_create(MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn, int *keyval, void *extra_state);

int PMPI_Keyval_free(int *keyval);

int PMPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name);

int PMPI_Message_c2f(MPI_Message message);

MPI_Message PMPI_Message_f2c(int message);

MPI_Message PMPI_Message_fromint(int message);

int PMPI_Message_toint(MPI_Message message);

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);

int PMPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status);

int PMPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status);

int PMPI_Neighbor_allgather(const void *sendbuf,
                            int sendcount,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            int recvcount,
                            MPI_Datatype recvtype,
                            MPI_Comm comm);

int PMPI_Neighbor_allgather_c(const void *sendbuf,
                              MPI_Count sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              MPI_Count recvcount,
                              MPI_Datatype recvtype,
                              MPI_Comm comm);

int PMPI_Neighbor_allgather_init(const void *sendbuf,
                                 int sendcount,
                                 MPI_Datatype sendtype,
                                 void *recvbuf,
                                 int recvcount,
                                 MPI_Datatype recvtype,
                                 MPI_Comm comm,
                                 MPI_Info info,
                                 MPI_Request *request);

int PMPI_Neighbor_allgather_init_c(const void *sendbuf,
                                   MPI_Count sendcount,
                                   MPI_Datatype sendtype,
                                   void *recvbuf,
                                   MPI_Count recvcount,
                                   MPI_Datatype recvtype,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   MPI_Request *request);

int PMPI_Neighbor_allgatherv(const void *sendbuf,
                             int sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             const int *recvcounts,
                             const int *displs,
                             MPI_Datatype recvtype,
                             MPI_Comm comm);

int PMPI_Neighbor_allgatherv_c(const void *sendbuf,
                               MPI_Count sendcount,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               const MPI_Aint *displs,
                               MPI_Datatype recvtype,
                               MPI_Comm comm);

int PMPI_Neighbor_allgatherv_init(const void *sendbuf,
                                  int sendcount,
                                  MPI_Datatype sendtype,
                                  void *recvbuf,
                                  const int *recvcounts,
                                  const int *displs,
                                  MPI_Datatype recvtype,
                                  MPI_Comm comm,
                                  MPI_Info info,
                                  MPI_Request *request);

int PMPI_Neighbor_allgatherv_init_c(const void *sendbuf,
                                    MPI_Count sendcount,
                                    MPI_Datatype sendtype,
                                    void *recvbuf,
                                    const MPI_Count *recvcounts,
                                    const MPI_Aint *displs,
                                    MPI_Datatype recvtype,
                                    MPI_Comm comm,
                                    MPI_Info info,
                                    MPI_Request *request);

int PMPI_Neighbor_alltoall(const void *sendbuf,
                           int sendcount,
                           MPI_Datatype sendtype,
                           void *recvbuf,
                           int recvcount,
                           MPI_Datatype recvtype,
                           MPI_Comm comm);

int PMPI_Neighbor_alltoall_c(const void *sendbuf,
                             MPI_Count sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             MPI_Count recvcount,
                             MPI_Datatype recvtype,
                             MPI_Comm comm);

int PMPI_Neighbor_alltoall_init(const void *sendbuf,
                                int sendcount,
                                MPI_Datatype sendtype,
                                void *recvbuf,
                                int recvcount,
                                MPI_Datatype recvtype,
                                MPI_Comm comm,
                                MPI_Info info,
                                MPI_Request *request);

int PMPI_Neighbor_alltoall_init_c(const void *sendbuf,
                                  MPI_Count sendcount,
                                  MPI_Datatype sendtype,
                                  void *recvbuf,
                                  MPI_Count recvcount,
                                  MPI_Datatype recvtype,
                                  MPI_Comm comm,
                                  MPI_Info info,
                                  MPI_Request *request);

int PMPI_Neighbor_alltoallv(const void *sendbuf,
                            const int *sendcounts,
                            const int *sdispls,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            const int *recvcounts,
                            const int *rdispls,
                            MPI_Datatype recvtype,
                            MPI_Comm comm);

int PMPI_Neighbor_alltoallv_c(const void *sendbuf,
                              const MPI_Count *sendcounts,
                              const MPI_Aint *sdispls,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              const MPI_Aint *rdispls,
                              MPI_Datatype recvtype,
                              MPI_Comm comm);

int PMPI_Neighbor_alltoallv_init(const void *sendbuf,
                                 const int *sendcounts,
                                 const int *sdispls,
                                 MPI_Datatype sendtype,
                                 void *recvbuf,
                                 const int *recvcounts,
                                 const int *rdispls,
                                 MPI_Datatype recvtype,
                                 MPI_Comm comm,
                                 MPI_Info info,
                                 MPI_Request *request);

int PMPI_Neighbor_alltoallv_init_c(const void *sendbuf,
                                   const MPI_Count *sendcounts,
                                   const MPI_Aint *sdispls,
                                   MPI_Datatype sendtype,
                                   void *recvbuf,
                                   const MPI_Count *recvcounts,
                                   const MPI_Aint *rdispls,
                                   MPI_Datatype recvtype,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   MPI_Request *request);

int PMPI_Neighbor_alltoallw(const void *sendbuf,
                            const int *sendcounts,
                            const MPI_Aint *sdispls,
                            const MPI_Datatype *sendtypes,
                            void *recvbuf,
                            const int *recvcounts,
                            const MPI_Aint *rdispls,
                            const MPI_Datatype *recvtypes,
                            MPI_Comm comm);

int PMPI_Neighbor_alltoallw_c(const void *sendbuf,
                              const MPI_Count *sendcounts,
                              const MPI_Aint *sdispls,
                              const MPI_Datatype *sendtypes,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              const MPI_Aint *rdispls,
                              const MPI_Datatype *recvtypes,
                              MPI_Comm comm);

int PMPI_Neighbor_alltoallw_init(const void *sendbuf,
                                 const int *sendcounts,
                                 const MPI_Aint *sdispls,
                                 const MPI_Datatype *sendtypes,
                                 void *recvbuf,
                                 const int *recvcounts,
                                 const MPI_Aint *rdispls,
                                 const MPI_Datatype *recvtypes,
                                 MPI_Comm comm,
                                 MPI_Info info,
                                 MPI_Request *request);

int PMPI_Neighbor_alltoallw_init_c(const void *sendbuf,
                                   const MPI_Count *sendcounts,
                                   const MPI_Aint *sdispls,
                                   const MPI_Datatype *sendtypes,
                                   void *recvbuf,
                                   const MPI_Count *recvcounts,
                                   const MPI_Aint *rdispls,
                                   const MPI_Datatype *recvtypes,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   MPI_Request *request);

int PMPI_Op_c2f(MPI_Op op);

int PMPI_Op_commutative(MPI_Op op, int *commute);

int PMPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op);

int PMPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op);

MPI_Op PMPI_Op_f2c(int op);

int PMPI_Op_free(MPI_Op *op);

MPI_Op PMPI_Op_fromint(int op);

int PMPI_Op_toint(MPI_Op op);

int PMPI_Open_port(MPI_Info info, char *port_name);

int PMPI_Pack(const void *inbuf,
              int incount,
              MPI_Datatype datatype,
              void *outbuf,
              int outsize,
              int *position,
              MPI_Comm comm);

int PMPI_Pack_c(const void *inbuf,
                MPI_Count incount,
                MPI_Datatype datatype,
                void *outbuf,
                MPI_Count outsize,
                MPI_Count *position,
                MPI_Comm comm);

int PMPI_Pack_external(const char *datarep,
                       const void *inbuf,
                       int incount,
                       MPI_Datatype datatype,
                       void *outbuf,
                       MPI_Aint outsize,
                       MPI_Aint *position);

int PMPI_Pack_external_c(const char *datarep,
                         const void *inbuf,
                         MPI_Count incount,
                         MPI_Datatype datatype,
                         void *outbuf,
                         MPI_Count outsize,
                         MPI_Count *position);

int PMPI_Pack_external_size(const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size);

int PMPI_Pack_external_size_c(const char *datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count *size);

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size);

int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size);

int PMPI_Parrived(MPI_Request request, int partition, int *flag);

int PMPI_Pcontrol(int level, ...);

int PMPI_Pready(int partition, MPI_Request request);

int PMPI_Pready_list(int length, const int *array_of_partitions, MPI_Request request);

int PMPI_Pready_range(int partition_low, int partition_high, MPI_Request request);

int PMPI_Precv_init(void *buf,
                    int partitions,
                    MPI_Count count,
                    MPI_Datatype datatype,
                    int source,
                    int tag,
                    MPI_Comm comm,
                    MPI_Info info,
                    MPI_Request *request);

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);

int PMPI_Psend_init(const void *buf,
                    int partitions,
                    MPI_Count count,
                    MPI_Datatype datatype,
                    int dest,
                    int tag,
                    MPI_Comm comm,
                    MPI_Info info,
                    MPI_Request *request);

int PMPI_Publish_name(const char *service_name, MPI_Info info, const char *port_name);

int PMPI_Put(const void *origin_addr,
             int origin_count,
             MPI_Datatype origin_datatype,
             int target_rank,
             MPI_Aint target_disp,
             int target_count,
             MPI_Datatype target_datatype,
             MPI_Win win);

int PMPI_Put_c(const void *origin_addr,
               MPI_Count origin_count,
               MPI_Datatype origin_datatype,
               int target_rank,
               MPI_Aint target_disp,
               MPI_Count target_count,
               MPI_Datatype target_datatype,
               MPI_Win win);

int PMPI_Query_thread(int *provided);

int PMPI_Raccumulate(const void *origin_addr,
                     int origin_count,
                     MPI_Datatype origin_datatype,
                     int target_rank,
                     MPI_Aint target_disp,
                     int target_count,
                     MPI_Datatype target_datatype,
                     MPI_Op op,
                     MPI_Win win,
                     MPI_Request *request);

int PMPI_Raccumulate_c(const void *origin_addr,
                       MPI_Count origin_count,
                       MPI_Datatype origin_datatype,
                       int target_rank,
                       MPI_Aint target_disp,
                       MPI_Count target_count,
                       MPI_Datatype target_datatype,
                       MPI_Op op,
                       MPI_Win win,
                       MPI_Request *request);

int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);

int PMPI_Recv_c(void *buf,
                MPI_Count count,
                MPI_Datatype datatype,
                int source,
                int tag,
                MPI_Comm comm,
                MPI_Status *status);

int PMPI_Recv_init(void *buf,
                   int count,
                   MPI_Datatype datatype,
                   int source,
                   int tag,
                   MPI_Comm comm,
                   MPI_Request *request);

int PMPI_Recv_init_c(void *buf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int source,
                     int tag,
                     MPI_Comm comm,
                     MPI_Request *request);

int PMPI_Reduce(const void *sendbuf,
                void *recvbuf,
                int count,
                MPI_Datatype datatype,
                MPI_Op op,
                int root,
                MPI_Comm comm);

int PMPI_Reduce_c(const void *sendbuf,
                  void *recvbuf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Op op,
                  int root,
                  MPI_Comm comm);

int PMPI_Reduce_init(const void *sendbuf,
                     void *recvbuf,
                     int count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     int root,
                     MPI_Comm comm,
                     MPI_Info info,
                     MPI_Request *request);

int PMPI_Reduce_init_c(const void *sendbuf,
                       void *recvbuf,
                       MPI_Count count,
                       MPI_Datatype datatype,
                       MPI_Op op,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

int PMPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op);

int PMPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op);

int PMPI_Reduce_scatter(const void *sendbuf,
                        void *recvbuf,
                        const int *recvcounts,
                        MPI_Datatype datatype,
                        MPI_Op op,
                        MPI_Comm comm);

int PMPI_Reduce_scatter_block(const void *sendbuf,
                              void *recvbuf,
                              int recvcount,
                              MPI_Datatype datatype,
                              MPI_Op op,
                              MPI_Comm comm);

int PMPI_Reduce_scatter_block_c(const void *sendbuf,
                                void *recvbuf,
                                MPI_Count recvcount,
                                MPI_Datatype datatype,
                                MPI_Op op,
                                MPI_Comm comm);

int PMPI_Reduce_scatter_block_init(const void *sendbuf,
                                   void *recvbuf,
                                   int recvcount,
                                   MPI_Datatype datatype,
                                   MPI_Op op,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   MPI_Request *request);

int PMPI_Reduce_scatter_block_init_c(const void *sendbuf,
                                     void *recvbuf,
                                     MPI_Count recvcount,
                                     MPI_Datatype datatype,
                                     MPI_Op op,
                                     MPI_Comm comm,
                                     MPI_Info info,
                                     MPI_Request *request);

int PMPI_Reduce_scatter_c(const void *sendbuf,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          MPI_Datatype datatype,
                          MPI_Op op,
                          MPI_Comm comm);

int PMPI_Reduce_scatter_init(const void *sendbuf,
                             void *recvbuf,
                             const int *recvcounts,
                             MPI_Datatype datatype,
                             MPI_Op op,
                             MPI_Comm comm,
                             MPI_Info info,
                             MPI_Request *request);

int PMPI_Reduce_scatter_init_c(const void *sendbuf,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               MPI_Datatype datatype,
                               MPI_Op op,
                               MPI_Comm comm,
                               MPI_Info info,
                               MPI_Request *request);

int PMPI_Register_datarep(const char *datarep,
                          MPI_Datarep_conversion_function *read_conversion_fn,
                          MPI_Datarep_conversion_function *write_conversion_fn,
                          MPI_Datarep_extent_function *dtype_file_extent_fn,
                          void *extra_state);

int PMPI_Register_datarep_c(const char *datarep,
                            MPI_Datarep_conversion_function_c *read_conversion_fn,
                            MPI_Datarep_conversion_function_c *write_conversion_fn,
                            MPI_Datarep_extent_function *dtype_file_extent_fn,
                            void *extra_state);

int PMPI_Remove_error_class(int errorclass);

int PMPI_Remove_error_code(int errorcode);

int PMPI_Remove_error_string(int errorcode);

int PMPI_Request_c2f(MPI_Request request);

MPI_Request PMPI_Request_f2c(int request);

int PMPI_Request_free(MPI_Request *request);

MPI_Request PMPI_Request_fromint(int request);

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);

int PMPI_Request_get_status_all(int count,
                                const MPI_Request *array_of_requests,
                                int *flag,
                                MPI_Status *array_of_statuses);

int PMPI_Request_get_status_any(int count,
                                const MPI_Request *array_of_requests,
                                int *index,
                                int *flag,
                                MPI_Status *status);

int PMPI_Request_get_status_some(int incount,
                                 const MPI_Request *array_of_requests,
                                 int *outcount,
                                 int *array_of_indices,
                                 MPI_Status *array_of_statuses);

int PMPI_Request_toint(MPI_Request request);

int PMPI_Rget(void *origin_addr,
              int origin_count,
              MPI_Datatype origin_datatype,
              int target_rank,
              MPI_Aint target_disp,
              int target_count,
              MPI_Datatype target_datatype,
              MPI_Win win,
              MPI_Request *request);

int PMPI_Rget_accumulate(const void *origin_addr,
                         int origin_count,
                         MPI_Datatype origin_datatype,
                         void *result_addr,
                         int result_count,
                         MPI_Datatype result_datatype,
                         int target_rank,
                         MPI_Aint target_disp,
                         int target_count,
                         MPI_Datatype target_datatype,
                         MPI_Op op,
                         MPI_Win win,
                         MPI_Request *request);

int PMPI_Rget_accumulate_c(const void *origin_addr,
                           MPI_Count origin_count,
                           MPI_Datatype origin_datatype,
                           void *result_addr,
                           MPI_Count result_count,
                           MPI_Datatype result_datatype,
                           int target_rank,
                           MPI_Aint target_disp,
                           MPI_Count target_count,
                           MPI_Datatype target_datatype,
                           MPI_Op op,
                           MPI_Win win,
                           MPI_Request *request);

int PMPI_Rget_c(void *origin_addr,
                MPI_Count origin_count,
                MPI_Datatype origin_datatype,
                int target_rank,
                MPI_Aint target_disp,
                MPI_Count target_count,
                MPI_Datatype target_datatype,
                MPI_Win win,
                MPI_Request *request);

int PMPI_Rput(const void *origin_addr,
              int origin_count,
              MPI_Datatype origin_datatype,
              int target_rank,
              MPI_Aint target_disp,
              int target_count,
              MPI_Datatype target_datatype,
              MPI_Win win,
              MPI_Request *request);

int PMPI_Rput_c(const void *origin_addr,
                MPI_Count origin_count,
                MPI_Datatype origin_datatype,
                int target_rank,
                MPI_Aint target_disp,
                MPI_Count target_count,
                MPI_Datatype target_datatype,
                MPI_Win win,
                MPI_Request *request);

int PMPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int PMPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int PMPI_Rsend_init(const void *buf,
                    int count,
                    MPI_Datatype datatype,
                    int dest,
                    int tag,
                    MPI_Comm comm,
                    MPI_Request *request);

int PMPI_Rsend_init_c(const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int dest,
                      int tag,
                      MPI_Comm comm,
                      MPI_Request *request);

int PMPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

int PMPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

int PMPI_Scan_init(const void *sendbuf,
                   void *recvbuf,
                   int count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   MPI_Comm comm,
                   MPI_Info info,
                   MPI_Request *request);

int PMPI_Scan_init_c(const void *sendbuf,
                     void *recvbuf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     MPI_Comm comm,
                     MPI_Info info,
                     MPI_Request *request);

int PMPI_Scatter(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 int recvcount,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm);

int PMPI_Scatter_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm);

int PMPI_Scatter_init(const void *sendbuf,
                      int sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      int recvcount,
                      MPI_Datatype recvtype,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      MPI_Request *request);

int PMPI_Scatter_init_c(const void *sendbuf,
                        MPI_Count sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        MPI_Count recvcount,
                        MPI_Datatype recvtype,
                        int root,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

int PMPI_Scatterv(const void *sendbuf,
                  const int *sendcounts,
                  const int *displs,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm);

int PMPI_Scatterv_c(const void *sendbuf,
                    const MPI_Count *sendcounts,
                    const MPI_Aint *displs,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm);

int PMPI_Scatterv_init(const void *sendbuf,
                       const int *sendcounts,
                       const int *displs,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       int recvcount,
                       MPI_Datatype recvtype,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

int PMPI_Scatterv_init_c(const void *sendbuf,
                         const MPI_Count *sendcounts,
                         const MPI_Aint *displs,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         MPI_Count recvcount,
                         MPI_Datatype recvtype,
                         int root,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int PMPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int PMPI_Send_init(const void *buf,
                   int count,
                   MPI_Datatype datatype,
                   int dest,
                   int tag,
                   MPI_Comm comm,
                   MPI_Request *request);

int PMPI_Send_init_c(const void *buf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int dest,
                     int tag,
                     MPI_Comm comm,
                     MPI_Request *request);

int PMPI_Sendrecv(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  int dest,
                  int sendtag,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  int source,
                  int recvtag,
                  MPI_Comm comm,
                  MPI_Status *status);

int PMPI_Sendrecv_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    int dest,
                    int sendtag,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int source,
                    int recvtag,
                    MPI_Comm comm,
                    MPI_Status *status);

int PMPI_Sendrecv_replace(void *buf,
                          int count,
                          MPI_Datatype datatype,
                          int dest,
                          int sendtag,
                          int source,
                          int recvtag,
                          MPI_Comm comm,
                          MPI_Status *status);

int PMPI_Sendrecv_replace_c(void *buf,
                            MPI_Count count,
                            MPI_Datatype datatype,
                            int dest,
                            int sendtag,
                            int source,
                            int recvtag,
                            MPI_Comm comm,
                            MPI_Status *status);

int PMPI_Session_attach_buffer(MPI_Session session, void *buffer, int size);

int PMPI_Session_attach_buffer_c(MPI_Session session, void *buffer, MPI_Count size);

int PMPI_Session_c2f(MPI_Session session);

int PMPI_Session_call_errhandler(MPI_Session session, int errorcode);

int PMPI_Session_create_errhandler(MPI_Session_errhandler_function *session_errhandler_fn,
                                   MPI_Errhandler *errhandler);

int PMPI_Session_detach_buffer(MPI_Session session, void *buffer_addr, int *size);

int PMPI_Session_detach_buffer_c(MPI_Session session, void *buffer_addr, MPI_Count *size);

MPI_Session PMPI_Session_f2c(int session);

int PMPI_Session_finalize(MPI_Session *session);

int PMPI_Session_flush_buffer(MPI_Session session);

MPI_Session PMPI_Session_fromint(int session);

int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler);

int PMPI_Session_get_info(MPI_Session session, MPI_Info *info_used);

int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name);

int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names);

int PMPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info);

int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request);

int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);

int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler);

int PMPI_Session_toint(MPI_Session session);

int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int PMPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

int PMPI_Ssend_init(const void *buf,
                    int count,
                    MPI_Datatype datatype,
                    int dest,
                    int tag,
                    MPI_Comm comm,
                    MPI_Request *request);

int PMPI_Ssend_init_c(const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int dest,
                      int tag,
                      MPI_Comm comm,
                      MPI_Request *request);

int PMPI_Start(MPI_Request *request);

int PMPI_Startall(int count, MPI_Request *array_of_requests);

int PMPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status);

int PMPI_Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status);

int PMPI_Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status);

int PMPI_Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status);

int PMPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status);

int PMPI_Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status);

int PMPI_Status_get_error(const MPI_Status *status, int *error);

int PMPI_Status_get_source(const MPI_Status *status, int *source);

int PMPI_Status_get_tag(const MPI_Status *status, int *tag);

int PMPI_Status_set_cancelled(MPI_Status *status, int flag);

int PMPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count);

int PMPI_Status_set_elements_c(MPI_Status *status, MPI_Datatype datatype, MPI_Count count);

int PMPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype datatype, MPI_Count count);

int PMPI_Status_set_error(MPI_Status *status, int error);

int PMPI_Status_set_source(MPI_Status *status, int source);

int PMPI_Status_set_tag(MPI_Status *status, int tag);

int PMPI_T_category_changed(int *update_number);

int PMPI_T_category_get_categories(int cat_index, int len, int *indices);

int PMPI_T_category_get_cvars(int cat_index, int len, int *indices);

int PMPI_T_category_get_events(int cat_index, int len, int *indices);

int PMPI_T_category_get_index(const char *name, int *cat_index);

int PMPI_T_category_get_info(int cat_index,
                             char *name,
                             int *name_len,
                             char *desc,
                             int *desc_len,
                             int *num_cvars,
                             int *num_pvars,
                             int *num_categories);

int PMPI_T_category_get_num(int *num_cat);

int PMPI_T_category_get_num_events(int cat_index, int *num_events);

int PMPI_T_category_get_pvars(int cat_index, int len, int *indices);

int PMPI_T_cvar_get_index(const char *name, int *cvar_index);

int PMPI_T_cvar_get_info(int cvar_index,
                         char *name,
                         int *name_len,
                         int *verbosity,
                         MPI_Datatype *datatype,
                         MPI_T_enum *enumtype,
                         char *desc,
                         int *desc_len,
                         int *bind,
                         int *scope);

int PMPI_T_cvar_get_num(int *num_cvar);

int PMPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count);

int PMPI_T_cvar_handle_free(MPI_T_cvar_handle *handle);

int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf);

int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf);

int PMPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len);

int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len);

int PMPI_T_event_callback_get_info(MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety,
                                   MPI_Info *info_used);

int PMPI_T_event_callback_set_info(MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety,
                                   MPI_Info info);

int PMPI_T_event_copy(MPI_T_event_instance event_instance, void *buffer);

int PMPI_T_event_get_index(const char *name, int *event_index);

int PMPI_T_event_get_info(int event_index,
                          char *name,
                          int *name_len,
                          int *verbosity,
                          MPI_Datatype *array_of_datatypes,
                          MPI_Aint *array_of_displacements,
                          int *num_elements,
                          MPI_T_enum *enumtype,
                          MPI_Info *info,
                          char *desc,
                          int *desc_len,
                          int *bind);

int PMPI_T_event_get_num(int *num_events);

int PMPI_T_event_get_source(MPI_T_event_instance event_instance, int *source_index);

int PMPI_T_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp);

int PMPI_T_event_handle_alloc(int event_index,
                              void *obj_handle,
                              MPI_Info info,
                              MPI_T_event_registration *event_registration);

int PMPI_T_event_handle_free(MPI_T_event_registration event_registration,
                             void *user_data,
                             MPI_T_event_free_cb_function *free_cb_function);

int PMPI_T_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used);

int PMPI_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info);

int PMPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer);

int PMPI_T_event_register_callback(MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety,
                                   MPI_Info info,
                                   void *user_data,
                                   MPI_T_event_cb_function *event_cb_function);

int PMPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                     MPI_T_event_dropped_cb_function *dropped_cb_function);

int PMPI_T_finalize(void);

int PMPI_T_init_thread(int required, int *provided);

int PMPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index);

int PMPI_T_pvar_get_info(int pvar_index,
                         char *name,
                         int *name_len,
                         int *verbosity,
                         int *var_class,
                         MPI_Datatype *datatype,
                         MPI_T_enum *enumtype,
                         char *desc,
                         int *desc_len,
                         int *bind,
                         int *readonly,
                         int *continuous,
                         int *atomic);

int PMPI_T_pvar_get_num(int *num_pvar);

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session pe_session,
                             int pvar_index,
                             void *obj_handle,
                             MPI_T_pvar_handle *handle,
                             int *count);

int PMPI_T_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle *handle);

int PMPI_T_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf);

int PMPI_T_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf);

int PMPI_T_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle);

int PMPI_T_pvar_session_create(MPI_T_pvar_session *pe_session);

int PMPI_T_pvar_session_free(MPI_T_pvar_session *pe_session);

int PMPI_T_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle);

int PMPI_T_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle);

int PMPI_T_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, const void *buf);

int PMPI_T_source_get_info(int source_index,
                           char *name,
                           int *name_len,
                           char *desc,
                           int *desc_len,
                           MPI_T_source_order *ordering,
                           MPI_Count *ticks_per_second,
                           MPI_Count *max_ticks,
                           MPI_Info *info);

int PMPI_T_source_get_num(int *num_sources);

int PMPI_T_source_get_timestamp(int source_index, MPI_Count *timestamp);

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status);

int PMPI_Test_cancelled(const MPI_Status *status, int *flag);

int PMPI_Testall(int count, MPI_Request *array_of_requests, int *flag, MPI_Status *array_of_statuses);

int PMPI_Testany(int count, MPI_Request *array_of_requests, int *indx, int *flag, MPI_Status *status);

int PMPI_Testsome(int incount,
                  MPI_Request *array_of_requests,
                  int *outcount,
                  int *array_of_indices,
                  MPI_Status *array_of_statuses);

int PMPI_Topo_test(MPI_Comm comm, int *status);

int PMPI_Type_c2f(MPI_Datatype datatype);

int PMPI_Type_commit(MPI_Datatype *datatype);

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype);

int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype);

int PMPI_Type_create_darray(int size,
                            int rank,
                            int ndims,
                            const int *array_of_gsizes,
                            const int *array_of_distribs,
                            const int *array_of_dargs,
                            const int *array_of_psizes,
                            int order,
                            MPI_Datatype oldtype,
                            MPI_Datatype *newtype);

int PMPI_Type_create_darray_c(int size,
                              int rank,
                              int ndims,
                              const MPI_Count *array_of_gsizes,
                              const int *array_of_distribs,
                              const int *array_of_dargs,
                              const int *array_of_psizes,
                              int order,
                              MPI_Datatype oldtype,
                              MPI_Datatype *newtype);

int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype);

int PMPI_Type_create_f90_integer(int r, MPI_Datatype *newtype);

int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype);

int PMPI_Type_create_hindexed(int count,
                              const int *array_of_blocklengths,
                              const MPI_Aint *array_of_displacements,
                              MPI_Datatype oldtype,
                              MPI_Datatype *newtype);

int PMPI_Type_create_hindexed_block(int count,
                                    int blocklength,
                                    const MPI_Aint *array_of_displacements,
                                    MPI_Datatype oldtype,
                                    MPI_Datatype *newtype);

int PMPI_Type_create_hindexed_block_c(MPI_Count count,
                                      MPI_Count blocklength,
                                      const MPI_Count *array_of_displacements,
                                      MPI_Datatype oldtype,
                                      MPI_Datatype *newtype);

int PMPI_Type_create_hindexed_c(MPI_Count count,
                                const MPI_Count *array_of_blocklengths,
                                const MPI_Count *array_of_displacements,
                                MPI_Datatype oldtype,
                                MPI_Datatype *newtype);

int PMPI_Type_create_hvector(int count,
                             int blocklength,
                             MPI_Aint stride,
                             MPI_Datatype oldtype,
                             MPI_Datatype *newtype);

int PMPI_Type_create_hvector_c(MPI_Count count,
                               MPI_Count blocklength,
                               MPI_Count stride,
                               MPI_Datatype oldtype,
                               MPI_Datatype *newtype);

int PMPI_Type_create_indexed_block(int count,
                                   int blocklength,
                                   const int *array_of_displacements,
                                   MPI_Datatype oldtype,
                                   MPI_Datatype *newtype);

int PMPI_Type_create_indexed_block_c(MPI_Count count,
                                     MPI_Count blocklength,
                                     const MPI_Count *array_of_displacements,
                                     MPI_Datatype oldtype,
                                     MPI_Datatype *newtype);

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
                            MPI_Type_delete_attr_function *type_delete_attr_fn,
                            int *type_keyval,
                            void *extra_state);

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype);

int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype);

int PMPI_Type_create_struct(int count,
                            const int *array_of_blocklengths,
                            const MPI_Aint *array_of_displacements,
                            const MPI_Datatype *array_of_types,
                            MPI_Datatype *newtype);

int PMPI_Type_create_struct_c(MPI_Count count,
                              const MPI_Count *array_of_blocklengths,
                              const MPI_Count *array_of_displacements,
                              const MPI_Datatype *array_of_types,
                              MPI_Datatype *newtype);

int PMPI_Type_create_subarray(int ndims,
                              const int *array_of_sizes,
                              const int *array_of_subsizes,
                              const int *array_of_starts,
                              int order,
                              MPI_Datatype oldtype,
                              MPI_Datatype *newtype);

int PMPI_Type_create_subarray_c(int ndims,
                                const MPI_Count *array_of_sizes,
                                const MPI_Count *array_of_subsizes,
                                const MPI_Count *array_of_starts,
                                int order,
                                MPI_Datatype oldtype,
                                MPI_Datatype *newtype);

int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval);

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype);

MPI_Datatype PMPI_Type_f2c(int datatype);

int PMPI_Type_free(MPI_Datatype *datatype);

int PMPI_Type_free_keyval(int *type_keyval);

MPI_Datatype PMPI_Type_fromint(int datatype);

int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag);

int PMPI_Type_get_contents(MPI_Datatype datatype,
                           int max_integers,
                           int max_addresses,
                           int max_datatypes,
                           int *array_of_integers,
                           MPI_Aint *array_of_addresses,
                           MPI_Datatype *array_of_datatypes);

int PMPI_Type_get_contents_c(MPI_Datatype datatype,
                             MPI_Count max_integers,
                             MPI_Count max_addresses,
                             MPI_Count max_large_counts,
                             MPI_Count max_datatypes,
                             int *array_of_integers,
                             MPI_Aint *array_of_addresses,
                             MPI_Count *array_of_large_counts,
                             MPI_Datatype *array_of_datatypes);

int PMPI_Type_get_envelope(MPI_Datatype datatype,
                           int *num_integers,
                           int *num_addresses,
                           int *num_datatypes,
                           int *combiner);

int PMPI_Type_get_envelope_c(MPI_Datatype datatype,
                             MPI_Count *num_integers,
                             MPI_Count *num_addresses,
                             MPI_Count *num_large_counts,
                             MPI_Count *num_datatypes,
                             int *combiner);

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent);

int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent);

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent);

int PMPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen);

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent);

int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent);

int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent);

int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair_type);

int PMPI_Type_indexed(int count,
                      const int *array_of_blocklengths,
                      const int *array_of_displacements,
                      MPI_Datatype oldtype,
                      MPI_Datatype *newtype);

int PMPI_Type_indexed_c(MPI_Count count,
                        const MPI_Count *array_of_blocklengths,
                        const MPI_Count *array_of_displacements,
                        MPI_Datatype oldtype,
                        MPI_Datatype *newtype);

int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype *datatype);

int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val);

int PMPI_Type_set_name(MPI_Datatype datatype, const char *type_name);

int PMPI_Type_size(MPI_Datatype datatype, int *size);

int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count *size);

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size);

int PMPI_Type_toint(MPI_Datatype datatype);

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype);

int PMPI_Type_vector_c(MPI_Count count,
                       MPI_Count blocklength,
                       MPI_Count stride,
                       MPI_Datatype oldtype,
                       MPI_Datatype *newtype);

int PMPI_Unpack(const void *inbuf,
                int insize,
                int *position,
                void *outbuf,
                int outcount,
                MPI_Datatype datatype,
                MPI_Comm comm);

int PMPI_Unpack_c(const void *inbuf,
                  MPI_Count insize,
                  MPI_Count *position,
                  void *outbuf,
                  MPI_Count outcount,
                  MPI_Datatype datatype,
                  MPI_Comm comm);

int PMPI_Unpack_external(const char *datarep,
                         const void *inbuf,
                         MPI_Aint insize,
                         MPI_Aint *position,
                         void *outbuf,
                         int outcount,
                         MPI_Datatype datatype);

int PMPI_Unpack_external_c(const char *datarep,
                           const void *inbuf,
                           MPI_Count insize,
                           MPI_Count *position,
                           void *outbuf,
                           MPI_Count outcount,
                           MPI_Datatype datatype);

int PMPI_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name);

int PMPI_Wait(MPI_Request *request, MPI_Status *status);

int PMPI_Waitall(int count, MPI_Request *array_of_requests, MPI_Status *array_of_statuses);

int PMPI_Waitany(int count, MPI_Request *array_of_requests, int *indx, MPI_Status *status);

int PMPI_Waitsome(int incount,
                  MPI_Request *array_of_requests,
                  int *outcount,
                  int *array_of_indices,
                  MPI_Status *array_of_statuses);

int PMPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win);

int PMPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win);

int PMPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win);

int PMPI_Win_allocate_shared_c(MPI_Aint size,
                               MPI_Aint disp_unit,
                               MPI_Info info,
                               MPI_Comm comm,
                               void *baseptr,
                               MPI_Win *win);

int PMPI_Win_attach(MPI_Win win, void *base, MPI_Aint size);

int PMPI_Win_c2f(MPI_Win win);

int PMPI_Win_call_errhandler(MPI_Win win, int errorcode);

int PMPI_Win_complete(MPI_Win win);

int PMPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);

int PMPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win);

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn, MPI_Errhandler *errhandler);

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
                           MPI_Win_delete_attr_function *win_delete_attr_fn,
                           int *win_keyval,
                           void *extra_state);

int PMPI_Win_delete_attr(MPI_Win win, int win_keyval);

int PMPI_Win_detach(MPI_Win win, const void *base);

MPI_Win PMPI_Win_f2c(int win);

int PMPI_Win_fence(int assert, MPI_Win win);

int PMPI_Win_flush(int rank, MPI_Win win);

int PMPI_Win_flush_all(MPI_Win win);

int PMPI_Win_flush_local(int rank, MPI_Win win);

int PMPI_Win_flush_local_all(MPI_Win win);

int PMPI_Win_free(MPI_Win *win);

int PMPI_Win_free_keyval(int *win_keyval);

MPI_Win PMPI_Win_fromint(int win);

int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag);

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler);

int PMPI_Win_get_group(MPI_Win win, MPI_Group *group);

int PMPI_Win_get_info(MPI_Win win, MPI_Info *info_used);

int PMPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen);

int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win);

int PMPI_Win_lock_all(int assert, MPI_Win win);

int PMPI_Win_post(MPI_Group group, int assert, MPI_Win win);

int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val);

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler);

int PMPI_Win_set_info(MPI_Win win, MPI_Info info);

int PMPI_Win_set_name(MPI_Win win, const char *win_name);

int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr);

int PMPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr);

int PMPI_Win_start(MPI_Group group, int assert, MPI_Win win);

int PMPI_Win_sync(MPI_Win win);

int PMPI_Win_test(MPI_Win win, int *flag);

int PMPI_Win_toint(MPI_Win win);

int PMPI_Win_unlock(int rank, MPI_Win win);

int PMPI_Win_unlock_all(MPI_Win win);

int PMPI_Win_wait(MPI_Win win);

double PMPI_Wtick(void);

double PMPI_Wtime(void);

#ifdef __cplusplus
}
#endif

#ifndef MPI_NO_REMOVED
#include "mpi_removed.h"
#endif

#endif /* SIMURGH_MPI_H */
