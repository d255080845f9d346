#pragma once

#include <memory>
#include <unordered_set>

#include "troupe/actors/session/compiled_step.hpp"
#include "troupe/graph/place/step_costs.hpp"

namespace troupe {

/// What a session knows of the costs of its steps, and which steps it measures for that: of a
/// session that places by cost, the first of each signature. Belongs to the session actor.
class SessionCosts {
 public:
  /// Of each signature. The first step is often slow, so it does not count alone.
  static constexpr int measured_steps = 3;

  /// As they are now; what is learned later does not change them.
  std::shared_ptr<const StepCosts> shared() const { return costs_; }

  /// Sets how many runs of a newly compiled step are to be traced.
  void prepare(CompiledStep& step) const {
    step.steps_to_measure = placed_by_measures_.contains(step.signature) ? 0 : measured_steps;
  }

  /// Learns from a traced step. True once, when enough steps of the signature were measured: it is
  /// to be compiled again.
  bool learn(CompiledStep& step, const RunMetadata& metadata) {
    if (costs_.use_count() > 1) costs_ = std::make_shared<StepCosts>(*costs_);
    costs_->learn(metadata);
    if (step.steps_to_measure == 0 || --step.steps_to_measure > 0) return false;
    if (placed_by_measures_.size() >= signatures_max) placed_by_measures_.clear();
    return placed_by_measures_.insert(step.signature).second;
  }

 private:
  static constexpr size_t signatures_max = 4096;

  std::shared_ptr<StepCosts> costs_ = std::make_shared<StepCosts>();
  std::unordered_set<StepSignature, StepSignatureHash> placed_by_measures_;
};

}  // namespace troupe
