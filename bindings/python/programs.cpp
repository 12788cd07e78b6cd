#include "bindings/python/programs.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bindings/python/arguments.h"
#include "bindings/python/call_site.h"
#include "bindings/python/errors.h"
#include "bindings/python/tensor_type.h"
#include "core/tensor/allocator.h"
#include "jit/export.h"
#include "jit/session.h"

namespace rondo::python {
namespace {

namespace py = pybind11;

std::vector<Tensor> tensors_of(const py::handle& list, const char* op, const char* what) {
  std::vector<Tensor> tensors;
  for (const py::handle item : list) {
    tensors.push_back(require_tensor(item.ptr(), op, what));
  }
  return tensors;
}

py::list wrap_all(const std::vector<Tensor>& tensors) {
  py::list result;
  for (const Tensor& t : tensors) {
    result.append(py::reinterpret_steal<py::object>(wrap(t)));
  }
  return result;
}

/// "file.py:12" of the innermost frame outside of the package.
std::string caller_line() {
  const GilAcquire held;  // long ops are called without it
  const py::object frame = py::module_::import("sys").attr("_getframe")(0);
  for (py::object f = frame; !f.is_none(); f = f.attr("f_back")) {
    const py::object name = f.attr("f_globals").attr("get")("__name__", "");
    const std::string module = py::str(name);
    if (module != "rondo" && module.rfind("rondo.", 0) != 0) {
      const std::string file = py::str(f.attr("f_code").attr("co_filename"));
      return file.substr(file.rfind('/') + 1) + ":" + std::string(py::str(f.attr("f_lineno")));
    }
  }
  return "";
}

tracer::TracedFunction traced_function(const py::object& function) {
  return [function](const std::vector<Tensor>& inputs) {
    const py::object result = py::reinterpret_steal<py::object>(
        owned(PyObject_CallObject(function.ptr(), py::tuple(wrap_all(inputs)).ptr())).release());
    if (is_tensor(result.ptr())) {
      return std::vector<Tensor>{tensor_of(result.ptr())};
    }
    check<ArgumentError>(
        py::isinstance<py::iterable>(result),
        "trace: the function gave {}; expected a Tensor, or a tuple or list of them",
        Py_TYPE(result.ptr())->tp_name);
    return tensors_of(result, "trace", "a result of the function");
  };
}

serialize::Mode mode_of(const std::string& name) {
  return name == "train" ? serialize::Mode::train : serialize::Mode::eval;
}

/// A method is a dict: name, function, inputs, dynamic [(input, axis, symbol)], input_names,
/// output_names (None: output, or output0, output1, ...), state [(output, input)], modes.
jit::ExportMethod trace_method(const py::dict& method,
                               const std::vector<jit::ExportTensor>& tensors) {
  tracer::TraceRequest request;
  request.method = py::cast<std::string>(method["name"]);
  request.function = traced_function(method["function"]);
  request.inputs = tensors_of(method["inputs"], "trace", "an input");
  request.source = caller_line;
  request.forget_error = [] {
    const GilAcquire held;
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_Exception) == 0) {
      throw PythonError();  // Ctrl-C
    }
    PyErr_Clear();
  };
  for (const py::handle item : method["dynamic"]) {
    const auto row = py::cast<py::tuple>(item);
    request.dynamic.push_back(
        {py::cast<int>(row[0]), py::cast<int>(row[1]), py::cast<std::string>(row[2])});
  }
  for (const jit::ExportTensor& tensor : tensors) {
    request.tensors.push_back(
        {tensor.name, tensor.tensor, tensor.role == serialize::TensorRole::buffer});
  }
  jit::ExportMethod exported;
  exported.trace = tracer::trace(request);
  exported.inputs = request.inputs;
  exported.input_names = py::cast<std::vector<std::string>>(method["input_names"]);
  exported.modes.clear();
  for (const py::handle mode : method["modes"]) {
    exported.modes.push_back(mode_of(py::cast<std::string>(mode)));
  }
  for (const py::handle item : method["state"]) {
    const auto row = py::cast<py::tuple>(item);
    exported.state.push_back({py::cast<std::string>(row[1]), py::cast<std::string>(row[0])});
  }
  if (method["output_names"].is_none()) {
    for (std::size_t i = 0; i < exported.trace.outputs.size(); ++i) {
      exported.output_names.push_back(
          exported.trace.outputs.size() == 1 ? "output" : fmt::format("output{}", i));
    }
  } else {
    exported.output_names = py::cast<std::vector<std::string>>(method["output_names"]);
  }
  return exported;
}

/// export_archive(path, methods, tensors): tensors are (name, tensor, "parameter" or "buffer").
PyObject* export_archive(PyObject* /*module*/, PyObject* args) {
  const char* path = nullptr;
  PyObject* methods = nullptr;
  PyObject* named = nullptr;
  if (PyArg_ParseTuple(args, "sOO:export_archive", &path, &methods, &named) == 0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    std::vector<jit::ExportTensor> tensors;
    for (const py::handle item : py::handle(named)) {
      const auto row = py::cast<py::tuple>(item);
      const bool buffer = py::cast<std::string>(row[2]) == "buffer";
      tensors.push_back(
          {py::cast<std::string>(row[0]), tensor_of(row[1].ptr()),
           buffer ? serialize::TensorRole::buffer : serialize::TensorRole::parameter});
    }
    std::vector<jit::ExportMethod> traced;
    for (const py::handle item : py::handle(methods)) {
      traced.push_back(trace_method(py::reinterpret_borrow<py::dict>(item), tensors));
    }
    const std::unique_ptr<serialize::Sink> sink = serialize::replace_file(path);
    jit::write_archive(*sink, traced, tensors);
    Py_RETURN_NONE;
  });
}

struct ProgramObject {
  PyObject_HEAD std::shared_ptr<const jit::Module> module;
  std::unique_ptr<jit::Session> session;
};

PyTypeObject* program_type = nullptr;

ProgramObject& program_of(PyObject* self) {
  return *reinterpret_cast<ProgramObject*>(self);
}

/// load_archive(path, copy): with copied weights, or those of the mapped file.
PyObject* load_archive(PyObject* /*module*/, PyObject* args) {
  const char* path = nullptr;
  int copy = 0;
  if (PyArg_ParseTuple(args, "s|p:load_archive", &path, &copy) == 0) {
    return nullptr;
  }
  return guarded([&] {
    std::shared_ptr<const jit::Module> module;
    {
      const GilRelease released;
      module = jit::Module::load_file(
          path, copy != 0 ? serialize::FileAccess::copy : serialize::FileAccess::map);
    }
    PyRef object = owned(program_type->tp_alloc(program_type, 0));
    ProgramObject& program = program_of(object.get());
    new (&program.module) std::shared_ptr<const jit::Module>(module);
    new (&program.session) std::unique_ptr<jit::Session>(std::make_unique<jit::Session>(module));
    return object.release();
  });
}

void program_dealloc(PyObject* self) {
  ProgramObject& program = program_of(self);
  PyTypeObject* const type = Py_TYPE(self);
  std::destroy_at(&program.session);
  std::destroy_at(&program.module);
  type->tp_free(self);
  Py_DECREF(type);
}

/// run(method, inputs, mode, timeout, max_work): a list of tensors; 0 is no limit.
PyObject* program_run(PyObject* self, PyObject* args) {
  const char* method = nullptr;
  PyObject* inputs = nullptr;
  const char* mode = "eval";
  double timeout = 0;
  double work = 0;
  if (PyArg_ParseTuple(args, "sO|sdd:run", &method, &inputs, &mode, &timeout, &work) == 0) {
    return nullptr;
  }
  return guarded([&] {
    const std::vector<Tensor> given = tensors_of(inputs, "run", "an input");
    std::vector<Tensor> outputs;
    jit::RunOptions options;
    options.mode = mode_of(mode);
    options.finish = timeout > 0;
    if (timeout > 0) {
      options.deadline =
          std::chrono::steady_clock::now() +
          std::chrono::microseconds(static_cast<std::int64_t>(std::min(timeout, 1e9) * 1e6));
    }
    if (work > 0) {
      options.limits.work = work;
    }
    {
      const CallRelease released;
      outputs = program_of(self).session->run(method, given, options);
    }
    return wrap_all(outputs).release().ptr();
  });
}

py::list specs(const std::vector<serialize::ValueSpec>& values) {
  py::list result;
  for (const serialize::ValueSpec& value : values) {
    py::list shape;
    for (const serialize::Dimension& dim : value.shape) {
      if (dim.is_constant()) {
        shape.append(dim.constant());
      } else {
        shape.append(dim.text());
      }
    }
    py::dict row;
    row["name"] = value.name;
    row["dtype"] = std::string(dtype_name(value.dtype));
    row["shape"] = shape;
    result.append(row);
  }
  return result;
}

/// signature(): for each method its inputs and outputs, which outputs are which inputs of the next
/// call, why its rows are not independent ("": they are), and the conditions that sizes must meet.
PyObject* program_signature(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    py::dict result;
    for (const serialize::Method& method : program_of(self).module->manifest().methods) {
      py::dict row;
      row["inputs"] = specs(method.inputs);
      row["outputs"] = specs(method.outputs);
      row["row_dependence"] = method.bodies.front().row_dependence;
      py::dict state;
      for (const serialize::StateLink& link : method.state) {
        state[py::str(link.output)] = link.input;
      }
      row["state"] = state;
      py::list guards;
      for (const serialize::Guard& guard : method.bodies.front().guards) {
        guards.append(guard.condition);
      }
      row["guards"] = guards;
      result[py::str(method.name)] = row;
    }
    return result.release().ptr();
  });
}

PyObject* program_code(PyObject* self, PyObject* method) {
  return guarded([&] {
    check<ArgumentError>(PyUnicode_Check(method), "code: method is {}; expected str",
                         Py_TYPE(method)->tp_name);
    return from_text(program_of(self).module->code(std::string(to_text(method))));
  });
}

/// tensors(): parameters and buffers by name. Those that are not the session's own lie in the
/// archive and are read-only.
PyObject* program_tensors(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    py::dict result;
    const ProgramObject& program = program_of(self);
    for (const serialize::TensorRecord& record : program.module->manifest().tensors) {
      if (record.role == serialize::TensorRole::constant) {
        continue;
      }
      result[py::str(record.name)] =
          py::reinterpret_steal<py::object>(wrap(program.session->tensor(record.name)));
      for (const std::string& alias : record.aliases) {
        result[py::str(alias)] = result[py::str(record.name)];
      }
    }
    return result.release().ptr();
  });
}

PyObject* program_verify(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    std::vector<std::string> differences;
    {
      const CallRelease released;
      differences = program_of(self).module->verify();
    }
    return py::cast(differences).release().ptr();
  });
}

PyObject* program_cancel(PyObject* self, PyObject* /*unused*/) {
  return guarded([&]() -> PyObject* {
    program_of(self).session->cancel();
    Py_RETURN_NONE;
  });
}

PyObject* program_set_seed(PyObject* self, PyObject* seed) {
  return guarded([&]() -> PyObject* {
    program_of(self).session->set_seed(to_integer(seed, "manual_seed", "seed"));
    Py_RETURN_NONE;
  });
}

PyObject* program_make_trainable(PyObject* self, PyObject* /*unused*/) {
  return guarded([&]() -> PyObject* {
    program_of(self).session->make_trainable();
    Py_RETURN_NONE;
  });
}

/// parameters(): pairs of name and tensor of the trainable ones.
PyObject* program_parameters(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    py::list result;
    const ProgramObject& program = program_of(self);
    for (const serialize::TensorRecord& record : program.module->manifest().tensors) {
      if (record.requires_grad) {
        result.append(py::make_tuple(record.name, py::reinterpret_steal<py::object>(
                                                      wrap(program.session->tensor(record.name)))));
      }
    }
    return result.release().ptr();
  });
}

/// set_tensor(name, tensor)
PyObject* program_set_tensor(PyObject* self, PyObject* args) {
  const char* name = nullptr;
  PyObject* tensor = nullptr;
  if (PyArg_ParseTuple(args, "sO:set_tensor", &name, &tensor) == 0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    program_of(self).session->set_tensor(name, require_tensor(tensor, "set_tensor", "tensor"));
    Py_RETURN_NONE;
  });
}

/// save(path): the archive with the session's tensors.
PyObject* program_save(PyObject* self, PyObject* path) {
  return guarded([&]() -> PyObject* {
    const std::unique_ptr<serialize::Sink> sink =
        serialize::replace_file(std::string(to_text(path)));
    program_of(self).session->save(*sink);
    Py_RETURN_NONE;
  });
}

PyMethodDef program_methods[] = {{"run", program_run, METH_VARARGS, nullptr},
                                 {"signature", program_signature, METH_NOARGS, nullptr},
                                 {"code", program_code, METH_O, nullptr},
                                 {"tensors", program_tensors, METH_NOARGS, nullptr},
                                 {"cancel", program_cancel, METH_NOARGS, nullptr},
                                 {"set_seed", program_set_seed, METH_O, nullptr},
                                 {"make_trainable", program_make_trainable, METH_NOARGS, nullptr},
                                 {"parameters", program_parameters, METH_NOARGS, nullptr},
                                 {"set_tensor", program_set_tensor, METH_VARARGS, nullptr},
                                 {"save", program_save, METH_O, nullptr},
                                 {"verify", program_verify, METH_NOARGS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};
PyType_Slot program_slots[] = {
    {Py_tp_dealloc, as_slot(program_dealloc)}, {Py_tp_methods, program_methods}, {0, nullptr}};
PyType_Spec program_spec = {"rondo._C.Program", sizeof(ProgramObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, program_slots};

/// set_memory_limit(bytes): 0 is no limit. Returns what was set before.
PyObject* memory_limit(PyObject* /*module*/, PyObject* bytes) {
  return guarded([&] {
    const std::int64_t given = to_integer(bytes, "set_memory_limit", "bytes");
    check<ArgumentError>(given >= 0, "set_memory_limit: bytes is {}; it must not be negative",
                         given);
    const std::int64_t before = set_memory_limit(given == 0 ? INT64_MAX : given);
    return PyLong_FromLongLong(before == INT64_MAX ? 0 : before);
  });
}

PyObject* memory_in_use(PyObject* /*module*/, PyObject* /*unused*/) {
  return PyLong_FromLongLong(memory_stats().live);
}

PyMethodDef functions[] = {{"export_archive", export_archive, METH_VARARGS, nullptr},
                           {"load_archive", load_archive, METH_VARARGS, nullptr},
                           {"set_memory_limit", memory_limit, METH_O, nullptr},
                           {"memory_in_use", memory_in_use, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_programs(PyObject* module) {
  PyRef type = owned(PyType_FromSpec(&program_spec));
  program_type = reinterpret_cast<PyTypeObject*>(type.get());
  check_status(PyModule_AddObjectRef(module, "Program", type.release()));
  check_status(PyModule_AddFunctions(module, functions));
}

}  // namespace rondo::python
