#include "troupe/apps/swarm/op_rules.hpp"

namespace troupe::swarm {
namespace {

bool is_float(const Value& x) { return x.dtype() == DType::float32; }
bool is_number(const Value& x) { return x.dtype() != DType::boolean; }
bool is_bool(const Value& x) { return x.dtype() == DType::boolean; }

/// Over axes picked at random.
OpRule reduction(const char* op, bool (*fits)(const Value&)) {
  return {op, [op, fits](Sketch& s) -> Values {
            auto x = s.find(fits);
            if (!x) return {};
            std::vector<int64_t> axes;
            for (int axis = 0; axis < x->shape().rank(); ++axis)
              if (s.random().chance(0.5)) axes.push_back(axis);
            auto keep_dims = s.random().chance(0.5);
            return {s.op(op, {*x, s.ints(axes)}, {{"keep_dims", keep_dims}})};
          }};
}

Values draw_arg_max(Sketch& s) {
  auto x = s.find([](const Value& x) {
    return is_number(x) && x.shape().rank() > 0 && x.shape().elements() > 0;
  });
  if (!x) return {};
  auto axis = static_cast<int32_t>(s.random().between(0, x->shape().rank() - 1));
  return {s.op("ArgMax", {*x, s.somewhere().constant(axis)})};
}

/// Along the last axis of floats.
OpRule along_rows(const char* op) {
  return {op, [op](Sketch& s) -> Values {
            auto x = s.find([](const Value& x) { return is_float(x) && x.shape().rank() > 0; });
            if (!x) return {};
            return {s.op(op, {*x})};
          }};
}

Values draw_matmul(Sketch& s) {
  auto is_matrix = [](const Value& x) { return is_float(x) && x.shape().rank() == 2; };
  auto a = s.find(is_matrix);
  if (!a) return {};
  auto b = s.find([&](const Value& b) { return is_matrix(b) && b.shape()[0] == a->shape()[1]; });
  // A matrix always fits its own transpose.
  if (!b) return {s.op("MatMul", {*a, *a}, {{"transpose_b", true}})};
  return {s.op("MatMul", {*a, *b})};
}

Values draw_bias_add(Sketch& s) {
  auto x = s.find([](const Value& x) { return is_float(x) && x.shape().rank() >= 2; });
  if (!x) return {};
  auto channels = x->shape()[x->shape().rank() - 1];
  return {s.op("BiasAdd", {*x, s.constant(DType::float32, {channels})})};
}

}  // namespace

void add_reduction_rules(std::vector<OpRule>& rules) {
  for (auto op : {"Sum", "Max", "Min"}) rules.push_back(reduction(op, is_number));
  for (auto op : {"Mean", "Prod"}) rules.push_back(reduction(op, is_float));
  for (auto op : {"All", "Any"}) rules.push_back(reduction(op, is_bool));
  rules.push_back({"ArgMax", draw_arg_max});
  for (auto op : {"Softmax", "LogSoftmax"}) rules.push_back(along_rows(op));
  rules.push_back({"MatMul", draw_matmul});
  rules.push_back({"BiasAdd", draw_bias_add});
}

}  // namespace troupe::swarm
