#pragma once

#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "troupe/tests/devices/cpu/math/fused_program.hpp"

namespace troupe::testing {

/// Draws graphs of element-wise nodes whose values all fit one shape.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : bits_(seed) {}

  FusedProgram program(DType dtype, const Shape& whole) {
    dtype_ = dtype;
    whole_ = whole;
    FusedProgram program;
    add_value(program, feed(program, whole), whole);
    auto count = 2 + below(12);
    int64_t fetched = 0;
    for (uint64_t i = 0; i < count; ++i) {
      add_node(program);
      if (below(8) == 0) program.fetch(values_[below(values_.size())].name, ++fetched);
    }
    while (values_.size() > 1) add_sum(program);
    program.fetch(values_[0].name);
    return program;
  }
  uint64_t below(uint64_t bound) { return bits_() % bound; }

 private:
  struct Named {
    std::string name;
    Shape shape;
  };

  void add_value(FusedProgram&, const std::string& name, const Shape& shape) {
    values_.push_back({name, shape});
  }

  std::string feed(FusedProgram& program, const Shape& shape) {
    auto value = *Tensor::allocate(dtype_, shape);
    std::normal_distribution<double> normal;
    auto fill = [&](auto* elements) {
      using T = std::remove_pointer_t<decltype(elements)>;
      for (int64_t i = 0; i < value.elements(); ++i)
        elements[i] = static_cast<T>(
            below(50) == 0   ? std::numeric_limits<double>::quiet_NaN()
            : below(50) == 0 ? std::numeric_limits<double>::infinity()
                             : normal(bits_));
    };
    if (dtype_ == DType::float16) fill(value.mutable_data<float16>());
    else if (dtype_ == DType::bfloat16) fill(value.mutable_data<bfloat16>());
    else if (dtype_ == DType::float32) fill(value.mutable_data<float>());
    else fill(value.mutable_data<double>());
    return program.feed(value);
  }

  /// A shape that is broadcast to the whole one, mostly itself.
  Shape shape() {
    if (below(3) == 0) return whole_;
    auto rank = static_cast<int>(below(static_cast<uint64_t>(whole_.rank()) + 1));
    auto shape = Shape::of_rank(rank);
    for (int i = 0; i < rank; ++i) {
      auto size = whole_[whole_.rank() - rank + i];
      shape.set(i, below(3) == 0 ? 1 : size);
    }
    return shape;
  }

  /// A value that is seldom used again, or a new one.
  Named take(FusedProgram& program) {
    if (below(3) == 0) {
      auto new_shape = shape();
      return {feed(program, new_shape), new_shape};
    }
    auto index = below(values_.size());
    auto value = values_[index];
    if (values_.size() > 1 && below(5) > 0) values_.erase(values_.begin() + index);
    return value;
  }

  void add_node(FusedProgram& program) {
    static const auto ops = [] {
      std::vector<std::string> names;
      for (const auto& [name, op] : fused_catalog()->all())
        if (fusion::operand_count(name) > 0) names.push_back(name);
      return names;
    }();
    const auto& op = ops[below(ops.size())];
    auto x = take(program);
    if (fusion::operand_count(op) == 1)
      return add_value(program, program.add(op, {x.name}), x.shape);
    if (op == "BiasAdd") {
      if (x.shape.rank() < 2) return values_.push_back(x);
      auto bias = feed(program, {x.shape[x.shape.rank() - 1]});
      return add_value(program, program.add(op, {x.name, bias}), x.shape);
    }
    if (op.ends_with("Grad"))
      return add_value(program, program.add(op, {x.name, feed(program, x.shape)}), x.shape);
    auto y = take(program);
    if (below(2) == 0) std::swap(x, y);
    add_value(program, program.add(op, {x.name, y.name}), *broadcast(x.shape, y.shape));
  }

  void add_sum(FusedProgram& program) {
    auto x = values_.back();
    values_.pop_back();
    auto y = values_.back();
    values_.pop_back();
    add_value(program, program.add("Add", {x.name, y.name}), *broadcast(x.shape, y.shape));
  }

  std::mt19937_64 bits_;
  DType dtype_ = DType::float32;
  Shape whole_;
  std::vector<Named> values_;
};

}  // namespace troupe::testing
