#pragma once

#include <map>
#include <mutex>
#include <string>

#include "troupe/devices/device.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe {

/// The kernels of one session on one device that go on from step to step: those of random ops with
/// the attributes `seed` and `seed2`, whose numbers continue. Plans share them by the names of
/// their nodes, so it does not matter what else a step fetches; there are as many as the session's
/// graph has such nodes. Thread-safe. (TensorFlow: OpSegment.)
class SessionKernels {
 public:
  static bool keeps(const Node& node) {
    return node.op->is_stateful() && node.attrs.contains("seed2");
  }

  /// The kernel of a node that keeps() is true for. One of that name whose op or attributes were
  /// others is forgotten.
  Result<Kernel> find_or_make(const Node& node, const Graph& graph, Device& device) {
    std::lock_guard lock(mutex_);
    auto found = kept_.find(node.name);
    if (found != kept_.end() && found->second.op == node.op->name() &&
        found->second.attrs == node.attrs)
      return found->second.kernel;
    auto kernel = device.kernels().make_in(node, graph, device);
    if (kernel) kept_.insert_or_assign(node.name, Kept{node.op->name(), node.attrs, *kernel});
    return kernel;
  }

 private:
  struct Kept {
    std::string op;
    Attrs attrs;
    Kernel kernel;
  };

  std::mutex mutex_;
  std::map<std::string, Kept> kept_;
};

}  // namespace troupe
