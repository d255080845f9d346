#pragma once

#include <memory>
#include <string>
#include <vector>

#include "troupe/actors/session/compiled_step.hpp"

namespace troupe {

/// The step of a partial run: which of its feeds and fetches the client has given and requested,
/// and the calls that wait for fetches. Belongs to the session actor.
///
/// PS-1: each feed is fed once and each fetch fetched once. A call that is refused changes nothing.
/// PS-2: each call is answered once.
class PartialStep {
 public:
  /// The present graph of the session; nodes keep their ids in a larger one.
  using GraphOf = std::function<const Graph&()>;

  PartialStep(GraphOf graph, std::shared_ptr<Metrics> metrics)
      : graph_(std::move(graph)),
        metrics_(std::move(metrics)),
        counted_(metrics_, &Metrics::partial_runs) {}

  /// Sets the compiled step. InvalidArgument: it has a fetch twice.
  Status begin(std::shared_ptr<const CompiledStep> step);

  /// Answers the call, now or when its fetches have arrived. Returns its feeds by their index, with
  /// those that it does not feed unset; empty if the call is refused.
  Tensors accept(const RunPartially& call);
  /// Takes the value of a fetch. False: the step has no such fetch, or its value was there already.
  bool arrived(size_t fetch, Tensor value);
  bool has(size_t fetch) const { return arrived_[fetch]; }
  /// The step has ended: no more fetches arrive.
  void end(const Status& status);

 private:
  struct Call {
    std::vector<size_t> fetches;
    bool waits_for_end;
    Done<Tensors> done;
    Counted counted;
  };
  struct Checked {
    Tensors feeds;
    std::vector<size_t> fetches;
  };

  Result<Checked> check(const RunPartially& call) const;
  Result<Tensors> check_feeds(const RunPartially& call) const;
  Status check_fetch(const std::string& name, const Checked& checked, size_t fetch) const;
  bool can_answer(const Call& call) const;
  void answer_calls();

  const GraphOf graph_;
  std::shared_ptr<Metrics> metrics_;
  Counted counted_;
  std::shared_ptr<const CompiledStep> step_;
  std::vector<bool> fed_;
  std::vector<bool> requested_;  // fetches that calls have requested
  std::vector<bool> arrived_;    // fetches whose values have arrived
  Tensors values_;               // of the fetches that were not answered yet
  std::vector<Call> calls_;
  bool has_ended_ = false;
  Status error_;
};

}  // namespace troupe
