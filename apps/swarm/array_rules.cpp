#include <algorithm>
#include <numeric>

#include "troupe/apps/swarm/op_rules.hpp"

namespace troupe::swarm {
namespace {

bool any(const Value&) { return true; }
bool has_axes(const Value& x) { return x.shape().rank() > 0 && x.shape().elements() > 0; }
bool has_room(const Value& x) { return x.shape().rank() < 4; }

int64_t draw_axis(Sketch& s, const Value& x) { return s.random().between(0, x.shape().rank() - 1); }

Values draw_reshape(Sketch& s) {
  auto x = s.find(any);
  auto to = s.random().chance(0.5) ? std::vector<int64_t>{-1} : std::vector<int64_t>{1, -1};
  return {s.op("Reshape", {*x, s.ints(to)})};
}

Values draw_expand_dims(Sketch& s) {
  auto x = s.find(has_room);
  if (!x) return {};
  auto axis = static_cast<int32_t>(s.random().between(0, x->shape().rank()));
  return {s.op("ExpandDims", {*x, s.somewhere().constant(axis)})};
}

Values draw_squeeze(Sketch& s) { return {s.op("Squeeze", {*s.find(any)})}; }

Values draw_transpose(Sketch& s) {
  auto x = s.find(any);
  std::vector<int64_t> axes(static_cast<size_t>(x->shape().rank()));
  std::iota(axes.begin(), axes.end(), 0);
  for (size_t i = axes.size(); i > 1; --i) std::swap(axes[i - 1], axes[s.random().below(i)]);
  return {s.op("Transpose", {*x, s.ints(axes)})};
}

Values draw_broadcast(Sketch& s) {
  auto x = s.find(has_room);
  if (!x) return {};
  std::vector<int64_t> sizes(x->shape().sizes().begin(), x->shape().sizes().end());
  sizes.insert(sizes.begin(), s.random().between(1, 3));
  return {s.op("BroadcastTo", {*x, s.ints(sizes)})};
}

Values draw_pack(Sketch& s) {
  auto x = s.find(has_room);
  if (!x) return {};
  auto y =
      s.find([&](const Value& y) { return x->dtype() == y.dtype() && x->shape() == y.shape(); });
  return {s.op("Pack", {*x, *y}, {{"axis", s.random().between(0, x->shape().rank())}})};
}

Values draw_unpack(Sketch& s) {
  auto x = s.find(has_axes);
  if (!x) return {};
  auto axis = draw_axis(s, *x);
  auto count = x->shape()[static_cast<int>(axis)];
  auto parts = s.op("Unpack", {*x}, {{"num", count}, {"axis", axis}});
  Values outputs;
  for (int i = 0; parts.is_valid() && i < count; ++i) outputs.push_back(parts.output(i));
  return outputs;
}

Values draw_concat(Sketch& s) {
  auto x = s.find(has_axes);
  if (!x) return {};
  auto axis = static_cast<int32_t>(draw_axis(s, *x));
  auto y = s.find([&](const Value& y) {
    if (y.dtype() != x->dtype() || y.shape().rank() != x->shape().rank()) return false;
    auto shape = y.shape();
    shape.set(axis, x->shape()[axis]);
    return shape == x->shape();
  });
  return {s.op("ConcatV2", {*x, *y, s.somewhere().constant(axis)})};
}

Values draw_slice(Sketch& s) {
  auto x = s.find(has_axes);
  if (!x) return {};
  std::vector<int64_t> begin, size;
  for (auto whole : x->shape().sizes()) {
    begin.push_back(s.random().between(0, whole - 1));
    size.push_back(s.random().between(1, whole - begin.back()));
  }
  return {s.op("Slice", {*x, s.ints(begin), s.ints(size)})};
}

Values draw_pad(Sketch& s) {
  auto x = s.find(has_axes);
  if (!x) return {};
  std::vector<int32_t> counts(2 * static_cast<size_t>(x->shape().rank()));
  for (auto& count : counts) count = static_cast<int32_t>(s.random().between(0, 1));
  auto paddings = Tensor::of<int32_t>({x->shape().rank(), 2}, std::span<const int32_t>(counts));
  return {s.op("Pad", {*x, s.somewhere().constant(paddings)})};
}

Values draw_gather(Sketch& s) {
  auto x = s.find(has_axes);
  if (!x) return {};
  auto axis = draw_axis(s, *x);
  std::vector<int64_t> indices(s.random().below(3) + 1);
  for (auto& index : indices) index = s.random().between(0, x->shape()[static_cast<int>(axis)] - 1);
  auto where = s.somewhere().constant(static_cast<int32_t>(axis));
  return {s.op("GatherV2", {*x, s.ints(indices), where})};
}

Values draw_one_hot(Sketch& s) {
  auto x = s.find([](const Value& x) { return x.dtype() == DType::int64 && has_room(x); });
  if (!x) return {};
  auto b = s.somewhere();
  return {s.op("OneHot", {*x, b.constant(3), b.constant(1.0f), b.constant(0.0f)})};
}

/// What an op says of the form of its input, as int64.
OpRule query(const char* op) {
  return {op, [op](Sketch& s) -> Values {
            return {s.op("Cast", {s.op(op, {*s.find(any)})}, {{"DstT", DType::int64}})};
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
