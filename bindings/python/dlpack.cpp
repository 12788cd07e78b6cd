#include "bindings/python/dlpack.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "bindings/python/arguments.h"
#include "bindings/python/array.h"
#include "bindings/python/call_site.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"
#include "core/tensor/device_backend.h"

namespace rondo::python {
namespace {

// The structs of DLPack 1.0, as its specification lays them out.
struct DlDevice {
  std::int32_t type = 1;  // 1: CPU, 2: CUDA
  std::int32_t index = 0;
};

DlDevice dl_device(Device device) {
  return {device.is_remote() ? 2 : 1, device.index};
}

struct DlDtype {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};

struct DlTensor {
  void* data = nullptr;
  DlDevice device;
  std::int32_t rank = 0;
  DlDtype dtype;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // in elements; null where row-major
  std::uint64_t byte_offset = 0;
};

/// What version 0 passes.
struct DlManaged {
  DlTensor tensor;
  void* context = nullptr;
  void (*deleter)(DlManaged*) = nullptr;
};

constexpr std::uint64_t kReadOnly = 1;

/// What version 1 passes.
struct DlVersioned {
  std::uint32_t major = 1;
  std::uint32_t minor = 0;
  void* context = nullptr;
  void (*deleter)(DlVersioned*) = nullptr;
  std::uint64_t flags = 0;
  DlTensor tensor;
};

constexpr std::uint8_t kInt = 0;
constexpr std::uint8_t kUnsigned = 1;
constexpr std::uint8_t kFloat = 2;
constexpr std::uint8_t kBfloat = 4;
constexpr std::uint8_t kBool = 6;

struct Code {
  Dtype dtype;
  std::uint8_t code;
};
constexpr std::array kCodes{Code{Dtype::boolean, kBool},  Code{Dtype::uint8, kUnsigned},
                            Code{Dtype::int8, kInt},      Code{Dtype::int16, kInt},
                            Code{Dtype::int32, kInt},     Code{Dtype::int64, kInt},
                            Code{Dtype::float16, kFloat}, Code{Dtype::bfloat16, kBfloat},
                            Code{Dtype::float32, kFloat}, Code{Dtype::float64, kFloat}};

DlDtype dl_dtype(Dtype dtype) {
  for (const Code& row : kCodes) {
    if (row.dtype == dtype) {
      return {row.code, static_cast<std::uint8_t>(dtype_bits(dtype)), 1};
    }
  }
  fail<InternalError>("dlpack: {} has no code", dtype_name(dtype));
}

Dtype dtype_of(const DlDtype& dtype) {
  for (const Code& row : kCodes) {
    if (row.code == dtype.code && dtype_bits(row.dtype) == dtype.bits && dtype.lanes == 1) {
      return row.dtype;
    }
  }
  fail<DtypeError>(
      "from_dlpack: elements of code {} with {} bits and {} lanes; no dtype of Rondo "
      "stands for them",
      int{dtype.code}, int{dtype.bits}, int{dtype.lanes});
}

/// What is exported: the memory, and the struct of the version that was asked for.
template <class Managed>
struct Exported {
  explicit Exported(const Tensor& tensor) : memory(tensor) {
    for (int i = 0; i < tensor.rank(); ++i) {
      shape.at(static_cast<std::size_t>(i)) = tensor.shape()[i];
      strides.at(static_cast<std::size_t>(i)) = tensor.strides()[i];
    }
    DlTensor& out = managed.tensor;
    out.data = tensor.storage()->address() + size_bytes(tensor.dtype(), tensor.offset());
    out.device = dl_device(tensor.device());
    out.rank = tensor.rank();
    out.dtype = dl_dtype(tensor.dtype());
    out.shape = shape.data();
    out.strides = strides.data();
    managed.context = this;
    managed.deleter = [](Managed* self) { delete static_cast<Exported*>(self->context); };
  }

  Export memory;
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> strides{};
  Managed managed;
};

/// A capsule that nobody has taken the tensor from frees it.
template <class Managed>
PyObject* make_capsule(std::unique_ptr<Exported<Managed>> exported, const char* name) {
  PyObject* capsule = PyCapsule_New(&exported->managed, name, [](PyObject* object) {
    constexpr bool kVersioned = std::is_same_v<Managed, DlVersioned>;
    const char* unused = kVersioned ? "dltensor_versioned" : "dltensor";
    if (PyCapsule_IsValid(object, unused) != 0) {
      auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(object, unused));
      managed->deleter(managed);
    }
  });
  if (capsule != nullptr) {
    exported.release();
  }
  return capsule;
}

/// The tensor of a capsule; the capsule is renamed, as one whose content has been taken.
template <class Managed>
Tensor take(PyObject* capsule, const char* name, const char* used_name) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (managed == nullptr) {
    throw PythonError();
  }
  bool writable = true;
  if constexpr (std::is_same_v<Managed, DlVersioned>) {
    // First of all: another major version may have other fields.
    check<UnsupportedError>(managed->major == 1, "from_dlpack: version {}; 0 or 1 is supported",
                            managed->major);
    writable = (managed->flags & kReadOnly) == 0;
  }
  const DlTensor& in = managed->tensor;
  check<DeviceError>(in.device.type == 1,
                     "from_dlpack: the memory is on a device of type {}; only the CPU (1) is "
                     "supported",
                     in.device.type);
  Shape shape{std::span<const std::int64_t>(in.shape, static_cast<std::size_t>(in.rank))};
  Shape strides = contiguous_strides(shape);
  if (in.strides != nullptr) {
    strides = Shape{std::span<const std::int64_t>(in.strides, static_cast<std::size_t>(in.rank))};
  }
  const Tensor tensor = tensor_over(static_cast<std::byte*>(in.data) + in.byte_offset, shape,
                                    strides, dtype_of(in.dtype), writable, [managed] {
                                      if (managed->deleter != nullptr && Py_IsInitialized() != 0) {
                                        const GilAcquire gil;
                                        managed->deleter(managed);
                                      }
                                    });
  check_status(PyCapsule_SetName(capsule, used_name));
  return tensor;
}

/// Whoever takes the memory may read it at once, from whichever stream.
void make_ready(const Tensor& tensor) {
  const Device device = tensor.device();
  if (!device.is_remote()) {
    host_data(tensor);
    return;
  }
  const CallRelease released;
  tensor.storage()->address();
  device_backend(device).synchronize(device.index);
}

PyRef ask_for_capsule(PyObject* source) {
  const PyRef method = owned(PyObject_GetAttrString(source, "__dlpack__"));
  const PyRef none = owned(PyTuple_New(0));
  const PyRef keywords = owned(Py_BuildValue("{s(ii)}", "max_version", 1, 0));
  PyRef capsule = PyRef::steal(PyObject_Call(method.get(), none.get(), keywords.get()));
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
    PyErr_Clear();  // a producer of version 0
    capsule = PyRef::steal(PyObject_CallNoArgs(method.get()));
  }
  return owned(capsule.release());
}

/// The first number of `max_version`, a pair or None.
std::int64_t major_of(PyObject* max_version) {
  if (max_version == Py_None) {
    return 0;
  }
  const PyRef first = owned(PySequence_GetItem(max_version, 0));
  return to_integer(first.get(), "__dlpack__", "max_version[0]");
}

/// A consumer may ask for a copy on a device, which the protocol has refused by a BufferError.
void check_is_cpu(PyObject* device) {
  if (device == Py_None) {
    return;
  }
  const PyRef first = owned(PySequence_GetItem(device, 0));
  const std::int64_t type = to_integer(first.get(), "__dlpack__", "dl_device[0]");
  if (type != 1) {
    PyErr_Format(PyExc_BufferError,
                 "__dlpack__: dl_device is of type %lld; the memory is on the CPU (1)",
                 static_cast<long long>(type));
    throw PythonError();
  }
}

}  // namespace

PyObject* tensor_to_dlpack(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject* stream = Py_None;
  PyObject* max_version = Py_None;
  PyObject* device = Py_None;
  PyObject* copy = Py_None;
  constexpr std::array<const char*, 5> kNames{"stream", "max_version", "dl_device", "copy",
                                              nullptr};
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__",
                                  const_cast<char**>(kNames.data()), &stream, &max_version, &device,
                                  &copy) == 0) {
    return nullptr;
  }
  return guarded([&] {
    check_is_cpu(device);
    Tensor tensor = tensor_of(self);
    check<ArgumentError>(!tensor.requires_grad(),
                         "__dlpack__: the tensor requires gradients; call detach() first");
    if (copy == Py_True) {
      const PyRef copied = owned(PyObject_CallMethod(self, "clone", nullptr));
      tensor = tensor_of(copied.get());
    }
    make_ready(tensor);
    if (major_of(max_version) >= 1) {
      auto exported = std::make_unique<Exported<DlVersioned>>(tensor);
      exported->managed.flags = tensor.storage()->writable() ? 0 : kReadOnly;
      return make_capsule(std::move(exported), "dltensor_versioned");
    }
    return make_capsule(std::make_unique<Exported<DlManaged>>(tensor), "dltensor");
  });
}

PyObject* tensor_dlpack_device(PyObject* self, PyObject* /*unused*/) {
  const DlDevice device = dl_device(tensor_of(self).device());
  return Py_BuildValue("(ii)", device.type, device.index);
}

PyObject* from_dlpack(PyObject* /*module*/, PyObject* source) {
  return guarded([&] {
    const PyRef capsule =
        PyCapsule_CheckExact(source) ? PyRef::borrow(source) : ask_for_capsule(source);
    if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned") != 0) {
      return wrap(
          take<DlVersioned>(capsule.get(), "dltensor_versioned", "used_dltensor_versioned"));
    }
    check<ArgumentError>(PyCapsule_IsValid(capsule.get(), "dltensor") != 0,
                         "from_dlpack: the capsule has been taken before, or is none of DLPack");
    return wrap(take<DlManaged>(capsule.get(), "dltensor", "used_dltensor"));
  });
}

}  // namespace rondo::python
