#pragma once

#include <unistd.h>

#include <memory>
#include <utility>

#include "troupe/capnp/python/native/convert.hpp"

namespace troupe::python {

/// Something with threads or a connection. It ends without the GIL, which its threads may wait for;
/// in a process that was forked from its own it is left alone, as its threads were not forked along
/// and its connection is the parent's.
template <class T>
class Owned {
 public:
  explicit Owned(std::unique_ptr<T> thing) : thing_(std::move(thing)) {}
  Owned(Owned&&) = default;
  ~Owned() {
    if (!thing_) return;
    if (getpid() != pid_) (void)thing_.release();
    else if (PyGILState_Check()) unlocked([this] { thing_.reset(); });
    else thing_.reset();
  }

  explicit operator bool() const { return thing_ != nullptr; }
  T& operator*() const { return *thing_; }
  T* operator->() const { return thing_.get(); }

 private:
  int pid_ = getpid();
  std::unique_ptr<T> thing_;
};

}  // namespace troupe::python
