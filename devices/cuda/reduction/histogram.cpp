#include "troupe/devices/cuda/reduction/histogram.hpp"

#include <cstring>

#include "troupe/devices/cpu/reduction/histogram_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"
#include "troupe/devices/cuda/reduction/sorted_numbers.hpp"

namespace troupe::cuda {
namespace {

bool is_integer(DType dtype) { return dtype == DType::int32 || dtype == DType::int64; }

/// Adds the weights of input 2, or ones, to bins of integers.
Result<Tensor> count_numbers(const Launch& launch, DType dtype, const cpu::BincountInput& input) {
  auto sums = launch.allocate(dtype, {input.bins});
  if (!sums) return sums;
  if (auto status = set_zeros(launch, *sums); !status.ok()) return status;
  const auto& numbers = launch.input(0);
  if (numbers.elements() > 0 && input.bins > 0)
    launch_bincount(
        {.sums = sums->mutable_raw(),
         .is_long = dtype == DType::int64,
         .weights = input.is_weighted ? launch.input(2).raw() : nullptr,
         .numbers = in<int32_t>(launch, 0),
         .count = numbers.elements(),
         .bins = input.bins,
         .stream = stream_of(launch)});
  return sums;
}

/// How many numbers are in each bin, as floating-point numbers: each exact as a double, and rounded
/// once as a float.
Result<Tensor> count_as_floats(const Launch& launch, DType dtype, const cpu::BincountInput& input) {
  auto counts = count_numbers(launch, DType::int64, input);
  if (!counts) return counts;
  auto result = launch.allocate(dtype, {input.bins});
  if (result && input.bins > 0)
    launch_cast(
        result->mutable_raw(), element_of(dtype), counts->raw(), Element::int64, input.bins,
        stream_of(launch));
  return result;
}

/// Sums of floating-point weights. The numbers are sorted first, as threads that added to the bins
/// would do so in any order.
Result<Tensor> sum_weights(const Launch& launch, DType dtype, const cpu::BincountInput& input) {
  auto sums = launch.allocate(dtype, {input.bins});
  if (!sums || input.bins == 0) return sums;
  auto sorted = sort_numbers(launch, launch.input(0));
  if (!sorted) return sorted.status();
  launch_weight_sums(
      {.sums = sums->mutable_raw(),
       .weights = launch.input(2).raw(),
       .numbers = static_cast<const int32_t*>(sorted->numbers.raw()),
       .places = static_cast<const int32_t*>(sorted->places.raw()),
       .count = sorted->numbers.elements(),
       .bins = input.bins,
       .stream = stream_of(launch)},
      element_of(dtype));
  return sums;
}

/// A negative number is in no bin: the CPU refuses it, but here it lies in the card's memory.
Status compute_bincount(Launch& launch, DType dtype) {
  auto input = cpu::read_bincount(launch);
  if (!input) return input.status();
  auto bins = is_integer(dtype)    ? count_numbers(launch, dtype, *input)
              : input->is_weighted ? sum_weights(launch, dtype, *input)
                                   : count_as_floats(launch, dtype, *input);
  if (!bins) return bins.status();
  return set_launched(launch, 0, *std::move(bins), "a count of numbers");
}

template <class T>
uint64_t bits_of(T number) {
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  return bits;
}

/// NaN is in no bin, which the CPU refuses, too.
template <class T>
Status compute_histogram(Launch& launch, DType dtype) {
  auto bins = cpu::HistogramBins<T>::of(launch);
  if (!bins) return bins.status();
  const auto& values = launch.input(0);
  auto counts = launch.allocate(dtype, {bins->count});
  if (!counts) return counts.status();
  if (auto status = set_zeros(launch, *counts); !status.ok()) return status;
  if (values.elements() > 0)
    launch_histogram(
        {.counts = counts->mutable_raw(),
         .is_long = dtype == DType::int64,
         .values = values.raw(),
         .count = values.elements(),
         .low = bits_of(bins->low),
         .high = bits_of(bins->high),
         .width = bins->width,
         .bins = bins->count,
         .stream = stream_of(launch)},
        element_of(values.dtype()));
  return set_launched(launch, 0, *std::move(counts), "a histogram");
}

using ComputeHistogram = Status (*)(Launch& launch, DType dtype);

ComputeHistogram find_histogram(DType dtype) {
  switch (dtype) {
    case DType::int32: return compute_histogram<int32_t>;
    case DType::int64: return compute_histogram<int64_t>;
    case DType::float32: return compute_histogram<float>;
    case DType::float64: return compute_histogram<double>;
    default: return nullptr;
  }
}

Result<Kernel> make_histogram(const Node& node) {
  auto compute = find_histogram(node.attr<DType>("T"));
  if (!compute) return no_kernel(node.attr<DType>("T"));
  return Kernel{.compute = [compute, dtype = node.attr<DType>("dtype")](Launch& launch) {
    return compute(launch, dtype);
  }};
}

}  // namespace

void add_histogram_kernels(KernelCatalog& catalog) {
  catalog.add("Bincount", [](const Node& node) -> Result<Kernel> {
    return Kernel{.compute = [dtype = node.attr<DType>("T")](Launch& launch) {
      return compute_bincount(launch, dtype);
    }};
  });
  catalog.add("HistogramFixedWidth", make_histogram);
}

}  // namespace troupe::cuda
