#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/python/native/convert.hpp"

namespace troupe::python {

void raise(const Status& status) {
  const auto& where = status.where();
  auto error = call_object(
      import_module("troupe._src.types.errors").attr("from_status"),
      static_cast<int>(status.code()), status.message(), where.node, where.op, where.device,
      where.task, status.notes());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

Status status_of(const nb::python_error& error) {
  auto op_error = import_module("troupe.errors").attr("OpError");
  if (!error.matches(op_error)) return {Code::unknown, "Python raised an exception"};
  auto value = error.value();
  auto code = static_cast<Code>(nb::cast<int>(value.attr("error_code")));
  return {code, nb::cast<std::string>(value.attr("message"))};
}

void DeferredDecrefs::run() {
  std::vector<PyObject*> objects;
  {
    std::lock_guard lock(mutex_);
    objects.swap(objects_);
  }
  for (auto* object : objects) Py_DECREF(object);
}

}  // namespace troupe::python
