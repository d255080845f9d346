#pragma once

#include <unistd.h>

#include <memory>
#include <utility>

#include "troupe/capnp/python/native/convert.hpp"

namespace troupe::python {

/// Owns an object that has threads or a connection. Destroys it without the GIL, because its
/// threads may be waiting for the GIL. In a forked process it leaks the object instead: fork does
/// not copy its threads, and the connection belongs to the parent.
template <class T>
class Owned {
 public:
  explicit Owned(std::unique_ptr<T> value) : value_(std::move(value)) {}
  Owned(Owned&&) = default;
  ~Owned() {
    if (!value_) return;
    if (getpid() != pid_) (void)value_.release();
    else if (PyGILState_Check()) without_gil([this] { value_.reset(); });
    else value_.reset();
  }

  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() const { return *value_; }
  T* operator->() const { return value_.get(); }

 private:
  int pid_ = getpid();
  std::unique_ptr<T> value_;
};

}  // namespace troupe::python
