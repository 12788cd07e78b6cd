#include "bindings/python/ops.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "bindings/python/call_site.h"
#include "bindings/python/errors.h"
#include "bindings/python/op_arguments.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"
#include "core/op/call.h"
#include "core/op/device_scope.h"
#include "jit/thread_executor.h"

namespace rondo::python {
namespace {

/// What kLongElements is of elements, for the multiplications of a product and the bytes of a
/// deferred segment.
constexpr std::int64_t kLongProduct = 500000;
constexpr std::int64_t kLongSegment = kLongElements * 4;

struct OpFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  const OpSignature* signature;
  PyObject* name;
  PyObject* fallback;  // called where the arguments do not fit the schema; may be null
  bool in_place;
};

PyTypeObject* function_type = nullptr;

/// Those of a product; for a convolution a bound from above, so that it is not held too long.
std::int64_t multiplications(const OpInfo& op, std::span<const Tensor> inputs) {
  const Tensor& left = inputs[0];
  const Tensor& right = inputs[1];
  if (op.contraction != Contraction::matmul) {
    return left.numel() * right.numel();
  }
  return right.rank() < 2 ? left.numel() : left.numel() * right.shape().back();
}

bool takes_long(const OpInfo& op, std::span<const Tensor> inputs, std::span<const Attr> attrs) {
  if (op.kind == OpKind::view) {
    return false;
  }
  if (default_device().is_remote()) {
    return true;
  }
  const tracer::Recorder& recorder = jit::thread_recorder();
  if (recorder.pending_bytes() >= kLongSegment) {  // this call may launch it
    return true;
  }
  for (const Tensor& input : inputs) {
    if (!input.defined() || input.is_immediate()) {
      continue;
    }
    const Producer* producer = input.storage()->producer();
    // A kernel for a device may have to be compiled.
    if (input.device().is_remote()) {
      return true;
    }
    // What another thread has deferred is waited for without the GIL, which that thread may need.
    if (input.numel() >= kLongElements || (producer != nullptr && producer != &recorder)) {
      return true;
    }
  }
  if (op.kind == OpKind::contraction) {
    return multiplications(op, inputs) >= kLongProduct;
  }
  if (op.elementwise.build != nullptr && op.uses_index && !attrs.empty()) {
    const auto* sizes = std::get_if<Ints>(&attrs[0].value());
    return sizes != nullptr && sizes->size() <= kMaxRank && Shape(*sizes).numel() >= kLongElements;
  }
  return false;
}

PyObject* results(const OpSignature& signature, std::span<Tensor> outputs) {
  const auto count = static_cast<Py_ssize_t>(outputs.size());
  const bool named = signature.result_type != nullptr;
  PyRef tuple = owned(named ? PyStructSequence_New(signature.result_type) : PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, wrap(std::move(outputs[static_cast<std::size_t>(i)])));
  }
  return tuple.release();
}

PyObject* call_with(const OpFunction& function, OpArguments& arguments) {
  const OpInfo& op = function.signature->op;
  if (function.in_place) {
    check<ArgumentError>(arguments.first() != nullptr && is_tensor(arguments.first()),
                         "{}_: {} must be a Tensor; it is written in place", op.name,
                         op.schema.args[0].name);
    return call_in_place_wrapped(op, arguments.inputs(), arguments.attrs());
  }
  if (op.schema.outputs == 1) {
    return call_wrapped(op, arguments.inputs(), arguments.attrs());
  }
  InlineVector<Tensor, 4> outputs(static_cast<std::size_t>(op.schema.outputs));
  for (int i = 0; i < op.schema.outputs; ++i) {
    outputs.emplace_back();
  }
  call_released(op, arguments.inputs(), arguments.attrs(), outputs.span());
  return results(*function.signature, outputs.span());
}

/// Where the fallback does not take the arguments either, `misfit` says what the schema expects.
PyObject* call_fallback(const OpFunction& function, PyObject* const* args, std::size_t count,
                        PyObject* keywords, const ArgumentError& misfit) {
  PyObject* result = PyObject_Vectorcall(function.fallback, args, count, keywords);
  // TypeError itself: errors of ours that derive from it are about values and stay.
  if (result == nullptr && PyErr_Occurred() == PyExc_TypeError) {
    PyErr_SetString(error_class(ErrorKind::argument), misfit.what());
  }
  return result;
}

PyObject* call_function(PyObject* self, PyObject* const* args, std::size_t flagged_count,
                        PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const auto& function = *reinterpret_cast<OpFunction*>(self);
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
    if (function.fallback == nullptr) {
      OpArguments arguments(*function.signature, args, count, keywords);
      return call_with(function, arguments);
    }
    std::optional<OpArguments> arguments;
    try {
      arguments.emplace(*function.signature, args, count, keywords);
    } catch (const ArgumentError& misfit) {
      return call_fallback(function, args, count, keywords, misfit);
    }
    return call_with(function, *arguments);
  });
}

PyObject* function_get(PyObject* self, PyObject* object, PyObject* /*type*/) {
  if (object == nullptr || object == Py_None) {
    return Py_NewRef(self);
  }
  return PyMethod_New(self, object);
}

PyObject* function_repr(PyObject* self) {
  return PyUnicode_FromFormat("<op %U>", reinterpret_cast<OpFunction*>(self)->name);
}

PyObject* function_doc(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const OpInfo& op = reinterpret_cast<OpFunction*>(self)->signature->op;
    std::string text = std::string(op.name) + "(" + names_of(op) + ")";
    if (!op.doc.empty()) {
      text += "\n\n" + std::string(op.doc);
    }
    return from_text(text);
  });
}

/// Pickled as the name of a member of rondo.
PyObject* function_reduce(PyObject* self, PyObject* /*unused*/) {
  return Py_NewRef(reinterpret_cast<OpFunction*>(self)->name);
}

PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpFunction, vectorcall), READONLY, nullptr},
    {"__name__", T_OBJECT, offsetof(OpFunction, name), READONLY, nullptr},
    {"__qualname__", T_OBJECT, offsetof(OpFunction, name), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef function_properties[] = {{"__doc__", function_doc, nullptr, nullptr, nullptr},
                                     {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef function_methods[] = {{"__reduce__", function_reduce, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};

PyType_Slot function_slots[] = {{Py_tp_call, as_slot(PyVectorcall_Call)},
                                {Py_tp_descr_get, as_slot(function_get)},
                                {Py_tp_repr, as_slot(function_repr)},
                                {Py_tp_members, function_members},
                                {Py_tp_getset, function_properties},
                                {Py_tp_methods, function_methods},
                                {0, nullptr}};
PyType_Spec function_spec = {"rondo.op", sizeof(OpFunction), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             function_slots};

/// set_fallback(op, function)
PyObject* set_fallback(PyObject* /*module*/, PyObject* const* args, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    check<ArgumentError>(count == 2 && Py_TYPE(args[0]) == function_type,
                         "set_fallback: {} arguments; expected an op and a function", count);
    auto* function = reinterpret_cast<OpFunction*>(args[0]);
    Py_XSETREF(function->fallback, Py_NewRef(args[1]));
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {{"op_table", op_table, METH_NOARGS, "A dict for each op."},
                           {"set_fallback", as_method(set_fallback), METH_FASTCALL,
                            "Calls a function where arguments do not fit the schema of an op."},
                           {nullptr, nullptr, 0, nullptr}};

void add_function(PyObject* module, const OpSignature& signature, bool in_place) {
  const std::string name = std::string(signature.op.name) + (in_place ? "_" : "");
  PyRef object = owned(function_type->tp_alloc(function_type, 0));
  auto* function = reinterpret_cast<OpFunction*>(object.get());
  function->vectorcall = call_function;
  function->signature = &signature;
  function->name = owned(PyUnicode_InternFromString(name.c_str())).release();
  function->in_place = in_place;
  check_status(PyModule_AddObjectRef(module, name.c_str(), object.get()));
  if (signature.op.method) {
    check_status(PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), name.c_str(),
                                        object.get()));
  }
}

}  // namespace

void add_ops(PyObject* parent) {
  check_status(PyModule_AddFunctions(parent, functions));
  const PyRef submodule = owned(PyModule_New("rondo._C.ops"));
  PyObject* module = submodule.get();
  check_status(PyModule_AddObjectRef(parent, "ops", module));
  function_type = reinterpret_cast<PyTypeObject*>(owned(PyType_FromSpec(&function_spec)).release());
  const OpTable& table = OpTable::instance();
  for (int id = 0; id < table.size(); ++id) {
    const auto* signature = new OpSignature(table.get(id));  // as long as the process lives
    add_function(module, *signature, false);
    if (signature->op.has_in_place) {
      add_function(module, *signature, true);
    }
  }
}

void call_released(const OpInfo& op, std::span<const Tensor> inputs, std::span<const Attr> attrs,
                   std::span<Tensor> outputs) {
  released_if(takes_long(op, inputs, attrs), [&] { call(op, inputs, attrs, outputs); });
}

PyObject* call_wrapped(const OpInfo& op, std::span<const Tensor> inputs,
                       std::span<const Attr> attrs) {
  Tensor output;
  call_released(op, inputs, attrs, {&output, 1});
  return wrap(std::move(output));
}

PyObject* call_in_place_wrapped(const OpInfo& op, std::span<const Tensor> inputs,
                                std::span<const Attr> attrs) {
  released_if(takes_long(op, inputs, attrs), [&] { call_in_place(op, inputs, attrs); });
  return wrap(inputs[0]);
}

const OpInfo& require_op(std::string_view name) {
  const OpInfo* op = OpTable::instance().find(name);
  check<UnsupportedError>(op != nullptr, "{}: this build has no such op", name);
  return *op;
}

}  // namespace rondo::python
