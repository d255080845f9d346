#include "troupe/devices/resources/tensor_forest/stats/regression_stats.hpp"

#include <limits>

namespace troupe::forest {
namespace {

const RegressionStat& regression_of(const LeafStat& stat) {
  static const RegressionStat none;
  auto* found = std::get_if<RegressionStat>(&stat.stat);
  return found ? *found : none;
}

/// Takes as many numbers as there are.
Status take(const std::optional<Vector>& vector, std::span<float> to) {
  static const Vector none;
  const auto& from = vector ? *vector : none;
  auto status = check_count(from, to.size());
  for (size_t i = 0; status.ok() && i < to.size(); ++i) to[i] = from.values[i].real();
  return status;
}

int64_t to_count(float number) {
  constexpr float most = 9e18f;
  if (!(number > -most)) return 0;
  return number < most ? static_cast<int64_t>(number) : std::numeric_limits<int64_t>::max();
}

}  // namespace

RegressionStats::RegressionStats(
    std::shared_ptr<const Params> params, int32_t depth, const Sizes& sizes)
    : NodeStats(std::move(params), depth, sizes),
      total_sums_(outputs()),
      total_squares_(outputs()) {}

bool RegressionStats::is_finished() const {
  return weight_sum_ >= static_cast<float>(sizes().split_after_samples);
}

Status RegressionStats::add_split_stats() {
  auto status = check_room(split_count(), params().num_outputs);
  if (!status.ok()) return status;
  left_sums_.resize(outputs() * split_count());
  left_squares_.resize(outputs() * split_count());
  left_counts_.push_back(0);
  return {};
}

Status RegressionStats::add_example(
    const Examples& examples, const Targets& targets, int64_t example) {
  if (targets.columns() < params().num_outputs)
    return invalid_argument(
        "labels have " + std::to_string(targets.columns()) + " columns, but there are " +
        std::to_string(params().num_outputs) + " outputs");
  auto add = [&](float* sums, float* squares) {
    for (size_t i = 0; i < outputs(); ++i) {
      auto output = targets.number(example, static_cast<int64_t>(i));
      sums[i] += output;
      squares[i] += output * output;
    }
  };
  for (size_t i = 0; i < split_count(); ++i) {
    auto is_left = goes_left(i, examples, example);
    if (!is_left) return is_left.status();
    if (!*is_left) continue;
    add(left_sums_.data() + i * outputs(), left_squares_.data() + i * outputs());
    ++left_counts_[i];
  }
  add(total_sums_.data(), total_squares_.data());
  weight_sum_ += 1;
  return {};
}

float RegressionStats::variance(size_t split) const {
  auto left = static_cast<float>(left_counts_[split]);
  auto right = weight_sum_ - left;
  float total = 0;
  for (size_t i = 0; i < outputs(); ++i) {
    auto at = split * outputs() + i;
    auto left_mean = left_sums_[at] / left;
    total += left_squares_[at] / left - left_mean * left_mean;
    auto right_mean = (total_sums_[i] - left_sums_[at]) / right;
    total += (total_squares_[i] - left_squares_[at]) / right - right_mean * right_mean;
  }
  return total;
}

std::optional<SplitCandidate> RegressionStats::best_split() const {
  auto least = std::numeric_limits<float>::max();
  std::optional<size_t> best;
  for (size_t i = 0; i < split_count(); ++i) {
    auto left = left_counts_[i];
    if (left <= 0 || !(weight_sum_ - static_cast<float>(left) > 0)) continue;
    auto score = variance(i);
    if (!(score < least)) continue;
    least = score;
    best = i;
  }
  if (!best) return {};
  const auto* sums = left_sums_.data() + *best * outputs();
  std::vector<float> others;
  for (size_t i = 0; i < outputs(); ++i) others.push_back(total_sums_[i] - sums[i]);
  auto left = static_cast<float>(left_counts_[*best]);
  SplitCandidate candidate;
  candidate.split = splits_[*best];
  candidate.left_stats = LeafStat{RegressionStat{vector_of(sums, outputs()), {}}, left};
  candidate.right_stats =
      LeafStat{RegressionStat{vector_of(others.data(), outputs()), {}}, weight_sum_ - left};
  return candidate;
}

void RegressionStats::store(FertileSlot& slot) const {
  auto stat = [&](const float* sums, const float* squares) {
    return RegressionStat{vector_of(sums, outputs()), vector_of(squares, outputs())};
  };
  slot.post_init_leaf_stats =
      LeafStat{stat(total_sums_.data(), total_squares_.data()), weight_sum_};
  for (size_t i = 0; i < split_count(); ++i) {
    auto at = i * outputs();
    auto& candidate = slot.candidates.emplace_back();
    candidate.split = splits_[i];
    candidate.left_stats = LeafStat{
        stat(left_sums_.data() + at, left_squares_.data() + at),
        static_cast<float>(left_counts_[i])};
  }
}

Status RegressionStats::restore(const FertileSlot& slot) {
  if (!slot.post_init_leaf_stats) return {};
  weight_sum_ = slot.post_init_leaf_stats->weight_sum;
  const auto& totals = regression_of(*slot.post_init_leaf_stats);
  auto status = take(totals.mean_output, total_sums_);
  if (status.ok()) status = take(totals.mean_output_squares, total_squares_);
  for (size_t i = 0; status.ok() && i < slot.candidates.size(); ++i) {
    const auto& candidate = slot.candidates[i];
    status = add_split(candidate.split.value_or(BinaryNode()));
    if (!status.ok()) break;
    auto left = candidate.left_stats.value_or(LeafStat());
    auto at = i * outputs();
    status = take(regression_of(left).mean_output, std::span(left_sums_).subspan(at));
    if (status.ok())
      status = take(regression_of(left).mean_output_squares, std::span(left_squares_).subspan(at));
    left_counts_[i] = to_count(left.weight_sum);
  }
  return status;
}

}  // namespace troupe::forest
