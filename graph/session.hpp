#pragma once

#include <chrono>
#include <concepts>
#include <string>
#include <vector>

#include "troupe/graph/builder.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/tensor.hpp"

namespace troupe {

/// An output or a node of a session's graph, by name ("node:0", "node") or as the builder's Value.
struct Ref {
  Ref(const Value& value) : name(value.name()) {}
  Ref(const Variable& variable) : name(variable.value().name()) {}
  Ref(std::string name) : name(std::move(name)) {}
  Ref(const char* name) : name(name) {}

  std::string name;
};

/// A value that replaces an output for one step.
struct Feed {
  Ref output;
  Tensor value;
};

struct RunOptions {
  /// The step fails with DeadlineExceeded after that time; 0: it may take as long as it takes.
  std::chrono::milliseconds timeout{0};
};

/// A graph on a cluster, and the way to run steps of it. All calls wait for their answer; several
/// threads may call at once (their steps then run at once).
class Session {
 public:
  virtual ~Session() = default;

  /// Sends the nodes that the graph got since the last call. It must be the graph of the session's
  /// earlier calls, or an extension of it.
  virtual Status extend(const Graph& graph) = 0;
  /// Fails with the builder's error, if it has one.
  Status extend(const Builder& builder) {
    return builder.status().ok() ? extend(builder.graph()) : builder.status();
  }

  /// One step: computes what `fetches` and `targets` (nodes whose outputs nobody wants) need, with
  /// `feeds` in place of the outputs they name. The answer has a tensor per fetch, in order. An
  /// error names the node, device and task where it arose.
  virtual Result<Tensors> run(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets = {}, const RunOptions& options = {}) = 0;

  /// Cancels the running steps and frees what the session holds; containers stay. Calls after it
  /// fail with FailedPrecondition, but for another close(), which has nothing left to do.
  virtual Status close() = 0;
};

}  // namespace troupe
