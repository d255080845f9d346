#pragma once

#include <functional>

#include "troupe/graph/tensor.hpp"

namespace troupe {

/// Names an edge that crosses devices, within one compiled step.
using EdgeId = int64_t;

/// What connects a running plan with the world outside its device: the step's feeds and fetches,
/// and the edges from and to other devices. Thread-safe; no call waits.
class StepPort {
 public:
  virtual ~StepPort() = default;

  /// Feed `index` of this plan.
  virtual Tensor feed(int index) = 0;
  virtual void fetch(int index, Tensor value) = 0;

  /// Pushes a host tensor along an edge; fails where it is more than can be sent.
  virtual Status send(EdgeId edge, Tensor value) = 0;
  /// Calls `arrived` exactly once, when the edge's tensor is there or the step has failed.
  virtual void receive(EdgeId edge, std::function<void(Result<Tensor>)> arrived) = 0;

  /// The plan failed: pending and later receives are answered with this error.
  virtual void fail(const Status& status) = 0;
};

}  // namespace troupe
