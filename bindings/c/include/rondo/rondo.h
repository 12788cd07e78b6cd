/* The stable C interface of Rondo: load an archive, ask what it holds, run and train
   it. */
#ifndef RONDO_RONDO_H
#define RONDO_RONDO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RONDO_API __attribute__((visibility("default")))

/* The version that this header belongs to. Within one major version (and one minor version while
   the major is 0) functions and fields are only added. */
#define RONDO_VERSION_MAJOR 0
#define RONDO_VERSION_MINOR 1
#define RONDO_VERSION_PATCH 0

/* Kinds of error, the same ones as the exceptions of Python. Codes are stable. */
typedef enum rondo_code {
  RONDO_OK = 0,
  RONDO_SHAPE_ERROR = 1,
  RONDO_DTYPE_ERROR = 2,
  RONDO_DEVICE_ERROR = 3,
  RONDO_INDEX_ERROR = 4,
  RONDO_ARGUMENT_ERROR = 5,
  RONDO_OUT_OF_MEMORY_ERROR = 6,
  RONDO_UNSUPPORTED_ERROR = 7,
  RONDO_CANCELLED_ERROR = 8,
  RONDO_IO_ERROR = 9,
  RONDO_FORMAT_ERROR = 10,
  RONDO_COMPILE_ERROR = 11,
  RONDO_INTERNAL_ERROR = 12,
  RONDO_DEADLINE_ERROR = 13
} rondo_code;

/* Element types. Codes are stable. Bools are bytes of 0 or 1. */
typedef enum rondo_dtype {
  RONDO_BOOL = 0,
  RONDO_UINT8 = 1,
  RONDO_INT8 = 2,
  RONDO_INT16 = 3,
  RONDO_INT32 = 4,
  RONDO_INT64 = 5,
  RONDO_FLOAT16 = 6,
  RONDO_BFLOAT16 = 7,
  RONDO_FLOAT32 = 8,
  RONDO_FLOAT64 = 9
} rondo_dtype;

/* Opaque handles. Each has one function that frees it, which takes NULL too. */
typedef struct rondo_error rondo_error;
typedef struct rondo_module rondo_module;
typedef struct rondo_session rondo_session;
typedef struct rondo_outputs rondo_outputs;
typedef struct rondo_optimizer rondo_optimizer;

/* A tensor in memory. `struct_size` is sizeof(rondo_tensor) of the caller, so that later versions
   can add fields. */
typedef struct rondo_tensor {
  size_t struct_size;
  int32_t dtype; /* a rondo_dtype */
  int32_t rank;
  const int64_t* shape;
  const int64_t* strides; /* in elements, not negative; NULL: row-major without gaps */
  const void* data;
} rondo_tensor;

/* Modes of a session's runs. Codes are stable. */
typedef enum rondo_mode { RONDO_EVAL = 0, RONDO_TRAIN = 1 } rondo_mode;

/* How a method is run. */
typedef struct rondo_run_options {
  size_t struct_size;
  double timeout_seconds; /* the run ends at its next kernel after this time; 0: never */
  double max_work;        /* elements that ops touch and multiplications of products; 0: any */
} rondo_run_options;

/* How an archive is read. */
typedef struct rondo_load_options {
  size_t struct_size;
  int32_t copy_weights; /* 1: into memory, for files that are overwritten in place; 0: mapped */
} rondo_load_options;

/* What a tensor of an archive is. Codes are stable. */
typedef enum rondo_role { RONDO_PARAMETER = 0, RONDO_BUFFER = 1, RONDO_CONSTANT = 2 } rondo_role;

/* A tensor of an archive. Texts and shape live as long as the session. */
typedef struct rondo_tensor_info {
  size_t struct_size; /* set by the caller */
  const char* name;
  int32_t role;      /* a rondo_role */
  int32_t trainable; /* 1: a parameter that can be trained; else 0 */
  int32_t dtype;
  int32_t rank;
  const int64_t* shape;
} rondo_tensor_info;

/* Numbers of an optimizer; flags are 0 or 1. Begin with the defaults below. */
typedef struct rondo_sgd_options {
  size_t struct_size;
  double lr;
  double momentum;
  double dampening;
  double weight_decay;
  int32_t nesterov;
  int32_t maximize;
} rondo_sgd_options;

typedef struct rondo_adam_options {
  size_t struct_size;
  double lr;
  double beta1;
  double beta2;
  double eps;
  double weight_decay;
  int32_t decoupled; /* 1: AdamW */
  int32_t amsgrad;
  int32_t maximize;
} rondo_adam_options;

/* clang-format off */
#define RONDO_SGD_DEFAULTS {sizeof(rondo_sgd_options), 1e-3, 0, 0, 0, 0, 0}
#define RONDO_ADAM_DEFAULTS {sizeof(rondo_adam_options), 1e-3, 0.9, 0.999, 1e-8, 0, 0, 0, 0}
/* clang-format on */

/* What a method takes or gives at one place. Texts live as long as the module. */
typedef struct rondo_value_info {
  size_t struct_size; /* set by the caller */
  const char* name;
  int32_t dtype;
  int32_t rank;
  const char* shape; /* for example "[batch, 3]" */
} rondo_value_info;

typedef enum rondo_direction { RONDO_INPUT = 0, RONDO_OUTPUT = 1 } rondo_direction;

typedef enum rondo_log_level { RONDO_LOG_INFO = 0, RONDO_LOG_ERROR = 1 } rondo_log_level;
typedef void (*rondo_log_function)(void* context, int32_t level, const char* text);

/* Called once when the bytes given to rondo_module_load_bytes are no longer used. */
typedef void (*rondo_release_function)(void* context);

/* Functions that can fail take `error`, which may be NULL; on failure it receives an object for
   rondo_error_free, on success NULL. They return RONDO_OK or the code, or NULL for a handle. */

/* The version of the library: major * 1000000 + minor * 1000 + patch, and as text. */
RONDO_API uint32_t rondo_version(void);
RONDO_API const char* rondo_version_text(void);
/* The library's size of these structs. */
RONDO_API size_t rondo_sizeof_tensor(void);
RONDO_API size_t rondo_sizeof_value_info(void);
RONDO_API size_t rondo_sizeof_tensor_info(void);
RONDO_API size_t rondo_sizeof_run_options(void);
RONDO_API size_t rondo_sizeof_load_options(void);
RONDO_API size_t rondo_sizeof_sgd_options(void);
RONDO_API size_t rondo_sizeof_adam_options(void);
/* "float32", or NULL for a code that is no dtype; and the size of one element, or 0. */
RONDO_API const char* rondo_dtype_name(int32_t dtype);
RONDO_API size_t rondo_dtype_size(int32_t dtype);

/* Where messages go: archives that were loaded, and every error as it is made. NULL (the default):
   nowhere. The function may be called from any thread, one at a time, and not after this has been
   called again. It must not call functions of this library, which may wait for it to return. */
RONDO_API void rondo_set_log(rondo_log_function function, void* context);

/* The most bytes that tensors of the process may take, mapped weights apart; what needs more is a
   RONDO_OUT_OF_MEMORY_ERROR. 0: no limit, as at first. Returns what was set before. */
RONDO_API int64_t rondo_set_memory_limit(int64_t bytes);
/* How many they take now. */
RONDO_API int64_t rondo_memory_in_use(void);

RONDO_API int32_t rondo_error_code(const rondo_error* error);
RONDO_API const char* rondo_error_kind(const rondo_error* error); /* for example "ShapeError" */
RONDO_API const char* rondo_error_text(const rondo_error* error); /* the text that Python shows */
RONDO_API void rondo_error_free(rondo_error* error);

/* Loads an archive; weights stay in the mapped file, which may be replaced by a rename but must not
   be overwritten in place. A module never changes; any number of threads may use it. */
RONDO_API rondo_module* rondo_module_load(const char* path, rondo_error** error);
/* The same with options; NULL for none. */
RONDO_API rondo_module* rondo_module_load_with(const char* path, const rondo_load_options* options,
                                               rondo_error** error);
/* The same from bytes, which are used in place until `release` (may be NULL) is called; it is
   called on failure too. */
RONDO_API rondo_module* rondo_module_load_bytes(const void* data, size_t size,
                                                rondo_release_function release, void* context,
                                                rondo_error** error);
RONDO_API void rondo_module_free(rondo_module* module);

RONDO_API size_t rondo_module_method_count(const rondo_module* module);
/* NULL if there is no such index. */
RONDO_API const char* rondo_module_method_name(const rondo_module* module, size_t index);
/* Fills in `count` with the number of inputs or outputs of a method. */
RONDO_API int32_t rondo_module_value_count(const rondo_module* module, const char* method,
                                           int32_t direction, size_t* count, rondo_error** error);
RONDO_API int32_t rondo_module_value(const rondo_module* module, const char* method,
                                     int32_t direction, size_t index, rondo_value_info* info,
                                     rondo_error** error);

/* A session runs on one thread at a time; make one for each thread. The module may be freed first.
 */
RONDO_API rondo_session* rondo_session_create(const rondo_module* module, rondo_error** error);
RONDO_API void rondo_session_free(rondo_session* session);
/* RONDO_TRAIN: from now on runs take the bodies for training and are recorded for
   rondo_session_backward; what can be trained gets memory of the session's own, once. RONDO_EVAL,
   as at first: the bodies for inference, nothing is recorded. */
RONDO_API int32_t rondo_session_set_mode(rondo_session* session, int32_t mode, rondo_error** error);
/* Runs a method. Inputs are only read, and only until this returns; outputs are of their own. */
RONDO_API int32_t rondo_session_run(rondo_session* session, const char* method,
                                    const rondo_tensor* inputs, size_t input_count,
                                    rondo_outputs** outputs, rondo_error** error);

/* The same with options; NULL for none. A run that ends early is a RONDO_CANCELLED_ERROR, a
   RONDO_DEADLINE_ERROR or, where it exceeds max_work, a RONDO_UNSUPPORTED_ERROR; it gives no
   outputs, and buffers that the method writes may hold some of what it would have written. */
RONDO_API int32_t rondo_session_run_with(rondo_session* session, const char* method,
                                         const rondo_tensor* inputs, size_t input_count,
                                         const rondo_run_options* options, rondo_outputs** outputs,
                                         rondo_error** error);
/* Ends the run that is under way, if one is, at its next kernel or call of an op. The one function
   of a session that may be called from any thread. */
RONDO_API int32_t rondo_session_cancel(rondo_session* session, rondo_error** error);
/* Starts the random numbers that belong to a seed. Each session begins with seed 0 and draws from a
   generator of its own: what other sessions do changes nothing. */
RONDO_API int32_t rondo_session_set_seed(rondo_session* session, int64_t seed, rondo_error** error);

RONDO_API size_t rondo_outputs_count(const rondo_outputs* outputs);
/* Fills in a tensor (its struct_size is set by the caller) that lives as long as the outputs: row-
   major without gaps, aligned to 64 bytes. */
RONDO_API int32_t rondo_outputs_get(const rondo_outputs* outputs, size_t index,
                                    rondo_tensor* tensor, rondo_error** error);
RONDO_API void rondo_outputs_free(rondo_outputs* outputs);

/* Parameters, buffers and constants of a session: how many, and what the one at an index is. */
RONDO_API size_t rondo_session_tensor_count(const rondo_session* session);
RONDO_API int32_t rondo_session_tensor_info(const rondo_session* session, size_t index,
                                            rondo_tensor_info* info, rondo_error** error);
/* Fills in a view of a tensor (its struct_size is set by the caller), valid until the session is
   used otherwise. */
RONDO_API int32_t rondo_session_get_tensor(const rondo_session* session, const char* name,
                                           rondo_tensor* tensor, rondo_error** error);
/* Copies elements of the same dtype and shape into a tensor. Other sessions keep theirs. */
RONDO_API int32_t rondo_session_set_tensor(rondo_session* session, const char* name,
                                           const rondo_tensor* tensor, rondo_error** error);
/* Adds the gradients of an output of one element to those of the parameters. The outputs are of a
   run in train mode of this session; each run can be gone back through once. */
RONDO_API int32_t rondo_session_backward(rondo_session* session, const rondo_outputs* outputs,
                                         size_t index, rondo_error** error);
/* Fills in the gradient of a parameter, valid until rondo_session_backward or
   rondo_session_zero_gradients is called; RONDO_ARGUMENT_ERROR if it has none. */
RONDO_API int32_t rondo_session_get_gradient(rondo_session* session, const char* name,
                                             rondo_tensor* tensor, rondo_error** error);
/* Forgets all gradients. */
RONDO_API int32_t rondo_session_zero_gradients(rondo_session* session, rondo_error** error);
/* Writes the archive with the session's tensors; the file appears whole or not at all. */
RONDO_API int32_t rondo_session_save(const rondo_session* session, const char* path,
                                     rondo_error** error);

/* Optimizers of all trainable parameters of a session, with the bits of the Python package. They
   may outlive the session; steps and runs of one session must not overlap. */
RONDO_API rondo_optimizer* rondo_sgd_create(rondo_session* session,
                                            const rondo_sgd_options* options, rondo_error** error);
RONDO_API rondo_optimizer* rondo_adam_create(rondo_session* session,
                                             const rondo_adam_options* options,
                                             rondo_error** error);
/* Moves every parameter that has a gradient. */
RONDO_API int32_t rondo_optimizer_step(rondo_optimizer* optimizer, rondo_error** error);
/* The learning rate from now on. */
RONDO_API int32_t rondo_optimizer_set_lr(rondo_optimizer* optimizer, double lr,
                                         rondo_error** error);
RONDO_API void rondo_optimizer_free(rondo_optimizer* optimizer);

#ifdef __cplusplus
}
#endif

#endif
