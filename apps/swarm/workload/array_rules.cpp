#include <algorithm>
#include <numeric>

#include "troupe/apps/swarm/workload/op_rules.hpp"

namespace troupe::swarm {
namespace {

bool any(const Value&) { return true; }
bool has_axes(const Value& x) { return x.shape().rank() > 0 && x.shape().elements() > 0; }
bool has_room(const Value& x) { return x.shape().rank() < 4; }

int64_t draw_axis(GraphGenerator& g, const Value& x) {
  return g.random().between(0, x.shape().rank() - 1);
}

Values draw_reshape(GraphGenerator& g) {
  auto x = g.find(any);
  auto to = g.random().chance(0.5) ? std::vector<int64_t>{-1} : std::vector<int64_t>{1, -1};
  return {g.op("Reshape", {*x, g.ints(to)})};
}

Values draw_expand_dims(GraphGenerator& g) {
  auto x = g.find(has_room);
  if (!x) return {};
  auto axis = static_cast<int32_t>(g.random().between(0, x->shape().rank()));
  return {g.op("ExpandDims", {*x, g.on_random_device().constant(axis)})};
}

Values draw_squeeze(GraphGenerator& g) { return {g.op("Squeeze", {*g.find(any)})}; }

Values draw_transpose(GraphGenerator& g) {
  auto x = g.find(any);
  std::vector<int64_t> axes(static_cast<size_t>(x->shape().rank()));
  std::iota(axes.begin(), axes.end(), 0);
  for (size_t i = axes.size(); i > 1; --i) std::swap(axes[i - 1], axes[g.random().below(i)]);
  return {g.op("Transpose", {*x, g.ints(axes)})};
}

Values draw_broadcast(GraphGenerator& g) {
  auto x = g.find(has_room);
  if (!x) return {};
  std::vector<int64_t> sizes(x->shape().sizes().begin(), x->shape().sizes().end());
  sizes.insert(sizes.begin(), g.random().between(1, 3));
  return {g.op("BroadcastTo", {*x, g.ints(sizes)})};
}

Values draw_pack(GraphGenerator& g) {
  auto x = g.find(has_room);
  if (!x) return {};
  auto y =
      g.find([&](const Value& y) { return x->dtype() == y.dtype() && x->shape() == y.shape(); });
  return {g.op("Pack", {*x, *y}, {{"axis", g.random().between(0, x->shape().rank())}})};
}

Values draw_unpack(GraphGenerator& g) {
  auto x = g.find(has_axes);
  if (!x) return {};
  auto axis = draw_axis(g, *x);
  auto count = x->shape()[static_cast<int>(axis)];
  auto parts = g.op("Unpack", {*x}, {{"num", count}, {"axis", axis}});
  Values outputs;
  for (int i = 0; parts.is_valid() && i < count; ++i) outputs.push_back(parts.output(i));
  return outputs;
}

Values draw_concat(GraphGenerator& g) {
  auto x = g.find(has_axes);
  if (!x) return {};
  auto axis = static_cast<int32_t>(draw_axis(g, *x));
  auto y = g.find([&](const Value& y) {
    if (y.dtype() != x->dtype() || y.shape().rank() != x->shape().rank()) return false;
    auto shape = y.shape();
    shape.set(axis, x->shape()[axis]);
    return shape == x->shape();
  });
  return {g.op("ConcatV2", {*x, *y, g.on_random_device().constant(axis)})};
}

Values draw_slice(GraphGenerator& g) {
  auto x = g.find(has_axes);
  if (!x) return {};
  std::vector<int64_t> begin, size;
  for (auto whole : x->shape().sizes()) {
    begin.push_back(g.random().between(0, whole - 1));
    size.push_back(g.random().between(1, whole - begin.back()));
  }
  return {g.op("Slice", {*x, g.ints(begin), g.ints(size)})};
}

Values draw_pad(GraphGenerator& g) {
  auto x = g.find(has_axes);
  if (!x) return {};
  std::vector<int32_t> counts(2 * static_cast<size_t>(x->shape().rank()));
  for (auto& count : counts) count = static_cast<int32_t>(g.random().between(0, 1));
  auto paddings = Tensor::of<int32_t>({x->shape().rank(), 2}, std::span<const int32_t>(counts));
  return {g.op("Pad", {*x, g.on_random_device().constant(paddings)})};
}

Values draw_gather(GraphGenerator& g) {
  auto x = g.find(has_axes);
  if (!x) return {};
  auto axis = draw_axis(g, *x);
  std::vector<int64_t> indices(g.random().below(3) + 1);
  for (auto& index : indices) index = g.random().between(0, x->shape()[static_cast<int>(axis)] - 1);
  auto where = g.on_random_device().constant(static_cast<int32_t>(axis));
  return {g.op("GatherV2", {*x, g.ints(indices), where})};
}

Values draw_one_hot(GraphGenerator& g) {
  auto x = g.find([](const Value& x) { return x.dtype() == DType::int64 && has_room(x); });
  if (!x) return {};
  auto b = g.on_random_device();
  return {g.op("OneHot", {*x, b.constant(3), b.constant(1.0f), b.constant(0.0f)})};
}

/// A query of the shape of the input, cast to int64.
OpRule query(const char* op) {
  return {op, [op](GraphGenerator& g) -> Values {
            return {g.op("Cast", {g.op(op, {*g.find(any)})}, {{"DstT", DType::int64}})};
          }};
}

}  // namespace

void add_array_rules(std::vector<OpRule>& rules) {
  rules.insert(
      rules.end(), {{"Reshape", draw_reshape},
                    {"ExpandDims", draw_expand_dims},
                    {"Squeeze", draw_squeeze},
                    {"Transpose", draw_transpose},
                    {"BroadcastTo", draw_broadcast},
                    {"Pack", draw_pack},
                    {"Unpack", draw_unpack},
                    {"ConcatV2", draw_concat},
                    {"Slice", draw_slice},
                    {"Pad", draw_pad},
                    {"GatherV2", draw_gather},
                    {"OneHot", draw_one_hot}});
  for (auto op : {"Shape", "Size", "Rank"}) rules.push_back(query(op));
}

}  // namespace troupe::swarm
