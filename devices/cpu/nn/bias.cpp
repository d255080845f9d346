#include "troupe/devices/cpu/math/reduce.hpp"
#include "troupe/devices/cpu/nn/nn.hpp"

namespace troupe::cpu {
namespace {

/// The axis that the biases belong to: the last, or in NCHW the third from last.
Result<int> channel_axis(const Shape& shape, bool is_nchw) {
  auto rank_min = is_nchw ? 3 : 2;
  if (shape.rank() >= rank_min) return shape.rank() - (is_nchw ? 3 : 1);
  return invalid_argument(
      "a tensor of rank " + std::to_string(rank_min) + " or more is needed, not one of shape " +
      shape.to_string());
}

bool is_nchw(const Node& node) { return node.attr<std::string>("data_format") == "NCHW"; }

template <class T>
Status compute_bias_add(Launch& launch, bool is_nchw) {
  const auto shape = launch.input(0).shape();
  const auto& biases = launch.input(1);
  auto axis = channel_axis(shape, is_nchw);
  if (!axis) return axis.status();
  auto channels = shape[*axis];
  if (biases.shape() != Shape{channels})
    return invalid_argument(
        "the bias must have the shape [" + std::to_string(channels) + "], the channels of " +
        shape.to_string() + ", but has " + biases.shape().to_string());
  const auto* value = launch.input(0).data<T>();
  const auto* bias = biases.data<T>();
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  if (!is_nchw) {
    auto rows = channels == 0 ? 0 : out->elements() / channels;
    parallel_ranges(rows, channels, [&](int64_t begin, int64_t end) {
      for (auto at = begin * channels; at < end * channels; at += channels)
        apply<FoldSum>(result + at, channels, value + at, bias);
    });
  } else {
    auto size = shape[*axis + 1] * shape[*axis + 2];
    auto planes = size == 0 ? 0 : out->elements() / size;
    parallel_ranges(planes, size, [&](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i)
        apply<FoldSum>(result + i * size, size, value + i * size, Repeated<T>{bias[i % channels]});
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status compute_bias_add_grad(Launch& launch, bool is_nchw) {
  const auto& in = launch.input(0);
  auto axis = channel_axis(in.shape(), is_nchw);
  if (!axis) return axis.status();
  auto channels = in.shape()[*axis];
  auto kept = in.shape();
  for (int i = 0; i < kept.rank(); ++i)
    if (i != *axis) kept.set(i, 1);
  auto out = reduce<FoldSum, T>(launch, in, kept, {channels});
  if (!out) return out.status();
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_bias_add(const Node& node) {
  return dispatch(Numeric{}, node.attr<DType>("T"), [is_nchw = is_nchw(node)](auto zero) {
    return Kernel{.compute = [is_nchw](Launch& launch) {
      return compute_bias_add<decltype(zero)>(launch, is_nchw);
    }};
  });
}

Result<Kernel> make_bias_add_grad(const Node& node) {
  return dispatch(Numeric{}, node.attr<DType>("T"), [is_nchw = is_nchw(node)](auto zero) {
    return Kernel{.compute = [is_nchw](Launch& launch) {
      return compute_bias_add_grad<decltype(zero)>(launch, is_nchw);
    }};
  });
}

}  // namespace

void add_bias_kernels(KernelCatalog& catalog) {
  catalog.add("BiasAdd", make_bias_add);
  catalog.add("BiasAddGrad", make_bias_add_grad);
}

}  // namespace troupe::cpu
