#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace troupe {

/// A value of a weighted sketch, with bounds for the weight of all that is less.
struct QuantileEntry {
  float value = 0;
  float weight = 0;
  float min_rank = 0;
  float max_rank = 0;

  float prev_max_rank() const { return max_rank - weight; }
  float next_min_rank() const { return min_rank + weight; }
};

/// A sketch of weighted values: some of them in order, from which quantiles can be told within an
/// error. Values that are not in order make other quantiles, and nothing worse.
class QuantileSummary {
 public:
  QuantileSummary() = default;
  explicit QuantileSummary(std::vector<QuantileEntry> entries) : entries_(std::move(entries)) {}
  /// One entry for each value of an ordered list of values, each with its weight.
  static QuantileSummary of_values(const std::vector<std::pair<float, float>>& values);

  const std::vector<QuantileEntry>& entries() const { return entries_; }
  bool is_empty() const { return entries_.empty(); }

  void merge(const QuantileSummary& other);
  /// Keeps about that many entries, the first and the last among them; its error grows by at most
  /// the greater of 1 / size_hint and min_error.
  void compress(int64_t size_hint, double min_error);

  /// Values that divide the weight into about that many parts, as they are kept.
  std::vector<float> boundaries(int64_t count) const;
  /// The quantiles 0 / count to count / count, of at least 2; none where it is empty.
  std::vector<float> quantiles(int64_t count) const;
  double error() const;

 private:
  float total_weight() const { return entries_.empty() ? 0 : entries_.back().max_rank; }

  std::vector<QuantileEntry> entries_;
};

/// Makes a summary of any number of weighted values, or summaries, with an error of at most
/// `epsilon`. Not thread-safe. (TensorFlow: WeightedQuantilesStream.)
class QuantileStream {
 public:
  /// `epsilon` lies in (0, 1), and `max_elements`, the number of values that are expected, is
  /// positive.
  QuantileStream(double epsilon, int64_t max_elements);

  /// Values without weight do not count.
  void add(float value, float weight);
  void add(QuantileSummary summary);
  /// The summary of all, after which the stream is empty again.
  QuantileSummary finish();

 private:
  void add_buffer();
  void propagate(QuantileSummary summary);

  double epsilon_;
  int64_t block_size_;
  size_t buffer_max_;
  std::vector<std::pair<float, float>> buffer_;  // values and weights
  std::vector<QuantileSummary> levels_;
};

}  // namespace troupe
