#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>

#include "troupe/devices/resources/tensor_forest/stats/classification_stats.hpp"

namespace troupe::forest {
namespace {

/// The fraction that the best candidate must dominate the others with.
Result<float> dominate_fraction_of(const Params& params, int32_t depth) {
  auto given = params.dominate_fraction.value_or(DepthParam());
  auto fraction = given.at(depth, "dominate_fraction");
  if (fraction && !(*fraction > 0 && *fraction <= 1))
    return invalid_argument("Invalid dominate fraction " + std::to_string(*fraction));
  return fraction;
}

/// What part of the candidates is removed at a time.
float fraction_of(Pruning pruning) {
  switch (pruning) {
    case Pruning::half: return 0.5f;
    case Pruning::quarter: return 0.25f;
    case Pruning::tenth: return 0.10f;
    default: return 0;
  }
}

/// Whether so much was seen that it is time for the next comparison.
bool is_due(float weight, int64_t epoch, int64_t every) {
  return !(weight < static_cast<float>(epoch * every));
}

}  // namespace

Result<ClassificationStats::Schedule> ClassificationStats::Schedule::make(
    const Params& params, int32_t depth, int32_t split_after_samples) {
  Schedule schedule;
  schedule.finish = static_cast<Finish>(params.finish.type);
  schedule.min_split_samples = split_after_samples;
  schedule.finish_every = int64_t{split_after_samples} * 2;
  schedule.prune_every = schedule.finish_every;
  if (schedule.finish != Finish::basic) {
    auto least =
        params.min_split_samples.value_or(DepthParam()).integer_at(depth, "min_split_samples");
    if (!least) return least.status();
    auto every = params.finish.period.integer_at(depth, "check_every_steps");
    if (!every) return every.status();
    if (*every <= 0) return invalid_argument("check_every_steps must be positive");
    schedule.min_split_samples = *least;
    schedule.finish_every = *every;
    schedule.finish_epoch = *least / *every;
  }
  schedule.pruning = static_cast<Pruning>(params.pruning.type);
  if (schedule.pruning != Pruning::none) {
    auto every = params.pruning.period.integer_at(depth, "prune_every_samples");
    if (!every) return every.status();
    schedule.prune_every = *every;
    schedule.pruned_fraction = fraction_of(schedule.pruning);
  }
  if (schedule.finish != Finish::basic || schedule.pruning == Pruning::hoeffding) {
    auto fraction = dominate_fraction_of(params, depth);
    if (!fraction) return fraction.status();
    schedule.dominate_fraction = *fraction;
  }
  return schedule;
}

void ClassificationStats::maybe_finish() {
  if (weight_sum_ < static_cast<float>(schedule_.min_split_samples) ||
      !is_due(weight_sum_, schedule_.finish_epoch, schedule_.finish_every))
    return;
  ++schedule_.finish_epoch;
  // By bootstrap, TensorFlow compares the best with the worst of negative numbers and 0, which
  // never ends a leaf.
  if (schedule_.finish == Finish::hoeffding) is_finished_early_ = does_one_dominate();
}

bool ClassificationStats::does_one_dominate() const {
  auto range = static_cast<float>(0.25 * static_cast<float>(params().num_outputs) * weight_sum_);
  auto confidence = std::log(1.0 / (1.0 - schedule_.dominate_fraction));
  auto bound = static_cast<float>(range * std::sqrt(confidence / (2.0 * weight_sum_)));
  auto best = std::numeric_limits<float>::max(), second = best;
  for (auto impurity : impurities())
    if (impurity < best) {
      second = best;
      best = impurity;
    } else if (impurity < second) {
      second = impurity;
    }
  return second - best > bound;
}

void ClassificationStats::maybe_prune() {
  if (schedule_.pruning == Pruning::none || is_finished() ||
      !is_due(weight_sum_, schedule_.prune_epoch, schedule_.prune_every))
    return;
  ++schedule_.prune_epoch;
  if (schedule_.pruning == Pruning::hoeffding) prune_hopeless();
  else prune_worst();
}

void ClassificationStats::prune_worst() {
  auto count = static_cast<size_t>(static_cast<float>(split_count()) * schedule_.pruned_fraction);
  if (count == 0) return;
  using Entry = std::pair<float, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> worst;
  std::set<size_t> removed;
  auto scores = impurities();
  for (size_t i = 0; i < scores.size(); ++i) {
    if (worst.size() >= count) {
      if (!(worst.top().first < scores[i])) continue;
      removed.erase(worst.top().second);
      worst.pop();
    }
    worst.emplace(scores[i], i);
    removed.insert(i);
  }
  for (auto split = removed.rbegin(); split != removed.rend(); ++split) remove_split(*split);
}

void ClassificationStats::prune_hopeless() {
  auto scores = impurities();
  auto best = std::numeric_limits<float>::max();
  for (auto impurity : scores) best = impurity < best ? impurity : best;
  auto classes = static_cast<float>(params().num_outputs);
  auto range = static_cast<float>(weight_sum_ * (1.0 - 1.0 / classes));
  auto confidence = static_cast<float>(0.5 * std::log(1.0 / (1.0 - schedule_.dominate_fraction)));
  auto bound = range * std::sqrt(confidence / weight_sum_);
  for (auto i = scores.size(); i-- > 0;)
    if (scores[i] - best > bound) remove_split(i);
}

void ClassificationStats::remove_split(size_t split) {
  auto at = static_cast<std::ptrdiff_t>(split);
  splits_.erase(splits_.begin() + at);
  decisions_.erase(decisions_.begin() + at);
  counts_->remove_split(split);
  first_classes_.clear();  // which has positions of splits
  if (!params().use_running_stats) return;
  left_sums_.erase(left_sums_.begin() + at);
  right_sums_.erase(right_sums_.begin() + at);
}

}  // namespace troupe::forest
