#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "troupe/graph/attr.hpp"
#include "troupe/graph/op.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/tensor.hpp"

namespace troupe::python {

namespace nb = nanobind;

/// True in the thread in which Python runs signal handlers, and comes to its end.
bool is_main_thread();

/// Lets other threads of Python run meanwhile. A thread that comes back when Python has come to its
/// end stays here for ever, as it may touch nothing any more.
class Unlocked {
 public:
  Unlocked() : thread_(PyEval_SaveThread()) {}
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;

 private:
  PyThreadState* thread_;
};

/// Calls `work` without the GIL.
template <class Work>
auto unlocked(Work work) {
  Unlocked others;
  return work();
}

/// Throws the status as the class of troupe.errors that its code has.
[[noreturn]] void raise(const Status& status);

inline void check(const Status& status) {
  if (!status.ok()) raise(status);
}

template <class T>
T take(Result<T> result) {
  if (!result) raise(result.status());
  return *std::move(result);
}

/// The status that a Python exception stands for: that of an OpError has its code.
Status status_of(const nb::python_error& error);

/// Objects of Python that some thread has let go of, until one that holds the GIL comes along.
class Released {
 public:
  /// A tensor may keep this for longer than its session lives. Objects that come then stay for
  /// ever.
  ~Released() {
    if (PyGILState_Check()) drop();
  }

  void add(PyObject* object) {
    std::lock_guard lock(mutex_);
    objects_.push_back(object);
  }
  /// With the GIL.
  void drop();

 private:
  std::mutex mutex_;
  std::vector<PyObject*> objects_;
};

/// How feeds become tensors: over the arrays' own memory, or over a copy.
struct FeedRules {
  bool may_alias;
  std::shared_ptr<Released> released;
};

/// An array in C order of that dtype, whose buffer Python knows, as a tensor.
Tensor to_tensor(nb::handle array, DType dtype, const FeedRules& rules);
/// Bytes objects, in row-major order, as a tensor of strings.
Tensor to_strings(nb::handle strings, const Shape& shape);

/// (name, array or native tensor, dtype) for each feed.
std::vector<Feed> to_feeds(nb::list feeds, const FeedRules& rules);
Refs to_refs(nb::list names);

/// A tensor as Python holds it: an object with the buffer of its elements.
struct Held {
  Tensor tensor;
  bool is_writable;
};

/// The tensors of a step, for NumPy arrays over their memory. A small one, or one whose elements
/// others may see, is copied or cannot be written to; `are_ours`: nobody else sees any.
nb::list to_python(Tensors tensors, bool are_ours);

DType to_dtype(int number);
/// None for one without a rank, else a tuple with -1 for what is not known.
nb::object to_python(const Shape& shape);
Shape to_shape(nb::handle sizes);

nb::object to_python(const AttrValue& value);
AttrValue to_attr(const AttrRule& rule, nb::handle value);

}  // namespace troupe::python
