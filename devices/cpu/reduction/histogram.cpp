#include <atomic>
#include <mutex>
#include <span>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/reduction/histogram_input.hpp"

namespace troupe::cpu {
namespace {

using HistogramTypes = Types<int32_t, int64_t, float, double>;

/// Adds the weights, or ones, of values [begin, end) to their bins.
template <class T>
void add_to_bins(
    T* bins, int64_t size, const int32_t* values, const T* weights, int64_t begin, int64_t end) {
  for (auto i = begin; i < end; ++i) {
    if (values[i] >= size) continue;
    auto& bin = bins[values[i]];
    bin = static_cast<T>(wrap(bin) + wrap(weights ? weights[i] : T(1)));
  }
}

/// Many values in parts, each with bins of its own. The number of parts is fixed, so that the same
/// input always gives the same sums.
template <class T>
Status fill_bins(
    const Launch& launch, T* bins, int64_t size, const int32_t* values, const T* weights,
    int64_t count) {
  constexpr int64_t parts = 16, many = 256 * 1024;
  std::fill_n(bins, size, T(0));
  if (count < many || size > count / (4 * parts)) {
    add_to_bins(bins, size, values, weights, 0, count);
    return {};
  }
  auto copies = launch.allocate(dtype_of<T>(), {parts, size});
  if (!copies) return copies.status();
  auto* of_parts = copies->template mutable_data<T>();
  std::fill_n(of_parts, parts * size, T(0));
  parallel_ranges(parts, count / parts, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      add_to_bins(
          of_parts + i * size, size, values, weights, count * i / parts, count * (i + 1) / parts);
  });
  for (int64_t i = 0; i < parts * size; ++i)
    bins[i % size] = static_cast<T>(wrap(bins[i % size]) + wrap(of_parts[i]));
  return {};
}

template <class T>
Status compute_bincount(Launch& launch) {
  const auto &numbers = launch.input(0), &weights = launch.input(2);
  auto input = read_bincount(launch);
  if (!input) return input.status();
  auto values = numbers.values<int32_t>();
  int32_t bits = 0;  // without branches, for vector instructions
  for (auto value : values) bits |= value;
  for (size_t i = 0; bits < 0 && i < values.size(); ++i)
    if (values[i] < 0)
      return invalid_argument("the number " + std::to_string(values[i]) + " is negative");
  auto out = launch.allocate(dtype_of<T>(), {input->bins});
  if (!out) return out.status();
  auto* bins = out->template mutable_data<T>();
  const auto* weight = input->is_weighted ? weights.data<T>() : nullptr;
  auto status = fill_bins(launch, bins, input->bins, values.data(), weight, numbers.elements());
  if (!status.ok()) return status;
  launch.set(0, *std::move(out));
  return {};
}

/// Adds one to the bin of each value; false where one is NaN.
template <class T, class Count>
bool count_values(const HistogramBins<T>& bins, std::span<const T> values, Count* counts) {
  const auto last = static_cast<double>(bins.count - 1);
  for (auto value : values) {
    if (value != value) return false;
    // Before the division: of an infinite or tiny width it could be NaN or beyond any integer.
    auto bin = value >= bins.high
                   ? last
                   : distance_above(bins.low, std::max(value, bins.low)) / bins.width;
    ++counts[static_cast<int64_t>(std::min(bin, last))];
  }
  return true;
}

/// Many values in parts, on all threads, each part with counts of its own.
template <class T, class Count>
Status count_in_bins(Launch& launch, const HistogramBins<T>& bins) {
  constexpr int64_t part = 64 * 1024;
  auto values = launch.input(0).values<T>();
  auto out = launch.allocate(dtype_of<Count>(), {bins.count});
  if (!out) return out.status();
  auto* counts = out->template mutable_data<Count>();
  std::fill_n(counts, bins.count, Count(0));
  std::atomic<bool> are_numbers = true;
  const auto parts = bins.count < part / 4 ? (std::ssize(values) + part - 1) / part : 1;
  if (parts <= 1) {
    are_numbers = count_values(bins, values, counts);
  } else {
    std::mutex adding;
    parallel_ranges(parts, part, [&](int64_t begin, int64_t end) {
      std::vector<Count> own(static_cast<size_t>(bins.count));
      const auto last = std::min(std::ssize(values), end * part);
      const auto of_part = values.subspan(
          static_cast<size_t>(begin * part), static_cast<size_t>(last - begin * part));
      if (!count_values(bins, of_part, own.data())) are_numbers = false;
      std::lock_guard lock(adding);
      for (size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
    });
  }
  if (!are_numbers) return invalid_argument("a value is NaN, which is in no bin");
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status compute_histogram(Launch& launch, bool is_long) {
  auto bins = HistogramBins<T>::of(launch);
  if (!bins) return bins.status();
  return is_long ? count_in_bins<T, int64_t>(launch, *bins)
                 : count_in_bins<T, int32_t>(launch, *bins);
}

}  // namespace

void add_histogram_kernels(KernelCatalog& catalog) {
  catalog.add("Bincount", [](const Node& node) {
    return dispatch(HistogramTypes{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_bincount<decltype(zero)>};
    });
  });
  catalog.add("HistogramFixedWidth", [](const Node& node) {
    auto is_long = node.attr<DType>("dtype") == DType::int64;
    return dispatch(HistogramTypes{}, node.attr<DType>("T"), [is_long](auto zero) {
      return Kernel{.compute = [is_long](Launch& launch) {
        return compute_histogram<decltype(zero)>(launch, is_long);
      }};
    });
  });
}

}  // namespace troupe::cpu
