#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/graph/builder.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/run_metadata.hpp"
#include "troupe/graph/session_options.hpp"
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

using Refs = std::vector<Ref>;

/// A value that replaces an output for one step.
struct Feed {
  Ref output;
  Tensor value;
};

/// A step that was started and may run. Any thread may call; dropping it cancels the step.
class PendingStep {
 public:
  virtual ~PendingStep() = default;

  /// True once wait() has its answer.
  virtual bool done() = 0;
  /// Waits for that at most so long; the same as done() then.
  virtual bool wait_for(std::chrono::milliseconds time) = 0;
  /// Has `call` called once the step has ended, at once if it has: by any thread, which it must not
  /// keep. Of a step on a cluster, only while some thread waits for a step of the same client.
  virtual void when_done(std::function<void()> call) = 0;
  /// Waits until the step has ended, and says how, as Session::run() does; each time the same.
  virtual Result<Tensors> wait() = 0;
  /// Ends the step with Cancelled, here at once and on the cluster as soon as it hears of it. One
  /// that has ended is left alone.
  virtual void cancel() = 0;
  /// What the options asked for, once the step is done; empty before.
  virtual RunMetadata metadata() = 0;
};

/// A step that is compiled and waits for nothing but its feeds. To run it costs less than by name,
/// and it stays compiled while this lives. Where a device that it uses was lost, one call fails
/// with Unavailable or Aborted, and the next compiles it again. Thread-safe.
class Callable {
 public:
  virtual ~Callable() = default;

  /// A step with a value for each feed, in their order. The answer has a tensor per fetch.
  virtual Result<Tensors> run(const Tensors& feeds) = 0;
  virtual std::unique_ptr<PendingStep> start(const Tensors& feeds) = 0;
};

/// One step that is fed and fetched bit by bit. It holds its place on the devices until it ends:
/// when it has had all feeds and given all fetches, with an error, or after its timeout. Dropping
/// it cancels the step. Thread-safe.
class PartialRun {
 public:
  virtual ~PartialRun() = default;

  /// Gives the step these feeds and waits for these fetches. The call that gives the last feed and
  /// asks for the last fetch waits for the step's targets, too.
  ///
  /// InvalidArgument, which leaves the step as it was: a feed or fetch that was not set up, or not
  /// for the first time, or a fetch that needs a feed which was not given yet. Any other error is
  /// the end of the step, and the answer to all later calls.
  virtual Result<Tensors> run(const std::vector<Feed>& feeds, const Refs& fetches) = 0;
  /// Ends the step with Cancelled.
  virtual void cancel() = 0;
};

/// What Session::trace() gives.
struct TracedStep {
  Tensors values;
  RunMetadata metadata;
};

/// A graph on a cluster, and whole steps of it: what is enough for most programs. All calls wait
/// for their answer; several threads may call at once (their steps then run at once).
class BasicSession {
 public:
  virtual ~BasicSession() = default;

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
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets = {},
      const RunOptions& options = {}) = 0;

  /// Cancels the running steps and frees what the session holds; containers stay. Calls after it
  /// fail with FailedPrecondition, but for another close(), which has nothing left to do.
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

  /// Compiles a step for many runs: errors of its graph come now. The options are those of each
  /// run; their timeout holds for the compilation, too. It must end before the session does.
  virtual Result<std::unique_ptr<Callable>> make_callable(
      const Refs& feeds, const Refs& fetches, const Refs& targets = {},
      const RunOptions& options = {}) = 0;

  /// Compiles and starts a step of which every feed and fetch is given and taken once, by calls of
  /// the answer; it must end before the session does. The timeout is that of the whole step.
  virtual Result<std::unique_ptr<PartialRun>> partial_run_setup(
      const Refs& feeds, const Refs& fetches, const Refs& targets = {},
      const RunOptions& options = {}) = 0;

  /// What of the session's options has no effect here, in words.
  virtual const std::vector<std::string>& warnings() const = 0;
};

}  // namespace troupe
