#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/cluster/runner.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/run_metadata.hpp"
#include "troupe/graph/session_options.hpp"
#include "troupe/graph/step_explanation.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// An output or a node of a session's graph, by name ("node:0", "node") or as the builder's Value.
struct Ref {
  Ref(const Value& value) : name(value.name()) {
    if (!value.is_valid()) return;
    graph = value.builder().graph().identity();
    node = value.output().node;
  }
  Ref(const Variable& variable) : Ref(variable.value()) {}
  Ref(std::string name) : name(std::move(name)) {}
  Ref(const char* name) : name(name) {}

  std::string name;
  // Of a builder's value: the identity of its graph, and its node there.
  uint64_t graph = 0;
  NodeId node = -1;
};

using Refs = std::vector<Ref>;

/// A value that replaces an output for one step.
struct Feed {
  Ref output;
  Tensor value;
};

/// A step that was started and may run. Any thread may call; destroying it cancels the step.
class PendingStep {
 public:
  virtual ~PendingStep() = default;

  /// True once wait() has its answer.
  virtual bool done() = 0;
  /// Waits for that for at most `time`; returns done().
  virtual bool wait_for(std::chrono::milliseconds time) = 0;
  /// Calls `call` once when the step ends, at once if it has ended. It runs on any thread and must
  /// not block. For a step on a cluster it runs only while some thread waits for a step of the same
  /// client.
  virtual void when_done(std::function<void()> call) = 0;
  /// Waits until the step has ended and returns its result, as Session::run(). May be called
  /// repeatedly.
  virtual Result<Tensors> wait() = 0;
  /// Ends the step with Cancelled: locally at once, on the cluster when the request arrives. Has no
  /// effect on a step that has ended.
  virtual void cancel() = 0;
  /// What the options asked for, once the step is done; empty before.
  virtual RunMetadata metadata() = 0;
};

/// A compiled step that only needs its feeds. Running it costs less than Session::run(), and it
/// stays compiled while this object exists. When a device that it uses is lost, one call fails with
/// Unavailable or Aborted, and the next compiles it again. Thread-safe.
class Callable {
 public:
  virtual ~Callable() = default;

  /// A step with a value for each feed, in their order. The answer has a tensor per fetch.
  virtual Result<Tensors> run(const Tensors& feeds) = 0;
  virtual std::unique_ptr<PendingStep> start(const Tensors& feeds) = 0;
};

/// One step that is fed and fetched piece by piece. It stays active on its devices until it ends:
/// after its last feed and fetch, with an error, or after its timeout. Destroying it cancels the
/// step. Thread-safe.
class PartialRun {
 public:
  virtual ~PartialRun() = default;

  /// Gives the step these feeds and waits for these fetches. The call that gives the last feed and
  /// asks for the last fetch waits for the step's targets, too.
  ///
  /// InvalidArgument, which leaves the step as it was: a feed or fetch that was not set up or was
  /// used before, or a fetch that needs a feed which was not given yet. Any other error ends the
  /// step, and all later calls return it.
  virtual Result<Tensors> run(const std::vector<Feed>& feeds, const Refs& fetches) = 0;
  /// Ends the step with Cancelled.
  virtual void cancel() = 0;
};

/// What Session::trace() gives.
struct TracedStep {
  Tensors values;
  RunMetadata metadata;
};

/// Runs steps of a graph on a cluster: enough for most programs. All calls block; several threads
/// may call at once, and their steps then run concurrently.
class BasicSession {
 public:
  virtual ~BasicSession() = default;

  /// Sends the nodes that the graph got since the last call. InvalidArgument: it is neither the
  /// graph of the session's earlier calls, nor a copy of it with more nodes.
  virtual Status extend(const Graph& graph) = 0;
  /// Fails with the builder's error, if it has one.
  Status extend(const Builder& builder) {
    return builder.status().ok() ? extend(builder.graph()) : builder.status();
  }

  /// One step: computes what `fetches` and `targets` (nodes that only have to run) need, with
  /// `feeds` in place of the outputs they name. The answer has a tensor per fetch, in order. An
  /// error names the node, device and task where it arose. InvalidArgument for a builder's value
  /// that is of another graph than the session's, or was added after the last extend().
  virtual Result<Tensors> run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets = {},
      const RunOptions& options = {}) = 0;

  /// Cancels the running steps and frees what the session holds; containers stay. Later calls fail
  /// with FailedPrecondition, except close(), which then does nothing.
  virtual Status close() = 0;
};

/// All that can be done with a session.
class Session : public BasicSession {
 public:
  /// As run(), without waiting.
  virtual std::unique_ptr<PendingStep> start(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets = {},
      const RunOptions& options = {}) = 0;
  /// As run(), with the metadata that the options ask for.
  Result<TracedStep> trace(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets = {},
      const RunOptions& options = {.trace = Trace::full}) {
    auto step = start(feeds, fetches, targets, options);
    auto values = step->wait();
    if (!values) return values.status();
    return TracedStep{*std::move(values), step->metadata()};
  }

  /// Compiles a step for many runs and reports the errors of its graph. The options apply to each
  /// run, the timeout also to the compilation. The callable must be destroyed before the session.
  virtual Result<std::unique_ptr<Callable>> make_callable(
      const Refs& feeds, const Refs& fetches, const Refs& targets = {},
      const RunOptions& options = {}) = 0;

  /// Compiles and starts a step whose feeds and fetches are each passed once, by calls of the
  /// returned object, which must be destroyed before the session. The timeout covers the whole
  /// step.
  virtual Result<std::unique_ptr<PartialRun>> partial_run_setup(
      const Refs& feeds, const Refs& fetches, const Refs& targets = {},
      const RunOptions& options = {}) = 0;

  /// How the session would run a step, without running it: where each node is placed and why, what
  /// crosses between devices, and what that costs. Reports the errors of the step's graph.
  virtual Result<StepExplanation> explain(
      const Refs& feeds, const Refs& fetches, const Refs& targets = {}) = 0;

  /// Leaves a runner on the cluster, which keeps a queue filled: on the session's master, in a
  /// session of its own with the present graph and options, though without a timeout. It goes on
  /// when this session and its client are gone, until its input ends, its container is reset, it is
  /// stopped (capnp/client/client.hpp), or its node is drained or dies. A step that fails for want
  /// of a task (Unavailable, Aborted) is tried again, ever less often; any other error ends the
  /// runner, and is listed with it.
  ///
  /// AlreadyExists: the container has a resource of that name. NotFound: the graph has no such
  /// node. InvalidArgument: a bad name, no enqueue ops or too many, or the session has variables of
  /// its own. ResourceExhausted: the node has as many runners or sessions as it allows.
  virtual Status start_runner(const std::string& name, const RunnerSpec& spec) = 0;

  /// A message for each of the session's options that has no effect here.
  virtual const std::vector<std::string>& warnings() const = 0;
};

}  // namespace troupe
