#include "troupe/devices/resources/tensor_forest/stats/node_stats.hpp"

#include "troupe/devices/resources/tensor_forest/stats/classification_stats.hpp"
#include "troupe/devices/resources/tensor_forest/stats/regression_stats.hpp"

namespace troupe::forest {

Result<std::unique_ptr<NodeStats>> NodeStats::make(
    std::shared_ptr<const Params> params, int32_t depth) {
  if (auto status = params->check(); !status.ok()) return status;
  auto samples = params->split_after_samples.integer_at(depth, "split_after_samples");
  if (!samples) return samples.status();
  auto splits = params->num_splits_to_consider.integer_at(depth, "num_splits_to_consider");
  if (!splits) return splits.status();
  Sizes sizes{*samples, *splits};
  if (params->is_regression != (params->stats_type == static_cast<int32_t>(StatsModel::regression)))
    return invalid_argument("the statistics of a regression, and of nothing else, have means");
  if (params->is_regression)
    return std::unique_ptr<NodeStats>(
        std::make_unique<RegressionStats>(std::move(params), depth, sizes));
  auto counts = ClassCounts::make(*params);
  if (!counts) return counts.status();
  auto schedule = ClassificationStats::Schedule::make(*params, depth, sizes.split_after_samples);
  if (!schedule) return schedule.status();
  return std::unique_ptr<NodeStats>(std::make_unique<ClassificationStats>(
      std::move(params), depth, sizes, *std::move(counts), *schedule));
}

bool NodeStats::has_all_splits() const {
  return splits_.size() == static_cast<size_t>(sizes_.splits_to_consider);
}

bool NodeStats::is_initialized() const { return weight_sum_ > 0 || has_all_splits(); }

Status NodeStats::add_split(const BinaryNode& split) {
  auto decision = Decision::make(split);
  if (!decision) return decision.status();
  splits_.push_back(split);
  decisions_.push_back(*std::move(decision));
  auto status = add_split_stats();
  if (status.ok()) return status;
  splits_.pop_back();
  decisions_.pop_back();
  return status;
}

Status NodeStats::add_candidate(
    const BinaryNode& split, const Examples& examples, const Targets& targets, int64_t example) {
  // A negative number of splits is as good as no limit, as in TensorFlow.
  auto is_new = splits_.size() < static_cast<size_t>(sizes_.splits_to_consider);
  if (is_new)
    if (auto status = add_split(split); !status.ok()) return status;
  return add_initial_example(examples, targets, example, is_new);
}

Status NodeStats::add_initial_example(const Examples&, const Targets&, int64_t, bool) { return {}; }

Result<bool> NodeStats::goes_left(size_t split, const Examples& examples, int64_t example) const {
  auto is_left = decisions_[split].goes_left(examples, example);
  if (is_left) return *is_left;
  return invalid_argument("a split asks for a feature that examples do not have");
}

Status check_room(size_t splits, int32_t outputs) {
  constexpr size_t most = size_t{1} << 28;
  if (splits * static_cast<size_t>(outputs) <= most) return {};
  return resource_exhausted(
      std::to_string(splits) + " candidates with " + std::to_string(outputs) +
      " outputs each are too many");
}

Vector vector_of(const float* numbers, size_t count) {
  Vector vector;
  vector.values.resize(count);
  for (size_t i = 0; i < count; ++i) vector.values[i].held = numbers[i];
  return vector;
}

Status check_count(const Vector& vector, size_t count) {
  if (vector.values.size() >= count) return {};
  return invalid_argument(
      "statistics of a leaf have " + std::to_string(vector.values.size()) + " numbers instead of " +
      std::to_string(count));
}

}  // namespace troupe::forest
