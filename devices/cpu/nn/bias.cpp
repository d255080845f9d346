#include "troupe/devices/cpu/nn/nn.hpp"
#include "troupe/devices/cpu/reduction/reduce.hpp"

namespace troupe::cpu {
namespace {

/// The axis that the biases belong to: the last, or in NCHW the second.
Result<int> channel_axis(const Shape& shape, bool is_nchw) {
  auto rank_min = is_nchw ? 3 : 2;
  if (shape.rank() >= rank_min) return is_nchw ? 1 : shape.rank() - 1;
  return invalid_argument(
      "a tensor of rank " + std::to_string(rank_min) + " or more is needed, not one of shape " +
      shape.to_string());
}

bool is_nchw(const Node& node) { return node.attr<std::string>("data_format") == "NCHW"; }

template <bool is_nchw>
Status compute_bias_add(Launch& launch, const BinaryElements& add) {
  const auto shape = launch.input(0).shape();
  const auto& biases = launch.input(1);
  auto axis = channel_axis(shape, is_nchw);
  if (!axis) return axis.status();
  auto channels = shape[*axis];
  if (biases.shape() != Shape{channels})
    return invalid_argument(
        "the bias must have the shape [" + std::to_string(channels) + "], the channels of " +
        shape.to_string() + ", but has " + biases.shape().to_string());
  const auto* value = static_cast<const std::byte*>(launch.input(0).raw());
  const auto* bias = static_cast<const std::byte*>(biases.raw());
  auto out = launch.reuse_or_allocate({0}, add.out, shape);
  if (!out) return out.status();
  auto* result = static_cast<std::byte*>(out->mutable_raw());
  auto element = int64_t(size_of(add.in));
  if (!is_nchw) {
    auto rows = channels == 0 ? 0 : out->elements() / channels;
    parallel_ranges(rows, channels, [&](int64_t begin, int64_t end) {
      auto row = channels * element;
      for (auto at = begin * row; at < end * row; at += row)
        add.loop(result + at, value + at, bias, channels, Repeat::none);
    });
  } else {
    int64_t size = 1;
    for (int i = *axis + 1; i < shape.rank(); ++i) size *= shape[i];
    auto planes = size == 0 ? 0 : out->elements() / size;
    parallel_ranges(planes, size, [&](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i) {
        auto at = i * size * element;
        add.loop(result + at, value + at, bias + i % channels * element, size, Repeat::y);
      }
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

Status compute_bias_add_grad(Launch& launch, const FoldElements& sum, bool is_nchw) {
  const auto& in = launch.input(0);
  auto axis = channel_axis(in.shape(), is_nchw);
  if (!axis) return axis.status();
  auto channels = in.shape()[*axis];
  auto kept = in.shape();
  for (int i = 0; i < kept.rank(); ++i)
    if (i != *axis) kept.set(i, 1);
  auto out = reduce(launch, sum, in, kept, {channels});
  if (!out) return out.status();
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_bias_add(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto add = addition(dtype);
  if (!add.loop) return no_kernel(dtype);
  if (is_nchw(node))
    return Kernel{.compute = [add](Launch& launch) {
      return compute_bias_add</*is_nchw=*/true>(launch, add);
    }};
  return Kernel{
      .compute = ComputeBinary{add, Operands::biased, compute_bias_add</*is_nchw=*/false>}};
}

Result<Kernel> make_bias_add_grad(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto sum = summation(dtype);
  if (!sum.fold_row) return no_kernel(dtype);
  return Kernel{.compute = [sum, is_nchw = is_nchw(node)](Launch& launch) {
    return compute_bias_add_grad(launch, sum, is_nchw);
  }};
}

}  // namespace

void add_bias_kernels(KernelCatalog& catalog) {
  catalog.add("BiasAdd", make_bias_add);
  catalog.add("BiasAddGrad", make_bias_add_grad);
}

}  // namespace troupe::cpu
