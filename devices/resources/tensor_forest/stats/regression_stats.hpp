#pragma once

#include "troupe/devices/resources/tensor_forest/stats/node_stats.hpp"

namespace troupe::forest {

/// Sums of the outputs and of their squares: the best split has the least variance on both sides.
class RegressionStats final : public NodeStats {
 public:
  RegressionStats(std::shared_ptr<const Params> params, int32_t depth, const Sizes& sizes);

  bool is_finished() const override;
  Status add_example(const Examples& examples, const Targets& targets, int64_t example) override;
  std::optional<SplitCandidate> best_split() const override;
  void store(FertileSlot& slot) const override;
  Status restore(const FertileSlot& slot) override;

 protected:
  Status add_split_stats() override;

 private:
  size_t outputs() const { return static_cast<size_t>(params().num_outputs); }
  float variance(size_t split) const;

  std::vector<float> total_sums_;
  std::vector<float> total_squares_;
  // Of the left sides: all outputs of a split, then those of the next one.
  std::vector<float> left_sums_;
  std::vector<float> left_squares_;
  std::vector<int64_t> left_counts_;
};

}  // namespace troupe::forest
