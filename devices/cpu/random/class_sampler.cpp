#include "troupe/devices/cpu/random/class_sampler.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "troupe/devices/cpu/random/distributions.hpp"

namespace troupe::cpu {
namespace {

constexpr int64_t int32_max = std::numeric_limits<int32_t>::max();

class UniformSampler final : public ClassSampler {
 public:
  explicit UniformSampler(int64_t range) : range_(range) {}

  int64_t sample(PhiloxNumbers& numbers) const override {
    return static_cast<int64_t>(numbers.next_64() % static_cast<uint64_t>(range_));
  }
  float probability(int64_t) const override {
    return static_cast<float>(1.0 / static_cast<double>(range_));
  }
  int64_t reachable() const override { return range_; }

 private:
  int64_t range_;
};

class LogUniformSampler final : public ClassSampler {
 public:
  explicit LogUniformSampler(int64_t range)
      : range_(range), log_range_(std::log1p(static_cast<double>(range))) {}

  int64_t sample(PhiloxNumbers& numbers) const override {
    constexpr double most = 0x1.fffffffffffffp62;  // less would fit no int64
    auto value = std::min(std::exp(unit_double(numbers) * log_range_), most);
    return (static_cast<int64_t>(value) - 1) % range_;
  }
  float probability(int64_t value) const override {
    auto k = static_cast<double>(value);
    return static_cast<float>(std::log((k + 2) / (k + 1)) / log_range_);
  }
  int64_t reachable() const override { return range_; }

 private:
  int64_t range_;
  double log_range_;
};

class LearnedSampler final : public ClassSampler {
 public:
  /// `counts` are zeros, one more than there are classes.
  LearnedSampler(int64_t range, Tensor counts)
      : range_(range), total_(range), held_(std::move(counts)) {
    counts_ = held_.mutable_data<int32_t>();
  }

  int64_t sample(PhiloxNumbers& numbers) const override {
    auto position = numbers.next() % static_cast<uint32_t>(total_);
    int64_t found = 0, left = position;
    for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(range_))); step > 0;
         step /= 2) {
      if (found + step > range_) continue;
      auto weight = step + counts_[found + step];
      if (weight > left) continue;
      found += step;
      left -= weight;
    }
    return found;
  }
  float probability(int64_t value) const override {
    auto weight = 1 + sum_below(value + 1) - sum_below(value);
    return static_cast<float>(weight) / static_cast<float>(total_);
  }
  int64_t reachable() const override { return range_; }
  void update(std::span<const int64_t> values) override {
    auto most = static_cast<size_t>(int32_max - total_);  // then it has learned enough
    for (auto value : values.first(std::min(values.size(), most))) {
      for (auto i = value + 1; i <= range_; i += i & -i) ++counts_[i];
      ++total_;
    }
  }

 private:
  int64_t sum_below(int64_t end) const {
    int64_t sum = 0;
    for (auto i = end; i > 0; i -= i & -i) sum += counts_[i];
    return sum;
  }

  int64_t range_;
  int64_t total_;
  Tensor held_;
  int32_t* counts_;  // a Fenwick tree: element i has the sum of the lowest bit of i classes up to i
};

/// A table of one entry a class, which is drawn itself or stands for one other (Walker's method).
class UnigramSampler final : public ClassSampler {
 public:
  UnigramSampler(std::vector<float> weights, float total)
      : weights_(std::move(weights)), total_(total), entries_(weights_.size()) {
    pair_entries();
    std::vector<bool> is_reachable(entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].chance > 0) is_reachable[i] = true;
      if (entries_[i].chance < 1) is_reachable[entries_[i].other] = true;
    }
    reachable_ = std::ranges::count(is_reachable, true);
  }

  int64_t sample(PhiloxNumbers& numbers) const override {
    auto chance = unit_float(numbers);
    auto i = numbers.next() % static_cast<uint32_t>(entries_.size());
    return chance < entries_[i].chance ? i : entries_[i].other;
  }
  float probability(int64_t value) const override {
    return weights_[static_cast<size_t>(value)] / total_;
  }
  int64_t reachable() const override { return reachable_; }

 private:
  struct Entry {
    float chance = 1;
    uint32_t other = 0;
  };

  /// Entries of little weight are filled up with others. The order of the pairs is TensorFlow's.
  void pair_entries() {
    auto count = static_cast<float>(weights_.size());
    double sum = 0;
    for (auto weight : weights_) sum += weight;
    std::vector<double> shares;
    std::vector<uint32_t> high, low;
    for (uint32_t i = 0; i < weights_.size(); ++i) {
      shares.push_back((weights_[i] * count) / sum);
      (shares.back() < 1 ? low : high).push_back(i);
    }
    while (!high.empty() && !low.empty()) {
      auto filled = low.back(), other = high.back();
      low.pop_back(), high.pop_back();
      entries_[filled] = {static_cast<float>(shares[filled]), other};
      shares[other] -= 1 - shares[filled];
      (shares[other] < 1 ? low : high).push_back(other);
    }
    // What is left has a share of 1, but for rounding errors.
    for (const auto& rest : {high, low})
      for (auto i : rest) entries_[i] = {1, i};
  }

  std::vector<float> weights_;
  float total_;
  std::vector<Entry> entries_;
  int64_t reachable_ = 0;
};

/// How many of the numbers from 0 to `count` leave `shard`.
int64_t count_in_shard(int64_t count, const Unigrams& u) {
  return count <= u.shard ? 0 : (count - 1 - u.shard) / u.shard_count + 1;
}

}  // namespace

std::unique_ptr<ClassSampler> make_uniform_sampler(int64_t range) {
  return std::make_unique<UniformSampler>(range);
}

std::unique_ptr<ClassSampler> make_log_uniform_sampler(int64_t range) {
  return std::make_unique<LogUniformSampler>(range);
}

Result<std::unique_ptr<ClassSampler>> make_learned_sampler(int64_t range) {
  if (range >= int32_max)
    return invalid_argument(
        "'range_max' must be less than 2^31 - 1, but is " + std::to_string(range));
  auto counts = Tensor::allocate(DType::int32, {range + 1});
  if (!counts) return counts.status();
  std::fill_n(counts->mutable_data<int32_t>(), range + 1, 0);
  std::unique_ptr<ClassSampler> made = std::make_unique<LearnedSampler>(range, *std::move(counts));
  return made;
}

Result<std::unique_ptr<ClassSampler>> make_unigram_sampler(
    int64_t range, const Unigrams& unigrams) {
  auto reserved = std::clamp<int64_t>(unigrams.reserved_ids, 0, int32_max);
  auto all = reserved + static_cast<int64_t>(unigrams.weights.size());
  auto expected = unigrams.shard < unigrams.shard_count ? count_in_shard(all, unigrams) : 0;
  if (expected != range || range > int32_max)
    return invalid_argument(
        "'range_max' is " + std::to_string(range) + ", but shard " +
        std::to_string(unigrams.shard) + " of " + std::to_string(unigrams.shard_count) + " has " +
        std::to_string(expected) + " words");
  std::vector<float> weights;
  float total = 0;
  for (int64_t i = 0; i < range; ++i) {
    auto word = unigrams.shard + i * unigrams.shard_count;
    auto weight = 0.0f;
    if (word >= reserved) {
      weight =
          std::pow(unigrams.weights[static_cast<size_t>(word - reserved)], unigrams.distortion);
      total += weight;
    }
    weights.push_back(weight);
  }
  std::unique_ptr<ClassSampler> made = std::make_unique<UnigramSampler>(std::move(weights), total);
  return made;
}

}  // namespace troupe::cpu
