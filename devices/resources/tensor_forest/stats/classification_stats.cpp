#include "troupe/devices/resources/tensor_forest/stats/classification_stats.hpp"

#include <cmath>
#include <limits>

namespace troupe::forest {
namespace {

/// The impurity of counts to each of which 1 is added, by the sum of the counts.
float smoothed_impurity(const ClassCounts::Sums& side, int32_t classes) {
  auto count = static_cast<float>(classes);
  auto sum = count + side.sum;
  auto impurity = static_cast<float>(1.0 - (side.square + 2 * side.sum + count) / (sum * sum));
  return side.sum * impurity;
}

void add(ClassCounts::Sums& sums, float before, float weight) {
  sums.sum += weight;
  auto after = before + weight;
  sums.square = sums.square - before * before + after * after;
}

}  // namespace

ClassificationStats::ClassificationStats(
    std::shared_ptr<const Params> params, int32_t depth, const Sizes& sizes,
    std::unique_ptr<ClassCounts> counts, const Schedule& schedule)
    : NodeStats(std::move(params), depth, sizes), counts_(std::move(counts)), schedule_(schedule) {}

bool ClassificationStats::is_initialized() const {
  return weight_sum_ > 0 || (has_all_splits() && first_classes_.empty());
}

bool ClassificationStats::is_finished() const {
  auto samples = static_cast<float>(sizes().split_after_samples);
  return (weight_sum_ >= samples && !counts_->is_pure()) || is_finished_early_;
}

Status ClassificationStats::add_split_stats() {
  auto status = counts_->add_split();
  if (!status.ok() || !params().use_running_stats) return status;
  left_sums_.emplace_back();
  right_sums_.emplace_back();
  return {};
}

Status ClassificationStats::add_initial_example(
    const Examples& examples, const Targets& targets, int64_t example, bool is_new) {
  if (!params().initialize_average_splits) return {};
  auto label = targets.label(example, params().num_outputs);
  if (!label) return label.status();
  if (is_new && std::holds_alternative<InequalityTest>(splits_.back().test))
    first_classes_[split_count() - 1] = *label;
  for (auto entry = first_classes_.begin(); entry != first_classes_.end();) {
    if (entry->second == *label) {
      ++entry;
      continue;
    }
    // Only of the split that the tree gets: its candidate still goes by the first example alone,
    // as in TensorFlow.
    auto& test = std::get<InequalityTest>(splits_[entry->first].test);
    if (auto* id = std::get_if<FeatureId>(&test.features)) {
      auto feature = feature_of(*id);
      if (!feature) return feature.status();
      auto value = examples.value(example, *feature);
      if (!value) return invalid_argument("examples have no feature " + std::to_string(*feature));
      auto before = test.threshold ? test.threshold->real() : 0;
      test.threshold = Value{(before + *value) / 2};
    }
    entry = first_classes_.erase(entry);
  }
  return {};
}

ClassificationStats::Score ClassificationStats::score(size_t split) const {
  auto [left, right] = params().use_running_stats ? std::pair(left_sums_[split], right_sums_[split])
                                                  : counts_->sums(split);
  auto classes = params().num_outputs;
  return {
      left.sum, right.sum, smoothed_impurity(left, classes) + smoothed_impurity(right, classes)};
}

std::vector<float> ClassificationStats::impurities() const {
  std::vector<float> found;
  for (size_t i = 0; i < split_count(); ++i) found.push_back(score(i).impurity);
  return found;
}

Status ClassificationStats::add_example(
    const Examples& examples, const Targets& targets, int64_t example) {
  auto label = targets.label(example, params().num_outputs);
  if (!label) return label.status();
  auto weight = targets.weight(example);
  for (size_t i = 0; i < split_count(); ++i) {
    auto is_left = goes_left(i, examples, example);
    if (!is_left) return is_left.status();
    if (*is_left) {
      if (params().use_running_stats) add(left_sums_[i], counts_->left(i, *label), weight);
      counts_->add_left(i, *label, weight);
    } else {
      if (params().use_running_stats) add(right_sums_[i], counts_->right(i, *label), weight);
      counts_->add_right(i, *label, weight);
    }
  }
  counts_->add_total(*label, weight);
  weight_sum_ += weight;
  maybe_finish();
  maybe_prune();
  return {};
}

std::optional<SplitCandidate> ClassificationStats::best_split() const {
  auto least = std::numeric_limits<float>::max();
  std::optional<size_t> best;
  Score best_score;
  for (size_t i = 0; i < split_count(); ++i) {
    auto found = score(i);
    if (!(found.left_sum > 0 && found.right_sum > 0 && found.impurity < least)) continue;
    least = found.impurity;
    best = i;
    best_score = found;
  }
  if (!best) return {};
  auto [left, right] = counts_->sides(*best);
  SplitCandidate candidate;
  candidate.split = splits_[*best];
  candidate.left_stats = LeafStat{std::move(left), best_score.left_sum};
  candidate.right_stats = LeafStat{std::move(right), best_score.right_sum};
  return candidate;
}

void ClassificationStats::store(FertileSlot& slot) const {
  auto& total = slot.post_init_leaf_stats.emplace();
  total.weight_sum = weight_sum_;
  counts_->store_total(total);
  for (size_t i = 0; i < split_count(); ++i) {
    auto& candidate = slot.candidates.emplace_back();
    candidate.split = splits_[i];
    counts_->store_split(i, candidate);
  }
}

Status ClassificationStats::restore(const FertileSlot& slot) {
  if (!slot.post_init_leaf_stats) return {};
  weight_sum_ = slot.post_init_leaf_stats->weight_sum;
  auto status = counts_->restore_total(*slot.post_init_leaf_stats);
  for (size_t i = 0; status.ok() && i < slot.candidates.size(); ++i) {
    const auto& candidate = slot.candidates[i];
    status = add_split(candidate.split.value_or(BinaryNode()));
    std::vector<float> weights;
    if (status.ok()) status = counts_->restore_split(i, candidate, weights);
    if (!status.ok() || !params().use_running_stats) continue;
    // A checkpoint does not tell the right sides apart: TensorFlow begins them as the left ones.
    for (auto weight : weights) {
      add(left_sums_[i], 0, weight);
      add(right_sums_[i], 0, weight);
    }
  }
  return status;
}

}  // namespace troupe::forest
