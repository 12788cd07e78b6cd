#include "bindings/python/devices.h"

#include <string>

#include "bindings/python/arguments.h"
#include "bindings/python/call_site.h"
#include "bindings/python/tensor_type.h"
#include "bindings/python/value_types.h"
#include "core/autograd/transfer.h"
#include "core/base/error.h"
#include "core/op/device_scope.h"
#include "core/op/executor.h"
#include "core/tensor/device_backend.h"
#include "core/tensor/transfer.h"

namespace rondo::python {
namespace {

/// Opening a driver, and waiting for a device, may take long: other threads run meanwhile.
template <class F>
auto with_backend(Device device, F&& function) {
  const GilRelease released;
  return function(device_backend(device));
}

/// to_device(tensor, device)
PyObject* move_tensor(PyObject* /*module*/, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    check<ArgumentError>(count == 2, "to: {} arguments; expected a tensor and a device", count);
    const Tensor& tensor = require_tensor(args[0], "to", "the tensor");
    const Device device = to_device(args[1]);
    if (tensor.device() == device) {
      return Py_NewRef(args[0]);
    }
    Tensor moved;
    {
      const CallRelease released;
      moved = move_to(tensor, device);
    }
    return wrap(std::move(moved));
  });
}

/// check_device(device): an error if no tensor can live there.
PyObject* check_device(PyObject* /*module*/, PyObject* name) {
  return guarded([&]() -> PyObject* {
    const Device device = to_device(name);
    if (device.type != DeviceType::cpu) {
      with_backend(device, [](DeviceBackend&) { return 0; });
    }
    Py_RETURN_NONE;
  });
}

/// set_default_device(device): where this thread's calls without tensors put their results. Returns
/// what was set before.
PyObject* set_default_device(PyObject* /*module*/, PyObject* name) {
  return guarded([&] {
    const Device device = to_device(name);
    const PyRef before = owned(from_device(default_device()));
    default_device() = device;
    return Py_NewRef(before.get());
  });
}

/// device_count(device): how many there are of its kind; 0 if none can be used.
PyObject* device_count(PyObject* /*module*/, PyObject* name) {
  return guarded([&] {
    const DeviceType type = to_device(name).type;
    int count = 0;
    {
      const GilRelease released;
      std::string reason;
      DeviceBackend* backend = find_device_backend(type, reason);
      count = backend == nullptr ? 0 : backend->count();
    }
    return PyLong_FromLong(count);
  });
}

/// device_info(device): (name, bytes of memory, capability, multiprocessors)
PyObject* device_info(PyObject* /*module*/, PyObject* name) {
  return guarded([&] {
    const Device device = to_device(name);
    const DeviceInfo info =
        with_backend(device, [&](DeviceBackend& backend) { return backend.info(device.index); });
    return Py_BuildValue("(sLii)", info.name.c_str(), static_cast<long long>(info.memory_bytes),
                         info.capability, info.multiprocessors);
  });
}

/// device_memory(device): bytes (live, reserved, peak)
PyObject* device_memory(PyObject* /*module*/, PyObject* name) {
  return guarded([&] {
    const Device device = to_device(name);
    const MemoryStats stats =
        with_backend(device, [&](DeviceBackend& backend) { return backend.memory(device.index); });
    return Py_BuildValue("(LLL)", static_cast<long long>(stats.live),
                         static_cast<long long>(stats.reserved),
                         static_cast<long long>(stats.peak));
  });
}

PyObject* device_synchronize(PyObject* /*module*/, PyObject* name) {
  return guarded([&]() -> PyObject* {
    const Device device = to_device(name);
    with_backend(device, [&](DeviceBackend& backend) {
      backend.synchronize(device.index);
      return 0;
    });
    Py_RETURN_NONE;
  });
}

/// device_trim(device): gives unused memory back.
PyObject* device_trim(PyObject* /*module*/, PyObject* name) {
  return guarded([&]() -> PyObject* {
    const Device device = to_device(name);
    with_backend(device, [&](DeviceBackend& backend) {
      backend.trim(device.index);
      return 0;
    });
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {{"to_device", as_method(move_tensor), METH_FASTCALL, nullptr},
                           {"check_device", check_device, METH_O, nullptr},
                           {"set_default_device", set_default_device, METH_O, nullptr},
                           {"device_count", device_count, METH_O, nullptr},
                           {"device_info", device_info, METH_O, nullptr},
                           {"device_memory", device_memory, METH_O, nullptr},
                           {"device_synchronize", device_synchronize, METH_O, nullptr},
                           {"device_trim", device_trim, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

Tensor on_host(const Tensor& tensor) {
  if (current_observer() != nullptr) [[unlikely]] {
    current_observer()->host_read(tensor);
  }
  if (tensor.is_immediate() ||
      (!tensor.device().is_remote() && tensor.storage()->producer() == nullptr)) {
    return tensor;
  }
  // What is deferred may take long, or belong to a thread that waits for the GIL.
  const CallRelease released;
  tensor.storage()->settle();
  return rondo::to_host(tensor);
}

void add_devices(PyObject* module) {
  check_status(PyModule_AddFunctions(module, functions));
}

}  // namespace rondo::python
