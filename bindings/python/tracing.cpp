#include "bindings/python/tracing.h"

#include <pybind11/pybind11.h>

#include <string>

#include "bindings/python/arguments.h"
#include "bindings/python/call_site.h"
#include "codegen/plugin.h"
#include "core/base/error.h"
#include "jit/compile_queue.h"
#include "jit/kernel_cache.h"
#include "jit/params.h"
#include "jit/profile.h"
#include "jit/stats.h"
#include "jit/thread_executor.h"

namespace rondo::python {
namespace {

namespace py = pybind11;

constexpr const char* kModes[] = {"background", "interpreted", "compiled", "switching"};

/// set_tracing(on): whether this thread's calls are watched and deferred. Returns what was set
/// before.
PyObject* set_tracing(PyObject* /*module*/, PyObject* on) {
  return guarded([&] {
    const int wanted = PyObject_IsTrue(on);
    check_status(wanted);
    tracer::Recorder& recorder = jit::thread_recorder();
    const bool before = recorder.enabled();
    recorder.set_enabled(wanted != 0);
    return PyBool_FromLong(before ? 1 : 0);
  });
}

/// set_jit_mode(name): what runs kernels. Returns the name that was set before.
PyObject* set_jit_mode(PyObject* /*module*/, PyObject* name) {
  return guarded([&] {
    const std::string_view wanted = to_text(name);
    const auto before = static_cast<std::size_t>(jit::params().mode);
    for (std::size_t i = 0; i < std::size(kModes); ++i) {
      if (wanted == kModes[i]) {
        jit::params().mode = static_cast<jit::Mode>(i);
        return PyUnicode_FromString(kModes[before]);
      }
    }
    fail<ArgumentError>(
        "set_jit_mode: mode is '{}'; expected background, interpreted, compiled or switching",
        wanted);
  });
}

PyObject* wait_for_compiles(PyObject* /*module*/, PyObject* /*unused*/) {
  return guarded([]() -> PyObject* {
    {
      const GilRelease release;
      jit::wait_for_compiles();
    }
    Py_RETURN_NONE;
  });
}

PyObject* synchronize(PyObject* /*module*/, PyObject* /*unused*/) {
  return guarded([]() -> PyObject* {
    {
      const CallRelease released;
      jit::thread_recorder().flush();
    }
    Py_RETURN_NONE;
  });
}

py::dict segment_row(const tracer::Segment& segment) {
  py::dict row;
  py::list ops;
  for (const FlowNode& node : segment.flow.nodes) {
    ops.append(std::string(node.op->name) + (node.in_place ? "_" : ""));
  }
  py::dict exits;
  for (int i = 0; i < tracer::kExitCount; ++i) {
    if (segment.exits[i] > 0) {
      exits[tracer::exit_name(static_cast<tracer::Exit>(i))] = segment.exits[i];
    }
  }
  row["ops"] = ops;
  row["entries"] = segment.entries;
  row["hits"] = segment.hits;
  row["exits"] = exits;
  row["ready"] = segment.program->ready();
  return row;
}

py::dict counts() {
  const tracer::RecorderStats& stats = jit::thread_recorder().stats();
  const jit::CompileStats compiles = jit::compile_stats();
  py::dict result;
  result["calls"] = stats.calls;
  result["matched"] = stats.matched;
  result["segments"] = stats.captured;
  result["launches"] = stats.launches;
  result["ops_compiled"] = jit::op_counts().compiled.load();
  result["ops_interpreted"] = jit::op_counts().interpreted.load();
  result["ops_library"] = jit::op_counts().library.load();
  result["ops_functions"] = jit::op_counts().functions.load();
  result["ops_on_devices"] = jit::op_counts().on_devices.load();
  result["kernels_compiled"] = compiles.compiled;
  result["kernels_from_disk"] = compiles.from_disk;
  result["kernels_failed"] = compiles.failed;
  result["kernels_withdrawn"] = compiles.withdrawn;
  result["compile_ms"] = compiles.milliseconds;
  return result;
}

/// explain(): counts, the segments of this thread, and the kernels of the process.
PyObject* explain(PyObject* /*module*/, PyObject* /*unused*/) {
  return guarded([] {
    py::dict result = counts();
    py::list segments;
    for (const tracer::Segment* segment : jit::thread_recorder().segments()) {
      segments.append(segment_row(*segment));
    }
    py::list kernels;
    for (const jit::KernelEntry* entry : jit::KernelCache::instance().entries()) {
      py::dict row;
      row["code"] = entry->key();
      row["launches"] = entry->launches.load();
      row["compiled"] = entry->compiled() != nullptr;
      row["rejected"] = entry->rejected.load();
      kernels.append(row);
    }
    py::list steps;
    for (const jit::ProfileRow& row : jit::profile()) {
      steps.append(py::make_tuple(row.step, row.runs, static_cast<double>(row.nanoseconds) * 1e-6));
    }
    const codegen::OpenedTarget& compiler = codegen::llvm_target();
    result["interpreted_because"] =
        compiler.target != nullptr ? py::object(py::none()) : py::object(py::str(compiler.reason));
    py::list fallbacks;
    for (const jit::FallbackRow& row : jit::fallbacks()) {
      fallbacks.append(py::make_tuple(row.op, std::string(fallback_text(row.reason)), row.calls));
    }
    result["profile"] = steps;
    result["fallbacks"] = fallbacks;
    result["segment_list"] = segments;
    result["kernel_list"] = kernels;
    return result.release().ptr();
  });
}

PyObject* jit_counts(PyObject* /*module*/, PyObject* /*unused*/) {
  return guarded([] { return counts().release().ptr(); });
}

PyMethodDef functions[] = {{"set_tracing", set_tracing, METH_O, nullptr},
                           {"set_jit_mode", set_jit_mode, METH_O, nullptr},
                           {"wait_for_compiles", wait_for_compiles, METH_NOARGS, nullptr},
                           {"synchronize", synchronize, METH_NOARGS, nullptr},
                           {"explain", explain, METH_NOARGS, nullptr},
                           {"jit_counts", jit_counts, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_tracing(PyObject* module) {
  check_status(PyModule_AddFunctions(module, functions));
}

}  // namespace rondo::python
