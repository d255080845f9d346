#include "troupe/devices/cpu/reduction/histogram_input.hpp"

#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

Result<int64_t> bin_count(const Tensor& tensor, int64_t least) {
  auto given = scalar_input(tensor, "the number of bins");
  if (!given) return given.status();
  if (*given < least)
    return invalid_argument(
        "the number of bins must be at least " + std::to_string(least) + ", but is " +
        std::to_string(*given));
  return *given;
}

}  // namespace

Result<BincountInput> read_bincount(const Launch& launch) {
  const auto &numbers = launch.input(0), &weights = launch.input(2);
  auto bins = bin_count(launch.input(1), 0);
  if (!bins) return bins.status();
  auto is_weighted = weights.elements() > 0;
  if (is_weighted && weights.shape() != numbers.shape())
    return invalid_argument(
        "weights must be empty or have the shape " + numbers.shape().to_string() + ", but have " +
        weights.shape().to_string());
  return BincountInput{*bins, is_weighted};
}

Status check_histogram_range(const Launch& launch) {
  const auto& shape = launch.input(1).shape();
  if (shape == Shape{2}) return {};
  return invalid_argument(
      "value_range must have 2 elements, but has the shape " + shape.to_string());
}

Result<int64_t> read_histogram_bins(const Launch& launch) { return bin_count(launch.input(2), 1); }

Status no_bins_so_narrow() {
  return invalid_argument("value_range is too narrow for so many bins");
}

}  // namespace troupe::cpu
