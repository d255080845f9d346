#include "troupe/apps/swarm/workload/op_rules.hpp"

namespace troupe::swarm {
namespace {

using Fits = bool (*)(const Value&);

OpRule unary(const char* op, Fits fits) {
  return {op, [op, fits](GraphGenerator& g) -> Values {
            auto x = g.find(fits);
            if (!x) return {};
            return {g.op(op, {*x})};
          }};
}

/// An op of two values whose shapes broadcast.
OpRule binary(const char* op, Fits fits) {
  return {op, [op, fits](GraphGenerator& g) -> Values {
            auto x = g.find(fits);
            if (!x) return {};
            auto y = g.find([&](const Value& y) {
              return y.dtype() == x->dtype() && broadcast(x->shape(), y.shape()).ok();
            });
            return {g.op(op, {*x, *y})};
          }};
}

OpRule cast(DType from, DType to) {
  return {"Cast", [from, to](GraphGenerator& g) -> Values {
            auto x = g.find([from](const Value& x) { return x.dtype() == from; });
            if (!x) return {};
            return {g.op("Cast", {*x}, {{"DstT", to}})};
          }};
}

bool are_alike(const Value& x, const Value& y) {
  return x.dtype() == y.dtype() && x.shape() == y.shape();
}

Values draw_select(GraphGenerator& g) {
  auto condition = g.find(is_bool);
  if (!condition) return {};
  auto x = g.find([&](const Value& x) {
    return condition->shape().is_scalar() || x.shape() == condition->shape();
  });
  auto y = g.find([&](const Value& y) { return are_alike(*x, y); });
  return {g.op("Select", {*condition, *x, *y})};
}

Values draw_add_n(GraphGenerator& g) {
  auto x = g.find(is_number);
  if (!x) return {};
  Values values{*x};
  while (values.size() < 4 && g.random().chance(0.7))
    values.push_back(*g.find([&](const Value& y) { return are_alike(*x, y); }));
  return {g.op("AddN", values)};
}

}  // namespace

void add_elementwise_rules(std::vector<OpRule>& rules) {
  for (auto op : {"Square", "Tanh", "Sigmoid", "Relu", "Exp", "Reciprocal"})
    rules.push_back(unary(op, is_float));
  for (auto op : {"Neg", "Abs", "Sign", "Identity", "ZerosLike", "OnesLike"})
    rules.push_back(unary(op, is_number));
  rules.push_back(unary("LogicalNot", is_bool));
  // No products of integers: chains of them overflow, which is undefined in C++.
  for (auto op : {"Mul", "RealDiv", "SquaredDifference"}) rules.push_back(binary(op, is_float));
  for (auto op : {"AddV2", "Sub", "Maximum", "Minimum"}) rules.push_back(binary(op, is_number));
  for (auto op : {"Less", "GreaterEqual", "Equal"}) rules.push_back(binary(op, is_number));
  rules.push_back(binary("LogicalAnd", is_bool));
  rules.push_back(cast(DType::int64, DType::float32));
  rules.push_back(cast(DType::boolean, DType::int64));
  rules.push_back({"Select", draw_select});
  rules.push_back({"AddN", draw_add_n});
}

std::vector<OpRule> all_op_rules() {
  std::vector<OpRule> rules;
  add_elementwise_rules(rules);
  add_array_rules(rules);
  add_reduction_rules(rules);
  return rules;
}

}  // namespace troupe::swarm
