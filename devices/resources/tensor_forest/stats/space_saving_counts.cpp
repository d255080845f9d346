#include <limits>
#include <set>

#include "troupe/devices/resources/tensor_forest/hash_ordered_map.hpp"
#include "troupe/devices/resources/tensor_forest/stats/class_counts.hpp"

namespace troupe::forest {
namespace {

/// The weights of the classes that weigh most, in constant space: a class that is not among them
/// takes the place, and the weight, of the lightest one ("SpaceSaving" by Metwally, Agrawal and El
/// Abbadi).
class HeaviestClasses {
 public:
  HeaviestClasses(int32_t classes, int32_t tracked) : classes_(classes), tracked_(tracked) {}

  void add(int32_t label, float weight) {
    if (auto found = weights_.find(label); found != weights_.end()) {
      found->second += weight;
      if (label == lightest_) lightest_ = find_lightest();
      return;
    }
    if (!is_full()) {
      weights_[label] = weight;
      if (is_full()) lightest_ = find_lightest();
      return;
    }
    auto replaced = weights_.find(lightest_);
    // Weights that are not finite may have none.
    if (replaced == weights_.end()) replaced = weights_.begin();
    auto sum = replaced->second + weight;
    weights_.erase(replaced->first);
    weights_[label] = sum;
    lightest_ = find_lightest();
  }

  /// About how much a class weighs: those that are there may seem to weigh as much more as the
  /// lightest one does, so that half of that is taken from each, and given to all classes.
  float weight(int32_t label) const {
    auto share = shared_weight();
    auto found = weights_.find(label);
    if (found != weights_.end())
      share = static_cast<float>(share + (found->second - lightest_weight() / 2.0));
    return share;
  }

  ClassCounts::Sums sums() const {
    ClassCounts::Sums sums;
    for (const auto& [label, held] : weights_) {
      sums.sum += held;
      auto about = weight(label);
      sums.square += about * about;
    }
    auto share = shared_weight();
    sums.square += static_cast<float>(classes_ - tracked_) * share * share;
    return sums;
  }

  void take(const SparseVector& from) {
    for (const auto& [label, value] : from.values)
      weights_[static_cast<int32_t>(label)] = value.real();
    if (is_full()) lightest_ = find_lightest();
  }
  SparseVector vector() const {
    SparseVector vector;
    for (const auto& [label, weight] : weights_) vector.values[label].held = weight;
    return vector;
  }

 private:
  bool is_full() const { return weights_.size() >= static_cast<size_t>(tracked_); }
  int32_t find_lightest() const {
    int32_t lightest = -1;
    auto least = std::numeric_limits<float>::max();
    for (const auto& [label, weight] : weights_)
      if (weight < least) {
        least = weight;
        lightest = label;
      }
    return lightest;
  }
  float lightest_weight() const {
    auto found = weights_.find(lightest_);
    return found == weights_.end() ? 0 : found->second;
  }
  float shared_weight() const {
    return static_cast<float>(lightest_weight() / 2.0 * tracked_ / static_cast<float>(classes_));
  }

  int32_t classes_;
  int32_t tracked_;
  int32_t lightest_ = -1;
  HashOrderedMap<float> weights_;
};

class SpaceSavingCounts final : public ClassCounts {
 public:
  SpaceSavingCounts(int32_t classes, int32_t tracked) : classes_(classes), tracked_(tracked) {}

  Status add_split() override {
    left_.emplace_back(classes_, tracked_);
    right_.emplace_back(classes_, tracked_);
    return {};
  }
  void remove_split(size_t split) override {
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(split));
    right_.erase(right_.begin() + static_cast<std::ptrdiff_t>(split));
  }
  void add_left(size_t split, int32_t label, float weight) override {
    left_[split].add(label, weight);
  }
  void add_right(size_t split, int32_t label, float weight) override {
    right_[split].add(label, weight);
  }
  void add_total(int32_t label, float) override {
    if (is_pure()) first_seen_.insert(label);
  }

  bool is_pure() const override { return first_seen_.size() <= 1; }
  float left(size_t split, int32_t label) const override { return left_[split].weight(label); }
  float right(size_t split, int32_t label) const override { return right_[split].weight(label); }
  std::pair<Sums, Sums> sums(size_t split) const override {
    return {left_[split].sums(), right_[split].sums()};
  }
  std::pair<ClassificationStat, ClassificationStat> sides(size_t split) const override {
    return {{left_[split].vector(), {}}, {right_[split].vector(), {}}};
  }

  void store_total(LeafStat&) const override {}
  void store_split(size_t split, SplitCandidate& candidate) const override {
    candidate.left_stats = LeafStat{ClassificationStat{left_[split].vector(), {}}, 0};
    candidate.right_stats = LeafStat{ClassificationStat{right_[split].vector(), {}}, 0};
  }
  Status restore_total(const LeafStat&) override { return {}; }
  Status restore_split(
      size_t split, const SplitCandidate& candidate, std::vector<float>&) override {
    if (candidate.left_stats) left_[split].take(sparse_counts_of(*candidate.left_stats));
    if (candidate.right_stats) right_[split].take(sparse_counts_of(*candidate.right_stats));
    return {};
  }

 private:
  int32_t classes_;
  int32_t tracked_;
  std::vector<HeaviestClasses> left_;
  std::vector<HeaviestClasses> right_;
  std::set<int32_t> first_seen_;  // at most two, which tell whether there is more than one
};

}  // namespace

std::unique_ptr<ClassCounts> make_space_saving_counts(int32_t classes, int32_t tracked) {
  return std::make_unique<SpaceSavingCounts>(classes, tracked);
}

}  // namespace troupe::forest
