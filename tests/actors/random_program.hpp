#pragma once

#include <string>
#include <vector>

#include "troupe/actors/sim/random.hpp"
#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::testing {

/// A random graph of float32[2,3] values with branches, loops, functions and a variable, whose
/// nodes are on the given devices, and a step of it. It has what optimization passes look for:
/// constants, neutral operands, ops that undo each other, equal trees, shapes, redundant control
/// edges. A seed gives one graph, but for the devices.
class RandomProgram {
 public:
  RandomProgram(const Builder& builder, sim::Seed seed, const std::vector<std::string>& devices)
      : RandomProgram(builder, seed, devices, DType::float32) {
    auto variable = builder_.on(devices_.front()).variable("sum", builder_.constant(tensor()));
    initialize = builder_.initializer();
    Value last;
    for (auto count = random_.between(6, 16); count > 0; --count) {
      values_.push_back(draw(builder_, values_, 2));
      if (!random_.chance(0.2)) continue;
      // The reads and updates of the variable come one after the other.
      auto b = last.is_valid() ? builder_.after({last, values_.back()}) : builder_;
      last = b.on(devices_.front())
                 .op("AssignAddVariableOp", {variable.handle, random_.pick(values_)});
      last = builder_.after({last})
                 .on(devices_.front())
                 .op("ReadVariableOp", {variable.handle}, {{"dtype", dtype_}});
      values_.push_back(last);
    }
    for (auto count = random_.between(1, 4); count > 0; --count)
      fetches.emplace_back(random_.pick(values_));
    fetches.emplace_back(values_.back());
    if (random_.chance(0.3)) {
      auto inner = random_.pick(values_);
      if (inner.name() != values_[0].name()) feeds.push_back({inner, tensor()});
    }
  }

  std::vector<Feed> feeds;
  std::vector<Ref> fetches;
  Value initialize;  // invalid where there is nothing to initialize

 protected:
  /// The values that every program begins with, and no more.
  RandomProgram(
      const Builder& builder, sim::Seed seed, const std::vector<std::string>& devices, DType dtype)
      : builder_(builder),
        random_(seed, "program"),
        places_(seed, "places"),
        devices_(devices),
        dtype_(dtype) {
    auto fed = on(builder_).placeholder(dtype_, Shape{2, 3});
    auto fed_of_any_shape = on(builder_).placeholder(dtype_);
    feeds = {{fed, tensor()}, {fed_of_any_shape, tensor()}};
    auto second = on(builder_).reshape(fed_of_any_shape, sizes(builder_, {2, 3}));
    xs_ = {fed, fed_of_any_shape};
    values_ = {fed, second, on(builder_).constant(tensor())};
  }

  Builder on(const Builder& b) { return b.on(places_.pick(devices_)); }
  bool is_smooth() const { return dtype_ == DType::float64; }

  Tensor number(double value) const {
    if (is_smooth()) return Tensor::scalar(value);
    return Tensor::scalar(static_cast<float>(value));
  }
  Tensor ones() const {
    if (is_smooth()) return Tensor::of<double>({3}, {1, 1, 1});
    return Tensor::of<float>({3}, {1, 1, 1});
  }
  /// Of a smooth program it has no round numbers, so that no sum lies where a branch is changed.
  Tensor tensor() {
    std::vector<float> floats;
    std::vector<double> doubles;
    for (int i = 0; i < 6; ++i)
      if (is_smooth()) doubles.push_back(2 * random_.fraction() - 1);
      else floats.push_back(static_cast<float>(random_.between(-4, 4)) * 0.5f);
    if (is_smooth()) return Tensor::of<double>({2, 3}, std::span<const double>(doubles));
    return Tensor::of<float>({2, 3}, std::span<const float>(floats));
  }
  Value constant(const Builder& b) {
    switch (random_.below(5)) {
      case 0: return on(b).constant(number(1));
      case 1: return on(b).constant(number(random_.chance(0.5) ? 0.0 : -0.0));
      case 2: return on(b).constant(ones());
      case 3: return on(b).constant(number(2));
      default: return on(b).constant(tensor());
    }
  }
  Value sizes(const Builder& b, const std::vector<int32_t>& numbers) { return on(b).ints(numbers); }
  Value either(const Builder& b, const Values& values) {
    return random_.chance(0.3) ? constant(b) : random_.pick(values);
  }

  /// Several nodes that make one more value.
  Value draw(const Builder& b, const Values& values, int depth) {
    auto x = random_.pick(values);
    if (x.shape().rank() != 2) x = on(b).add(x, values[0]);
    switch (random_.below(depth > 0 ? 14 : 10)) {
      case 0: return on(b).op(random_.pick(unary_ops(is_smooth())), {x});
      case 1: return on(b).op(random_.pick(binary_ops(is_smooth())), {x, either(b, values)});
      case 2: return on(b).op(random_.pick(binary_ops(is_smooth())), {either(b, values), x});
      case 3: return on(b).neg(on(b).neg(x));
      case 4: return turned(b, turned(b, x, {1, 0}), {1, 0});
      case 5: {
        auto flat = on(b).reshape(x, sizes(b, {6}));
        return on(b).reshape(flat, sizes(b, {2, -1}));
      }
      case 6: {
        auto size = on(b).cast(on(b).op("Size", {x}), dtype_);
        return on(b).add(x, size);
      }
      case 7: return twins(b, x, either(b, values));
      case 8: {
        auto waits = b.after({random_.pick(values), x, random_.pick(values)});
        return on(waits).op(random_.pick(unary_ops(is_smooth())), {x});
      }
      case 9: {
        auto group = on(b).group({random_.pick(values)});
        return on(b.after({group})).add(x, on(b.after({x})).constant(tensor()));
      }
      case 10: return branch(b, x, values, depth);
      case 11: return loop(b, x, values, depth);
      case 12: return function(b, x, values, depth);
      default: return on(b).add(constant(b), on(b).add(constant(b), x));
    }
  }

  static const std::vector<const char*>& unary_ops(bool smooth) {
    static const std::vector<const char*> ops{"Identity", "StopGradient", "Neg", "Relu", "Square"};
    static const std::vector<const char*> smooth_ops{"Identity", "Sigmoid", "Neg", "Sin", "Square"};
    return smooth ? smooth_ops : ops;
  }
  static const std::vector<const char*>& binary_ops(bool smooth) {
    static const std::vector<const char*> ops{"AddV2", "Sub", "Mul", "Maximum"};
    static const std::vector<const char*> smooth_ops{"AddV2", "Sub", "Mul", "SquaredDifference"};
    return smooth ? smooth_ops : ops;
  }

  Value turned(const Builder& b, const Value& x, const std::vector<int32_t>& axes) {
    return on(b).op("Transpose", {x, sizes(b, axes)});
  }
  /// Two equal trees on one device.
  Value twins(const Builder& b, const Value& x, const Value& y) {
    auto here = on(b);
    auto first = here.mul(here.op("Tanh", {x}), y), second = here.mul(here.op("Tanh", {x}), y);
    return here.sub(first, here.square(second));
  }
  Value is_small(const Builder& b, const Value& x) {
    return on(b).op("Less", {on(b).reduce_sum(x), on(b).constant(number(1))});
  }

  /// The builder has the error where there is none.
  static Value only(const Values& results, const Value& otherwise) {
    return results.empty() ? otherwise : results[0];
  }
  Value branch(const Builder& b, const Value& x, const Values& values, int depth) {
    auto side = [&](const Builder& in) { return Values{grow(in, values, depth - 1)}; };
    return only(cond(b, is_small(b, x), side, side), x);
  }
  Value loop(const Builder& b, const Value& x, const Values& values, int depth) {
    auto limit = static_cast<int32_t>(random_.between(0, 3));
    auto counter = on(b).constant(0);
    auto results = while_loop(
        b,
        [&](const Builder& in, const Values& v) {
          return on(in).op("Less", {v[0], on(in).constant(limit)});
        },
        [&](const Builder& in, const Values& v) {
          auto inner = values;
          inner.push_back(v[1]);
          auto next = on(in).op("Tanh", {on(in).add(v[1], grow(in, inner, depth - 1))});
          return Values{on(in).add(v[0], on(in).constant(1)), next};
        },
        {counter, x});
    return results.empty() ? x : results[1];
  }
  Value function(const Builder& b, const Value& x, const Values& values, int depth) {
    auto name = "function_" + std::to_string(function_count_++);
    auto f = b.function(
        name, {{"x", dtype_, {2, 3}}, {"y", dtype_, {2, 3}}},
        [&](const Builder& in, const Values& arguments) {
          return Values{grow(in, arguments, depth - 1)};
        });
    return only(b.call(f, {x, on(b).add(x, either(b, values))}), x);
  }
  Value grow(const Builder& b, Values values, int depth) {
    for (auto count = random_.between(1, 4); count > 0; --count)
      values.push_back(draw(b, values, depth));
    auto x = values.back();
    return x.shape() == Shape{2, 3} ? x : on(b).add(x, values[0]);
  }

  Builder builder_;
  sim::Random random_;
  sim::Random places_;
  std::vector<std::string> devices_;
  DType dtype_;
  Values xs_;      // what is fed
  Values values_;  // what is drawn from
  int function_count_ = 0;
};

/// A random program of smooth functions of float64, and its derivatives with respect to what is
/// fed: the first fetch is a scalar, the others are its derivatives, one for each feed.
class RandomDerivatives : public RandomProgram {
 public:
  RandomDerivatives(const Builder& builder, sim::Seed seed, const std::vector<std::string>& devices)
      : RandomProgram(builder, seed, devices, DType::float64) {
    for (auto count = random_.between(4, 10); count > 0; --count) {
      auto value = draw(builder_, values_, 2);
      // So that values, and with them the errors of differences, stay small.
      values_.push_back(random_.chance(0.5) ? on(builder_).op("Tanh", {value}) : value);
    }
    auto total = on(builder_).reduce_sum(on(builder_).tanh(values_.back()) + values_[0]);
    for (auto count = random_.between(1, 4); count > 0; --count)
      total =
          total + on(builder_).reduce_sum(on(builder_).tanh(random_.pick(values_)) * tensor_of());
    fetches = {total};
    auto derivatives = gradients(builder_, {total}, xs_, {.allow_unconnected = true});
    if (!derivatives) {
      builder_.fail(derivatives.status());
      return;
    }
    for (size_t i = 0; i < xs_.size(); ++i)
      fetches.emplace_back(
          (*derivatives)[i].is_valid() ? (*derivatives)[i]
                                       : on(builder_).op("ZerosLike", {xs_[i]}));
  }

 private:
  Value tensor_of() { return on(builder_).constant(tensor()); }
};

}  // namespace troupe::testing
