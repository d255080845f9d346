#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "troupe/graph/session.hpp"

namespace troupe {

/// What a session has got of its graph: refuses another graph, and values that it cannot have.
/// extend() calls must not overlap; other threads may call check() meanwhile.
class SentGraph {
 public:
  int size() const { return size_; }
  size_t functions() const { return functions_; }
  bool has_all_of(const Graph& graph) const {
    return graph.size() == size_ && graph.library().size() == functions_;
  }

  /// InvalidArgument: it is not the graph that the session got before, nor an extension of it.
  Status check(const Graph& graph) const;
  /// The session has got the graph as it is now.
  void set(const Graph& graph);

  /// InvalidArgument for a builder's Value that is of another graph, or that was added after the
  /// last extend(). What is given by its name is checked by the session's node.
  Status check(const Refs& refs) const;
  Status check(const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets) const;

 private:
  Status check(const Ref& ref) const;

  std::atomic<uint64_t> identity_ = 0;  // of the graph; 0 before the first
  std::atomic<int> size_ = 0;           // nodes
  std::atomic<size_t> functions_ = 0;
};

/// A step that has ended with that error before it began.
std::unique_ptr<PendingStep> make_failed_step(Status status);

}  // namespace troupe
