#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <mutex>
#include <utility>

/// The global interpreter lock, for threads that may outlive the interpreter.
///
/// Python ends a thread that wants the lock of an exiting interpreter by unwinding its stack, also
/// in the midst of a call of Python code. The destructors on that stack would use Python without
/// the lock, and functions that are noexcept end the process. So a thread of C++ takes the lock,
/// and calls Python code, by what is here alone: it stays where it is until the process has ended.

namespace troupe::python {

namespace nb = nanobind;

/// True in the main thread, in which Python runs signal handlers and finalizes.
bool is_main_thread();

/// Calls `work`, which must have no destructors and throw no exceptions.
template <class Work>
auto stay_if_unwound(Work work) noexcept {
  try {
    return work();
  } catch (...) {
    for (;;) pause();
  }
}

/// Releases the GIL and acquires it again in its destructor.
class GilRelease {
 public:
  GilRelease() : thread_(PyEval_SaveThread()) {}
  ~GilRelease();
  GilRelease(const GilRelease&) = delete;

 private:
  /// Of the threads that end their release, one waits for the GIL, and the others for this: who
  /// waits for the GIL wakes every 5 ms and has its holder give it up. The main thread waits for no
  /// other.
  static std::mutex turns_;

  PyThreadState* thread_;
};

/// Acquires the GIL, in any thread, and releases it in its destructor.
class GilAcquire {
 public:
  GilAcquire();
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Calls `work` without the GIL.
template <class Work>
auto without_gil(Work work) {
  GilRelease gil;
  return work();
}

/// Calls a Python object with the GIL; throws the exception that it raises.
template <class... Arguments>
nb::object call_object(nb::handle callable, Arguments&&... arguments) {
  auto all = nb::make_tuple(std::forward<Arguments>(arguments)...);
  auto* answer = stay_if_unwound([&] { return PyObject_CallObject(callable.ptr(), all.ptr()); });
  if (!answer) throw nb::python_error();
  return nb::steal(answer);
}

/// Imports a module; it may run code, when it is the first import.
nb::object import_module(const char* name);

}  // namespace troupe::python
