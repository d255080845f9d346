#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "troupe/capnp/python/native/interpreter/gil.hpp"
#include "troupe/graph/op.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/types/attr.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::python {

/// Throws the Python exception of the status: the class in troupe.errors for its code.
[[noreturn]] void raise(const Status& status);

inline void check(const Status& status) {
  if (!status.ok()) raise(status);
}

template <class T>
T take(Result<T> result) {
  if (!result) raise(result.status());
  return *std::move(result);
}

/// Converts a Python exception: OpErrors keep their code, others are Code::unknown.
Status status_of(const nb::python_error& error);

/// References to Python objects that were dropped without the GIL, and are released later with it.
class DeferredDecrefs {
 public:
  /// A tensor may keep this alive after its session. References that are added without another
  /// call of `run` leak, unless this is destroyed with the GIL.
  ~DeferredDecrefs() {
    if (PyGILState_Check()) run();
  }

  void add(PyObject* object) {
    std::lock_guard lock(mutex_);
    objects_.push_back(object);
  }
  /// Releases the references. To be called with the GIL.
  void run();

 private:
  std::mutex mutex_;
  std::vector<PyObject*> objects_;
};

/// How feeds are converted to tensors: sharing the memory of arrays, or copying it.
struct FeedRules {
  bool may_alias;
  std::shared_ptr<DeferredDecrefs> decrefs;
};

/// Converts an object with a buffer in C order and elements of that dtype.
Tensor to_tensor(nb::handle array, DType dtype, const FeedRules& rules);
/// Converts bytes objects in row-major order to a tensor of strings.
Tensor to_strings(nb::handle strings, const Shape& shape);

/// Each feed is a tuple (name, array or native tensor, dtype).
std::vector<Feed> to_feeds(nb::list feeds, const FeedRules& rules);
Refs to_refs(nb::list names);

/// A tensor in Python: an object whose buffer is the memory of the elements.
struct TensorBuffer {
  Tensor tensor;
  bool is_writable;
};

/// Converts the results of a step. Tensors whose memory is shared within the process are copied if
/// small or a part of another's, else read-only. `are_exclusive`: the memory of all is known not to
/// be shared.
nb::list to_python(Tensors tensors, bool are_exclusive);

DType to_dtype(int number);
/// None for unknown rank, else a tuple with -1 for unknown sizes.
nb::object to_python(const Shape& shape);
Shape to_shape(nb::handle sizes);

nb::object to_python(const AttrValue& value);
AttrValue to_attr(const AttrRule& rule, nb::handle value);
/// An attribute that no op has, and nodes may have: a number, a text, or texts as in `_class`.
AttrValue to_free_attr(nb::handle value);

}  // namespace troupe::python
