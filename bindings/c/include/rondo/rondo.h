/* The stable C interface of Rondo: load an archive, ask what it holds, run its methods. */
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
  RONDO_INTERNAL_ERROR = 12
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
/* "float32", or NULL for a code that is no dtype; and the size of one element, or 0. */
RONDO_API const char* rondo_dtype_name(int32_t dtype);
RONDO_API size_t rondo_dtype_size(int32_t dtype);

/* Where messages go: archives that were loaded, and every error as it is made. NULL (the default):
   nowhere. The function may be called from any thread, and not after this has been called again. */
RONDO_API void rondo_set_log(rondo_log_function function, void* context);

RONDO_API int32_t rondo_error_code(const rondo_error* error);
RONDO_API const char* rondo_error_kind(const rondo_error* error); /* for example "ShapeError" */
RONDO_API const char* rondo_error_text(const rondo_error* error); /* the text that Python shows */
RONDO_API void rondo_error_free(rondo_error* error);

/* Loads an archive; weights stay in the mapped file. A module never changes; any number of threads
   may use it. */
RONDO_API rondo_module* rondo_module_load(const char* path, rondo_error** error);
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
/* Runs a method. Inputs are only read, and only until this returns; outputs are of their own. */
RONDO_API int32_t rondo_session_run(rondo_session* session, const char* method,
                                    const rondo_tensor* inputs, size_t input_count,
                                    rondo_outputs** outputs, rondo_error** error);

RONDO_API size_t rondo_outputs_count(const rondo_outputs* outputs);
/* Fills in a tensor (its struct_size is set by the caller) that lives as long as the outputs: row-
   major without gaps, aligned to 64 bytes. */
RONDO_API int32_t rondo_outputs_get(const rondo_outputs* outputs, size_t index,
                                    rondo_tensor* tensor, rondo_error** error);
RONDO_API void rondo_outputs_free(rondo_outputs* outputs);

#ifdef __cplusplus
}
#endif

#endif
