#include "troupe/devices/resources/tensor_forest/stats/class_counts.hpp"

namespace troupe::forest {
namespace {

class DenseCounts final : public ClassCounts {
 public:
  explicit DenseCounts(int32_t classes) : totals_(static_cast<size_t>(classes)) {}

  Status add_split() override {
    auto splits = left_.size() / std::max<size_t>(classes(), 1) + 1;
    auto status = check_room(splits, static_cast<int32_t>(classes()));
    if (status.ok()) left_.resize(left_.size() + classes());
    return status;
  }
  void remove_split(size_t split) override {
    auto first = left_.begin() + static_cast<std::ptrdiff_t>(split * classes());
    left_.erase(first, first + static_cast<std::ptrdiff_t>(classes()));
  }
  void add_left(size_t split, int32_t label, float weight) override {
    left_[at(split, label)] += weight;
  }
  void add_total(int32_t label, float weight) override {
    auto& total = totals_[static_cast<size_t>(label)];
    if (total == 0 && weight > 0) ++seen_;
    total += weight;
  }

  bool is_pure() const override { return seen_ <= 1; }
  float left(size_t split, int32_t label) const override { return left_[at(split, label)]; }
  float right(size_t split, int32_t label) const override {
    return totals_[static_cast<size_t>(label)] - left_[at(split, label)];
  }
  std::pair<Sums, Sums> sums(size_t split) const override {
    Sums left, right;
    for (size_t i = 0; i < classes(); ++i) {
      auto to_left = left_[split * classes() + i];
      left.sum += to_left;
      left.square += to_left * to_left;
      auto to_right = totals_[i] - to_left;
      right.sum += to_right;
      right.square += to_right * to_right;
    }
    return {left, right};
  }
  std::pair<ClassificationStat, ClassificationStat> sides(size_t split) const override {
    const auto* to_left = left_.data() + split * classes();
    std::vector<float> to_right;
    for (size_t i = 0; i < classes(); ++i) to_right.push_back(totals_[i] - to_left[i]);
    return {{vector_of(to_left, classes()), {}}, {vector_of(to_right.data(), classes()), {}}};
  }

  void store_total(LeafStat& stat) const override {
    stat.stat = ClassificationStat{vector_of(totals_.data(), classes()), {}};
  }
  void store_split(size_t split, SplitCandidate& candidate) const override {
    const auto* to_left = left_.data() + split * classes();
    candidate.left_stats = LeafStat{ClassificationStat{vector_of(to_left, classes()), {}}, 0};
  }
  Status restore_total(const LeafStat& stat) override {
    const auto& from = counts_of(stat);
    auto status = check_count(from, classes());
    for (size_t i = 0; status.ok() && i < classes(); ++i) {
      totals_[i] = from.values[i].real();
      if (totals_[i] != 0) ++seen_;
    }
    return status;
  }
  Status restore_split(
      size_t split, const SplitCandidate& candidate, std::vector<float>& weights) override {
    static const LeafStat none;
    const auto& from = counts_of(candidate.left_stats ? *candidate.left_stats : none);
    auto status = check_count(from, classes());
    for (size_t i = 0; status.ok() && i < classes(); ++i) {
      left_[split * classes() + i] = from.values[i].real();
      weights.push_back(from.values[i].real());
    }
    return status;
  }

 private:
  size_t classes() const { return totals_.size(); }
  size_t at(size_t split, int32_t label) const {
    return split * classes() + static_cast<size_t>(label);
  }
  static const Vector& counts_of(const LeafStat& stat) {
    static const Vector none;
    auto* found = std::get_if<Vector>(&classification_of(stat).counts);
    return found ? *found : none;
  }

  std::vector<float> totals_;
  int64_t seen_ = 0;         // classes with a weight
  std::vector<float> left_;  // all classes of a split, then those of the next one
};

}  // namespace

std::unique_ptr<ClassCounts> make_dense_counts(int32_t classes) {
  return std::make_unique<DenseCounts>(classes);
}

const ClassificationStat& classification_of(const LeafStat& stat) {
  static const ClassificationStat none;
  auto* found = std::get_if<ClassificationStat>(&stat.stat);
  return found ? *found : none;
}

const SparseVector& sparse_counts_of(const LeafStat& stat) {
  static const SparseVector none;
  auto* found = std::get_if<SparseVector>(&classification_of(stat).counts);
  return found ? *found : none;
}

Result<std::unique_ptr<ClassCounts>> ClassCounts::make(const Params& params) {
  switch (static_cast<StatsModel>(params.stats_type)) {
    case StatsModel::dense_gini: return make_dense_counts(params.num_outputs);
    case StatsModel::sparse_gini: return make_sparse_counts();
    case StatsModel::fixed_size:
      if (params.num_classes_to_track < 1)
        return invalid_argument("num_classes_to_track must be positive");
      return make_space_saving_counts(params.num_outputs, params.num_classes_to_track);
    case StatsModel::regression: break;
  }
  return invalid_argument("Unknown grow stats type: " + std::to_string(params.stats_type));
}

}  // namespace troupe::forest
