#include <unordered_map>

#include "troupe/devices/resources/tensor_forest/stats/class_counts.hpp"

namespace troupe::forest {
namespace {

// The order of such a map is that in which TensorFlow adds its weights up.
using Weights = std::unordered_map<int32_t, float>;

SparseVector sparse_vector_of(const Weights& weights) {
  SparseVector vector;
  for (auto [label, weight] : weights) vector.values[label].held = weight;
  return vector;
}

class SparseCounts final : public ClassCounts {
 public:
  Status add_split() override {
    left_.emplace_back();
    return {};
  }
  void remove_split(size_t split) override {
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(split));
  }
  void add_left(size_t split, int32_t label, float weight) override {
    left_[split][label] += weight;
  }
  void add_total(int32_t label, float weight) override { totals_[label] += weight; }

  bool is_pure() const override { return totals_.size() <= 1; }
  float left(size_t split, int32_t label) const override { return weight_of(left_[split], label); }
  float right(size_t split, int32_t label) const override {
    return weight_of(totals_, label) - weight_of(left_[split], label);
  }
  std::pair<Sums, Sums> sums(size_t split) const override {
    Sums left, right;
    for (auto [label, total] : totals_) {
      auto to_left = weight_of(left_[split], label);
      auto to_right = total - to_left;
      left.sum += to_left;
      left.square += to_left * to_left;
      right.sum += to_right;
      right.square += to_right * to_right;
    }
    return {left, right};
  }
  std::pair<ClassificationStat, ClassificationStat> sides(size_t split) const override {
    SparseVector left, right;
    for (auto [label, total] : totals_) {
      auto found = left_[split].find(label);
      if (found == left_[split].end()) {
        right.values[label].held = total;
        continue;
      }
      left.values[label].held = found->second;
      if (total - found->second > 0) right.values[label].held = total - found->second;
    }
    return {{std::move(left), {}}, {std::move(right), {}}};
  }

  void store_total(LeafStat& stat) const override {
    stat.stat = ClassificationStat{sparse_vector_of(totals_), {}};
  }
  void store_split(size_t split, SplitCandidate& candidate) const override {
    candidate.left_stats = LeafStat{ClassificationStat{sparse_vector_of(left_[split]), {}}, 0};
  }
  Status restore_total(const LeafStat& stat) override {
    for (const auto& [label, value] : sparse_counts_of(stat).values)
      totals_[static_cast<int32_t>(label)] = value.real();
    return {};
  }
  Status restore_split(
      size_t split, const SplitCandidate& candidate, std::vector<float>& weights) override {
    static const LeafStat none;
    const auto& from = sparse_counts_of(candidate.left_stats ? *candidate.left_stats : none);
    for (const auto& [label, value] : from.values) {
      left_[split][static_cast<int32_t>(label)] = value.real();
      weights.push_back(value.real());
    }
    return {};
  }

 private:
  static float weight_of(const Weights& weights, int32_t label) {
    auto found = weights.find(label);
    return found == weights.end() ? 0 : found->second;
  }

  Weights totals_;
  std::vector<Weights> left_;
};

}  // namespace

std::unique_ptr<ClassCounts> make_sparse_counts() { return std::make_unique<SparseCounts>(); }

}  // namespace troupe::forest
