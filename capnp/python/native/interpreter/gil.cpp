#include "troupe/capnp/python/native/interpreter/gil.hpp"

namespace troupe::python {
namespace {

bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

/// The main thread finalizes the interpreter and must continue.
void stay_if_finalizing() {
  while (!is_main_thread() && is_finalizing()) pause();
}

}  // namespace

bool is_main_thread() { return gettid() == getpid(); }

std::mutex GilRelease::turns_;

GilRelease::~GilRelease() {
  stay_if_finalizing();
  std::unique_lock turn(turns_, std::defer_lock);
  if (!is_main_thread()) turn.lock();
  stay_if_unwound([this] { PyEval_RestoreThread(thread_); });
}

GilAcquire::GilAcquire() {
  stay_if_finalizing();
  state_ = stay_if_unwound([] { return PyGILState_Ensure(); });
}

nb::object import_module(const char* name) {
  auto* module = stay_if_unwound([name] { return PyImport_ImportModule(name); });
  if (!module) throw nb::python_error();
  return nb::steal(module);
}

}  // namespace troupe::python
