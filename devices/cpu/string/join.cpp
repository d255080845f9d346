#include <array>

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/loop_nest.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/string/text.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cpu {
namespace {

/// The one shape of all inputs that are not scalars.
Result<Shape> joined_shape(const Launch& launch) {
  Shape shape;
  for (int i = 0; i < launch.input_count(); ++i) {
    const auto& other = launch.input(i).shape();
    if (other.is_scalar() || other == shape) continue;
    if (!shape.is_scalar())
      return invalid_argument(
          "inputs must be scalars or have one shape, but input " + std::to_string(i) + " has " +
          other.to_string() + " instead of " + shape.to_string());
    shape = other;
  }
  return shape;
}

Status join_inputs(Launch& launch, const std::string& separator) {
  auto shape = joined_shape(launch);
  if (!shape) return shape.status();
  auto out = launch.allocate(DType::string, *shape);
  if (!out) return out.status();
  auto* to = out->mutable_data<std::string>();
  auto status = each_element(out->elements(), [&](int64_t i) {
    for (int j = 0; j < launch.input_count(); ++j) {
      const auto& in = launch.input(j);
      if (j > 0) to[i] += separator;
      to[i] += in.data<std::string>()[in.shape().is_scalar() ? 0 : i];
    }
    return Status();
  });
  launch.set(0, *std::move(out));
  return status;
}

Result<Kernel> make_string_join(const Node& node) {
  return string_kernel([separator = node.attr<std::string>("separator")](Launch& launch) {
    return join_inputs(launch, separator);
  });
}

/// Walks over the strings to join into one, and over the places of their firsts.
struct JoinPlan {
  LoopNest<1> joined;
  LoopNest<1> kept;
  Shape result;
};

Result<JoinPlan> plan_join(const Shape& shape, const Tensor& indices, bool keep_dims) {
  auto given = IntInput::of(indices);
  if (!given) return given.status();
  std::array<int64_t, Shape::max_rank> strides, sizes;
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  JoinPlan plan;
  std::array<bool, Shape::max_rank> is_joined{};
  for (auto number : given->values()) {
    auto axis = find_axis(number, shape.rank());
    if (!axis) return axis.status();
    if (std::exchange(is_joined[*axis], true))
      return invalid_argument("axis " + std::to_string(number) + " is given twice");
    plan.joined.add_axis(shape[*axis], {strides[*axis]});
  }
  for (int axis = shape.rank() - 1; axis >= 0; --axis)
    if (!is_joined[axis]) plan.kept.add_axis(shape[axis], {strides[axis]});
  size_t rank = 0;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (!is_joined[axis] || keep_dims) sizes[rank++] = is_joined[axis] ? 1 : shape[axis];
  plan.result = Shape(std::span<const int64_t>(sizes.data(), rank));
  return plan;
}

/// Appends the strings of a walk from that place on.
void append_all(
    const std::string* from, const LoopNest<1>& walk, const std::string& separator,
    std::string& to) {
  bool is_first = true;
  walk.each_row(0, walk.rows(), [&](int64_t, LoopNest<1>::Offsets offsets) {
    for (int64_t i = 0; i < walk.row_size(); ++i) {
      if (!std::exchange(is_first, false)) to += separator;
      to += from[offsets[0] + i * walk.row_strides()[0]];
    }
  });
}

Status reduce_join(Launch& launch, const std::string& separator, bool keep_dims) {
  const auto& in = launch.input(0);
  auto plan = plan_join(in.shape(), launch.input(1), keep_dims);
  if (!plan) return plan.status();
  auto out = launch.allocate(DType::string, plan->result);
  if (!out) return out.status();
  const auto* from = in.data<std::string>();
  auto* to = out->mutable_data<std::string>();
  const auto& kept = plan->kept;
  auto strings_each_row = kept.row_size() * std::max<int64_t>(1, plan->joined.elements());
  parallel_ranges(kept.rows(), strings_each_row, [&](int64_t begin, int64_t end) {
    kept.each_row(begin, end, [&](int64_t row, LoopNest<1>::Offsets offsets) {
      for (int64_t i = 0; i < kept.row_size(); ++i)
        append_all(
            from + offsets[0] + i * kept.row_strides()[0], plan->joined, separator,
            to[row * kept.row_size() + i]);
    });
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_reduce_join(const Node& node) {
  return string_kernel([separator = node.attr<std::string>("separator"),
                        keep_dims = node.attr<bool>("keep_dims")](Launch& launch) {
    return reduce_join(launch, separator, keep_dims);
  });
}

}  // namespace

void add_join_kernels(KernelCatalog& catalog) {
  catalog.add("StringJoin", make_string_join);
  catalog.add("ReduceJoin", make_reduce_join);
}

}  // namespace troupe::cpu
