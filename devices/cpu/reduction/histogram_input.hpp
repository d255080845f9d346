#pragma once

#include <cmath>
#include <string>
#include <type_traits>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// What the inputs of Bincount and HistogramFixedWidth say, checked.

/// Of Bincount: how many bins there are, and whether the numbers have weights.
struct BincountInput {
  int64_t bins;
  bool is_weighted;
};
Result<BincountInput> read_bincount(const Launch& launch);

/// How many bins HistogramFixedWidth has, once its range was found to have two ends.
Result<int64_t> read_histogram_bins(const Launch& launch);
Status check_histogram_range(const Launch& launch);
Status no_bins_so_narrow();

/// How far a value lies above another one, which is not greater.
template <class T>
double distance_above(T low, T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<double>(static_cast<uint64_t>(value) - static_cast<uint64_t>(low));
  else return static_cast<double>(value) - static_cast<double>(low);
}

/// Bins of equal width between two ends.
template <class T>
struct HistogramBins {
  T low, high;
  int64_t count;
  double width;

  /// Of a launch of HistogramFixedWidth, whose range and number of bins lie on the host.
  static Result<HistogramBins> of(const Launch& launch) {
    if (auto status = check_histogram_range(launch); !status.ok()) return status;
    const auto* range = launch.input(1).data<T>();
    HistogramBins bins{range[0], range[1], 0, 0};
    if (!(bins.low < bins.high) || !std::isfinite(distance_above(bins.low, bins.high)))
      return invalid_argument(
          "value_range must be two finite numbers, the lesser one first, but is [" +
          std::to_string(bins.low) + "," + std::to_string(bins.high) + "]");
    auto count = read_histogram_bins(launch);
    if (!count) return count.status();
    bins.count = *count;
    bins.width = distance_above(bins.low, bins.high) / static_cast<double>(bins.count);
    if (bins.width == 0) return no_bins_so_narrow();
    return bins;
  }
};

}  // namespace troupe::cpu
