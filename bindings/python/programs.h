// Exporting traced functions and running archives: _C.export_archive and the type _C.Program.
#pragma once

#include "bindings/python/python.h"

namespace rondo::python {

void add_programs(PyObject* module);

}  // namespace rondo::python
