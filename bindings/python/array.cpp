#include "bindings/python/array.h"

#include <array>
#include <memory>
#include <new>

#include "bindings/python/arguments.h"
#include "bindings/python/call_site.h"
#include "core/base/error.h"
#include "core/op/executor.h"

namespace rondo::python {
namespace {

// The C side of NumPy's array interface, version 3.
constexpr int kAligned = 0x100;
constexpr int kNotSwapped = 0x200;
constexpr int kWriteable = 0x400;

struct ArrayInterface {
  int two = 2;
  int rank = 0;
  char kind = 'f';
  int element_size = 4;
  int flags = 0;
  Py_ssize_t* shape = nullptr;
  Py_ssize_t* strides = nullptr;  // in bytes
  void* data = nullptr;
  PyObject* description = nullptr;
};

struct Kind {
  Dtype dtype;
  char kind;
};
constexpr std::array kKinds{Kind{Dtype::boolean, 'b'}, Kind{Dtype::uint8, 'u'},
                            Kind{Dtype::int8, 'i'},    Kind{Dtype::int16, 'i'},
                            Kind{Dtype::int32, 'i'},   Kind{Dtype::int64, 'i'},
                            Kind{Dtype::float16, 'f'}, Kind{Dtype::float32, 'f'},
                            Kind{Dtype::float64, 'f'}, Kind{Dtype::bfloat16, 'V'}};

/// NumPy knows bfloat16 only as a type from outside, of the kind "other".
bool is_bfloat16(PyObject* object) {
  const PyRef dtype = owned(PyObject_GetAttrString(object, "dtype"));
  const PyRef name = owned(PyObject_GetAttrString(dtype.get(), "name"));
  return to_text(name.get()) == "bfloat16";
}

Dtype dtype_of(PyObject* object, const ArrayInterface& array) {
  for (const Kind& row : kKinds) {
    if (row.kind == array.kind && size_bytes(row.dtype, 1) == array.element_size &&
        (row.dtype != Dtype::bfloat16 || is_bfloat16(object))) {
      return row.dtype;
    }
  }
  const PyRef dtype = owned(PyObject_GetAttrString(object, "dtype"));
  const PyRef text = owned(PyObject_Str(dtype.get()));
  fail<DtypeError>("from_numpy: the array's dtype is {}; no dtype of Rondo stands for it",
                   to_text(text.get()));
}

/// Strides in elements; an error if the elements do not lie on multiples of their size.
Shape element_strides(const ArrayInterface& array) {
  Shape strides = Shape::filled(array.rank, 0);
  for (int i = 0; i < array.rank; ++i) {
    check<ArgumentError>(array.strides[i] % array.element_size == 0,
                         "from_numpy: a stride of {} bytes; it must be a multiple of the element "
                         "size {}; copy the array first",
                         array.strides[i], array.element_size);
    strides[i] = array.strides[i] / array.element_size;
  }
  return strides;
}

struct ProviderObject {
  PyObject_HEAD Export memory;
};

PyTypeObject* provider_type = nullptr;

/// What the capsule holds: the interface and the arrays that it points to.
struct Description {
  ArrayInterface interface;
  std::array<Py_ssize_t, kMaxRank> shape{};
  std::array<Py_ssize_t, kMaxRank> strides{};
};

char kind_of(Dtype dtype) {
  for (const Kind& row : kKinds) {
    if (row.dtype == dtype && dtype != Dtype::bfloat16) {
      return row.kind;
    }
  }
  return 'u';  // bfloat16 goes out as its bits
}

PyObject* provider_struct(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const Tensor& tensor = reinterpret_cast<ProviderObject*>(self)->memory.tensor();
    auto description = std::make_unique<Description>();
    ArrayInterface& interface = description->interface;
    interface.rank = tensor.rank();
    interface.kind = kind_of(tensor.dtype());
    interface.element_size = static_cast<int>(size_bytes(tensor.dtype(), 1));
    interface.flags = kAligned | kNotSwapped | (tensor.storage()->writable() ? kWriteable : 0);
    for (int i = 0; i < tensor.rank(); ++i) {
      description->shape.at(static_cast<std::size_t>(i)) = tensor.shape()[i];
      description->strides.at(static_cast<std::size_t>(i)) =
          tensor.strides()[i] * interface.element_size;
    }
    interface.shape = description->shape.data();
    interface.strides = description->strides.data();
    interface.data = tensor.data();
    PyRef capsule = owned(PyCapsule_New(&interface, nullptr, [](PyObject* object) {
      delete static_cast<Description*>(PyCapsule_GetContext(object));
    }));
    check_status(PyCapsule_SetContext(capsule.get(), description.release()));
    return capsule.release();
  });
}

void provider_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  reinterpret_cast<ProviderObject*>(self)->memory.~Export();
  type->tp_free(self);
  Py_DECREF(type);
}

PyGetSetDef provider_properties[] = {
    {"__array_struct__", provider_struct, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot provider_slots[] = {
    {Py_tp_dealloc, as_slot(provider_dealloc)}, {Py_tp_getset, provider_properties}, {0, nullptr}};
PyType_Spec provider_spec = {"rondo._C.Memory", sizeof(ProviderObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             provider_slots};

}  // namespace

Export::Export(const Tensor& tensor)
    : tensor_(Tensor::view_of(tensor.storage(), tensor.shape(), tensor.strides(), tensor.offset(),
                              tensor.dtype())) {
  tensor_.storage()->share();
}

Export::~Export() {
  tensor_.storage()->unshare();
}

std::byte* host_data(const Tensor& tensor) {
  if (current_observer() != nullptr) [[unlikely]] {
    current_observer()->host_read(tensor);
  }
  if (!tensor.is_immediate() && tensor.storage()->producer() != nullptr) {
    // What is deferred may take long, or belong to a thread that waits for the GIL.
    const CallRelease released;
    return tensor.data();
  }
  return tensor.data();
}

Tensor tensor_over(void* first_element, const Shape& shape, const Shape& strides, Dtype dtype,
                   bool writable, std::function<void()> release) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (int i = 0; i < shape.rank() && shape.numel() != 0; ++i) {
    const std::int64_t reach = (shape[i] - 1) * strides[i];
    (reach < 0 ? low : high) += reach;
  }
  const std::int64_t bytes = shape.numel() == 0 ? 0 : size_bytes(dtype, high - low + 1);
  auto* data = static_cast<std::byte*>(first_element) + size_bytes(dtype, 1) * low;
  const auto storage = make_ref<Storage>(data, bytes, std::move(release), writable);
  return Tensor::view_of(storage, shape, strides, -low, dtype);
}

Tensor from_array(PyObject* object) {
  PyRef capsule = PyRef::steal(PyObject_GetAttrString(object, "__array_struct__"));
  if (!capsule) {
    clear_error(PyExc_AttributeError);
    return {};
  }
  if (!PyCapsule_CheckExact(capsule.get())) {
    return {};
  }
  const auto* array =
      static_cast<const ArrayInterface*>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (array == nullptr) {
    throw PythonError();
  }
  check<ArgumentError>((array->flags & kNotSwapped) != 0 || array->element_size == 1,
                       "from_numpy: the array is in the other byte order; convert it first");
  const Dtype dtype = dtype_of(object, *array);
  Shape shape = Shape::filled(array->rank, 0);
  for (int i = 0; i < array->rank; ++i) {
    shape[i] = array->shape[i];
  }
  return tensor_over(array->data, shape, element_strides(*array), dtype,
                     (array->flags & kWriteable) != 0,
                     [owner = SharedPyRef(object), view = SharedPyRef(capsule.get())] {});
}

PyObject* array_provider(const Tensor& tensor) {
  host_data(tensor);
  PyRef object = owned(provider_type->tp_alloc(provider_type, 0));
  new (&reinterpret_cast<ProviderObject*>(object.get())->memory) Export(tensor);
  return object.release();
}

void add_array_provider(PyObject* /*module*/) {
  provider_type = reinterpret_cast<PyTypeObject*>(owned(PyType_FromSpec(&provider_spec)).release());
}

}  // namespace rondo::python
