#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include "troupe/capnp/python/native/convert.hpp"

namespace troupe::python {
namespace {

bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

bool is_main_thread() { return gettid() == getpid(); }

std::mutex GilRelease::turns_;

GilRelease::~GilRelease() {
  // The main thread finalizes the interpreter and must continue. Python may also end a thread that
  // waits for the GIL by unwinding its stack, which C++ code must not do past a destructor.
  try {
    while (!is_main_thread() && is_finalizing()) pause();
    std::unique_lock turn(turns_, std::defer_lock);
    if (!is_main_thread()) turn.lock();
    PyEval_RestoreThread(thread_);
  } catch (...) {
    for (;;) pause();
  }
}

void raise(const Status& status) {
  const auto& where = status.where();
  auto error = nb::module_::import_("troupe._src.types.errors")
                   .attr("from_status")(
                       static_cast<int>(status.code()), status.message(), where.node, where.op,
                       where.device, where.task, status.notes());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

Status status_of(const nb::python_error& error) {
  auto op_error = nb::module_::import_("troupe.errors").attr("OpError");
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
