#include "troupe/apps/swarm/workload/op_rules.hpp"

namespace troupe::swarm {
namespace {

/// A reduction over random axes.
OpRule reduction(const char* op, bool (*fits)(const Value&)) {
  return {op, [op, fits](GraphGenerator& g) -> Values {
            auto x = g.find(fits);
            if (!x) return {};
            std::vector<int64_t> axes;
            for (int axis = 0; axis < x->shape().rank(); ++axis)
              if (g.random().chance(0.5)) axes.push_back(axis);
            auto keep_dims = g.random().chance(0.5);
            return {g.op(op, {*x, g.ints(axes)}, {{"keep_dims", keep_dims}})};
          }};
}

Values draw_arg_max(GraphGenerator& g) {
  auto x = g.find([](const Value& x) {
    return is_number(x) && x.shape().rank() > 0 && x.shape().elements() > 0;
  });
  if (!x) return {};
  auto axis = static_cast<int32_t>(g.random().between(0, x->shape().rank() - 1));
  return {g.op("ArgMax", {*x, g.on_random_device().constant(axis)})};
}

/// An op along the last axis, of floats.
OpRule along_rows(const char* op) {
  return {op, [op](GraphGenerator& g) -> Values {
            auto x = g.find([](const Value& x) { return is_float(x) && x.shape().rank() > 0; });
            if (!x) return {};
            return {g.op(op, {*x})};
          }};
}

Values draw_matmul(GraphGenerator& g) {
  auto is_matrix = [](const Value& x) { return is_float(x) && x.shape().rank() == 2; };
  auto a = g.find(is_matrix);
  if (!a) return {};
  auto b = g.find([&](const Value& b) { return is_matrix(b) && b.shape()[0] == a->shape()[1]; });
  // A matrix always fits its own transpose.
  if (!b) return {g.op("MatMul", {*a, *a}, {{"transpose_b", true}})};
  return {g.op("MatMul", {*a, *b})};
}

Values draw_bias_add(GraphGenerator& g) {
  auto x = g.find([](const Value& x) { return is_float(x) && x.shape().rank() >= 2; });
  if (!x) return {};
  auto channels = x->shape()[x->shape().rank() - 1];
  return {g.op("BiasAdd", {*x, g.constant(DType::float32, {channels})})};
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
