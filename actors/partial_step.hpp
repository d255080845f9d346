#pragma once

#include <memory>
#include <string>
#include <vector>

#include "troupe/actors/compiled_step.hpp"

namespace troupe {

/// What of a step that is fed and fetched while it runs was given and asked for, and the calls that
/// wait for its fetches. Belongs to the session actor.
///
/// PS-1: each feed is given once and each fetch once. A call that is refused changes nothing.
/// PS-2: each call that was taken is answered once.
class PartialStep {
 public:
  PartialStep(const Graph& graph, std::shared_ptr<Gauges> gauges)
      : graph_(graph), gauges_(std::move(gauges)), counted_(gauges_, &Gauges::partial_runs) {}

  /// It is compiled; InvalidArgument where it names a fetch twice.
  Status begin(std::shared_ptr<const CompiledStep> step);

  /// Answers the call, now or later. Returns what it feeds: by number, unset where it feeds none;
  /// empty where it is refused.
  Tensors take(const RunPartially& call);
  /// A fetch is there; false where it is none, or was there already.
  bool arrived(size_t fetch, Tensor value);
  bool has(size_t fetch) const { return arrived_[fetch]; }
  /// The step has ended: no fetch comes any more.
  void end(const Status& status);

 private:
  struct Call {
    std::vector<size_t> fetches;
    bool waits_for_end;
    Done<Tensors> done;
    Counted counted;
  };
  struct Wanted {
    Tensors feeds;
    std::vector<size_t> fetches;
  };

  Result<Wanted> check(const RunPartially& call) const;
  Result<Tensors> check_feeds(const RunPartially& call) const;
  Status check_fetch(const std::string& name, const Wanted& wanted, size_t fetch) const;
  bool can_answer(const Call& call) const;
  void answer_calls();

  const Graph& graph_;
  std::shared_ptr<Gauges> gauges_;
  Counted counted_;
  std::shared_ptr<const CompiledStep> step_;
  std::vector<bool> fed_;
  std::vector<bool> asked_;    // fetches that calls have asked for
  std::vector<bool> arrived_;  // fetches that devices have brought
  Tensors values_;             // of those that no call has taken yet
  std::vector<Call> calls_;
  bool has_ended_ = false;
  Status error_;
};

}  // namespace troupe
