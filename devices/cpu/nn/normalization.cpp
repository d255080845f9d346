#include "troupe/devices/cpu/nn/normalization.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

/// Images seen as [outer, channels, inner].
struct ChannelLayout {
  int64_t outer, channels, inner;

  static ChannelLayout of(const Shape& shape, bool channels_first) {
    if (channels_first) return {shape[0], shape[1], shape[2] * shape[3]};
    return {shape[0] * shape[1] * shape[2], shape[3], 1};
  }
  int64_t row() const { return channels * inner; }
  int64_t elements() const { return outer * row(); }
  int64_t of_each() const { return outer * inner; }

  /// Calls f(offset, channel) for the elements of outer parts [begin, end).
  template <class F>
  void each(int64_t begin, int64_t end, const F& f) const {
    if (row() == 0) return;  // however many parts there are
    for (auto o = begin; o < end; ++o)
      if (inner == 1)
        for (int64_t c = 0; c < channels; ++c) f(o * channels + c, c);
      else
        for (int64_t c = 0; c < channels; ++c)
          for (int64_t i = 0; i < inner; ++i) f((o * channels + c) * inner + i, c);
  }

  template <class F>
  void each_parallel(const F& f) const {
    if (elements() > 0) run_parallel([&](int64_t begin, int64_t end) { each(begin, end, f); });
  }

 private:
  void run_parallel(const std::function<void(int64_t, int64_t)>& run) const {
    parallel_ranges(outer, row(), run);
  }
};

using ChannelSums = std::vector<std::array<double, 2>>;

/// Adds to the sums of each channel those of outer parts [begin, end).
using AddParts = std::function<void(int64_t begin, int64_t end, std::array<double, 2>* sums)>;

/// For each channel two sums. The parts, each summed by one thread, depend on the shape alone, and
/// so does rounding.
ChannelSums sum_parts(const ChannelLayout& layout, const AddParts& add) {
  constexpr int64_t part_elements = 64 * 1024, parts_max = 64;
  // Sums take little memory beside the elements.
  constexpr int64_t elements_each = 64;
  auto parts = std::min(
      {parts_max, layout.outer, layout.elements() / part_elements + 1,
       layout.of_each() / elements_each});
  parts = std::max<int64_t>(1, parts);
  auto channels = static_cast<size_t>(layout.channels);
  std::vector<ChannelSums> sums(static_cast<size_t>(parts), ChannelSums(channels));
  parallel_ranges(parts, layout.elements() / parts, [&](int64_t begin, int64_t end) {
    for (auto part = begin; part < end; ++part)
      add(layout.outer * part / parts, layout.outer * (part + 1) / parts,
          sums[static_cast<size_t>(part)].data());
  });
  for (size_t part = 1; part < sums.size(); ++part)
    for (size_t c = 0; c < channels; ++c)
      for (size_t i = 0; i < 2; ++i) sums[0][c][i] += sums[part][c][i];
  return sums[0];
}

/// Of the values that f(offset, channel) gives for the elements.
template <class F>
ChannelSums sum_by_channel(const ChannelLayout& layout, const F& f) {
  return sum_parts(layout, [&](int64_t begin, int64_t end, std::array<double, 2>* sums) {
    layout.each(begin, end, [&](int64_t at, int64_t channel) {
      auto values = f(at, channel);
      for (size_t i = 0; i < 2; ++i) sums[channel][i] += values[i];
    });
  });
}

std::vector<double> read_channels(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.elements()));
  if (tensor.dtype() == DType::float64)
    std::copy_n(tensor.data<double>(), values.size(), values.begin());
  else std::copy_n(tensor.data<float>(), values.size(), values.begin());
  return values;
}

/// Mean and variance of each channel.
struct ChannelStatistics {
  std::vector<double> mean, variance;

  /// Of the elements; NaN where there are none.
  template <class T>
  static ChannelStatistics of(const ChannelLayout& layout, const T* x) {
    auto count = double(layout.of_each());
    ChannelStatistics result;
    using Pair = std::array<double, 2>;
    for (const auto& sum : sum_by_channel(layout, [x](int64_t at, int64_t) {
           return Pair{double(x[at]), 0};
         }))
      result.mean.push_back(sum[0] / count);
    const auto* mean = result.mean.data();
    // The second sum would be 0 without rounding errors, and corrects those of the first.
    for (const auto& sum : sum_by_channel(layout, [=](int64_t at, int64_t channel) {
           auto difference = double(x[at]) - mean[channel];
           return Pair{difference * difference, difference};
         }))
      result.variance.push_back((sum[0] - sum[1] * sum[1] / count) / count);
    return result;
  }
};

/// Sets an output to a vector, float or double, with the channels' values.
Status set_channels(Launch& launch, int index, DType dtype, const std::vector<double>& values) {
  auto out = launch.allocate(dtype, {static_cast<int64_t>(values.size())});
  if (!out) return out.status();
  if (dtype == DType::float64) std::ranges::copy(values, out->mutable_data<double>());
  else
    std::ranges::transform(
        values, out->mutable_data<float>(), [](double value) { return static_cast<float>(value); });
  launch.set(index, *std::move(out));
  return {};
}

struct BatchNormNode {
  bool is_training, channels_first, has_reserve_3;
  double epsilon;
  DType statistics;

  explicit BatchNormNode(const Node& node)
      : is_training(node.attr<bool>("is_training")),
        channels_first(node.attr<std::string>("data_format") == "NCHW"),
        has_reserve_3(node.op->name().ends_with("NormV3")),
        epsilon(double(node.attr<float>("epsilon"))),
        statistics(node.attr<DType>(node.op->find_attr("U") ? "U" : "T")) {}

  /// The layout of the images; fails unless those inputs have an element for each channel.
  Result<ChannelLayout> layout(
      const Launch& launch, int images, std::initializer_list<int> vectors) const {
    const auto& shape = launch.input(images).shape();
    if (shape.rank() != 4)
      return invalid_argument("'x' must have rank 4, but its shape is " + shape.to_string());
    auto result = ChannelLayout::of(shape, channels_first);
    for (auto i : vectors)
      if (launch.input(i).shape() != Shape{result.channels})
        return invalid_argument(
            "input " + std::to_string(i) + " must have an element for each of the " +
            std::to_string(result.channels) + " channels, but its shape is " +
            launch.input(i).shape().to_string());
    return result;
  }
};

/// For each channel, what its elements are multiplied with to have variance 1.
std::vector<double> factors_of(const ChannelStatistics& statistics, double epsilon) {
  std::vector<double> factors;
  for (auto variance : statistics.variance) factors.push_back(1 / std::sqrt(variance + epsilon));
  return factors;
}

/// The outputs that say the statistics: those of a larger population, and those of this batch.
Status set_statistics(
    Launch& launch, const ChannelStatistics& statistics, int64_t count, const BatchNormNode& node) {
  auto dtype = node.statistics;
  auto of_population = statistics.variance;
  if (node.is_training && count > 1)
    for (auto& variance : of_population) variance *= double(count) / double(count - 1);
  auto status = set_channels(launch, 1, dtype, statistics.mean);
  if (status.ok()) status = set_channels(launch, 2, dtype, of_population);
  if (status.ok()) status = set_channels(launch, 3, dtype, statistics.mean);
  if (status.ok()) status = set_channels(launch, 4, dtype, statistics.variance);
  if (!status.ok() || !node.has_reserve_3) return status;
  auto reserve = launch.allocate(dtype, {});
  if (!reserve) return reserve.status();
  std::memset(reserve->mutable_raw(), 0, reserve->bytes());
  launch.set(5, *std::move(reserve));
  return {};
}

template <class T>
Status compute_batch_norm(Launch& launch, const BatchNormNode& node) {
  using A = Promoted<T>;
  auto layout = node.layout(launch, 0, {1, 2});
  if (layout && !node.is_training) layout = node.layout(launch, 0, {1, 2, 3, 4});
  if (!layout) return layout.status();
  for (int i : {3, 4})
    if (launch.input(i).shape().rank() != 1)
      return invalid_argument(
          "input " + std::to_string(i) + " must have rank 1, but its shape is " +
          launch.input(i).shape().to_string());
  const auto* x = launch.input(0).data<T>();
  auto statistics =
      node.is_training
          ? ChannelStatistics::of(*layout, x)
          : ChannelStatistics{read_channels(launch.input(3)), read_channels(launch.input(4))};
  auto factors = factors_of(statistics, node.epsilon);
  auto scales = read_channels(launch.input(1)), offsets = read_channels(launch.input(2));
  auto channels = factors.size();
  std::vector<A> mean(channels), factor(channels), offset(channels);
  for (size_t c = 0; c < channels; ++c) {
    mean[c] = static_cast<A>(statistics.mean[c]);
    factor[c] = static_cast<A>(factors[c] * scales[c]);
    offset[c] = static_cast<A>(offsets[c]);
  }
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), Shape(launch.input(0).shape()));
  if (!out) return out.status();
  auto* y = out->template mutable_data<T>();
  layout->each_parallel(
      [=, m = mean.data(), f = factor.data(), o = offset.data()](int64_t at, int64_t c) {
        y[at] = static_cast<T>((promote(x[at]) - m[c]) * f[c] + o[c]);
      });
  launch.set(0, *std::move(out));
  return set_statistics(launch, statistics, layout->of_each(), node);
}

/// The gradients of scale and offset, by channel.
template <class T>
ChannelSums parameter_gradients(
    const ChannelLayout& layout, const T* dy, const T* x, const ChannelStatistics& statistics,
    const std::vector<double>& factors) {
  const auto *mean = statistics.mean.data(), *factor = factors.data();
  return sum_by_channel(layout, [=](int64_t at, int64_t c) {
    auto gradient = double(dy[at]);
    return std::array<double, 2>{gradient * (double(x[at]) - mean[c]) * factor[c], gradient};
  });
}

Status set_parameter_gradients(Launch& launch, DType dtype, const ChannelSums& sums) {
  std::vector<double> scale, offset;
  for (const auto& sum : sums) {
    scale.push_back(sum[0]);
    offset.push_back(sum[1]);
  }
  auto status = set_channels(launch, 1, dtype, scale);
  if (status.ok()) status = set_channels(launch, 2, dtype, offset);
  for (int i : {3, 4})
    if (status.ok()) status = set_channels(launch, i, dtype, {});
  return status;
}

/// x_backprop = a * dy + b * x + c, with numbers of the channel: in training the statistics depend
/// on x too.
template <class T>
Status compute_batch_norm_grad(Launch& launch, const BatchNormNode& node) {
  using A = Promoted<T>;
  auto layout = node.layout(launch, 1, {2, 3, 4});
  if (!layout) return layout.status();
  const auto shape = launch.input(1).shape();
  if (launch.input(0).shape() != shape)
    return invalid_argument(
        "'y_backprop' must have the shape of 'x', " + shape.to_string() + ", but has " +
        launch.input(0).shape().to_string());
  const auto *dy = launch.input(0).data<T>(), *x = launch.input(1).data<T>();
  ChannelStatistics statistics{read_channels(launch.input(3)), read_channels(launch.input(4))};
  auto scales = read_channels(launch.input(2));
  auto factors = factors_of(statistics, node.epsilon);
  auto sums = parameter_gradients(*layout, dy, x, statistics, factors);
  auto count = double(layout->of_each());
  std::vector<std::array<A, 4>> numbers;
  for (size_t c = 0; c < factors.size(); ++c) {
    auto scale = factors[c] * scales[c];
    auto by_x = node.is_training ? -scale * factors[c] * sums[c][0] / count : 0.0;
    auto constant = node.is_training ? -scale * sums[c][1] / count : 0.0;
    numbers.push_back(
        {static_cast<A>(scale), static_cast<A>(by_x), static_cast<A>(constant),
         static_cast<A>(statistics.mean[c])});
  }
  auto status = set_parameter_gradients(launch, node.statistics, sums);
  if (!status.ok()) return status;
  auto out = launch.reuse_or_allocate({0, 1}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* dx = out->template mutable_data<T>();
  layout->each_parallel([=, numbers = numbers.data()](int64_t at, int64_t channel) {
    const auto& [scale, by_x, constant, mean] = numbers[channel];
    dx[at] = static_cast<T>(scale * promote(dy[at]) + by_x * (promote(x[at]) - mean) + constant);
  });
  launch.set(0, *std::move(out));
  return {};
}

using ComputeBatchNorm = Status (*)(Launch&, const BatchNormNode&);

Result<Kernel> batch_norm_kernel(const Node& node, ComputeBatchNorm compute) {
  if (!compute) return no_kernel(node.attr<DType>("T"));
  return Kernel{
      .compute = [=, node = BatchNormNode(node)](Launch& launch) { return compute(launch, node); },
      .cost_ns = [](const Launch& launch) { return 6 * launch.input(0).elements(); }};
}

Result<Kernel> make_batch_norm(const Node& node) {
  return batch_norm_kernel(node, choose(Floating{}, node.attr<DType>("T"), [](auto zero) {
                             return compute_batch_norm<decltype(zero)>;
                           }));
}

Result<Kernel> make_batch_norm_grad(const Node& node) {
  return batch_norm_kernel(node, choose(Floating{}, node.attr<DType>("T"), [](auto zero) {
                             return compute_batch_norm_grad<decltype(zero)>;
                           }));
}

}  // namespace

void add_normalization_kernels(KernelCatalog& catalog) {
  for (const std::string version : {"", "V2", "V3"}) {
    catalog.add("FusedBatchNorm" + version, make_batch_norm);
    catalog.add("FusedBatchNormGrad" + version, make_batch_norm_grad);
  }
  add_local_response_kernels(catalog);
}

}  // namespace troupe::cpu
