#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

// Summaries (summary.proto) as bytes. Those of several values are the bytes one after another.

namespace troupe {

/// Counts of values by size. The buckets are TensorFlow's: their limits grow by 10%, from 1e-12 to
/// 1e20, on both sides of 0.
class SummaryHistogram {
 public:
  SummaryHistogram();

  /// A finite value.
  void add(double value);

 private:
  friend std::string histogram_summary(const std::string& tag, const SummaryHistogram& histogram);

  std::vector<double> counts_;  // those below each limit, and not below the one before
  double min_, max_;
  double number_ = 0, sum_ = 0, sum_of_squares_ = 0;
};

std::string scalar_summary(const std::string& tag, float value);

std::string histogram_summary(const std::string& tag, const SummaryHistogram& histogram);

/// An image, given as a PNG file.
struct SummaryImage {
  int height, width, channels;
  std::string file;
};

std::string image_summary(const std::string& tag, SummaryImage image);

/// A sound, given as a WAV file.
struct SummarySound {
  float rate;  // frames per second
  int64_t channels, frames;
  std::string file;
};

std::string sound_summary(const std::string& tag, SummarySound sound);

/// Of a tensor that has a tag, or the name of its node. `metadata`: the bytes of a SummaryMetadata,
/// if there is one. InvalidArgument where they are none, or where no message can hold the tensor.
Result<std::string> tensor_summary(
    const std::string& tag, const std::string& node_name, const Tensor& tensor,
    const std::optional<std::string>& metadata);

/// The values of all of them. InvalidArgument names a tag that two values have, and bytes that are
/// no summary.
Result<std::string> merge_summaries(const std::vector<std::span<const std::string>>& summaries);

}  // namespace troupe
