#include "bindings/python/generator.h"

#include <array>
#include <new>
#include <random>

#include "bindings/python/arguments.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"

namespace rondo::python {
namespace {

struct GeneratorObject {
  PyObject_HEAD Generator* generator;  // owned, unless it is the default one
};

PyTypeObject* generator_type = nullptr;

Generator& generator_of(PyObject* self) {
  return *reinterpret_cast<GeneratorObject*>(self)->generator;
}

PyObject* generator_new(PyTypeObject* type, PyObject* /*args*/, PyObject* /*keywords*/) {
  return guarded([&] {
    PyRef object = owned(type->tp_alloc(type, 0));
    reinterpret_cast<GeneratorObject*>(object.get())->generator = new Generator;
    return object.release();
  });
}

void generator_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Generator* generator = reinterpret_cast<GeneratorObject*>(self)->generator;
  if (generator != &default_generator()) {
    delete generator;
  }
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* manual_seed(PyObject* self, PyObject* seed) {
  return guarded([&] {
    generator_of(self).seed(to_integer(seed, "manual_seed", "seed"));
    return Py_NewRef(self);
  });
}

PyObject* seed_from_system(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    std::random_device device;
    const std::uint64_t bits = (std::uint64_t{device()} << 31) ^ device();
    generator_of(self).seed(static_cast<std::int64_t>(bits & 0x7fffffffffffffffU));
    return PyLong_FromLongLong(generator_of(self).state().seed);
  });
}

PyObject* initial_seed(PyObject* self, PyObject* /*unused*/) {
  return PyLong_FromLongLong(generator_of(self).state().seed);
}

/// The state is seed and offset, in an int64 tensor of two elements.
PyObject* get_state(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    const RandomDraw state = generator_of(self).state();
    const Tensor tensor = Tensor::empty(Shape{2}, Dtype::int64);
    auto* values = reinterpret_cast<std::int64_t*>(tensor.storage()->raw_data());
    values[0] = state.seed;
    values[1] = state.offset;
    return wrap(tensor);
  });
}

PyObject* set_state(PyObject* self, PyObject* state) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = require_tensor(state, "set_state", "state");
    check<ArgumentError>(
        tensor.dtype() == Dtype::int64 && tensor.shape() == Shape{2} && tensor.is_contiguous(),
        "set_state: state is {} of shape {}; expected what get_state gave",
        dtype_name(tensor.dtype()), tensor.shape());
    const auto* values = tensor.data_as<std::int64_t>();
    generator_of(self).set_state({values[0], values[1]});
    Py_RETURN_NONE;
  });
}

PyMethodDef generator_methods[] = {
    {"manual_seed", manual_seed, METH_O, "Starts the stream that belongs to a seed."},
    {"seed", seed_from_system, METH_NOARGS, "Starts a stream that nobody knows; gives its seed."},
    {"initial_seed", initial_seed, METH_NOARGS, "The seed."},
    {"get_state", get_state, METH_NOARGS, "Seed and offset, as a tensor."},
    {"set_state", set_state, METH_O, "Goes on from where get_state was called."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot generator_slots[] = {{Py_tp_new, as_slot(generator_new)},
                                 {Py_tp_dealloc, as_slot(generator_dealloc)},
                                 {Py_tp_methods, generator_methods},
                                 {0, nullptr}};
PyType_Spec generator_spec = {"rondo.Generator", sizeof(GeneratorObject), 0, Py_TPFLAGS_DEFAULT,
                              generator_slots};

}  // namespace

void add_generator(PyObject* module) {
  PyRef type = owned(PyType_FromSpec(&generator_spec));
  generator_type = reinterpret_cast<PyTypeObject*>(type.get());
  check_status(PyModule_AddObjectRef(module, "Generator", type.release()));
  const PyRef instance = owned(generator_type->tp_alloc(generator_type, 0));
  reinterpret_cast<GeneratorObject*>(instance.get())->generator = &default_generator();
  check_status(PyModule_AddObjectRef(module, "default_generator", instance.get()));
}

RandomDraw draw_from(PyObject* generator) {
  check<ArgumentError>(Py_TYPE(generator) == generator_type,
                       "generator: it is {}; expected rondo.Generator",
                       Py_TYPE(generator)->tp_name);
  return generator_of(generator).draw();
}

}  // namespace rondo::python
