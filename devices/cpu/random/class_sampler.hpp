#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "troupe/devices/cpu/random/philox.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// A distribution over the classes from 0 to a range.
class ClassSampler {
 public:
  virtual ~ClassSampler() = default;

  virtual int64_t sample(PhiloxNumbers& numbers) const = 0;
  /// Of a class in the range.
  virtual float probability(int64_t value) const = 0;
  /// How many classes it can draw.
  virtual int64_t reachable() const = 0;
  /// Learns from classes in the range that occurred.
  virtual void update(std::span<const int64_t>) {}
};

/// All classes alike.
std::unique_ptr<ClassSampler> make_uniform_sampler(int64_t range);

/// Class k with a probability in proportion to log(k + 2) - log(k + 1).
std::unique_ptr<ClassSampler> make_log_uniform_sampler(int64_t range);

/// In proportion to how often the classes occurred in updates, plus 1. InvalidArgument for ranges
/// from 2^31 - 1 on.
Result<std::unique_ptr<ClassSampler>> make_learned_sampler(int64_t range);

/// Weights of the words of a vocabulary, of which a sampler has those of one shard: every
/// `shard_count`th, as classes from 0 on.
struct Unigrams {
  int64_t reserved_ids = 0;  // words before the first one, of weight 0
  int64_t shard_count = 1;
  int64_t shard = 0;
  float distortion = 1;  // the power that weights are raised to
  std::vector<float> weights;

  /// Reads the weights as the last of the columns, between commas, of each line.
  static Result<std::vector<float>> read(const std::string& file);
};

/// In proportion to fixed weights. InvalidArgument unless the shard has as many as the range.
Result<std::unique_ptr<ClassSampler>> make_unigram_sampler(int64_t range, const Unigrams& unigrams);

}  // namespace troupe::cpu
