#include "troupe/devices/cpu/nn/normalization.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/vector/channels.hpp"

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
  /// The loops for these images, where they are of rows of channels; else null.
  vector::ChannelLoops loops(DType dtype) const {
    return inner == 1 ? vector::channel_loops(dtype) : vector::ChannelLoops();
  }
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

  /// Outer parts as rows of channels, where those are last.
  vector::ChannelRows rows(int64_t begin, int64_t end) const { return {end - begin, channels}; }

  /// Calls f(begin, end) for ranges of all outer parts, on many threads.
  template <class F>
  void each_range(const F& f) const {
    if (elements() > 0) parallel_ranges(outer, row(), f);
  }
};

/// Two sums for each channel.
struct ChannelSums {
  std::vector<double> first, second;

  explicit ChannelSums(size_t channels) : first(channels), second(channels) {}
};

/// Adds to the sums of each channel those of outer parts [begin, end).
using AddParts = std::function<void(int64_t begin, int64_t end, double* first, double* second)>;

/// The sums of all. The parts, each summed by one thread, depend on the shape alone, and
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
          sums[static_cast<size_t>(part)].first.data(),
          sums[static_cast<size_t>(part)].second.data());
  });
  for (size_t part = 1; part < sums.size(); ++part)
    for (size_t c = 0; c < channels; ++c) {
      sums[0].first[c] += sums[part].first[c];
      sums[0].second[c] += sums[part].second[c];
    }
  return std::move(sums[0]);
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

  /// An element of each channel that is not infinite, or 0.
  template <class T>
  static std::vector<double> first_of_channels(const ChannelLayout& layout, const T* x) {
    std::vector<double> result(static_cast<size_t>(layout.channels));
    if (layout.elements() == 0) return result;
    for (int64_t c = 0; c < layout.channels; ++c) {
      auto first = double(x[c * layout.inner]);
      if (std::isfinite(first)) result[static_cast<size_t>(c)] = first;
    }
    return result;
  }

  /// Of the elements; NaN where there are none.
  template <class T>
  static ChannelStatistics of(const ChannelLayout& layout, const T* x) {
    auto loops = layout.loops(dtype_of<T>());
    auto count = double(layout.of_each());
    ChannelStatistics result;
    // One walk over the elements. Squares of numbers far from 0 would leave no digits to the
    // variance; their differences from one of them do: the square of its own difference from the
    // mean is at most `count` variances.
    auto pivots = first_of_channels(layout, x);
    const auto* pivot = pivots.data();
    auto sums = sum_parts(layout, [&](int64_t begin, int64_t end, double* first, double* second) {
      const auto* from = x + begin * layout.row();
      if (loops.sum_squares)
        return loops.sum_squares(first, second, from, pivot, layout.rows(begin, end));
      layout.each(begin, end, [=](int64_t at, int64_t c) {
        auto difference = double(x[at]) - pivot[c];
        first[c] += difference * difference;
        second[c] += difference;
      });
    });
    for (size_t c = 0; c < pivots.size(); ++c) {
      auto squares = sums.first[c], differences = sums.second[c];
      result.mean.push_back(pivots[c] + differences / count);
      result.variance.push_back((squares - differences * differences / count) / count);
    }
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

/// The layout of the images; fails unless those inputs have an element for each channel.
Result<ChannelLayout> layout_of(
    const Launch& launch, const BatchNormNode& node, int images,
    std::initializer_list<int> vectors) {
  auto channels = node.channels(launch, images, vectors);
  if (!channels) return channels.status();
  return ChannelLayout::of(launch.input(images).shape(), node.channels_first);
}

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
  if (auto channels = node.channels_of_forward(launch); !channels) return channels.status();
  auto layout = ChannelLayout::of(launch.input(0).shape(), node.channels_first);
  const auto* x = launch.input(0).data<T>();
  auto statistics =
      node.is_training
          ? ChannelStatistics::of(layout, x)
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
  auto loops = layout.loops(dtype_of<T>());
  layout.each_range(
      [&, m = mean.data(), f = factor.data(), o = offset.data()](int64_t begin, int64_t end) {
        auto first = begin * layout.row();
        if (loops.normalize)
          return loops.normalize(y + first, x + first, m, f, o, layout.rows(begin, end));
        layout.each(begin, end, [=](int64_t at, int64_t c) {
          y[at] = static_cast<T>((promote(x[at]) - m[c]) * f[c] + o[c]);
        });
      });
  launch.set(0, *std::move(out));
  return set_statistics(launch, statistics, layout.of_each(), node);
}

/// The gradients of scale and offset, by channel.
template <class T>
ChannelSums parameter_gradients(
    const ChannelLayout& layout, const T* dy, const T* x, const ChannelStatistics& statistics,
    const std::vector<double>& factors) {
  const auto* mean = statistics.mean.data();
  auto loops = layout.loops(dtype_of<T>());
  auto sums = sum_parts(layout, [&](int64_t begin, int64_t end, double* first, double* second) {
    auto from = begin * layout.row();
    if (loops.sum_products)
      return loops.sum_products(first, second, dy + from, x + from, mean, layout.rows(begin, end));
    layout.each(begin, end, [=](int64_t at, int64_t c) {
      first[c] += double(dy[at]) * (double(x[at]) - mean[c]);
      second[c] += double(dy[at]);
    });
  });
  if (layout.of_each() > 0)  // a factor of no elements may be infinite
    for (size_t c = 0; c < factors.size(); ++c) sums.first[c] *= factors[c];
  return sums;
}

Status set_parameter_gradients(Launch& launch, DType dtype, const ChannelSums& sums) {
  auto status = set_channels(launch, 1, dtype, sums.first);
  if (status.ok()) status = set_channels(launch, 2, dtype, sums.second);
  for (int i : {3, 4})
    if (status.ok()) status = set_channels(launch, i, dtype, {});
  return status;
}

/// x_backprop = a * dy + b * x + c, with numbers of the channel: in training the statistics depend
/// on x too.
template <class T>
Status compute_batch_norm_grad(Launch& launch, const BatchNormNode& node) {
  using A = Promoted<T>;
  auto layout = layout_of(launch, node, 1, {2, 3, 4});
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
  std::vector<A> scale, by_x, mean, constant;
  for (size_t c = 0; c < factors.size(); ++c) {
    auto by_dy = factors[c] * scales[c];
    scale.push_back(static_cast<A>(by_dy));
    by_x.push_back(
        static_cast<A>(node.is_training ? -by_dy * factors[c] * sums.first[c] / count : 0.0));
    mean.push_back(static_cast<A>(statistics.mean[c]));
    constant.push_back(static_cast<A>(node.is_training ? -by_dy * sums.second[c] / count : 0.0));
  }
  auto status = set_parameter_gradients(launch, node.statistics, sums);
  if (!status.ok()) return status;
  auto out = launch.reuse_or_allocate({0, 1}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* dx = out->template mutable_data<T>();
  auto loops = layout->loops(dtype_of<T>());
  layout->each_range([&, s = scale.data(), b = by_x.data(), m = mean.data(), o = constant.data()](
                         int64_t begin, int64_t end) {
    auto first = begin * layout->row();
    if (loops.combine)
      return loops.combine(dx + first, dy + first, x + first, s, b, m, o, layout->rows(begin, end));
    layout->each(begin, end, [=](int64_t at, int64_t c) {
      dx[at] = static_cast<T>(s[c] * promote(dy[at]) + b[c] * (promote(x[at]) - m[c]) + o[c]);
    });
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

BatchNormNode::BatchNormNode(const Node& node)
    : is_training(node.attr<bool>("is_training")),
      channels_first(node.attr<std::string>("data_format") == "NCHW"),
      has_reserve_3(node.op->name().ends_with("NormV3")),
      epsilon(double(node.attr<float>("epsilon"))),
      dtype(node.attr<DType>("T")),
      statistics(node.attr<DType>(node.op->find_attr("U") ? "U" : "T")) {}

Result<int64_t> BatchNormNode::channels(
    const Launch& launch, int images, std::initializer_list<int> vectors) const {
  const auto& shape = launch.input(images).shape();
  if (shape.rank() != 4)
    return invalid_argument("'x' must have rank 4, but its shape is " + shape.to_string());
  auto channels = shape[channels_first ? 1 : 3];
  for (auto i : vectors)
    if (launch.input(i).shape() != Shape{channels})
      return invalid_argument(
          "input " + std::to_string(i) + " must have an element for each of the " +
          std::to_string(channels) + " channels, but its shape is " +
          launch.input(i).shape().to_string());
  return channels;
}

Result<int64_t> BatchNormNode::channels_of_forward(const Launch& launch) const {
  auto found = is_training ? channels(launch, 0, {1, 2}) : channels(launch, 0, {1, 2, 3, 4});
  if (!found) return found;
  for (int i : {3, 4})
    if (launch.input(i).shape().rank() != 1)
      return invalid_argument(
          "input " + std::to_string(i) + " must have rank 1, but its shape is " +
          launch.input(i).shape().to_string());
  return found;
}

void add_normalization_kernels(KernelCatalog& catalog) {
  for (const std::string version : {"", "V2", "V3"}) {
    catalog.add("FusedBatchNorm" + version, make_batch_norm);
    catalog.add("FusedBatchNormGrad" + version, make_batch_norm_grad);
  }
  add_local_response_kernels(catalog);
}

}  // namespace troupe::cpu
